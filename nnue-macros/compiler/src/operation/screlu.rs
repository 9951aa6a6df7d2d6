//! `screlu`: clip, then square. `clamp(x, 0, limit)` squared, `>> shift`, rounded as the spec says,
//! where `limit` is the integer that stands for 1.0 in `x`.

use super::Activation;
use super::activation::{
    CheckedParameters, DefaultLimit, DefaultOne, Definition, FloatForm, Function, IntegerForm,
    ShiftedValue, rounded,
};
use super::pooling::ProductRounding;

pub(super) const DEFINITION: Definition = Definition {
    name: "screlu",
    integers: Some(IntegerForm {
        shifts: ShiftedValue::Square,
        most_left: 0,
        one: DefaultOne::Usual,
        limit: DefaultLimit::OfFunction,
        rounds: true,
        function,
    }),
    floats: Some(FloatForm {
        function: "screlu_f32",
        formula: "clamp(x, 0, 1) squared",
    }),
};

/// `clamp(x, 0, limit) * clamp(x, 0, limit) >> shift`, where the product is exact, and is rounded
/// once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screlu {
    /// The number of bits that are shifted out to the right.
    pub shift: u32,
    /// How the shift rounds.
    pub rounding: ProductRounding,
    /// The largest value before it is squared: the integer that stands for 1.0 in the input.
    pub limit: u32,
}

fn function(checked: &CheckedParameters) -> (Activation, (i64, i64)) {
    let (shift, limit) = (checked.shift.unsigned_abs(), checked.from);
    let rounding = checked.rounding;
    let square = u64::from(limit) * u64::from(limit);
    let largest = (square + u64::from(rounding.summand(shift))) >> shift;
    let activation = Activation::Screlu(Screlu {
        shift,
        rounding,
        limit,
    });
    (activation, (0, i64::from(largest as u32)))
}

impl Function for Screlu {
    fn name(&self) -> &'static str {
        "screlu"
    }

    fn parameters(&self) -> Vec<(&'static str, u32)> {
        let summand = self.rounding.summand(self.shift);
        vec![
            ("summand", summand),
            ("shift", self.shift),
            ("limit", self.limit),
        ]
    }

    fn formula(&self) -> String {
        let squared = format!("clamp(x, 0, {}) squared", self.limit);
        rounded(&squared, self.shift, self.rounding)
    }
}
