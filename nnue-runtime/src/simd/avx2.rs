//! Primitives for AVX2: 256-bit vectors.

use core::arch::x86_64::*;

use super::append;
use super::nonzero::{NonZero, SET_BITS};

/// Bytes in a vector.
pub const BYTES: usize = 32;
/// 16-bit lanes in a vector.
pub const I16_LANES: usize = BYTES / 2;
/// 32-bit lanes in a vector.
pub const I32_LANES: usize = BYTES / 4;
/// The order of the groups of 8 bytes that [`pack_u8`] makes: packed group `g` holds logical group
/// `PACKED[g]`. The instruction packs each half of 128 bits for itself.
pub const PACKED: [usize; BYTES / 8] = [0, 2, 1, 3];
/// How many vectors [`append_nonzero`] takes at once.
pub const NONZERO_VECTORS: usize = 1;

/// A vector of signed 16-bit lanes.
pub type I16 = __m256i;
/// A vector of signed 32-bit lanes.
pub type I32 = __m256i;
/// Eight signed 32-bit lanes.
pub type I32x8 = __m256i;
/// A vector of unsigned bytes.
pub type U8 = __m256i;
/// A vector of signed bytes.
pub type I8 = __m256i;
/// A block of four unsigned bytes, repeated over a vector.
pub type Blocks = U8;
/// Sums of products of bytes, before they are a vector of 32-bit lanes.
pub type Dots = I32;
/// Eight lanes of 64 bits.
pub type U64x8 = [__m256i; 2];

/// Reads a vector of 16-bit lanes from memory.
#[inline]
#[target_feature(enable = "avx2")]
pub fn load_i16(from: &[i16; I16_LANES]) -> I16 {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
}

/// Reads a vector of signed bytes, each widened to a lane of 16 bits.
#[inline]
#[target_feature(enable = "avx2")]
pub fn load_i16_from_i8(from: &[i8; I16_LANES]) -> I16 {
    // SAFETY: the array has the 16 bytes of the vector; the instruction asks for no alignment.
    _mm256_cvtepi8_epi16(unsafe { _mm_loadu_si128(from.as_ptr().cast()) })
}

/// Reads a vector of bytes, two in each lane of 16 bits: the first of them is the lower.
#[inline]
#[target_feature(enable = "avx2")]
pub fn load_i16_pairs(from: &[i8; BYTES]) -> I16 {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
}

/// Writes a vector of 16-bit lanes to memory.
#[inline]
#[target_feature(enable = "avx2")]
pub fn store_i16(vector: I16, to: &mut [i16; I16_LANES]) {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), vector) }
}

/// A vector with the same value in every lane.
#[inline]
#[target_feature(enable = "avx2")]
pub fn splat_i16(value: i16) -> I16 {
    _mm256_set1_epi16(value)
}

/// `a + b`, wrapping.
#[inline]
#[target_feature(enable = "avx2")]
pub fn add_i16(a: I16, b: I16) -> I16 {
    _mm256_add_epi16(a, b)
}

/// `a - b`, wrapping.
#[inline]
#[target_feature(enable = "avx2")]
pub fn sub_i16(a: I16, b: I16) -> I16 {
    _mm256_sub_epi16(a, b)
}

/// The lesser of each pair of lanes.
#[inline]
#[target_feature(enable = "avx2")]
pub fn min_i16(a: I16, b: I16) -> I16 {
    _mm256_min_epi16(a, b)
}

/// The greater of each pair of lanes.
#[inline]
#[target_feature(enable = "avx2")]
pub fn max_i16(a: I16, b: I16) -> I16 {
    _mm256_max_epi16(a, b)
}

/// `a << N`, for `N` in `0..=15`; bits shifted out are lost.
#[inline]
#[target_feature(enable = "avx2")]
pub fn shift_left_i16<const N: i32>(a: I16) -> I16 {
    const { assert!(N >= 0 && N < 16) };
    _mm256_slli_epi16::<N>(a)
}

