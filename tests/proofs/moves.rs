//! Primitives that move bytes and compute nothing: loads, stores, splats.
//!
//! Each byte of what is stored is one of the bytes that were loaded, or of the value: an instruction
//! that loads, stores, widens or repeats does nothing else. Which byte it is, is proved by letting
//! each of them take all of its values while the others are zeros, ones and random bytes. Loads are
//! only seen through stores, and stores through loads.
//!
//! Memory may be anywhere that its type allows, and what lies around it does not change.

use std::fmt::Debug;

use nnue_runtime::Level;

use crate::levels::{Boards, Eights, Sums, Words, expected, found};

/// Every byte of 64 takes all values, with three kinds of bytes beside it.
fn for_all_bytes(mut check: impl FnMut(&[u8; 64])) {
    let mut random = fastrand::Rng::with_seed(3);
    for background in [[0; 64], [255; 64], [(); 64].map(|()| random.u8(..))] {
        for place in 0..64 {
            for byte in 0..=255 {
                let mut bytes = background;
                bytes[place] = byte;
                check(&bytes);
            }
        }
    }
}

fn words_of(bytes: &[u8; 64]) -> [i16; 32] {
    std::array::from_fn(|index| i16::from_le_bytes([bytes[2 * index], bytes[2 * index + 1]]))
}

fn sums_of(bytes: &[u8; 64]) -> [i32; 16] {
    std::array::from_fn(|index| i32::from_le_bytes(*bytes[4 * index..].first_chunk().unwrap()))
}

fn lanes_of(bytes: &[u8; 64]) -> [u64; 8] {
    std::array::from_fn(|index| u64::from_le_bytes(*bytes[8 * index..].first_chunk().unwrap()))
}

#[track_caller]
fn assert_same<T: PartialEq + Debug>(level: Level, function: impl Debug, found: T, expected: T) {
    assert!(
        found == expected,
        "{function:?} of {level}: found {found:?}, expected {expected:?}"
    );
}

/// `load_i16` and `store_i16`, `load_i32` and `store_i32`, those of eight lanes, `load_u8` and
/// `bytes_u8`, `dots` and `sum_dots`.
pub(crate) fn loads_and_stores(level: Level) {
    for_all_bytes(|bytes| {
        let (words, sums, lanes) = (words_of(bytes), sums_of(bytes), lanes_of(bytes));
        let mut to = [0; 32];
        found::words(level, Words::Move, &words, &words, &mut to);
        assert_same(level, Words::Move, to, words);
        for function in [Sums::Move, Sums::Dots] {
            let mut to = [0; 16];
            found::sums(level, function, &sums, &sums, &mut to);
            assert_same(level, function, to, sums);
        }
        let (eight, mut to) = (sums.first_chunk().unwrap(), [0; 8]);
        found::eights(level, Eights::Move, eight, eight, &mut to);
        assert_same(level, Eights::Move, to, *eight);
        let mut to = [0; 8];
        found::boards(level, Boards::Move, &lanes, &lanes, &mut to);
        assert_same(level, Boards::Move, to, lanes);
        let mut to = [[0; 64]; 2];
        found::bytes_moved(level, bytes, &mut to[0]);
        expected::bytes_moved(level, bytes, &mut to[1]);
        assert_same(level, "bytes_u8 of load_u8", to[0], to[1]);
    });
    anywhere(level);
}

/// Loads from and stores to every place of two cache lines, of memory that does not change around
/// them.
fn anywhere(level: Level) {
    macro_rules! anywhere {
        ($type:ty, $length:literal, |$from:ident, $to:ident| $call:expr) => {
            let numbers: [$type; 192] = std::array::from_fn(|index| index as $type + 1);
            for start in 0..=64 / size_of::<$type>() {
                let mut memory = [0; 192];
                let $from: &[$type; $length] = numbers[start..].first_chunk().unwrap();
                let $to: &mut [$type; $length] = memory[start + 32..].first_chunk_mut().unwrap();
                $call;
                let mut expected = [0; 192];
                expected[start + 32..][..$length].copy_from_slice($from);
                assert_same(level, stringify!($call), memory, expected);
            }
        };
    }
    anywhere!(i16, 32, |from, to| found::words(
        level,
        Words::Move,
        from,
        from,
        to
    ));
    anywhere!(i32, 16, |from, to| found::sums(
        level,
        Sums::Move,
        from,
        from,
        to
    ));
    anywhere!(i32, 8, |from, to| found::eights(
        level,
        Eights::Move,
        from,
        from,
        to
    ));
    anywhere!(u64, 8, |from, to| found::boards(
        level,
        Boards::Move,
        from,
        from,
        to
    ));
    anywhere!(u8, 64, |from, to| found::bytes_moved(level, from, to));
}

/// `load_i16_from_i8`: a lane has 256 inputs.
pub(crate) fn widened(level: Level) {
    for_all_bytes(|bytes| {
        let (bytes, mut to) = (bytes.map(u8::cast_signed), [[0; 64]; 2]);
        found::widened(level, &bytes, &mut to[0]);
        expected::widened(level, &bytes, &mut to[1]);
        assert_same(level, "load_i16_from_i8", to[0], to[1]);
    });
}

/// `load_i16_pairs`.
pub(crate) fn paired(level: Level) {
    for_all_bytes(|bytes| {
        let (bytes, mut to) = (bytes.map(u8::cast_signed), [[0; 32]; 2]);
        found::paired(level, &bytes, &mut to[0]);
        expected::paired(level, &bytes, &mut to[1]);
        assert_same(level, "load_i16_pairs", to[0], to[1]);
    });
}

/// `zero_i32`, `splat_i32` and `splat_u64x8`.
pub(crate) fn splats(level: Level) {
    for_all_bytes(|bytes| {
        let (sums, lanes) = (sums_of(bytes), lanes_of(bytes));
        for (function, expected) in [(Sums::Splat, sums[0]), (Sums::Zero, 0)] {
            let mut to = [1; 16];
            found::sums(level, function, &sums, &sums, &mut to);
            assert_same(level, function, to, [expected; 16]);
        }
        let mut to = [1; 8];
        found::boards(level, Boards::Splat, &lanes, &lanes, &mut to);
        assert_same(level, Boards::Splat, to, [lanes[0]; 8]);
    });
}
