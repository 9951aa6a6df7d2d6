//! `sqr_relu`: `max(x, 0)` squared. It exists for `f32` only.

use super::activation::{Definition, FloatForm};

pub(super) const DEFINITION: Definition = Definition {
    name: "sqr_relu",
    integers: None,
    floats: Some(FloatForm {
        function: "sqr_relu_f32",
        formula: "max(x, 0) squared",
    }),
};