/// `a >> N`, for `N` in `0..=15`, rounding down.
#[inline]
#[target_feature(enable = "avx2")]
pub fn shift_right_i16<const N: i32>(a: I16) -> I16 {
    const { assert!(N >= 0 && N < 16) };
    _mm256_srai_epi16::<N>(a)
}

/// The high 16 bits of the signed product of 32 bits, after a shift of the first factor to the
/// left: `(a << N) * b >> 16`, rounding down. Bits that are shifted out are lost.
#[inline]
#[target_feature(enable = "avx2")]
pub fn mul_high_i16<const N: i32>(a: I16, b: I16) -> I16 {
    _mm256_mulhi_epi16(shift_left_i16::<N>(a), b)
}

/// `a * b >> 15` of the signed product of 32 bits, rounded to the nearest, halves up, and wrapping.
#[inline]
#[target_feature(enable = "avx2")]
pub fn mul_rounded_i16(a: I16, b: I16) -> I16 {
    _mm256_mulhrs_epi16(a, b)
}

/// The low 16 bits of the product: `a * b`, wrapping.
#[inline]
#[target_feature(enable = "avx2")]
pub fn mul_low_i16(a: I16, b: I16) -> I16 {
    _mm256_mullo_epi16(a, b)
}

super::words::quantmoid4_i16! {
    #[inline]
    #[target_feature(enable = "avx2")]
}

/// Two vectors, clamped to `0..=255`.
///
/// Packing them to bytes and back is three instructions, not four, and none of them needs the ports
/// of multiplications.
#[inline]
#[target_feature(enable = "avx2")]
pub fn clip_to_255(a: I16, b: I16) -> [I16; 2] {
    let (bytes, zero) = (pack_u8(a, b), _mm256_setzero_si256());
    [
        _mm256_unpacklo_epi8(bytes, zero),
        _mm256_unpackhi_epi8(bytes, zero),
    ]
}

/// The lanes of `first`, then of `second`, clamped to `0..=255`, in groups of 8 in the order of
/// [`PACKED`].
#[inline]
#[target_feature(enable = "avx2")]
pub fn pack_u8(first: I16, second: I16) -> U8 {
    _mm256_packus_epi16(first, second)
}

/// `clamp(a, 0, 127) * clamp(b, 0, 127) >> SHIFT` of the lanes of the first vectors, then of the
/// second vectors, in the order of [`pack_u8`]. `SHIFT` is 6 to 8, so that a product fits in a
/// byte.
#[inline]
#[target_feature(enable = "avx2")]
pub fn product_to_127<const SHIFT: i32>(a: [I16; 2], b: [I16; 2]) -> U8 {
    const {
        assert!(
            SHIFT >= 6 && SHIFT <= 8,
            "products that do not fit in a byte"
        )
    };
    // Packing clips at 127 too. If one product of a pair is zero, the pair is a product of 16 bits.
    let (zero, even) = (_mm256_setzero_si256(), _mm256_set1_epi16(0x00FF));
    let a = _mm256_max_epi8(_mm256_packs_epi16(a[0], a[1]), zero);
    let b = _mm256_max_epi8(_mm256_packs_epi16(b[0], b[1]), zero);
    let low = _mm256_maddubs_epi16(_mm256_and_si256(a, even), b);
    let high = _mm256_maddubs_epi16(_mm256_andnot_si256(even, a), b);
    let low = _mm256_srl_epi16(low, _mm_cvtsi32_si128(SHIFT));
    let high = _mm256_sll_epi16(high, _mm_cvtsi32_si128(8 - SHIFT));
    _mm256_or_si256(low, _mm256_andnot_si256(even, high))
}

