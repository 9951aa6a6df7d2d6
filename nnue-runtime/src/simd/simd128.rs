//! Primitives for the vectors of 128 bits of WebAssembly.
//!
//! It has no product of `f32` that is added without being rounded first, and rotates vectors of 64
//! bits by the same number of bits in all lanes only.

use core::arch::wasm32::*;

use super::nonzero::{NonZero, SET_BITS};
use crate::buffer::{chunk, chunk_mut};

pub use super::scalar::{U64x8, and_not_u64x8, any_u64x8, lowest_u64x8, write_squares};
pub use super::scalar::{and_u64x8, fma_f32, or_u64x8, rotate_left_u64x8};
pub use super::scalar::{load_u64x8, splat_u64x8, store_u64x8};

/// Bytes in a vector.
pub const BYTES: usize = 16;
/// 16-bit lanes in a vector.
pub const I16_LANES: usize = BYTES / 2;
/// 32-bit lanes in a vector.
pub const I32_LANES: usize = BYTES / 4;
/// The order of the groups of 8 bytes that [`pack_u8`] makes: packed group `g` holds logical group
/// `PACKED[g]`.
pub const PACKED: [usize; BYTES / 8] = [0, 1];
/// How many vectors [`append_nonzero`] takes at once.
pub const NONZERO_VECTORS: usize = 4;

/// A vector of signed 16-bit lanes.
pub type I16 = v128;
/// A vector of signed 32-bit lanes.
pub type I32 = v128;
/// Eight signed 32-bit lanes.
pub type I32x8 = [v128; 2];
/// A vector of unsigned bytes.
pub type U8 = v128;
/// A vector of signed bytes, which are widened to 16 bits when they are loaded.
pub type I8 = [v128; 2];
/// A block of four unsigned bytes, widened to 16 bits and repeated over a vector.
pub type Blocks = v128;
/// Sums of products of bytes, before they are a vector of 32-bit lanes: two for each lane. The
/// first vector has those of the lower half.
pub type Dots = [v128; 2];

/// Reads a vector of 16-bit lanes from memory.
#[inline]
#[target_feature(enable = "simd128")]
pub fn load_i16(from: &[i16; I16_LANES]) -> I16 {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { v128_load(from.as_ptr().cast()) }
}

/// Reads a vector of signed bytes, each widened to a lane of 16 bits.
#[inline]
#[target_feature(enable = "simd128")]
pub fn load_i16_from_i8(from: &[i8; I16_LANES]) -> I16 {
    // SAFETY: the array has the 8 bytes that are read; the instruction asks for no alignment.
    unsafe { i16x8_load_extend_i8x8(from.as_ptr()) }
}

/// Reads a vector of bytes, two in each lane of 16 bits: the first of them is the lower.
#[inline]
#[target_feature(enable = "simd128")]
pub fn load_i16_pairs(from: &[i8; BYTES]) -> I16 {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { v128_load(from.as_ptr().cast()) }
}

/// Writes a vector of 16-bit lanes to memory.
#[inline]
#[target_feature(enable = "simd128")]
pub fn store_i16(vector: I16, to: &mut [i16; I16_LANES]) {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { v128_store(to.as_mut_ptr().cast(), vector) }
}

/// A vector with the same value in every lane.
#[inline]
#[target_feature(enable = "simd128")]
pub fn splat_i16(value: i16) -> I16 {
    i16x8_splat(value)
}

/// `a + b`, wrapping.
#[inline]
#[target_feature(enable = "simd128")]
pub fn add_i16(a: I16, b: I16) -> I16 {
    i16x8_add(a, b)
}

/// `a - b`, wrapping.
#[inline]
#[target_feature(enable = "simd128")]
pub fn sub_i16(a: I16, b: I16) -> I16 {
    i16x8_sub(a, b)
}

/// The lesser of each pair of lanes.
#[inline]
#[target_feature(enable = "simd128")]
pub fn min_i16(a: I16, b: I16) -> I16 {
    i16x8_min(a, b)
}

/// The greater of each pair of lanes.
#[inline]
#[target_feature(enable = "simd128")]
pub fn max_i16(a: I16, b: I16) -> I16 {
    i16x8_max(a, b)
}

/// `a << N`, for `N` in `0..=15`; bits shifted out are lost.
#[inline]
#[target_feature(enable = "simd128")]
pub fn shift_left_i16<const N: i32>(a: I16) -> I16 {
    const { assert!(N >= 0 && N < 16) };
    i16x8_shl(a, N as u32)
}

