//! Stockfish's generations of networks as data: what a net file of each contains, in which order,
//! and its hashes.
//!
//! The table says no more than a file's layout, and it is written independently of `specs/*.toml`
//! and of the compiler, so that a mistake there shows as a difference.

use std::ops::Range;

use nnue_interpreter::dummy::net_file::LEB128_MAGIC;

/// A generation of networks: the layout of its files, and the synthetic net that the goldens were
/// computed from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generation {
    /// Short name, as in `golden/synthetic/<name>.tsv`.
    pub name: &'static str,
    /// First word of the file.
    pub version: u32,
    /// Hash of the feature sets alone, which the transformer's hash builds on.
    pub feature_hash: u32,
    /// Neurons per perspective of the transformer.
    pub width: usize,
    /// PSQT outputs per feature; 0 where the generation has none.
    pub psqt_buckets: usize,
    /// The transformer's data in file order.
    pub transformer: &'static [Block],
    /// The affine layers of one layer stack, input side first.
    pub layers: [Affine; 3],
    /// Layer stacks, one per output bucket.
    pub stacks: usize,
    /// Seed of the synthetic net.
    pub seed: u64,
    /// First 12 hex digits of the synthetic net's SHA-256.
    pub sha256: &'static str,
    /// Size of the synthetic net's file in bytes.
    pub bytes: usize,
}

/// Tensors that are encoded together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// How the values are stored.
    pub encoding: Encoding,
    /// The tensors, one after the other.
    pub tensors: &'static [Tensor],
}

/// How a block stores its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Little-endian integers of the tensor's element type.
    Raw,
    /// [`LEB128_MAGIC`], the number of bytes that follow as a `u32`, then signed LEB128 values.
    Leb128,
    /// Not at all: the synthetic net draws the values of the generation before and leaves them out.
    Dropped,
}

/// A tensor of the feature transformer. The number is its rows, one per feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tensor {
    /// `i16`, one per neuron.
    Biases,
    /// `i16`, a row of neurons per piece-square feature.
    Weights(usize),
    /// `i32`, a row of buckets per piece-square feature.
    Psqt(usize),
    /// `i8`, a row of neurons per threat or pawn pair.
    PairWeights(usize),
    /// `i32`, a row of buckets per threat or pawn pair.
    PairPsqt(usize),
}

/// A fully connected layer: `i32` biases, then `i8` weights, one row per output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Affine {
    /// Inputs that the layer reads.
    pub inputs: usize,
    /// Outputs, neurons that bypass the next layer included.
    pub outputs: usize,
}

