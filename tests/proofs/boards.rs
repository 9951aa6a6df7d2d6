//! Primitives of eight lanes of 64 bits.
//!
//! Two lanes have 128 bits. Those of `and_u64x8`, `and_not_u64x8` and `or_u64x8` are independent of
//! each other, so that four combinations of two bits are all that there are: each bit takes them
//! while the others are zeros, ones and random bits. A rotation moves bits, as many as the lane of
//! the second vector says: each bit alone, by each number, and all but that bit. The lowest bit of a
//! lane depends on where it is, and not on what is above it: each place, with zeros, ones and random
//! bits above. Whether any bit is set is tried for each bit. Lanes are written where `to` has one
//! bit: all 64 squares by 64 in each lane, and all 256 sets of lanes.

use std::fmt::Debug;

use nnue_runtime::Level;

use crate::levels::{Boards, expected, found};

fn backgrounds() -> [[u64; 8]; 4] {
    let mut random = fastrand::Rng::with_seed(10);
    let random = [(); 2].map(|()| [(); 8].map(|()| random.u64(..)));
    [[0; 8], [u64::MAX; 8], random[0], random[1]]
}

#[track_caller]
fn assert_same(level: Level, function: Boards, a: &[u64; 8], b: &[u64; 8]) {
    let [mut to, mut expected] = [[0; 8]; 2];
    found::boards(level, function, a, b, &mut to);
    expected::boards(level, function, a, b, &mut expected);
    assert!(
        to == expected,
        "{function:?} of {a:x?} and {b:x?} of {level}: found {to:x?}, expected {expected:x?}"
    );
}

/// `and_u64x8`, `and_not_u64x8` and `or_u64x8`.
pub(crate) fn bitwise(level: Level) {
    for function in [Boards::And, Boards::AndNot, Boards::Or] {
        for first in backgrounds() {
            for second in backgrounds() {
                for (lane, bit) in (0..512).map(|place| (place / 64, place % 64)) {
                    for [a_bit, b_bit] in [[0, 0], [0, 1], [1, 0], [1, 1]] {
                        let (mut a, mut b) = (first, second);
                        a[lane] = a[lane] & !(1 << bit) | a_bit << bit;
                        b[lane] = b[lane] & !(1 << bit) | b_bit << bit;
                        assert_same(level, function, &a, &b);
                    }
                }
            }
        }
    }
}

/// `rotate_left_u64x8`.
pub(crate) fn rotations(level: Level) {
    let mut random = fastrand::Rng::with_seed(11);
    for background in backgrounds() {
        for (lane, bit) in (0..512).map(|place| (place / 64, place % 64)) {
            let mut lanes = background;
            lanes[lane] ^= 1 << bit;
            for by in 0..64 {
                let mut bits = [(); 8].map(|()| random.u64(..64));
                bits[lane] = by;
                assert_same(level, Boards::RotateLeft, &lanes, &bits);
            }
        }
    }
}

/// `lowest_u64x8`.
pub(crate) fn lowest(level: Level) {
    for background in backgrounds() {
        for above in backgrounds() {
            for (lane, bit) in (0..8 * 65).map(|place| (place / 65, place % 65)) {
                let mut lanes = background;
                // The 65th has no bit.
                lanes[lane] = match bit {
                    64 => 0,
                    bit => (above[lane] | 1) << bit,
                };
                assert_same(level, Boards::Lowest, &lanes, &lanes);
            }
        }
    }
}

/// `any_u64x8`.
pub(crate) fn any(level: Level) {
    let assert_same = |lanes: &[u64; 8]| {
        let (found, expected) = (found::any(level, lanes), expected::any(level, lanes));
        assert!(
            found == expected,
            "any_u64x8 of {lanes:x?} of {level}: found {found}, expected {expected}"
        );
    };
    backgrounds().iter().for_each(assert_same);
    for place in 0..512 {
        let mut lanes = [0; 8];
        lanes[place / 64] = 1 << (place % 64);
        assert_same(&lanes);
    }
}

/// `write_squares`.
pub(crate) fn squares(level: Level) {
    let assert_same = |from: &[u64; 8], to: &[u64; 8]| {
        let found = found::squares(level, from, to);
        let expected = expected::squares(level, from, to);
        assert_equal(
            level,
            &format_args!("write_squares of {from:x?} and {to:x?}"),
            found,
            expected,
        );
    };
    for lane in 0..8 {
        for (first, second) in (0..1 << 12).map(|pair| (pair % 64, pair / 64)) {
            let [mut from, mut to] = [[0; 8]; 2];
            (from[lane], to[lane]) = (1 << first, 1 << second);
            assert_same(&from, &to);
        }
    }
    // Lanes without a bit in `to` may have one in `from`.
    for set in 0..256 {
        for turn in 0..64 {
            let square = |lane: usize| (turn + 9 * lane) % 64;
            let from = std::array::from_fn(|lane| 1 << square(lane));
            let to = std::array::from_fn(|lane| (set >> lane & 1) << square(7 * lane + 5));
            assert_same(&from, &to);
        }
    }
}

#[track_caller]
fn assert_equal<T: PartialEq + Debug>(
    level: Level,
    what: &impl std::fmt::Display,
    found: T,
    expected: T,
) {
    assert!(
        found == expected,
        "{what} of {level}: found {found:?}, expected {expected:?}"
    );
}
