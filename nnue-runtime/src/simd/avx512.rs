//! Primitives for AVX-512 (F, BW, DQ, VL): 512-bit vectors.

use core::arch::x86_64::*;

use super::append;
use super::avx2;
use super::nonzero::NonZero;

pub use super::avx2::{I32x8, add_i32x8, fma_f32, load_i32x8, sqrt_f32, store_i32x8, sub_i32x8};

/// Bytes in a vector.
pub const BYTES: usize = 64;
/// 16-bit lanes in a vector.
pub const I16_LANES: usize = BYTES / 2;
/// 32-bit lanes in a vector.
pub const I32_LANES: usize = BYTES / 4;
/// The order of the groups of 8 bytes that [`pack_u8`] makes: packed group `g` holds logical group
/// `PACKED[g]`. The instruction packs each quarter of 128 bits for itself.
pub const PACKED: [usize; BYTES / 8] = [0, 4, 1, 5, 2, 6, 3, 7];
/// How many vectors [`append_nonzero`] takes at once.
pub const NONZERO_VECTORS: usize = 1;

/// A vector of signed 16-bit lanes.
pub type I16 = __m512i;
/// A vector of signed 32-bit lanes.
pub type I32 = __m512i;
/// A vector of unsigned bytes.
pub type U8 = __m512i;
/// A vector of signed bytes.
pub type I8 = __m512i;
/// A block of four unsigned bytes, repeated over a vector.
pub type Blocks = U8;
/// Sums of products of bytes, before they are a vector of 32-bit lanes.
pub type Dots = I32;
/// Eight lanes of 64 bits.
pub type U64x8 = __m512i;

/// Reads a vector of 16-bit lanes from memory.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn load_i16(from: &[i16; I16_LANES]) -> I16 {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
}

/// Reads a vector of signed bytes, each widened to a lane of 16 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn load_i16_from_i8(from: &[i8; I16_LANES]) -> I16 {
    // SAFETY: the array has the 32 bytes of the vector; the instruction asks for no alignment.
    _mm512_cvtepi8_epi16(unsafe { _mm256_loadu_si256(from.as_ptr().cast()) })
}

/// Reads a vector of bytes, two in each lane of 16 bits: the first of them is the lower.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn load_i16_pairs(from: &[i8; BYTES]) -> I16 {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
}

/// Writes a vector of 16-bit lanes to memory.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn store_i16(vector: I16, to: &mut [i16; I16_LANES]) {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), vector) }
}

/// A vector with the same value in every lane.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn splat_i16(value: i16) -> I16 {
    _mm512_set1_epi16(value)
}

/// `a + b`, wrapping.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn add_i16(a: I16, b: I16) -> I16 {
    _mm512_add_epi16(a, b)
}

/// `a - b`, wrapping.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn sub_i16(a: I16, b: I16) -> I16 {
    _mm512_sub_epi16(a, b)
}

/// The lesser of each pair of lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn min_i16(a: I16, b: I16) -> I16 {
    _mm512_min_epi16(a, b)
}

/// The greater of each pair of lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn max_i16(a: I16, b: I16) -> I16 {
    _mm512_max_epi16(a, b)
}

/// `a << N`, for `N` in `0..=15`; bits shifted out are lost.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn shift_left_i16<const N: i32>(a: I16) -> I16 {
    const { assert!(N >= 0 && N < 16) };
    _mm512_sll_epi16(a, _mm_cvtsi32_si128(N))
}

/// `a >> N`, for `N` in `0..=15`, rounding down.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn shift_right_i16<const N: i32>(a: I16) -> I16 {
    const { assert!(N >= 0 && N < 16) };
    _mm512_sra_epi16(a, _mm_cvtsi32_si128(N))
}

/// The high 16 bits of the signed product of 32 bits, after a shift of the first factor to the
/// left: `(a << N) * b >> 16`, rounding down. Bits that are shifted out are lost.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn mul_high_i16<const N: i32>(a: I16, b: I16) -> I16 {
    _mm512_mulhi_epi16(shift_left_i16::<N>(a), b)
}

/// `a * b >> 15` of the signed product of 32 bits, rounded to the nearest, halves up, and wrapping.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn mul_rounded_i16(a: I16, b: I16) -> I16 {
    _mm512_mulhrs_epi16(a, b)
}

/// The low 16 bits of the product: `a * b`, wrapping.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn mul_low_i16(a: I16, b: I16) -> I16 {
    _mm512_mullo_epi16(a, b)
}

