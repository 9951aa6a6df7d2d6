//! Primitives whose lanes are sums of 32 bits.
//!
//! Two sums have 64 bits. Sums and products modulo 2^32 are linear in each of the two, so that they
//! follow from those of bytes in their places, and the instructions are defined to be linear. What a
//! level could do wrong is to name another instruction, another lane or another operand, and that
//! would change sums and products of bytes: every byte of the first meets every byte of the second,
//! in every lane, with zeros, ones and carries beside them.

use nnue_runtime::Level;

use crate::levels::{Eights, Sums, expected, found};

/// What the other bytes of both sums are.
const BACKGROUNDS: [[i32; 2]; 4] = [[0, 0], [-1, -1], [0, -1], [0x7FFF_7FFF, 0x0100_8001]];

/// Calls a function with 2^16 pairs of sums in which a byte of the first and a byte of the second
/// take all values, for all places of the bytes.
fn for_all_bytes(mut check: impl FnMut(&[i32], &[i32])) {
    for [first, second] in BACKGROUNDS {
        for place in 0..16 {
            let [low, high] = [place % 4 * 8, place / 4 * 8];
            let with = |background: i32, byte: usize, shift: usize| {
                background & !(0xFF << shift) | (byte as i32) << shift
            };
            let a: Vec<i32> = (0..1 << 16)
                .map(|pair| with(first, pair % 256, low))
                .collect();
            let b: Vec<i32> = (0..1 << 16)
                .map(|pair| with(second, pair / 256, high))
                .collect();
            check(&a, &b);
        }
    }
    let mut random = fastrand::Rng::with_seed(4);
    let [a, b] = [(); 2].map(|()| (0..1 << 18).map(|_| random.i32(..)).collect::<Vec<i32>>());
    check(&a, &b);
}

/// `add_i32` and `mul_i32`.
pub(crate) fn arithmetic(level: Level, function: Sums) {
    let assert_same = |a: &[i32], b: &[i32]| {
        let [mut to, mut expected] = [(); 2].map(|()| vec![0; a.len()]);
        found::sums(level, function, a, b, &mut to);
        expected::sums(level, function, a, b, &mut expected);
        if let Some(at) = (0..a.len()).find(|at| to[*at] != expected[*at]) {
            let (a, b, found, expected) = (a[at], b[at], to[at], expected[at]);
            panic!("{function:?} of {a} and {b} of {level}: found {found}, expected {expected}");
        }
    };
    for_all_bytes(|a, b| {
        // Every pair in every lane.
        let (mut a, mut b) = (a.to_vec(), b.to_vec());
        for _ in 0..16 {
            assert_same(&a, &b);
            a.rotate_left(1);
            b.rotate_left(1);
        }
    });
}

/// `add_i32x8` and `sub_i32x8`.
pub(crate) fn eights(level: Level, function: Eights) {
    for_all_bytes(|a, b| {
        // Eight pairs that do not follow each other, so that every pair comes to every lane.
        for start in 0..a.len() {
            let at = |lane: usize| (start + lane * 0x1357) % a.len();
            let (a, b) = (
                std::array::from_fn(|lane| a[at(lane)]),
                std::array::from_fn(|lane| b[at(lane)]),
            );
            let [mut to, mut expected] = [[0; 8]; 2];
            found::eights(level, function, &a, &b, &mut to);
            expected::eights(level, function, &a, &b, &mut expected);
            assert!(
                to == expected,
                "{function:?} of {a:?} and {b:?} of {level}: found {to:?}, expected {expected:?}"
            );
        }
    });
}

/// `sum_i32`: a sum of lanes is linear in each of them. Each byte of each lane takes all values.
pub(crate) fn sum(level: Level) {
    let assert_same = |lanes: &[i32; 16]| {
        let (found, expected) = (found::sum(level, lanes), expected::sum(level, lanes));
        assert!(
            found == expected,
            "sum_i32 of {lanes:?} of {level}: found {found}, expected {expected}"
        );
    };
    let mut random = fastrand::Rng::with_seed(5);
    for background in [
        [0; 16],
        [-1; 16],
        [i32::MAX; 16],
        [(); 16].map(|()| random.i32(..)),
    ] {
        for (lane, shift) in (0..64).map(|place| (place / 4, place % 4 * 8)) {
            for byte in 0..256 {
                let mut lanes = background;
                lanes[lane] = lanes[lane] & !(0xFF << shift) | byte << shift;
                assert_same(&lanes);
            }
        }
    }
    for _ in 0..1 << 14 {
        assert_same(&[(); 16].map(|()| random.i32(..)));
    }
}
