//! Nets that a test makes itself: every value follows from the seed.
//!
//! `golden/synthetic` holds what the original engines computed from these very files, so their
//! content can never change. Weights are bounded so that no accumulator leaves `i16`, yet wide
//! enough that both ends of every clipping range are met.

use nnue_interpreter::dummy::net_file::{LEB128_MAGIC, push_leb128};

use crate::{
    generations::{Affine, Block, Encoding, GENERATIONS, Generation, Tensor},
    nets::sha256_prefix,
};

/// The synthetic net of a generation, as a file of that generation's own format.
///
/// # Panics
///
/// If there is no generation of that name, or if the file differs in any bit from the one that the
/// goldens were computed from.
pub fn synthetic_net(name: &str) -> Vec<u8> {
    let Some(generation) = Generation::named(name) else {
        let known: Vec<_> = GENERATIONS
            .iter()
            .map(|generation| generation.name)
            .collect();
        panic!(
            "found no generation `{name}`, known are {}",
            known.join(", ")
        );
    };
    let file = net_of(generation);
    check(generation, &file);
    file
}

/// A synthetic net of any layout, also of one that no engine has.
pub fn net_of(generation: &Generation) -> Vec<u8> {
    Writer::new(generation).write()
}

/// Checks size and hash of a generated file: they must be those of the file that the engines read.
fn check(generation: &Generation, file: &[u8]) {
    let name = generation.name;
    assert_eq!(
        file.len(),
        generation.bytes,
        "synthetic net `{name}`: wrong size"
    );
    assert_eq!(
        sha256_prefix(file),
        generation.sha256,
        "synthetic net `{name}`: wrong SHA-256"
    );
}

struct Writer<'g> {
    generation: &'g Generation,
    draws: Draws,
    file: Vec<u8>,
}

impl<'g> Writer<'g> {
    fn new(generation: &'g Generation) -> Self {
        Self {
            generation,
            draws: Draws::of(generation.seed),
            file: Vec::with_capacity(generation.bytes),
        }
    }

    fn write(mut self) -> Vec<u8> {
        let generation = self.generation;
        // The net of SFNNv17 is that of SFNNv16, with its description.
        let name = match generation.name {
            "v17" => "v16",
            name => name,
        };
        let description = format!("synthetic {name} seed {}", generation.seed);
        self.word(generation.version);
        self.word(generation.header_hash());
        self.word(description.len() as u32);
        self.file.extend_from_slice(description.as_bytes());
        self.word(generation.transformer_hash());
        for block in generation.transformer {
            self.block(block);
        }
        for _ in 0..generation.stacks {
            self.word(generation.stack_hash());
            // Later layers have fewer inputs to sum, so their weights may be larger.
            for (&layer, amplitude) in generation.layers.iter().zip([14, 60, 100]) {
                self.layer(layer, amplitude);
            }
        }
        self.file
    }

    fn word(&mut self, word: u32) {
        self.file.extend_from_slice(&word.to_le_bytes());
    }

    fn block(&mut self, block: &Block) {
        match block.encoding {
            Encoding::Dropped => {
                for &tensor in block.tensors {
                    for _ in 0..self.generation.len_of(tensor) {
                        self.draws.next();
                    }
                }
            }
            Encoding::Raw => {
                for &tensor in block.tensors {
                    for _ in 0..self.generation.len_of(tensor) {
                        let value = draw(tensor, &mut self.draws).to_le_bytes();
                        self.file
                            .extend_from_slice(&value[..tensor.element_bytes()]);
                    }
                }
            }
            Encoding::Leb128 => {
                self.file.extend_from_slice(LEB128_MAGIC);
                let length = self.file.len();
                self.word(0);
                for &tensor in block.tensors {
                    for _ in 0..self.generation.len_of(tensor) {
                        let value = draw(tensor, &mut self.draws);
                        push_leb128(&mut self.file, value);
                    }
                }
                let bytes = (self.file.len() - length - 4) as u32;
                self.file[length..length + 4].copy_from_slice(&bytes.to_le_bytes());
            }
        }
    }

    fn layer(&mut self, layer: Affine, amplitude: u64) {
        for _ in 0..layer.outputs {
            let bias = uniform(self.draws.next(), 4000);
            self.file.extend_from_slice(&bias.to_le_bytes());
        }
        for _ in 0..layer.outputs {
            for input in 0..layer.padded_inputs() {
                // Padding takes a draw too, so that a layer's draws depend only on its shape in the
                // file.
                let weight = uniform(self.draws.next(), amplitude);
                self.file.push(if input < layer.inputs {
                    weight as u8
                } else {
                    0
                });
            }
        }
    }
}

/// One value of a tensor.
fn draw(tensor: Tensor, draws: &mut Draws) -> i32 {
    let z = draws.next();
    match tensor {
        Tensor::Biases => uniform(z, 65) + 25,
        // Rare weights beyond seven bits, to exercise wide LEB128 values and strong features.
        Tensor::Weights(_) if (z >> 32).is_multiple_of(37) => uniform(z, 25) * 16,
        Tensor::Weights(_) => uniform(z, 25),
        Tensor::PairWeights(_) => uniform(z, 20),
        Tensor::Psqt(_) => uniform(z, 20_000),
        Tensor::PairPsqt(_) => uniform(z, 3_000),
    }
}

/// `z` reduced to `-amplitude..=amplitude`.
pub(crate) fn uniform(z: u64, amplitude: u64) -> i32 {
    (z % (2 * amplitude + 1)) as i32 - amplitude as i32
}

/// SplitMix64: draw `k` is a function of `seed + k * increment` alone.
pub(crate) struct Draws {
    state: u64,
}

impl Draws {
    pub(crate) fn of(seed: u64) -> Draws {
        Draws { state: seed }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_net_is_the_engines_file() {
        synthetic_net("v5");
    }

    #[test]
    fn compressed_net_is_the_engines_file() {
        synthetic_net("small128");
    }

    #[test]
    #[ignore = "generates 1.2 GB; run with --include-ignored"]
    fn every_net_is_the_engines_file() {
        for generation in &GENERATIONS {
            synthetic_net(generation.name);
        }
    }

    #[test]
    #[should_panic(expected = "wrong SHA-256")]
    fn another_seed_is_refused() {
        let small = Generation::named("small128").unwrap();
        let other = Generation {
            seed: 119,
            ..small.clone()
        };
        let file = Writer::new(&other).write();
        check(
            &Generation {
                bytes: file.len(),
                ..other.clone()
            },
            &file,
        );
    }

    #[test]
    #[should_panic(expected = "found no generation `v99`, known are v1, v2")]
    fn unknown_generation_is_refused() {
        synthetic_net("v99");
    }

    #[test]
    fn leb128_values_end_in_their_sign() {
        for (value, expected) in [
            (0, &[0x00][..]),
            (63, &[0x3F]),
            (64, &[0xC0, 0x00]),
            (-64, &[0x40]),
            (-65, &[0xBF, 0x7F]),
            (400, &[0x90, 0x03]),
            (-20_000, &[0xE0, 0xE3, 0x7E]),
        ] {
            let mut bytes = Vec::new();
            push_leb128(&mut bytes, value);
            assert_eq!(bytes, expected, "{value}");
        }
    }
}
