//! `hard_swish`: `(x * clamp(x + 3, 0, 6)) * (1 / 6)`. It exists for `f32` only.

use super::activation::{Definition, FloatForm};

pub(super) const DEFINITION: Definition = Definition {
    name: "hard_swish",
    integers: None,
    floats: Some(FloatForm {
        function: "hard_swish_f32",
        formula: "(x * clamp(x + 3, 0, 6)) * (1 / 6)",
    }),
};
