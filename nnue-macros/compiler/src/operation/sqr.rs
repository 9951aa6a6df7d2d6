//! `sqr`: `x * x`. Only `f32` has it.

use super::activation::{Definition, OfFloats};

pub(super) const DEFINITION: Definition = Definition {
    name: "sqr",
    integers: None,
    floats: Some(OfFloats {
        function: "sqr_f32",
        formula: "x * x",
    }),
};
