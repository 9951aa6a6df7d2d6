//! Primitives for AVX-512 as since Ice Lake: AVX-512, except for sums of products, which are one
//! instruction that does not saturate (VNNI), and the list of blocks, compressed in one instruction
//! (VBMI2).

use core::arch::x86_64::*;

use super::avx512::sum_row;
use super::nonzero::NonZero;

pub use super::avx512::*;

/// How many vectors [`append_nonzero`] takes at once: as many as have the blocks for a vector of
/// 16-bit indices.
pub const NONZERO_VECTORS: usize = 2;

/// Adds to each lane of `sum` the products of two neighbouring 16-bit lanes, wrapping.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub fn madd_i16(sum: I32, a: I16, b: I16) -> I32 {
    _mm512_dpwssd_epi32(sum, a, b)
}

/// Adds to each 32-bit lane of `sum` the four products of its bytes, wrapping. Exact for all
/// inputs.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub fn dot(sum: Dots, inputs: Blocks, weights: I8) -> Dots {
    _mm512_dpbusd_epi32(sum, inputs, weights)
}

/// The same as [`dot`], which is exact for all inputs.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub fn dot_wide(sum: Dots, inputs: Blocks, weights: I8) -> Dots {
    dot(sum, inputs, weights)
}

/// The sum of the products of a whole row, wrapping; `N` is a multiple of 32. Exact for all inputs.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub fn dot_row<const N: usize>(inputs: &[u8; N], weights: &[i8; N]) -> i32 {
    sum_row(
        inputs,
        weights,
        |sum, inputs, weights| dot(sum, inputs, weights),
        |sum, inputs, weights| _mm256_dpbusd_epi32(sum, inputs, weights),
    )
}

/// The same as [`dot_row`], which is exact for all inputs.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub fn dot_row_wide<const N: usize>(inputs: &[u8; N], weights: &[i8; N]) -> i32 {
    dot_row(inputs, weights)
}

/// Appends the blocks whose four bytes are not all zero, of the `NONZERO_VECTORS * BYTES / 4` from
/// `first_block` on, in any order.
///
/// One test finds those of both vectors, packed into words: saturation leaves what is not zero
/// different from zero. Compresses in a register and stores all of it: compression straight to
/// memory is microcoded on Zen 4.
///
/// Panics if there are fewer blocks.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
pub fn append_nonzero<const BLOCKS: usize, const CAP: usize>(
    list: &mut NonZero<BLOCKS, CAP>,
    first_block: usize,
    packed: [U8; NONZERO_VECTORS],
) {
    NonZero::<BLOCKS, CAP>::assert_blocks(first_block, NONZERO_VECTORS * I32_LANES);
    let [first, second] = packed;
    let words = _mm512_packs_epi32(first, second);
    let nonzero = _mm512_test_epi16_mask(words, words);
    let lanes = load_i16(&LANES);
    let indices = _mm512_add_epi16(lanes, _mm512_set1_epi16(first_block as i16));
    let indices = _mm512_maskz_compress_epi16(nonzero, indices);
    // SAFETY: the vector has 64 bytes, as has the room of 32 indices; no alignment is needed.
    unsafe { _mm512_storeu_si512(list.room().as_mut_ptr().cast(), indices) };
    // SAFETY: 32 indices were written, and there are 32 bits in the mask. Each index for a bit is
    // `first_block` plus a lane, which the assertion at the top has shown to be less than `BLOCKS`.
    unsafe { list.grow(nonzero.count_ones() as usize) };
}

/// For each 16-bit lane of two packed vectors, the block that it stands for: the instruction packs
/// each quarter of 128 bits for itself, four blocks of the first vector and four of the second.
const LANES: [i16; I16_LANES] = {
    let mut lanes = [0; I16_LANES];
    let mut lane = 0;
    while lane < I16_LANES {
        let (quarter, vector) = (lane / 8, lane % 8 / 4);
        lanes[lane] = (I32_LANES * vector + 4 * quarter + lane % 4) as i16;
        lane += 1;
    }
    lanes
};
