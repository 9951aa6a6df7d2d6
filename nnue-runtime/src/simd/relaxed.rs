//! Primitives for WebAssembly's relaxed vectors: those of `simd128`, except for products of bytes,
//! which are one instruction.
//!
//! Relaxed instructions may give other results on other machines. This one does so only where the
//! second factor has its highest bit set: whether that is a sign is left open. With inputs up to
//! 127, the sums of two products that some machines make on the way have 16 bits.
//!
//! V8 11, which is Chrome 114 to 118 and node 20 and 21, may lose the sum that the products are added
//! to, and so computes other values. V8 12.4, which is Chrome 124 and node 22, does not.

use core::arch::wasm32::*;

pub use super::simd128::*;

/// A vector of signed bytes.
pub type I8 = v128;
/// A block of four unsigned bytes, repeated over a vector.
pub type Blocks = U8;
/// Sums of products of bytes, before they are a vector of 32-bit lanes.
pub type Dots = I32;

/// Reads a vector of signed bytes from memory.
#[inline]
#[target_feature(enable = "simd128")]
pub fn load_i8(from: &[i8; BYTES]) -> I8 {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { v128_load(from.as_ptr().cast()) }
}

/// The four bytes, repeated over the whole vector.
#[inline]
#[target_feature(enable = "simd128")]
pub fn splat_block(block: &[u8; 4]) -> Blocks {
    i32x4_splat(i32::from_le_bytes(*block))
}

/// The block at a place among four, repeated over a vector.
#[inline]
#[target_feature(enable = "simd128")]
pub fn splat_block_of<const PLACE: i32>(blocks: &[[u8; 4]; 4]) -> Blocks {
    splat_block(&blocks[PLACE as usize])
}

/// Sums of products of bytes that start at these lanes.
#[inline]
#[target_feature(enable = "simd128")]
pub fn dots(lanes: I32) -> Dots {
    lanes
}

/// The lanes of sums of products of bytes.
#[inline]
#[target_feature(enable = "simd128")]
pub fn sum_dots(dots: Dots) -> I32 {
    dots
}

/// Adds to each 32-bit lane of `sum` the four products of its bytes, wrapping. Exact for inputs in
/// `0..=127`.
#[inline]
#[target_feature(enable = "simd128,relaxed-simd")]
pub fn dot(sum: Dots, inputs: Blocks, weights: I8) -> Dots {
    i32x4_relaxed_dot_i8x16_i7x16_add(weights, inputs, sum)
}

/// [`dot`] of one block after the other.
#[inline]
#[target_feature(enable = "simd128,relaxed-simd")]
pub fn dot_two(sum: Dots, inputs: [Blocks; 2], weights: [I8; 2]) -> Dots {
    dot(dot(sum, inputs[0], weights[0]), inputs[1], weights[1])
}

/// [`dot`], exact for all inputs.
///
/// Even bytes and odd ones are widened apart: the sums of two products that the instruction makes
/// then lie in the lane where they belong. Those of widened halves would have to be moved.
#[inline]
#[target_feature(enable = "simd128,relaxed-simd")]
pub fn dot_wide(sum: Dots, inputs: Blocks, weights: I8) -> Dots {
    let even = i32x4_dot_i16x8(
        v128_and(inputs, u16x8_splat(0x00FF)),
        i16x8_shr(i16x8_shl(weights, 8), 8),
    );
    let odd = i32x4_dot_i16x8(u16x8_shr(inputs, 8), i16x8_shr(weights, 8));
    i32x4_add(i32x4_add(sum, even), odd)
}

/// The sum of the products of a whole row, wrapping; `N` is a multiple of 32. Exact for inputs in
/// `0..=127`.
#[inline]
#[target_feature(enable = "simd128,relaxed-simd")]
pub fn dot_row<const N: usize>(inputs: &[u8; N], weights: &[i8; N]) -> i32 {
    const { assert!(N.is_multiple_of(32), "rows are padded to 32 inputs") };
    let (inputs, last_inputs) = inputs.as_chunks::<BYTES>().0.as_chunks::<4>();
    let (weights, last_weights) = weights.as_chunks::<BYTES>().0.as_chunks::<4>();
    // Four sums at once, because each waits for itself.
    let mut sums = [zero_i32(); 4];
    for (inputs, weights) in inputs.iter().zip(weights) {
        for (index, sum) in sums.iter_mut().enumerate() {
            *sum = dot(*sum, load_u8(&inputs[index]), load_i8(&weights[index]));
        }
    }
    for ((inputs, weights), sum) in last_inputs.iter().zip(last_weights).zip(&mut sums) {
        *sum = dot(*sum, load_u8(inputs), load_i8(weights));
    }
    let [a, b, c, d] = sums;
    sum_i32(add_i32(add_i32(a, b), add_i32(c, d)))
}

/// [`dot_row`], exact for all inputs.
#[inline]
#[target_feature(enable = "simd128,relaxed-simd")]
pub fn dot_row_wide<const N: usize>(inputs: &[u8; N], weights: &[i8; N]) -> i32 {
    super::simd128::dot_row(inputs, weights)
}
