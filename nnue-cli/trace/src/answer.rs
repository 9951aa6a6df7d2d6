//! The answers of a network's program about positions.

use std::fmt;
use std::str::FromStr;

use nnue_runtime::__private::file::foreign;
use nnue_runtime::{Evaluated, HeadValue, Output};

/// The values of a network for a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The values after a full refresh.
    pub refreshed: Values,
    /// The values after an update from the position before; `None` if there are more changes than
    /// a [`Delta`](nnue_runtime::Delta) can have.
    pub along: Option<Values>,
}

/// The values of an evaluation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values {
    /// The value, or the values of win, draw and loss in this order.
    pub outputs: Vec<Output>,
    /// The values of further heads, in the order of the spec.
    pub heads: Vec<HeadValue>,
}

impl Values {
    /// The values of an evaluation of compiled code.
    pub fn of<E: Evaluated>(evaluation: &E) -> Values {
        Values {
            outputs: evaluation.outputs().into_iter().flatten().collect(),
            heads: (0..E::HEADS.len())
                .filter_map(|index| evaluation.head(index))
                .collect(),
        }
    }
}

/// Three numbers for each output, then a letter and a number for each head: `i` and the integer, or
/// `f` and the bits of the floating point.
impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let outputs = self.outputs.iter().map(|output| {
            let Output {
                psqt,
                positional,
                value,
            } = output;
            format!("{psqt} {positional} {value}")
        });
        let heads = self.heads.iter().map(|head| match head {
            HeadValue::Integer(value) => format!("i{value}"),
            HeadValue::Float(value) => format!("f{}", value.to_bits()),
        });
        f.write_str(&outputs.chain(heads).collect::<Vec<_>>().join(" "))
    }
}

impl FromStr for Values {
    type Err = ();

    fn from_str(words: &str) -> Result<Values, ()> {
        let mut numbers: Vec<i32> = Vec::new();
        let mut heads = Vec::new();
        for word in words.split(' ') {
            match word.split_at_checked(1) {
                Some(("i", value)) => {
                    heads.push(HeadValue::Integer(value.parse().map_err(|_| ())?));
                }
                Some(("f", bits)) => {
                    let bits = bits.parse().map_err(|_| ())?;
                    heads.push(HeadValue::Float(f32::from_bits(bits)));
                }
                _ => numbers.push(word.parse().map_err(|_| ())?),
            }
        }
        let (outputs, []) = numbers.as_chunks() else {
            return Err(());
        };
        let outputs = outputs.iter().map(|&[psqt, positional, value]| Output {
            psqt,
            positional,
            value,
        });
        Ok(Values {
            outputs: outputs.collect(),
            heads,
        })
    }
}

/// The text for a missing evaluation along the list.
const NOTHING: &str = "-";

/// The text between the two evaluations.
const BETWEEN: &str = " | ";

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let along = self
            .along
            .as_ref()
            .map_or(NOTHING.into(), Values::to_string);
        write!(f, "{}{BETWEEN}{along}", self.refreshed)
    }
}

impl FromStr for Answer {
    type Err = String;

    fn from_str(line: &str) -> Result<Answer, String> {
        let wrong = || format!("found the answer `{}`, expected values", foreign(line));
        let values = |words: &str| words.parse::<Values>().map_err(|()| wrong());
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
        let values = |outputs, heads| Values { outputs, heads };
        let heads = vec![HeadValue::Float(-0.1), HeadValue::Integer(-5)];
        for along in [
            None,
            Some(values(vec![output(3)], heads)),
            Some(values(vec![output(0); 3], Vec::new())),
        ] {
            let answer = Answer {
                refreshed: values(vec![output(7), output(-8)], vec![HeadValue::Integer(9)]),
                along,
            };
            assert_eq!(answer.to_string().parse(), Ok(answer));
        }
        for wrong in [
            "",
            "1 2 3",
            "1 2 | -",
            "1 2 x | -",
            "1 2 3 | 1 2",
            "1 2 3 i | -",
            "1 2 3 f- | -",
        ] {
            assert!(wrong.parse::<Answer>().is_err(), "{wrong}");
        }
    }
}
