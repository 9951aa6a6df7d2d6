//! Primitives for NEON with products of signed bytes: NEON but for these, which are one
//! instruction.

use core::arch::aarch64::*;
use core::arch::asm;

pub use super::neon::*;

/// Adds to each 32-bit lane of `sum` the four products of its bytes, wrapping. Exact for inputs in
/// `0..=127`, which are the same with a sign and without.
#[inline]
#[target_feature(enable = "neon,dotprod")]
pub fn dot(sum: Dots, inputs: Blocks, weights: I8) -> Dots {
    sdot(sum, vreinterpretq_s8_u8(inputs), weights)
}

/// [`dot`], exact for all inputs: they are 128 less with a sign, and 128 times a weight is twice 64
/// times.
#[inline]
#[target_feature(enable = "neon,dotprod")]
pub fn dot_wide(sum: Dots, inputs: Blocks, weights: I8) -> Dots {
    let less = vreinterpretq_s8_u8(veorq_u8(inputs, vdupq_n_u8(0x80)));
    let half = vdupq_n_s8(64);
    sdot(sdot(sdot(sum, less, weights), half, weights), half, weights)
}

/// The sum of the products of a whole row, wrapping; `N` is a multiple of 32. Exact for inputs in
/// `0..=127`.
#[inline]
#[target_feature(enable = "neon,dotprod")]
pub fn dot_row<const N: usize>(inputs: &[u8; N], weights: &[i8; N]) -> i32 {
    super::neon::sum_row(inputs, weights, |sum, inputs, weights| {
        dot(sum, inputs, weights)
    })
}

/// [`dot_row`], exact for all inputs.
#[inline]
#[target_feature(enable = "neon,dotprod")]
pub fn dot_row_wide<const N: usize>(inputs: &[u8; N], weights: &[i8; N]) -> i32 {
    super::neon::sum_row(inputs, weights, |sum, inputs, weights| {
        dot_wide(sum, inputs, weights)
    })
}

/// The instruction, whose intrinsic is not stable.
#[inline]
#[target_feature(enable = "neon,dotprod")]
fn sdot(mut sum: I32, a: I8, b: I8) -> I32 {
    // SAFETY: the instruction, of a feature that this function enables, changes the register of the
    // sum and nothing else.
    unsafe {
        asm!(
            "sdot {sum:v}.4s, {a:v}.16b, {b:v}.16b",
            sum = inout(vreg) sum,
            a = in(vreg) a,
            b = in(vreg) b,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    sum
}