/// `clamp(a, 0, 255) * clamp(b, 0, 255) >> SHIFT` of the lanes of the first vectors, then of the
/// second vectors, in the order of [`pack_u8`]. `SHIFT` is 8 to 15, so that a product fits in a
/// byte.
#[inline]
#[target_feature(enable = "avx2")]
pub fn product_to_255<const SHIFT: i32>(a: [I16; 2], b: [I16; 2]) -> U8 {
    const {
        assert!(
            SHIFT >= 8 && SHIFT <= 15,
            "products that do not fit in a byte"
        )
    };
    // Packing clips at 0 and at 255. The odd bytes are factors 256 times as large. One of them is
    // shifted before, so that the high half of the product has the result in its odd byte.
    let even = _mm256_set1_epi16(0x00FF);
    let (a, b) = (pack_u8(a[0], a[1]), pack_u8(b[0], b[1]));
    let low = _mm256_mullo_epi16(_mm256_and_si256(a, even), _mm256_and_si256(b, even));
    let low = _mm256_srl_epi16(low, _mm_cvtsi32_si128(SHIFT));
    let odd = _mm256_srl_epi16(_mm256_andnot_si256(even, b), _mm_cvtsi32_si128(SHIFT - 8));
    let high = _mm256_mulhi_epu16(_mm256_andnot_si256(even, a), odd);
    _mm256_or_si256(low, _mm256_andnot_si256(even, high))
}

/// Reads a vector of unsigned bytes from memory.
#[inline]
#[target_feature(enable = "avx2")]
pub fn load_u8(from: &[u8; BYTES]) -> U8 {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
}

/// The bytes of a vector, in the order of memory.
#[inline]
#[target_feature(enable = "avx2")]
pub fn bytes_u8(vector: U8) -> [u8; BYTES] {
    // SAFETY: vector and array are plain bytes of the same size.
    unsafe { core::mem::transmute::<U8, [u8; BYTES]>(vector) }
}

/// A vector of zeros in all 32-bit lanes.
#[inline]
#[target_feature(enable = "avx2")]
pub fn zero_i32() -> I32 {
    _mm256_setzero_si256()
}

/// Reads a vector of 32-bit lanes from memory.
#[inline]
#[target_feature(enable = "avx2")]
pub fn load_i32(from: &[i32; I32_LANES]) -> I32 {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
}

/// Writes a vector of 32-bit lanes to memory.
#[inline]
#[target_feature(enable = "avx2")]
pub fn store_i32(vector: I32, to: &mut [i32; I32_LANES]) {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), vector) }
}

/// `a + b`, wrapping.
#[inline]
#[target_feature(enable = "avx2")]
pub fn add_i32(a: I32, b: I32) -> I32 {
    _mm256_add_epi32(a, b)
}

/// A vector with the same value in all 32-bit lanes.
#[inline]
#[target_feature(enable = "avx2")]
pub fn splat_i32(value: i32) -> I32 {
    _mm256_set1_epi32(value)
}

/// Products of 32-bit lanes, wrapping.
#[inline]
#[target_feature(enable = "avx2")]
pub fn mul_i32(a: I32, b: I32) -> I32 {
    _mm256_mullo_epi32(a, b)
}

/// Adds to each lane of `sum` the products of two neighbouring 16-bit lanes, wrapping.
#[inline]
#[target_feature(enable = "avx2")]
pub fn madd_i16(sum: I32, a: I16, b: I16) -> I32 {
    add_i32(sum, _mm256_madd_epi16(a, b))
}

/// The sum of all lanes, wrapping.
#[inline]
#[target_feature(enable = "avx2")]
pub fn sum_i32(vector: I32) -> i32 {
    let fours = _mm_add_epi32(
        _mm256_castsi256_si128(vector),
        _mm256_extracti128_si256::<1>(vector),
    );
    let twos = _mm_add_epi32(fours, _mm_shuffle_epi32::<0b_01_00_11_10>(fours));
    _mm_cvtsi128_si32(_mm_add_epi32(
        twos,
        _mm_shuffle_epi32::<0b_10_11_00_01>(twos),
    ))
}

/// Reads eight lanes: as many as PSQT buckets, whatever the vector's size.
#[inline]
#[target_feature(enable = "avx2")]
pub fn load_i32x8(from: &[i32; 8]) -> I32x8 {
    // SAFETY: eight lanes have the size of the vector; the instruction asks for no alignment.
    unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
}

/// Writes eight 32-bit lanes to memory.
#[inline]
#[target_feature(enable = "avx2")]
pub fn store_i32x8(lanes: I32x8, to: &mut [i32; 8]) {
    // SAFETY: eight lanes have the size of the vector; the instruction asks for no alignment.
    unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), lanes) }
}

