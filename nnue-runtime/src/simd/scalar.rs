//! Primitives in plain Rust on vectors of 16 bytes. They define what the primitives of every level
//! mean.
//!
//! LLVM makes vector instructions (SSE2, NEON, ...) of all but [`dot`], which stays one
//! multiplication for each product.

use core::array;
use core::mem::MaybeUninit;

use super::nonzero::NonZero;
use crate::buffer::chunk;

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
pub const NONZERO_VECTORS: usize = 1;

/// A vector of signed 16-bit lanes.
pub type I16 = [i16; I16_LANES];
/// A vector of signed 32-bit lanes.
pub type I32 = [i32; I32_LANES];
/// Eight signed 32-bit lanes.
pub type I32x8 = [i32; 8];
/// A vector of unsigned bytes.
pub type U8 = [u8; BYTES];
/// A vector of signed bytes.
pub type I8 = [i8; BYTES];
/// A block of four unsigned bytes, repeated over a vector.
pub type Blocks = U8;
/// Sums of products of bytes, before they are a vector of 32-bit lanes.
pub type Dots = I32;
/// Eight lanes of 64 bits.
pub type U64x8 = [u64; 8];

/// Reads a vector of 16-bit lanes from memory.
#[inline(always)]
pub fn load_i16(from: &[i16; I16_LANES]) -> I16 {
    *from
}

/// Reads a vector of signed bytes, each widened to a lane of 16 bits.
#[inline(always)]
pub fn load_i16_from_i8(from: &[i8; I16_LANES]) -> I16 {
    from.map(i16::from)
}

/// Reads a vector of bytes, two in each lane of 16 bits: the first of them is the lower.
#[inline(always)]
pub fn load_i16_pairs(from: &[i8; BYTES]) -> I16 {
    array::from_fn(|lane| i16::from_le_bytes([from[2 * lane] as u8, from[2 * lane + 1] as u8]))
}

/// Writes a vector of 16-bit lanes to memory.
#[inline(always)]
pub fn store_i16(vector: I16, to: &mut [i16; I16_LANES]) {
    *to = vector;
}

/// A vector with the same value in every lane.
#[inline(always)]
pub fn splat_i16(value: i16) -> I16 {
    [value; I16_LANES]
}

/// `a + b`, wrapping.
#[inline(always)]
pub fn add_i16(a: I16, b: I16) -> I16 {
    array::from_fn(|lane| a[lane].wrapping_add(b[lane]))
}

/// `a - b`, wrapping.
#[inline(always)]
pub fn sub_i16(a: I16, b: I16) -> I16 {
    array::from_fn(|lane| a[lane].wrapping_sub(b[lane]))
}

/// The lesser of each pair of lanes.
#[inline(always)]
pub fn min_i16(a: I16, b: I16) -> I16 {
    array::from_fn(|lane| a[lane].min(b[lane]))
}

/// The greater of each pair of lanes.
#[inline(always)]
pub fn max_i16(a: I16, b: I16) -> I16 {
    array::from_fn(|lane| a[lane].max(b[lane]))
}

/// `a << N`, for `N` in `0..=15`; bits shifted out are lost.
#[inline(always)]
pub fn shift_left_i16<const N: i32>(a: I16) -> I16 {
    const { assert!(N >= 0 && N < 16) };
    a.map(|lane| lane << N)
}

/// `a >> N`, for `N` in `0..=15`, rounding down.
#[inline(always)]
pub fn shift_right_i16<const N: i32>(a: I16) -> I16 {
    const { assert!(N >= 0 && N < 16) };
    a.map(|lane| lane >> N)
}

/// The high 16 bits of the signed product of 32 bits, after a shift of the first factor to the
/// left: `(a << N) * b >> 16`, rounding down. Levels differ where `a << N` does not fit in 16 bits,
/// and where both factors are `i16::MIN`.
#[inline(always)]
pub fn mul_high_i16<const N: i32>(a: I16, b: I16) -> I16 {
    let a = shift_left_i16::<N>(a);
    array::from_fn(|lane| ((i32::from(a[lane]) * i32::from(b[lane])) >> 16) as i16)
}

