//! Tests of files in Stockfish's format.

use alloc::vec;
use alloc::vec::Vec;

use super::{
    BODY, COMPRESSED, FC_0, FC_1, HASH, ORDERS, RAW, STACK, STACK_LEN, VERSION, WEIGHTS, file, load,
};
use crate::split::header;
use crate::*;

/// The offset and the stride of the stacks in memory, and the offsets of two tensors in a stack.
const MEMORY_STACK: usize = 96;
const MEMORY_STRIDE: usize = 576;
const MEMORY_FC_0: usize = 16;
const MEMORY_FC_1: usize = 544;

fn error(layout: &FileLayout, source: &[u8]) -> LoadError {
    load(layout, ORDERS[0], source).unwrap_err()
}

fn patched(layout: &FileLayout, offset: usize, bytes: &[u8]) -> Vec<u8> {
    let mut source = file(layout);
    source[offset..offset + bytes.len()].copy_from_slice(bytes);
    source
}

fn in_stack(stack: usize, name: &'static str) -> Place {
    Place {
        stack: Some(stack),
        name: name.into(),
    }
}

/// A file of [`COMPRESSED`] with another block for the weights, and the offset of that block.
fn with_block(byte_count: u32, values: &[u8]) -> (Vec<u8>, usize) {
    let source = file(&COMPRESSED);
    let layout = COMPRESSED;
    let parts = split(&layout, &source).unwrap();
    let weights = &parts.tensors[1];
    let end = weights.offset + weights.bytes.len();
    let block = [&byte_count.to_le_bytes()[..], values].concat();
    let count_at = weights.offset - 4;
    (
        [&source[..count_at], &block, &source[end..]].concat(),
        count_at,
    )
}

#[test]
fn values_land_where_the_layout_says() {
    let source = file(&RAW);
    let (weights, loaded) = load(&RAW, &[0, 2, 1, 3], &source).unwrap();
    assert_eq!(loaded.description, b"tiny");
    assert_eq!(
        weights[..4],
        [32767_i16.to_ne_bytes(), i16::MIN.to_ne_bytes()].concat()
    );
    assert_eq!(weights[60..64], i32::MAX.to_ne_bytes());
    for stack in 0..2 {
        let from = &source[stack * STACK_LEN..];
        let memory = &weights[MEMORY_STACK + stack * MEMORY_STRIDE..];
        // Input 64 + 9 is in logical group 1 of the second vector of its segment, which AVX2 leaves
        // in group 2.
        let slot = 64 + 16 + 1;
        for output in 0..3 {
            assert_eq!(
                memory[MEMORY_FC_0 + (slot / 4 * 4 + output) * 4 + slot % 4],
                from[FC_0 + output * 128 + 64 + 9]
            );
        }
        let room_for_output_3 = memory[MEMORY_FC_0..][..512].chunks(4).skip(3).step_by(4);
        assert!(room_for_output_3.flatten().all(|&byte| byte == 0));
        for output in 0..2 {
            let row = &from[FC_1 + output * 32..][..7];
            let expected = [&row[..3], &[0], &row[3..], &[0; 4]].concat();
            assert_eq!(memory[MEMORY_FC_1 + output * 12..][..12], expected);
        }
    }
}

#[test]
fn compressed_and_raw_files_give_the_same_weights() {
    let weights = |layout| load(layout, &[0], &file(layout)).unwrap().0;
    assert!(weights(&RAW) == weights(&COMPRESSED));
}

#[test]
fn levels_differ_by_a_rearrangement() {
    let source = file(&RAW);
    // The offset of the first tensor whose columns differ.
    let layout = RAW;
    let packed = layout.tensors().filter(|(_, tensor)| {
        let mut segments = tensor.placed.segments.iter();
        segments.any(|segment| segment.packed)
    });
    let starts = packed.map(|(base, tensor)| base + tensor.placed.offset);
    let start = starts.min().unwrap();
    assert!(start > 0);
    for from in ORDERS {
        for to in ORDERS {
            for start in [0, start] {
                let (mut weights, _) = load(&RAW, from, &source).unwrap();
                relevel(&RAW, &mut weights[start..], start, from, to);
                assert!(
                    weights == load(&RAW, to, &source).unwrap().0,
                    "{from:?} to {to:?}, from byte {start} on"
                );
            }
        }
    }
}