/// `a >> N`, for `N` in `0..=15`, rounding down.
#[inline]
#[target_feature(enable = "simd128")]
pub fn shift_right_i16<const N: i32>(a: I16) -> I16 {
    const { assert!(N >= 0 && N < 16) };
    i16x8_shr(a, N as u32)
}

/// The high 16 bits of the signed product of 32 bits, after a shift of the first factor to the
/// left: `(a << N) * b >> 16`, rounding down. Bits that are shifted out are lost.
#[inline]
#[target_feature(enable = "simd128")]
pub fn mul_high_i16<const N: i32>(a: I16, b: I16) -> I16 {
    let a = shift_left_i16::<N>(a);
    let (low, high) = (i32x4_extmul_low_i16x8(a, b), i32x4_extmul_high_i16x8(a, b));
    i16x8_shuffle::<1, 3, 5, 7, 9, 11, 13, 15>(low, high)
}

/// `a * b >> 15` of the signed product of 32 bits, rounded to the nearest, halves up. Levels differ
/// where both factors are `i16::MIN`.
#[inline]
#[target_feature(enable = "simd128")]
pub fn mul_rounded_i16(a: I16, b: I16) -> I16 {
    i16x8_q15mulr_sat(a, b)
}

/// The low 16 bits of the product: `a * b`, wrapping.
#[inline]
#[target_feature(enable = "simd128")]
pub fn mul_low_i16(a: I16, b: I16) -> I16 {
    i16x8_mul(a, b)
}

super::words::quantmoid4_i16! {
    #[inline]
    #[target_feature(enable = "simd128")]
}

/// Two vectors, clamped to `0..=255`.
#[inline]
#[target_feature(enable = "simd128")]
pub fn clip_to_255(a: I16, b: I16) -> [I16; 2] {
    let (zero, one) = (splat_i16(0), splat_i16(255));
    [
        min_i16(max_i16(a, zero), one),
        min_i16(max_i16(b, zero), one),
    ]
}

/// The lanes of `first`, then of `second`, clamped to `0..=255`, in groups of 8 in the order of
/// [`PACKED`].
#[inline]
#[target_feature(enable = "simd128")]
pub fn pack_u8(first: I16, second: I16) -> U8 {
    u8x16_narrow_i16x8(first, second)
}

/// `clamp(a, 0, 127) * clamp(b, 0, 127) >> SHIFT` of the lanes of the first vectors, then of the
/// second vectors, in the order of [`pack_u8`]. `SHIFT` is 6 to 8, so that a product fits in a
/// byte.
#[inline]
#[target_feature(enable = "simd128")]
pub fn product_to_127<const SHIFT: u32>(a: [I16; 2], b: [I16; 2]) -> U8 {
    const {
        assert!(
            SHIFT >= 6 && SHIFT <= 8,
            "products that do not fit in a byte"
        )
    };
    let [low, high] = [0, 1].map(|index| {
        let [a, b] = [a[index], b[index]].map(|factor| clamp_i16(factor, 127));
        u16x8_shr(i16x8_mul(a, b), SHIFT)
    });
    low_bytes(low, high)
}

/// `clamp(a, 0, 255) * clamp(b, 0, 255) >> SHIFT` of the lanes of the first vectors, then of the
/// second vectors, in the order of [`pack_u8`]. `SHIFT` is 8 to 15, so that a product fits in a
/// byte.
#[inline]
#[target_feature(enable = "simd128")]
pub fn product_to_255<const SHIFT: u32>(a: [I16; 2], b: [I16; 2]) -> U8 {
    const {
        assert!(
            SHIFT >= 8 && SHIFT <= 15,
            "products that do not fit in a byte"
        )
    };
    let [low, high] = [0, 1].map(|index| {
        let [a, b] = [a[index], b[index]].map(|factor| clamp_i16(factor, 255));
        u16x8_shr(i16x8_mul(a, b), SHIFT)
    });
    low_bytes(low, high)
}

/// Reads a vector of unsigned bytes from memory.
#[inline]
#[target_feature(enable = "simd128")]
pub fn load_u8(from: &[u8; BYTES]) -> U8 {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { v128_load(from.as_ptr().cast()) }
}

/// The bytes of a vector, in the order of memory.
#[inline]
#[target_feature(enable = "simd128")]
pub fn bytes_u8(vector: U8) -> [u8; BYTES] {
    // SAFETY: vector and array are plain bytes of the same size.
    unsafe { core::mem::transmute::<U8, [u8; BYTES]>(vector) }
}

/// A vector of zeros in all 32-bit lanes.
#[inline]
#[target_feature(enable = "simd128")]
pub fn zero_i32() -> I32 {
    i32x4_splat(0)
}