/// `a * b >> 15` of the signed product of 32 bits, rounded to the nearest, halves up. Levels differ
/// where both factors are `i16::MIN`.
#[inline(always)]
pub fn mul_rounded_i16(a: I16, b: I16) -> I16 {
    let product = |lane: usize| i32::from(a[lane]) * i32::from(b[lane]);
    array::from_fn(|lane| ((product(lane) + (1 << 14)) >> 15) as i16)
}

/// The low 16 bits of the product: `a * b`, wrapping.
#[inline(always)]
pub fn mul_low_i16(a: I16, b: I16) -> I16 {
    array::from_fn(|lane| a[lane].wrapping_mul(b[lane]))
}

super::words::quantmoid4_i16! {
    #[inline(always)]
}

/// Two vectors, clamped to `0..=255`.
#[inline(always)]
pub fn clip_to_255(a: I16, b: I16) -> [I16; 2] {
    [a, b].map(|words| words.map(|word| word.clamp(0, 255)))
}

/// The lanes of `first`, then of `second`, clamped to `0..=255`, in groups of 8 in the order of
/// [`PACKED`].
#[inline(always)]
pub fn pack_u8(first: I16, second: I16) -> U8 {
    let lane = |index: usize| {
        if index < I16_LANES {
            first[index]
        } else {
            second[index - I16_LANES]
        }
    };
    array::from_fn(|index| lane(index).clamp(0, 255) as u8)
}

/// `clamp(a, 0, 127) * clamp(b, 0, 127) >> SHIFT` of the lanes of the first vectors, then of the
/// second vectors, in the order of [`pack_u8`]. `SHIFT` is 6 to 8, so that a product fits in a
/// byte.
#[inline(always)]
pub fn product_to_127<const SHIFT: u32>(a: [I16; 2], b: [I16; 2]) -> U8 {
    const {
        assert!(
            SHIFT >= 6 && SHIFT <= 8,
            "products that do not fit in a byte"
        )
    };
    product::<127, SHIFT>(a, b)
}

/// `clamp(a, 0, 255) * clamp(b, 0, 255) >> SHIFT` of the lanes of the first vectors, then of the
/// second vectors, in the order of [`pack_u8`]. `SHIFT` is 8 to 15, so that a product fits in a
/// byte.
#[inline(always)]
pub fn product_to_255<const SHIFT: u32>(a: [I16; 2], b: [I16; 2]) -> U8 {
    const {
        assert!(
            SHIFT >= 8 && SHIFT <= 15,
            "products that do not fit in a byte"
        )
    };
    product::<255, SHIFT>(a, b)
}

#[inline(always)]
fn product<const ONE: i32, const SHIFT: u32>(a: [I16; 2], b: [I16; 2]) -> U8 {
    let (a, b) = (a.as_flattened(), b.as_flattened());
    let clamped = |value: i16| i32::from(value).clamp(0, ONE);
    array::from_fn(|lane| ((clamped(a[lane]) * clamped(b[lane])) >> SHIFT) as u8)
}

/// Reads a vector of unsigned bytes from memory.
#[inline(always)]
pub fn load_u8(from: &[u8; BYTES]) -> U8 {
    *from
}

/// The bytes of a vector, in the order of memory.
#[inline(always)]
pub fn bytes_u8(vector: U8) -> [u8; BYTES] {
    vector
}

/// A vector of zeros in all 32-bit lanes.
#[inline(always)]
pub fn zero_i32() -> I32 {
    [0; I32_LANES]
}

/// Reads a vector of 32-bit lanes from memory.
#[inline(always)]
pub fn load_i32(from: &[i32; I32_LANES]) -> I32 {
    *from
}

