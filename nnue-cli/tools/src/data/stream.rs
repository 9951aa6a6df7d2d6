//! The stream of batches that a trainer reads. Numbers are little-endian:
//!
//! ```text
//! header:  8 bytes "nnuerows", u32 version = 1, u32 largest number of positions in a batch,
//!          u32 number of feature sets; for each set: u32 rows, u32 perspectives, 1 or 2
//! batch:   u32 n, at least 1; 0 ends the stream
//!          for each set, for each perspective:
//!              u32 count, u32 offsets[n + 1], u32 rows[count]
//!          u8 stack[n], u8 pieces[n], u8 white[n], f32 score[n], f32 result[n]
//! ```

use std::io::Write;
use std::thread;

use crate::data::batches::{Batches, Options, SharedCounts};
use crate::data::error::DataError;
use crate::data::input::Input;
use crate::data::ordered::ordered;
use crate::data::record::Record;
use crate::data::rows::{ActiveRows, Batch, RowMaker};
use crate::files::Output;

/// The first bytes of a stream.
const MAGIC: &[u8; 8] = b"nnuerows";

/// The version of the format.
const VERSION: u32 = 1;

/// Writes the stream of the positions of files, and to `positions` a line with the FEN of each
/// position.
///
/// # Errors
///
/// [`DataError`] if a file cannot be used, or an output cannot be written.
pub fn write_stream(
    inputs: Vec<Input>,
    options: &Options,
    maker: &RowMaker,
    counts: &SharedCounts,
    out: &mut dyn Write,
    mut positions: Option<&mut Output>,
) -> Result<(), DataError> {
    thread::scope(|scope| {
        let with_positions = positions.is_some();
        let batches = Batches::new(scope, inputs, options.clone(), counts.clone())?;
        let written = ordered(scope, options.threads, batches, || {
            let mut finder = maker.finder();
            move |records: Result<Vec<Record>, DataError>, found: &mut dyn FnMut(_)| {
                found(records.map(|records| {
                    let bytes = bytes(&maker.batch(&mut finder, &records));
                    (bytes, with_positions.then(|| fens(&records)))
                }));
            }
        });
        out.write_all(&header(maker, options.batch_size))
            .map_err(DataError::Output)?;
        for batch in written {
            let (bytes, fens) = batch?;
            out.write_all(&bytes).map_err(DataError::Output)?;
            if let (Some(positions), Some(fens)) = (&mut positions, fens) {
                positions.add(fens.as_bytes())?;
            }
        }
        let end = out.write_all(&0u32.to_le_bytes());
        end.and_then(|()| out.flush()).map_err(DataError::Output)
    })
}

fn header(maker: &RowMaker, largest: usize) -> Vec<u8> {
    let mut header = MAGIC.to_vec();
    let mut number = |number: usize| header.extend((number as u32).to_le_bytes());
    number(VERSION as usize);
    number(largest);
    number(maker.sets().count());
    for (rows, perspectives) in maker.sets() {
        number(rows as usize);
        number(perspectives);
    }
    header
}

/// The bytes of a batch in the stream.
fn bytes(batch: &Batch) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend((batch.len() as u32).to_le_bytes());
    for ActiveRows { offsets, rows } in &batch.active {
        bytes.extend((rows.len() as u32).to_le_bytes());
        for numbers in [offsets, rows] {
            bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        }
    }
    for column in [&batch.stack, &batch.pieces, &batch.white] {
        bytes.extend_from_slice(column);
    }
    for column in [&batch.score, &batch.result] {
        bytes.extend(column.iter().flat_map(|number| number.to_le_bytes()));
    }
    bytes
}

fn fens(records: &[Record]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}
