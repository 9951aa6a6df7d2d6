//! `sigmoid`: `1 / (1 + exp(-x))`, as the runtime computes it. It exists for `f32` only.

use super::activation::{Definition, FloatForm};

pub(super) const DEFINITION: Definition = Definition {
    name: "sigmoid",
    integers: None,
    floats: Some(FloatForm {
        function: "sigmoid_f32",
        formula: "1 / (1 + exp(-x))",
    }),
};