/// `a + b`, wrapping.
#[inline]
#[target_feature(enable = "avx2")]
pub fn add_i32x8(a: I32x8, b: I32x8) -> I32x8 {
    _mm256_add_epi32(a, b)
}

/// `a - b`, wrapping.
#[inline]
#[target_feature(enable = "avx2")]
pub fn sub_i32x8(a: I32x8, b: I32x8) -> I32x8 {
    _mm256_sub_epi32(a, b)
}

/// Reads a vector of signed bytes from memory.
#[inline]
#[target_feature(enable = "avx2")]
pub fn load_i8(from: &[i8; BYTES]) -> I8 {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
}

/// The four bytes, repeated over the whole vector.
#[inline]
#[target_feature(enable = "avx2")]
pub fn splat_block(block: &[u8; 4]) -> Blocks {
    _mm256_set1_epi32(i32::from_le_bytes(*block))
}

/// The block at a place among four, repeated over a vector.
#[inline]
#[target_feature(enable = "avx2")]
pub fn splat_block_of<const PLACE: i32>(blocks: &[[u8; 4]; 4]) -> Blocks {
    splat_block(&blocks[PLACE as usize])
}

/// Sums of products of bytes that start at these lanes.
#[inline]
#[target_feature(enable = "avx2")]
pub fn dots(lanes: I32) -> Dots {
    lanes
}

/// The lanes of sums of products of bytes.
#[inline]
#[target_feature(enable = "avx2")]
pub fn sum_dots(dots: Dots) -> I32 {
    dots
}

/// Adds to each 32-bit lane of `sum` the four products of its bytes, wrapping. Exact for inputs in
/// `0..=127`: `vpmaddubsw` saturates sums of two products to 16 bits, and the greatest is
/// `2 * 127 * 128 = 32512`.
#[inline]
#[target_feature(enable = "avx2")]
pub fn dot(sum: Dots, inputs: Blocks, weights: I8) -> Dots {
    add_i32(sum, add_pairs(_mm256_maddubs_epi16(inputs, weights)))
}

/// Adds to each 32-bit lane of `sum` the products of two blocks, wrapping. Exact where the sums of
/// two neighbouring products of both blocks fit in 16 bits: they are added before they are widened.
#[inline]
#[target_feature(enable = "avx2")]
pub fn dot_two(sum: Dots, inputs: [Blocks; 2], weights: [I8; 2]) -> Dots {
    let first = _mm256_maddubs_epi16(inputs[0], weights[0]);
    let second = _mm256_maddubs_epi16(inputs[1], weights[1]);
    add_i32(sum, add_pairs(add_i16(first, second)))
}

/// [`dot`], exact for all inputs: with the low seven bits apart from the highest, sums of two
/// products are at most `2 * 127 * 128 = 32512` in size for the former, and in `2 * 128 * -128 ..=
/// 2 * 128 * 127` or `-32768..=32512` for the latter.
#[inline]
#[target_feature(enable = "avx2")]
pub fn dot_wide(sum: Dots, inputs: Blocks, weights: I8) -> Dots {
    let low = _mm256_and_si256(inputs, _mm256_set1_epi8(0x7F));
    let high = _mm256_andnot_si256(_mm256_set1_epi8(0x7F), inputs);
    let low = add_pairs(_mm256_maddubs_epi16(low, weights));
    let high = add_pairs(_mm256_maddubs_epi16(high, weights));
    add_i32(sum, add_i32(low, high))
}

/// The sum of the products of a whole row, wrapping; `N` is a multiple of 32. Exact for inputs in
/// `0..=127`.
#[inline]
#[target_feature(enable = "avx2")]
pub fn dot_row<const N: usize>(inputs: &[u8; N], weights: &[i8; N]) -> i32 {
    sum_row(inputs, weights, |sum, inputs, weights| {
        dot(sum, inputs, weights)
    })
}

