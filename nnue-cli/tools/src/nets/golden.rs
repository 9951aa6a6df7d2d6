//! Golden vectors: positions with the values that a network must compute.
//!
//! A line of text is `FEN | value`, or `FEN | value | psqt | positional`, with the integers of an
//! [`Output`](nnue_runtime::Output). For a network of win, draw and loss it is
//! `FEN | win | draw | loss`. Further heads follow as `| name = value`. In place of the FEN, a line
//! may have more: it is read as [`Given`]. Blank lines and lines that begin with `#` are skipped.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use nnue_compiler::format::foreign;
use nnue_compiler::network::{FurtherHead, Network, Units};
use nnue_runtime::HeadValue;
use nnue_trace::Values;

use crate::nets::Error;
use crate::nets::given::Given;
use crate::nets::positions::Lines;

/// A position with its expected values.
#[derive(Clone, Debug)]
pub struct Vector {
    /// The position, with a stack.
    pub given: Given,
    /// The expected values of the position.
    pub expected: Expected,
}

/// The values of a position, from the view of the side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// For a single head its value, perhaps with the PSQT part and the part of the layers; for
    /// three heads their values.
    integers: Vec<i32>,
    /// Names and values of further heads. A text of floating point stands for no other number.
    heads: Vec<(String, String)>,
}

impl Expected {
    /// All values of an evaluation.
    pub fn all(network: &Network, found: &Values) -> Expected {
        let names = network.output.further.iter().map(|head| head.name.clone());
        let values = found.heads.iter().map(|value| match value {
            HeadValue::Integer(value) => value.to_string(),
            HeadValue::Float(value) => value.to_string(),
        });
        Expected {
            integers: match found.outputs.as_slice() {
                [output] => vec![output.value, output.psqt, output.positional],
                heads => heads.iter().map(|head| head.value).collect(),
            },
            heads: names.zip(values).collect(),
        }
    }

    /// The values of an evaluation that are to be compared: the parts of a value and further heads
    /// only if they are expected.
    pub fn of(&self, network: &Network, found: &Values) -> Expected {
        let mut all = Expected::all(network, found);
        if found.outputs.len() == 1 {
            all.integers.truncate(self.integers.len());
        }
        let found = |name: &str| all.heads.iter().find(|(own, _)| own == name);
        let heads = self.heads.iter().filter_map(|(name, _)| found(name));
        let heads = heads.cloned().collect();
        Expected { heads, ..all }
    }
}

/// The text of the values is as in a file of golden vectors.
impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let integers = self.integers.iter().map(i32::to_string);
        let heads = self.heads.iter();
        let heads = heads.map(|(name, value)| format!("{name} = {value}"));
        let values: Vec<String> = integers.chain(heads).collect();
        f.write_str(&values.join(" | "))
    }
}

/// Reads all vectors of a file for a network, at least one; `-` is standard input.
///
/// # Errors
///
/// The file cannot be read, or has no vectors, or a line is no vector of the network.
pub fn read(path: &Path, network: &Network) -> Result<Vec<Vector>, Error> {
    vectors(Lines::open(path)?, network)
}

fn vectors(lines: Lines, network: &Network) -> Result<Vec<Vector>, Error> {
    lines.all("golden vectors", |line| vector(line, network))
}

fn vector(line: &str, network: &Network) -> Result<Vector, String> {
    let integer = |text: &&str| {
        text.parse::<i32>()
            .map_err(|_| format!("found `{}`, expected an integer of 32 bits", foreign(text)))
    };
    let fields: Vec<&str> = line.split('|').map(str::trim).collect();
    let heads = fields.iter().position(|field| field.contains('='));
    let (values, heads) = fields.split_at(heads.unwrap_or(fields.len()));
    let (fen, integers) = match values {
        [fen, integers @ ..] if matches!(integers.len(), 1 | 3) => (fen, integers),
        _ => {
            return Err(format!(
                "found {} fields, allowed are `FEN | value`, `FEN | value | psqt | positional` and `FEN | win | draw | loss`",
                values.len()
            ));
        }
    };
    let heads = heads.iter().map(|field| head(field, network));
    Ok(Vector {
        given: Given::with_stack(fen, network).map_err(|error| error.to_string())?,
        expected: Expected {
            integers: integers.iter().map(integer).collect::<Result<_, _>>()?,
            heads: heads.collect::<Result<_, _>>()?,
        },
    })
}

/// The name and the value of a further head, as [`Expected`] has them.
fn head(field: &str, network: &Network) -> Result<(String, String), String> {
    let found = foreign(field);
    let Some((name, value)) = field.split_once('=') else {
        return Err(format!(
            "found `{found}` behind a head, expected `name = value`"
        ));
    };
    let (name, value) = (name.trim_end(), value.trim_start());
    let further = &network.output.further;
    let Some(FurtherHead { units, .. }) = further.iter().find(|head| head.name == name) else {
        let names = further.iter().map(|head| format!("`{}`", head.name));
        let names = names.collect::<Vec<_>>().join(", ");
        let name = foreign(name);
        return Err(match further.len() {
            0 => format!("found the head `{name}`, but the network has no further heads"),
            _ => format!("found the head `{name}`, allowed are {names}"),
        });
    };
    let value = match units {
        Units::Float { .. } => value.parse::<f32>().map(|value| value.to_string()).ok(),
        _ => value.parse::<i32>().map(|value| value.to_string()).ok(),
    };
    match value {
        Some(value) => Ok((name.into(), value)),
        None => Err(format!("found `{found}`, expected a number of 32 bits")),
    }
}