/// Reads a vector of 32-bit lanes from memory.
#[inline]
#[target_feature(enable = "simd128")]
pub fn load_i32(from: &[i32; I32_LANES]) -> I32 {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { v128_load(from.as_ptr().cast()) }
}

/// Writes a vector of 32-bit lanes to memory.
#[inline]
#[target_feature(enable = "simd128")]
pub fn store_i32(vector: I32, to: &mut [i32; I32_LANES]) {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { v128_store(to.as_mut_ptr().cast(), vector) }
}

/// `a + b`, wrapping.
#[inline]
#[target_feature(enable = "simd128")]
pub fn add_i32(a: I32, b: I32) -> I32 {
    i32x4_add(a, b)
}

/// A vector with the same value in all 32-bit lanes.
#[inline]
#[target_feature(enable = "simd128")]
pub fn splat_i32(value: i32) -> I32 {
    i32x4_splat(value)
}

/// Products of 32-bit lanes, wrapping.
#[inline]
#[target_feature(enable = "simd128")]
pub fn mul_i32(a: I32, b: I32) -> I32 {
    i32x4_mul(a, b)
}

/// Adds to each lane of `sum` the products of two neighbouring 16-bit lanes, wrapping.
#[inline]
#[target_feature(enable = "simd128")]
pub fn madd_i16(sum: I32, a: I16, b: I16) -> I32 {
    i32x4_add(sum, i32x4_dot_i16x8(a, b))
}

/// The sum of all lanes, wrapping.
#[inline]
#[target_feature(enable = "simd128")]
pub fn sum_i32(lanes: I32) -> i32 {
    let halves = i32x4_add(lanes, i32x4_shuffle::<2, 3, 0, 1>(lanes, lanes));
    i32x4_extract_lane::<0>(halves).wrapping_add(i32x4_extract_lane::<1>(halves))
}

/// Reads eight lanes: as many as PSQT buckets, whatever the vector's size.
#[inline]
#[target_feature(enable = "simd128")]
pub fn load_i32x8(from: &[i32; 8]) -> I32x8 {
    [load_i32(chunk(from, 0)), load_i32(chunk(from, 1))]
}

/// Writes eight 32-bit lanes to memory.
#[inline]
#[target_feature(enable = "simd128")]
pub fn store_i32x8(lanes: I32x8, to: &mut [i32; 8]) {
    for (index, vector) in lanes.into_iter().enumerate() {
        store_i32(vector, chunk_mut(to, index));
    }
}

/// `a + b`, wrapping.
#[inline]
#[target_feature(enable = "simd128")]
pub fn add_i32x8(a: I32x8, b: I32x8) -> I32x8 {
    [i32x4_add(a[0], b[0]), i32x4_add(a[1], b[1])]
}

/// `a - b`, wrapping.
#[inline]
#[target_feature(enable = "simd128")]
pub fn sub_i32x8(a: I32x8, b: I32x8) -> I32x8 {
    [i32x4_sub(a[0], b[0]), i32x4_sub(a[1], b[1])]
}

/// Reads a vector of signed bytes from memory.
#[inline]
#[target_feature(enable = "simd128")]
pub fn load_i8(from: &[i8; BYTES]) -> I8 {
    [
        load_i16_from_i8(chunk(from, 0)),
        load_i16_from_i8(chunk(from, 1)),
    ]
}

/// The four bytes, repeated over the whole vector.
#[inline]
#[target_feature(enable = "simd128")]
pub fn splat_block(block: &[u8; 4]) -> Blocks {
    u16x8_extend_low_u8x16(i32x4_splat(i32::from_le_bytes(*block)))
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
    let zero = zero_i32();
    [
        i32x4_shuffle::<0, 4, 1, 4>(lanes, zero),
        i32x4_shuffle::<2, 4, 3, 4>(lanes, zero),
    ]
}

/// The lanes of sums of products of bytes.
#[inline]
#[target_feature(enable = "simd128")]
pub fn sum_dots([low, high]: Dots) -> I32 {
    i32x4_add(
        i32x4_shuffle::<0, 2, 4, 6>(low, high),
        i32x4_shuffle::<1, 3, 5, 7>(low, high),
    )
}

/// Adds to each 32-bit lane of `sum` the four products of its bytes, wrapping. Exact for all
/// inputs.
///
/// The instruction multiplies lanes of 16 bits, and adds each two products. The four of a lane are
/// brought together by [`sum_dots`] alone, once for all blocks.
#[inline]
#[target_feature(enable = "simd128")]
pub fn dot([low, high]: Dots, inputs: Blocks, weights: I8) -> Dots {
    [
        i32x4_add(low, i32x4_dot_i16x8(inputs, weights[0])),
        i32x4_add(high, i32x4_dot_i16x8(inputs, weights[1])),
    ]
}

