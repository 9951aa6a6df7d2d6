//! `quantmoid4`, a sigmoid made of two parabolas, whose results are 0 to 126: `y = (127 - min(|x|,
//! 127))^2 >> 8`, then the result is `y` for negative `x` and `126 - y` for others. It exists for
//! integers only.

use super::Activation;
use super::activation::{
    CheckedParameters, DefaultLimit, DefaultOne, Definition, Function, IntegerForm, ShiftedValue,
    shifted_right,
};

pub(super) const DEFINITION: Definition = Definition {
    name: "quantmoid4",
    integers: Some(IntegerForm {
        shifts: ShiftedValue::Value,
        most_left: 0,
        one: DefaultOne::Fixed,
        limit: DefaultLimit::OfFunction,
        rounds: false,
        function,
    }),
    floats: None,
};

/// The activation `quantmoid4` of `x >> shift`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantmoid4 {
    /// The number of bits that are shifted out to the right.
    pub shift: u32,
}

fn function(checked: &CheckedParameters) -> (Activation, (i64, i64)) {
    let shift = checked.shift.unsigned_abs();
    (Activation::Quantmoid4(Quantmoid4 { shift }), (0, 126))
}

impl Function for Quantmoid4 {
    fn name(&self) -> &'static str {
        "quantmoid4"
    }

    fn parameters(&self) -> Vec<(&'static str, u32)> {
        vec![("shift", self.shift)]
    }

    fn formula(&self) -> String {
        format!("quantmoid4({})", shifted_right("x", self.shift))
    }
}
