//! What a layer is given: accumulators and values of layers, made so that the layer reads chosen
//! values.

use std::collections::BTreeMap;

use nnue_compiler::network::{Element, Layer, Network, Op, Pooling, Source, Tensor, Transformer};
use nnue_compiler::operation::Elementwise;
use nnue_interpreter::Values;
use nnue_interpreter::parts::{Tensors, activate, pairs, pool_pair, together};
use nnue_runtime::__private::Proved;
use nnue_runtime::__private::memory::Holder;
use nnue_runtime::__private::probe::Probed;
use nnue_runtime::Level;

use crate::driver::Driver;

/// What the layers see of a neuron, or of two neurons that are pooled, by their sums.
fn output(transformer: &Transformer, (a, b): (i16, i16)) -> i64 {
    let [a, b] = [a, b].map(|sum| activate(transformer, sum.into()));
    pool_pair(transformer, (a, b))
}

/// For every value that a neuron can have, a sum that gives it.
pub(crate) fn sums_of_values(transformer: &Transformer) -> BTreeMap<i64, i16> {
    let mut sums = BTreeMap::new();
    // Sums of small size replace others.
    for size in (0..=i64::from(i16::MAX) + 1).rev() {
        for x in [-size, size] {
            if let Ok(sum) = i16::try_from(x) {
                sums.insert(activate(transformer, x), sum);
            }
        }
    }
    sums
}

/// For every value of the transformer's output, sums of two neurons that give it. Without pooling
/// the second sum has no meaning.
fn sums_of_outputs(transformer: &Transformer) -> BTreeMap<i64, (i16, i16)> {
    let values = sums_of_values(transformer);
    if transformer.pooling == Pooling::None {
        let values = values.into_iter();
        return values.map(|(value, sum)| (value, (sum, sum))).collect();
    }
    let mut outputs = BTreeMap::new();
    for a in values.values() {
        for b in values.values() {
            outputs.insert(output(transformer, (*a, *b)), (*a, *b));
        }
    }
    outputs
}

/// A neuron: its perspective, and its number there in the order of the file.
type Neuron = (usize, usize);

/// The values that layers are given.
pub(crate) struct Inputs<'n, A: Probed> {
    network: &'n Network,
    halves: [Holder<A::Half>; 2],
    /// The place in an accumulator of each neuron of the file.
    places: Vec<usize>,
    /// The sums that give each value of the transformer's output.
    sums: BTreeMap<i64, (i16, i16)>,
    /// The neurons of each output of the transformer: a pair, or the same twice.
    neurons: Vec<(Neuron, Neuron)>,
    /// The neurons that are not pooled.
    unpooled: Vec<Neuron>,
    /// The same values as the oracle has them. Layers whose values are not replaced have none.
    pub(crate) tensors: Tensors,
}

/// The range of 32 bits.
const ALL: (i64, i64) = (i32::MIN as i64, i32::MAX as i64);