/// Writes a vector as a line.
///
/// # Errors
///
/// The errors of the writer.
pub fn write(given: &Given, expected: &Expected, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{} | {expected}", given.text)
}

#[cfg(test)]
mod tests {
    use nnue_compiler::analyse;
    use nnue_compiler::diagnostics::SourceFile;

    use nnue_runtime::Output;

    use super::*;
    use crate::nets::specs::KnownSpec;

    const KINGS: &str = "4k3/8/8/8/8/8/8/4K3 w - - 0 1";

    fn small128() -> Network {
        KnownSpec::named("small128").unwrap().network().unwrap()
    }

    fn heads() -> Network {
        let spec = include_str!("../../../../tests/specs/layers/further_heads.toml");
        analyse(&SourceFile::new("spec", spec)).unwrap()
    }

    fn read(text: String, network: &Network) -> Result<Vec<Vector>, Error> {
        let lines = Box::new(io::Cursor::new(text));
        vectors(Lines::of("a list".into(), lines), network)
    }

    #[test]
    fn both_forms_are_read_with_any_line_ends() {
        let text = format!("# made by hand\r\n\r\n{KINGS} | -7\r\n  {KINGS}|3 | 1|-2");
        let read = read(text, &small128()).unwrap();
        let expected: [&[i32]; 2] = [&[-7], &[3, 1, -2]];
        assert_eq!(read.len(), 2);
        for (vector, expected) in read.iter().zip(expected) {
            assert_eq!(vector.given.text, KINGS);
            assert_eq!(vector.expected.integers, expected);
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
            (
                format!("{KINGS} | 1 | draw = 2"),
                1,
                "found the head `draw`, but the network has no further heads",
            ),
        ] {
            let message = read(text, &small128()).unwrap_err().to_string();
            let start = format!("line {line} of a list: {words}");
            assert!(message.starts_with(&start), "{message}");
        }
        for (fields, words) in [
            (
                "1 | draw = 2",
                "found the head `draw`, allowed are `uncertainty`, `mobility`",
            ),
            (
                "1 | uncertainty = 0.5",
                "found `uncertainty = 0.5`, expected a number of 32 bits",
            ),
            (
                "1 | mobility = 0.5 | 7",
                "found `7` behind a head, expected `name = value`",
            ),
            ("mobility = 0.5", "found 1 fields"),
        ] {
            let read = read(format!("{KINGS} | {fields}"), &heads());
            let message = read.unwrap_err().to_string();
            assert!(message.contains(words), "{message}");
        }
        let message = read("# nothing\n".into(), &small128())
            .unwrap_err()
            .to_string();
        assert_eq!(message, "a list has no golden vectors");
    }

    fn values(outputs: &[[i32; 3]]) -> Values {
        let outputs = outputs.iter().map(|&[psqt, positional, value]| Output {
            psqt,
            positional,
            value,
        });
        Values {
            outputs: outputs.collect(),
            heads: Vec::new(),
        }
    }

    #[test]
    fn parts_are_compared_where_they_are_expected() {
        let network = small128();
        let is = |expected: &Expected, found: [i32; 3]| {
            *expected == expected.of(&network, &values(&[found]))
        };
        let whole = Expected::all(&network, &values(&[[1, 2, 3]]));
        assert!(is(&whole, [1, 2, 3]));
        for other in [[0, 2, 3], [1, 0, 3], [1, 2, 0]] {
            assert!(!is(&whole, other));
        }
        let value = Expected {
            integers: vec![3],
            heads: Vec::new(),
        };
        assert!(is(&value, [8, 9, 3]) && !is(&value, [1, 2, 4]));
    }

    #[test]
    fn of_three_heads_all_values_are_compared() {
        let network = small128();
        let heads = [[1, 2, 3], [4, 5, 6], [7, 8, 9]];
        let expected = Expected::all(&network, &values(&heads));
        assert_eq!(expected.to_string(), "3 | 6 | 9");
        let is = |expected: &Expected, found: &[[i32; 3]]| {
            *expected == expected.of(&network, &values(found))
        };
        assert!(is(&expected, &heads));
        for head in 0..3 {
            let mut others = heads;
            others[head][2] += 1;
            assert!(!is(&expected, &others));
        }
        // A single value is not enough for three heads; three integers are the parts of a single
        // value.
        let single = Expected {
            integers: vec![3],
            heads: Vec::new(),
        };
        assert!(!is(&single, &heads));
        assert!(!is(&expected, &[[3, 6, 9]]));
    }

    #[test]
    fn what_is_written_is_read() {
        let network = heads();
        let mut found = values(&[[i32::MIN, i32::MAX, -1]]);
        found.heads = vec![HeadValue::Integer(-8), HeadValue::Float(0.1 + 0.2)];
        let expected = Expected::all(&network, &found);
        let given = Given::with_stack(KINGS, &network).unwrap();
        let mut text = Vec::new();
        write(&given, &expected, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(
            text.ends_with("| uncertainty = -8 | mobility = 0.3\n")
                || text.ends_with("| uncertainty = -8 | mobility = 0.30000001\n"),
            "{text}"
        );
        let [vector] = &*read(text, &network).unwrap() else {
            panic!("one line");
        };
        assert_eq!((&vector.given, &vector.expected), (&given, &expected));
        assert_eq!(expected.of(&network, &found), expected);
        // A head that differs is another value, and one that nobody expects is none.
        found.heads[0] = HeadValue::Integer(8);
        assert_ne!(expected.of(&network, &found), expected);
        let without = Expected {
            heads: Vec::new(),
            ..expected
        };
        assert_eq!(without.of(&network, &found), without);
    }
}
