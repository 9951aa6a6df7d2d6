//! The primitives of every level ([`found`]) and those of `scalar` ([`expected`]), applied to slices
//! and arrays whatever the size of a level's vectors. Packed bytes are in the level's order.
//!
//! What is expected at a level is the code of `scalar.rs` too, compiled with the level's features:
//! so it becomes vectors, and takes a tenth of the time.
//!
//! Each function is called through `dispatch!`, never inlined, so that what is proved is machine
//! code and not what the optimiser knows about the inputs of a test. Slices have as many elements
//! as 64 bytes have, or a multiple of that.

use nnue_runtime::__private::simd::NonZero;

/// The lengths of rows to which `dot_row` is applied: with every number of vectors that is left
/// after the last four of them, on every level, and with and without a half vector.
pub(crate) const ROWS: [usize; 17] = [
    32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 480, 512, 544,
];
/// The longest of them.
pub(crate) const LONGEST_ROW: usize = ROWS[ROWS.len() - 1];
/// Blocks to which `append_nonzero` is applied: as many as any level takes at once.
pub(crate) const BLOCKS: usize = 32;

/// The longest list that there is: indices take all 16 bits.
pub(crate) type Longest = NonZero<{ 1 << 16 }, { (1 << 16) + 32 }>;

/// Primitives from words to words.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Words {
    /// `store_i16` of `load_i16`.
    Move,
    /// Of the first word alone.
    Splat,
    Add,
    Sub,
    Min,
    Max,
    ShiftLeft(u32),
    ShiftRight(u32),
    MulHigh(u32),
    MulRounded,
    MulLow,
    Quantmoid4,
    /// What becomes of `a`, as the first or as the second of two vectors.
    ClipTo255(u32),
}

/// Primitives from words to bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bytes {
    /// Of the first factors alone.
    Pack,
    To127(u32),
    To255(u32),
}

/// Primitives from sums to sums.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sums {
    /// `store_i32` of `load_i32`.
    Move,
    /// `sum_dots` of `dots`.
    Dots,
    Zero,
    /// Of the first sum alone.
    Splat,
    Add,
    Mul,
}

/// Primitives of eight sums.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Eights {
    /// `store_i32x8` of `load_i32x8`.
    Move,
    Add,
    Sub,
}

/// Primitives of eight lanes of 64 bits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Boards {
    /// `store_u64x8` of `load_u64x8`.
    Move,
    /// Of the first lane alone.
    Splat,
    Lowest,
    And,
    AndNot,
    Or,
    RotateLeft,
}

/// A function whose constant is the given shift, of the range that the function is for.
macro_rules! shifted {
    ($shift:ident of 0..=15, $($call:tt)+) => {
        shifted!($shift [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15] $($call)+)
    };
    ($shift:ident of 6..=8, $($call:tt)+) => {
        shifted!($shift [6 7 8] $($call)+)
    };
    ($shift:ident of 8..=15, $($call:tt)+) => {
        shifted!($shift [8 9 10 11 12 13 14 15] $($call)+)
    };
    (
        $shift:ident [$($constant:literal)+]
        $each:ident, |$a:ident, $b:ident| $function:ident $arguments:tt
    ) => {
        match $shift {
            $($constant => $each!(|$a, $b| $function::<$constant> $arguments),)+
            _ => panic!("no shift by {}", $shift),
        }
    };
}

/// A function of rows whose length is the given one.
macro_rules! of_length {
    ($length:ident, $function:ident $arguments:tt) => {
        of_length!($length, $function $arguments;
            32 64 96 128 160 192 224 256 288 320 352 384 416 448 480 512 544)
    };
    ($length:ident, $function:ident ($inputs:ident, $weights:ident); $($constant:literal)+) => {
        match $length {
            $($constant => $function::<$constant>(
                $inputs.first_chunk().unwrap(),
                $weights.first_chunk().unwrap(),
            ),)+
            _ => panic!("no row of {}", $length),
        }
    };
}