#[test]
fn padding_that_is_not_zero_is_kept() {
    let (_, loaded) = load(&RAW, &[0], &file(&RAW)).unwrap();
    // Behind five sections of the transformer, the weights of fc_1 are the last of five in each
    // stack.
    let ignored = |stack: usize, offset, byte| Ignored {
        section: 4 + 5 * (stack + 1),
        offset,
        byte,
    };
    let of_stack = |stack| {
        [(30, 42), (31, 0x80), (62, 42), (63, 0x80)]
            .map(|(offset, byte)| ignored(stack, offset, byte))
    };
    let expected = [of_stack(0), of_stack(1)].concat();
    assert_eq!(loaded.ignored, expected);
}

#[test]
fn the_header_must_match() {
    let small128 = 0x1C10_3C92;
    assert_eq!(
        error(&RAW, &patched(&RAW, 4, &u32::to_le_bytes(small128))),
        LoadError::NetworkHash(WrongWord {
            spec: "Tiny".into(),
            expected: HASH,
            found: small128,
        })
    );
    assert_eq!(
        error(&RAW, &patched(&RAW, 0, b"\x7FELF")),
        LoadError::Version(WrongWord {
            spec: "Tiny".into(),
            expected: VERSION,
            found: 0x464C_457F,
        })
    );
    for length in [DESCRIPTION_LIMIT + 1, u32::MAX] {
        assert_eq!(
            error(&RAW, &patched(&RAW, 8, &length.to_le_bytes())),
            LoadError::DescriptionTooLong {
                length,
                limit: DESCRIPTION_LIMIT,
            }
        );
    }
}

#[test]
fn hashes_of_the_body_must_match() {
    assert_eq!(
        error(&RAW, &patched(&RAW, BODY, &[0; 4])),
        LoadError::SectionHash {
            place: header("transformer hash"),
            offset: BODY as u64,
            expected: 0x7F23_44B8,
            found: 0,
            elsewhere: None,
        }
    );
    // Three bytes too many in stack 0.
    let mut source = file(&RAW);
    source.splice(FC_0..FC_0, [1, 2, 3]);
    let offset = STACK + STACK_LEN;
    let found = u32::from_le_bytes(source[offset..offset + 4].try_into().unwrap());
    assert_eq!(
        error(&RAW, &source),
        LoadError::SectionHash {
            place: in_stack(1, "hash"),
            offset: offset as u64,
            expected: 0x6333_6A4A,
            found,
            elsewhere: Some(offset as u64 + 3),
        }
    );
}

#[test]
fn encodings_must_match() {
    let offset = (BODY + 4) as u64;
    assert_eq!(
        error(&RAW, &file(&COMPRESSED)),
        LoadError::UnexpectedlyCompressed {
            place: header("biases"),
            offset,
            by_key: true,
            expected: Encoding::Raw,
        }
    );
    assert_eq!(
        error(&COMPRESSED, &file(&RAW)),
        LoadError::NotCompressed {
            place: header("biases"),
            offset,
            by_key: true,
            elsewhere: None,
        }
    );
    // Two threats are missing, so the PSQT block comes early.
    let mut source = file(&COMPRESSED);
    let threats = split(&COMPRESSED, &source).unwrap().tensors[2].offset;
    source.drain(threats..threats + 2);
    let offset = threats as u64 + 9;
    assert_eq!(
        error(&COMPRESSED, &source),
        LoadError::NotCompressed {
            place: header("psqt"),
            offset,
            by_key: false,
            elsewhere: Some(offset - 2),
        }
    );
}

