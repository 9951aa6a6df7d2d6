//! `hard_swish`: `(x * clamp(x + 3, 0, 6)) * (1 / 6)`. Only `f32` has it.

use super::activation::{Definition, OfFloats};

pub(super) const DEFINITION: Definition = Definition {
    name: "hard_swish",
    integers: None,
    floats: Some(OfFloats {
        function: "hard_swish_f32",
        formula: "(x * clamp(x + 3, 0, 6)) * (1 / 6)",
    }),
};
