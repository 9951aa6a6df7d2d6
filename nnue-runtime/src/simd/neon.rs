//! Primitives for NEON, the vectors of 128 bits that every 64-bit Arm has.

use core::arch::aarch64::*;
use core::arch::asm;

use super::nonzero::{NonZero, SET_BITS};
use crate::buffer::{chunk, chunk_mut};

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
pub type I16 = int16x8_t;
/// A vector of signed 32-bit lanes.
pub type I32 = int32x4_t;
/// Eight signed 32-bit lanes.
pub type I32x8 = [int32x4_t; 2];
/// A vector of unsigned bytes.
pub type U8 = uint8x16_t;
/// A vector of signed bytes.
pub type I8 = int8x16_t;
/// A block of four unsigned bytes, repeated over a vector.
pub type Blocks = U8;
/// Sums of products of bytes, before they are a vector of 32-bit lanes.
pub type Dots = I32;
/// Eight lanes of 64 bits.
pub type U64x8 = [uint64x2_t; 4];

/// Reads a vector of 16-bit lanes from memory.
#[inline]
#[target_feature(enable = "neon")]
pub fn load_i16(from: &[i16; I16_LANES]) -> I16 {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { vld1q_s16(from.as_ptr()) }
}

/// Reads a vector of signed bytes, each widened to a lane of 16 bits.
#[inline]
#[target_feature(enable = "neon")]
pub fn load_i16_from_i8(from: &[i8; I16_LANES]) -> I16 {
    // SAFETY: the array has the 8 bytes of the vector; the instruction asks for no alignment.
    vmovl_s8(unsafe { vld1_s8(from.as_ptr()) })
}

/// Reads a vector of bytes, two in each lane of 16 bits: the first of them is the lower.
#[inline]
#[target_feature(enable = "neon")]
pub fn load_i16_pairs(from: &[i8; BYTES]) -> I16 {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    vreinterpretq_s16_s8(unsafe { vld1q_s8(from.as_ptr()) })
}

/// Writes a vector of 16-bit lanes to memory.
#[inline]
#[target_feature(enable = "neon")]
pub fn store_i16(vector: I16, to: &mut [i16; I16_LANES]) {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { vst1q_s16(to.as_mut_ptr(), vector) }
}

/// A vector with the same value in every lane.
#[inline]
#[target_feature(enable = "neon")]
pub fn splat_i16(value: i16) -> I16 {
    vdupq_n_s16(value)
}

/// `a + b`, wrapping.
#[inline]
#[target_feature(enable = "neon")]
pub fn add_i16(a: I16, b: I16) -> I16 {
    vaddq_s16(a, b)
}

/// `a - b`, wrapping.
#[inline]
#[target_feature(enable = "neon")]
pub fn sub_i16(a: I16, b: I16) -> I16 {
    vsubq_s16(a, b)
}

/// The lesser of each pair of lanes.
#[inline]
#[target_feature(enable = "neon")]
pub fn min_i16(a: I16, b: I16) -> I16 {
    vminq_s16(a, b)
}

/// The greater of each pair of lanes.
#[inline]
#[target_feature(enable = "neon")]
pub fn max_i16(a: I16, b: I16) -> I16 {
    vmaxq_s16(a, b)
}

/// `a << N`, for `N` in `0..=15`; bits shifted out are lost.
#[inline]
#[target_feature(enable = "neon")]
pub fn shift_left_i16<const N: i32>(a: I16) -> I16 {
    const { assert!(N >= 0 && N < 16) };
    vshlq_n_s16::<N>(a)
}

/// `a >> N`, for `N` in `0..=15`, rounding down.
#[inline]
#[target_feature(enable = "neon")]
pub fn shift_right_i16<const N: i32>(a: I16) -> I16 {
    const { assert!(N >= 0 && N < 16) };
    // The instruction for a constant shift has none by zero.
    vshlq_s16(a, vdupq_n_s16(-(N as i16)))
}

