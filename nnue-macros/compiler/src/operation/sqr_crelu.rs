//! `sqr_crelu`: square, then clip. `min(x * x >> shift, limit)`, where `limit` is the integer that
//! stands for 1.0 in the result unless the spec gives another.

use super::Activation;
use super::activation::{
    CheckedParameters, DefaultLimit, DefaultOne, Definition, FloatForm, Function, IntegerForm,
    ShiftedValue, shifted_right,
};

pub(super) const DEFINITION: Definition = Definition {
    name: "sqr_crelu",
    integers: Some(IntegerForm {
        shifts: ShiftedValue::Square,
        most_left: 0,
        one: DefaultOne::Usual,
        limit: DefaultLimit::One,
        rounds: false,
        function,
    }),
    floats: Some(FloatForm {
        function: "sqr_crelu_f32",
        formula: "min(x * x, 1)",
    }),
};

/// `min(x * x >> shift, limit)`, where the product is exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SqrCrelu {
    /// The number of bits that are shifted out to the right.
    pub shift: u32,
    /// The largest result, at least 1.
    pub limit: u32,
}

fn function(checked: &CheckedParameters) -> (Activation, (i64, i64)) {
    let (shift, limit) = (checked.shift.unsigned_abs(), checked.limit);
    let activation = Activation::SqrCrelu(SqrCrelu { shift, limit });
    (activation, (0, limit.into()))
}

impl Function for SqrCrelu {
    fn name(&self) -> &'static str {
        "sqr_crelu"
    }

    fn parameters(&self) -> Vec<(&'static str, u32)> {
        vec![("shift", self.shift), ("limit", self.limit)]
    }

    fn formula(&self) -> String {
        format!(
            "min({}, {})",
            shifted_right("x * x", self.shift),
            self.limit
        )
    }
}
