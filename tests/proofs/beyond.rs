//! Where levels differ: just outside of what is proved. So what is said about inputs is needed, and
//! nothing that would be true is left out.

use nnue_runtime::Level;

use crate::levels::{Boards, LONGEST_ROW, Words, expected, found};

/// Inputs for which a primitive means nothing, and the levels that make something else of them than
/// `scalar` does.
struct Beyond {
    primitive: &'static str,
    inputs: &'static str,
    differ: fn(Level) -> bool,
    levels: &'static [&'static str],
}

const ALL: &[&str] = &[
    "avx2",
    "avxvnni",
    "avx512",
    "avx512icl",
    "neon",
    "neondot",
    "neoni8mm",
    "simd128",
    "relaxed",
];
const ARM: &[&str] = &["neon", "neondot", "neoni8mm"];

const BEYOND: &[Beyond] = &[
    Beyond {
        primitive: "dot",
        inputs: "inputs of 128",
        differ: |level| dots_differ(level, 128),
        levels: &["neon", "neondot"],
    },
    Beyond {
        primitive: "dot",
        inputs: "inputs of 129",
        differ: |level| dots_differ(level, 129),
        levels: &["avx2", "avx512", "neon", "neondot"],
    },
    Beyond {
        primitive: "dot_two",
        inputs: "pairs whose sum over both blocks is 2^15",
        differ: |level| {
            let blocks = [[127, 127, 0, 0], [127, 2, 0, 0]];
            let weights = [[127, 127, 0, 0], [4, 1, 0, 0]].map(|four| four.repeat(16));
            let [mut to, mut expected] = [[0; 16]; 2];
            found::dot_two(level, &[0; 16], &blocks, &weights, &mut to);
            expected::dot_two(level, &[0; 16], &blocks, &weights, &mut expected);
            to != expected
        },
        levels: &["avx2", "avxvnni", "avx512", "avx512icl"],
    },
    Beyond {
        primitive: "dot_row",
        inputs: "inputs of 128",
        differ: |level| rows_differ(level, 128),
        levels: &["neon", "neondot"],
    },
    Beyond {
        primitive: "dot_row",
        inputs: "inputs of 129",
        differ: |level| rows_differ(level, 129),
        levels: &["avx2", "avx512", "neon", "neondot"],
    },
    Beyond {
        primitive: "mul_high_i16::<0>",
        inputs: "both factors `i16::MIN`",
        differ: |level| words_differ(level, Words::MulHigh(0), i16::MIN, i16::MIN),
        levels: ARM,
    },
    Beyond {
        primitive: "mul_high_i16::<1>",
        inputs: "a factor of 2^14, whose double has 17 bits",
        differ: |level| words_differ(level, Words::MulHigh(1), 1 << 14, 4),
        levels: ARM,
    },
    Beyond {
        primitive: "mul_high_i16::<7>",
        inputs: "a factor of 2^8, which has 17 bits after the shift",
        differ: |level| words_differ(level, Words::MulHigh(7), 1 << 8, 4),
        levels: ARM,
    },
    Beyond {
        primitive: "mul_rounded_i16",
        inputs: "both factors `i16::MIN`",
        differ: |level| words_differ(level, Words::MulRounded, i16::MIN, i16::MIN),
        levels: &["neon", "neondot", "neoni8mm", "simd128", "relaxed"],
    },
    Beyond {
        primitive: "bit_planes",
        inputs: "a byte of 16",
        differ: |level| planes_differ(level, 16),
        levels: &["neon", "neondot", "neoni8mm", "simd128", "relaxed"],
    },
    Beyond {
        primitive: "bit_planes",
        inputs: "a byte of 128",
        differ: |level| planes_differ(level, 128),
        levels: ALL,
    },
    Beyond {
        primitive: "sums_of_bits",
        inputs: "a sum of 256",
        differ: |level| {
            let (sets, values) = ([1; 5], [128, 128, 0, 0, 0]);
            found::sums_of_bits(level, &sets, &values)
                != expected::sums_of_bits(level, &sets, &values)
        },
        levels: ALL,
    },
    Beyond {
        primitive: "append_rows",
        inputs: "a byte of 16",
        differ: |level| {
            let table = [1; 16];
            let [mut rows, mut expected] = [[0; 64]; 2];
            found::append_rows(level, &[16; 64], &table, 0, 0, &mut rows, 0)
                != expected::append_rows(level, &[16; 64], &table, 0, 0, &mut expected, 0)
        },
        levels: &["neon", "neondot", "neoni8mm", "simd128", "relaxed"],
    },
    Beyond {
        primitive: "rotate_left_u64x8",
        inputs: "65 bits",
        differ: |level| {
            let (lanes, bits) = ([u64::MAX; 8], [65; 8]);
            let [mut to, mut expected] = [[0; 8]; 2];
            found::boards(level, Boards::RotateLeft, &lanes, &bits, &mut to);
            expected::boards(level, Boards::RotateLeft, &lanes, &bits, &mut expected);
            to != expected
        },
        levels: &["avx2", "avxvnni", "neon", "neondot", "neoni8mm"],
    },
    Beyond {
        primitive: "write_squares",
        inputs: "two bits in a lane of `from`",
        differ: |level| {
            let (from, to) = ([3; 8], [1; 8]);
            found::squares(level, &from, &to) != expected::squares(level, &from, &to)
        },
        levels: &["avx512", "avx512icl"],
    },
];

/// What relaxed products of bytes are for inputs beyond 127 is left to the machine.
fn is_left_open(primitive: &str, level: Level) -> bool {
    level.name() == "relaxed" && matches!(primitive, "dot" | "dot_row")
}

fn words_differ(level: Level, function: Words, a: i16, b: i16) -> bool {
    let [mut to, mut expected] = [[0; 64]; 2];
    found::words(level, function, &[a; 64], &[b; 64], &mut to);
    expected::words(level, function, &[a; 64], &[b; 64], &mut expected);
    to != expected
}

fn dots_differ(level: Level, input: u8) -> bool {
    [-128, 127].into_iter().any(|weight| {
        let [mut to, mut expected] = [[0; 16]; 2];
        found::dot(level, false, &[0; 16], &[input; 4], &[weight; 64], &mut to);
        expected::dot(
            level,
            false,
            &[0; 16],
            &[input; 4],
            &[weight; 64],
            &mut expected,
        );
        to != expected
    })
}

fn rows_differ(level: Level, input: u8) -> bool {
    [-128, 127].into_iter().any(|weight| {
        let (inputs, weights) = ([input; LONGEST_ROW], [weight; LONGEST_ROW]);
        found::row(level, false, 64, &inputs, &weights)
            != expected::row(level, false, 64, &inputs, &weights)
    })
}

fn planes_differ(level: Level, byte: u8) -> bool {
    let table = [255; 16];
    found::bit_planes(level, &[byte; 64], &table)
        != expected::bit_planes(level, &[byte; 64], &table)
}

/// Levels differ where they are said to, and the others do not.
pub(crate) fn check(level: Level) {
    for Beyond {
        primitive,
        inputs,
        differ,
        levels,
    } in BEYOND
    {
        if is_left_open(primitive, level) {
            continue;
        }
        let expected = levels.contains(&level.name());
        assert_eq!(
            differ(level),
            expected,
            "whether {level} differs: {primitive} of {inputs}"
        );
    }
}