super::words::quantmoid4_i16! {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
}

/// Two vectors, clamped to `0..=255`.
///
/// Packing them to bytes and back is three instructions, not four, and none of them needs the ports
/// of multiplications.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn clip_to_255(a: I16, b: I16) -> [I16; 2] {
    let (bytes, zero) = (pack_u8(a, b), _mm512_setzero_si512());
    [
        _mm512_unpacklo_epi8(bytes, zero),
        _mm512_unpackhi_epi8(bytes, zero),
    ]
}

/// The lanes of `first`, then of `second`, clamped to `0..=255`, in groups of 8 in the order of
/// [`PACKED`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn pack_u8(first: I16, second: I16) -> U8 {
    _mm512_packus_epi16(first, second)
}

/// `clamp(a, 0, 127) * clamp(b, 0, 127) >> SHIFT` of the lanes of the first vectors, then of the
/// second vectors, in the order of [`pack_u8`]. `SHIFT` is 6 to 8, so that a product fits in a
/// byte.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn product_to_127<const SHIFT: i32>(a: [I16; 2], b: [I16; 2]) -> U8 {
    const {
        assert!(
            SHIFT >= 6 && SHIFT <= 8,
            "products that do not fit in a byte"
        )
    };
    // Packing clips at 127 too. If one product of a pair is zero, the pair is a product of 16 bits.
    let (zero, even) = (_mm512_setzero_si512(), _mm512_set1_epi16(0x00FF));
    let a = _mm512_max_epi8(_mm512_packs_epi16(a[0], a[1]), zero);
    let b = _mm512_max_epi8(_mm512_packs_epi16(b[0], b[1]), zero);
    let low = _mm512_maddubs_epi16(_mm512_and_si512(a, even), b);
    let high = _mm512_maddubs_epi16(_mm512_andnot_si512(even, a), b);
    let low = _mm512_srl_epi16(low, _mm_cvtsi32_si128(SHIFT));
    let high = _mm512_sll_epi16(high, _mm_cvtsi32_si128(8 - SHIFT));
    // Where a bit of `even` is set that of `low`, else that of `high`.
    _mm512_ternarylogic_epi32::<0xCA>(even, low, high)
}

/// `clamp(a, 0, 255) * clamp(b, 0, 255) >> SHIFT` of the lanes of the first vectors, then of the
/// second vectors, in the order of [`pack_u8`]. `SHIFT` is 8 to 15, so that a product fits in a
/// byte.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn product_to_255<const SHIFT: i32>(a: [I16; 2], b: [I16; 2]) -> U8 {
    const {
        assert!(
            SHIFT >= 8 && SHIFT <= 15,
            "products that do not fit in a byte"
        )
    };
    // Packing clips at 0 and at 255. The odd bytes are factors 256 times as large. One of them is
    // shifted before, so that the high half of the product has the result in its odd byte.
    let even = _mm512_set1_epi16(0x00FF);
    let (a, b) = (pack_u8(a[0], a[1]), pack_u8(b[0], b[1]));
    let low = _mm512_mullo_epi16(_mm512_and_si512(a, even), _mm512_and_si512(b, even));
    let low = _mm512_srl_epi16(low, _mm_cvtsi32_si128(SHIFT));
    let odd = _mm512_srl_epi16(_mm512_andnot_si512(even, b), _mm_cvtsi32_si128(SHIFT - 8));
    let high = _mm512_mulhi_epu16(_mm512_andnot_si512(even, a), odd);
    // Where a bit of `even` is set that of `low`, else that of `high`.
    _mm512_ternarylogic_epi32::<0xCA>(even, low, high)
}

/// Reads a vector of unsigned bytes from memory.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn load_u8(from: &[u8; BYTES]) -> U8 {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
}

/// The bytes of a vector, in the order of memory.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn bytes_u8(vector: U8) -> [u8; BYTES] {
    // SAFETY: vector and array are plain bytes of the same size.
    unsafe { core::mem::transmute::<U8, [u8; BYTES]>(vector) }
}

/// A vector of zeros in all 32-bit lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn zero_i32() -> I32 {
    _mm512_setzero_si512()
}

/// Reads a vector of 32-bit lanes from memory.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn load_i32(from: &[i32; I32_LANES]) -> I32 {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
}

/// Writes a vector of 32-bit lanes to memory.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn store_i32(vector: I32, to: &mut [i32; I32_LANES]) {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), vector) }
}

