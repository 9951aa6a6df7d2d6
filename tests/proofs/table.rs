//! The table of proofs: which primitives are proved, and how.

use std::ops::RangeInclusive;

use nnue_runtime::Level;

use crate::levels::{Bytes, Eights, Sums, Words};
use crate::{boards, floats, lists, moves, products, sums, words};

/// How primitives are proved to be those of `scalar`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Method {
    /// All inputs of a lane are tried.
    Exhaustion,
    /// A lane has more inputs than can be tried. Why those that are tried are enough is written
    /// above the test.
    Reduction,
    /// By the manual, the instruction is what the primitive is. Only a sample is tried.
    Definition,
}

impl Method {
    fn name(self) -> &'static str {
        match self {
            Method::Exhaustion => "exhaustion",
            Method::Reduction => "reduction",
            Method::Definition => "definition",
        }
    }
}

/// A proof of some primitives.
pub(crate) struct Proof {
    pub(crate) primitives: &'static [&'static str],
    pub(crate) method: Method,
    /// What is tried.
    inputs: &'static str,
    /// For which inputs levels agree, if these are not all.
    precondition: &'static str,
    /// What takes no more than a second.
    pub(crate) quick: fn(Level),
    /// What is missing then.
    complete: Option<fn(Level)>,
    /// What is done instead of it under an emulator, which takes fifty times as long, and what that
    /// proves.
    emulated: (Method, Option<fn(Level)>),
}

impl Proof {
    /// What is to be done after `quick` at a level. What is a proof by reduction for emulators is one
    /// everywhere; all inputs take as long as all other proofs, and are tried with `NNUE_PROOFS=all`.
    pub(crate) fn complete(&self, level: &str) -> Option<fn(Level)> {
        let all = std::env::var_os("NNUE_PROOFS").is_some_and(|proofs| proofs == "all");
        let is_reduced = !all && self.emulated.0 == Method::Reduction && self.emulated.1.is_some();
        if is_emulated(level) || is_reduced {
            self.emulated.1
        } else {
            self.complete
        }
    }
}

/// Whether the tests of a level run under an emulator of processors. An engine of WebAssembly is
/// none: it compiles.
fn is_emulated(level: &str) -> bool {
    level.starts_with("neon")
}

const SHIFTS: RangeInclusive<u32> = 0..=15;
const SHIFTS_TO_127: RangeInclusive<u32> = 6..=8;
const SHIFTS_TO_255: RangeInclusive<u32> = 8..=15;

/// A proof of a primitive of two words.
macro_rules! pairs_of_words {
    ($primitive:literal, $function:expr, $inputs:literal, $precondition:literal, $emulated:ident) => {
        Proof {
            primitives: &[$primitive],
            method: Method::Exhaustion,
            inputs: $inputs,
            precondition: $precondition,
            quick: |level| $function.for_each(|function| words::pairs_with_edges(level, function)),
            complete: Some(|level| {
                $function.for_each(|function| words::all_pairs(level, function))
            }),
            emulated: (
                Method::$emulated,
                Some(|level| $function.for_each(|function| words::all_with_bytes(level, function))),
            ),
        }
    };
}

/// A proof that takes no time.
macro_rules! quick {
    ($method:ident, $primitives:expr, $inputs:literal, $precondition:literal, $quick:expr) => {
        Proof {
            primitives: &$primitives,
            method: Method::$method,
            inputs: $inputs,
            precondition: $precondition,
            quick: $quick,
            complete: None,
            emulated: (Method::$method, None),
        }
    };
}

