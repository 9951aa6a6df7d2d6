//! Primitives that look bytes up, and those that list what they find.
//!
//! Each byte is looked up, each bit counted and each block tested for itself; what remains is in
//! which order those that are found are written. So there are two parts: each of them alone, with
//! all of its values; and every set of them that levels look at together, which are at most 16 of a
//! table of sets or of a compression. `avx512icl` compresses 32 by one instruction: each half has
//! all sets while the other half is empty or full.

use std::fmt::Debug;

use nnue_runtime::Level;

use crate::levels::{BLOCKS, Longest, expected, found};
use crate::parallel;

#[track_caller]
fn assert_same<T: PartialEq + Debug>(level: Level, what: impl Debug, found: T, expected: T) {
    assert!(
        found == expected,
        "{what:?} of {level}: found {found:?}, expected {expected:?}"
    );
}

/// `append_nonzero`: every set of 16 blocks, each single bit of a block among them; and every first
/// block of the longest list.
pub(crate) fn nonzero(level: Level) {
    for others in [0, 0xFFFF_u32] {
        for set in 0..1 << 16 {
            for set in [set << 16 | others, others << 16 | set] {
                let blocks = std::array::from_fn(|block| {
                    let is_set = set >> block & 1;
                    (is_set << ((set as usize ^ (5 * block)) % 32)).to_le_bytes()
                });
                let found = found::nonzero(level, &blocks);
                assert_same(level, blocks, found, expected::nonzero(level, &blocks));
            }
        }
    }
    for block in 0..BLOCKS {
        for bit in 0..32 {
            let mut blocks = [[0; 4]; BLOCKS];
            blocks[block] = (1_u32 << bit).to_le_bytes();
            let mut expected = [0; BLOCKS];
            expected[0] = block as u16;
            assert_same(level, blocks, found::nonzero(level, &blocks), (expected, 1));
        }
    }
    let at_once = found::append_full(level, &mut Longest::new(), 0);
    let fewest = expected::append_full(level, &mut Longest::new(), 0);
    assert_same(
        level,
        "what is left of the blocks taken at once",
        at_once % fewest,
        0,
    );
    for first in 0..=(1 << 16) - at_once {
        let mut list = Longest::new();
        found::append_full(level, &mut list, first);
        let mut found: Vec<usize> = list.as_slice().iter().map(|block| block.index()).collect();
        found.sort_unstable();
        assert!(
            found.iter().copied().eq(first..first + at_once),
            "append_nonzero from {first} on of {level}: found {found:?}"
        );
    }
}

/// `append_nonzero` of blocks with all 2^32 values: all but 0 are found.
pub(crate) fn nonzero_blocks(level: Level) {
    let all = std::array::from_fn(|block| block as u16);
    let mut all_but_first = [0; BLOCKS];
    all_but_first[..BLOCKS - 1].copy_from_slice(&all[1..]);
    parallel::for_each(
        1 << 16,
        || (),
        |(), high| {
            for low in (0..1 << 16).step_by(BLOCKS) {
                let value = (high << 16 | low) as u32;
                let blocks = std::array::from_fn(|block| (value + block as u32).to_le_bytes());
                let expected = match value {
                    0 => (all_but_first, BLOCKS - 1),
                    _ => (all, BLOCKS),
                };
                assert_same(level, blocks, found::nonzero(level, &blocks), expected);
            }
        },
    );
}

/// `bit_planes`: every byte with all 16 values and all entries, while the other bytes have none of
/// the entry's bits that are set and all of those that are not.
pub(crate) fn bit_planes(level: Level) {
    for place in 0..64 {
        for byte in 0..16 {
            for entry in 0..=255 {
                let other = (byte + 1 + place as u8) % 16;
                let mut bytes = [if other == byte { 15 - byte } else { other }; 64];
                bytes[place] = byte;
                let mut table = [!entry; 16];
                table[usize::from(byte)] = entry;
                let found = found::bit_planes(level, &bytes, &table);
                let expected = expected::bit_planes(level, &bytes, &table);
                assert_same(level, ("bit_planes", bytes, table), found, expected);
            }
        }
    }
    let mut random = fastrand::Rng::with_seed(12);
    for _ in 0..1 << 12 {
        let (bytes, table) = (
            [(); 64].map(|()| random.u8(..16)),
            [(); 16].map(|()| random.u8(..)),
        );
        let found = found::bit_planes(level, &bytes, &table);
        let expected = expected::bit_planes(level, &bytes, &table);
        assert_same(level, ("bit_planes", bytes, table), found, expected);
    }
}

