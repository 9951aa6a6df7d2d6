//! Primitives for NEON with products of signed bytes: NEON, except for these, which are one
//! instruction.

use core::arch::aarch64::*;
use core::arch::asm;

pub use super::neon::*;
use crate::buffer::chunk;

/// A block of four unsigned bytes, at a place among the four of a vector: the instruction that
/// multiplies it repeats it.
#[derive(Clone, Copy)]
pub struct Block<const PLACE: i32>(pub(super) U8);

/// A block of four unsigned bytes.
pub type Blocks = Block<0>;

/// The four bytes.
#[inline]
#[target_feature(enable = "neon,dotprod")]
pub fn splat_block(block: &[u8; 4]) -> Blocks {
    let zeros = vdupq_n_u32(0);
    let block = vsetq_lane_u32::<0>(u32::from_le_bytes(*block), zeros);
    Block(vreinterpretq_u8_u32(block))
}

/// The block at a place among four.
#[inline]
#[target_feature(enable = "neon,dotprod")]
pub fn splat_block_of<const PLACE: i32>(blocks: &[[u8; 4]; 4]) -> Block<PLACE> {
    Block(load_u8(chunk(blocks.as_flattened(), 0)))
}

/// Adds to each 32-bit lane of `sum` the four products of its bytes, wrapping. Exact for inputs in
/// `0..=127`, which are the same with a sign and without.
#[inline]
#[target_feature(enable = "neon,dotprod")]
pub fn dot<const PLACE: i32>(sum: Dots, inputs: Block<PLACE>, weights: I8) -> Dots {
    sdot_block::<PLACE>(sum, weights, vreinterpretq_s8_u8(inputs.0))
}

/// [`dot`] of one block after the other.
#[inline]
#[target_feature(enable = "neon,dotprod")]
pub fn dot_two(sum: Dots, inputs: [Blocks; 2], weights: [I8; 2]) -> Dots {
    dot(dot(sum, inputs[0], weights[0]), inputs[1], weights[1])
}

/// [`dot`], exact for all inputs: they are 128 less with a sign, and 128 times a weight is twice 64
/// times.
#[inline]
#[target_feature(enable = "neon,dotprod")]
pub fn dot_wide<const PLACE: i32>(sum: Dots, inputs: Block<PLACE>, weights: I8) -> Dots {
    add_128_times(
        sdot_block::<PLACE>(sum, weights, less_128(inputs.0)),
        weights,
    )
}

/// The sum of the products of a whole row, wrapping; `N` is a multiple of 32. Exact for inputs in
/// `0..=127`.
#[inline]
#[target_feature(enable = "neon,dotprod")]
pub fn dot_row<const N: usize>(inputs: &[u8; N], weights: &[i8; N]) -> i32 {
    super::neon::sum_row(inputs, weights, |sum, inputs, weights| {
        sdot(sum, vreinterpretq_s8_u8(inputs), weights)
    })
}

/// [`dot_row`], exact for all inputs.
#[inline]
#[target_feature(enable = "neon,dotprod")]
pub fn dot_row_wide<const N: usize>(inputs: &[u8; N], weights: &[i8; N]) -> i32 {
    super::neon::sum_row(inputs, weights, |sum, inputs, weights| {
        add_128_times(sdot(sum, less_128(inputs), weights), weights)
    })
}

#[inline]
#[target_feature(enable = "neon,dotprod")]
fn less_128(inputs: U8) -> I8 {
    vreinterpretq_s8_u8(veorq_u8(inputs, vdupq_n_u8(0x80)))
}

#[inline]
#[target_feature(enable = "neon,dotprod")]
fn add_128_times(sum: I32, weights: I8) -> I32 {
    let half = vdupq_n_s8(64);
    sdot(sdot(sum, half, weights), half, weights)
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

/// [`sdot`] with four bytes of `b` for all lanes.
#[inline]
#[target_feature(enable = "neon,dotprod")]
fn sdot_block<const PLACE: i32>(mut sum: I32, a: I8, b: I8) -> I32 {
    // SAFETY: as in `sdot`.
    unsafe {
        asm!(
            "sdot {sum:v}.4s, {a:v}.16b, {b:v}.4b[{place}]",
            sum = inout(vreg) sum,
            a = in(vreg) a,
            b = in(vreg) b,
            place = const PLACE,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    sum
}