/// [`dot`] of one block after the other.
#[inline]
#[target_feature(enable = "simd128")]
pub fn dot_two(sum: Dots, inputs: [Blocks; 2], weights: [I8; 2]) -> Dots {
    dot(dot(sum, inputs[0], weights[0]), inputs[1], weights[1])
}

/// The same as [`dot`], which is exact for all inputs.
#[inline]
#[target_feature(enable = "simd128")]
pub fn dot_wide(sum: Dots, inputs: Blocks, weights: I8) -> Dots {
    dot(sum, inputs, weights)
}

/// The sum of the products of a whole row, wrapping; `N` is a multiple of 32. Exact for all inputs.
#[inline]
#[target_feature(enable = "simd128")]
pub fn dot_row<const N: usize>(inputs: &[u8; N], weights: &[i8; N]) -> i32 {
    const { assert!(N.is_multiple_of(32), "rows are padded to 32 inputs") };
    let inputs = inputs.as_chunks().0.as_chunks::<2>().0;
    let weights = weights.as_chunks().0.as_chunks::<2>().0;
    // Four sums at once, because each waits for itself.
    let mut sums = [[zero_i32(); 2]; 2];
    for (inputs, weights) in inputs.iter().zip(weights) {
        for (index, [low, high]) in sums.iter_mut().enumerate() {
            let (inputs, weights) = (load_u8(&inputs[index]), load_i8(&weights[index]));
            *low = i32x4_add(
                *low,
                i32x4_dot_i16x8(u16x8_extend_low_u8x16(inputs), weights[0]),
            );
            *high = i32x4_add(
                *high,
                i32x4_dot_i16x8(u16x8_extend_high_u8x16(inputs), weights[1]),
            );
        }
    }
    let [first, second] = sums.map(|[low, high]| i32x4_add(low, high));
    sum_i32(add_i32(first, second))
}

/// The same as [`dot_row`], which is exact for all inputs.
#[inline]
#[target_feature(enable = "simd128")]
pub fn dot_row_wide<const N: usize>(inputs: &[u8; N], weights: &[i8; N]) -> i32 {
    dot_row(inputs, weights)
}

/// The square root, rounded once.
#[inline]
#[target_feature(enable = "simd128")]
pub fn sqrt_f32(x: f32) -> f32 {
    f32x4_extract_lane::<0>(f32x4_sqrt(f32x4_splat(x)))
}

/// Appends the blocks whose four bytes are not all zero, of the `NONZERO_VECTORS * BYTES / 4` from
/// `first_block` on, in any order.
///
/// Panics if there are fewer blocks.
#[inline]
#[target_feature(enable = "simd128")]
pub fn append_nonzero<const BLOCKS: usize, const CAP: usize>(
    list: &mut NonZero<BLOCKS, CAP>,
    first_block: usize,
    packed: [U8; NONZERO_VECTORS],
) {
    NonZero::<BLOCKS, CAP>::assert_blocks(first_block, NONZERO_VECTORS * I32_LANES);
    let masks = packed.map(|bytes| i32x4_ne(bytes, i32x4_splat(0)));
    let nonzero = i8x16_bitmask(first_bytes(masks)).to_le_bytes();
    let counts = nonzero.map(|bits| bits.count_ones() as usize);
    let room = list.room().as_mut_ptr();
    // SAFETY: a row of the table has the 16 bytes of a vector. The first count is at most 8, so
    // that both vectors lie within the room of 32 indices. No alignment is needed.
    unsafe {
        let lanes = nonzero.map(|bits| v128_load(SET_BITS[usize::from(bits)].as_ptr().cast()));
        let first = u16x8_splat(first_block as u16);
        let second = u16x8_splat((first_block + 8) as u16);
        v128_store(room.cast(), u16x8_add(lanes[0], first));
        v128_store(room.add(counts[0]).cast(), u16x8_add(lanes[1], second));
    }
    // SAFETY: the first vector has as many indices as the first byte has bits, and the second one,
    // which was written behind those, as many as the second byte has. Each is `first_block` plus a
    // number below 16, which the assertion at the top has shown to be less than `BLOCKS`.
    unsafe { list.grow(counts[0] + counts[1]) };
}

/// The lower byte of each lane of two vectors.
///
/// A shuffle, because LLVM makes a comparison with either limit of each instruction that narrows.
#[inline]
#[target_feature(enable = "simd128")]
fn low_bytes(a: I16, b: I16) -> U8 {
    i8x16_shuffle::<0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30>(a, b)
}

