//! `crelu`, the clipped rectifier: `clamp(x >> shift, 0, limit)`, where `limit` is the integer that
//! stands for 1.0 in the result unless the spec gives another.

use super::activation::{
    DefaultLimit, DefaultOne, Definition, MOST_LEFT, OfFloats, OfIntegers, Shifted,
};
use super::relu;

pub(super) const DEFINITION: Definition = Definition {
    name: "crelu",
    integers: Some(OfIntegers {
        shifts: Shifted::Value,
        most_left: MOST_LEFT,
        one: DefaultOne::Usual,
        limit: DefaultLimit::One,
        of: relu::of,
    }),
    floats: Some(OfFloats {
        function: "crelu_f32",
        formula: "clamp(x, 0, 1)",
    }),
};
