//! Records in another format: in one file in their order, or in shards in a random one.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::thread;

use fastrand::Rng;

use crate::batches::{Batches, Options, SharedCounts};
use crate::error::DataError;
use crate::formats::WrittenFormat;
use crate::input::{Input, check_written};
use crate::record::Record;

/// Writes the records that the options choose to files: each record to a random one of them. If the
/// options ask for an order of chance, each file is then shuffled as a whole, so that all records
/// are, in the memory that one file needs. Returns how many records each file has.
///
/// # Errors
///
/// [`DataError`] if a file cannot be read or written, or the format needs what a record does not
/// have. If a file is among the inputs, or an input does not say what the filter asks for, nothing
/// is written.
pub fn convert(
    inputs: Vec<Input>,
    options: &Options,
    counts: &SharedCounts,
    format: WrittenFormat,
    files: &[PathBuf],
) -> Result<Vec<u64>, DataError> {
    options.filter.check(&inputs)?;
    for path in files {
        check_written(&inputs, path)?;
        if options.shuffle.is_some() {
            check_written(&inputs, &while_shuffled(path))?;
        }
    }
    let written = spread(inputs, options, counts, format, files)?;
    if options.shuffle.is_some() {
        for (number, path) in (1..).zip(files) {
            shuffle(path, format, options.seed.wrapping_add(number))?;
        }
    }
    Ok(written)
}

/// Writes each record to a random file.
fn spread(
    inputs: Vec<Input>,
    options: &Options,
    counts: &SharedCounts,
    format: WrittenFormat,
    files: &[PathBuf],
) -> Result<Vec<u64>, DataError> {
    // The order within a file is made later.
    let in_order = Options {
        shuffle: None,
        ..options.clone()
    };
    let mut random = Rng::with_seed(options.seed);
    let mut outputs = files
        .iter()
        .map(|path| Output::create(path))
        .collect::<Result<Vec<_>, _>>()?;
    each(inputs, in_order, counts, |record| {
        let output = random.usize(..outputs.len());
        outputs[output].write(record, format)
    })?;
    outputs.into_iter().map(Output::finish).collect()
}

/// Where the records of a file are until all of them are in their order.
fn while_shuffled(path: &Path) -> PathBuf {
    path.with_extension("shuffled")
}

/// Puts the records of a file into a random order.
fn shuffle(path: &Path, format: WrittenFormat, seed: u64) -> Result<(), DataError> {
    if fs::metadata(path).is_ok_and(|file| file.len() == 0) {
        return Ok(());
    }
    let shuffled = while_shuffled(path);
    let options = Options {
        seed,
        shuffle: Some(usize::MAX),
        ..Options::default()
    };
    let input = Input::open(path, Some(format.read()))?;
    let mut output = Output::create(&shuffled)?;
    each(vec![input], options, &SharedCounts::default(), |record| {
        output.write(record, format)
    })?;
    output.finish()?;
    fs::rename(&shuffled, path).map_err(|error| unwritable(path, error))
}

/// Does something with each record.
fn each(
    inputs: Vec<Input>,
    options: Options,
    counts: &SharedCounts,
    mut work: impl FnMut(&Record) -> Result<(), DataError>,
) -> Result<(), DataError> {
    thread::scope(|scope| {
        for batch in Batches::new(scope, inputs, options, counts.clone())? {
            batch?.iter().try_for_each(&mut work)?;
        }
        Ok(())
    })
}

/// A file that is written.
struct Output {
    path: PathBuf,
    file: BufWriter<File>,
    /// Bytes of a record.
    bytes: Vec<u8>,
    records: u64,
}

impl Output {
    fn create(path: &Path) -> Result<Output, DataError> {
        let file = File::create(path).map_err(|error| unwritable(path, error))?;
        Ok(Output {
            path: path.to_path_buf(),
            file: BufWriter::new(file),
            bytes: Vec::new(),
            records: 0,
        })
    }

    fn write(&mut self, record: &Record, format: WrittenFormat) -> Result<(), DataError> {
        self.bytes.clear();
        let appended = format.append(record, &mut self.bytes);
        appended.map_err(|wrong| DataError::Unsuitable {
            name: self.path.display().to_string(),
            record: record.to_string(),
            wrong,
        })?;
        let written = self.file.write_all(&self.bytes);
        self.records += 1;
        written.map_err(|error| unwritable(&self.path, error))
    }

    fn finish(mut self) -> Result<u64, DataError> {
        let flushed = self.file.flush();
        flushed.map_err(|error| unwritable(&self.path, error))?;
        Ok(self.records)
    }
}

fn unwritable(path: &Path, error: io::Error) -> DataError {
    DataError::Unwritable {
        name: path.display().to_string(),
        error,
    }
}