impl<'n, A: Probed> Inputs<'n, A> {
    pub(crate) fn new(network: &'n Network, places: Vec<usize>) -> Inputs<'n, A> {
        let transformer = &network.transformer;
        let pooled = transformer.width - transformer.unpooled_half();
        let of_both = [0, 1].map(|perspective| {
            let neurons = 0..transformer.width;
            let neurons = neurons.map(|neuron| (perspective, neuron));
            neurons.collect::<Vec<Neuron>>()
        });
        let outputs = of_both.each_ref().map(|neurons| match transformer.pooling {
            Pooling::None => neurons.iter().map(|own| (*own, *own)).collect(),
            _ => pairs(transformer, &neurons[..pooled]).collect(),
        });
        let zeros = |tensor: Option<&Tensor>| {
            Values::Integers(vec![0; tensor.map_or(0, |tensor| tensor.len)])
        };
        let mut inputs = Inputs {
            network,
            halves: [Holder::zeroed(), Holder::zeroed()],
            places,
            sums: sums_of_outputs(transformer),
            neurons: together(transformer, outputs),
            unpooled: together(transformer, of_both.map(|own| own[pooled..].to_vec())),
            tensors: Tensors {
                transformer: zeros(Some(&transformer.output)),
                unpooled: zeros(transformer.unpooled.as_ref()),
                psqt: zeros(transformer.psqt_sums.as_ref()),
                layers: Vec::new(),
            },
        };
        inputs.clear();
        inputs
    }

    /// Gives the transformer's outputs zeros, or what is nearest to zero, and replaces no layer.
    pub(crate) fn clear(&mut self) {
        self.tensors.layers = vec![Values::Integers(Vec::new()); self.network.layers.len()];
        for half in &mut self.halves {
            let (values, psqt) = A::sums(half.to_mut());
            values.fill(0);
            psqt.fill(0);
        }
        integers(&mut self.tensors.unpooled).fill(0);
        integers(&mut self.tensors.psqt).fill(0);
        let rest = self.rest(Source::Transformer);
        for index in 0..self.neurons.len() {
            self.set(Source::Transformer, index, rest);
        }
    }

    /// Makes a layer read zeros and nothing else.
    pub(crate) fn start(&mut self, layer: &Layer) {
        self.clear();
        for slice in &layer.inputs {
            if let Source::Layer(index) = slice.source {
                self.give(index);
            }
        }
    }

    /// Replaces the values of a layer by zeros.
    pub(crate) fn give(&mut self, index: usize) {
        let layer = &self.network.layers[index];
        self.tensors.layers[index] = if is_float(layer) {
            Values::Floats(vec![0.0; layer.output.len])
        } else {
            Values::Integers(vec![0; layer.output.len])
        };
    }

    /// The value of a source that is nearest to zero.
    pub(crate) fn rest(&self, source: Source) -> i64 {
        match source {
            Source::Transformer => {
                let above = self.sums.range(0..).next();
                above.map_or(0, |(value, _)| *value)
            }
            _ => 0,
        }
    }

    /// The smallest value of a source above its rest, its largest, and its smallest value if that
    /// is negative.
    pub(crate) fn extremes(&self, source: Source) -> Vec<i64> {
        let (low, high) = self.range(source);
        let rest = self.rest(source);
        let above = match source {
            Source::Transformer => {
                let above = self.sums.range(rest + 1..).next();
                above.map_or(high, |(value, _)| *value)
            }
            _ => 1.min(high),
        };
        let ends = [high, low].into_iter();
        let ends = ends.filter(|x| *x != above && (*x > rest || *x < 0));
        [above].into_iter().chain(ends).collect()
    }

    /// The range of a source's values.
    pub(crate) fn range(&self, source: Source) -> (i64, i64) {
        match source {
            Source::Transformer => {
                let (first, last) = (self.sums.keys().next(), self.sums.keys().next_back());
                (first.copied().unwrap_or(0), last.copied().unwrap_or(0))
            }
            Source::Unpooled => (i16::MIN.into(), i16::MAX.into()),
            Source::Psqt => (1 - (1 << 30), (1 << 30) - 1),
            Source::Layer(index) => {
                let layer = &self.network.layers[index];
                let factors_are_small = || {
                    let mut ranges = layer.inputs.iter().map(|input| self.range(input.source));
                    ranges.all(|range| range != ALL)
                };
                match &layer.op {
                    _ if is_float(layer) => ALL,
                    Op::Elementwise(Elementwise::Activations(_) | Elementwise::Integer(_)) => {
                        layer.output.range
                    }
                    // The result may be a byte or a word, which cannot hold all values.
                    Op::Elementwise(Elementwise::Product(_)) if factors_are_small() => {
                        layer.output.range
                    }
                    // Biases, and what wraps around, can give all values.
                    _ => ALL,
                }
            }
        }
    }

    /// The nearest value that a source can have, not above `value`.
    pub(crate) fn nearest(&self, source: Source, value: i64) -> i64 {
        match source {
            Source::Transformer => {
                let below = self.sums.range(..=value).next_back();
                below.map_or(self.rest(source), |(value, _)| *value)
            }
            _ => value,
        }
    }

    /// Sets a value of a source; one of the transformer's must be a value that it can have.
    pub(crate) fn set(&mut self, source: Source, index: usize, value: i64) {
        match source {
            Source::Transformer => {
                if let Some(sums) = self.sums.get(&value).copied() {
                    self.set_neurons(index, sums);
                }
            }
            Source::Unpooled => {
                integers(&mut self.tensors.unpooled)[index] = value;
                self.set_sum(self.unpooled[index], value as i16);
            }
            Source::Psqt => {
                integers(&mut self.tensors.psqt)[index] = value;
                // An odd difference, whose half is rounded towards zero.
                let second = match self.network.transformer.perspectives.count {
                    2 if value < 0 => 1 - value,
                    2 => -1 - value,
                    _ => 0,
                };
                self.set_psqt(index, [value, second].map(|sum| sum as i32));
            }
            Source::Layer(layer) => integers(&mut self.tensors.layers[layer])[index] = value,
        }
    }

    pub(crate) fn set_float(&mut self, layer: usize, index: usize, value: f32) {
        if let Values::Floats(values) = &mut self.tensors.layers[layer] {
            values[index] = value;
        }
    }

    /// Gives an output of the transformer the sums of its neurons.
    pub(crate) fn set_neurons(&mut self, index: usize, sums: (i16, i16)) {
        integers(&mut self.tensors.transformer)[index] = output(&self.network.transformer, sums);
        let (first, second) = self.neurons[index];
        self.set_sum(second, sums.1);
        self.set_sum(first, sums.0);
    }

    fn set_sum(&mut self, (perspective, neuron): Neuron, sum: i16) {
        let values = A::sums(self.halves[perspective].to_mut()).0;
        if let Some(value) = values.get_mut(self.places[neuron]) {
            *value = sum;
        }
    }

    /// Sets the PSQT sum of each perspective.
    pub(crate) fn set_psqt(&mut self, index: usize, sums: [i32; 2]) {
        for (half, sum) in self.halves.iter_mut().zip(sums) {
            if let Some(value) = A::sums(half.to_mut()).1.get_mut(index) {
                *value = sum;
            }
        }
    }

    /// Runs the kernels, and returns the values of a layer and the evaluation.
    pub(crate) fn run(
        &self,
        level: Level,
        stacks: &A::Stacks,
        bucket: usize,
        proved: Proved,
        target: Option<usize>,
    ) -> (Values, A::Output) {
        let mut driver = Driver {
            layers: &self.network.layers,
            given: &self.tensors.layers,
            target,
            found: Values::Integers(Vec::new()),
        };
        let [first, second] = &self.halves;
        let halves = [&**first, &**second];
        let output = A::propagate_probed(level, stacks, halves, bucket, proved, &mut driver);
        (driver.found, output)
    }
}

/// The values of a source of integers, to be changed.
fn integers(values: &mut Values) -> &mut [i64] {
    match values {
        Values::Integers(values) => values,
        Values::Floats(_) => unreachable!("layers of integers are given integers"),
    }
}

/// Whether the values of a layer are floating point.
pub(crate) fn is_float(layer: &Layer) -> bool {
    layer.output.element == Element::F32
}
