//! A network small enough to try every byte of its file. The tests of nnue-compiler's explanations
//! compile this file too.

use fastrand::Rng;

use super::*;

pub(crate) const RAW: FileLayout = layout(const { &transformer::<false>() });
pub(crate) const COMPRESSED: FileLayout = layout(const { &transformer::<true>() });

/// The number of bytes of the weights in memory.
pub(crate) const MEMORY_LEN: usize = STACKS_AT + 2 * STRIDE;
const STACKS_AT: usize = 96;
const STRIDE: usize = 576;
pub(crate) const VERSION: u32 = 0x7AF3_2F20;
pub(crate) const HASH: u32 = 0x1C10_2EF2;

/// The offsets of the parts of a raw file.
pub(crate) const BODY: usize = 16;
pub(crate) const WEIGHTS: usize = BODY + 4 + 8;
pub(crate) const STACK: usize = WEIGHTS + 40 + 9 + 24;
pub(crate) const STACK_LEN: usize = 4 + 12 + 3 * 128 + 8 + 2 * 32;
pub(crate) const FC_0: usize = STACK + 4 + 12;
pub(crate) const FC_1: usize = FC_0 + 3 * 128 + 8;

const STACK_SECTIONS: &[Section] = &[
    Section::hash("hash", 0x6333_6A4A),
    same(
        Role::LayerBiases(0),
        "fc_0.biases",
        Element::I32,
        false,
        STACKS_AT,
        3,
    ),
    affine(
        0,
        "fc_0.weights",
        [3, 128],
        Placed::new(
            Form::Blocks,
            Element::I8,
            [STACKS_AT + 16, 0],
            [4, 128],
            &[
                Segment::run(0, 0, 64).packed(),
                Segment::run(64, 64, 64).packed(),
            ],
        ),
    ),
    same(
        Role::LayerBiases(1),
        "fc_1.biases",
        Element::I32,
        false,
        STACKS_AT + 528,
        2,
    ),
    affine(
        1,
        "fc_1.weights",
        [2, 7],
        Placed::new(
            Form::Rows,
            Element::I8,
            [STACKS_AT + 544, 0],
            [2, 12],
            &[Segment::run(0, 0, 3), Segment::run(3, 4, 4)],
        ),
    ),
];

const STACK_GROUPS: &[List<Section>] = &[list(STACK_SECTIONS)];

const fn layout(sections: &'static [Section]) -> FileLayout {
    FileLayout {
        name: Text::Borrowed("Tiny"),
        format: Format::Stockfish {
            version: VERSION,
            hash: HASH,
        },
        sections: list(sections),
        stacks: Stacks {
            count: 2,
            stride: STRIDE,
            groups: list(STACK_GROUPS),
        },
        tail: Tail::NONE,
        extents: list(&[]),
        coalesced: list(&[]),
        paired: list(&[]),
    }
}

const fn transformer<const COMPRESSED: bool>() -> [Section; 5] {
    [
        Section::Hash {
            name: "transformer hash",
            expected: 0x7F23_44B8,
        },
        same(Role::Biases(0), "biases", Element::I16, COMPRESSED, 0, 4),
        same(Role::Weights(0), "weights", Element::I16, COMPRESSED, 8, 20),
        same(Role::Weights(5), "threats", Element::I8, false, 48, 9),
        same(Role::Psqt(0), "psqt", Element::I32, COMPRESSED, 60, 6),
    ]
}

const fn same(
    role: Role,
    name: &'static str,
    element: Element,
    compressed: bool,
    offset: usize,
    count: usize,
) -> Section {
    let encoding = if compressed {
        Encoding::Leb128
    } else {
        Encoding::Raw
    };
    Section::same(role, name, element, encoding, offset, [1, count])
}

const fn affine(
    layer: usize,
    name: &'static str,
    [rows, columns]: [usize; 2],
    placed: Placed,
) -> Section {
    let role = Role::LayerWeights(layer);
    let padded = columns.next_multiple_of(32);
    let stored = Stored::new(Element::I8, [0, padded, 1], rows * padded);
    Section::tensor(role, name, [1, rows, columns], stored, placed)
}

pub(crate) fn random_bytes(random: &mut Rng, len: usize) -> Vec<u8> {
    (0..len).map(|_| random.u8(..)).collect()
}

/// A valid file of [`RAW`] or [`COMPRESSED`], with extreme values and with padding that is not
/// zero.
pub(crate) fn file(layout: &FileLayout) -> Vec<u8> {
    let compressed = layout.max_len() != RAW.max_len();
    let mut random = Rng::with_seed(7);
    let mut bytes = Vec::new();
    let word = |bytes: &mut Vec<u8>, word: u32| bytes.extend(word.to_le_bytes());
    word(&mut bytes, VERSION);
    word(&mut bytes, HASH);
    word(&mut bytes, 4);
    bytes.extend(b"tiny");
    word(&mut bytes, 0x7F23_44B8);

    let values = |bytes: &mut Vec<u8>, size: usize, values: &[i32]| {
        if compressed {
            let mut block = Vec::new();
            values
                .iter()
                .for_each(|&value| leb128::encode(value, &mut block));
            bytes.extend(b"COMPRESSED_LEB128");
            word(bytes, block.len() as u32);
            bytes.extend(block);
        } else {
            values
                .iter()
                .for_each(|value| bytes.extend(&value.to_le_bytes()[..size]));
        }
    };
    values(&mut bytes, 2, &[32767, -32768, 0, -1]);
    let weights: Vec<i32> = (0..20)
        .map(|_| i32::from(random.i16(..)) >> random.u64(..16))
        .collect();
    values(&mut bytes, 2, &weights);
    bytes.extend(random_bytes(&mut random, 9));
    values(&mut bytes, 4, &[i32::MAX, i32::MIN, -64, 64, 63, 1 << 20]);

    for _ in 0..2 {
        word(&mut bytes, 0x6333_6A4A);
        bytes.extend(random_bytes(&mut random, 12 + 3 * 128 + 8));
        for _ in 0..2 {
            bytes.extend(random_bytes(&mut random, 7));
            bytes.extend([0; 22]);
            bytes.extend([0, 42, 0x80]);
        }
    }
    bytes
}
