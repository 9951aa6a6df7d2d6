//! Files of positions, cut into chunks that can be read apart from each other.

use std::fs;
use std::io::{self, BufRead, Read};
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nnue_compiler::format::foreign;

use crate::compression::{BLOCK, unpacked};
use crate::data::error::DataError;
use crate::data::formats::{self, EvalUnit, Format, Units, other_format, unit_of, unknown_comment};
use crate::files::own;

/// The most bytes of a record. If this number of bytes holds no whole record, the file has another
/// format.
const MOST: usize = 1 << 26;

/// A file of positions.
#[derive(Clone, Debug)]
pub struct Input {
    path: PathBuf,
    name: Arc<str>,
    format: Format,
    eval_unit: Option<EvalUnit>,
    /// Whether the program has written the file, and removes it.
    is_own: bool,
}

impl Input {
    /// Opens a file, or standard input if the path is `-`; without a format, its name and its first
    /// bytes decide.
    ///
    /// # Errors
    ///
    /// [`DataError::Unreadable`] if the file cannot be read.
    pub fn open(path: &Path, format: Option<Format>) -> Result<Input, DataError> {
        let mut input = Input::of(path, format.unwrap_or(Format::Text));
        if crate::files::is_standard(path) {
            return Ok(input);
        }
        let of_name = match input.is_read_once() {
            // Bytes that are read from a pipe to find its format would be missing later.
            true => Format::of(path, &[]),
            false => {
                let mut bytes = input.bytes()?;
                let start = bytes.fill_buf().map_err(|error| input.unreadable(error))?;
                Format::of(path, start)
            }
        };
        input.format = format.unwrap_or(of_name);
        Ok(input)
    }

    /// A temporary file that the program has written, in that format.
    pub(crate) fn own(path: &Path, format: Format) -> Input {
        Input {
            is_own: true,
            ..Input::of(path, format)
        }
    }

    /// A file whose format is known, whatever its name says.
    fn of(path: &Path, format: Format) -> Input {
        let name = if crate::files::is_standard(path) {
            "standard input".into()
        } else {
            path.display().to_string()
        };
        Input {
            path: path.to_path_buf(),
            name: name.into(),
            format,
            eval_unit: None,
            is_own: false,
        }
    }

    /// The input, with what its evaluations in PGN count that are whole numbers; without a unit, the
    /// first of them are asked.
    #[must_use]
    pub fn with_eval_unit(self, eval_unit: Option<EvalUnit>) -> Input {
        Input { eval_unit, ..self }
    }

    /// Whether the input can be read only once: standard input, a pipe or a device.
    #[must_use]
    pub fn is_read_once(&self) -> bool {
        let is_file = || fs::metadata(&self.path).is_ok_and(|metadata| metadata.is_file());
        crate::files::is_standard(&self.path) || self.path.exists() && !is_file()
    }

    /// The path of the input; `-` is standard input.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name of the input in messages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The format of the input.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// An error that says why the input cannot be used.
    pub(crate) fn wrong(&self, wrong: impl Into<String>) -> DataError {
        DataError::Format {
            name: self.name.to_string(),
            wrong: wrong.into(),
        }
    }

    fn unreadable(&self, error: io::Error) -> DataError {
        let name = self.name.to_string();
        DataError::Unreadable { name, error }
    }

    /// The bytes of the input, unpacked if they are compressed.
    fn bytes(&self) -> Result<Box<dyn BufRead + Send>, DataError> {
        let file: Box<dyn Read + Send> = if self.is_own {
            Box::new(own::open(&self.path)?)
        } else {
            crate::files::open(&self.path)?
        };
        unpacked(file).map_err(|error| self.unreadable(error))
    }

    /// All chunks of the input, from the start of the file.
    pub(crate) fn chunks(&self) -> Chunks {
        Chunks {
            input: self.clone(),
            bytes: None,
            waiting: Vec::new(),
            first: 1,
            units: Units {
                given: self.eval_unit,
                found: None,
            },
        }
    }
}

/// Some records of a file.
pub(crate) struct Chunk {
    input: Input,
    first: u64,
    bytes: Vec<u8>,
    units: Units,
    /// A note for the user about how the file is read, if the chunk tells it.
    note: Option<String>,
}

impl Chunk {
    /// Whether the chunk is the first of its file.
    pub(crate) fn is_first(&self) -> bool {
        self.first == 1
    }

    pub(crate) fn format(&self) -> Format {
        self.input.format
    }

    pub(crate) fn content(&self) -> formats::Chunk<'_> {
        formats::Chunk {
            name: &self.input.name,
            first: self.first,
            bytes: &self.bytes,
            units: self.units,
        }
    }

    /// A note for the user about how the file is read, if the chunk tells it.
    pub(crate) fn take_note(&mut self) -> Option<String> {
        self.note.take()
    }
}

/// The chunks of a file, read one after the other.
pub(crate) struct Chunks {
    input: Input,
    /// The bytes that are still to be read; `None` before the file is opened.
    bytes: Option<Box<dyn BufRead + Send>>,
    /// The bytes that were read after the last whole record.
    waiting: Vec<u8>,
    first: u64,
    /// The known unit of evaluations in PGN.
    units: Units,
}