/// Writes a vector of 32-bit lanes to memory.
#[inline(always)]
pub fn store_i32(vector: I32, to: &mut [i32; I32_LANES]) {
    *to = vector;
}

/// `a + b`, wrapping.
#[inline(always)]
pub fn add_i32(a: I32, b: I32) -> I32 {
    array::from_fn(|lane| a[lane].wrapping_add(b[lane]))
}

/// A vector with the same value in all 32-bit lanes.
#[inline(always)]
pub fn splat_i32(value: i32) -> I32 {
    [value; I32_LANES]
}

/// Products of 32-bit lanes, wrapping.
#[inline(always)]
pub fn mul_i32(a: I32, b: I32) -> I32 {
    array::from_fn(|lane| a[lane].wrapping_mul(b[lane]))
}

/// Adds to the lanes of `sum` the products of 16-bit lanes, two to each, wrapping. Levels differ in
/// which two they are: only the sum of all lanes is the same.
#[inline(always)]
pub fn madd_i16(sum: I32, a: I16, b: I16) -> I32 {
    let product = |lane: usize| i32::from(a[lane]) * i32::from(b[lane]);
    array::from_fn(|lane| {
        let pair = product(2 * lane).wrapping_add(product(2 * lane + 1));
        sum[lane].wrapping_add(pair)
    })
}

/// The sum of all lanes, wrapping.
#[inline(always)]
pub fn sum_i32(lanes: I32) -> i32 {
    lanes.into_iter().fold(0, i32::wrapping_add)
}

/// Reads eight lanes: as many as PSQT buckets, whatever the vector's size.
#[inline(always)]
pub fn load_i32x8(from: &[i32; 8]) -> I32x8 {
    *from
}

/// Writes eight 32-bit lanes to memory.
#[inline(always)]
pub fn store_i32x8(lanes: I32x8, to: &mut [i32; 8]) {
    *to = lanes;
}

/// `a + b`, wrapping.
#[inline(always)]
pub fn add_i32x8(a: I32x8, b: I32x8) -> I32x8 {
    array::from_fn(|lane| a[lane].wrapping_add(b[lane]))
}

/// `a - b`, wrapping.
#[inline(always)]
pub fn sub_i32x8(a: I32x8, b: I32x8) -> I32x8 {
    array::from_fn(|lane| a[lane].wrapping_sub(b[lane]))
}

/// Reads a vector of signed bytes from memory.
#[inline(always)]
pub fn load_i8(from: &[i8; BYTES]) -> I8 {
    *from
}

/// The four bytes, repeated over the whole vector.
#[inline(always)]
pub fn splat_block(block: &[u8; 4]) -> Blocks {
    array::from_fn(|index| block[index % 4])
}

/// The block at a place among four, repeated over a vector.
#[inline(always)]
pub fn splat_block_of<const PLACE: i32>(blocks: &[[u8; 4]; 4]) -> Blocks {
    splat_block(&blocks[PLACE as usize])
}

/// Sums of products of bytes that start at these lanes.
#[inline(always)]
pub fn dots(lanes: I32) -> Dots {
    lanes
}

/// The lanes of sums of products of bytes.
#[inline(always)]
pub fn sum_dots(dots: Dots) -> I32 {
    dots
}

/// Adds to each 32-bit lane of `sum` the four products of its bytes, wrapping. Exact for inputs in
/// `0..=127`; levels differ beyond.
#[inline(always)]
pub fn dot(sum: Dots, inputs: Blocks, weights: I8) -> Dots {
    dot_wide(sum, inputs, weights)
}

/// Adds to each 32-bit lane of `sum` the products of two blocks, wrapping. Exact for inputs in
/// `0..=127` where the sums of two neighbouring products of both blocks fit in 16 bits; levels
/// differ beyond.
#[inline(always)]
pub fn dot_two(sum: Dots, inputs: [Blocks; 2], weights: [I8; 2]) -> Dots {
    dot(dot(sum, inputs[0], weights[0]), inputs[1], weights[1])
}