/// The high 16 bits of the signed product of 32 bits, after a shift of the first factor to the
/// left: `(a << N) * b >> 16`, rounding down. Levels differ where `a << N` does not fit in 16 bits,
/// and where both factors are `i16::MIN`.
///
/// The instruction doubles the product: it needs one shift fewer.
#[inline]
#[target_feature(enable = "neon")]
pub fn mul_high_i16<const N: i32>(a: I16, b: I16) -> I16 {
    const { assert!(N >= 0 && N < 16) };
    match N {
        0 => vshrq_n_s16::<1>(vqdmulhq_s16(a, b)),
        1 => vqdmulhq_s16(a, b),
        // The shift is known when this is compiled, and so is that.
        _ => vqdmulhq_s16(vshlq_s16(a, vdupq_n_s16(N as i16 - 1)), b),
    }
}

/// `a * b >> 15` of the signed product of 32 bits, rounded to the nearest, halves up. Levels differ
/// where both factors are `i16::MIN`.
#[inline]
#[target_feature(enable = "neon")]
pub fn mul_rounded_i16(a: I16, b: I16) -> I16 {
    vqrdmulhq_s16(a, b)
}

/// The low 16 bits of the product: `a * b`, wrapping.
#[inline]
#[target_feature(enable = "neon")]
pub fn mul_low_i16(a: I16, b: I16) -> I16 {
    vmulq_s16(a, b)
}

super::words::quantmoid4_i16! {
    #[inline]
    #[target_feature(enable = "neon")]
}

/// Two vectors, clamped to `0..=255`.
#[inline]
#[target_feature(enable = "neon")]
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
#[target_feature(enable = "neon")]
pub fn pack_u8(first: I16, second: I16) -> U8 {
    vqmovun_high_s16(vqmovun_s16(first), second)
}

/// `clamp(a, 0, 127) * clamp(b, 0, 127) >> SHIFT` of the lanes of the first vectors, then of the
/// second vectors, in the order of [`pack_u8`]. `SHIFT` is 6 to 8, so that a product fits in a
/// byte.
#[inline]
#[target_feature(enable = "neon")]
pub fn product_to_127<const SHIFT: i32>(a: [I16; 2], b: [I16; 2]) -> U8 {
    const {
        assert!(
            SHIFT >= 6 && SHIFT <= 8,
            "products that do not fit in a byte"
        )
    };
    // Packing clips at 127. A negative second factor makes no positive product, and narrowing that
    // clips at zero.
    let a = vmaxq_s8(vqmovn_high_s16(vqmovn_s16(a[0]), a[1]), vdupq_n_s8(0));
    let b = vqmovn_high_s16(vqmovn_s16(b[0]), b[1]);
    let low = vmull_s8(vget_low_s8(a), vget_low_s8(b));
    let high = vmull_high_s8(a, b);
    vqshrun_high_n_s16::<SHIFT>(vqshrun_n_s16::<SHIFT>(low), high)
}

/// `clamp(a, 0, 255) * clamp(b, 0, 255) >> SHIFT` of the lanes of the first vectors, then of the
/// second vectors, in the order of [`pack_u8`]. `SHIFT` is 8 to 15, so that a product fits in a
/// byte.
#[inline]
#[target_feature(enable = "neon")]
pub fn product_to_255<const SHIFT: i32>(a: [I16; 2], b: [I16; 2]) -> U8 {
    const {
        assert!(
            SHIFT >= 8 && SHIFT <= 15,
            "products that do not fit in a byte"
        )
    };
    // Packing clips at 0 and at 255. The high bytes of the products are shifted on.
    let (a, b) = (pack_u8(a[0], a[1]), pack_u8(b[0], b[1]));
    let low = vreinterpretq_u8_u16(vmull_u8(vget_low_u8(a), vget_low_u8(b)));
    let high = vreinterpretq_u8_u16(vmull_high_u8(a, b));
    vshlq_u8(vuzp2q_u8(low, high), vdupq_n_s8(8 - SHIFT as i8))
}

