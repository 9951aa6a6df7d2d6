//! Records in another format: in a single file in their order, or in shards in a random order.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::thread;

use fastrand::Rng;
use tempfile::NamedTempFile;

use crate::data::batches::{Batches, Options, SharedCounts};
use crate::data::error::DataError;
use crate::data::formats::{Format, Writer};
use crate::data::input::Input;
use crate::data::record::Record;
use crate::files::{Error, Inputs, Output, own};

/// Writes the records that the options choose to files: each record to a random file. If the
/// options ask for a random order, each file is then shuffled as a whole, so that all records are
/// shuffled, in the memory that a single file needs. Returns the counts of each file.
///
/// The files take their places when all of them are whole.
///
/// # Errors
///
/// [`DataError`] if a file cannot be read or written, or if a record lacks something that the
/// format needs. Nothing is written if an output is among the inputs, or if an input lacks
/// something that the filter asks for.
pub fn convert(
    inputs: Vec<Input>,
    options: &Options,
    counts: &SharedCounts,
    format: Format,
    files: &[PathBuf],
) -> Result<Vec<Written>, DataError> {
    options.filter.check(&inputs)?;
    Inputs::of(inputs.iter().map(Input::path)).check(files)?;
    let mut written = Vec::new();
    match options.shuffle {
        None => {
            let outputs = each_of(files, |path| Ok(Output::create(path)?))?;
            written = spread(inputs, options, counts, format, outputs)?;
        }
        Some(_) => {
            let outputs = each_of(files, unordered)?;
            let spread = spread(inputs, options, counts, format, outputs)?;
            for (number, (records, path)) in (1..).zip(spread.into_iter().zip(files)) {
                let seed = options.seed.wrapping_add(number);
                let cut = records.writer.cut();
                let mut records = shuffled(records, path, format, seed)?;
                records.cut = Some(cut);
                written.push(records);
            }
        }
    }
    let finish = |records: Records<'_, Output>| {
        records.file.finish()?;
        Ok(Written {
            records: records.count,
            cut: records.cut.unwrap_or(records.writer.cut()),
        })
    };
    written.into_iter().map(finish).collect()
}

/// The counts of a written file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// How many records the file has.
    pub records: u64,
    /// How many of them had counters of half moves for which the format has no room: these became
    /// the largest that it has.
    pub cut: u64,
}

/// Opens an output for each of the files.
fn each_of<W>(
    files: &[PathBuf],
    open: impl Fn(&Path) -> Result<W, DataError>,
) -> Result<Vec<(&Path, W)>, DataError> {
    let files = files.iter().map(PathBuf::as_path);
    files.map(|path| Ok((path, open(path)?))).collect()
}

/// Writes each record to a random file.
fn spread<'p, W: Write>(
    inputs: Vec<Input>,
    options: &Options,
    counts: &SharedCounts,
    format: Format,
    files: Vec<(&'p Path, W)>,
) -> Result<Vec<Records<'p, W>>, DataError> {
    // Each file is shuffled later.
    let in_order = Options {
        shuffle: None,
        ..options.clone()
    };
    let mut random = Rng::with_seed(options.seed);
    let outputs = files
        .into_iter()
        .map(|(path, file)| Records::new(path, file, format));
    let mut outputs: Vec<_> = outputs.collect();
    each(inputs, in_order, counts, |record| {
        let output = random.usize(..outputs.len());
        outputs[output].write(record)
    })?;
    outputs.iter_mut().try_for_each(Records::finish)?;
    Ok(outputs)
}

/// A temporary file that holds the records of a file until they are shuffled. It is on the same
/// disk, because it takes as much room.
fn unordered(path: &Path) -> Result<BufWriter<NamedTempFile>, DataError> {
    Ok(BufWriter::new(own::scratch(path)?))
}

/// The records of a temporary file, in a random order.
fn shuffled<'p>(
    records: Records<'_, BufWriter<NamedTempFile>>,
    path: &'p Path,
    format: Format,
    seed: u64,
) -> Result<Records<'p, Output>, DataError> {
    let file = records.file.into_inner();
    let file = file.map_err(|error| unwritable(path, error.into_error()))?;
    let mut shuffled = Records::new(path, Output::create(path)?, format);
    if records.count > 0 {
        let options = Options {
            seed,
            shuffle: Some(usize::MAX),
            ..Options::default()
        };
        let input = Input::own(file.path(), format);
        each(vec![input], options, &SharedCounts::default(), |record| {
            shuffled.write(record)
        })?;
        shuffled.finish()?;
    }
    Ok(shuffled)
}

/// Calls a function with each record.
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

/// A file of records that is written.
struct Records<'p, W> {
    /// The path that messages name.
    path: &'p Path,
    file: W,
    writer: Writer,
    /// The bytes that are being written.
    bytes: Vec<u8>,
    count: u64,
    /// How many records lost counters of half moves, if another writer had them before.
    cut: Option<u64>,
}

impl<W: Write> Records<'_, W> {
    fn new(path: &Path, file: W, format: Format) -> Records<'_, W> {
        Records {
            path,
            file,
            writer: Writer::new(format),
            bytes: Vec::new(),
            count: 0,
            cut: None,
        }
    }

    fn write(&mut self, record: &Record) -> Result<(), DataError> {
        let appended = self.writer.append(record, &mut self.bytes);
        appended.map_err(|wrong| DataError::Unsuitable {
            name: self.path.display().to_string(),
            record: record.to_string(),
            wrong,
        })?;
        self.count += 1;
        self.flush()
    }

    /// Writes the records that the writer has kept.
    fn finish(&mut self) -> Result<(), DataError> {
        self.writer.finish(&mut self.bytes);
        self.flush()
    }

    fn flush(&mut self) -> Result<(), DataError> {
        let written = self.file.write_all(&self.bytes);
        self.bytes.clear();
        written.map_err(|error| unwritable(self.path, error))
    }
}

fn unwritable(path: &Path, error: std::io::Error) -> DataError {
    let path = path.into();
    Error::Unwritable { path, error }.into()
}
