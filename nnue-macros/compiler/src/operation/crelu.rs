//! `crelu`, the clipped rectifier: `clamp(x >> shift, 0, limit)`, where `limit` is the integer that
//! stands for 1.0 in the result unless the spec gives another.

use super::activation::{
    DefaultLimit, DefaultOne, Definition, FloatForm, IntegerForm, MOST_LEFT, ShiftedValue,
};
use super::relu;

pub(super) const DEFINITION: Definition = Definition {
    name: "crelu",
    integers: Some(IntegerForm {
        shifts: ShiftedValue::Value,
        most_left: MOST_LEFT,
        one: DefaultOne::Usual,
        limit: DefaultLimit::One,
        rounds: false,
        function: relu::function,
    }),
    floats: Some(FloatForm {
        function: "crelu_f32",
        formula: "clamp(x, 0, 1)",
    }),
};