/// [`dot`], exact for all inputs.
#[inline(always)]
pub fn dot_wide(sum: Dots, inputs: Blocks, weights: I8) -> Dots {
    array::from_fn(|lane| {
        let products = chunk::<u8, 4>(&inputs, lane)
            .iter()
            .zip(chunk::<i8, 4>(&weights, lane));
        sum[lane].wrapping_add(
            products
                .map(|(&input, &weight)| i32::from(input) * i32::from(weight))
                .sum(),
        )
    })
}

/// The sum of the products of a whole row, wrapping; `N` is a multiple of 32. Exact for inputs in
/// `0..=127`; levels differ beyond.
#[inline(always)]
pub fn dot_row<const N: usize>(inputs: &[u8; N], weights: &[i8; N]) -> i32 {
    dot_row_wide(inputs, weights)
}

/// [`dot_row`], exact for all inputs.
#[inline(always)]
pub fn dot_row_wide<const N: usize>(inputs: &[u8; N], weights: &[i8; N]) -> i32 {
    const { assert!(N.is_multiple_of(32), "rows are padded to 32 inputs") };
    let products = inputs
        .iter()
        .zip(weights)
        .map(|(&input, &weight)| i32::from(input) * i32::from(weight));
    products.fold(0, i32::wrapping_add)
}

/// `a * b + c`, rounded once.
///
/// The product of two `f32` is exact in `f64`. The sum is rounded to odd there: towards zero, and
/// if anything is lost the last bit is set. What is then rounded to `f32` is as far from a tie as
/// the exact sum.
#[inline(always)]
pub fn fma_f32(a: f32, b: f32, c: f32) -> f32 {
    let (product, addend) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + addend;
    // What the rounded sum misses, exactly (Knuth).
    let part = sum - product;
    let error = (product - (sum - part)) + (addend - part);
    if error == 0.0 || !sum.is_finite() || sum.to_bits() & 1 == 1 {
        return sum as f32;
    }
    // An even sum that is not exact lies between its two odd neighbours: take the one on the side
    // of the error.
    let away_from_zero = (error > 0.0) == (sum > 0.0);
    let bits = sum.to_bits();
    f64::from_bits(if away_from_zero { bits + 1 } else { bits - 1 }) as f32
}

/// The square root, rounded once.
///
/// `core` has it for integers alone: here, of the mantissa with zeros behind it, so that the root
/// has 26 or 27 bits, and `f32` keeps 24.
#[inline(always)]
pub fn sqrt_f32(x: f32) -> f32 {
    if !(x.is_finite() && x > 0.0) {
        // Of zeros the zero, of infinity infinity, of all others no number.
        return if x < 0.0 { f32::NAN } else { x };
    }
    // Subnormal numbers become normal; the factor has a root.
    let (x, factor) = if x < f32::MIN_POSITIVE {
        (x * 16_777_216.0, 1.0 / 4096.0)
    } else {
        (x, 1.0)
    };
    let exponent = (x.to_bits() >> 23) as i32 - 127 - 23;
    let mantissa = u64::from(x.to_bits() & 0x7F_FFFF | 0x80_0000);
    // The exponent that remains is even, so that half of it is whole.
    let zeros = 28 + (exponent & 1);
    let square = mantissa << zeros;
    let root = square.isqrt();
    // What the root lacks is less than its last bit. Setting that bit rounds the root as if all of
    // it were there.
    let sticky = root | u64::from(root * root != square);
    let half = (exponent - zeros) / 2;
    sticky as f32 * f32::from_bits(((half + 127) as u32) << 23) * factor
}

