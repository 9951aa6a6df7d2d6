//! Reads bytes as a file of a format.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs, process, thread};

use nnue_tools::data::{
    BadRecord, Batches, Counts, DataError, EvalUnit, Format, Input, Options, Record, SharedCounts,
    convert,
};

/// A file that is gone when the test is over.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new(content: &[u8]) -> Scratch {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("nnue-data-{}-{number}", process::id()));
        fs::write(&path, content).expect("temporary files can be written");
        Scratch(path)
    }

    pub(crate) fn input(&self, format: Format) -> Input {
        Input::open(&self.0, Some(format)).expect("it is there")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// All batches that there are, or the error that ends them.
pub(crate) fn batches(
    inputs: Vec<Input>,
    options: &Options,
) -> (Result<Vec<Vec<Record>>, DataError>, Counts) {
    let counts = SharedCounts::default();
    let batches = thread::scope(|scope| {
        Batches::new(scope, inputs, options.clone(), counts.clone())?.collect()
    });
    (batches, counts.get())
}

/// All records, with bad ones skipped.
pub(crate) fn read(format: Format, bytes: &[u8]) -> (Result<Vec<Record>, DataError>, Counts) {
    let file = Scratch::new(bytes);
    let options = Options {
        shuffle: None,
        skip_bad: true,
        ..Options::default()
    };
    let (batches, counts) = batches(vec![file.input(format)], &options);
    (batches.map(|batches| batches.concat()), counts)
}

/// The records of a file without bad ones.
pub(crate) fn good(format: Format, bytes: &[u8]) -> Vec<Record> {
    let (records, counts) = read(format, bytes);
    assert_eq!(counts.examples, []);
    match records {
        Ok(records) => records,
        Err(DataError::Empty { .. }) => Vec::new(),
        Err(error) => panic!("{error}"),
    }
}

/// The first bad records of a file.
pub(crate) fn bad(format: Format, bytes: &[u8]) -> Vec<BadRecord> {
    let (_, counts) = read(format, bytes);
    assert!(counts.bad > 0, "all is well");
    counts.examples
}

/// The records of a file in another format.
pub(crate) fn converted(from: Format, bytes: &[u8], to: Format) -> Vec<u8> {
    let (file, written) = (Scratch::new(bytes), Scratch::new(b""));
    let options = Options {
        shuffle: None,
        ..Options::default()
    };
    let counts = SharedCounts::default();
    let outputs = [written.0.clone()];
    let input = file.input(from).with_eval_unit(Some(EvalUnit::Centipawns));
    convert(vec![input], &options, &counts, to, &outputs).expect("good records");
    fs::read(&written.0).expect("it was written")
}
