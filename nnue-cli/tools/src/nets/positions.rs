//! Positions as FEN, or as EPD with its operations, a position a line.

use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use nnue_compiler::format::foreign;
use nnue_runtime::{Board, FenError};

use crate::compression::unpacked;
use crate::data::other_list;
use crate::fen::{BYTE_ORDER_MARK, Fen};
use crate::files::is_standard;
use crate::nets::Error;

pub use crate::fen::START;

/// A position, and the text that describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenPosition {
    /// The whole FEN, or the text before the operations of EPD; [`START`] for `startpos`.
    pub fen: String,
    /// The position.
    pub board: Board,
}

impl WrittenPosition {
    /// Reads a position.
    ///
    /// # Errors
    ///
    /// [`FenError`] if the text is no position.
    pub fn parse(text: &str) -> Result<WrittenPosition, FenError> {
        let read = Fen::parse(text)?;
        Ok(WrittenPosition {
            fen: read.text.into(),
            board: read.board,
        })
    }
}

/// The name of a path in messages; `-` is standard input.
#[must_use]
pub fn source(path: &Path) -> String {
    if is_standard(path) {
        "standard input".to_string()
    } else {
        format!("`{}`", foreign(path.display()))
    }
}

/// The most bytes of a line: a longer line may have no end.
const LONGEST: u64 = 1 << 20;

/// The most lines of a list that is kept in memory.
const MOST: usize = 1 << 20;

/// The lines of a list, except blank lines and lines that begin with `#`.
pub struct Lines {
    /// The origin of the lines, for messages.
    pub source: String,
    lines: BufReader<Box<dyn Read>>,
    /// How many lines were read so far.
    number: u64,
    /// Whether a line was read that is neither blank nor a comment.
    has_begun: bool,
}

impl Lines {
    /// Opens the lines of a file, which may be compressed, of a pipe, or of standard input if the path
    /// is `-`.
    ///
    /// # Errors
    ///
    /// [`Error::File`] or [`Error::UnreadableList`] if the file cannot be read.
    pub fn open(path: &Path) -> Result<Lines, Error> {
        let file = crate::files::open(path)?;
        // The writer of standard input or of a pipe waits for the answer to a line, which may be
        // shorter than what tells how a file is compressed.
        if is_standard(path) || !path.is_file() {
            return Ok(Lines::of(source(path), file));
        }
        let unpacked = unpacked(file).map_err(|error| Error::UnreadableList {
            list: source(path),
            error,
        })?;
        Ok(Lines::of(source(path), Box::new(unpacked)))
    }

    /// The lines of a stream; `source` is its name in messages.
    pub fn of(source: String, lines: Box<dyn Read>) -> Lines {
        Lines {
            source,
            lines: BufReader::new(lines),
            number: 0,
            has_begun: false,
        }
    }

    /// The next line without the spaces around it; `None` at the end. Bytes that are not UTF-8 are
    /// replaced.
    ///
    /// # Errors
    ///
    /// [`Error`] if the stream cannot be read, or if a line is too long for a list.
    pub fn next_line(&mut self) -> Result<Option<String>, Error> {
        loop {
            let mut line = Vec::new();
            let mut rest = self.lines.by_ref().take(LONGEST + 1);
            let length =
                rest.read_until(b'\n', &mut line)
                    .map_err(|error| Error::UnreadableList {
                        list: self.source.clone(),
                        error,
                    })?;
            if length == 0 {
                return Ok(None);
            }
            self.number += 1;
            if length as u64 > LONGEST {
                let wrong =
                    format!("found more than {LONGEST} bytes, expected a list of positions");
                return Err(self.wrong(wrong));
            }
            // Some editors begin a file with a mark of its encoding.
            let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&line);
            let text = String::from_utf8_lossy(line.trim_ascii());
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            if !std::mem::replace(&mut self.has_begun, true)
                && let Some(other) = other_list(&text)
            {
                return Err(self.wrong(other));
            }
            return Ok(Some(text.into_owned()));
        }
    }

    /// Applies `parse` to each line. All lines must be right, and there must be at least one line.
    /// All results are kept, so there can be at most 2^20 lines. Messages call the lines `what`.
    ///
    /// # Errors
    ///
    /// A line is wrong, or there are no lines, or too many.
    pub fn all<T>(
        mut self,
        what: &'static str,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Vec<T>, Error> {
        let mut all = Vec::new();
        while let Some(line) = self.next_line()? {
            if all.len() == MOST {
                return Err(Error::TooMany {
                    list: self.source,
                    what,
                    most: MOST,
                });
            }
            all.push(parse(&line).map_err(|error| self.wrong(error))?);
        }
        if all.is_empty() {
            Err(Error::EmptyList {
                list: self.source,
                what,
            })
        } else {
            Ok(all)
        }
    }

    /// The error for the last line that was read.
    pub fn wrong(&self, error: impl fmt::Display) -> Error {
        Error::Line {
            list: self.source.clone(),
            number: self.number,
            wrong: error.to_string(),
        }
    }
}