impl Generation {
    /// The generation of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        GENERATIONS
            .iter()
            .find(|generation| generation.name == name)
    }

    /// The hash of the transformer, which the file has before its data.
    pub fn transformer_hash(&self) -> u32 {
        self.feature_hash ^ self.hashed_width()
    }

    /// The hash of a layer stack, which the file has before the data of each stack.
    pub fn stack_hash(&self) -> u32 {
        let input = 0xEC42_E90D ^ self.hashed_width();
        let [first, second, last] = self.layers.map(|layer| layer.outputs as u32);
        affine_hash(
            relu_hash(affine_hash(relu_hash(affine_hash(input, first)), second)),
            last,
        )
    }

    /// The hash in the file's header, which covers the whole network.
    pub fn header_hash(&self) -> u32 {
        self.transformer_hash() ^ self.stack_hash()
    }

    /// Number of values in a tensor of the transformer.
    pub fn len_of(&self, tensor: Tensor) -> usize {
        match tensor {
            Tensor::Biases => self.width,
            Tensor::Weights(rows) | Tensor::PairWeights(rows) => rows * self.width,
            Tensor::Psqt(rows) | Tensor::PairPsqt(rows) => rows * self.psqt_buckets,
        }
    }

    /// Where the first net of this generation lies in an image that holds it somewhere: an engine's
    /// executable, a module's memory.
    ///
    /// Found by version and header hash; the end follows from the layout and from the lengths of
    /// the compressed blocks.
    pub fn find(&self, image: &[u8]) -> Option<Range<usize>> {
        let mut header = [0; 8];
        header[..4].copy_from_slice(&self.version.to_le_bytes());
        header[4..].copy_from_slice(&self.header_hash().to_le_bytes());
        let starts = image
            .windows(header.len())
            .enumerate()
            .filter(|(_, window)| **window == header);
        starts
            .map(|(start, _)| start)
            .find_map(|start| Some(start..start + self.file_len(&image[start..])?))
    }

    /// Length of the net file that `bytes` begin with; `None` if they begin with none of this
    /// generation.
    fn file_len(&self, bytes: &[u8]) -> Option<usize> {
        let mut at = 8;
        at += 4 + word(bytes, at)? as usize;
        at = expect_word(bytes, at, self.transformer_hash())?;
        for block in self.transformer {
            at += match block.encoding {
                Encoding::Raw => block
                    .tensors
                    .iter()
                    .map(|&tensor| self.len_of(tensor) * tensor.element_bytes())
                    .sum(),
                Encoding::Dropped => 0,
                Encoding::Leb128 => {
                    let length = at.checked_add(LEB128_MAGIC.len())?;
                    if bytes.get(at..length)? != LEB128_MAGIC {
                        return None;
                    }
                    LEB128_MAGIC.len() + 4 + word(bytes, length)? as usize
                }
            };
        }
        for _ in 0..self.stacks {
            at = expect_word(bytes, at, self.stack_hash())?;
            at += self
                .layers
                .iter()
                .map(|layer| layer.outputs * (4 + layer.padded_inputs()))
                .sum::<usize>();
        }
        (at <= bytes.len()).then_some(at)
    }

    /// Both perspectives' neurons: what the hashes count, whether or not a product halves them
    /// before the first layer.
    fn hashed_width(&self) -> u32 {
        2 * self.width as u32
    }
}

impl Tensor {
    /// Bytes of one value where it is stored raw.
    pub fn element_bytes(self) -> usize {
        match self {
            Tensor::PairWeights(_) => 1,
            Tensor::Biases | Tensor::Weights(_) => 2,
            Tensor::Psqt(_) | Tensor::PairPsqt(_) => 4,
        }
    }
}

impl Affine {
    /// Values per row of weights in the file.
    pub fn padded_inputs(self) -> usize {
        self.inputs.next_multiple_of(32)
    }
}

fn affine_hash(previous: u32, outputs: u32) -> u32 {
    0xCC03_DAE4_u32.wrapping_add(outputs) ^ (previous >> 1) ^ (previous << 31)
}