/// [`dot_row`], exact for all inputs.
#[inline]
#[target_feature(enable = "avx2")]
pub fn dot_row_wide<const N: usize>(inputs: &[u8; N], weights: &[i8; N]) -> i32 {
    sum_row(inputs, weights, |sum, inputs, weights| {
        dot_wide(sum, inputs, weights)
    })
}

/// `a * b + c`, rounded once.
#[inline]
#[target_feature(enable = "fma")]
pub fn fma_f32(a: f32, b: f32, c: f32) -> f32 {
    // One lane: loops around it become vectors.
    _mm_cvtss_f32(_mm_fmadd_ss(_mm_set_ss(a), _mm_set_ss(b), _mm_set_ss(c)))
}

/// The square root, rounded once.
#[inline]
#[target_feature(enable = "avx2")]
pub fn sqrt_f32(x: f32) -> f32 {
    _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(x)))
}

/// Appends the blocks whose four bytes are not all zero, of the `NONZERO_VECTORS * BYTES / 4` from
/// `first_block` on, in any order.
///
/// Panics if there are fewer blocks.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
pub fn append_nonzero<const BLOCKS: usize, const CAP: usize>(
    list: &mut NonZero<BLOCKS, CAP>,
    first_block: usize,
    packed: [U8; NONZERO_VECTORS],
) {
    NonZero::<BLOCKS, CAP>::assert_blocks(first_block, I32_LANES);
    let [bytes] = packed;
    let zero = _mm256_cmpeq_epi32(bytes, _mm256_setzero_si256());
    let nonzero = !_mm256_movemask_ps(_mm256_castsi256_ps(zero)) as u8;
    let lanes = &SET_BITS[usize::from(nonzero)];
    // SAFETY: a row of the table has 16 bytes, the room of 32 indices has 64; no alignment is
    // needed.
    unsafe {
        let lanes = _mm_loadu_si128(lanes.as_ptr().cast());
        let indices = _mm_add_epi16(lanes, _mm_set1_epi16(first_block as i16));
        _mm_storeu_si128(list.room().as_mut_ptr().cast(), indices);
    }
    // SAFETY: eight indices were written, and there are at most eight bits in the mask. Each index
    // is `first_block` plus a lane, which the assertion at the top has shown to be less than
    // `BLOCKS`.
    unsafe { list.grow(nonzero.count_ones() as usize) };
}

/// The sum over a row for a given `dot`. Four sums at once, because each waits for itself.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn sum_row<const N: usize>(
    inputs: &[u8; N],
    weights: &[i8; N],
    dot: impl Fn(I32, U8, I8) -> I32,
) -> i32 {
    const { assert!(N.is_multiple_of(32), "rows are padded to 32 inputs") };
    let (inputs, weights) = (
        inputs.as_chunks::<BYTES>().0,
        weights.as_chunks::<BYTES>().0,
    );
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
    sum_i32(add_i32(add_i32(a, b), add_i32(c, d)))
}

/// Sums of neighbouring 16-bit lanes, in 32 bits.
#[inline]
#[target_feature(enable = "avx2")]
fn add_pairs(vector: I16) -> I32 {
    _mm256_madd_epi16(vector, _mm256_set1_epi16(1))
}

/// Looks up each of 64 bytes, which are less than 16, in a table: for each of eight bits, the bytes
/// whose entry has the bit, as a bit for each byte.
#[inline]
#[target_feature(enable = "avx2")]
pub fn bit_planes(bytes: &[u8; 64], table: &[u8; 16]) -> [u64; 8] {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    let table = _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(table.as_ptr().cast()) });
    let (halves, _) = bytes.as_chunks::<BYTES>();
    let low = _mm256_shuffle_epi8(table, load_u8(&halves[0]));
    let high = _mm256_shuffle_epi8(table, load_u8(&halves[1]));
    // A shift of 16 bits brings a bit to the top of its byte, and only the top is read.
    macro_rules! plane_of_bit {
        ($shift:literal) => {{
            let low = _mm256_movemask_epi8(_mm256_slli_epi16::<$shift>(low));
            let high = _mm256_movemask_epi8(_mm256_slli_epi16::<$shift>(high));
            u64::from(low as u32) | u64::from(high as u32) << 32
        }};
    }
    [
        plane_of_bit!(7),
        plane_of_bit!(6),
        plane_of_bit!(5),
        plane_of_bit!(4),
        plane_of_bit!(3),
        plane_of_bit!(2),
        plane_of_bit!(1),
        plane_of_bit!(0),
    ]
}