pub(crate) const PROOFS: &[Proof] = &[
    quick!(
        Reduction,
        [
            "load_i16",
            "store_i16",
            "load_u8",
            "bytes_u8",
            "load_i32",
            "store_i32",
            "load_i32x8",
            "store_i32x8",
            "load_u64x8",
            "store_u64x8",
        ],
        "every byte, all values, every alignment",
        "",
        moves::loads_and_stores
    ),
    quick!(
        Exhaustion,
        ["load_i16_from_i8"],
        "2^8, in every lane",
        "",
        moves::widened
    ),
    quick!(
        Reduction,
        ["load_i16_pairs"],
        "every byte, all values",
        "",
        moves::paired
    ),
    quick!(
        Exhaustion,
        ["splat_i16"],
        "2^16, in every lane",
        "",
        words::splat
    ),
    quick!(
        Reduction,
        ["zero_i32", "splat_i32", "splat_u64x8"],
        "every byte, all values",
        "",
        moves::splats
    ),
    pairs_of_words!("add_i16", [Words::Add].into_iter(), "2^32", "", Definition),
    pairs_of_words!("sub_i16", [Words::Sub].into_iter(), "2^32", "", Definition),
    pairs_of_words!("min_i16", [Words::Min].into_iter(), "2^32", "", Definition),
    pairs_of_words!("max_i16", [Words::Max].into_iter(), "2^32", "", Definition),
    quick!(
        Exhaustion,
        ["shift_left_i16"],
        "2^16 and 16 shifts, in every lane",
        "",
        |level| SHIFTS.for_each(|shift| words::all_words(level, Words::ShiftLeft(shift)))
    ),
    quick!(
        Exhaustion,
        ["shift_right_i16"],
        "2^16 and 16 shifts, in every lane",
        "",
        |level| SHIFTS.for_each(|shift| words::all_words(level, Words::ShiftRight(shift)))
    ),
    pairs_of_words!(
        "mul_high_i16",
        SHIFTS.map(Words::MulHigh),
        "2^33, with 16 shifts",
        "`a << N` fits in 16 bits, and it and `b` are not both `i16::MIN`",
        Definition
    ),
    pairs_of_words!(
        "mul_rounded_i16",
        [Words::MulRounded].into_iter(),
        "2^32",
        "not both `i16::MIN`",
        Definition
    ),
    pairs_of_words!(
        "mul_low_i16",
        [Words::MulLow].into_iter(),
        "2^32",
        "",
        Definition
    ),
    quick!(
        Exhaustion,
        ["quantmoid4_i16"],
        "2^16, in every lane",
        "",
        |level| words::all_words(level, Words::Quantmoid4)
    ),
    quick!(
        Exhaustion,
        ["clip_to_255"],
        "2^16, in every lane of either vector",
        "",
        |level| [0, 1].into_iter().for_each(|vector| {
            words::all_words(level, Words::ClipTo255(vector));
        })
    ),
    quick!(
        Exhaustion,
        ["pack_u8"],
        "2^16, in every lane",
        "",
        |level| words::all_words(level, Bytes::Pack)
    ),
    pairs_of_words!(
        "product_to_127",
        SHIFTS_TO_127.map(Bytes::To127),
        "2^32, with each of 3 shifts",
        "",
        Reduction
    ),
    pairs_of_words!(
        "product_to_255",
        SHIFTS_TO_255.map(Bytes::To255),
        "2^32, with each of 8 shifts",
        "",
        Reduction
    ),
    quick!(
        Reduction,
        ["add_i32"],
        "bytes of both, all pairs",
        "",
        |level| sums::arithmetic(level, Sums::Add)
    ),
    quick!(
        Reduction,
        ["mul_i32"],
        "bytes of both, all pairs",
        "",
        |level| sums::arithmetic(level, Sums::Mul)
    ),
    quick!(
        Reduction,
        ["add_i32x8", "sub_i32x8"],
        "bytes of both, all pairs",
        "",
        |level| [Eights::Add, Eights::Sub]
            .into_iter()
            .for_each(|function| sums::eights(level, function))
    ),
    Proof {
        primitives: &["madd_i16"],
        method: Method::Reduction,
        inputs: "2^32 products, in sums of 64; edges in pairs",
        precondition: "the sum of all lanes",
        quick: products::pairs_of_words,
        complete: Some(products::all_pairs_of_words),
        emulated: (Method::Reduction, None),
    },
    quick!(
        Reduction,
        ["sum_i32"],
        "every byte, all values",
        "",
        sums::sum
    ),
    Proof {
        primitives: &["dot", "splat_block", "load_i8", "dots", "sum_dots"],
        method: Method::Reduction,
        inputs: "2^30 pairs of products, twice; limits of all four",
        precondition: "inputs up to 127",
        quick: |level| products::fours_of_bytes(level, false),
        complete: Some(|level| products::all_pairs_of_bytes(level, false)),
        emulated: (Method::Reduction, None),
    },
    quick!(
        Reduction,
        ["dot_two"],
        "each product alone; limits of all eight",
        "inputs up to 127, pairs whose sums over both blocks fit in 16 bits",
        products::two_blocks
    ),
    Proof {
        primitives: &["dot_wide", "splat_block_of"],
        method: Method::Reduction,
        inputs: "2^32 pairs of products, twice; limits of all four",
        precondition: "",
        quick: |level| products::fours_of_bytes(level, true),
        complete: Some(|level| products::all_pairs_of_bytes(level, true)),
        emulated: (Method::Reduction, None),
    },
    quick!(
        Reduction,
        ["dot_row"],
        "limits in every place of 17 lengths",
        "inputs up to 127",
        |level| products::rows(level, false)
    ),
    quick!(
        Reduction,
        ["dot_row_wide"],
        "limits in every place of 17 lengths",
        "",
        |level| products::rows(level, true)
    ),
    Proof {
        primitives: &["fma_f32"],
        method: Method::Definition,
        inputs: "2^26 triples, and edges",
        precondition: "",
        quick: floats::fma_of_edges,
        complete: Some(floats::fma_at_random),
        emulated: (Method::Definition, None),
    },
    Proof {
        primitives: &["sqrt_f32"],
        method: Method::Exhaustion,
        inputs: "2^32",
        precondition: "",
        quick: floats::some_roots,
        complete: Some(floats::all_roots),
        emulated: (Method::Definition, None),
    },
    Proof {
        primitives: &["append_nonzero"],
        method: Method::Reduction,
        inputs: "2^32 blocks, 2^16 sets of blocks, all first blocks",
        precondition: "blocks that the list has; others are refused",
        quick: lists::nonzero,
        complete: Some(lists::nonzero_blocks),
        emulated: (Method::Reduction, None),
    },
    quick!(
        Reduction,
        ["bit_planes"],
        "every byte, all entries",
        "bytes less than 16",
        lists::bit_planes
    ),
    quick!(
        Reduction,
        ["sums_of_bits"],
        "every bit in 2^5 combinations, all values",
        "sums less than 256",
        lists::sums_of_bits
    ),
    Proof {
        primitives: &["append_rows"],
        method: Method::Reduction,
        inputs: "2^16 sets of each 16 bytes, every bit, every room",
        precondition: "bytes less than 16",
        quick: lists::rows,
        complete: Some(lists::all_rows),
        emulated: (Method::Reduction, Some(lists::all_rows)),
    },
    quick!(Reduction, ["any_u64x8"], "every bit", "", boards::any),
    quick!(
        Reduction,
        ["lowest_u64x8"],
        "every lowest bit",
        "",
        boards::lowest
    ),
    quick!(
        Reduction,
        ["and_not_u64x8", "and_u64x8", "or_u64x8"],
        "every bit, all pairs",
        "",
        boards::bitwise
    ),
    quick!(
        Reduction,
        ["write_squares"],
        "2^12 pairs of squares in every lane, 2^8 sets of lanes",
        "at most one bit in a lane, and one of `from` where `to` has one",
        boards::squares
    ),
    quick!(
        Reduction,
        ["rotate_left_u64x8"],
        "every bit by every number",
        "0 to 63 bits",
        boards::rotations
    ),
];

