//! Tests of files without a header: bullet's files, and lists of tensors.

use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

use fastrand::Rng;

use super::mixed::*;
use super::{ORDERS, load, random_bytes, stored};
use crate::*;

const MEMORY_LEN: usize = super::MEMORY_LEN;

/// A layout with the same tensors in floating point, by name and in any order.
const NAMED: FileLayout = FileLayout {
    name: Text::Borrowed("Named"),
    format: Format::Named,
    sections: list(
        const {
            &[
                named("first", "l0w", 6, 0),
                named("second", "l0b", 3, 32),
                named("third", "l1w", 2, 64),
            ]
        },
    ),
    stacks: Stacks::NONE,
    tail: Tail::NONE,
    extents: list(&[]),
    coalesced: list(&[]),
    paired: list(&[]),
};

const fn named(name: &'static str, id: &'static str, count: usize, offset: usize) -> Section {
    let stored = Stored::new(Element::F32, [0, 0, 1], count).quantised(Quantise {
        factor: 255.0,
        rounding: Rounding::Truncate,
        overflow: Overflow::Refuse,
        element: Element::I16,
    });
    let placed = Placed::rows(Element::I16, offset, [1, count]);
    Section::named(Role::Weights(0), name, id, [1, 1, count], stored, placed)
}

/// A file of [`NAMED`] with its tensors in this order.
fn named_file(order: [usize; 3]) -> Vec<u8> {
    let mut file = Vec::new();
    for index in order {
        let (id, count) = [("l0w", 6), ("l0b", 3), ("l1w", 2)][index];
        file.extend(id.as_bytes());
        file.push(b'\n');
        file.extend((count as u64).to_le_bytes());
        for value in 0..count {
            let value = (value as f32 + 0.5 + 10.0 * index as f32) / 255.0;
            file.extend(value.to_le_bytes());
        }
    }
    file
}

fn error(layout: &FileLayout, source: &[u8]) -> LoadError {
    load(layout, ORDERS[0], source).unwrap_err()
}

fn patched(offset: usize, bytes: &[u8]) -> Vec<u8> {
    let mut source = sequence();
    source[offset..offset + bytes.len()].copy_from_slice(bytes);
    source
}

fn i16s(memory: &[u8]) -> Vec<i16> {
    let values = memory.as_chunks().0.iter();
    values.map(|value| i16::from_ne_bytes(*value)).collect()
}

#[test]
fn every_byte_comes_back() {
    let source = sequence();
    for order in ORDERS {
        let (weights, loaded) = load(&SEQUENCE, order, &source).unwrap();
        assert!(stored(&SEQUENCE, order, &weights, &loaded) == source);
    }
}

#[test]
fn values_land_where_the_layout_says() {
    let source = sequence();
    let (weights, loaded) = load(&SEQUENCE, ORDERS[0], &source).unwrap();
    let from_file = |row: usize, column: usize| {
        i16::from_le_bytes([0, 1].map(|byte| source[HEAD + 2 * (8 * row + column) + byte]))
    };
    for row in 0..3 {
        let memory = i16s(&weights[16 * row..][..16]);
        let at = |column| from_file(row, column);
        assert_eq!(memory, [at(0), at(2), at(4), 0, at(1), at(3), at(5), 0]);
    }
    let widened = |bucket: usize, column: usize| {
        let value = weights[96 + 16 * bucket + 4 * column..]
            .first_chunk()
            .unwrap();
        i32::from_ne_bytes(*value)
    };
    for (bucket, column) in (0..2).flat_map(|bucket| (0..4).map(move |column| (bucket, column))) {
        let expected = source[WIDENED + 4 * bucket + column].cast_signed();
        assert_eq!(widened(bucket, column), i32::from(expected));
    }
    for (bucket, row, column) in [(0, 0, 0), (1, 2, 5), (1, 0, 7)] {
        let memory = weights[128 + 32 * bucket + (column / 4 * 4 + row) * 4 + column % 4];
        assert_eq!(memory, source[TRANSPOSED + column * 6 + bucket * 3 + row]);
    }
    let quantised = i16s(&weights[192..212]);
    for (row, column) in (0..2).flat_map(|row| (0..5).map(move |column| (row, column))) {
        let number = source[QUANTISED + 4 * (5 * row + column)..]
            .first_chunk()
            .unwrap();
        let expected = f32::from_le_bytes(*number) * 64.0;
        assert_eq!(f32::from(quantised[2 * column + row]), expected);
    }
    assert_eq!(weights[256..268], source[FLOAT..SIGNS]);
    assert_eq!(weights[268..272], [0; 4]);
    for column in [0, 1, 69] {
        let bit = weights[288 + 16 + column / 8] >> (column % 8) & 1 != 0;
        assert_eq!(bit, source[SIGNS + 70 + column] == 0xFF);
    }
    // The runs of outputs other than zero of the second input.
    assert_eq!(i16s(&weights[320..328]), [1, 2, 0, 2]);
    let run = 384 + 2 * 16 * (2 + 1);
    assert_eq!(weights[run..run + 32], source[BLOCKS + 96 + 64..][..32]);
    // Padding of the first tensor.
    let padding = loaded.ignored.iter();
    let padding = padding.filter(|ignored| SECTIONS[ignored.section].as_tensor().is_some());
    assert_eq!(padding.count(), 12);
    assert_eq!(loaded.skipped, source[5..11]);
}

