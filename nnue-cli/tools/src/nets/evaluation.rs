//! Evaluations of positions by interpreted networks.

mod interpreted;

use nnue_runtime::{Color, HeadValue, Output};
use serde::{Serialize, Serializer};

pub use self::interpreted::{Interpreted, told_features};

/// The outputs of a network for a position. All values are from the view of the side to move.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evaluation {
    /// The side to move: `white` or `black`.
    #[serde(serialize_with = "color")]
    pub side_to_move: Color,
    /// The bucket that the position chooses, from 0; `None` where the engine has to choose it.
    pub bucket: Option<usize>,
    /// The outputs of the layers of all buckets, from the first bucket.
    pub outputs: Vec<BucketOutput>,
}

/// The output of the layers of a bucket.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BucketOutput {
    /// The evaluation.
    #[serde(flatten)]
    pub answer: Answer,
    /// The values of further heads by their names, in the order of the spec.
    #[serde(serialize_with = "heads", skip_serializing_if = "Vec::is_empty")]
    pub heads: Vec<(String, HeadValue)>,
}

/// An evaluation: a sum, or the sums of win, draw and loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// The evaluation of a network with a single value.
    Value(Sums),
    /// The evaluation of a network of win, draw and loss.
    Wdl {
        /// The evidence for a win.
        win: Sums,
        /// The evidence for a draw.
        draw: Sums,
        /// The evidence for a loss.
        loss: Sums,
    },
}

/// A value and its two parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Sums {
    /// The PSQT part, in the network's units.
    pub psqt: i32,
    /// The part of the layers, in the network's units.
    pub positional: i32,
    /// The value in the engine's units.
    pub value: i32,
}

/// The value of an evaluation, or the values of win, draw and loss, in the engine's units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// The value of a network with a single value.
    One(i32),
    /// The values of a network of win, draw and loss.
    Wdl {
        /// The evidence for a win.
        win: i32,
        /// The evidence for a draw.
        draw: i32,
        /// The evidence for a loss.
        loss: i32,
    },
}

impl Evaluation {
    /// The output of the bucket that the position chooses.
    #[must_use]
    pub fn chosen(&self) -> Option<&BucketOutput> {
        self.outputs.get(self.bucket?)
    }

    /// The value of the position for the side to move.
    #[must_use]
    pub fn value(&self) -> Option<Value> {
        Some(match self.chosen()?.answer {
            Answer::Value(sums) => Value::One(sums.value),
            Answer::Wdl { win, draw, loss } => Value::Wdl {
                win: win.value,
                draw: draw.value,
                loss: loss.value,
            },
        })
    }

    /// The value of the position for white, if the network has a single value.
    #[must_use]
    pub fn white_value(&self) -> Option<i32> {
        match (self.value()?, self.side_to_move) {
            (Value::One(value), Color::White) => Some(value),
            (Value::One(value), Color::Black) => Some(value.wrapping_neg()),
            (Value::Wdl { .. }, _) => None,
        }
    }
}

impl BucketOutput {
    /// The sums of the evaluation: a single sum, or those of win, draw and loss in this order.
    #[must_use]
    pub fn sums(&self) -> Vec<Sums> {
        match self.answer {
            Answer::Value(sums) => vec![sums],
            Answer::Wdl { win, draw, loss } => vec![win, draw, loss],
        }
    }
}

impl From<Output> for Sums {
    fn from(output: Output) -> Sums {
        let Output {
            psqt,
            positional,
            value,
        } = output;
        Sums {
            psqt,
            positional,
            value,
        }
    }
}

impl From<nnue_interpreter::Evaluation> for Answer {
    fn from(evaluation: nnue_interpreter::Evaluation) -> Answer {
        match evaluation {
            nnue_interpreter::Evaluation::Value(output) => Answer::Value(output.into()),
            nnue_interpreter::Evaluation::Wdl(wdl) => Answer::Wdl {
                win: wdl.win.into(),
                draw: wdl.draw.into(),
                loss: wdl.loss.into(),
            },
        }
    }
}

fn color<S: Serializer>(color: &Color, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(color)
}

fn heads<S: Serializer>(heads: &[(String, HeadValue)], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    #[serde(untagged)]
    enum Number {
        Integer(i32),
        Float(f32),
    }
    serializer.collect_map(heads.iter().map(|(name, value)| {
        let value = match *value {
            HeadValue::Integer(value) => Number::Integer(value),
            HeadValue::Float(value) => Number::Float(value),
        };
        (name, value)
    }))
}
