//! Elementwise functions of a layer's values.

use nnue_compiler::network::Slice;
use nnue_compiler::operation::{
    Activation, OpName, Quantmoid4, Relu, ReluLeft, Screlu, SqrCrelu, SqrCreluI32,
};

use super::tensors::Tensors;
use crate::fixed_point::shifted;
use crate::transformer::quantmoid4;
use crate::weights::Values;

/// The values of a function for all values of a slice.
pub(super) fn compute(function: Activation, tensors: &Tensors, slice: Slice) -> Values {
    let of_integers = |function: &dyn Fn(i64) -> i64| {
        let values = tensors.integers(slice).iter();
        Values::Integers(values.map(|x| function(*x)).collect())
    };
    let of_floats = |function: &dyn Fn(f32) -> f32| {
        let values = tensors.floats(slice).iter();
        Values::Floats(values.map(|x| function(*x)).collect())
    };
    match function {
        Activation::Relu(Relu { shift, limit }) => {
            of_integers(&|x| (x >> shift).clamp(0, i64::from(limit)))
        }
        Activation::ReluLeft(ReluLeft { shift, limit }) => {
            of_integers(&|x| (x * (1 << shift)).clamp(0, i64::from(limit)))
        }
        Activation::SqrCreluI32(SqrCreluI32 { shift, limit }) => of_integers(&|x| {
            // The lower 32 bits of the square, as an integer with a sign.
            let square = i64::from((x * x) as i32);
            (square >> shift).min(i64::from(limit))
        }),
        Activation::SqrCrelu(SqrCrelu { shift, limit }) => {
            of_integers(&|x| ((x * x) >> shift).min(i64::from(limit)))
        }
        Activation::Screlu(Screlu {
            shift,
            rounding,
            limit,
        }) => of_integers(&|x| {
            let clipped = x.clamp(0, i64::from(limit));
            shifted(clipped * clipped, shift, rounding)
        }),
        Activation::Quantmoid4(Quantmoid4 { shift }) => of_integers(&|x| quantmoid4(x >> shift)),
        Activation::Float(OpName::Crelu) => of_floats(&clipped),
        Activation::Float(OpName::Screlu) => of_floats(&|x| clipped(x) * clipped(x)),
        Activation::Float(OpName::SqrCrelu) => of_floats(&|x| clipped(x * x)),
        Activation::Float(OpName::Relu) => of_floats(&|x| if x > 0.0 { x } else { 0.0 }),
        Activation::Float(OpName::Sigmoid) => of_floats(&sigmoid),
        Activation::Float(OpName::Sqr) => of_floats(&|x| x * x),
        Activation::Float(OpName::SqrRelu) => of_floats(&|x| if x > 0.0 { x * x } else { 0.0 }),
        Activation::Float(OpName::SqrNegative) => of_floats(&|x| if x < 0.0 { x * x } else { 0.0 }),
        Activation::Float(OpName::HardSwish) => of_floats(&hard_swish),
        // Every operation of the language has a spec that tests its loop here.
        other => unimplemented!("the interpreter has no loop for `{}`", other.name()),
    }
}

/// `clamp(x, 0, 1)`. A NaN becomes 0.
fn clipped(x: f32) -> f32 {
    let positive = if x > 0.0 { x } else { 0.0 };
    if positive < 1.0 { positive } else { 1.0 }
}

/// `(x * clamp(x + 3, 0, 6)) * (1 / 6)`. A NaN remains a NaN.
fn hard_swish(x: f32) -> f32 {
    (x * (x + 3.0).clamp(0.0, 6.0)) * (1.0 / 6.0)
}

/// `1 / (1 + exp(-x))`, within 3 units in the last place.
///
/// Different libraries have an `exp` with different last bits, so the language defines how it is
/// computed: in `f32`, with each operation rounded to the nearest number. For `x` between -87 and
/// 87, `k` is the integer nearest to `x / ln 2`, and
///
/// ```text
/// exp(x) = 2^k * (1 + r + r^2 / 2! + ... + r^7 / 7!)     r = x - k * ln 2
/// ```
fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

fn exp(x: f32) -> f32 {
    // `f32::max` and `f32::min` would leave open what becomes of a NaN. Here it becomes -87.
    let x = if x > -87.0 { x } else { -87.0 };
    let x = if x < 87.0 { x } else { 87.0 };
    let k = (x * std::f32::consts::LOG2_E).round_ties_even();
    // ln 2 is the sum of two parts. The first has few digits, so that its product with `k` is
    // exact.
    let r = x - k * (355.0 / 512.0) - k * -2.121_944_4e-4;
    // By Horner's rule, from the last term to the first.
    let factorials = [5040.0, 720.0, 120.0, 24.0, 6.0, 2.0, 1.0, 1.0];
    let series = factorials.map(|factorial: f32| 1.0 / factorial);
    let series = series.into_iter().reduce(|sum, term| sum * r + term);
    // A power of two with an exponent from -126 to 126 is exact.
    series.unwrap_or(1.0) * f32::from_bits(((k as i32 + 127) as u32) << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sigmoid_is_close_to_the_exact_one() {
        for step in -8000..8000 {
            let x = step as f32 / 100.0;
            let exact = 1.0 / (1.0 + (-f64::from(x)).exp());
            let error = (f64::from(sigmoid(x)) - exact).abs();
            let unit = f64::from(f32::EPSILON) / 2.0 * exact;
            assert!(error <= 3.0 * unit, "{x}: {} {exact}", sigmoid(x));
        }
        assert_eq!(sigmoid(f32::INFINITY), 1.0);
    }

    /// The numbers of the formula in `f32`, operation by operation: another order of the operations
    /// has other last bits.
    #[test]
    fn hard_swish_is_the_formula_to_the_last_bit() {
        let bits = [0.1, -0.1, 2.3, -2.9, 5.0, -4.0].map(|x| hard_swish(x).to_bits());
        let expected = [
            0x3D53_A06E,
            0xBD45_F92E,
            0x4002_06D4,
            0xBD45_F920,
            0x40A0_0000,
            0x8000_0000,
        ];
        assert_eq!(bits, expected);
    }

    #[test]
    fn what_is_no_number_is_clipped_to_0() {
        assert_eq!(
            [f32::NAN, -0.5, 0.25, 2.0].map(clipped),
            [0.0, 0.0, 0.25, 1.0]
        );
    }
}
