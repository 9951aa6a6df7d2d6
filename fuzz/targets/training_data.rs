//! Any bytes as training data: the first byte chooses the format.

#![no_main]

use std::fs;
use std::thread;

use libfuzzer_sys::fuzz_target;
use nnue_fuzz::scratch;
use nnue_tools::data::{Batches, DataError, Format, Input, Options, Record, SharedCounts};

fuzz_target!(|bytes: &[u8]| {
    let Some((which, content)) = bytes.split_first() else {
        return;
    };
    let format = Format::ALL[usize::from(*which) % Format::ALL.len()];
    let path = scratch::file(content);
    let options = Options {
        shuffle: None,
        skip_bad: true,
        ..Options::default()
    };
    let counts = SharedCounts::default();
    let input = match Input::open(&path, Some(format)) {
        Ok(input) => input,
        // The first bytes are those of a compressed file, and the others are not.
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let records: Result<Vec<Vec<Record>>, DataError> =
        thread::scope(|scope| Batches::new(scope, vec![input], options, counts.clone())?.collect());
    let _ = fs::remove_file(&path);
    match records {
        // Whatever was read can be looked at and written.
        Ok(batches) => {
            for record in batches.iter().flatten() {
                assert!((2..=32).contains(&record.pieces()));
                let _ = (record.is_check(), record.points());
                nnue_runtime::Board::from_fen(&record.to_string()).expect("a position");
            }
        }
        // Nothing is there, or another format, or a compressed file that is damaged.
        Err(DataError::Empty { .. } | DataError::Format { .. } | DataError::Unreadable { .. }) => {}
        Err(error) => panic!("{error}"),
    }
    for bad in counts.get().examples {
        assert!(
            !bad.wrong.is_empty() && bad.wrong.len() < 2000,
            "{}",
            bad.wrong
        );
    }
});
