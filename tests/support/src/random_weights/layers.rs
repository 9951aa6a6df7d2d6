//! Random weights of layers, and biases that keep their sums within the range of the activations.

use nnue_compiler::network::file::Role;
use nnue_compiler::network::{Affine, Element, Layer, Network, OUTPUT_RUN, Op, Scale, WeightType};
use nnue_interpreter::{Accumulators, LayerWeights, Net, Values};
use nnue_runtime::Color;

use super::{Draw, Range, Style, alternating, max_active, net_of, spread};

/// The number of random accumulators for which biases are chosen.
const SAMPLES: usize = 4;

/// The size of sums that are multiplied by factors of the file.
const ONE_OF_SCALES: f64 = 8128.0;

impl Draw {
    /// The numbers of a layer, if files have any; its biases are zero.
    pub(super) fn layer(&mut self, network: &Network, index: usize) -> Option<LayerWeights> {
        let layer = &network.layers[index];
        let nothing = Values::Integers(Vec::new());
        let Op::Affine(op) = &layer.op else {
            return layer.factors().map(|_| LayerWeights {
                biases: nothing.clone(),
                weights: nothing,
                factors: self.gammas(layer.output.len),
            });
        };
        let (inputs, outputs) = (layer.input_len(), layer.output.len);
        let range = Range::of_layer(network, index, Role::LayerWeights);
        let places = (0..outputs).flat_map(|output| (0..inputs).map(move |input| (output, input)));
        let weights = match op.weights {
            WeightType::F32 => {
                let size = spread(2.0, inputs, 1.0);
                let floats = places.map(|place| self.float_weight(place, size));
                Values::Floats(floats.collect())
            }
            WeightType::Binary => {
                let signs = places.map(|place| self.sign(place));
                Values::Integers(signs.collect())
            }
            WeightType::I8 | WeightType::I16 | WeightType::I32 => {
                let sizes: Vec<f64> = (0..outputs)
                    .map(|output| size_of_weights(network, layer, op, output))
                    .collect();
                let mut weights: Vec<i64> = places
                    .map(|place| self.weight(place, sizes[place.0], range))
                    .collect();
                if let Some(blocks) = op.output_blocks {
                    self.leave_blocks(&mut weights, inputs, outputs, blocks);
                }
                if let Some(shards) = op.shards {
                    for (index, weight) in weights.iter_mut().enumerate() {
                        if !shards.reads([outputs, inputs], index / inputs, index % inputs) {
                            *weight = 0;
                        }
                    }
                }
                Values::Integers(weights)
            }
        };
        let biases = match layer.output.element {
            Element::F32 => Values::Floats(vec![0.0; outputs]),
            _ => Values::Integers(vec![0; outputs]),
        };
        Some(LayerWeights {
            biases,
            weights,
            factors: match (op.scales, op.to_float) {
                (Some(_), _) => self.alphas(network, index, op),
                (None, Some(Scale::OfFile)) => self.scales(outputs),
                (None, _) => nothing,
            },
        })
    }

    /// What all stacks share of a factorised layer's weights and biases.
    pub(super) fn summands(&mut self, network: &Network, index: usize) -> Option<LayerWeights> {
        let layer = &network.layers[index];
        let mut shared = self.layer(network, index)?;
        if self.style != Style::Zero && layer.affine().is_some_and(|affine| affine.biases) {
            let outputs = 0..layer.output.len;
            shared.biases = match layer.output.element {
                Element::F32 => Values::Floats(outputs.map(|_| self.fraction(1.0)).collect()),
                _ => {
                    let range = Range::of_layer(network, index, Role::LayerBiases);
                    let biases = outputs.map(|output| {
                        let one = f64::from(layer.output.one.at(output));
                        self.near_zero(one, range)
                    });
                    Values::Integers(biases.collect())
                }
            };
        }
        Some(shared)
    }