/// Reads a vector of unsigned bytes from memory.
#[inline]
#[target_feature(enable = "neon")]
pub fn load_u8(from: &[u8; BYTES]) -> U8 {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { vld1q_u8(from.as_ptr()) }
}

/// The bytes of a vector, in the order of memory.
#[inline]
#[target_feature(enable = "neon")]
pub fn bytes_u8(vector: U8) -> [u8; BYTES] {
    // SAFETY: vector and array are plain bytes of the same size.
    unsafe { core::mem::transmute::<U8, [u8; BYTES]>(vector) }
}

/// A vector of zeros in all 32-bit lanes.
#[inline]
#[target_feature(enable = "neon")]
pub fn zero_i32() -> I32 {
    vdupq_n_s32(0)
}

/// Reads a vector of 32-bit lanes from memory.
#[inline]
#[target_feature(enable = "neon")]
pub fn load_i32(from: &[i32; I32_LANES]) -> I32 {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { vld1q_s32(from.as_ptr()) }
}

/// Writes a vector of 32-bit lanes to memory.
#[inline]
#[target_feature(enable = "neon")]
pub fn store_i32(vector: I32, to: &mut [i32; I32_LANES]) {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { vst1q_s32(to.as_mut_ptr(), vector) }
}

/// `a + b`, wrapping.
#[inline]
#[target_feature(enable = "neon")]
pub fn add_i32(a: I32, b: I32) -> I32 {
    vaddq_s32(a, b)
}

/// A vector with the same value in all 32-bit lanes.
#[inline]
#[target_feature(enable = "neon")]
pub fn splat_i32(value: i32) -> I32 {
    vdupq_n_s32(value)
}

/// Products of 32-bit lanes, wrapping.
#[inline]
#[target_feature(enable = "neon")]
pub fn mul_i32(a: I32, b: I32) -> I32 {
    vmulq_s32(a, b)
}

/// Adds to each lane of `sum` the product of a 16-bit lane of the lower half and that of one of the
/// upper half, wrapping.
#[inline]
#[target_feature(enable = "neon")]
pub fn madd_i16(sum: I32, a: I16, b: I16) -> I32 {
    let sum = vmlal_s16(sum, vget_low_s16(a), vget_low_s16(b));
    vmlal_high_s16(sum, a, b)
}

/// The sum of all lanes, wrapping.
#[inline]
#[target_feature(enable = "neon")]
pub fn sum_i32(lanes: I32) -> i32 {
    vaddvq_s32(lanes)
}

/// Reads eight lanes: as many as PSQT buckets, whatever the vector's size.
#[inline]
#[target_feature(enable = "neon")]
pub fn load_i32x8(from: &[i32; 8]) -> I32x8 {
    // SAFETY: the array has the 32 bytes of two vectors; the instruction asks for no alignment.
    unsafe { [vld1q_s32(from.as_ptr()), vld1q_s32(from[4..].as_ptr())] }
}

/// Writes eight 32-bit lanes to memory.
#[inline]
#[target_feature(enable = "neon")]
pub fn store_i32x8(lanes: I32x8, to: &mut [i32; 8]) {
    // SAFETY: the array has the 32 bytes of two vectors; the instruction asks for no alignment.
    unsafe {
        vst1q_s32(to.as_mut_ptr(), lanes[0]);
        vst1q_s32(to[4..].as_mut_ptr(), lanes[1]);
    }
}

/// `a + b`, wrapping.
#[inline]
#[target_feature(enable = "neon")]
pub fn add_i32x8(a: I32x8, b: I32x8) -> I32x8 {
    [vaddq_s32(a[0], b[0]), vaddq_s32(a[1], b[1])]
}

/// `a - b`, wrapping.
#[inline]
#[target_feature(enable = "neon")]
pub fn sub_i32x8(a: I32x8, b: I32x8) -> I32x8 {
    [vsubq_s32(a[0], b[0]), vsubq_s32(a[1], b[1])]
}

