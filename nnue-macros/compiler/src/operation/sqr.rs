//! `sqr`: `x * x`. It exists for `f32` only.

use super::activation::{Definition, FloatForm};

pub(super) const DEFINITION: Definition = Definition {
    name: "sqr",
    integers: None,
    floats: Some(FloatForm {
        function: "sqr_f32",
        formula: "x * x",
    }),
};