    fn weight(&mut self, (output, input): (usize, usize), size: f64, range: Range) -> i64 {
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

    fn sign(&mut self, (output, input): (usize, usize)) -> i64 {
        match self.style {
            Style::Small | Style::Extreme => self.either(Range { low: -1, high: 1 }),
            Style::Zero => 1,
            Style::Alternating => alternating(output + input, 1),
        }
    }

    fn float_weight(&mut self, (output, input): (usize, usize), size: f64) -> f32 {
        match self.style {
            Style::Zero => 0.0,
            Style::Small => self.fraction(size),
            // Some are so large that adding them rounds the others away, so the order of additions
            // matters.
            Style::Extreme if self.random.usize(..8) == 0 => self.fraction(size * 1e6),
            Style::Extreme => self.fraction(size),
            Style::Alternating => alternating(output + input, 1) as f32 * size as f32,
        }
    }

    /// A number within `size` of 0.
    fn fraction(&mut self, size: f64) -> f32 {
        const STEPS: f64 = (1 << 30) as f64;
        (self.near_zero(STEPS, Range::bits(32)) as f64 / STEPS * size) as f32
    }

    /// Gains of normalised values, of both signs.
    fn gammas(&mut self, len: usize) -> Values {
        let gammas = (0..len).map(|output| self.float_weight((output, 0), 1.5));
        Values::Floats(gammas.collect())
    }

    /// Factors of sums that are about as large as [`ONE_OF_SCALES`], of both signs.
    fn scales(&mut self, len: usize) -> Values {
        let scales = (0..len).map(|output| {
            let scale = self.float_weight((output, 0), 1.5);
            (f64::from(scale) / ONE_OF_SCALES) as f32
        });
        Values::Floats(scales.collect())
    }

    fn alphas(&mut self, network: &Network, index: usize, op: &Affine) -> Values {
        let layer = &network.layers[index];
        let range = Range::of(network, Role::LayerFactors(index));
        let factors = (0..layer.output.len).map(|output| match self.style {
            Style::Zero => 0,
            Style::Extreme if output.is_multiple_of(3) => self.either(range),
            _ => self.near_zero(size_of_factors(network, layer, op, output), range),
        });
        Values::Integers(factors.collect())
    }

    /// Sets weights to zero until each input has at most the allowed number of runs of outputs.
    fn leave_blocks(&mut self, weights: &mut [i64], inputs: usize, outputs: usize, blocks: usize) {
        let runs = outputs / OUTPUT_RUN;
        for input in 0..inputs {
            let kept: Vec<usize> = (0..blocks).map(|_| self.random.usize(..runs)).collect();
            for output in 0..outputs {
                if !kept.contains(&(output / OUTPUT_RUN)) {
                    weights[output * inputs + input] = 0;
                }
            }
        }
    }

    /// Chooses the biases of layers, one layer after the other.
    pub(super) fn centre(&mut self, mut net: Net) -> Net {
        let network = net.network().clone();
        let samples: Vec<Accumulators> = (0..SAMPLES)
            .map(|_| net.accumulate(&Color::ALL.map(|_| self.active_rows(&network))))
            .collect();
        for stack in 0..network.stacks.count {
            for (index, layer) in network.layers.iter().enumerate() {
                if layer.affine().is_none_or(|affine| !affine.biases) {
                    continue;
                }
                let owners = match (layer.shared, stack) {
                    (false, stack) => stack..stack + 1,
                    (true, 0) => 0..network.stacks.count,
                    // They are those of the first stack.
                    (true, _) => continue,
                };
                let traces = samples
                    .iter()
                    .map(|sample| net.trace(sample, Color::White, stack));
                let sums: Vec<Values> = traces
                    .map(|mut trace| trace.layers.swap_remove(index))
                    .collect();
                let mut weights = net.into_weights();
                let range = Range::of_layer(&network, index, Role::LayerBiases);
                let biases = self.biases(layer, &sums, range);
                for owner in &mut weights.stacks[owners] {
                    if let Some(affine) = &mut owner[index] {
                        affine.biases = biases.clone();
                    }
                }
                net = net_of(&network, weights);
            }
        }
        net
    }

    /// Random rows, half as many as can be active.
    fn active_rows(&mut self, network: &Network) -> Vec<usize> {
        let active = max_active(network).div_ceil(2);
        let rows = (0..active).map(|_| self.random.usize(..network.feature_count()));
        rows.collect()
    }

    /// Biases that bring the sums near zero, each output for one of the samples.
    fn biases(&mut self, layer: &Layer, sums: &[Values], range: Range) -> Values {
        let outputs = 0..layer.output.len;
        let sums = |output: usize| &sums[output % SAMPLES];
        if layer.output.element == Element::F32 {
            let biases = outputs.map(|output| {
                let bias = 0.5 - sums(output).floats()[output] + self.fraction(1.0);
                // Squares of large weights are infinite, and files have only finite numbers.
                if bias.is_finite() { bias } else { 0.0 }
            });
            return Values::Floats(biases.collect());
        }
        let biases = outputs.map(|output| {
            // Sums that wrap around hide small errors, so only one output in 16 has such a bias.
            if self.style == Style::Extreme && output % 16 == 15 {
                return self.either(range);
            }
            let one = f64::from(layer.output.one.at(output));
            let wanted = one as i64 / 2 + self.near_zero(one, Range::bits(32));
            range.clamp(wanted - sums(output).integers()[output])
        });
        Values::Integers(biases.collect())
    }
}

/// The size of weights with which sums are about as large as their one.
fn size_of_weights(network: &Network, layer: &Layer, op: &Affine, output: usize) -> f64 {
    let divisor = op.divide.map_or(1.0, |divide| f64::from(divide.by));
    let one = match op.to_float {
        Some(Scale::Shared(scale)) => 1.0 / f64::from(scale),
        Some(Scale::OfFile) => ONE_OF_SCALES,
        None => f64::from(layer.output.one.at(output)),
    };
    spread(
        one * divisor,
        layer.input_len(),
        size_of_inputs(network, layer),
    )
}

/// The size of the factors `alpha` with which sums of signs are about as large as their one.
fn size_of_factors(network: &Network, layer: &Layer, op: &Affine, output: usize) -> f64 {
    let one = f64::from(layer.output.one.at(output));
    let (shift, inputs) = match op.scales {
        Some(scales) if scales.inputs => (scales.shift, size_of_inputs(network, layer)),
        Some(scales) => (scales.shift, 1.0),
        None => (0, 1.0),
    };
    one * f64::from(1u32 << shift) / (inputs * (layer.input_len() as f64).sqrt())
}

/// The typical size of inputs, estimated as a quarter of the largest, which counts as 16 bits at
/// most.
fn size_of_inputs(network: &Network, layer: &Layer) -> f64 {
    let ranges = layer
        .inputs
        .iter()
        .map(|slice| network.tensor(slice.source).range);
    let largest = ranges.map(|(low, high)| high.max(-low)).max().unwrap_or(1);
    (largest.min(1 << 15) as f64 / 4.0).max(1.0)
}
