//! SIMD primitives, one file for each level.
//!
//! **The rule:** all files offer the same functions, constants and types, under the same names and
//! in the same order, with the same meaning: generated kernels differ between levels only in the
//! module that they use. [`scalar`] defines the meaning in plain Rust. Levels that extend another,
//! as `avxvnni` and `neondot` do, re-export it and replace what their instructions do better. Two
//! tests hold the rule: one reads the files, one compares the results of all functions on all
//! levels.
//!
//! Primitives are safe. Loads and stores take references to arrays that have the size of the
//! vector, so they cannot leave them; and a function that enables target features can only be
//! called, without `unsafe`, by functions that enable them too. Those are entered through
//! [`dispatch!`](crate::__private::dispatch). In WebAssembly anything may call them, which is safe: an
//! engine takes a module with instructions that it lacks as a whole, or not at all.
//!
//! A new level is a file here and a row in the table of [`nnue_format::levels`].

#![allow(
    clippy::missing_safety_doc,
    reason = "clippy takes safe functions that enable target features for unsafe ones"
)]

#[cfg(target_arch = "x86_64")]
pub mod avx2;
#[cfg(target_arch = "x86_64")]
pub mod avx512;
#[cfg(target_arch = "x86_64")]
pub mod avx512icl;
#[cfg(target_arch = "x86_64")]
pub mod avxvnni;
mod inputs;
#[cfg(all(
    target_arch = "aarch64",
    target_endian = "little",
    target_feature = "neon"
))]
pub mod neon;
#[cfg(all(
    target_arch = "aarch64",
    target_endian = "little",
    target_feature = "neon"
))]
pub mod neondot;
#[cfg(all(
    target_arch = "aarch64",
    target_endian = "little",
    target_feature = "neon"
))]
pub mod neoni8mm;
mod nonzero;
#[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
pub mod relaxed;
pub mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub mod simd128;
mod words;

use nnue_format::levels::LevelKind;

use crate::__private::dispatch;
use crate::level::Level;

pub use inputs::{InputWriter, Inputs};
pub use nonzero::{Block, NonZero};

/// Asks for the first `LINES` cache lines of a value, which will be read soon.
#[inline(always)]
pub fn prefetch<T, const LINES: usize>(value: &T) {
    let start = core::ptr::from_ref(value).cast::<i8>();
    for line in 0..LINES {
        prefetch_line(start.wrapping_add(64 * line));
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn prefetch_line(address: *const i8) {
    use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a prefetch is a hint: it reads nothing and never faults, whatever the address. The
    // instruction is of SSE, which every x86-64 has.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address) };
}

#[cfg(target_arch = "aarch64")]
#[inline(always)]
fn prefetch_line(address: *const i8) {
    // SAFETY: a prefetch is a hint: it reads nothing and never faults, whatever the address. Every
    // machine of this architecture has the instruction.
    unsafe {
        core::arch::asm!(
            "prfm pldl1keep, [{address}]",
            address = in(reg) address,
            options(nomem, nostack, preserves_flags),
        );
    }
}

/// Stable Rust has no prefetch for other architectures.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn prefetch_line(_address: *const i8) {}

/// A bit for each of 64 pairs of bytes that differ.
///
/// It is the same on every level: evaluators need it where no level's functions can be inlined, and
/// the vectors that almost every x86-64 target has serve as well. Compilers do not find them in a
/// loop.
#[cfg(not(all(
    target_arch = "aarch64",
    target_endian = "little",
    target_feature = "neon"
)))]
#[inline]
pub(crate) fn differing_bytes(a: &[u8; 64], b: &[u8; 64]) -> u64 {
    let sixteens = core::iter::zip(a.as_chunks().0, b.as_chunks().0);
    let bits = sixteens.map(|(a, b)| u64::from(differing(a, b)));
    bits.rev().fold(0, |bits, next| bits << 16 | next)
}

#[cfg(all(
    target_arch = "aarch64",
    target_endian = "little",
    target_feature = "neon"
))]
#[inline]
pub(crate) fn differing_bytes(a: &[u8; 64], b: &[u8; 64]) -> u64 {
    // SAFETY: this function is only compiled where all code may use NEON.
    unsafe { neon::differing_bytes(a, b) }
}

