//! What a layer is given: accumulators and values of layers, made so that the layer reads chosen
//! values.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use super::graph::{Layer, Op, Slice, Source};
use super::oracle::quantmoid4;
use super::probe::{Driver, Values};
use crate::architecture::Architecture;
use crate::level::Level;
use crate::memory::Holder;
use crate::neurons::{Activation, Pooling};
use crate::proof::Proved;

/// The value of a neuron whose sum is `x`.
pub(super) fn activated(activation: Activation, x: i64) -> i64 {
    match activation {
        Activation::None => x,
        Activation::Crelu { limit } => x.clamp(0, limit.into()),
        Activation::Screlu { one, shift } => {
            let clipped = x.clamp(0, one.into());
            (clipped * clipped) >> shift
        }
        Activation::Relu { shift, limit } => (x >> shift).clamp(0, limit.into()),
        Activation::Quantmoid4 => quantmoid4(x),
    }
}

/// What the layers see of a neuron, or of two neurons that are pooled.
pub(super) fn output<A: Architecture>((a, b): (i16, i16)) -> i64 {
    let neurons = A::NEURONS;
    let [a, b] = [a, b].map(|x| activated(neurons.activation, x.into()));
    match neurons.pooling {
        Pooling::None => a,
        Pooling::Product { summand, shift } => (a * b + i64::from(summand)) >> shift,
        Pooling::Average => (a + b + 1) >> 1,
        Pooling::Max => a.max(b),
    }
}

/// For every value that a neuron can have, a sum that gives it.
pub(super) fn sums_of_values<A: Architecture>() -> BTreeMap<i64, i16> {
    let mut sums = BTreeMap::new();
    // Sums of small size replace others.
    for size in (0..=i64::from(i16::MAX) + 1).rev() {
        for x in [-size, size] {
            if let Ok(sum) = i16::try_from(x) {
                sums.insert(activated(A::NEURONS.activation, x), sum);
            }
        }
    }
    sums
}

/// For every value of the transformer's output, sums of two neurons that give it. Without pooling
/// the second sum has no meaning.
fn sums_of_outputs<A: Architecture>() -> BTreeMap<i64, (i16, i16)> {
    let values = sums_of_values::<A>();
    let mut outputs = BTreeMap::new();
    if let Pooling::None = A::NEURONS.pooling {
        return values
            .into_iter()
            .map(|(value, sum)| (value, (sum, sum)))
            .collect();
    }
    for a in values.values() {
        for b in values.values() {
            outputs.insert(output::<A>((*a, *b)), (*a, *b));
        }
    }
    outputs
}

/// The values that layers are given.
pub(super) struct Inputs<A: Architecture> {
    halves: [Holder<A::Half>; 2],
    /// The place in an accumulator of each neuron of the file.
    places: Vec<usize>,
    /// The sums that give each value of the transformer's output.
    sums: BTreeMap<i64, (i16, i16)>,
    transformer: Vec<i64>,
    unpooled: Vec<i64>,
    psqt: Vec<i64>,
    given: Vec<(usize, Values)>,
    /// For each layer, the numbers of its values and of its functions.
    shapes: Vec<(usize, usize)>,
}

/// The range of 32 bits.
const ALL: (i64, i64) = (i32::MIN as i64, i32::MAX as i64);

impl<A: Architecture> Inputs<A> {
    pub(super) fn new(places: Vec<usize>) -> Inputs<A> {
        let neurons = A::NEURONS;
        let perspectives = neurons.perspectives;
        let mut inputs = Inputs {
            halves: [Holder::zeroed(), Holder::zeroed()],
            places,
            sums: sums_of_outputs::<A>(),
            transformer: vec![0; perspectives * neurons.outputs],
            unpooled: vec![0; perspectives * A::GRAPH.unpooled],
            psqt: vec![0; A::GRAPH.psqt_values],
            given: Vec::new(),
            shapes: A::GRAPH.layers.iter().map(shape).collect(),
        };
        inputs.clear();
        inputs
    }

