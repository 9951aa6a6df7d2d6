//! Primitives for WebAssembly's relaxed vectors: those of `simd128` but for products of bytes, which
//! are one instruction.
//!
//! Relaxed instructions may give other results on other machines. This one does so only where the
//! second factor has its highest bit set: whether that is a sign is left open. With inputs up to
//! 127, the sums of two products that some machines make on the way have 16 bits.

use core::arch::wasm32::*;

pub use super::simd128::*;

/// Adds to each 32-bit lane of `sum` the four products of its bytes, wrapping. Exact for inputs in
/// `0..=127`.
#[inline]
#[target_feature(enable = "simd128,relaxed-simd")]
pub fn dot(sum: I32, inputs: U8, weights: I8) -> I32 {
    i32x4_relaxed_dot_i8x16_i7x16_add(weights, inputs, sum)
}

/// As [`dot`], exact for all inputs.
#[inline]
#[target_feature(enable = "simd128,relaxed-simd")]
pub fn dot_wide(sum: I32, inputs: U8, weights: I8) -> I32 {
    super::simd128::dot(sum, inputs, weights)
}

/// The sum of the products of a whole row, wrapping; `N` is a multiple of 32. Exact for inputs in
/// `0..=127`.
#[inline]
#[target_feature(enable = "simd128,relaxed-simd")]
pub fn dot_row<const N: usize>(inputs: &[u8; N], weights: &[i8; N]) -> i32 {
    super::simd128::sum_row(inputs, weights, |sum, inputs, weights| {
        dot(sum, inputs, weights)
    })
}

/// As [`dot_row`], exact for all inputs.
#[inline]
#[target_feature(enable = "simd128,relaxed-simd")]
pub fn dot_row_wide<const N: usize>(inputs: &[u8; N], weights: &[i8; N]) -> i32 {
    super::simd128::dot_row(inputs, weights)
}
