//! Random weights that reach the corners of a network's arithmetic without leaving its middle.

use nnue_compiler::network::{
    Affine, Element, Layer, Network, Op, TransformerActivation, WeightType,
};
use nnue_runtime::Color;

use super::weights::{AffineWeights, TransformerWeights, Values, Weights};
use super::{Accumulators, Reference, transformer};
use crate::random::Xorshift;

/// What random weights look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// As trainers make them: sums spread as far as activations tell them apart.
    Small,
    /// As large as their types allow, in runs of one sign: products of bytes saturate where instructions let them, 16-bit and
    /// 32-bit sums wrap.
    Extreme,
    /// Nothing but zeros, biases included.
    Zero,
    /// Large ones of alternating sign: whatever is left out or added twice shows.
    Alternating,
}

impl Style {
    /// All of them.
    pub const ALL: [Style; 4] = [
        Style::Small,
        Style::Extreme,
        Style::Zero,
        Style::Alternating,
    ];
}

/// Accumulators by which biases are chosen.
const SAMPLES: usize = 4;

/// Outputs of a run in blocked-sparse layers.
const RUN: usize = 16;

impl Weights {
    /// Weights that follow from the seed.
    ///
    /// The biases of layers bring each output, for one of a few random accumulators, to where its activation is neither 0 nor
    /// at its limit: an error in a sum of thousands would go unseen behind it.
    #[must_use]
    pub fn random(network: &Network, style: Style, seed: u64) -> Weights {
        let mut draw = Draw {
            random: Xorshift::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1),
            style,
        };
        let copies = network.transformer.perspectives.copies();
        let transformers = (0..copies).map(|_| draw.transformer(network)).collect();
        let stacks = (0..network.stacks.count)
            .map(|_| {
                network
                    .layers
                    .iter()
                    .map(|layer| draw.layer(network, layer))
                    .collect()
            })
            .collect();
        let mut weights = Weights {
            transformers,
            stacks,
        };
        if style != Style::Zero {
            draw.centre(network, &mut weights);
        }
        weights
    }
}

struct Draw {
    random: Xorshift,
    style: Style,
}

/// The numbers that a type holds.
#[derive(Clone, Copy)]
struct Range {
    low: i64,
    high: i64,
}

const I16: Range = Range {
    low: i16::MIN as i64,
    high: i16::MAX as i64,
};

const I32: Range = Range {
    low: i32::MIN as i64,
    high: i32::MAX as i64,
};

impl Draw {
    /// A whole number within `size` of 0.
    fn near_zero(&mut self, size: f64, range: Range) -> i64 {
        let size = size.clamp(1.0, 1e12) as i64;
        let number = self.random.below(2 * size as usize + 1) as i64 - size;
        number.clamp(range.low, range.high)
    }

    fn either(&mut self, range: Range) -> i64 {
        match self.random.below(2) {
            0 => range.low,
            _ => range.high,
        }
    }

    fn fraction(&mut self, size: f64) -> f32 {
        const STEPS: i64 = 1 << 30;
        (self.near_zero(STEPS as f64, I32) as f64 / STEPS as f64 * size) as f32
    }

    fn transformer(&mut self, network: &Network) -> TransformerWeights {
        let transformer = &network.transformer;
        let (width, rows) = (transformer.width, network.feature_count());
        // Where accumulators should spread to.
        let reach = match transformer.activation {
            TransformerActivation::Relu { shift, limit } => f64::from(limit << shift),
            TransformerActivation::None => 10_000.0,
            _ => f64::from(transformer.one),
        };
        let size = spread(reach, max_active(network), 1.0);
        let biases = (0..width)
            .map(|neuron| match (self.style, neuron / 8 % 4) {
                (Style::Zero, _) => 0,
                // With small weights: at the limit, side by side.
                (Style::Extreme, 0) => 2 * reach as i64,
                _ => self.near_zero(reach / 2.0, I16),
            })
            .map(|value| value.clamp(I16.low, I16.high) as i16)
            .collect();
        let values = (0..rows * width).map(|index| {
            let (row, neuron) = (index / width, index % width);
            let value = match (self.style, neuron / 8 % 4) {
                (Style::Zero, _) => 0,
                (Style::Alternating, _) => alternating(row + neuron, size as i64 + 1),
                (Style::Extreme, 1) => self.random.draw() as i16 as i64,
                (Style::Extreme, 2) => self.either(I16),
                _ => self.near_zero(size, I16),
            };
            value as i16
        });
        let rows_of_values = values.collect();
        let psqt = (0..rows * transformer.psqt).map(|index| match self.style {
            Style::Zero => 0,
            Style::Small => self.near_zero(20_000.0, I32) as i32,
            Style::Extreme => self.random.draw() as i32,
            Style::Alternating => alternating(index, 1 << 20) as i32,
        });
        TransformerWeights {
            biases,
            psqt: psqt.collect(),
            rows: rows_of_values,
        }
    }

