//! A layout without a header, in which everything that a list can say occurs. The tests of
//! nnue-compiler's explanations compile this file too.

use fastrand::Rng;

use super::*;

/// A layout with everything: constant and skipped bytes, alignment, a tail, and other types, orders
/// and widths than those of memory.
pub(crate) const SEQUENCE: FileLayout = FileLayout {
    name: Text::Borrowed("Mixed"),
    format: Format::Sequence,
    sections: list(SECTIONS),
    stacks: Stacks::NONE,
    tail: Tail {
        text: b"bullet",
        multiple: 64,
    },
    extents: list(&[Extent {
        name: "widgets",
        count: 6,
        unit: 2,
        bytes: 96,
    }]),
    coalesced: list(&[]),
    paired: list(&[]),
};

pub(crate) const SECTIONS: &[Section] = &[
    Section::Bytes {
        name: Text::Borrowed(""),
        form: FieldForm::Bytes,
        expected: list(b"NNUE\x01"),
    },
    Section::Skipped {
        name: Text::Borrowed("name"),
        len: 6,
    },
    Section::Align(16),
    Section::tensor(
        Role::Weights(0),
        "padded columns",
        [1, 3, 6],
        Stored::new(Element::I16, [0, 8, 1], 24),
        Placed::new(
            Form::Rows,
            Element::I16,
            [0, 0],
            [3, 8],
            &[
                Segment::run(0, 0, 3).every(2),
                Segment::run(1, 4, 3).every(2),
            ],
        ),
    ),
    Section::same(
        Role::Weights(0),
        "copied",
        Element::I32,
        Encoding::Raw,
        64,
        [2, 3],
    ),
    Section::tensor(
        Role::Weights(0),
        "widened",
        [2, 1, 4],
        Stored::new(Element::I8, [4, 0, 1], 8),
        Placed::new(Form::Rows, Element::I32, [96, 16], [1, 4], &[]),
    ),
    Section::tensor(
        Role::Weights(0),
        "transposed",
        [2, 3, 8],
        Stored::new(Element::I8, [3, 1, 6], 48),
        Placed::new(
            Form::Blocks,
            Element::I8,
            [128, 32],
            [4, 8],
            &[Segment::run(0, 0, 8).packed()],
        ),
    ),
    Section::tensor(
        Role::Weights(0),
        "quantised",
        [1, 2, 5],
        Stored::new(Element::F32, [0, 5, 1], 10).quantised(Quantise {
            factor: 64.0,
            rounding: Rounding::Nearest,
            overflow: Overflow::Refuse,
            element: Element::I8,
        }),
        Placed::new(Form::Columns, Element::I16, [192, 0], [2, 5], &[]),
    ),
    Section::tensor(
        Role::Weights(0),
        "float",
        [1, 1, 3],
        Stored::new(Element::F32, [0, 0, 1], 3),
        Placed::rows(Element::F32, 256, [1, 4]),
    ),
    Section::tensor(
        Role::Weights(0),
        "signs",
        [1, 2, 70],
        Stored::new(Element::I8, [0, 70, 1], 140),
        Placed::new(Form::Bits, Element::U64, [288, 0], [2, 128], &[]),
    ),
    Section::tensor(
        Role::Weights(0),
        "blocks",
        [1, 48, 4],
        Stored::new(Element::I16, [0, 1, 48], 192),
        Placed::new(
            Form::OutputBlocks { runs: 2, ids: 320 },
            Element::I16,
            [384, 0],
            [48, 4],
            &[],
        ),
    ),
];

pub(crate) const HEAD: usize = 16;
pub(crate) const COPIED: usize = HEAD + 48;
pub(crate) const WIDENED: usize = COPIED + 24;
pub(crate) const TRANSPOSED: usize = WIDENED + 8;
pub(crate) const QUANTISED: usize = TRANSPOSED + 48;
pub(crate) const FLOAT: usize = QUANTISED + 40;
pub(crate) const SIGNS: usize = FLOAT + 12;
pub(crate) const BLOCKS: usize = SIGNS + 140;
pub(crate) const END: usize = BLOCKS + 384;

/// A file of [`SEQUENCE`] with everything that loading has to keep: padding that is not zero, and
/// skipped bytes.
pub(crate) fn sequence() -> Vec<u8> {
    let mut random = Rng::with_seed(11);
    let mut file = b"NNUE\x01".to_vec();
    file.extend(random_bytes(&mut random, BLOCKS - file.len()));
    for index in 0..10 {
        let value = random.u64(..255) as f32 - 127.0;
        file[QUANTISED + 4 * index..][..4].copy_from_slice(&(value / 64.0).to_le_bytes());
    }
    for index in 0..3 {
        let value = random.u64(..1000) as f32 - 500.5;
        file[FLOAT + 4 * index..][..4].copy_from_slice(&value.to_le_bytes());
    }
    for sign in &mut file[SIGNS..BLOCKS] {
        *sign = if *sign & 1 != 0 { 0xFF } else { 1 };
    }
    for input in 0..4 {
        // One of the three runs of outputs is zero.
        for output in 0..48 {
            let value = if output / 16 == input % 3 {
                0
            } else {
                random.i16(..)
            };
            file.extend(value.to_le_bytes());
        }
    }
    assert_eq!(file.len(), END);
    let tail: Vec<u8> = SEQUENCE.tail.bytes(END).collect();
    file.extend(tail);
    file
}
