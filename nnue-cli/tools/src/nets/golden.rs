//! Golden vectors: positions with the values that a network must compute.
//!
//! A line of text is `FEN | value`, or `FEN | value | psqt | positional`, with the integers of an
//! [`Output`]. For a network of win, draw and loss it is `FEN | win | draw | loss`. Blank lines and
//! lines that begin with `#` are skipped.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use nnue_compiler::format::foreign;
use nnue_runtime::Output;

use crate::nets::Error;
use crate::nets::positions::{Lines, WrittenPosition};

/// A position with its expected integers.
#[derive(Clone, Debug)]
pub struct Vector {
    /// The position.
    pub given: WrittenPosition,
    /// The expected integers of the position.
    pub expected: Expected,
}

/// The integers of a position, from the view of the side to move. For a single head they are its
/// value, perhaps with the PSQT part and the part of the layers; for three heads they are their
/// values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected(Vec<i32>);

impl Expected {
    /// Whether an evaluation, which has an output for each head, is the expected one.
    pub fn is(&self, found: &[Output]) -> bool {
        *self == self.of(found)
    }

    /// The integers of an evaluation that are to be compared: the parts of a value only if they are
    /// expected.
    pub fn of(&self, found: &[Output]) -> Expected {
        let mut all = Expected::from(found);
        if found.len() == 1 {
            all.0.truncate(self.0.len());
        }
        all
    }
}

impl From<&[Output]> for Expected {
    fn from(outputs: &[Output]) -> Expected {
        Expected(match outputs {
            [output] => vec![output.value, output.psqt, output.positional],
            heads => heads.iter().map(|head| head.value).collect(),
        })
    }
}

/// The text of the integers is as in a file of golden vectors.
impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let integers: Vec<String> = self.0.iter().map(i32::to_string).collect();
        f.write_str(&integers.join(" | "))
    }
}

/// Reads all vectors of a file, at least one; `-` is standard input.
///
/// # Errors
///
/// The file cannot be read, or has no vectors, or a line is no vector.
pub fn read(path: &Path) -> Result<Vec<Vector>, Error> {
    vectors(Lines::open(path)?)
}

fn vectors(lines: Lines) -> Result<Vec<Vector>, Error> {
    lines.all("golden vectors", vector)
}

fn vector(line: &str) -> Result<Vector, String> {
    let integer = |text: &str| {
        text.parse::<i32>()
            .map_err(|_| format!("found `{}`, expected an integer of 32 bits", foreign(text)))
    };
    let fields: Vec<&str> = line.split('|').map(str::trim).collect();
    let (fen, integers) = match &*fields {
        [fen, integers @ ..] if matches!(integers.len(), 1 | 3) => (fen, integers),
        _ => {
            return Err(format!(
                "found {} fields, allowed are `FEN | value`, `FEN | value | psqt | positional` and `FEN | win | draw | loss`",
                fields.len()
            ));
        }
    };
    Ok(Vector {
        given: WrittenPosition::parse(fen).map_err(|error| error.to_string())?,
        expected: Expected(
            integers
                .iter()
                .map(|text| integer(text))
                .collect::<Result<_, _>>()?,
        ),
    })
}

/// Writes a vector as a line.
///
/// # Errors
///
/// The errors of the writer.
pub fn write(given: &WrittenPosition, outputs: &[Output], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{} | {}", given.fen, Expected::from(outputs))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINGS: &str = "4k3/8/8/8/8/8/8/4K3 w - - 0 1";

    fn read(text: String) -> Result<Vec<Vector>, Error> {
        vectors(Lines::of("a list".into(), Box::new(io::Cursor::new(text))))
    }

    #[test]
    fn both_forms_are_read_with_any_line_ends() {
        let text = format!("# made by hand\r\n\r\n{KINGS} | -7\r\n  {KINGS}|3 | 1|-2");
        let read = read(text).unwrap();
        let expected: [&[i32]; 2] = [&[-7], &[3, 1, -2]];
        assert_eq!(read.len(), 2);
        for (vector, expected) in read.iter().zip(expected) {
            assert_eq!(vector.given.fen, KINGS);
            assert_eq!(vector.expected.0, expected);
        }
    }

    #[test]
    fn what_is_wrong_is_supplied_with_its_line() {
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
            let message = read(text).unwrap_err().to_string();
            let start = format!("line {line} of a list: {words}");
            assert!(message.starts_with(&start), "{message}");
        }
        let message = read("# nothing\n".into()).unwrap_err().to_string();
        assert_eq!(message, "a list has no golden vectors");
    }

    fn output(psqt: i32, positional: i32, value: i32) -> Output {
        Output {
            psqt,
            positional,
            value,
        }
    }

    #[test]
    fn parts_are_compared_where_they_are_expected() {
        let whole = Expected::from(&[output(1, 2, 3)][..]);
        assert!(whole.is(&[output(1, 2, 3)]));
        for other in [output(0, 2, 3), output(1, 0, 3), output(1, 2, 0)] {
            assert!(!whole.is(&[other]));
        }
        let value = Expected(vec![3]);
        assert!(value.is(&[output(8, 9, 3)]) && !value.is(&[output(1, 2, 4)]));
    }

    #[test]
    fn of_three_heads_all_values_are_compared() {
        let heads = [output(1, 2, 3), output(4, 5, 6), output(7, 8, 9)];
        let expected = Expected::from(&heads[..]);
        assert_eq!(expected.to_string(), "3 | 6 | 9");
        assert!(expected.is(&heads));
        for head in 0..3 {
            let mut others = heads;
            others[head].value += 1;
            assert!(!expected.is(&others));
        }
        // A single value is not enough for three heads; three integers are the parts of a single
        // value.
        assert!(!Expected(vec![3]).is(&heads));
        assert!(!expected.is(&[output(3, 6, 9)]));
    }

    #[test]
    fn what_is_written_is_read() {
        let outputs = [output(i32::MIN, i32::MAX, -1)];
        let given = WrittenPosition::parse(KINGS).unwrap();
        let mut text = Vec::new();
        write(&given, &outputs, &mut text).unwrap();
        let [vector] = &*read(String::from_utf8(text).unwrap()).unwrap() else {
            panic!("one line");
        };
        assert_eq!(
            (&vector.given, &vector.expected),
            (&given, &Expected::from(&outputs[..]))
        );
    }
}