    /// The weights of a layer; its biases are zero.
    fn layer(&mut self, network: &Network, layer: &Layer) -> Option<AffineWeights> {
        let Op::Affine(op) = &layer.op else {
            return None;
        };
        let (inputs, outputs) = (layer.input_len(), layer.output.len);
        let mut weights = match op.weights {
            WeightType::F32 => Values::Floats(
                (0..outputs * inputs)
                    .map(|index| self.float_weight(index / inputs, index % inputs, inputs))
                    .collect(),
            ),
            _ => Values::Integers(
                (0..outputs * inputs)
                    .map(|index| {
                        let (output, input) = (index / inputs, index % inputs);
                        let size = size_of_weights(network, layer, op, output);
                        self.weight(op.weights, output, input, size)
                    })
                    .collect(),
            ),
        };
        if let (Some(blocks), Values::Integers(weights)) = (op.output_blocks, &mut weights) {
            self.leave_blocks(weights, inputs, outputs, blocks);
        }
        let biases = match layer.output.element {
            Element::F32 => Values::Floats(vec![0.0; outputs]),
            _ => Values::Integers(vec![0; outputs]),
        };
        let factors = if op.scales.is_some() { outputs } else { 0 };
        let alpha = (0..factors).map(|output| {
            let size = size_of_factors(layer, op, output);
            match self.style {
                Style::Zero => 0,
                Style::Extreme if output % 3 == 0 => self.either(I16) as i16,
                _ => self.near_zero(size, I16) as i16,
            }
        });
        Some(AffineWeights {
            biases,
            weights,
            alpha: alpha.collect(),
        })
    }

    fn weight(&mut self, weights: WeightType, output: usize, input: usize, size: f64) -> i64 {
        let range = match weights {
            WeightType::I8 => Range {
                low: i64::from(i8::MIN),
                high: i64::from(i8::MAX),
            },
            WeightType::I16 => I16,
            WeightType::Binary | WeightType::F32 => Range { low: -1, high: 1 },
        };
        if weights == WeightType::Binary {
            return match self.style {
                Style::Small | Style::Extreme => self.either(range),
                Style::Zero => 1,
                Style::Alternating => alternating(output + input, 1),
            };
        }
        match (self.style, output % 4) {
            (Style::Zero, _) => 0,
            (Style::Alternating, _) if (output + input).is_multiple_of(2) => range.high,
            (Style::Alternating, _) => range.low,
            (Style::Extreme, 0) => range.high,
            (Style::Extreme, 1) => range.low,
            (Style::Extreme, 2) => self.either(range),
            _ => self.near_zero(size, range),
        }
    }

    fn float_weight(&mut self, output: usize, input: usize, inputs: usize) -> f32 {
        let size = spread(2.0, inputs, 1.0);
        match self.style {
            Style::Zero => 0.0,
            Style::Small => self.fraction(size),
            // Some so large that they swallow the others unless the order of additions is right.
            Style::Extreme if self.random.below(8) == 0 => self.fraction(size * 1e6),
            Style::Extreme => self.fraction(size),
            Style::Alternating => alternating(output + input, 1) as f32 * size as f32,
        }
    }

    /// Leaves each input so many runs of outputs, or fewer.
    fn leave_blocks(&mut self, weights: &mut [i64], inputs: usize, outputs: usize, blocks: usize) {
        let runs = outputs / RUN;
        for input in 0..inputs {
            let kept: Vec<usize> = (0..blocks).map(|_| self.random.below(runs)).collect();
            for output in 0..outputs {
                if !kept.contains(&(output / RUN)) {
                    weights[output * inputs + input] = 0;
                }
            }
        }
    }

