//! `relu`, the rectifier: `clamp(x >> shift, 0, limit)`, where `limit` is 127 unless the spec gives
//! it; for `f32`, `max(x, 0)`.

use super::Activation;
use super::activation::{
    CheckedParameters, DefaultLimit, DefaultOne, Definition, FloatForm, Function, IntegerForm,
    MOST_LEFT, ShiftedValue, shifted_right,
};

pub(super) const DEFINITION: Definition = Definition {
    name: "relu",
    integers: Some(IntegerForm {
        shifts: ShiftedValue::Value,
        most_left: MOST_LEFT,
        one: DefaultOne::Shifted,
        limit: DefaultLimit::Usual,
        rounds: false,
        function,
    }),
    floats: Some(FloatForm {
        function: "relu_f32",
        formula: "max(x, 0)",
    }),
};

/// `clamp(x >> shift, 0, limit)`, where the shift rounds down. The limit of a `crelu` is its `one`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relu {
    /// The number of bits that are shifted out to the right.
    pub shift: u32,
    /// The largest result, at least 1.
    pub limit: u32,
}

/// `clamp(x << shift, 0, limit)`, where no bits are lost in the shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReluLeft {
    /// The number of bits that are shifted in from the right, 1 to 16.
    pub shift: u32,
    /// The largest result, at least 1.
    pub limit: u32,
}

pub(super) fn function(checked: &CheckedParameters) -> (Activation, (i64, i64)) {
    let (shift, limit) = (checked.shift.unsigned_abs(), checked.limit);
    let activation = match checked.shift {
        0.. => Activation::Relu(Relu { shift, limit }),
        _ => Activation::ReluLeft(ReluLeft { shift, limit }),
    };
    (activation, (0, limit.into()))
}

impl Function for Relu {
    fn name(&self) -> &'static str {
        "relu"
    }

    fn parameters(&self) -> Vec<(&'static str, u32)> {
        vec![("shift", self.shift), ("limit", self.limit)]
    }

    fn formula(&self) -> String {
        format!(
            "clamp({}, 0, {})",
            shifted_right("x", self.shift),
            self.limit
        )
    }
}

impl Function for ReluLeft {
    fn name(&self) -> &'static str {
        "relu_left"
    }

    fn parameters(&self) -> Vec<(&'static str, u32)> {
        vec![("shift", self.shift), ("limit", self.limit)]
    }

    fn formula(&self) -> String {
        format!("clamp(x << {}, 0, {})", self.shift, self.limit)
    }
}
