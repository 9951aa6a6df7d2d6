//! Networks in plain loops, straight from their descriptions, with random weights and net files.
//!
//! Nothing here comes from the compiler, the interpreter or the loader: a network is what its
//! engine's description says, written down a second time.

use fastrand::Rng;
use nnue_runtime::Color;

/// A fully connected layer: `[output][input]`.
pub struct Layer {
    biases: Vec<i32>,
    weights: Vec<i8>,
}

/// A network: a transformer and stacks of three layers.
pub struct Plain {
    width: usize,
    biases: Vec<i16>,
    /// `[row][neuron]`.
    rows: Vec<i16>,
    stacks: Vec<[Layer; 3]>,
}

/// What a network's description says about its size.
pub struct Shape {
    /// Neurons of a perspective.
    pub width: usize,
    /// Rows of all sets together.
    pub rows: usize,
    /// How many stacks there are.
    pub stacks: usize,
    /// Inputs and outputs of each layer.
    pub layers: [(usize, usize); 3],
}

/// The words of a net file in Stockfish's format, which a description gives.
pub struct Words {
    /// The version.
    pub version: u32,
    /// The word before the transformer.
    pub transformer: u32,
    /// The word before each stack.
    pub stack: u32,
}

/// A value near zero: the product of two uniform values, with tails like those of trained weights.
fn small(random: &mut Rng, largest: i32) -> i32 {
    random.i32(-largest..=largest) * random.i32(0..=64) / 64
}

impl Layer {
    fn random(random: &mut Rng, (inputs, outputs): (usize, usize), bias: i32) -> Layer {
        let mut weight = |_| small(random, 127) as i8;
        let weights = (0..inputs * outputs).map(&mut weight).collect();
        Layer {
            biases: (0..outputs).map(|_| small(random, bias)).collect(),
            weights,
        }
    }

    fn of(&self, inputs: &[i32]) -> Vec<i32> {
        let rows = self.weights.chunks_exact(inputs.len());
        let sums = rows.zip(&self.biases).map(|(row, bias)| {
            let products = row.iter().zip(inputs);
            bias + products
                .map(|(weight, x)| i32::from(*weight) * x)
                .sum::<i32>()
        });
        sums.collect()
    }
}

impl Plain {
    /// A network with weights in the ranges of trained ones.
    #[must_use]
    pub fn random(shape: &Shape, random: &mut Rng) -> Plain {
        let rows = (0..shape.rows * shape.width)
            .map(|_| small(random, 90) as i16)
            .collect();
        let [first, second, third] = shape.layers;
        Plain {
            width: shape.width,
            biases: (0..shape.width)
                .map(|_| small(random, 200) as i16)
                .collect(),
            rows,
            stacks: (0..shape.stacks)
                .map(|_| {
                    [
                        Layer::random(random, first, 8000),
                        Layer::random(random, second, 4000),
                        Layer::random(random, third, 4000),
                    ]
                })
                .collect(),
        }
    }

    /// The first layers of all stacks, whose weights a description may restrict.
    pub fn first_layers(&mut self) -> impl Iterator<Item = &mut [i8]> {
        self.stacks
            .iter_mut()
            .map(|[first, ..]| first.weights.as_mut_slice())
    }

    /// The net file: biases and rows are in LEB128.
    #[must_use]
    pub fn file(&self, words: &Words) -> Vec<u8> {
        let description = b"plain loops";
        let mut file = Vec::new();
        let word = |file: &mut Vec<u8>, word: u32| file.extend(word.to_le_bytes());
        word(&mut file, words.version);
        word(&mut file, words.transformer ^ words.stack);
        word(&mut file, description.len() as u32);
        file.extend(description);
        word(&mut file, words.transformer);
        leb128(&mut file, self.biases.iter().map(|value| i32::from(*value)));
        leb128(&mut file, self.rows.iter().map(|value| i32::from(*value)));
        for stack in &self.stacks {
            word(&mut file, words.stack);
            for layer in stack {
                for bias in &layer.biases {
                    file.extend(bias.to_le_bytes());
                }
                let inputs = layer.weights.len() / layer.biases.len();
                for row in layer.weights.chunks_exact(inputs) {
                    file.extend(row.iter().map(|weight| weight.cast_unsigned()));
                    file.extend(std::iter::repeat_n(0, inputs.next_multiple_of(32) - inputs));
                }
            }
        }
        file
    }

    /// The sums of a perspective.
    fn sums(&self, rows: &[usize]) -> Vec<i16> {
        let mut sums = self.biases.clone();
        for row in rows {
            let row = &self.rows[row * self.width..][..self.width];
            for (sum, weight) in sums.iter_mut().zip(row) {
                *sum = sum.wrapping_add(*weight);
            }
        }
        sums
    }

    /// The products of both halves of each perspective's neurons.
    fn products(&self, rows: &[Vec<usize>; 2], side: Color) -> Vec<i32> {
        let clipped = |x: i16| i32::from(x.clamp(0, 127));
        let mut products = Vec::new();
        for color in [side, !side] {
            let sums = self.sums(&rows[color.index()]);
            let (a, b) = sums.split_at(self.width / 2);
            let pairs = a.iter().zip(b);
            products.extend(pairs.map(|(a, b)| (clipped(*a) * clipped(*b)) >> 7));
        }
        products
    }

    /// The output of the layers of YaneuraOu's SFNN, and the value: the last value of the first
    /// layer is added to the output, and squares come before clipped values.
    #[must_use]
    pub fn sfnn(&self, rows: &[Vec<usize>; 2], side: Color, stack: usize) -> [i32; 2] {
        let [first, second, third] = &self.stacks[stack];
        let hidden = first.of(&self.products(rows, side));
        let (skip, hidden) = hidden.split_last().expect("the skip neuron");
        let square = |x: &i32| ((i64::from(*x) * i64::from(*x)) >> 19).min(127) as i32;
        let clipped = |x: &i32| (x >> 6).clamp(0, 127);
        let mut inputs: Vec<i32> = hidden.iter().map(square).collect();
        inputs.extend(hidden.iter().map(clipped));
        let inputs: Vec<i32> = second.of(&inputs).iter().map(clipped).collect();
        let sum = third.of(&inputs)[0] + skip;
        [sum, sum / 16]
    }
}

/// A block of LEB128: the text, the number of bytes, and the values with their sign.
fn leb128(file: &mut Vec<u8>, values: impl Iterator<Item = i32>) {
    file.extend(b"COMPRESSED_LEB128");
    let start = file.len();
    file.extend([0; 4]);
    for mut value in values {
        loop {
            let low = (value & 0x7f) as u8;
            value >>= 7;
            let sign_is_supplied = match low & 0x40 {
                0 => value == 0,
                _ => value == -1,
            };
            if sign_is_supplied {
                file.push(low);
                break;
            }
            file.push(low | 0x80);
        }
    }
    let bytes = (file.len() - start - 4) as u32;
    file[start..start + 4].copy_from_slice(&bytes.to_le_bytes());
}