fn relu_hash(previous: u32) -> u32 {
    0x538D_24C7_u32.wrapping_add(previous)
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn expect_word(bytes: &[u8], at: usize, expected: u32) -> Option<usize> {
    (word(bytes, at)? == expected).then_some(at + 4)
}

/// All generations, oldest first; `small128` is SFNNv9 at a small width.
pub static GENERATIONS: [Generation; 19] = [
    V1, V2, V3, V4, V5, V6, V7, V8, V9, SMALL128, V10, V11, V12, V13, V14, V14B, V15, V16, V17,
];

const HALF_KA_V2_HM: u32 = 0x7F23_4CB8;
const FULL_THREATS: u32 = 0x8F23_4CB8;

const V1: Generation = Generation {
    name: "v1",
    version: 0x7AF3_2F16,
    feature_hash: 0x5D69_D5B8,
    width: 256,
    psqt_buckets: 0,
    transformer: &[raw(&[Tensor::Biases, Tensor::Weights(41024)])],
    layers: [affine(512, 32), affine(32, 32), affine(32, 1)],
    stacks: 1,
    seed: 101,
    sha256: "af3c179e8a0f",
    bytes: 21022541,
};

const V2: Generation = Generation {
    name: "v2",
    version: 0x7AF3_2F20,
    feature_hash: 0x5F23_4CB8,
    width: 512,
    psqt_buckets: 8,
    transformer: &[raw(&[
        Tensor::Biases,
        Tensor::Weights(45056),
        Tensor::Psqt(45056),
    ])],
    layers: [affine(1024, 16), affine(16, 32), affine(32, 1)],
    stacks: 8,
    seed: 102,
    sha256: "7a277d0339fe",
    bytes: 47721317,
};

const V3: Generation = Generation {
    name: "v3",
    feature_hash: HALF_KA_V2_HM,
    width: 1024,
    transformer: &[raw(&[
        Tensor::Biases,
        Tensor::Weights(22528),
        Tensor::Psqt(22528),
    ])],
    layers: [affine(2048, 8), affine(8, 32), affine(32, 1)],
    seed: 103,
    sha256: "2b81940db1ed",
    bytes: 47001189,
    ..V2
};

const V4: Generation = Generation {
    name: "v4",
    layers: [affine(1024, 16), affine(15, 32), affine(32, 1)],
    seed: 104,
    sha256: "6c84abbeacf8",
    bytes: 47001445,
    ..V3
};

const V5: Generation = Generation {
    name: "v5",
    layers: [affine(1024, 16), affine(30, 32), affine(32, 1)],
    seed: 105,
    sha256: "bae91a337e7a",
    bytes: 47001445,
    ..V4
};

const V6: Generation = Generation {
    name: "v6",
    width: 1536,
    transformer: &[
        leb128(&[Tensor::Biases]),
        leb128(&[Tensor::Weights(22528)]),
        leb128(&[Tensor::Psqt(22528)]),
    ],
    layers: [affine(1536, 16), affine(30, 32), affine(32, 1)],
    seed: 106,
    sha256: "95cbe208b000",
    bytes: 36064977,
    ..V5
};

const V7: Generation = Generation {
    name: "v7",
    width: 2048,
    layers: [affine(2048, 16), affine(30, 32), affine(32, 1)],
    seed: 107,
    sha256: "e14b5e83d6c5",
    bytes: 47930075,
    ..V6
};

const V8: Generation = Generation {
    name: "v8",
    width: 2560,
    layers: [affine(2560, 16), affine(30, 32), affine(32, 1)],
    seed: 108,
    sha256: "722a38fde109",
    bytes: 59793743,
    ..V6
};

const V9: Generation = Generation {
    name: "v9",
    width: 3072,
    layers: [affine(3072, 16), affine(30, 32), affine(32, 1)],
    seed: 109,
    sha256: "54ce4ee82ade",
    bytes: 71654752,
    ..V6
};

const SMALL128: Generation = Generation {
    name: "small128",
    width: 128,
    layers: [affine(128, 16), affine(30, 32), affine(32, 1)],
    seed: 110,
    sha256: "62763a127fc4",
    bytes: 3442259,
    ..V6
};

/// A generation that does not exist: the small net with twice the neurons.
pub static HM256: Generation = Generation {
    name: "hm256",
    width: 256,
    layers: [affine(256, 16), affine(30, 32), affine(32, 1)],
    seed: 119,
    sha256: "",
    bytes: 0,
    ..SMALL128
};

const V10: Generation = Generation {
    name: "v10",
    feature_hash: FULL_THREATS,
    width: 1024,
    transformer: &[
        leb128(&[Tensor::Biases]),
        raw(&[Tensor::PairWeights(79856)]),
        leb128(&[Tensor::Weights(22528)]),
        leb128(&[Tensor::PairPsqt(79856), Tensor::Psqt(22528)]),
    ],
    layers: [affine(1024, 16), affine(30, 32), affine(32, 1)],
    seed: 111,
    sha256: "287b0344dfc9",
    bytes: 107238879,
    ..V6
};

const V11: Generation = Generation {
    name: "v11",
    transformer: &[
        leb128(&[Tensor::Biases]),
        raw(&[Tensor::PairWeights(66864)]),
        leb128(&[Tensor::Weights(22528)]),
        leb128(&[Tensor::PairPsqt(66864), Tensor::Psqt(22528)]),
    ],
    seed: 112,
    sha256: "f72db4b76eae",
    bytes: 93731503,
    ..V10
};

const V12: Generation = Generation {
    name: "v12",
    transformer: &[
        leb128(&[Tensor::Biases]),
        raw(&[Tensor::PairWeights(60144)]),
        leb128(&[Tensor::Weights(22528)]),
        leb128(&[Tensor::PairPsqt(60144), Tensor::Psqt(22528)]),
    ],
    seed: 113,
    sha256: "f4d11ca92ed2",
    bytes: 86740352,
    ..V10
};

const V13: Generation = Generation {
    name: "v13",
    layers: [affine(1024, 32), affine(62, 32), affine(32, 1)],
    seed: 114,
    sha256: "294143bbd995",
    bytes: 86882175,
    ..V12
};

const V14: Generation = Generation {
    name: "v14",
    feature_hash: combined_hash(&[FULL_THREATS, HALF_KA_V2_HM]),
    transformer: &[
        leb128(&[Tensor::Biases]),
        raw(&[Tensor::PairWeights(60720)]),
        leb128(&[Tensor::Weights(22528)]),
        leb128(&[Tensor::PairPsqt(60720), Tensor::Psqt(22528)]),
    ],
    seed: 115,
    sha256: "c4b6f8a4ce1a",
    bytes: 87479354,
    ..V13
};

const V14B: Generation = Generation {
    name: "v14b",
    version: 0x6A44_8AFA,
    transformer: &[
        leb128(&[Tensor::Biases]),
        raw(&[Tensor::PairWeights(60720)]),
        leb128(&[Tensor::PairPsqt(60720)]),
        leb128(&[Tensor::Weights(22528)]),
        leb128(&[Tensor::Psqt(22528)]),
    ],
    seed: 116,
    sha256: "bc36dfb25747",
    bytes: 87481759,
    ..V14
};

const V15: Generation = Generation {
    name: "v15",
    layers: [affine(1024, 32), affine(64, 32), affine(128, 1)],
    seed: 117,
    sha256: "570bb0d51d0c",
    bytes: 87480634,
    ..V14B
};

const V16: Generation = Generation {
    name: "v16",
    feature_hash: combined_hash(&[0x2E6B_9D04, 0x86F2_B1DD, HALF_KA_V2_HM]),
    transformer: &[
        leb128(&[Tensor::Biases]),
        raw(&[Tensor::PairWeights(59808)]),
        leb128(&[Tensor::PairPsqt(59808)]),
        raw(&[Tensor::PairWeights(4560)]),
        leb128(&[Tensor::PairPsqt(4560)]),
        leb128(&[Tensor::Weights(22528)]),
        leb128(&[Tensor::Psqt(22528)]),
    ],
    seed: 118,
    sha256: "59a49e3dbd64",
    bytes: 91274035,
    ..V15
};

/// V16 without its PSQT values. The synthetic net is that of V16 without them, so that the layers'
/// values are those of V16.
const V17: Generation = Generation {
    name: "v17",
    transformer: &[
        leb128(&[Tensor::Biases]),
        raw(&[Tensor::PairWeights(59808)]),
        dropped(&[Tensor::PairPsqt(59808)]),
        raw(&[Tensor::PairWeights(4560)]),
        dropped(&[Tensor::PairPsqt(4560)]),
        leb128(&[Tensor::Weights(22528)]),
        dropped(&[Tensor::Psqt(22528)]),
    ],
    sha256: "5fb6f5d94f3a",
    bytes: 89788818,
    ..V16
};

const fn raw(tensors: &'static [Tensor]) -> Block {
    Block {
        encoding: Encoding::Raw,
        tensors,
    }
}

const fn leb128(tensors: &'static [Tensor]) -> Block {
    Block {
        encoding: Encoding::Leb128,
        tensors,
    }
}

const fn dropped(tensors: &'static [Tensor]) -> Block {
    Block {
        encoding: Encoding::Dropped,
        tensors,
    }
}

const fn affine(inputs: usize, outputs: usize) -> Affine {
    Affine { inputs, outputs }
}

/// The hash of several feature sets that are summed into one accumulator.
const fn combined_hash(sets: &[u32]) -> u32 {
    let mut hash: u32 = 0;
    let mut idx = 0;
    while idx < sets.len() {
        hash = hash.rotate_left(1) ^ sets[idx];
        idx += 1;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words that released nets carry: header, transformer, stack.
    #[test]
    fn hashes_are_those_of_released_nets() {
        for (name, expected) in [
            ("v1", [0x3E5A_A6EE, 0x5D69_D7B8, 0x6333_7156]),
            ("v2", [0x3C10_3E72, 0x5F23_48B8, 0x6333_76CA]),
            ("v3", [0x1C10_2EEC, 0x7F23_44B8, 0x6333_6A54]),
            ("v4", [0x1C10_2EF2, 0x7F23_44B8, 0x6333_6A4A]),
            ("v5", [0x1C10_2EF2, 0x7F23_44B8, 0x6333_6A4A]),
            ("v6", [0x1C10_2B72, 0x7F23_40B8, 0x6333_6BCA]),
            ("v7", [0x1C10_37F2, 0x7F23_5CB8, 0x6333_6B4A]),
            ("v8", [0x1C10_3072, 0x7F23_58B8, 0x6333_68CA]),
            ("v9", [0x1C10_20F2, 0x7F23_54B8, 0x6333_744A]),
            ("small128", [0x1C10_3C92, 0x7F23_4DB8, 0x6333_712A]),
            ("v10", [0xEC10_2EF2, 0x8F23_44B8, 0x6333_6A4A]),
            ("v16", [0xA85B_2205, 0xCB68_5313, 0x6333_7116]),
            ("v17", [0xA85B_2205, 0xCB68_5313, 0x6333_7116]),
        ] {
            let generation = Generation::named(name).unwrap();
            let found = [
                generation.header_hash(),
                generation.transformer_hash(),
                generation.stack_hash(),
            ];
            assert_eq!(
                found, expected,
                "{name}: found {found:08X?}, expected {expected:08X?}"
            );
        }
        for name in ["v14", "v14b", "v15"] {
            assert_eq!(
                Generation::named(name).unwrap().header_hash(),
                0x0256_ACDF,
                "{name}"
            );
        }
    }

    #[test]
    fn names_and_seeds_are_unique() {
        for (idx, generation) in GENERATIONS.iter().enumerate() {
            for other in &GENERATIONS[idx + 1..] {
                assert_ne!(generation.name, other.name);
                assert_eq!(
                    generation.seed == other.seed,
                    (generation.name, other.name) == ("v16", "v17"),
                    "{} and {}",
                    generation.name,
                    other.name
                );
            }
        }
    }

    #[test]
    fn nothing_is_found_in_a_cut_image() {
        let generation = Generation::named("small128").unwrap();
        let net = crate::synthetic::synthetic_net(generation.name);
        let image = [&[0xFA; 5][..], &net, &[7; 9]].concat();
        assert_eq!(generation.find(&image), Some(5..5 + net.len()));
        assert_eq!(
            generation.find(&image[..5 + net.len()]),
            Some(5..5 + net.len())
        );
        assert_eq!(
            generation.find(&image[..4 + net.len()]),
            None,
            "the last byte is missing"
        );
        assert_eq!(
            generation.find(&image[6..]),
            None,
            "the first byte is missing"
        );
        assert_eq!(
            Generation::named("v9").unwrap().find(&image),
            None,
            "another generation"
        );
    }

    #[test]
    fn a_header_alone_is_not_a_net() {
        let generation = Generation::named("small128").unwrap();
        let net = crate::synthetic::synthetic_net(generation.name);
        let image = [&net[..60], &net].concat();
        assert_eq!(generation.find(&image), Some(60..60 + net.len()));
    }
}