/// Defines [`Level::packed`], from the modules of this architecture.
macro_rules! packed {
    ($(
        $kind:ident $module:ident target_arch[$($arch:literal $(, $($build:tt)+)?)?]
        features $features:tt $facts:tt
    )+) => {
        impl Level {
            /// The order in which this level's `pack_u8` leaves groups of 8 bytes: packed group
            /// `g` of a vector holds logical group `packed()[g]`. Weights are permuted by it once,
            /// when they are loaded.
            #[doc(hidden)]
            #[must_use]
            pub const fn packed(self) -> &'static [usize] {
                match self.kind() {
                    $(
                        #[cfg(all($(target_arch = $arch $(, $($build)+)?)?))]
                        LevelKind::$kind => &$module::PACKED,
                    )+
                    _ => &[],
                }
            }
        }
    };
}
nnue_format::levels!(packed);

/// `sums_of_bits` at a level.
#[inline]
pub(crate) fn sums_of_bits(level: Level, sets: &[u64; 5], values: &[u8; 5]) -> [u8; 64] {
    dispatch!(level, sums_of_bits(sets, values))
}

/// `append_rows` at a level.
#[inline]
pub(crate) fn append_rows(
    level: Level,
    bytes: &[u8; 64],
    table: &[u32; 16],
    offset: u32,
    orientation: u8,
    rows: &mut [u32],
    len: usize,
) -> usize {
    dispatch!(
        level,
        append_rows(bytes, table, offset, orientation, rows, len)
    )
}

/// Writes the first `count` of some numbers behind the first `len` of a list, and returns how long
/// the list is then. Numbers for which the list has no room are left out.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn append<const N: usize>(numbers: &[u32; N], count: usize, list: &mut [u32], len: usize) -> usize {
    let Some(free) = list.get_mut(len..) else {
        return len;
    };
    // All of them in one store where there is room, which almost always is.
    match free.first_chunk_mut::<N>() {
        Some(free) => *free = *numbers,
        None => {
            let all = free.len().min(N);
            free.copy_from_slice(&numbers[..all]);
        }
    }
    len + count.min(free.len())
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[inline]
fn differing(a: &[u8; 16], b: &[u8; 16]) -> u16 {
    use core::arch::x86_64::{_mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8};
    // SAFETY: both loads read the 16 bytes of an array, which need not be aligned; this
    // function is only compiled where all code may use SSE2.
    let equal = unsafe {
        let [a, b] = [a, b].map(|bytes| _mm_loadu_si128(bytes.as_ptr().cast()));
        _mm_movemask_epi8(_mm_cmpeq_epi8(a, b))
    };
    !equal as u16
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline]
fn differing(a: &[u8; 16], b: &[u8; 16]) -> u16 {
    use core::arch::wasm32::{u8x16_bitmask, u8x16_ne, v128_load};
    // SAFETY: both loads read the 16 bytes of an array, which need not be aligned.
    let [a, b] = unsafe { [a, b].map(|bytes| v128_load(bytes.as_ptr().cast())) };
    u8x16_bitmask(u8x16_ne(a, b))
}

