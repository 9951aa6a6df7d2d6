//! `sqr_negative`: `min(x, 0)` squared. It exists for `f32` only.

use super::activation::{Definition, FloatForm};

pub(super) const DEFINITION: Definition = Definition {
    name: "sqr_negative",
    integers: None,
    floats: Some(FloatForm {
        function: "sqr_negative_f32",
        formula: "min(x, 0) squared",
    }),
};