/// `sums_of_bits`: every bit in all 32 combinations of sets, with values that add up to 255; every
/// value of every set.
pub(crate) fn sums_of_bits(level: Level) {
    let assert_same = |sets: &[u64; 5], values: &[u8; 5]| {
        let found = found::sums_of_bits(level, sets, values);
        let expected = expected::sums_of_bits(level, sets, values);
        assert_same(level, ("sums_of_bits", sets, values), found, expected);
    };
    for values in [
        [51; 5],
        [1, 2, 4, 8, 240],
        [128, 64, 32, 16, 15],
        [0, 0, 255, 0, 0],
    ] {
        for bit in 0..64 {
            for combination in 0..32_u64 {
                for others in [0, !(1 << bit)] {
                    let in_set = |set: usize| (combination >> set & 1) << bit;
                    assert_same(&std::array::from_fn(|set| in_set(set) | others), &values);
                }
            }
        }
    }
    for set in 0..5 {
        for value in 0..=255 {
            let mut values = [0; 5];
            values[set] = value;
            for bits in [u64::MAX, 0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210] {
                let mut sets = [!bits; 5];
                sets[set] = bits;
                assert_same(&sets, &values);
            }
        }
    }
}

/// Which of 64 bytes have a row that exists, which are the sets that are tried: of each 16 bytes, all
/// whose number is a multiple of `step`, while the others are empty or full.
fn append_some_rows(level: Level, step: usize) {
    let sixteens = [0, 16, 32, 48].map(|first| [0, u64::MAX].map(|others| (first, others)));
    for (first, others) in sixteens.into_iter().flatten() {
        for set in (0..1 << 16).step_by(step) {
            let exist = others & !(0xFFFF << first) | set << first;
            // Entries of odd numbers exist.
            let bytes = std::array::from_fn(|byte| {
                let any = (set as usize + 6 * byte) % 16;
                (any & !1 | (exist >> byte & 1) as usize) as u8
            });
            let table =
                std::array::from_fn(|entry| ((entry as u32 & 1 ^ 1) << 31) | (64 * entry as u32));
            assert_rows(level, &bytes, &table, 1000, 0, 64);
        }
    }
}

#[track_caller]
fn assert_rows(
    level: Level,
    bytes: &[u8; 64],
    table: &[u32; 16],
    offset: u32,
    orientation: u8,
    room: usize,
) {
    let (mut rows, mut expected) = ([7; 3 + 80], [7; 3 + 80]);
    let lens = [
        found::append_rows(
            level,
            bytes,
            table,
            offset,
            orientation,
            &mut rows[..3 + room],
            3,
        ),
        expected::append_rows(
            level,
            bytes,
            table,
            offset,
            orientation,
            &mut expected[..3 + room],
            3,
        ),
    ];
    // What lies between the rows and the end of their room is of no importance.
    for (rows, len) in [(&mut rows, lens[0]), (&mut expected, lens[1])] {
        rows[len..3 + room].fill(7);
    }
    let what = ("append_rows", bytes, table, offset, orientation, room);
    assert_same(level, what, (rows, lens[0]), (expected, lens[1]));
}

/// `append_rows`: every bit of every entry, offset and orientation in every place; all rooms.
pub(crate) fn rows(level: Level) {
    for byte in 0..16 {
        for bit in 0..32 {
            // The bit that says that a row does not exist is one of them.
            let mut table = [1 << 31; 16];
            table[usize::from(byte)] = 1 << bit;
            let bytes = std::array::from_fn(|place| if place % 7 == 0 { byte } else { 15 - byte });
            assert_rows(level, &bytes, &table, 0, 0, 64);
        }
    }
    let table = std::array::from_fn(|entry| 100 * entry as u32);
    for place in 0..64 {
        for byte in 0..16 {
            let mut bytes = [15 - byte; 64];
            bytes[place] = byte;
            assert_rows(level, &bytes, &table, 0, 0, 64);
        }
    }
    let bytes = std::array::from_fn(|place| place as u8 % 16);
    for orientation in 0..=255 {
        assert_rows(level, &bytes, &table, 0, orientation, 64);
    }
    for bit in 0..31 {
        assert_rows(level, &bytes, &table, 1 << bit, 0, 64);
        assert_rows(level, &bytes, &table, !(1 << bit) >> 1, 0, 64);
    }
    let mut random = fastrand::Rng::with_seed(13);
    for room in 0..=80 {
        for _ in 0..64 {
            let table = std::array::from_fn(|entry| (random.u32(..2) << 31) + entry as u32);
            assert_rows(
                level,
                &[(); 64].map(|()| random.u8(..16)),
                &table,
                5,
                56,
                room,
            );
        }
    }
    append_some_rows(level, 37);
}

/// `append_rows` of every set of 16 bytes that have a row.
pub(crate) fn all_rows(level: Level) {
    append_some_rows(level, 1);
}