/// The lowest byte of each lane of four vectors.
#[inline]
#[target_feature(enable = "simd128")]
fn first_bytes([a, b, c, d]: [I32; 4]) -> U8 {
    low_bytes(
        i16x8_shuffle::<0, 2, 4, 6, 8, 10, 12, 14>(a, b),
        i16x8_shuffle::<0, 2, 4, 6, 8, 10, 12, 14>(c, d),
    )
}

/// Lanes between 0 and a limit.
#[inline]
#[target_feature(enable = "simd128")]
fn clamp_i16(lanes: I16, limit: i16) -> I16 {
    i16x8_max(i16x8_min(lanes, i16x8_splat(limit)), i16x8_splat(0))
}

/// A bit for each of 64 bytes: its top bit.
#[inline]
#[target_feature(enable = "simd128")]
fn bits_of_masks(masks: [U8; 4]) -> u64 {
    let bits = masks.map(|mask| u64::from(u8x16_bitmask(mask)));
    bits[0] | bits[1] << 16 | bits[2] << 32 | bits[3] << 48
}

/// A mask of the entries whose top bit is not set.
#[inline]
#[target_feature(enable = "simd128")]
fn existing(table: &[u32; 16]) -> U8 {
    first_bytes(core::array::from_fn(|index| {
        // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
        let entries = unsafe { v128_load(chunk::<u32, 4>(table, index).as_ptr().cast()) };
        i32x4_ge(entries, i32x4_splat(0))
    }))
}

/// Looks up each of 64 bytes, which are less than 16, in a table: for each of eight bits, the bytes
/// whose entry has the bit, as a bit for each byte.
#[inline]
#[target_feature(enable = "simd128")]
pub fn bit_planes(bytes: &[u8; 64], table: &[u8; 16]) -> [u64; 8] {
    let table = load_u8(table);
    let entries: [U8; 4] =
        core::array::from_fn(|index| u8x16_swizzle(table, load_u8(chunk(bytes, index))));
    // The top of each byte is read.
    core::array::from_fn(|bit| {
        bits_of_masks(entries.map(|entries| u8x16_shl(entries, 7 - bit as u32)))
    })
}

/// For each of 64 bits, the sum of the values of the sets that have the bit, less than 256.
#[inline]
#[target_feature(enable = "simd128")]
pub fn sums_of_bits(sets: &[u64; 5], values: &[u8; 5]) -> [u8; 64] {
    let diagonal = u64x2_splat(0x8040_2010_0804_0201);
    // To which byte of a set a byte of the first vector belongs; in the next it is two on.
    let spread = u64x2(0, 0x0101_0101_0101_0101);
    let mut sums = [u8x16_splat(0); 4];
    for (set, value) in sets.iter().zip(values) {
        let (set, value) = (u64x2_splat(*set), u8x16_splat(*value));
        for (sum, first) in sums.iter_mut().zip([0, 2, 4, 6]) {
            let bits = u8x16_swizzle(set, u8x16_add(spread, u8x16_splat(first)));
            let has = u8x16_eq(v128_and(bits, diagonal), diagonal);
            *sum = u8x16_add(*sum, v128_and(has, value));
        }
    }
    let mut bytes = [0; 64];
    for (index, sum) in sums.into_iter().enumerate() {
        *chunk_mut(&mut bytes, index) = bytes_u8(sum);
    }
    bytes
}

/// Looks up each of 64 bytes, which are less than 16, in a table. Where the entry's top bit is not
/// set, it is written to `rows` behind the first `len` rows, plus `offset`, plus the byte's own
/// number exclusive-ored with `orientation`. Returns how many rows `rows` has then; those for which
/// it has no room are left out.
#[inline]
#[target_feature(enable = "simd128")]
pub fn append_rows(
    bytes: &[u8; 64],
    table: &[u32; 16],
    offset: u32,
    orientation: u8,
    rows: &mut [u32],
    mut len: usize,
) -> usize {
    // No instruction compresses vectors, and most squares have no entry that exists: those that
    // have one are taken one by one.
    let exist = existing(table);
    let masks = core::array::from_fn(|index| u8x16_swizzle(exist, load_u8(chunk(bytes, index))));
    let mut left = bits_of_masks(masks);
    while left != 0 {
        let number = left.trailing_zeros();
        left &= left - 1;
        let entry = table[usize::from(bytes[number as usize % 64] % 16)];
        if let Some(free) = rows.get_mut(len) {
            *free = entry.wrapping_add(offset) + (number ^ u32::from(orientation));
            len += 1;
        }
    }
    len
}
