//! Primitives for AVX2 with AVX-VNNI: AVX2, except for sums of products, which are one instruction
//! that does not saturate.

use core::arch::x86_64::*;

pub use super::avx2::*;

/// Adds to each lane of `sum` the products of two neighbouring 16-bit lanes, wrapping.
#[inline]
#[target_feature(enable = "avx2,avxvnni")]
pub fn madd_i16(sum: I32, a: I16, b: I16) -> I32 {
    _mm256_dpwssd_avx_epi32(sum, a, b)
}

/// Adds to each 32-bit lane of `sum` the four products of its bytes, wrapping. Exact for all
/// inputs.
#[inline]
#[target_feature(enable = "avx2,avxvnni")]
pub fn dot(sum: Dots, inputs: Blocks, weights: I8) -> Dots {
    _mm256_dpbusd_avx_epi32(sum, inputs, weights)
}

/// The same as [`dot`], which is exact for all inputs.
#[inline]
#[target_feature(enable = "avx2,avxvnni")]
pub fn dot_wide(sum: Dots, inputs: Blocks, weights: I8) -> Dots {
    dot(sum, inputs, weights)
}

/// The sum of the products of a whole row, wrapping; `N` is a multiple of 32. Exact for all inputs.
#[inline]
#[target_feature(enable = "avx2,avxvnni")]
pub fn dot_row<const N: usize>(inputs: &[u8; N], weights: &[i8; N]) -> i32 {
    super::avx2::sum_row(inputs, weights, |sum, inputs, weights| {
        dot(sum, inputs, weights)
    })
}

/// The same as [`dot_row`], which is exact for all inputs.
#[inline]
#[target_feature(enable = "avx2,avxvnni")]
pub fn dot_row_wide<const N: usize>(inputs: &[u8; N], weights: &[i8; N]) -> i32 {
    dot_row(inputs, weights)
}