/// Reads a vector of signed bytes from memory.
#[inline]
#[target_feature(enable = "neon")]
pub fn load_i8(from: &[i8; BYTES]) -> I8 {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    unsafe { vld1q_s8(from.as_ptr()) }
}

/// The four bytes, repeated over the whole vector.
#[inline]
#[target_feature(enable = "neon")]
pub fn splat_block(block: &[u8; 4]) -> Blocks {
    vreinterpretq_u8_u32(vdupq_n_u32(u32::from_le_bytes(*block)))
}

/// The block at a place among four, repeated over a vector.
#[inline]
#[target_feature(enable = "neon")]
pub fn splat_block_of<const PLACE: i32>(blocks: &[[u8; 4]; 4]) -> Blocks {
    let blocks = vreinterpretq_u32_u8(load_u8(chunk(blocks.as_flattened(), 0)));
    vreinterpretq_u8_u32(vdupq_laneq_u32::<PLACE>(blocks))
}

/// Sums of products of bytes that start at these lanes.
#[inline]
#[target_feature(enable = "neon")]
pub fn dots(lanes: I32) -> Dots {
    lanes
}

/// The lanes of sums of products of bytes.
#[inline]
#[target_feature(enable = "neon")]
pub fn sum_dots(dots: Dots) -> I32 {
    dots
}

/// Adds to each 32-bit lane of `sum` the four products of its bytes, wrapping. Exact for inputs in
/// `0..=127`, which are the same with a sign and without: sums of two products have 16 bits, and the
/// greatest is `2 * 127 * 128 = 32512`.
///
/// Of the intrinsics, LLVM would multiply more vectors at a time than registers hold, and move high
/// halves to the low ones of other registers first.
#[inline]
#[target_feature(enable = "neon")]
pub fn dot(mut sum: Dots, inputs: Blocks, weights: I8) -> Dots {
    // SAFETY: the instructions, of a feature that this function enables, change the three registers
    // that are named as outputs and nothing else.
    unsafe {
        asm!(
            "smull {low:v}.8h, {inputs:v}.8b, {weights:v}.8b",
            "smull2 {high:v}.8h, {inputs:v}.16b, {weights:v}.16b",
            "addp {low:v}.8h, {low:v}.8h, {high:v}.8h",
            "sadalp {sum:v}.4s, {low:v}.8h",
            sum = inout(vreg) sum,
            inputs = in(vreg) inputs,
            weights = in(vreg) weights,
            low = out(vreg) _,
            high = out(vreg) _,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    sum
}

/// [`dot`] of one block after the other.
#[inline]
#[target_feature(enable = "neon")]
pub fn dot_two(sum: Dots, inputs: [Blocks; 2], weights: [I8; 2]) -> Dots {
    dot(dot(sum, inputs[0], weights[0]), inputs[1], weights[1])
}

/// [`dot`], exact for all inputs: products have 16 bits with a sign, and the greatest is `255 * 128
/// = 32640`.
#[inline]
#[target_feature(enable = "neon")]
pub fn dot_wide(sum: Dots, inputs: Blocks, weights: I8) -> Dots {
    let low = vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(inputs)));
    let high = vreinterpretq_s16_u16(vmovl_high_u8(inputs));
    let low = vpaddlq_s16(vmulq_s16(low, vmovl_s8(vget_low_s8(weights))));
    let high = vpaddlq_s16(vmulq_s16(high, vmovl_high_s8(weights)));
    vaddq_s32(sum, vpaddq_s32(low, high))
}

/// The sum of the products of a whole row, wrapping; `N` is a multiple of 32. Exact for inputs in
/// `0..=127`.
#[inline]
#[target_feature(enable = "neon")]
pub fn dot_row<const N: usize>(inputs: &[u8; N], weights: &[i8; N]) -> i32 {
    sum_row(inputs, weights, |sum, inputs, weights| {
        dot(sum, inputs, weights)
    })
}

