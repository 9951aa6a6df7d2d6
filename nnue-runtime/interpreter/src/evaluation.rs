//! The evaluation of a position, and the values that are computed on the way.

use core::fmt;

use nnue_runtime::{HeadValue, Output, Wdl};

use crate::weights::Values;

/// The evaluation of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evaluation {
    /// The value of a spec whose `[output]` has a `sum`.
    Value(Output),
    /// The values of a spec whose `[output]` has `win`, `draw` and `loss`.
    Wdl(Wdl),
}

impl Evaluation {
    /// The value in the engine's units; `None` where there are values of win, draw and loss.
    #[must_use]
    pub fn value(&self) -> Option<i32> {
        match self {
            Evaluation::Value(output) => Some(output.value),
            Evaluation::Wdl(_) => None,
        }
    }

    /// The value, or the values of win, draw and loss in this order.
    #[must_use]
    pub fn outputs(&self) -> Vec<Output> {
        match *self {
            Evaluation::Value(output) => vec![output],
            Evaluation::Wdl(Wdl { win, draw, loss }) => vec![win, draw, loss],
        }
    }
}

/// The value, or `win W, draw D, loss L`, in the engine's units.
impl fmt::Display for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Evaluation::Value(output) => output.value.fmt(f),
            Evaluation::Wdl(Wdl { win, draw, loss }) => {
                let [win, draw, loss] = [win.value, draw.value, loss.value];
                write!(f, "win {win}, draw {draw}, loss {loss}")
            }
        }
    }
}

impl From<Output> for Evaluation {
    fn from(output: Output) -> Evaluation {
        Evaluation::Value(output)
    }
}

impl From<Wdl> for Evaluation {
    fn from(wdl: Wdl) -> Evaluation {
        Evaluation::Wdl(wdl)
    }
}

/// An evaluation, with every tensor on the way from the accumulators.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// The values that the layers read: the network's `transformer.output`.
    pub transformer: Values,
    /// The sums of neurons that are not pooled, which the layers read: the network's
    /// `transformer.unpooled`. Empty where there are none.
    pub unpooled: Values,
    /// The PSQT sums that the layers read: the network's `transformer.psqt_sums`. Empty where the
    /// layers read none.
    pub psqt: Values,
    /// The outputs of the network's `layers`, in their order.
    pub layers: Vec<Values>,
    /// The evaluation that follows from these values.
    pub evaluation: Evaluation,
    /// The values of the further heads, in the order of the spec.
    pub heads: Vec<HeadValue>,
}