#[test]
fn levels_differ_by_a_rearrangement() {
    let source = sequence();
    for from in ORDERS {
        for to in ORDERS {
            let (mut weights, _) = load(&SEQUENCE, from, &source).unwrap();
            relevel(&SEQUENCE, &mut weights, 0, from, to);
            assert!(weights == load(&SEQUENCE, to, &source).unwrap().0);
        }
    }
}

#[test]
fn every_other_length_is_refused() {
    let source = sequence();
    let longer = [&source[..], &[b'b'; 130]].concat();
    for len in (0..source.len()).chain(source.len() + 1..longer.len()) {
        let LoadError::Size {
            expected, found, ..
        } = error(&SEQUENCE, &longer[..len])
        else {
            panic!("{len}")
        };
        assert_eq!((expected, found), (source.len() as u64, len as u64));
    }
}

#[test]
fn every_flipped_bit_is_refused_or_kept() {
    let mut source = sequence();
    let mut refused = 0;
    for bit in 0..8 * source.len() {
        source[bit / 8] ^= 1 << (bit % 8);
        match load(&SEQUENCE, ORDERS[1], &source) {
            Ok((weights, loaded)) => {
                let written = stored(&SEQUENCE, ORDERS[1], &weights, &loaded);
                // Quantised values and signs need not come back, but they must mean the same.
                let lossy =
                    (QUANTISED..FLOAT).contains(&(bit / 8)) || (SIGNS..BLOCKS).contains(&(bit / 8));
                assert!(lossy || written == source, "bit {bit}");
                assert!(load(&SEQUENCE, ORDERS[1], &written).unwrap().0 == weights);
            }
            Err(_) => refused += 1,
        }
        source[bit / 8] ^= 1 << (bit % 8);
    }
    // Changes are refused in all constant bytes, in the tail, in the first bit of the exponents of
    // the ten quantised values, and in blocks that were zero.
    let tail = source.len() - END;
    assert_eq!(refused, 8 * (5 + tail) + 10 + 4 * 16 * 16);
}

#[test]
fn what_differs_is_shown() {
    for (offset, bytes, message) in [
        (
            1,
            &b"x"[..],
            "bytes at offset 0 are `4e 78 55 45 01`, expected `4e 4e 55 45 01`",
        ),
        (
            END + 3,
            b"L",
            "the last tensor ends at offset 720: expected 48 bytes of `bullet` to follow, found others",
        ),
        (
            QUANTISED + 8,
            &2f32.to_le_bytes(),
            "value 2 of `quantised` is 2, times 64 that is 128, allowed are -128 to 127",
        ),
        (
            QUANTISED + 8,
            &f32::NAN.to_le_bytes(),
            "value 2 of `quantised` is NaN, expected a finite number",
        ),
        (
            FLOAT,
            &f32::NEG_INFINITY.to_le_bytes(),
            "value 0 of `float` is -inf, expected a finite number",
        ),
        (
            BLOCKS,
            &[1],
            "input 0 of `blocks` reaches 3 runs of 16 outputs, allowed are 2",
        ),
    ] {
        assert_eq!(
            error(&SEQUENCE, &patched(offset, bytes))
                .facts()
                .to_string(),
            message
        );
    }
}

#[test]
fn named_tensors_may_have_any_order() {
    let (expected, _) = load(&NAMED, ORDERS[0], &named_file([0, 1, 2])).unwrap();
    assert_eq!(i16s(&expected[..12]), [0, 1, 2, 3, 4, 5]);
    assert_eq!(i16s(&expected[64..68]), [20, 21]);
    for order in [[0, 1, 2], [1, 2, 0], [2, 1, 0]] {
        let source = named_file(order);
        let (weights, loaded) = load(&NAMED, ORDERS[0], &source).unwrap();
        assert!(weights[..MEMORY_LEN] == expected[..]);
        assert_eq!(loaded.order, order);
        let written = stored(&NAMED, ORDERS[0], &weights, &loaded);
        assert_eq!(written.len(), source.len());
        assert!(load(&NAMED, ORDERS[0], &written) == Ok((weights, loaded)));
    }
}