macro_rules! sources {
    ($($kind:ident $module:ident $arch:ident $archs:tt $feature:ident $features:tt $facts:tt)+) => {
        &[$((
            stringify!($module),
            include_str!(concat!(
                "../../nnue-runtime/src/simd/",
                stringify!($module),
                ".rs",
            )),
        )),+]
    };
}

/// The files of primitives, by level. The first is `scalar`.
const SOURCES: &[(&str, &str)] = nnue_runtime::__private::levels!(sources);

/// Names of all primitives.
pub(crate) fn primitives() -> Vec<&'static str> {
    let (_, scalar) = SOURCES[0];
    let functions = scalar
        .lines()
        .filter_map(|line| line.strip_prefix("pub fn "));
    let name = |line: &'static str| line.split(['(', '<']).next().unwrap();
    // What is made of other primitives by a macro of `words.rs` is called as the macro is.
    let by_macro = scalar
        .lines()
        .filter_map(|line| line.strip_prefix("super::words::"));
    let by_macro = by_macro.filter_map(|line| line.split('!').next());
    functions.map(name).chain(by_macro).collect()
}

/// The level whose file has the function that is the level's primitive: this one, or one that it
/// re-exports. The functions of both are one and the same then, and what is proved about one is
/// proved about the other.
pub(crate) fn owner(level: &'static str, primitive: &str) -> &'static str {
    let source = SOURCES.iter().find(|(name, _)| *name == level).unwrap().1;
    let is_defined = |line: &str| {
        let name = line
            .strip_prefix("pub fn ")
            .or(line.strip_prefix("super::words::"));
        name.is_some_and(|name| name.split(['(', '<', '!']).next() == Some(primitive))
    };
    if source.lines().any(is_defined) {
        return level;
    }
    let extended = source.lines().find_map(|line| {
        let (extended, items) = line.strip_prefix("pub use super::")?.split_once("::")?;
        let mut names = items.split(['{', ',', ' ', '}', ';']);
        names
            .any(|name| name == primitive || name == "*")
            .then_some(extended)
    });
    let extended = extended.unwrap_or_else(|| panic!("`{level}` has no `{primitive}`"));
    let (extended, _) = SOURCES.iter().find(|(name, _)| *name == extended).unwrap();
    owner(extended, primitive)
}

/// Whether a level has one of the primitives in its own file.
pub(crate) fn owns(level: &'static str, proof: &Proof) -> bool {
    proof
        .primitives
        .iter()
        .any(|primitive| owner(level, primitive) == level)
}

/// The table of the documentation. Proofs that differ in nothing else share a row.
pub(crate) fn table() -> String {
    let mut rows: Vec<(String, String)> = Vec::new();
    for proof in PROOFS {
        let names = proof.primitives.iter().map(|name| format!("`{name}`"));
        let names = names.collect::<Vec<_>>().join(", ");
        let precondition = match proof.precondition {
            "" => "all",
            precondition => precondition,
        };
        let (method, emulated) = (proof.method.name(), proof.emulated.0.name());
        let emulated = if emulated == method { "" } else { emulated };
        let cells = format!("{} | {precondition} | {method} | {emulated}", proof.inputs);
        match rows.iter_mut().find(|(_, others)| *others == cells) {
            Some((others, _)) => *others += &format!(", {names}"),
            None => rows.push((names, cells)),
        }
    }
    let rows = rows
        .iter()
        .map(|(names, cells)| format!("| {names} | {cells} |\n"));
    let head = "| primitive | what is tried | for | proof | under qemu |\n|---|---|---|---|---|\n";
    head.to_owned() + &rows.collect::<String>()
}