/// For each of 64 bits, the sum of the values of the sets that have the bit, less than 256.
#[inline]
#[target_feature(enable = "avx2")]
pub fn sums_of_bits(sets: &[u64; 5], values: &[u8; 5]) -> [u8; 64] {
    // Bit `n` of byte `n`, in each group of eight bytes.
    let diagonal = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64.cast_signed());
    // To which byte of a set's half a byte of the vector belongs.
    let spread = _mm256_setr_epi64x(
        0,
        0x0101_0101_0101_0101,
        0x0202_0202_0202_0202,
        0x0303_0303_0303_0303,
    );
    let mut sums = [_mm256_setzero_si256(); 2];
    for (set, value) in sets.iter().zip(values) {
        for (sum, half) in sums.iter_mut().zip([*set as i32, (set >> 32) as i32]) {
            let bits = _mm256_shuffle_epi8(_mm256_set1_epi32(half), spread);
            let has = _mm256_cmpeq_epi8(_mm256_and_si256(bits, diagonal), diagonal);
            let value = _mm256_and_si256(has, _mm256_set1_epi8(value.cast_signed()));
            *sum = _mm256_add_epi8(*sum, value);
        }
    }
    let mut bytes = [0; 64];
    for (sum, half) in sums.into_iter().zip(bytes.as_chunks_mut::<BYTES>().0) {
        // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
        unsafe { _mm256_storeu_si256(half.as_mut_ptr().cast(), sum) };
    }
    bytes
}

/// Looks up each of 64 bytes, which are less than 16, in a table. Where the entry's top bit is not
/// set, it is written to `rows` behind the first `len` rows, plus `offset`, plus the byte's own
/// number exclusive-ored with `orientation`. Returns how many rows `rows` has then; those for which
/// it has no room are left out.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
pub fn append_rows(
    bytes: &[u8; 64],
    table: &[u32; 16],
    offset: u32,
    orientation: u8,
    rows: &mut [u32],
    mut len: usize,
) -> usize {
    // SAFETY: each half of the table has the size of a vector; the instruction asks for no
    // alignment.
    let [low, high] =
        unsafe { [0, 8].map(|first| _mm256_loadu_si256(table[first..first + 8].as_ptr().cast())) };
    let offset = _mm256_set1_epi32(offset.cast_signed());
    let orientation = _mm256_set1_epi32(i32::from(orientation));
    let mut numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    for eight in bytes.as_chunks::<8>().0 {
        let places = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(i64::from_le_bytes(*eight)));
        let entries = _mm256_blendv_ps(
            _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(low, places)),
            _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(high, places)),
            // Bit 3 chooses the half.
            _mm256_castsi256_ps(_mm256_slli_epi32::<28>(places)),
        );
        let exist = !_mm256_movemask_ps(entries) as u8;
        let squares = _mm256_xor_si256(numbers, orientation);
        let sums = _mm256_add_epi32(_mm256_castps_si256(entries), offset);
        let sums = _mm256_add_epi32(sums, squares);
        // SAFETY: an entry of the table has the 16 bytes of the vector.
        let kept = unsafe { _mm_loadu_si128(SET_BITS[usize::from(exist)].as_ptr().cast()) };
        let sums = _mm256_permutevar8x32_epi32(sums, _mm256_cvtepu16_epi32(kept));
        let mut whole = [0; 8];
        // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
        unsafe { _mm256_storeu_si256(whole.as_mut_ptr().cast(), sums) };
        len = append(&whole, exist.count_ones() as usize, rows, len);
        numbers = _mm256_add_epi32(numbers, _mm256_set1_epi32(8));
    }
    len
}

/// Whether any bit of a vector is set.
#[inline]
#[target_feature(enable = "avx2")]
pub fn any_u64x8(lanes: U64x8) -> bool {
    let all = _mm256_or_si256(lanes[0], lanes[1]);
    _mm256_testz_si256(all, all) == 0
}