/// [`dot_row`], exact for all inputs.
#[inline]
#[target_feature(enable = "neon")]
pub fn dot_row_wide<const N: usize>(inputs: &[u8; N], weights: &[i8; N]) -> i32 {
    sum_row(inputs, weights, |sum, inputs, weights| {
        dot_wide(sum, inputs, weights)
    })
}

/// `a * b + c`, rounded once.
#[inline]
#[target_feature(enable = "neon")]
pub fn fma_f32(a: f32, b: f32, c: f32) -> f32 {
    // One lane: loops around it become vectors.
    vget_lane_f32::<0>(vfma_f32(vdup_n_f32(c), vdup_n_f32(a), vdup_n_f32(b)))
}

/// The square root, rounded once.
#[inline]
#[target_feature(enable = "neon")]
pub fn sqrt_f32(x: f32) -> f32 {
    vget_lane_f32::<0>(vsqrt_f32(vdup_n_f32(x)))
}

/// Appends the blocks whose four bytes are not all zero, of the `NONZERO_VECTORS * BYTES / 4` from
/// `first_block` on, in any order.
///
/// Panics if there are fewer blocks.
#[inline]
#[target_feature(enable = "neon")]
pub fn append_nonzero<const BLOCKS: usize, const CAP: usize>(
    list: &mut NonZero<BLOCKS, CAP>,
    first_block: usize,
    packed: [U8; NONZERO_VECTORS],
) {
    NonZero::<BLOCKS, CAP>::assert_blocks(first_block, NONZERO_VECTORS * I32_LANES);
    let [a, b, c, d] = packed.map(|bytes| {
        let blocks = vreinterpretq_u32_u8(bytes);
        vreinterpretq_u16_u32(vtstq_u32(blocks, blocks))
    });
    let ab = vreinterpretq_u8_u16(vuzp1q_u16(a, b));
    let cd = vreinterpretq_u8_u16(vuzp1q_u16(c, d));
    let (nonzero, counts) = bits_and_counts(vuzp1q_u8(ab, cd));
    let counts = counts.map(usize::from);
    let room = list.room().as_mut_ptr().cast::<u16>();
    // SAFETY: a row of the table has the 16 bytes of a vector. The first count is at most 8, so
    // that both vectors lie within the room of 32 indices. No alignment is needed.
    unsafe {
        let lanes = nonzero.map(|bits| vld1q_u16(SET_BITS[usize::from(bits)].as_ptr()));
        let first = vdupq_n_u16(first_block as u16);
        let second = vdupq_n_u16((first_block + 8) as u16);
        vst1q_u16(room, vaddq_u16(lanes[0], first));
        vst1q_u16(room.add(counts[0]), vaddq_u16(lanes[1], second));
    }
    // SAFETY: the first vector has as many indices as the first byte has bits, and the second one,
    // which was written behind those, as many as the second byte has. Each is `first_block` plus a
    // number below 16, which the assertion at the top has shown to be less than `BLOCKS`.
    unsafe { list.grow(counts[0] + counts[1]) };
}

/// The sum over a row for a given `dot`. Four sums at once, because each waits for itself.
#[inline]
#[target_feature(enable = "neon")]
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

/// Of each eight bytes of a mask, a byte with a bit for each that is set, and how many there are.
#[inline]
#[target_feature(enable = "neon")]
fn bits_and_counts(mask: U8) -> ([u8; 2], [u8; 2]) {
    let bits = one_bit_each(mask);
    let bits = add_neighbours(bits, bits);
    let bits = add_neighbours(bits, bits);
    let bits = vget_low_u8(add_neighbours(bits, bits));
    let two = |bytes| vget_lane_u16::<0>(vreinterpret_u16_u8(bytes)).to_le_bytes();
    (two(bits), two(vcnt_u8(bits)))
}

/// A bit for each of 64 pairs of bytes that differ.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn differing_bytes(a: &[u8; 64], b: &[u8; 64]) -> u64 {
    !bits_of_masks(core::array::from_fn(|index| {
        vceqq_u8(load_u8(chunk(a, index)), load_u8(chunk(b, index)))
    }))
}