/// `a + b`, wrapping.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn add_i32(a: I32, b: I32) -> I32 {
    _mm512_add_epi32(a, b)
}

/// A vector with the same value in all 32-bit lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn splat_i32(value: i32) -> I32 {
    _mm512_set1_epi32(value)
}

/// Products of 32-bit lanes, wrapping.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn mul_i32(a: I32, b: I32) -> I32 {
    _mm512_mullo_epi32(a, b)
}

/// Adds to each lane of `sum` the products of two neighbouring 16-bit lanes, wrapping.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn madd_i16(sum: I32, a: I16, b: I16) -> I32 {
    add_i32(sum, _mm512_madd_epi16(a, b))
}

/// The sum of all lanes, wrapping.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn sum_i32(vector: I32) -> i32 {
    avx2::sum_i32(add_halves(vector))
}

/// Reads a vector of signed bytes from memory.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn load_i8(from: &[i8; BYTES]) -> I8 {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
}

/// The four bytes, repeated over the whole vector.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn splat_block(block: &[u8; 4]) -> Blocks {
    _mm512_set1_epi32(i32::from_le_bytes(*block))
}

/// The block at a place among four, repeated over a vector.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn splat_block_of<const PLACE: i32>(blocks: &[[u8; 4]; 4]) -> Blocks {
    splat_block(&blocks[PLACE as usize])
}

/// Sums of products of bytes that start at these lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn dots(lanes: I32) -> Dots {
    lanes
}

/// The lanes of sums of products of bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn sum_dots(dots: Dots) -> I32 {
    dots
}

/// Adds to each 32-bit lane of `sum` the four products of its bytes, wrapping. Exact for inputs in
/// `0..=127`: `vpmaddubsw` saturates sums of two products to 16 bits, and the greatest is
/// `2 * 127 * 128 = 32512`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn dot(sum: Dots, inputs: Blocks, weights: I8) -> Dots {
    add_i32(sum, add_pairs(_mm512_maddubs_epi16(inputs, weights)))
}

/// Adds to each 32-bit lane of `sum` the products of two blocks, wrapping. Exact where the sums of
/// two neighbouring products of both blocks fit in 16 bits: they are added before they are widened.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn dot_two(sum: Dots, inputs: [Blocks; 2], weights: [I8; 2]) -> Dots {
    let first = _mm512_maddubs_epi16(inputs[0], weights[0]);
    let second = _mm512_maddubs_epi16(inputs[1], weights[1]);
    add_i32(sum, add_pairs(add_i16(first, second)))
}

/// [`dot`], exact for all inputs: with the low seven bits apart from the highest, sums of two
/// products are at most `2 * 127 * 128 = 32512` in size for the former, and in `2 * 128 * -128 ..=
/// 2 * 128 * 127` or `-32768..=32512` for the latter.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn dot_wide(sum: Dots, inputs: Blocks, weights: I8) -> Dots {
    let low = _mm512_and_si512(inputs, _mm512_set1_epi8(0x7F));
    let high = _mm512_andnot_si512(_mm512_set1_epi8(0x7F), inputs);
    let low = add_pairs(_mm512_maddubs_epi16(low, weights));
    let high = add_pairs(_mm512_maddubs_epi16(high, weights));
    add_i32(sum, add_i32(low, high))
}

/// The sum of the products of a whole row, wrapping; `N` is a multiple of 32. Exact for inputs in
/// `0..=127`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn dot_row<const N: usize>(inputs: &[u8; N], weights: &[i8; N]) -> i32 {
    sum_row(
        inputs,
        weights,
        |sum, inputs, weights| dot(sum, inputs, weights),
        |sum, inputs, weights| avx2::dot(sum, inputs, weights),
    )
}

/// [`dot_row`], exact for all inputs.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn dot_row_wide<const N: usize>(inputs: &[u8; N], weights: &[i8; N]) -> i32 {
    sum_row(
        inputs,
        weights,
        |sum, inputs, weights| dot_wide(sum, inputs, weights),
        |sum, inputs, weights| avx2::dot_wide(sum, inputs, weights),
    )
}

