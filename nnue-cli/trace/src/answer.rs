//! The answers of a network's program about positions.

use std::fmt;
use std::str::FromStr;

use nnue_runtime::__private::file::foreign;
use nnue_runtime::Output;

/// The outputs of a network for a position: its value, or the values of win, draw and loss in this
/// order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The outputs after a full refresh.
    pub refreshed: Vec<Output>,
    /// The outputs after an update from the position before; `None` if there are more changes than
    /// a [`Delta`](nnue_runtime::Delta) can have.
    pub along: Option<Vec<Output>>,
}

/// The text for a missing evaluation along the list.
const NOTHING: &str = "-";

/// The text between the two evaluations.
const BETWEEN: &str = " | ";

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = |values: &[Output]| {
            let words = values.iter().map(|output| {
                let Output {
                    psqt,
                    positional,
                    value,
                } = output;
                format!("{psqt} {positional} {value}")
            });
            words.collect::<Vec<_>>().join(" ")
        };
        let along = self.along.as_deref().map_or(NOTHING.into(), words);
        write!(f, "{}{BETWEEN}{along}", words(&self.refreshed))
    }
}

impl FromStr for Answer {
    type Err = String;

    fn from_str(line: &str) -> Result<Answer, String> {
        let wrong = || format!("found the answer `{}`, expected values", foreign(line));
        let values = |words: &str| -> Result<Vec<Output>, String> {
            let numbers = words.split(' ').map(str::parse);
            let numbers: Vec<i32> = numbers.collect::<Result<_, _>>().map_err(|_| wrong())?;
            let (outputs, []) = numbers.as_chunks() else {
                return Err(wrong());
            };
            let outputs = outputs.iter().map(|&[psqt, positional, value]| Output {
                psqt,
                positional,
                value,
            });
            Ok(outputs.collect())
        };
        let (refreshed, along) = line.split_once(BETWEEN).ok_or_else(wrong)?;
        Ok(Answer {
            refreshed: values(refreshed)?,
            along: match along {
                NOTHING => None,
                words => Some(values(words)?),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_understood() {
        let output = |number| Output {
            psqt: number,
            positional: -number,
            value: i32::MIN,
        };
        for along in [None, Some(vec![output(3)]), Some(vec![output(0); 3])] {
            let answer = Answer {
                refreshed: vec![output(7), output(-8)],
                along,
            };
            assert_eq!(answer.to_string().parse(), Ok(answer));
        }
        for wrong in ["", "1 2 3", "1 2 | -", "1 2 x | -", "1 2 3 | 1 2"] {
            assert!(wrong.parse::<Answer>().is_err(), "{wrong}");
        }
    }
}