/// A bit for each of 64 bytes of masks.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn bits_of_masks(masks: [U8; 4]) -> u64 {
    let [a, b, c, d] = masks.map(|mask| one_bit_each(mask));
    let bits = add_neighbours(add_neighbours(a, b), add_neighbours(c, d));
    vgetq_lane_u64::<0>(vreinterpretq_u64_u8(add_neighbours(bits, bits)))
}

/// Sums of neighbouring bytes, of the first vector, then of the second. LLVM would take three
/// instructions for bytes that have no bit in common.
#[inline]
#[target_feature(enable = "neon")]
fn add_neighbours(a: U8, b: U8) -> U8 {
    let sums;
    // SAFETY: the instruction, of a feature that this function enables, changes the register of the
    // sums and nothing else.
    unsafe {
        asm!(
            "addp {sums:v}.16b, {a:v}.16b, {b:v}.16b",
            sums = lateout(vreg) sums,
            a = in(vreg) a,
            b = in(vreg) b,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    sums
}

/// Leaves one bit of each byte of a mask: the first of the first byte, the second of the second,
/// and the same again for the other eight.
#[inline]
#[target_feature(enable = "neon")]
fn one_bit_each(mask: U8) -> U8 {
    vandq_u8(
        mask,
        vreinterpretq_u8_u64(vdupq_n_u64(0x8040_2010_0804_0201)),
    )
}

/// A mask of the entries whose top bit is not set.
#[inline]
#[target_feature(enable = "neon")]
fn existing(table: &[u32; 16]) -> U8 {
    let [a, b, c, d] = core::array::from_fn(|index| {
        // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
        let entries = unsafe { vld1q_s32(chunk::<u32, 4>(table, index).as_ptr().cast()) };
        vreinterpretq_u16_u32(vcgezq_s32(entries))
    });
    let ab = vreinterpretq_u8_u16(vuzp1q_u16(a, b));
    let cd = vreinterpretq_u8_u16(vuzp1q_u16(c, d));
    vuzp1q_u8(ab, cd)
}

/// Looks up each of 64 bytes, which are less than 16, in a table: for each of eight bits, the bytes
/// whose entry has the bit, as a bit for each byte.
#[inline]
#[target_feature(enable = "neon")]
pub fn bit_planes(bytes: &[u8; 64], table: &[u8; 16]) -> [u64; 8] {
    // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
    let table = unsafe { vld1q_u8(table.as_ptr()) };
    let entries: [U8; 4] =
        core::array::from_fn(|index| vqtbl1q_u8(table, load_u8(chunk(bytes, index))));
    core::array::from_fn(|bit| {
        let bit = vdupq_n_u8(1 << bit);
        bits_of_masks(entries.map(|entries| vtstq_u8(entries, bit)))
    })
}

/// For each of 64 bits, the sum of the values of the sets that have the bit, less than 256.
#[inline]
#[target_feature(enable = "neon")]
pub fn sums_of_bits(sets: &[u64; 5], values: &[u8; 5]) -> [u8; 64] {
    let diagonal = vreinterpretq_u8_u64(vdupq_n_u64(0x8040_2010_0804_0201));
    // To which byte of a set a byte of the first vector belongs; in the next it is two on.
    let spread = vcombine_u8(vdup_n_u8(0), vdup_n_u8(1));
    let mut sums = [vdupq_n_u8(0); 4];
    for (set, value) in sets.iter().zip(values) {
        let (set, value) = (vreinterpretq_u8_u64(vdupq_n_u64(*set)), vdupq_n_u8(*value));
        for (sum, first) in sums.iter_mut().zip([0, 2, 4, 6]) {
            let bits = vqtbl1q_u8(set, vaddq_u8(spread, vdupq_n_u8(first)));
            // A mask is minus one.
            *sum = vmlsq_u8(*sum, vtstq_u8(bits, diagonal), value);
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
#[target_feature(enable = "neon")]
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
    let masks = core::array::from_fn(|index| vqtbl1q_u8(exist, load_u8(chunk(bytes, index))));
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

/// Whether any bit of a vector is set.
#[inline]
#[target_feature(enable = "neon")]
pub fn any_u64x8(lanes: U64x8) -> bool {
    let all = vorrq_u64(vorrq_u64(lanes[0], lanes[1]), vorrq_u64(lanes[2], lanes[3]));
    vmaxvq_u32(vreinterpretq_u32_u64(all)) != 0
}

/// The lowest bit of each lane.
#[inline]
#[target_feature(enable = "neon")]
pub fn lowest_u64x8(lanes: U64x8) -> U64x8 {
    lanes.map(|lanes| {
        let negative = vnegq_s64(vreinterpretq_s64_u64(lanes));
        vandq_u64(lanes, vreinterpretq_u64_s64(negative))
    })
}

/// The bits that the first vector has and the second has not.
#[inline]
#[target_feature(enable = "neon")]
pub fn and_not_u64x8(a: U64x8, b: U64x8) -> U64x8 {
    core::array::from_fn(|index| vbicq_u64(a[index], b[index]))
}

/// Writes the number of the bit of `from` and that of `to` for each lane in which `to` has a bit.
/// No lane has several bits. Returns how many lanes were written. The lanes behind them mean
/// nothing.
#[inline]
#[target_feature(enable = "neon")]
pub fn write_squares(from: U64x8, to: U64x8, squares: &mut [[u8; 2]; 8]) -> usize {
    let mut lanes = [[0; 8]; 2];
    store_u64x8(from, &mut lanes[0]);
    store_u64x8(to, &mut lanes[1]);
    super::scalar::write_squares(lanes[0], lanes[1], squares)
}

/// Eight lanes with the same value.
#[inline]
#[target_feature(enable = "neon")]
pub fn splat_u64x8(value: u64) -> U64x8 {
    [vdupq_n_u64(value); 4]
}

/// Reads eight lanes from memory.
#[inline]
#[target_feature(enable = "neon")]
pub fn load_u64x8(from: &[u64; 8]) -> U64x8 {
    core::array::from_fn(|index| {
        // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
        unsafe { vld1q_u64(chunk::<u64, 2>(from, index).as_ptr()) }
    })
}

/// Writes eight lanes to memory.
#[inline]
#[target_feature(enable = "neon")]
pub fn store_u64x8(lanes: U64x8, to: &mut [u64; 8]) {
    for (index, lanes) in lanes.into_iter().enumerate() {
        // SAFETY: the array has the size of the vector; the instruction asks for no alignment.
        unsafe { vst1q_u64(chunk_mut::<u64, 2>(to, index).as_mut_ptr(), lanes) };
    }
}

/// The bits that both vectors have.
#[inline]
#[target_feature(enable = "neon")]
pub fn and_u64x8(a: U64x8, b: U64x8) -> U64x8 {
    core::array::from_fn(|index| vandq_u64(a[index], b[index]))
}

/// The bits that either vector has.
#[inline]
#[target_feature(enable = "neon")]
pub fn or_u64x8(a: U64x8, b: U64x8) -> U64x8 {
    core::array::from_fn(|index| vorrq_u64(a[index], b[index]))
}

/// Rotates each lane of the first vector to the left by the number of bits in the same lane of the
/// second, 0 to 63.
#[inline]
#[target_feature(enable = "neon")]
pub fn rotate_left_u64x8(lanes: U64x8, bits: U64x8) -> U64x8 {
    core::array::from_fn(|index| {
        // Negative shifts go to the right. One by 64 bits leaves nothing, so that the two shifts of
        // a lane meet in no bit.
        let left = vreinterpretq_s64_u64(bits[index]);
        let right = vsubq_s64(left, vdupq_n_s64(64));
        vorrq_u64(
            vshlq_u64(lanes[index], left),
            vshlq_u64(lanes[index], right),
        )
    })
}