/// Appends the blocks whose four bytes are not all zero, of the `NONZERO_VECTORS * BYTES / 4` from
/// `first_block` on, in any order.
///
/// Panics if there are fewer blocks.
#[inline(always)]
pub fn append_nonzero<const BLOCKS: usize, const CAP: usize>(
    list: &mut NonZero<BLOCKS, CAP>,
    first_block: usize,
    packed: [U8; NONZERO_VECTORS],
) {
    NonZero::<BLOCKS, CAP>::assert_blocks(first_block, I32_LANES);
    let [bytes] = packed;
    let room = list.room();
    let mut found = 0;
    for lane in 0..I32_LANES {
        room[found] = MaybeUninit::new((first_block + lane) as u16);
        found += usize::from(*chunk::<u8, 4>(&bytes, lane) != [0; 4]);
    }
    // SAFETY: the first `found` of the room were written, at most one for each lane, with indices
    // that the assertion at the top has shown to be less than `BLOCKS`.
    unsafe { list.grow(found) };
}

/// Looks up each of 64 bytes, which are less than 16, in a table: for each of eight bits, the bytes
/// whose entry has the bit, as a bit for each byte.
#[inline]
pub fn bit_planes(bytes: &[u8; 64], table: &[u8; 16]) -> [u64; 8] {
    /// Brings the low bits of eight bytes together in the highest byte of a product.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let entries = bytes.map(|byte| table[usize::from(byte % 16)]);
    core::array::from_fn(|bit| {
        let eights = entries.as_chunks::<8>().0.iter().enumerate();
        eights.fold(0, |plane, (index, eight)| {
            let low_bits = u64::from_le_bytes(*eight) >> bit & 0x0101_0101_0101_0101;
            plane | (low_bits.wrapping_mul(GATHER) >> 56) << (8 * index)
        })
    })
}

/// For each of 64 bits, the sum of the values of the sets that have the bit, less than 256.
#[inline]
pub fn sums_of_bits(sets: &[u64; 5], values: &[u8; 5]) -> [u8; 64] {
    /// Bit `n` of byte `n`.
    const DIAGONAL: u64 = 0x8040_2010_0804_0201;
    let mut sums = [0; 64];
    for (index, eight) in sums.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        let sets = sets.iter().zip(values);
        let sum = sets.fold(0, |sum: u64, (set, value)| {
            let byte = set >> (8 * index) & 0xff;
            let bits = (byte * 0x0101_0101_0101_0101) & DIAGONAL;
            // The sum of a byte reaches its top bit if any other bit is set.
            let reached = (bits + 0x7f7f_7f7f_7f7f_7f7f) >> 7;
            let ones = reached & 0x0101_0101_0101_0101;
            sum.wrapping_add(ones * u64::from(*value))
        });
        *eight = sum.to_le_bytes();
    }
    sums
}

/// Looks up each of 64 bytes, which are less than 16, in a table. Where the entry's top bit is not
/// set, it is written to `rows` behind the first `len` rows, plus `offset`, plus the byte's own
/// number exclusive-ored with `orientation`. Returns how many rows `rows` has then; those for which
/// it has no room are left out.
#[inline]
pub fn append_rows(
    bytes: &[u8; 64],
    table: &[u32; 16],
    offset: u32,
    orientation: u8,
    rows: &mut [u32],
    mut len: usize,
) -> usize {
    for (number, byte) in (0..).zip(bytes) {
        let entry = table[usize::from(byte % 16)];
        if let Some(free) = rows.get_mut(len) {
            *free = entry.wrapping_add(offset) + (number ^ u32::from(orientation));
            len += usize::from(entry >> 31 == 0);
        }
    }
    len
}

/// Whether any bit of a vector is set.
#[inline]
pub fn any_u64x8(lanes: U64x8) -> bool {
    lanes != [0; 8]
}

/// The lowest bit of each lane.
#[inline]
pub fn lowest_u64x8(lanes: U64x8) -> U64x8 {
    lanes.map(|lane| lane & lane.wrapping_neg())
}

/// The bits that the first vector has and the second has not.
#[inline]
pub fn and_not_u64x8(a: U64x8, b: U64x8) -> U64x8 {
    core::array::from_fn(|lane| a[lane] & !b[lane])
}