#[test]
fn names_and_lengths_of_named_tensors_are_checked() {
    let source = named_file([0, 1, 2]);
    for len in 0..source.len() {
        assert!(load(&NAMED, ORDERS[0], &source[..len]).is_err(), "{len}");
    }
    let message = |source: &[u8]| error(&NAMED, source).facts().to_string();
    let first = 4 + 8 + 24;
    assert_eq!(message(&source[first..]), "the file does not have `first`");
    assert_eq!(
        message(&[&source[..], &source[..first]].concat()),
        "found `first` a second time at offset 80, expected each tensor once"
    );
    assert_eq!(
        message(&[&source[..], b"l1b\n"].concat()),
        "found `l1b` at offset 80, expected the name of a tensor: `l0w`, `l0b` or `l1w`"
    );
    let mut shorter = source.clone();
    shorter[4] = 5;
    assert_eq!(
        message(&shorter),
        "`first` at offset 0 has 5 values, expected 6"
    );
    assert_eq!(
        message(b"\x1F\x8B\x08 and so on"),
        "found `\\u{1f}\u{fffd}\\u{8} ` at offset 0, expected the name of a tensor: `l0w`, `l0b` or `l1w`"
    );
}

#[test]
fn bytes_at_random_are_refused_or_kept() {
    let mut random = Rng::with_seed(5);
    let valid = [sequence(), named_file([2, 0, 1])];
    for (layout, valid) in [SEQUENCE, NAMED].iter().zip(&valid) {
        for _ in 0..3000 {
            let mut source = valid.clone();
            let start = random.u64(..source.len() as u64) as usize;
            let len = random.u64(..20).min((source.len() - start) as u64) as usize;
            let bytes = random_bytes(&mut random, len);
            source[start..start + len].copy_from_slice(&bytes);
            if let Ok((weights, loaded)) = load(layout, ORDERS[2], &source) {
                let written = stored(layout, ORDERS[2], &weights, &loaded);
                assert!(load(layout, ORDERS[2], &written).unwrap().0 == weights);
            }
        }
    }
}

/// Rows of three values that the file pads to four.
#[test]
fn padding_of_named_tensors_comes_back() {
    let padded_rows = Stored::new(Element::F32, [0, 4, 1], 8);
    let padded = |id, offset| {
        let placed = Placed::rows(Element::F32, offset, [2, 3]);
        Section::named(Role::Weights(0), id, id, [1, 2, 3], padded_rows, placed)
    };
    let layout = FileLayout {
        sections: vec![padded("a", 0), padded("b", 24)].into(),
        ..NAMED
    };
    let mut file = Vec::new();
    for id in [b"b\n", b"a\n"] {
        file.extend_from_slice(id);
        file.extend_from_slice(&8u64.to_le_bytes());
        for value in 0..8 {
            file.extend_from_slice(&(value as f32 + 0.5 + f32::from(id[0])).to_le_bytes());
        }
    }
    let (weights, loaded) = load(&layout, ORDERS[0], &file).unwrap();
    assert!(stored(&layout, ORDERS[0], &weights, &loaded) == file);
}

#[test]
fn rows_are_in_place_where_file_and_memory_begin_with_them() {
    const ROWS: Section = Section::same(
        Role::Weights(0),
        "rows",
        Element::I16,
        Encoding::Raw,
        0,
        [64, 32],
    );
    const BIASES: Section = Section::same(
        Role::Biases(0),
        "biases",
        Element::I16,
        Encoding::Raw,
        4096,
        [1, 32],
    );
    const COMPRESSED: Section = Section::same(
        Role::Weights(0),
        "rows",
        Element::I16,
        Encoding::BareLeb128,
        0,
        [64, 32],
    );
    let taken = |sections: &'static [Section]| {
        let layout = FileLayout {
            sections: list(sections),
            ..FileLayout::EMPTY
        };
        let source: Vec<u8> = (0..layout.max_len())
            .map(|place| place as u8 & 0x3F)
            .collect();
        // The values take a byte each where they are compressed.
        let source = if sections[0] == COMPRESSED {
            &source[..64 * 32 + 64]
        } else {
            &source[..]
        };
        let mut parts = split(&layout, source).unwrap();
        let taken = parts.take_in_place();
        // The bytes that were not taken are loaded, and no other memory is touched.
        let mut weights = vec![0xFF; 4096 + 64];
        parts.load(&[0], &mut weights).unwrap();
        let untouched = weights[..4096].iter().all(|byte| *byte == 0xFF);
        assert_eq!(taken.is_some(), untouched);
        assert!(weights[4096..].iter().any(|byte| *byte != 0xFF));
        taken
    };
    assert_eq!(taken(const { &[ROWS, BIASES] }), Some(4096));
    // The file begins with another tensor, or with other bytes than memory has.
    assert_eq!(taken(const { &[BIASES, ROWS] }), None);
    assert_eq!(taken(const { &[COMPRESSED, BIASES] }), None);
}