/// Appends the blocks whose four bytes are not all zero, of the `NONZERO_VECTORS * BYTES / 4` from
/// `first_block` on, in any order.
///
/// Panics if there are fewer blocks.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,popcnt")]
pub fn append_nonzero<const BLOCKS: usize, const CAP: usize>(
    list: &mut NonZero<BLOCKS, CAP>,
    first_block: usize,
    packed: [U8; NONZERO_VECTORS],
) {
    NonZero::<BLOCKS, CAP>::assert_blocks(first_block, I32_LANES);
    let [bytes] = packed;
    let nonzero = _mm512_test_epi32_mask(bytes, bytes);
    let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    let indices = _mm512_add_epi32(lanes, _mm512_set1_epi32(first_block as i32));
    let indices = _mm512_cvtepi32_epi16(_mm512_maskz_compress_epi32(nonzero, indices));
    // SAFETY: the vector has 32 bytes, the room of 32 indices has 64; no alignment is needed.
    unsafe { _mm256_storeu_si256(list.room().as_mut_ptr().cast(), indices) };
    // SAFETY: 16 indices were written, and there are 16 bits in the mask. Each index for a bit is
    // `first_block` plus a lane, which the assertion at the top has shown to be less than `BLOCKS`.
    unsafe { list.grow(nonzero.count_ones() as usize) };
}

/// The sum over a row for a given `dot`, and `dot_half` for 32 inputs that are left. Four sums at
/// once, because each waits for itself.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn sum_row<const N: usize>(
    inputs: &[u8; N],
    weights: &[i8; N],
    dot: impl Fn(I32, U8, I8) -> I32,
    dot_half: impl Fn(avx2::I32, avx2::U8, avx2::I8) -> avx2::I32,
) -> i32 {
    const { assert!(N.is_multiple_of(32), "rows are padded to 32 inputs") };
    let (inputs, half_inputs) = inputs.as_chunks::<BYTES>();
    let (weights, half_weights) = weights.as_chunks::<BYTES>();
    let (inputs, last_inputs) = inputs.as_chunks::<4>();
    let (weights, last_weights) = weights.as_chunks::<4>();
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
    let mut sum = add_halves(add_i32(add_i32(a, b), add_i32(c, d)));
    if let (Some(inputs), Some(weights)) = (half_inputs.first_chunk(), half_weights.first_chunk()) {
        sum = dot_half(sum, avx2::load_u8(inputs), avx2::load_i8(weights));
    }
    avx2::sum_i32(sum)
}

/// The lower eight lanes plus the upper eight.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn add_halves(vector: I32) -> avx2::I32 {
    let (low, high) = (
        _mm512_castsi512_si256(vector),
        _mm512_extracti64x4_epi64::<1>(vector),
    );
    avx2::add_i32(low, high)
}

/// Sums of neighbouring 16-bit lanes, in 32 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn add_pairs(vector: I16) -> I32 {
    _mm512_madd_epi16(vector, _mm512_set1_epi16(1))
}

/// Looks up each of 64 bytes, which are less than 16, in a table: for each of eight bits, the bytes
/// whose entry has the bit, as a bit for each byte.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn bit_planes(bytes: &[u8; 64], table: &[u8; 16]) -> [u64; 8] {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    let table = unsafe { _mm_loadu_si128(table.as_ptr().cast()) };
    let entries = _mm512_shuffle_epi8(_mm512_broadcast_i32x4(table), load_u8(bytes));
    [
        _mm512_test_epi8_mask(entries, _mm512_set1_epi8(1)),
        _mm512_test_epi8_mask(entries, _mm512_set1_epi8(2)),
        _mm512_test_epi8_mask(entries, _mm512_set1_epi8(4)),
        _mm512_test_epi8_mask(entries, _mm512_set1_epi8(8)),
        _mm512_test_epi8_mask(entries, _mm512_set1_epi8(16)),
        _mm512_test_epi8_mask(entries, _mm512_set1_epi8(32)),
        _mm512_test_epi8_mask(entries, _mm512_set1_epi8(64)),
        _mm512_test_epi8_mask(entries, _mm512_set1_epi8(-128)),
    ]
}

/// For each of 64 bits, the sum of the values of the sets that have the bit, less than 256.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub fn sums_of_bits(sets: &[u64; 5], values: &[u8; 5]) -> [u8; 64] {
    let mut sums = _mm512_setzero_si512();
    for (set, value) in sets.iter().zip(values) {
        sums = _mm512_mask_add_epi8(sums, *set, sums, _mm512_set1_epi8(value.cast_signed()));
    }
    let mut bytes = [0; 64];
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), sums) };
    bytes
}

