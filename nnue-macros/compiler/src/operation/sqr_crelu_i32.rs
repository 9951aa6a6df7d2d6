//! `sqr_crelu_i32`: [`sqr_crelu`](super::sqr_crelu) with a square that wraps around in 32 bits,
//! which makes some results negative. It exists for integers only.

use super::Activation;
use super::activation::{
    CheckedParameters, DefaultLimit, DefaultOne, Definition, Function, IntegerForm, ShiftedValue,
    shifted_right,
};

pub(super) const DEFINITION: Definition = Definition {
    name: "sqr_crelu_i32",
    integers: Some(IntegerForm {
        shifts: ShiftedValue::WrappedSquare,
        most_left: 0,
        one: DefaultOne::Usual,
        limit: DefaultLimit::One,
        rounds: false,
        function,
    }),
    floats: None,
};

/// `min(x * x >> shift, limit)`, where the product wraps around in 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SqrCreluI32 {
    /// The number of bits that are shifted out to the right.
    pub shift: u32,
    /// The largest result, at least 1.
    pub limit: u32,
}

fn function(checked: &CheckedParameters) -> (Activation, (i64, i64)) {
    let (shift, limit) = (checked.shift.unsigned_abs(), checked.limit);
    let activation = Activation::SqrCreluI32(SqrCreluI32 { shift, limit });
    (activation, (i64::from(i32::MIN >> shift), limit.into()))
}

impl Function for SqrCreluI32 {
    fn name(&self) -> &'static str {
        "sqr_crelu_i32"
    }

    fn parameters(&self) -> Vec<(&'static str, u32)> {
        vec![("shift", self.shift), ("limit", self.limit)]
    }

    fn formula(&self) -> String {
        let square = shifted_right("(x * x in 32 bits)", self.shift);
        format!("min({square}, {})", self.limit)
    }
}