    /// Chooses the biases of layers, one layer after the other.
    fn centre(&mut self, network: &Network, weights: &mut Weights) {
        let samples: Vec<_> = (0..SAMPLES)
            .map(|_| self.sample(network, weights))
            .collect();
        for stack in 0..network.stacks.count {
            for (index, layer) in network.layers.iter().enumerate() {
                if layer.affine().is_none() {
                    continue;
                }
                let reference = Reference::new(network, weights);
                let sums: Vec<Values> = samples
                    .iter()
                    .map(|sample| {
                        reference
                            .tensors(sample, Color::White, stack)
                            .layers
                            .swap_remove(index)
                    })
                    .collect();
                let biases = self.biases(layer, &sums);
                if let Some(weights) = &mut weights.stacks[stack][index] {
                    weights.biases = biases;
                }
            }
        }
    }

    /// Random rows switched on.
    fn sample(&mut self, network: &Network, weights: &Weights) -> Accumulators {
        let [white, black] = Color::ALL.map(|color| {
            let active = max_active(network).div_ceil(2);
            let rows: Vec<_> = (0..active)
                .map(|_| self.random.below(network.feature_count()))
                .collect();
            transformer::accumulate(network, weights.transformer(color.index()), &rows)
        });
        Accumulators {
            values: [white.0, black.0],
            psqt: [white.1, black.1],
        }
    }

    /// Biases that undo the sums of one sample each, but for a little.
    fn biases(&mut self, layer: &Layer, sums: &[Values]) -> Values {
        let outputs = 0..layer.output.len;
        if layer.output.element == Element::F32 {
            let biases = outputs.map(|output| {
                let sum = sums[output % SAMPLES].floats()[output];
                self.fraction(1.0) + 0.5 - sum
            });
            return Values::Floats(biases.collect());
        }
        let biases = outputs.map(|output| {
            let one = f64::from(layer.output.one.at(output));
            let sum = sums[output % SAMPLES].integers()[output];
            // Across the ends of 32 bits there is nothing to be told apart: once in a while is enough.
            if self.style == Style::Extreme && output % 16 == 15 {
                return self.either(I32);
            }
            (self.near_zero(one, I32) + one as i64 / 2 - sum).clamp(I32.low, I32.high)
        });
        Values::Integers(biases.collect())
    }
}

/// The size of random weights with which a sum of `count` products with inputs of this size spreads to `reach`.
fn spread(reach: f64, count: usize, inputs: f64) -> f64 {
    reach / (inputs * (count.max(3) as f64 / 3.0).sqrt())
}

/// Features of all sets that can be active at once.
fn max_active(network: &Network) -> usize {
    network.features.iter().map(|set| set.max_active).sum()
}

fn size_of_weights(network: &Network, layer: &Layer, op: &Affine, output: usize) -> f64 {
    let divisor = op.divide.map_or(1.0, |divide| f64::from(divide.by));
    let one = op
        .to_float
        .map_or(f64::from(layer.output.one.at(output)), |scale| {
            1.0 / f64::from(scale)
        });
    let largest = layer
        .inputs
        .iter()
        .map(|slice| network.tensor(slice.source).range)
        .map(|(low, high)| high.max(-low))
        .max();
    let inputs = largest.unwrap_or(1).min(32768) as f64 / 4.0;
    spread(one * divisor, layer.input_len(), inputs.max(1.0))
}

fn size_of_factors(layer: &Layer, op: &Affine, output: usize) -> f64 {
    let shift = op.scales.map_or(0, |scales| scales.shift);
    let one = f64::from(layer.output.one.at(output)) * 2f64.powi(shift as i32);
    // The inputs' size, where it is a factor, is that of sums: their one.
    let inputs = match op.scales {
        Some(scales) if scales.inputs => 4096.0,
        _ => 1.0,
    };
    one / (inputs * (layer.input_len() as f64).sqrt())
}

fn alternating(index: usize, size: i64) -> i64 {
    if index.is_multiple_of(2) { size } else { -size }
}
