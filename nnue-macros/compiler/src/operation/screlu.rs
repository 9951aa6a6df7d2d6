//! `screlu`: clip, then square. `clamp(x, 0, limit)` squared, `>> shift`, where `limit` is the
//! integer that stands for 1.0 in `x`.

use super::Activation;
use super::activation::{
    CheckedParameters, DefaultLimit, DefaultOne, Definition, FloatForm, Function, IntegerForm,
    ShiftedValue, shifted_right,
};

pub(super) const DEFINITION: Definition = Definition {
    name: "screlu",
    integers: Some(IntegerForm {
        shifts: ShiftedValue::Square,
        most_left: 0,
        one: DefaultOne::Usual,
        limit: DefaultLimit::OfFunction,
        function,
    }),
    floats: Some(FloatForm {
        function: "screlu_f32",
        formula: "clamp(x, 0, 1) squared",
    }),
};

/// `clamp(x, 0, limit) * clamp(x, 0, limit) >> shift`, where the product is exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screlu {
    /// The number of bits that are shifted out to the right.
    pub shift: u32,
    /// The largest value before it is squared: the integer that stands for 1.0 in the input.
    pub limit: u32,
}

fn function(checked: &CheckedParameters) -> (Activation, (i64, i64)) {
    let (shift, limit) = (checked.shift.unsigned_abs(), checked.from);
    let largest = (u64::from(limit) * u64::from(limit)) >> shift;
    let activation = Activation::Screlu(Screlu { shift, limit });
    (activation, (0, i64::from(largest as u32)))
}

impl Function for Screlu {
    fn name(&self) -> &'static str {
        "screlu"
    }

    fn parameters(&self) -> Vec<(&'static str, u32)> {
        vec![("shift", self.shift), ("limit", self.limit)]
    }

    fn formula(&self) -> String {
        shifted_right(&format!("clamp(x, 0, {}) squared", self.limit), self.shift)
    }
}