impl Chunks {
    fn read(&mut self) -> Result<Option<Chunk>, DataError> {
        let bytes = match &mut self.bytes {
            Some(bytes) => bytes,
            unopened => unopened.insert(self.input.bytes()?),
        };
        let format = self.input.format;
        let cut = cut(bytes, &mut self.waiting, |waiting| format.whole(waiting))
            .map_err(|error| self.input.unreadable(error))?;
        let Some((bytes, records)) = cut else {
            return Ok(None);
        };
        let note = match self.first {
            1 => self.look_at(&bytes)?,
            _ => None,
        };
        let (input, first) = (self.input.clone(), self.first);
        self.first += records;
        Ok(Some(Chunk {
            input,
            first,
            bytes,
            units: self.units,
            note,
        }))
    }

    /// Refuses a file whose first bytes are those of another format, and learns what evaluations
    /// count. Returns what the user should know, because it may not be what the user meant.
    fn look_at(&mut self, start: &[u8]) -> Result<Option<String>, DataError> {
        let format = self.input.format;
        if let Some(other) = other_format(format, &self.input.name, start) {
            return Err(self.input.wrong(other));
        }
        if format != Format::Pgn {
            return Ok(None);
        }
        let name = foreign(&self.input.name);
        let unknown = unknown_comment(start).map(|comment| {
            format!(
                "`{name}`: comments such as `{}` have no evaluation of a known form, and so positions have no score",
                foreign(comment)
            )
        });
        if self.units.given.is_some() {
            return Ok(unknown);
        }
        let (unit, whole) = unit_of(start).unzip();
        self.units.found = unit;
        let taken = whole.flatten().map(|whole| {
            let taken_for = match unit {
                Some(EvalUnit::Pawns) => "pawns, as others have a decimal point",
                _ => "hundredths of a pawn",
            };
            format!(
                "`{name}`: evaluations such as `{}` are whole numbers and are taken for {taken_for}; `--eval-unit` says whether they are",
                foreign(whole)
            )
        });
        Ok(taken.or(unknown))
    }
}

/// Reads on until whole records are at the front of `waiting`, and removes them from there. Returns
/// them with their number, or `None` at the end. `whole` says how many bytes and records are whole.
///
/// Bytes that are no whole record yet are examined again only when their number has doubled. So all
/// examinations together read no more than a few times the bytes of the file, however long its
/// records are.
fn cut(
    mut bytes: impl Read,
    waiting: &mut Vec<u8>,
    whole: impl Fn(&[u8]) -> (usize, u64),
) -> io::Result<Option<(Vec<u8>, u64)>> {
    loop {
        let more = waiting.len().max(BLOCK);
        let read = bytes.by_ref().take(more as u64).read_to_end(waiting)?;
        let (mut len, records) = whole(waiting);
        if read == 0 || len == 0 && waiting.len() > MOST {
            len = waiting.len();
        }
        if len > 0 {
            let rest = waiting.split_off(len);
            return Ok(Some((mem::replace(waiting, rest), records)));
        }
        if read == 0 {
            return Ok(None);
        }
    }
}

impl Iterator for Chunks {
    type Item = Result<Chunk, DataError>;

    fn next(&mut self) -> Option<Result<Chunk, DataError>> {
        self.read().transpose()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// The lengths of all pieces that [`cut`] makes of bytes, and how many bytes it examined.
    fn cuts(bytes: &[u8], whole: impl Fn(&[u8]) -> (usize, u64)) -> (Vec<usize>, usize) {
        let (mut bytes, mut waiting) = (bytes, Vec::new());
        let (mut lengths, seen) = (Vec::new(), Cell::new(0));
        let counted = |waiting: &[u8]| {
            seen.set(seen.get() + waiting.len());
            whole(waiting)
        };
        while let Some((piece, _)) = cut(&mut bytes, &mut waiting, counted).expect("memory") {
            lengths.push(piece.len());
        }
        (lengths, seen.get())
    }

    #[test]
    fn bytes_are_looked_at_a_few_times_however_long_records_are() {
        let bytes = vec![b'\n'; 32 * BLOCK];
        let size = bytes.len();
        // A single record that ends only with the file.
        let (lengths, seen) = cuts(&bytes, |_| (0, 0));
        assert_eq!(lengths, [size]);
        assert!(seen <= 4 * size, "{seen}");
        // Records that are much shorter than a block, and much longer.
        for record in [1000, 5 * BLOCK + 1] {
            let (lengths, seen) = cuts(&bytes, |waiting| {
                let records = waiting.len() / record;
                (record * records, records as u64)
            });
            assert_eq!(lengths.iter().sum::<usize>(), size);
            assert!(seen <= 4 * size, "{seen}");
        }
    }

    #[test]
    fn what_is_no_file_of_the_format_is_not_kept_for_ever() {
        let (lengths, _) = cuts(&vec![b'x'; 2 * MOST + MOST / 2], |_| (0, 0));
        assert!(lengths.len() > 1, "{lengths:?}");
        assert!(lengths.iter().all(|length| *length <= 2 * MOST));
    }

    #[test]
    fn blank_lines_wait_for_nothing() {
        for format in [Format::Text, Format::Pgn] {
            let (lengths, seen) = cuts(&vec![b'\n'; 8 * BLOCK], |waiting| format.whole(waiting));
            assert_eq!(lengths, [BLOCK; 8], "{format}");
            assert_eq!(seen, 8 * BLOCK, "{format}");
        }
    }
}