/// Writes the number of the bit of `from` and that of `to` for each lane in which `to` has a bit.
/// No lane has several bits. Returns how many lanes were written. The lanes behind them mean
/// nothing.
#[inline(always)]
pub fn write_squares(from: U64x8, to: U64x8, squares: &mut [[u8; 2]; 8]) -> usize {
    let mut written = 0;
    for (from, to) in from.into_iter().zip(to) {
        squares[written % 8] = [from, to].map(|bit| bit.trailing_zeros() as u8);
        written += usize::from(to != 0);
    }
    written
}

/// Eight lanes with the same value.
#[inline]
pub fn splat_u64x8(value: u64) -> U64x8 {
    [value; 8]
}

/// Reads eight lanes from memory.
#[inline]
pub fn load_u64x8(from: &[u64; 8]) -> U64x8 {
    *from
}

/// Writes eight lanes to memory.
#[inline]
pub fn store_u64x8(lanes: U64x8, to: &mut [u64; 8]) {
    *to = lanes;
}

/// The bits that both vectors have.
#[inline]
pub fn and_u64x8(a: U64x8, b: U64x8) -> U64x8 {
    core::array::from_fn(|lane| a[lane] & b[lane])
}

/// The bits that either vector has.
#[inline]
pub fn or_u64x8(a: U64x8, b: U64x8) -> U64x8 {
    core::array::from_fn(|lane| a[lane] | b[lane])
}