    /// Gives every layer zeros, or what is nearest to zero.
    pub(super) fn clear(&mut self) {
        self.given.clear();
        for half in &mut self.halves {
            let (values, psqt) = A::sums(half.to_mut());
            values.fill(0);
            psqt.fill(0);
        }
        let rest = self.rest(Source::Transformer);
        for index in 0..self.transformer.len() {
            self.set(Source::Transformer, index, rest);
        }
        self.unpooled.fill(0);
        self.psqt.fill(0);
    }

    /// Makes a layer read zeros and nothing else.
    pub(super) fn start(&mut self, layer: &Layer) {
        self.clear();
        for (source, ..) in layer.inputs {
            let Source::Layer(index) = *source else {
                continue;
            };
            self.give(index);
        }
    }

    /// Replaces the values of a layer by zeros.
    pub(super) fn give(&mut self, index: usize) {
        if self.given.iter().any(|(own, _)| *own == index) {
            return;
        }
        let len = A::GRAPH.layers[index].outputs;
        let zeros = if is_float(&A::GRAPH.layers[index]) {
            Values::Floats(vec![0.0; len])
        } else {
            Values::Integers(vec![0; len])
        };
        self.given.push((index, zeros));
    }

    /// The value of a source that is nearest to zero.
    pub(super) fn rest(&self, source: Source) -> i64 {
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
    pub(super) fn extremes(&self, source: Source) -> Vec<i64> {
        let (low, high) = self.range(source);
        let rest = self.rest(source);
        let above = match source {
            Source::Transformer => {
                let above = self.sums.range(rest + 1..).next();
                above.map_or(high, |(value, _)| *value)
            }
            _ => 1.min(high),
        };
        let mut extremes = vec![above];
        extremes.extend(
            [high, low]
                .iter()
                .filter(|x| **x != above && (**x > rest || **x < 0)),
        );
        extremes
    }

    /// The range of a source's values.
    pub(super) fn range(&self, source: Source) -> (i64, i64) {
        let words = (i64::from(i16::MIN), i64::from(i16::MAX));
        match source {
            Source::Transformer => {
                let (first, last) = (self.sums.keys().next(), self.sums.keys().next_back());
                (first.copied().unwrap_or(0), last.copied().unwrap_or(0))
            }
            Source::Unpooled => words,
            Source::Psqt => (1 - (1 << 30), (1 << 30) - 1),
            Source::Layer(index) => {
                let layer = &A::GRAPH.layers[index];
                let factors_are_small = || {
                    let mut ranges = layer.inputs.iter().map(|input| self.range(input.0));
                    ranges.all(|range| range != ALL)
                };
                match layer.op {
                    Op::Activations(_) => layer.range,
                    // The result may be a byte or a word, which cannot hold all values.
                    Op::Product { .. } if factors_are_small() => layer.range,
                    // Biases, and what wraps around, can give all values.
                    _ => ALL,
                }
            }
        }
    }

    /// The nearest value that a source can have, not above `value`.
    pub(super) fn nearest(&self, source: Source, value: i64) -> i64 {
        match source {
            Source::Transformer => {
                let below = self.sums.range(..=value).next_back();
                below.map_or(self.rest(source), |(value, _)| *value)
            }
            _ => value,
        }
    }

    /// Sets a value of a source; one of the transformer's must be a value that it can have.
    pub(super) fn set(&mut self, source: Source, index: usize, value: i64) {
        match source {
            Source::Transformer => {
                if let Some(sums) = self.sums.get(&value) {
                    let sums = *sums;
                    self.set_neurons(index, sums);
                }
            }
            Source::Unpooled => {
                self.unpooled[index] = value;
                let (perspective, own) = perspective::<A>(index, A::GRAPH.unpooled);
                let neuron = A::WIDTH - A::GRAPH.unpooled + own;
                self.set_sum(perspective, neuron, value as i16);
            }
            Source::Psqt => {
                self.psqt[index] = value;
                // An odd difference, whose half is rounded towards zero.
                let second = match A::NEURONS.perspectives {
                    2 if value < 0 => 1 - value,
                    2 => -1 - value,
                    _ => 0,
                };
                for (half, value) in self.halves.iter_mut().zip([value, second]) {
                    A::sums(half.to_mut()).1[index] = value as i32;
                }
            }
            Source::Layer(layer) => {
                let mut given = self.given.iter_mut();
                if let Some((_, Values::Integers(values))) = given.find(|(own, _)| *own == layer) {
                    values[index] = value;
                }
            }
        }
    }

    pub(super) fn set_float(&mut self, layer: usize, index: usize, value: f32) {
        let mut given = self.given.iter_mut();
        if let Some((_, Values::Floats(values))) = given.find(|(own, _)| *own == layer) {
            values[index] = value;
        }
    }

    /// Gives an output of the transformer the sums of its neurons.
    pub(super) fn set_neurons(&mut self, index: usize, sums: (i16, i16)) {
        let neurons = A::NEURONS;
        self.transformer[index] = output::<A>(sums);
        let (perspective, own) = perspective::<A>(index, neurons.outputs);
        if let Pooling::None = neurons.pooling {
            self.set_sum(perspective, own, sums.0);
            return;
        }
        let half = neurons.block / 2;
        let first = own / half * neurons.block + own % half;
        self.set_sum(perspective, first, sums.0);
        self.set_sum(perspective, first + half, sums.1);
    }

    fn set_sum(&mut self, perspective: usize, neuron: usize, sum: i16) {
        let values = A::sums(self.halves[perspective].to_mut()).0;
        if let Some(value) = values.get_mut(self.places[neuron]) {
            *value = sum;
        }
    }

    /// Sets the PSQT sum of each perspective that is part of the output.
    pub(super) fn set_psqt(&mut self, index: usize, sums: [i32; 2]) {
        for (half, sum) in self.halves.iter_mut().zip(sums) {
            if let Some(value) = A::sums(half.to_mut()).1.get_mut(index) {
                *value = sum;
            }
        }
    }

    /// The values of a slice.
    pub(super) fn slice(&self, (source, start, len): Slice) -> Values {
        let integers = |values: &[i64]| Values::Integers(values[start..start + len].to_vec());
        match source {
            Source::Transformer => integers(&self.transformer),
            Source::Unpooled => integers(&self.unpooled),
            Source::Psqt => integers(&self.psqt),
            Source::Layer(layer) => match self.given(layer) {
                Values::Integers(values) => integers(values),
                Values::Floats(values) => Values::Floats(values[start..start + len].to_vec()),
            },
        }
    }

    /// The values that a layer was given.
    pub(super) fn given(&self, layer: usize) -> &Values {
        let mut given = self.given.iter();
        match given.find(|(own, _)| *own == layer) {
            Some((_, values)) => values,
            None => unreachable!("a layer is given values before these are read"),
        }
    }

    /// Runs the kernels, and returns the values of a layer and the evaluation.
    pub(super) fn run(
        &self,
        level: Level,
        stacks: &A::Stacks,
        bucket: usize,
        proved: Proved,
        target: Option<usize>,
    ) -> (Values, A::Output) {
        let mut driver = Driver {
            given: &self.given,
            target,
            shapes: &self.shapes,
            found: Values::Integers(Vec::new()),
        };
        let [first, second] = &self.halves;
        let halves = [&**first, &**second];
        let output = A::propagate_probed(level, stacks, halves, bucket, proved, &mut driver);
        (driver.found, output)
    }
}

fn shape(layer: &Layer) -> (usize, usize) {
    match layer.op {
        Op::Activations(functions) => (layer.outputs, functions.len()),
        _ => (layer.outputs, 1),
    }
}

/// The perspective and the own index of a value, where each perspective has `half` of them.
fn perspective<A: Architecture>(index: usize, half: usize) -> (usize, usize) {
    if A::GRAPH.interleaved {
        (
            index % A::NEURONS.perspectives,
            index / A::NEURONS.perspectives,
        )
    } else {
        (index / half, index % half)
    }
}

/// Whether the values of a layer are floating point.
pub(super) fn is_float(layer: &Layer) -> bool {
    use super::graph::End;
    use nnue_format::Element;
    match layer.op {
        Op::Affine(own) => {
            own.weights == Element::F32 || matches!(own.end, End::Scale(_) | End::Scales)
        }
        Op::Activations([(name, _), ..]) => name.ends_with("_f32"),
        Op::Activations([]) | Op::Sum(_) | Op::Product { .. } => false,
        Op::SumOfFloats | Op::ProductOfFloats | Op::RmsNorm { .. } | Op::Float { .. } => true,
    }
}