/// Positions that are read one after the other.
pub struct Positions(Lines);

impl Positions {
    /// Opens the positions of a file, or of standard input if the path is `-`.
    ///
    /// # Errors
    ///
    /// [`Error::File`] if the file cannot be read.
    pub fn open(path: &Path) -> Result<Positions, Error> {
        Ok(Positions(Lines::open(path)?))
    }

    /// Whether reading the next line may have to wait.
    pub fn may_wait(&self) -> bool {
        self.0.lines.buffer().is_empty()
    }

    /// What `parse` makes of the next line, or the error of the line; `None` at the end.
    ///
    /// # Errors
    ///
    /// [`Error`] if the stream cannot be read.
    pub fn next_parsed<T, E: fmt::Display>(
        &mut self,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Result<Option<Result<T, Error>>, Error> {
        let Some(text) = self.0.next_line()? else {
            return Ok(None);
        };
        Ok(Some(parse(&text).map_err(|error| self.0.wrong(error))))
    }

    /// All positions of the list. Each line must be a position, and there must be at least one
    /// line.
    ///
    /// # Errors
    ///
    /// A line is wrong, or there are no lines, or too many.
    pub fn all(self) -> Result<Vec<WrittenPosition>, Error> {
        self.all_parsed(WrittenPosition::parse)
    }

    /// What `parse` makes of each line.
    ///
    /// # Errors
    ///
    /// The errors of [`Positions::all`].
    pub fn all_parsed<T, E: fmt::Display>(
        self,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Result<Vec<T>, Error> {
        let parse = |line: &str| parse(line).map_err(|error| error.to_string());
        self.0.all("positions", parse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &'static [u8]) -> Positions {
        Positions(Lines::of("a list".into(), Box::new(text)))
    }

    #[test]
    fn comments_and_blank_lines_are_skipped_and_counted() {
        let mut list = list(b"# one\r\n\n  4k3/8/8/8/8/8/8/4K3 w - - id 1;\r\n8/8 w\n\xFF");
        assert!(list.may_wait());
        let next = |list: &mut Positions| list.next_parsed(WrittenPosition::parse).unwrap();
        let first = next(&mut list).unwrap().unwrap();
        assert_eq!(first.fen, "4k3/8/8/8/8/8/8/4K3 w - -");
        assert!(!list.may_wait());
        for number in [4, 5] {
            let wrong = next(&mut list).unwrap().unwrap_err().to_string();
            let start = format!("line {number} of a list: found ");
            assert!(wrong.starts_with(&start), "{wrong}");
        }
        assert!(next(&mut list).is_none());
    }

    #[test]
    fn a_line_without_an_end_is_not_read_on() {
        let endless = Lines::of("a list".into(), Box::new(std::io::repeat(0)));
        let message = Positions(endless).all().unwrap_err().to_string();
        assert_eq!(
            message,
            "line 1 of a list: found more than 1048576 bytes, expected a list of positions"
        );
    }

    #[test]
    fn a_list_that_is_kept_has_an_end() {
        let lines = |count: usize| {
            let text = "x\n".repeat(count);
            let lines = Lines::of("a list".into(), Box::new(std::io::Cursor::new(text)));
            lines.all("words", |word| Ok(word.len()))
        };
        assert_eq!(lines(MOST).unwrap().len(), MOST);
        let message = lines(MOST + 1).unwrap_err().to_string();
        assert_eq!(message, "a list has more than 1048576 words, the most");
    }

    #[test]
    fn a_list_that_must_be_right_has_positions_only() {
        let message = |text| list(text).all().unwrap_err().to_string();
        assert_eq!(message(b"# nothing\n"), "a list has no positions");
        assert!(message(b"4k3/8/8/8/8/8/8/4K3 w - -\n8/8 w").starts_with("line 2 of a list: "));
        assert_eq!(list(b"4k3/8/8/8/8/8/8/4K3 w - -").all().unwrap().len(), 1);
    }
}