macro_rules! primitives {
    ($level:ident of $simd:ident $(, $feature:literal)*) => {
        mod $level {
            use std::iter::zip;

            use nnue_runtime::__private::buffer::chunk;
            use nnue_runtime::__private::simd::{$simd as simd, NonZero};

            use super::super::{
                BLOCKS, Boards, Bytes, Eights, LONGEST_ROW, Longest, Sums, Words,
            };

            pub(super) use simd::{append_rows, bit_planes, sums_of_bits};

            #[inline(never)]
            $(#[target_feature(enable = $feature)])*
            pub(super) fn words(function: Words, a: &[i16], b: &[i16], to: &mut [i16]) {
                use simd::*;
                macro_rules! each {
                    (|$a:ident, $b:ident| $value:expr) => {{
                        let (a, b) = (a.as_chunks().0, b.as_chunks().0);
                        for (to, (a, b)) in zip(to.as_chunks_mut().0, zip(a, b)) {
                            let ($a, $b) = (load_i16(a), load_i16(b));
                            store_i16($value, to);
                        }
                    }};
                }
                match function {
                    Words::Move => each!(|a, _b| a),
                    Words::Splat => {
                        let value = a[0];
                        each!(|_a, _b| splat_i16(value))
                    }
                    Words::Add => each!(|a, b| add_i16(a, b)),
                    Words::Sub => each!(|a, b| sub_i16(a, b)),
                    Words::Min => each!(|a, b| min_i16(a, b)),
                    Words::Max => each!(|a, b| max_i16(a, b)),
                    Words::ShiftLeft(shift) => {
                        shifted!(shift of 0..=15, each, |a, _b| shift_left_i16(a))
                    }
                    Words::ShiftRight(shift) => {
                        shifted!(shift of 0..=15, each, |a, _b| shift_right_i16(a))
                    }
                    Words::MulHigh(shift) => {
                        shifted!(shift of 0..=15, each, |a, b| mul_high_i16(a, b))
                    }
                    Words::MulRounded => each!(|a, b| mul_rounded_i16(a, b)),
                    Words::MulLow => each!(|a, b| mul_low_i16(a, b)),
                    Words::Quantmoid4 => each!(|a, _b| quantmoid4_i16(a)),
                    Words::ClipTo255(0) => each!(|a, b| clip_to_255(a, b)[0]),
                    Words::ClipTo255(_) => each!(|a, b| clip_to_255(b, a)[1]),
                }
            }

            #[inline(never)]
            $(#[target_feature(enable = $feature)])*
            pub(super) fn bytes(function: Bytes, a: &[i16], b: &[i16], to: &mut [u8]) {
                use simd::*;
                macro_rules! each {
                    (|$a:ident, $b:ident| $value:expr) => {{
                        let (a, b) = (a.as_chunks::<BYTES>().0, b.as_chunks::<BYTES>().0);
                        for (to, (a, b)) in zip(to.as_chunks_mut::<BYTES>().0, zip(a, b)) {
                            let [$a, $b] = [a, b].map(|words| {
                                [0, 1].map(|index| load_i16(chunk(words, index)))
                            });
                            *to = bytes_u8($value);
                        }
                    }};
                }
                match function {
                    Bytes::Pack => each!(|a, _b| pack_u8(a[0], a[1])),
                    Bytes::To127(shift) => {
                        shifted!(shift of 6..=8, each, |a, b| product_to_127(a, b))
                    }
                    Bytes::To255(shift) => {
                        shifted!(shift of 8..=15, each, |a, b| product_to_255(a, b))
                    }
                }
            }

            #[inline(never)]
            $(#[target_feature(enable = $feature)])*
            pub(super) fn sums(function: Sums, a: &[i32], b: &[i32], to: &mut [i32]) {
                use simd::*;
                macro_rules! each {
                    (|$a:ident, $b:ident| $value:expr) => {{
                        let (a, b) = (a.as_chunks().0, b.as_chunks().0);
                        for (to, (a, b)) in zip(to.as_chunks_mut().0, zip(a, b)) {
                            let ($a, $b) = (load_i32(a), load_i32(b));
                            store_i32($value, to);
                        }
                    }};
                }
                match function {
                    Sums::Move => each!(|a, _b| a),
                    Sums::Dots => each!(|a, _b| sum_dots(dots(a))),
                    Sums::Zero => each!(|_a, _b| zero_i32()),
                    Sums::Splat => {
                        let value = a[0];
                        each!(|_a, _b| splat_i32(value))
                    }
                    Sums::Add => each!(|a, b| add_i32(a, b)),
                    Sums::Mul => each!(|a, b| mul_i32(a, b)),
                }
            }

            #[inline(never)]
            $(#[target_feature(enable = $feature)])*
            pub(super) fn eights(function: Eights, a: &[i32; 8], b: &[i32; 8], to: &mut [i32; 8]) {
                use simd::*;
                let (a, b) = (load_i32x8(a), load_i32x8(b));
                let eight = match function {
                    Eights::Move => a,
                    Eights::Add => add_i32x8(a, b),
                    Eights::Sub => sub_i32x8(a, b),
                };
                store_i32x8(eight, to);
            }

            #[inline(never)]
            $(#[target_feature(enable = $feature)])*
            pub(super) fn boards(function: Boards, a: &[u64; 8], b: &[u64; 8], to: &mut [u64; 8]) {
                use simd::*;
                let first = a[0];
                let (a, b) = (load_u64x8(a), load_u64x8(b));
                let lanes = match function {
                    Boards::Move => a,
                    Boards::Splat => splat_u64x8(first),
                    Boards::Lowest => lowest_u64x8(a),
                    Boards::And => and_u64x8(a, b),
                    Boards::AndNot => and_not_u64x8(a, b),
                    Boards::Or => or_u64x8(a, b),
                    Boards::RotateLeft => rotate_left_u64x8(a, b),
                };
                store_u64x8(lanes, to);
            }

            #[inline(never)]
            $(#[target_feature(enable = $feature)])*
            pub(super) fn any(lanes: &[u64; 8]) -> bool {
                simd::any_u64x8(simd::load_u64x8(lanes))
            }

            #[inline(never)]
            $(#[target_feature(enable = $feature)])*
            pub(super) fn squares(from: &[u64; 8], to: &[u64; 8], squares: &mut [[u8; 2]; 8]) -> usize {
                simd::write_squares(simd::load_u64x8(from), simd::load_u64x8(to), squares)
            }

            /// `bytes_u8` of `load_u8`.
            #[inline(never)]
            $(#[target_feature(enable = $feature)])*
            pub(super) fn bytes_moved(from: &[u8], to: &mut [u8]) {
                for (to, from) in zip(to.as_chunks_mut().0, from.as_chunks().0) {
                    *to = simd::bytes_u8(simd::load_u8(from));
                }
            }

            #[inline(never)]
            $(#[target_feature(enable = $feature)])*
            pub(super) fn widened(from: &[i8], to: &mut [i16]) {
                for (to, from) in zip(to.as_chunks_mut().0, from.as_chunks().0) {
                    simd::store_i16(simd::load_i16_from_i8(from), to);
                }
            }

            #[inline(never)]
            $(#[target_feature(enable = $feature)])*
            pub(super) fn paired(from: &[i8], to: &mut [i16]) {
                for (to, from) in zip(to.as_chunks_mut().0, from.as_chunks().0) {
                    simd::store_i16(simd::load_i16_pairs(from), to);
                }
            }

            /// The sum of all lanes.
            #[inline(never)]
            $(#[target_feature(enable = $feature)])*
            pub(super) fn sum(lanes: &[i32]) -> i32 {
                let mut sum = 0_i32;
                for lanes in lanes.as_chunks().0 {
                    sum = sum.wrapping_add(simd::sum_i32(simd::load_i32(lanes)));
                }
                sum
            }

            /// What `madd_i16` adds to the lanes of a sum, all of them together.
            #[inline(never)]
            $(#[target_feature(enable = $feature)])*
            pub(super) fn madd(lanes: &[i32], a: &[i16], b: &[i16]) -> i32 {
                use simd::*;
                let first = load_i32(chunk(lanes, 0));
                let mut sum = first;
                for (a, b) in zip(a.as_chunks().0, b.as_chunks().0) {
                    sum = madd_i16(sum, load_i16(a), load_i16(b));
                }
                sum_i32(sum).wrapping_sub(sum_i32(first))
            }

            /// `dot` or `dot_wide` of a block and the weights of each sum.
            #[inline(never)]
            $(#[target_feature(enable = $feature)])*
            pub(super) fn dot(
                is_wide: bool,
                lanes: &[i32],
                block: &[u8; 4],
                weights: &[i8],
                to: &mut [i32],
            ) {
                use simd::*;
                let (lanes, weights) = (lanes.as_chunks().0, weights.as_chunks().0);
                let blocks = [[255; 4], *block, [0; 4], [1; 4]];
                for (to, (lanes, weights)) in zip(to.as_chunks_mut().0, zip(lanes, weights)) {
                    let (lanes, weights) = (dots(load_i32(lanes)), load_i8(weights));
                    let added = if is_wide { dot_wide(lanes, splat_block_of::<1>(&blocks), weights)
 } else { dot(lanes, splat_block(block), weights)
 };
                    store_i32(sum_dots(added), to);
                }
            }

            /// `dot_two` of blocks and the weights of each sum.
            #[inline(never)]
            $(#[target_feature(enable = $feature)])*
            pub(super) fn dot_two(
                lanes: &[i32],
                blocks: &[[u8; 4]; 2],
                weights: &[Vec<i8>; 2],
                to: &mut [i32],
            ) {
                use simd::*;
                let weights = zip(weights[0].as_chunks().0, weights[1].as_chunks().0);
                let lanes = zip(lanes.as_chunks().0, weights);
                for (to, (lanes, weights)) in zip(to.as_chunks_mut().0, lanes) {
                    let blocks = [splat_block(&blocks[0]), splat_block(&blocks[1])];
                    let weights = [load_i8(weights.0), load_i8(weights.1)];
                    store_i32(sum_dots(dot_two(dots(load_i32(lanes)), blocks, weights)), to);
                }
            }

            /// `dot_row` or `dot_row_wide` of the first `length`, one of [`ROWS`](super::ROWS).
            #[inline(never)]
            $(#[target_feature(enable = $feature)])*
            pub(super) fn row(
                is_wide: bool,
                length: usize,
                inputs: &[u8; LONGEST_ROW],
                weights: &[i8; LONGEST_ROW],
            ) -> i32 {
                use simd::*;
                if is_wide { of_length!(length, dot_row_wide(inputs, weights))
 } else { of_length!(length, dot_row(inputs, weights))
 }
            }

            #[inline(never)]
            $(#[target_feature(enable = $feature)])*
            pub(super) fn fma(a: &[f32], b: &[f32], c: &[f32], to: &mut [f32]) {
                for (index, to) in to.iter_mut().enumerate() {
                    *to = simd::fma_f32(a[index], b[index], c[index]);
                }
            }

            #[inline(never)]
            $(#[target_feature(enable = $feature)])*
            pub(super) fn sqrt(of: &[f32], to: &mut [f32]) {
                for (to, of) in zip(to, of) {
                    *to = simd::sqrt_f32(*of);
                }
            }

            /// The blocks that `append_nonzero` finds, and how many.
            #[inline(never)]
            $(#[target_feature(enable = $feature)])*
            pub(super) fn nonzero(blocks: &[[u8; 4]; BLOCKS], found: &mut [u16; BLOCKS]) -> usize {
                use simd::*;
                let mut list = NonZero::<BLOCKS, { BLOCKS + 32 }>::new();
                let at_once = NONZERO_VECTORS * I32_LANES;
                let vectors = blocks.as_flattened().as_chunks().0;
                for index in 0..BLOCKS / at_once {
                    let mut vectors = vectors[index * NONZERO_VECTORS..].iter();
                    let packed = [(); NONZERO_VECTORS];
                    let packed = packed.map(|()| load_u8(vectors.next().unwrap()));
                    append_nonzero(&mut list, index * at_once, packed);
                }
                let blocks = list.as_slice();
                for (found, block) in found.iter_mut().zip(blocks) {
                    *found = block.index() as u16;
                }
                blocks.len()
            }

            /// Appends as many blocks as the level does at once, none of them zero, and returns how
            /// many.
            #[inline(never)]
            $(#[target_feature(enable = $feature)])*
            pub(super) fn append_full(list: &mut Longest, first_block: usize) -> usize {
                let ones = [(); simd::NONZERO_VECTORS];
                let ones = ones.map(|()| simd::load_u8(&[1; simd::BYTES]));
                simd::append_nonzero(list, first_block, ones);
                simd::NONZERO_VECTORS * simd::I32_LANES
            }
        }
    };
}

/// What primitives make of arrays, at a level.
macro_rules! at_levels {
    (
        filled { $($filled:ident($($from:ident: $of:ty),*) to $to:ty;)+ }
        returned { $($returned:ident($($argument:ident: $type:ty),*) -> $result:ty;)+ }
    ) => {
        $(
            pub(crate) fn $filled(level: Level, $($from: $of,)* to: $to) {
                dispatch!(level, $filled($($from,)* to));
            }
        )+
        $(
            pub(crate) fn $returned(level: Level, $($argument: $type),*) -> $result {
                dispatch!(level, $returned($($argument),*))
            }
        )+
    };
}

/// The functions above at a level that is chosen when they are called.
macro_rules! functions_of_levels {
    () => {
        use nnue_runtime::__private::dispatch;
        use nnue_runtime::Level;

        use super::{BLOCKS, Boards, Bytes, Eights, LONGEST_ROW, Longest, Sums, Words};

        at_levels! {
            filled {
                words(function: Words, a: &[i16], b: &[i16]) to &mut [i16];
                bytes(function: Bytes, a: &[i16], b: &[i16]) to &mut [u8];
                sums(function: Sums, a: &[i32], b: &[i32]) to &mut [i32];
                eights(function: Eights, a: &[i32; 8], b: &[i32; 8]) to &mut [i32; 8];
                boards(function: Boards, a: &[u64; 8], b: &[u64; 8]) to &mut [u64; 8];
                bytes_moved(from: &[u8]) to &mut [u8];
                widened(from: &[i8]) to &mut [i16];
                paired(from: &[i8]) to &mut [i16];
                dot(is_wide: bool, lanes: &[i32], block: &[u8; 4], weights: &[i8]) to &mut [i32];
                dot_two(lanes: &[i32], blocks: &[[u8; 4]; 2], weights: &[Vec<i8>; 2]) to &mut [i32];
                fma(a: &[f32], b: &[f32], c: &[f32]) to &mut [f32];
                sqrt(of: &[f32]) to &mut [f32];
            }
            returned {
                any(lanes: &[u64; 8]) -> bool;
                sum(lanes: &[i32]) -> i32;
                madd(lanes: &[i32], a: &[i16], b: &[i16]) -> i32;
                row(
                    is_wide: bool,
                    length: usize,
                    inputs: &[u8; LONGEST_ROW],
                    weights: &[i8; LONGEST_ROW]
                ) -> i32;
                append_full(list: &mut Longest, first_block: usize) -> usize;
                bit_planes(bytes: &[u8; 64], table: &[u8; 16]) -> [u64; 8];
                sums_of_bits(sets: &[u64; 5], values: &[u8; 5]) -> [u8; 64];
                append_rows(
                    bytes: &[u8; 64],
                    table: &[u32; 16],
                    offset: u32,
                    orientation: u8,
                    rows: &mut [u32],
                    len: usize
                ) -> usize;
            }
        }

        /// The squares that `write_squares` writes; what is behind them means nothing, and is zero
        /// here.
        pub(crate) fn squares(
            level: Level,
            from: &[u64; 8],
            to: &[u64; 8],
        ) -> ([[u8; 2]; 8], usize) {
            let mut found = [[0; 2]; 8];
            let written = &mut found;
            let count = dispatch!(level, squares(from, to, written));
            found[count.min(8)..].fill([0; 2]);
            (found, count)
        }

        /// The blocks that `append_nonzero` finds, in ascending order and followed by zeros, and how
        /// many it lists. A set puts them in order, which not every level does: a block that is
        /// listed twice is in the number alone.
        pub(crate) fn nonzero(level: Level, blocks: &[[u8; 4]; BLOCKS]) -> ([u16; BLOCKS], usize) {
            let mut list = [0; BLOCKS];
            let found = &mut list;
            let count = dispatch!(level, nonzero(blocks, found));
            let mut set = list[..count]
                .iter()
                .fold(0_u32, |set, block| set | 1 << block);
            let mut sorted = [0; BLOCKS];
            for place in &mut sorted[..set.count_ones() as usize] {
                *place = set.trailing_zeros() as u16;
                set &= set - 1;
            }
            (sorted, count)
        }
    };
}

/// The primitives of each level.
pub(crate) mod found {
    macro_rules! of_all_levels {
        ($(
            $kind:ident $module:ident target_arch[$($arch:literal $(, $($build:tt)+)?)?]
            features[$($feature:literal),*]
            $facts:tt
        )+) => {
            $(
                #[cfg(all($(target_arch = $arch $(, $($build)+)?)?))]
                primitives!($module of $module $(, $feature)*);
            )+
        };
    }
    nnue_runtime::__private::levels!(of_all_levels);
    functions_of_levels!();
}

/// Those of `scalar`, compiled with the features of each level.
pub(crate) mod expected {
    macro_rules! of_all_levels {
        ($(
            $kind:ident $module:ident target_arch[$($arch:literal $(, $($build:tt)+)?)?]
            features[$($feature:literal),*]
            $facts:tt
        )+) => {
            $(
                #[cfg(all($(target_arch = $arch $(, $($build)+)?)?))]
                primitives!($module of scalar $(, $feature)*);
            )+
        };
    }
    nnue_runtime::__private::levels!(of_all_levels);
    functions_of_levels!();
}