/// Looks up each of 64 bytes, which are less than 16, in a table. Where the entry's top bit is not
/// set, it is written to `rows` behind the first `len` rows, plus `offset`, plus the byte's own
/// number exclusive-ored with `orientation`. Returns how many rows `rows` has then; those for which
/// it has no room are left out.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,popcnt")]
pub fn append_rows(
    bytes: &[u8; 64],
    table: &[u32; 16],
    offset: u32,
    orientation: u8,
    rows: &mut [u32],
    mut len: usize,
) -> usize {
    // SAFETY: the table has the size of the vector; the instruction asks for no alignment.
    let table = unsafe { _mm512_loadu_si512(table.as_ptr().cast()) };
    let offset = _mm512_set1_epi32(offset.cast_signed());
    let orientation = _mm512_set1_epi32(i32::from(orientation));
    let mut numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for sixteen in bytes.as_chunks::<16>().0 {
        // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
        let places = _mm512_cvtepu8_epi32(unsafe { _mm_loadu_si128(sixteen.as_ptr().cast()) });
        let entries = _mm512_permutexvar_epi32(places, table);
        let exist = !_mm512_movepi32_mask(entries);
        let squares = _mm512_xor_si512(numbers, orientation);
        let sums = _mm512_add_epi32(_mm512_add_epi32(entries, offset), squares);
        let mut whole = [0; 16];
        // Compresses in a register and stores all of it: compression straight to memory is
        // microcoded on Zen 4. SAFETY: the array has the size of the vector; the instruction asks
        // for no alignment.
        unsafe {
            let kept = _mm512_maskz_compress_epi32(exist, sums);
            _mm512_storeu_si512(whole.as_mut_ptr().cast(), kept);
        }
        len = append(&whole, exist.count_ones() as usize, rows, len);
        numbers = _mm512_add_epi32(numbers, _mm512_set1_epi32(16));
    }
    len
}

/// Whether any bit of a vector is set.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn any_u64x8(lanes: U64x8) -> bool {
    _mm512_test_epi64_mask(lanes, lanes) != 0
}

/// The lowest bit of each lane.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn lowest_u64x8(lanes: U64x8) -> U64x8 {
    _mm512_and_si512(lanes, _mm512_sub_epi64(_mm512_setzero_si512(), lanes))
}

/// The bits that the first vector has and the second has not.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn and_not_u64x8(a: U64x8, b: U64x8) -> U64x8 {
    _mm512_andnot_si512(b, a)
}

/// Writes the number of the bit of `from` and that of `to` for each lane in which `to` has a bit.
/// No lane has several bits. Returns how many lanes were written. The lanes behind them mean
/// nothing.
#[inline]
#[target_feature(enable = "avx512f,avx512cd,popcnt")]
pub fn write_squares(from: U64x8, to: U64x8, squares: &mut [[u8; 2]; 8]) -> usize {
    let exists = _mm512_test_epi64_mask(to, to);
    let zeros = _mm512_or_si512(
        _mm512_lzcnt_epi64(from),
        _mm512_slli_epi64::<8>(_mm512_lzcnt_epi64(to)),
    );
    let numbers = _mm512_xor_si512(zeros, _mm512_set1_epi64(0x3F3F));
    let numbers = _mm512_cvtepi64_epi16(_mm512_maskz_compress_epi64(exists, numbers));
    // SAFETY: the array has the 16 bytes of the vector; the instruction asks for no alignment.
    unsafe { _mm_storeu_si128(squares.as_mut_ptr().cast(), numbers) };
    exists.count_ones() as usize
}

/// Eight lanes with the same value.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn splat_u64x8(value: u64) -> U64x8 {
    _mm512_set1_epi64(value.cast_signed())
}

/// Reads eight lanes from memory.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn load_u64x8(from: &[u64; 8]) -> U64x8 {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
}

/// Writes eight lanes to memory.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn store_u64x8(lanes: U64x8, to: &mut [u64; 8]) {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), lanes) }
}

/// The bits that both vectors have.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn and_u64x8(a: U64x8, b: U64x8) -> U64x8 {
    _mm512_and_si512(a, b)
}

/// The bits that either vector has.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn or_u64x8(a: U64x8, b: U64x8) -> U64x8 {
    _mm512_or_si512(a, b)
}

/// Rotates each lane of the first vector to the left by the number of bits in the same lane of the
/// second, 0 to 63.
#[inline]
#[target_feature(enable = "avx512f")]
pub fn rotate_left_u64x8(lanes: U64x8, bits: U64x8) -> U64x8 {
    _mm512_rolv_epi64(lanes, bits)
}