#[cfg(not(any(
    all(target_arch = "x86_64", target_feature = "sse2"),
    all(target_arch = "wasm32", target_feature = "simd128"),
    all(
        target_arch = "aarch64",
        target_endian = "little",
        target_feature = "neon"
    )
)))]
fn differing(a: &[u8; 16], b: &[u8; 16]) -> u16 {
    let bits = core::iter::zip(a, b).map(|(a, b)| u16::from(a != b));
    bits.rev().fold(0, |bits, bit| bits << 1 | bit)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::NonZero;
    use crate::__private::dispatch;
    use crate::buffer::{chunk, chunk_mut};
    use crate::level::Level;

    /// Blocks of the list that is tested: a multiple of what every level appends at once.
    const BLOCKS: usize = 96;
    const CAP: usize = BLOCKS + 32;

    /// The longest list that there is: indices take all 16 bits.
    type Longest = NonZero<{ 1 << 16 }, { (1 << 16) + 32 }>;

    /// A list, followed by memory that must not change.
    #[repr(C)]
    struct Guarded {
        list: Longest,
        guard: [u16; 32],
    }

    struct Inputs {
        a: [i16; 64],
        b: [i16; 64],
        value: i16,
        bytes: [u8; 64],
        weights: [i8; 64],
        sums: [i32; 16],
        row: [u8; 480],
        row_weights: [i8; 480],
        blocks: [[u8; 4]; BLOCKS],
    }

    /// Each primitive, and its results for the inputs; packed bytes are in logical order.
    type Results = Vec<(&'static str, Vec<i64>)>;

    /// Applies all primitives of a level.
    macro_rules! results {
        ($level:ident $(, $feature:literal)*) => {
            mod $level {
                use alloc::vec;
                use alloc::vec::Vec;

                use super::{BLOCKS, CAP, Inputs, Longest, Results};
                use crate::buffer::{chunk, chunk_mut};
                use crate::simd::{$level as simd, NonZero};

                /// Blocks that the level appends at once.
                $(#[target_feature(enable = $feature)])*
                pub(super) fn appended_at_once() -> usize {
                    simd::NONZERO_VECTORS * simd::I32_LANES
                }

                /// Appends as many blocks as the level does at once, none of them zero.
                $(#[target_feature(enable = $feature)])*
                pub(super) fn append(list: &mut Longest, first_block: usize) {
                    let ones = [(); simd::NONZERO_VECTORS];
                    let ones = ones.map(|()| simd::load_u8(&[1; simd::BYTES]));
                    simd::append_nonzero(list, first_block, ones);
                }

                /// As a kernel would: the features are those of the level.
                $(#[target_feature(enable = $feature)])*
                pub(super) fn results(inputs: &Inputs) -> Results {
                    use simd::*;

                    macro_rules! words {
                        (|$a:ident, $b:ident| $value:expr) => {{
                            let mut words = [0; 64];
                            for index in 0..64 / I16_LANES {
                                let $a = load_i16(chunk(&inputs.a, index));
                                let $b = load_i16(chunk(&inputs.b, index));
                                store_i16($value, chunk_mut(&mut words, index));
                            }
                            (stringify!($value), words.map(i64::from).to_vec())
                        }};
                    }
                    macro_rules! sums {
                        ($bytes:expr, |$sum:ident, $inputs:ident, $weights:ident| $value:expr) => {{
                            let mut sums = [0; 16];
                            for index in 0..16 / I32_LANES {
                                let $sum = load_i32(chunk(&inputs.sums, index));
                                let $inputs = splat_block(chunk($bytes, 0));
                                let $weights = load_i8(chunk(&inputs.weights, index));
                                store_i32($value, chunk_mut(&mut sums, index));
                            }
                            (stringify!($value), sums.map(i64::from).to_vec())
                        }};
                    }
                    macro_rules! eights {
                        (|$a:ident, $b:ident| $value:expr) => {{
                            let mut eight = [0; 8];
                            let $a = load_i32x8(chunk(&inputs.sums, 0));
                            let $b = load_i32x8(chunk(&inputs.sums, 1));
                            store_i32x8($value, &mut eight);
                            (stringify!($value), eight.map(i64::from).to_vec())
                        }};
                    }
                    macro_rules! row {
                        ($function:ident, $row:expr, $length:literal) => {{
                            let sum = $function::<$length>(
                                $row.first_chunk().unwrap(),
                                inputs.row_weights.first_chunk().unwrap(),
                            );
                            let name = concat!(stringify!($function), "::<", $length, ">");
                            (name, vec![i64::from(sum)])
                        }};
                    }

                    macro_rules! bytes {
                        (|$a:ident, $b:ident| $value:expr) => {{
                            let mut packed = [0; 64];
                            for index in 0..64 / BYTES {
                                let [$a, $b] = [&inputs.a, &inputs.b].map(|words| {
                                    [2 * index, 2 * index + 1].map(|index| load_i16(chunk(words, index)))
                                });
                                let groups = bytes_u8($value);
                                for (group, logical) in PACKED.into_iter().enumerate() {
                                    let place = chunk_mut(&mut packed, index * BYTES / 8 + logical);
                                    *place = *chunk::<u8, 8>(&groups, group);
                                }
                            }
                            (stringify!($value), packed.map(i64::from).to_vec())
                        }};
                    }

                    let mut widened = [0; 64];
                    for index in 0..64 / I16_LANES {
                        let words = load_i16_from_i8(chunk(&inputs.weights, index));
                        store_i16(words, chunk_mut(&mut widened, index));
                    }

                    let mut pairs = [0; 32];
                    for index in 0..64 / BYTES {
                        let words = load_i16_pairs(chunk(&inputs.weights, index));
                        store_i16(words, chunk_mut(&mut pairs, index));
                    }

                    let mut list = NonZero::<BLOCKS, CAP>::new();
                    let mut vectors = inputs.blocks.as_flattened().as_chunks().0.iter();
                    for index in 0..BLOCKS / (NONZERO_VECTORS * I32_LANES) {
                        let packed = [(); NONZERO_VECTORS];
                        let packed = packed.map(|()| load_u8(vectors.next().unwrap()));
                        append_nonzero(&mut list, index * NONZERO_VECTORS * I32_LANES, packed);
                    }
                    let nonzero = list.as_slice().iter().map(|block| block.index() as i64);
                    let mut nonzero: Vec<i64> = nonzero.collect();
                    nonzero.sort_unstable();

                    let (wide, wide_row) = (&inputs.bytes, &inputs.row);
                    let narrow = &wide.map(|byte| byte & 127);
                    let narrow_row = &wide_row.map(|byte| byte & 127);
                    vec![
                        ("load_i16_from_i8", widened.map(i64::from).to_vec()),
                        ("load_i16_pairs", pairs.map(i64::from).to_vec()),
                        words!(|_a, _b| splat_i16(inputs.value)),
                        words!(|a, b| add_i16(a, b)),
                        words!(|a, b| sub_i16(a, b)),
                        words!(|a, b| min_i16(a, b)),
                        words!(|a, b| max_i16(a, b)),
                        words!(|a, _b| shift_left_i16::<0>(a)),
                        words!(|a, _b| shift_left_i16::<7>(a)),
                        words!(|a, _b| shift_left_i16::<15>(a)),
                        words!(|a, _b| shift_right_i16::<0>(a)),
                        words!(|a, _b| shift_right_i16::<6>(a)),
                        words!(|a, _b| shift_right_i16::<15>(a)),
                        words!(|a, b| mul_high_i16::<0>(a, max_i16(b, splat_i16(-i16::MAX)))),
                        words!(|a, b| {
                            let (a, b) = (shift_right_i16::<1>(a), max_i16(b, splat_i16(-i16::MAX)));
                            mul_high_i16::<1>(a, b)
                        }),
                        words!(|a, b| {
                            let (a, b) = (shift_right_i16::<7>(a), max_i16(b, splat_i16(-i16::MAX)));
                            mul_high_i16::<7>(a, b)
                        }),
                        words!(|a, b| mul_rounded_i16(a, max_i16(b, splat_i16(-i16::MAX)))),
                        words!(|a, b| mul_low_i16(a, b)),
                        words!(|a, _b| quantmoid4_i16(a)),
                        words!(|a, b| clip_to_255(a, b)[0]),
                        words!(|a, b| clip_to_255(a, b)[1]),
                        bytes!(|a, _b| pack_u8(a[0], a[1])),
                        bytes!(|a, b| product_to_127::<6>(a, b)),
                        bytes!(|a, b| product_to_127::<7>(a, b)),
                        bytes!(|a, b| product_to_127::<8>(a, b)),
                        bytes!(|a, b| product_to_255::<8>(a, b)),
                        bytes!(|a, b| product_to_255::<9>(a, b)),
                        bytes!(|a, b| product_to_255::<15>(a, b)),
                        sums!(wide, |_sum, _inputs, _weights| zero_i32()),
                        sums!(wide, |sum, _inputs, _weights| add_i32(sum, sum)),
                        sums!(wide, |_sum, _inputs, _weights| splat_i32(inputs.sums[0])),
                        sums!(wide, |sum, _inputs, _weights| {
                            mul_i32(add_i32(sum, splat_i32(inputs.sums[1])), sum)
                        }),
                        ("madd_i16", {
                            // The lanes of sums differ between levels; all of them together do not.
                            let mut sum = load_i32(chunk(&inputs.sums, 0));
                            let first = sum_i32(sum);
                            for index in 0..64 / I16_LANES {
                                let a = load_i16(chunk(&inputs.a, index));
                                let b = load_i16(chunk(&inputs.b, index));
                                sum = madd_i16(sum, a, b);
                            }
                            let products = sum_i32(sum).wrapping_sub(first);
                            vec![i64::from(products)]
                        }),
                        ("sum_i32", {
                            let vectors = 0..16 / I32_LANES;
                            let sums = vectors.map(|index| sum_i32(load_i32(chunk(&inputs.sums, index))));
                            vec![i64::from(sums.fold(0, i32::wrapping_add))]
                        }),
                        eights!(|a, b| add_i32x8(a, b)),
                        eights!(|a, b| sub_i32x8(a, b)),
                        sums!(narrow, |sum, inputs, weights| {
                            sum_dots(dot(dots(sum), inputs, weights))
                        }),
                        sums!(narrow, |sum, inputs, weights| {
                            let dots = dot(dots(sum), inputs, weights);
                            sum_dots(dot(dots, splat_block(&[0, 1, 99, 127]), weights))
                        }),
                        sums!(narrow, |sum, inputs, weights| {
                            // Sums with this block still fit in 16 bits.
                            let inputs = [inputs, splat_block(&[1, 0, 2, 0])];
                            sum_dots(dot_two(dots(sum), inputs, [weights; 2]))
                        }),
                        sums!(narrow, |sum, inputs, weights| {
                            let blocks: &[[u8; 4]; 4] = chunk(narrow.as_chunks().0, 1);
                            let dots = dot(dots(sum), inputs, weights);
                            let dots = dot(dots, splat_block_of::<1>(blocks), weights);
                            sum_dots(dot(dots, splat_block_of::<3>(blocks), weights))
                        }),
                        sums!(wide, |sum, inputs, weights| {
                            let blocks: &[[u8; 4]; 4] = chunk(wide.as_chunks().0, 1);
                            let dots = dot_wide(dots(sum), inputs, weights);
                            let dots = dot_wide(dots, splat_block_of::<0>(blocks), weights);
                            sum_dots(dot_wide(dots, splat_block_of::<2>(blocks), weights))
                        }),
                        sums!(wide, |sum, inputs, weights| {
                            let dots = dot_wide(dots(sum), inputs, weights);
                            sum_dots(dot_wide(dots, splat_block(&[1, 0, 128, 255]), weights))
                        }),
                        row!(dot_row, narrow_row, 32),
                        row!(dot_row, narrow_row, 64),
                        row!(dot_row, narrow_row, 256),
                        row!(dot_row, narrow_row, 480),
                        row!(dot_row_wide, wide_row, 32),
                        row!(dot_row_wide, wide_row, 96),
                        row!(dot_row_wide, wide_row, 128),
                        row!(dot_row_wide, wide_row, 480),
                        ("fma_f32", {
                            let float = |index: usize| f32::from_bits(inputs.sums[index] as u32);
                            let bits = |index: usize| {
                                let value = fma_f32(float(index), float(index + 1), float(index + 2));
                                // Which of the many that are no number does not matter.
                                if value.is_nan() { -1 } else { i64::from(value.to_bits()) }
                            };
                            (0..14).map(bits).collect()
                        }),
                        ("sqrt_f32", {
                            let bits = |sum: &i32| {
                                let value = sqrt_f32(f32::from_bits(*sum as u32));
                                if value.is_nan() { -1 } else { i64::from(value.to_bits()) }
                            };
                            inputs.sums.iter().map(bits).collect()
                        }),
                        ("rotate_left_u64x8", {
                            let lanes = inputs.row.as_chunks::<8>().0;
                            let lane = |index: usize| u64::from_le_bytes(lanes[index]);
                            let first = load_u64x8(&core::array::from_fn(lane));
                            let bits = core::array::from_fn(|index| lane(8 + index) % 64);
                            let rotated = rotate_left_u64x8(first, load_u64x8(&bits));
                            let masked = and_u64x8(rotated, splat_u64x8(lane(16)));
                            let mut found = [0; 8];
                            store_u64x8(or_u64x8(masked, first), &mut found);
                            found.map(u64::cast_signed).to_vec()
                        }),
                        ("lowest_u64x8", {
                            let lanes = inputs.row.as_chunks::<8>().0;
                            let lane = |index: usize| u64::from_le_bytes(lanes[index]);
                            // Without the bits of another number, some lanes have none.
                            let first = load_u64x8(&core::array::from_fn(lane));
                            let masks = core::array::from_fn(|index| lane(8 + index % 4));
                            let first = and_u64x8(first, load_u64x8(&masks));
                            let lowest = lowest_u64x8(first);
                            let rest = and_not_u64x8(first, lowest);
                            let from = rotate_left_u64x8(lowest, load_u64x8(&[1, 8, 9, 63, 0, 5, 32, 60]));
                            let mut squares = [[0; 2]; 8];
                            let written = write_squares(from, lowest, &mut squares);
                            let squares = squares[..written].iter().flatten();
                            let anything = [first, rest].map(|lanes| i64::from(any_u64x8(lanes)));
                            squares.map(|square| i64::from(*square)).chain(anything).collect()
                        }),
                        ("bit_planes", {
                            let bytes = inputs.bytes.map(|byte| byte % 16);
                            let table = inputs.bytes.first_chunk().unwrap();
                            bit_planes(&bytes, table).map(u64::cast_signed).to_vec()
                        }),
                        ("sums_of_bits", {
                            let sets = [0, 1, 2, 3, 4].map(|set: usize| {
                                let eight = inputs.bytes[8 * set..].first_chunk().unwrap();
                                u64::from_le_bytes(*eight)
                            });
                            let values = inputs.bytes[40..].first_chunk().unwrap();
                            let values = values.map(|value: u8| value / 5);
                            sums_of_bits(&sets, &values).map(i64::from).to_vec()
                        }),
                        ("append_rows", {
                            let bytes = inputs.bytes.map(|byte| byte % 16);
                            // Half of the entries exist.
                            let table: [u32; 16] = core::array::from_fn(|entry| {
                                let exists = inputs.bytes[entry] & 1;
                                u32::from(exists ^ 1) << 31 | 64 * entry as u32
                            });
                            // Enough room, too little for a whole vector, too little, none.
                            let lens = [0, 30, 50, 66, 80].map(|room| {
                                let mut rows = [7; 83];
                                let rows = &mut rows[..room + 3];
                                let len = append_rows(&bytes, &table, 1000, 63, rows, 3);
                                // The lanes behind are of no importance.
                                rows[len..].fill(0);
                                let rows = rows.iter().map(|row| i64::from(*row));
                                rows.chain([len as i64]).collect::<Vec<i64>>()
                            });
                            lens.concat()
                        }),
                        ("append_nonzero", nonzero),
                    ]
                }
            }
        };
    }
    macro_rules! results_of_all_levels {
        ($(
            $kind:ident $module:ident target_arch[$($arch:literal $(, $($build:tt)+)?)?]
            features[$($feature:literal),*]
            $facts:tt
        )+) => {
            $(
                #[cfg(all($(target_arch = $arch $(, $($build)+)?)?))]
                results!($module $(, $feature)*);
            )+
        };
    }
    nnue_format::levels!(results_of_all_levels);

    /// Inputs. About half of them are the extremes of their ranges, and `density` in 8 blocks are
    /// not zero.
    fn random_inputs(state: &mut u64, density: u64) -> Inputs {
        let mut random = || {
            *state ^= *state << 13;
            *state ^= *state >> 7;
            *state ^= *state << 17;
            *state >> 20
        };
        macro_rules! either {
            ($type:ty, $($extreme:expr),+) => {{
                let extremes = [$($extreme),+];
                match random() % 2 {
                    0 => extremes[random() as usize % extremes.len()],
                    _ => random() as $type,
                }
            }};
        }
        Inputs {
            a: [(); 64].map(|()| either!(i16, i16::MIN, i16::MAX, -1, 0, 1, 127, 128, 255, 256)),
            b: [(); 64].map(|()| either!(i16, i16::MIN, i16::MAX, -1, 0, 1)),
            value: random() as i16,
            bytes: [(); 64].map(|()| either!(u8, 0, 1, 127, 128, 255)),
            weights: [(); 64].map(|()| either!(i8, -128, -127, -1, 0, 1, 127)),
            sums: [(); 16].map(|()| either!(i32, i32::MIN, i32::MAX, -1, 0)),
            row: [(); 480].map(|()| either!(u8, 127, 128, 255)),
            row_weights: [(); 480].map(|()| either!(i8, -128, 127)),
            blocks: [(); BLOCKS].map(|()| {
                if random() % 8 < density {
                    either!(u32, 1, 1 << 8, 1 << 16, 1 << 24, 1 << 31)
                        .max(1)
                        .to_le_bytes()
                } else {
                    [0; 4]
                }
            }),
        }
    }

    #[track_caller]
    fn assert_levels_agree(inputs: &Inputs) {
        let expected = scalar::results(inputs);
        for level in Level::available() {
            for (found, expected) in dispatch!(level, results(inputs)).iter().zip(&expected) {
                assert_eq!(found, expected, "{level}");
            }
        }
    }

    #[test]
    fn all_levels_agree_on_random_inputs() {
        #[cfg(feature = "std")]
        std::println!(
            "levels: {:?}",
            Level::available().map(Level::name).collect::<Vec<_>>()
        );
        let mut state = 0x9E37_79B9_7F4A_7C15;
        for density in (0..=8).cycle().take(4500) {
            assert_levels_agree(&random_inputs(&mut state, density));
        }
    }

    #[test]
    fn all_levels_agree_where_sums_of_products_are_extreme() {
        let mut inputs = random_inputs(&mut 1, 0);
        for byte in [127, 128, 255] {
            for weight in [-128, -127, 127] {
                (inputs.bytes, inputs.weights) = ([byte; 64], [weight; 64]);
                (inputs.row, inputs.row_weights) = ([byte; 480], [weight; 480]);
                for sum in [0, i32::MIN, i32::MAX] {
                    inputs.sums = [sum; 16];
                    assert_levels_agree(&inputs);
                }
            }
        }
    }

    #[test]
    fn all_levels_find_each_single_block_and_byte() {
        let mut inputs = random_inputs(&mut 1, 0);
        for block in 0..BLOCKS {
            for byte in 0..4 {
                inputs.blocks = [[0; 4]; BLOCKS];
                inputs.blocks[block][byte] = 0x80;
                let (_, found) = scalar::results(&inputs).pop().unwrap();
                assert_eq!(found, [block as i64]);
                assert_levels_agree(&inputs);
            }
        }
    }

    #[test]
    fn the_highest_indices_fit_in_16_bits_on_all_levels() {
        for level in Level::available() {
            let first_block = (1 << 16) - dispatch!(level, appended_at_once());
            let mut longest = Longest::new();
            let list = &mut longest;
            dispatch!(level, append(list, first_block));
            let found = longest.as_slice().iter().map(|block| block.index());
            let mut found: Vec<usize> = found.collect();
            found.sort_unstable();
            assert!(found.into_iter().eq(first_block..1 << 16), "{level}");
        }
    }

    #[test]
    fn overfull_lists_stay_in_their_memory_on_all_levels() {
        for level in Level::available() {
            let at_once = dispatch!(level, appended_at_once());
            let mut guarded = Guarded {
                list: Longest::new(),
                guard: [0xABCD; 32],
            };
            for index in 0..(1 << 16) / at_once + 40 {
                let (list, first_block) = (&mut guarded.list, index * at_once % (1 << 16));
                dispatch!(level, append(list, first_block));
            }
            assert_eq!(guarded.guard, [0xABCD; 32], "{level}");
            let listed = guarded.list.as_slice().len();
            assert!((1 << 16..=(1 << 16) + 32).contains(&listed), "{level}");
        }
    }

    #[test]
    #[cfg(feature = "std")]
    fn blocks_beyond_the_last_are_refused_on_all_levels() {
        for level in Level::available() {
            let at_once = dispatch!(level, appended_at_once());
            for first_block in [(1 << 16) - at_once + 1, 1 << 16, usize::MAX] {
                let refused = std::panic::catch_unwind(|| {
                    let mut longest = Longest::new();
                    let list = &mut longest;
                    dispatch!(level, append(list, first_block));
                });
                assert!(refused.is_err(), "{first_block} at {level}");
            }
        }
    }

    /// Generated kernels are the same code for every level, so every level needs everything they
    /// name. A file that extends another level has only what it replaces.
    #[test]
    fn all_files_have_the_same_functions() {
        fn items(source: &str) -> Vec<&str> {
            let name = |item: &'static str| {
                move |line| {
                    let rest = str::strip_prefix(line, item)?;
                    rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
                        .next()
                }
            };
            let (functions, constants, types) =
                (name("pub fn "), name("pub const "), name("pub type "));
            source
                .lines()
                .filter_map(|line| functions(line).or(constants(line)).or(types(line)))
                .collect()
        }
        macro_rules! files {
            ($($kind:ident $module:ident $arch:ident $archs:tt $feature:ident $features:tt $facts:tt)+) => {
                [$((
                    stringify!($module),
                    include_str!(concat!("simd/", stringify!($module), ".rs")),
                )),+]
            };
        }
        let all = items(include_str!("simd/scalar.rs"));
        assert!(
            all.len() > 30 && all.contains(&"BYTES") && all.contains(&"U8") && all.contains(&"dot")
        );
        for (module, source) in nnue_format::levels!(files) {
            let found = items(source);
            let is_reexported = |item: &str| {
                let mut uses = source
                    .lines()
                    .filter(|line| line.starts_with("pub use super::"));
                let names = |line: &str| line.split(['{', ',', ' ', '}']).any(|name| name == item);
                uses.any(|line| line.ends_with("::*;") || names(line))
            };
            let mut expected = all.clone();
            expected.retain(|item| found.contains(item) || !is_reexported(item));
            assert_eq!(found, expected, "{module}");
        }
    }

    /// A primitive that `results` leaves out would be compared with no other level's.
    #[test]
    fn every_function_is_applied_by_the_tests() {
        fn words(text: &str) -> impl Iterator<Item = &str> {
            text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        }
        let (_, from_results) = include_str!("simd.rs")
            .split_once("macro_rules! results {")
            .unwrap();
        let (results, _) = from_results
            .split_once("macro_rules! results_of_all_levels {")
            .unwrap();
        let functions = include_str!("simd/scalar.rs").lines();
        let functions = functions.filter_map(|line| words(line.strip_prefix("pub fn ")?).next());
        let functions: Vec<&str> = functions.collect();
        assert!(functions.len() > 20, "{functions:?}");
        for function in functions {
            assert!(
                words(results).any(|word| word == function),
                "`results` does not apply `{function}`"
            );
        }
    }

    #[test]
    fn vectors_are_as_the_table_of_levels_says() {
        macro_rules! assert_facts {
            ($(
                $kind:ident $module:ident target_arch[$($arch:literal $(, $($build:tt)+)?)?] features $features:tt $facts:tt
            )+) => { $(
                #[cfg(all($(target_arch = $arch $(, $($build)+)?)?))]
                {
                    let isa = nnue_format::levels::LevelKind::$kind.isa();
                    assert_eq!(crate::simd::$module::BYTES, isa.vector_bytes, "{}", isa.name);
                    assert_eq!(crate::simd::$module::NONZERO_VECTORS, isa.nonzero_vectors, "{}", isa.name);
                }
            )+ };
        }
        nnue_format::levels!(assert_facts);
    }

    #[test]
    fn chunks_are_runs_of_the_slice() {
        let mut numbers = [0, 1, 2, 3, 4, 5, 6];
        assert_eq!(chunk(&numbers, 1), &[2, 3]);
        *chunk_mut(&mut numbers, 2) = [9, 9];
        assert_eq!(numbers, [0, 1, 2, 3, 9, 9, 6]);
    }

    #[test]
    #[should_panic(expected = "out of bounds")]
    fn a_chunk_that_is_not_whole_does_not_exist() {
        let _: &[i32; 2] = chunk(&[0, 1, 2], 1);
    }
}
