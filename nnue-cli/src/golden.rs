//! Golden vectors: positions, and what a network says of them.
//!
//! A line of text has `FEN | value`, or `FEN | value | psqt | positional`, which are the integers of
//! an [`Output`]. Blank lines and lines that begin with `#` are skipped.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use nnue_compiler::format::foreign;
use nnue_runtime::Output;

use crate::Failure;
use crate::positions::{Given, Lines};

/// A position with what is expected of it.
#[derive(Clone, Debug)]
pub(crate) struct Vector {
    pub(crate) given: Given,
    pub(crate) expected: Expected,
}

/// The value of a position, from the view of the side to move, and perhaps its two parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Expected {
    value: i32,
    /// The PSQT part, and the part of the layers.
    parts: Option<[i32; 2]>,
}

impl Expected {
    /// Whether an evaluation is the expected one.
    pub(crate) fn is(self, found: &Output) -> bool {
        self == self.of(found)
    }

    /// What there is to compare of an evaluation: its parts only if they are expected.
    pub(crate) fn of(self, found: &Output) -> Expected {
        Expected {
            value: found.value,
            parts: self.parts.map(|_| [found.psqt, found.positional]),
        }
    }
}

impl From<&Output> for Expected {
    fn from(output: &Output) -> Expected {
        Expected {
            value: output.value,
            parts: Some([output.psqt, output.positional]),
        }
    }
}

/// As it stands in the file.
impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.value)?;
        match self.parts {
            Some([psqt, positional]) => write!(f, " | {psqt} | {positional}"),
            None => Ok(()),
        }
    }
}

/// Reads all vectors of a file, at least one; `-` is standard input.
pub(crate) fn read(path: &Path) -> Result<Vec<Vector>, Failure> {
    vectors(Lines::open(path)?)
}

fn vectors(mut lines: Lines) -> Result<Vec<Vector>, Failure> {
    let mut vectors = Vec::new();
    while let Some(line) = lines.next()? {
        let vector = vector(&line).map_err(|error| Failure::Work(lines.wrong(error)))?;
        vectors.push(vector);
    }
    match vectors.is_empty() {
        true => Err(Failure::Work(format!(
            "{} has no golden vectors",
            lines.source
        ))),
        false => Ok(vectors),
    }
}

fn vector(line: &str) -> Result<Vector, String> {
    let integer = |text: &str| {
        text.parse()
            .map_err(|_| format!("found `{}`, expected an integer of 32 bits", foreign(text)))
    };
    let fields: Vec<&str> = line.split('|').map(str::trim).collect();
    let (fen, value, parts) = match *fields {
        [fen, value] => (fen, value, None),
        [fen, value, psqt, positional] => (fen, value, Some([psqt, positional])),
        _ => {
            return Err(format!(
                "found {} fields, allowed are `FEN | value` and `FEN | value | psqt | positional`",
                fields.len()
            ));
        }
    };
    Ok(Vector {
        given: Given::parse(fen).map_err(|error| error.to_string())?,
        expected: Expected {
            value: integer(value)?,
            parts: match parts {
                Some([psqt, positional]) => Some([integer(psqt)?, integer(positional)?]),
                None => None,
            },
        },
    })
}

/// Writes a line.
pub(crate) fn write(given: &Given, output: &Output, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{} | {}", given.fen, Expected::from(output))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINGS: &str = "4k3/8/8/8/8/8/8/4K3 w - - 0 1";

    fn read(text: String) -> Result<Vec<Vector>, Failure> {
        vectors(Lines::of("a list".into(), Box::new(io::Cursor::new(text))))
    }

    #[test]
    fn both_forms_are_read_with_any_line_ends() {
        let text = format!("# made by hand\r\n\r\n{KINGS} | -7\r\n  {KINGS}|3 | 1|-2");
        let read = read(text).unwrap();
        let expected = [(-7, None), (3, Some([1, -2]))];
        assert_eq!(read.len(), 2);
        for (vector, (value, parts)) in read.iter().zip(expected) {
            assert_eq!(vector.given.fen, KINGS);
            assert_eq!(vector.expected, Expected { value, parts });
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (text, line, words) in [
            (
                format!("{KINGS} | 1\n{KINGS}"),
                2,
                "found 1 fields, allowed are",
            ),
            (format!("{KINGS} | 1 | 2"), 1, "found 3 fields"),
            (
                format!("#\n\n{KINGS} | 1.5"),
                3,
                "found `1.5`, expected an integer of 32 bits",
            ),
            (format!("{KINGS} | 2147483648"), 1, "found `2147483648`"),
            (format!("{KINGS} | 1 | | 3"), 1, "found ``"),
            ("8/8 w - - | 1".into(), 1, "found "),
        ] {
            let message = read(text).unwrap_err().message();
            let start = format!("line {line} of a list: {words}");
            assert!(message.starts_with(&start), "{message}");
        }
        let message = read("# nothing\n".into()).unwrap_err().message();
        assert_eq!(message, "a list has no golden vectors");
    }

    #[test]
    fn parts_are_compared_where_they_are_expected() {
        let output = |psqt, positional, value| Output {
            psqt,
            positional,
            value,
        };
        let whole = Expected::from(&output(1, 2, 3));
        assert!(whole.is(&output(1, 2, 3)));
        for other in [output(0, 2, 3), output(1, 0, 3), output(1, 2, 0)] {
            assert!(!whole.is(&other));
        }
        let value = Expected {
            parts: None,
            ..whole
        };
        assert!(value.is(&output(8, 9, 3)) && !value.is(&output(1, 2, 4)));
    }

    #[test]
    fn what_is_written_is_read() {
        let output = Output {
            psqt: i32::MIN,
            positional: i32::MAX,
            value: -1,
        };
        let given = Given::parse(KINGS).unwrap();
        let mut text = Vec::new();
        write(&given, &output, &mut text).unwrap();
        let [vector] = &*read(String::from_utf8(text).unwrap()).unwrap() else {
            panic!("one line");
        };
        assert_eq!(
            (&vector.given, vector.expected),
            (&given, Expected::from(&output))
        );
    }
}