/// Rotates each lane of the first vector to the left by the number of bits in the same lane of the
/// second, 0 to 63.
#[inline]
pub fn rotate_left_u64x8(lanes: U64x8, bits: U64x8) -> U64x8 {
    core::array::from_fn(|lane| lanes[lane].rotate_left(bits[lane] as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_wrap_and_comparisons_are_signed() {
        let (low, high) = (splat_i16(i16::MIN), splat_i16(i16::MAX));
        assert_eq!(add_i16(high, splat_i16(1)), low);
        assert_eq!(sub_i16(low, splat_i16(1)), high);
        assert_eq!((min_i16(low, high), max_i16(low, high)), (low, high));
        assert_eq!(add_i32([i32::MAX; 4], [1; 4]), [i32::MIN; 4]);
    }

    #[test]
    fn shifts_and_products_round_down() {
        assert_eq!(
            shift_left_i16::<7>(splat_i16(0x01FF)),
            splat_i16(0xFF80_u16 as i16)
        );
        assert_eq!(shift_right_i16::<2>(splat_i16(-5)), splat_i16(-2));
        assert_eq!(
            mul_high_i16::<0>(splat_i16(-3), splat_i16(1)),
            splat_i16(-1)
        );
        assert_eq!(
            mul_high_i16::<7>(splat_i16(255), splat_i16(255)),
            splat_i16(127)
        );
        assert_eq!(
            mul_high_i16::<0>(splat_i16(i16::MIN), splat_i16(i16::MIN)),
            splat_i16(0x4000)
        );
        assert_eq!(
            mul_low_i16(splat_i16(300), splat_i16(-300)),
            splat_i16(-24464)
        );
    }

    #[test]
    fn rounded_products_have_halves_go_up() {
        let rounded = |a, b| mul_rounded_i16(splat_i16(a), splat_i16(b))[0];
        assert_eq!([16383, 16384, 16385].map(|a| rounded(a, 1)), [0, 1, 1]);
        assert_eq!([-16384, -16385].map(|a| rounded(a, 1)), [0, -1]);
        assert_eq!(rounded(127 << 8, 127), 126);
        assert_eq!(rounded(i16::MIN, i16::MIN), i16::MIN);
    }

    #[test]
    fn packing_clamps_to_bytes() {
        let packed = pack_u8(
            [-1, 0, 1, 127, 128, 255, 256, i16::MAX],
            splat_i16(i16::MIN),
        );
        assert_eq!(
            packed,
            [0, 0, 1, 127, 128, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0]
        );
    }

    #[cfg(feature = "std")]
    #[test]
    fn fma_rounds_once() {
        let nasty = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            f32::MIN_POSITIVE,
            f32::MAX,
            f32::MIN,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::EPSILON,
            1.0 + f32::EPSILON,
            1.0 - f32::EPSILON / 2.0,
            1e-45,
            -1e-45,
            16_777_215.0,
            3.0,
        ];
        let assert_same = |a: f32, b: f32, c: f32| {
            let (found, expected) = (fma_f32(a, b, c), a.mul_add(b, c));
            assert!(
                found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan(),
                "{a:e} * {b:e} + {c:e} is {found:e}, expected {expected:e}"
            );
        };
        for a in nasty {
            for b in nasty {
                for c in nasty {
                    assert_same(a, b, c);
                }
            }
        }
        let mut state = 0x9E37_79B9_7F4A_7C15u64;
        let mut draw = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            f32::from_bits((state >> 16) as u32)
        };
        for _ in 0..1_000_000 {
            let (a, b, c) = (draw(), draw(), draw());
            assert_same(a, b, c);
            // Close to a tie, or cancelling.
            assert_same(a, b, -(a * b));
            assert_same(a, b, a * b * f32::EPSILON);
        }
    }

    /// With an odd step, the numbers have all mantissas and exponents among them.
    #[cfg(feature = "std")]
    #[test]
    fn roots_are_rounded_once() {
        let zeros_and_least = [0, 1 << 31, 1, 2, 3, 0x007F_FFFF, 0x0080_0000];
        let largest = [0x7F7F_FFFF, 0x7F80_0000, 0x7F80_0001, 0xFF80_0000, u32::MAX];
        let others = (0..=u32::MAX).step_by(2039);
        for bits in others.chain(zeros_and_least).chain(largest) {
            let x = f32::from_bits(bits);
            let (found, expected) = (sqrt_f32(x), x.sqrt());
            assert!(
                found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan(),
                "the root of {x:e} is {found:e}, expected {expected:e}"
            );
        }
        // The squares of numbers of 13 bits, and their neighbours.
        for root in 1..1u32 << 12 {
            for x in [root * root - 1, root * root, root * root + 1].map(|x| x as f32) {
                assert_eq!(sqrt_f32(x), x.sqrt(), "of {x}");
            }
        }
    }

    #[test]
    fn each_lane_adds_two_products_of_words() {
        let a = [1, 2, i16::MIN, i16::MIN, i16::MAX, 0, -3, 4];
        let b = [10, 100, i16::MIN, i16::MIN, i16::MIN, 9, 5, 6];
        let sums = madd_i16([7, 0, -1, i32::MAX], a, b);
        assert_eq!(sums, [217, i32::MIN, -1_073_709_057, i32::MIN + 8]);
        assert_eq!(sum_i32([i32::MAX, 1, -5, 7]), i32::MIN + 2);
    }

    #[test]
    fn each_lane_sums_its_own_four_products() {
        let inputs = [
            1, 2, 3, 4, 127, 127, 127, 127, 0, 0, 0, 255, 255, 255, 255, 255,
        ];
        let weights = [
            1, 10, 100, -1, -128, -128, -128, -128, 9, 9, 9, -128, 127, 127, 127, 127,
        ];
        assert_eq!(
            dot_wide([7, 0, i32::MIN, i32::MAX], inputs, weights)[..2],
            [324, -65024]
        );
        assert_eq!(dot_wide([0; 4], inputs, weights)[2..], [-32640, 129_540]);
        assert_eq!(
            dot_wide([i32::MAX; 4], splat_block(&[1, 0, 0, 0]), [1; 16]),
            [i32::MIN; 4]
        );
        assert_eq!(dot_row_wide(&[255; 64], &[-128; 64]), -64 * 255 * 128);
    }
}
