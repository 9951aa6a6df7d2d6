//! Primitives for NEON with products of bytes with and without a sign: NEON, except for these,
//! which are one instruction.

use core::arch::asm;

pub use super::neon::*;
pub use super::neondot::{Block, Blocks, splat_block, splat_block_of};

/// Adds to each 32-bit lane of `sum` the four products of its bytes, wrapping. Exact for all
/// inputs.
#[inline]
#[target_feature(enable = "neon,i8mm")]
pub fn dot<const PLACE: i32>(mut sum: Dots, inputs: Block<PLACE>, weights: I8) -> Dots {
    // The intrinsic is not stable.
    // SAFETY: the instruction, of a feature that this function enables, changes the register of the
    // sum and nothing else.
    unsafe {
        asm!(
            "sudot {sum:v}.4s, {weights:v}.16b, {inputs:v}.4b[{place}]",
            sum = inout(vreg) sum,
            inputs = in(vreg) inputs.0,
            weights = in(vreg) weights,
            place = const PLACE,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    sum
}

/// [`dot`] of one block after the other.
#[inline]
#[target_feature(enable = "neon,i8mm")]
pub fn dot_two(sum: Dots, inputs: [Blocks; 2], weights: [I8; 2]) -> Dots {
    dot(dot(sum, inputs[0], weights[0]), inputs[1], weights[1])
}

/// The same as [`dot`], which is exact for all inputs.
#[inline]
#[target_feature(enable = "neon,i8mm")]
pub fn dot_wide<const PLACE: i32>(sum: Dots, inputs: Block<PLACE>, weights: I8) -> Dots {
    dot(sum, inputs, weights)
}

/// The sum of the products of a whole row, wrapping; `N` is a multiple of 32. Exact for all inputs.
#[inline]
#[target_feature(enable = "neon,i8mm")]
pub fn dot_row<const N: usize>(inputs: &[u8; N], weights: &[i8; N]) -> i32 {
    super::neon::sum_row(inputs, weights, |sum, inputs, weights| {
        usdot(sum, inputs, weights)
    })
}

/// The same as [`dot_row`], which is exact for all inputs.
#[inline]
#[target_feature(enable = "neon,i8mm")]
pub fn dot_row_wide<const N: usize>(inputs: &[u8; N], weights: &[i8; N]) -> i32 {
    dot_row(inputs, weights)
}

/// The instruction, whose intrinsic is not stable.
#[inline]
#[target_feature(enable = "neon,i8mm")]
fn usdot(mut sum: I32, inputs: U8, weights: I8) -> I32 {
    // SAFETY: as in `dot`.
    unsafe {
        asm!(
            "usdot {sum:v}.4s, {inputs:v}.16b, {weights:v}.16b",
            sum = inout(vreg) sum,
            inputs = in(vreg) inputs,
            weights = in(vreg) weights,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    sum
}