/// The lowest bit of each lane.
#[inline]
#[target_feature(enable = "avx2")]
pub fn lowest_u64x8(lanes: U64x8) -> U64x8 {
    let zero = _mm256_setzero_si256();
    [
        _mm256_and_si256(lanes[0], _mm256_sub_epi64(zero, lanes[0])),
        _mm256_and_si256(lanes[1], _mm256_sub_epi64(zero, lanes[1])),
    ]
}

/// The bits that the first vector has and the second has not.
#[inline]
#[target_feature(enable = "avx2")]
pub fn and_not_u64x8(a: U64x8, b: U64x8) -> U64x8 {
    [
        _mm256_andnot_si256(b[0], a[0]),
        _mm256_andnot_si256(b[1], a[1]),
    ]
}

/// Writes the number of the bit of `from` and that of `to` for each lane in which `to` has a bit.
/// No lane has several bits. Returns how many lanes were written. The lanes behind them mean
/// nothing.
#[inline]
#[target_feature(enable = "avx2,bmi1")]
pub fn write_squares(from: U64x8, to: U64x8, squares: &mut [[u8; 2]; 8]) -> usize {
    let mut lanes = [[0; 8]; 2];
    store_u64x8(from, &mut lanes[0]);
    store_u64x8(to, &mut lanes[1]);
    super::scalar::write_squares(lanes[0], lanes[1], squares)
}

/// Eight lanes with the same value.
#[inline]
#[target_feature(enable = "avx2")]
pub fn splat_u64x8(value: u64) -> U64x8 {
    [_mm256_set1_epi64x(value.cast_signed()); 2]
}

/// Reads eight lanes from memory.
#[inline]
#[target_feature(enable = "avx2")]
pub fn load_u64x8(from: &[u64; 8]) -> U64x8 {
    let start = from.as_ptr().cast::<__m256i>();
    // SAFETY: the array has the 64 bytes of two vectors; the instruction asks for no alignment.
    unsafe { [_mm256_loadu_si256(start), _mm256_loadu_si256(start.add(1))] }
}

/// Writes eight lanes to memory.
#[inline]
#[target_feature(enable = "avx2")]
pub fn store_u64x8(lanes: U64x8, to: &mut [u64; 8]) {
    let start = to.as_mut_ptr().cast::<__m256i>();
    // SAFETY: the array has the 64 bytes of two vectors; the instruction asks for no alignment.
    unsafe {
        _mm256_storeu_si256(start, lanes[0]);
        _mm256_storeu_si256(start.add(1), lanes[1]);
    }
}

/// The bits that both vectors have.
#[inline]
#[target_feature(enable = "avx2")]
pub fn and_u64x8(a: U64x8, b: U64x8) -> U64x8 {
    [_mm256_and_si256(a[0], b[0]), _mm256_and_si256(a[1], b[1])]
}

/// The bits that either vector has.
#[inline]
#[target_feature(enable = "avx2")]
pub fn or_u64x8(a: U64x8, b: U64x8) -> U64x8 {
    [_mm256_or_si256(a[0], b[0]), _mm256_or_si256(a[1], b[1])]
}

/// Rotates each lane of the first vector to the left by the number of bits in the same lane of the
/// second, 0 to 63.
#[inline]
#[target_feature(enable = "avx2")]
pub fn rotate_left_u64x8(lanes: U64x8, bits: U64x8) -> U64x8 {
    [
        rotate_left(lanes[0], bits[0]),
        rotate_left(lanes[1], bits[1]),
    ]
}

/// A shift by 64 bits leaves nothing, so that the two shifts of a lane meet in no bit.
#[inline]
#[target_feature(enable = "avx2")]
fn rotate_left(lanes: __m256i, bits: __m256i) -> __m256i {
    let rest = _mm256_sub_epi64(_mm256_set1_epi64x(64), bits);
    _mm256_or_si256(
        _mm256_sllv_epi64(lanes, bits),
        _mm256_srlv_epi64(lanes, rest),
    )
}