#[test]
fn byte_counts_must_match_the_values() {
    let check = |byte_count: u32, values: &[u8], allowed: (u64, u64)| {
        let (source, count_at) = with_block(byte_count, values);
        let expected = LoadError::Leb128ByteCount {
            place: header("weights"),
            offset: count_at as u64,
            found: byte_count,
            at_least: allowed.0,
            at_most: allowed.1,
        };
        assert_eq!(error(&COMPRESSED, &source), expected);
    };
    check(0, &[0; 20], (20, 60));
    check(61, &[0; 61], (20, 60));
    check(u32::MAX, &[0; 20], (20, 60));
    check(22, &[0; 22], (20, 20));
    // There are five values of two bytes and ten values of one byte: five values are missing.
    check(
        20,
        &[[0xFF, 0x00].repeat(5), vec![0; 10]].concat(),
        (25, 35),
    );
    // The last byte begins a value that does not end.
    check(20, &[&[0; 19][..], &[0x80]].concat(), (21, 23));
}

#[test]
fn values_must_be_shortest_and_in_range() {
    let values = [&[0; 19][..], &[0x80, 0x00]].concat();
    let (source, count_at) = with_block(21, &values);
    assert_eq!(
        error(&COMPRESSED, &source),
        LoadError::Value {
            place: header("weights"),
            index: 19,
            fault: ValueFault::Overlong {
                offset: count_at as u64 + 4 + 19,
                longest: 3,
            },
        }
    );
    let mut values = vec![0; 9];
    crate::leb128::encode(-40_000, &mut values);
    values.extend([0; 10]);
    let (source, count_at) = with_block(22, &values);
    assert_eq!(
        error(&COMPRESSED, &source),
        LoadError::Value {
            place: header("weights"),
            index: 9,
            fault: ValueFault::OutsideType {
                offset: count_at as u64 + 4 + 9,
                value: -40_000,
                element: Element::I16,
            },
        }
    );
}

#[test]
fn the_file_must_end_with_the_network() {
    let mut source = file(&RAW);
    let expected_len = source.len() as u64;
    source.push(0);
    assert_eq!(
        error(&RAW, &source),
        LoadError::TrailingBytes {
            offset: expected_len,
            expected_len,
            found_len: expected_len + 1,
        }
    );
}

#[test]
fn truncation_names_the_tensor() {
    let source = file(&RAW);
    assert_eq!(
        error(&RAW, &source[..WEIGHTS + 30]),
        LoadError::Truncated {
            place: header("weights"),
            offset: WEIGHTS as u64,
            needed: 40,
            available: 30,
        }
    );
    assert_eq!(
        error(&RAW, &source[..FC_1 + STACK_LEN]),
        LoadError::Truncated {
            place: in_stack(1, "fc_1.weights"),
            offset: (FC_1 + STACK_LEN) as u64,
            needed: 64,
            available: 0,
        }
    );
}

/// The file has fewer bytes than values for a compressed transformer that memory has in another
/// order.
#[test]
fn padding_comes_back_where_tensors_are_decoded_before_they_are_placed() {
    const ROWS: usize = 250;
    const NEIGHBOURS: &[Section] = &[Section::tensor(
        Role::Weights(0),
        "weights",
        [1, ROWS, 4],
        Stored::new(Element::I16, [0, 4, 1], 4 * ROWS).encoded(Encoding::Leb128),
        Placed::new(
            Form::Rows,
            Element::I16,
            [2048, 0],
            [ROWS, 4],
            &[
                Segment::run(0, 0, 2).every(2),
                Segment::run(1, 2, 2).every(2),
            ],
        ),
    )];
    let layout = FileLayout {
        sections: list(NEIGHBOURS),
        ..RAW
    };
    let raw = file(&RAW);
    let (magic, byte_count) = (b"COMPRESSED_LEB128", 4 * ROWS as u32);
    let values = [1; 4 * ROWS];
    let block = [&magic[..], &byte_count.to_le_bytes(), &values].concat();
    let source = [&raw[..BODY], &block, &raw[STACK..]].concat();
    let mut weights = vec![0; layout.memory_len()];
    let parts = split(&layout, &source).unwrap();
    let loaded = parts.load(ORDERS[0], &mut weights).unwrap();
    assert_eq!(loaded.ignored.len(), 8);
    assert!(super::stored(&layout, ORDERS[0], &weights, &loaded) == source);
}
