//! The layers, each driven alone.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use nnue_format::{Element, fill};

use super::graph::{Affine, End, Gain, Layer, Op, Source, Sums};
use super::oracle::{self, Numbers};
use super::probe::Values;
use super::stimulus::{Inputs, is_float, output, sums_of_values};
use super::weights::{Fill, Random, Tensor, fillings};
use super::{Mismatch, Progress, transformer};
use crate::architecture::Architecture;
use crate::level::Level;
use crate::memory::{self, Holder};
use crate::neurons::Pooling;
use crate::proof::Proved;

/// The most steps that a function of single values takes through its range.
const MOST_STEPS: i64 = 1 << 16;

/// The places of bytes in the largest vectors.
const LANES: usize = 64;

/// The tensors of a layer, each with the ending of its name.
struct Tensors {
    name: &'static str,
    tensors: Vec<(&'static str, Tensor)>,
}

impl Tensors {
    fn find(&self, ending: &str) -> Option<&Tensor> {
        let found = self.tensors.iter().find(|(own, _)| *own == ending);
        found.map(|(_, tensor)| tensor)
    }
}

/// The check of a network's layers.
pub(super) struct Layers<A: Architecture> {
    weights: Holder<A::Weights>,
    tensors: Vec<Tensors>,
    pub(super) inputs: Inputs<A>,
}

/// A part of a check.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Layers with weights, and the output.
    Weights,
    /// Layers that compute value by value, and the function of the transformer's neurons.
    Functions,
}

/// What a comparison is about.
#[derive(Clone, Copy)]
pub(super) struct At {
    pub(super) level: Level,
    pub(super) bucket: usize,
    pub(super) fill: Fill,
    pub(super) proved: Proved,
}

impl<A: Architecture> Layers<A> {
    pub(super) fn new() -> Layers<A> {
        let mut weights = Holder::zeroed();
        let places = transformer::places::<A>(&mut weights);
        let mut code = 0;
        let tensors = A::GRAPH
            .layers
            .iter()
            .map(|layer| tensors::<A>(layer, &mut code));
        Layers {
            tensors: tensors.collect(),
            weights,
            inputs: Inputs::new(places),
        }
    }

    /// How many numbers the layers of all stacks have.
    pub(super) fn weights(&self) -> u64 {
        let tensors = self.tensors.iter().flat_map(|layer| &layer.tensors);
        let numbers = tensors.map(|(_, tensor)| tensor.shape[0] * tensor.shape[1]);
        (A::BUCKETS * numbers.sum::<usize>()) as u64
    }

    /// Checks all layers and the output at a level: those that have weights and the output, or the
    /// functions, which take longer.
    pub(super) fn check(
        &mut self,
        level: Level,
        part: Part,
        progress: &mut Progress,
    ) -> Result<(), Mismatch> {
        let digits = match part {
            Part::Weights => A::GRAPH.layers.iter().map(digits).max().unwrap_or(1),
            Part::Functions => 1,
        };
        let mut fills: Vec<Fill> = (0..digits).map(Fill::Digits).collect();
        let (small, extremes): (u32, &[Fill]) = match part {
            Part::Weights => (5, &[Fill::SmallExtremes, Fill::Extremes]),
            Part::Functions => (1, &[]),
        };
        if A::NEEDS_PROOFS {
            fills.extend((0..small).map(Fill::SmallDigits));
        }
        fills.extend(extremes);
        for fill in fills {
            self.fill(fill, level);
            let proved = if A::NEEDS_PROOFS {
                A::proofs(A::stacks(&self.weights)).into_proved()
            } else {
                vec![Proved::default(); A::BUCKETS]
            };
            for (bucket, proved) in proved.into_iter().enumerate() {
                let at = At {
                    level,
                    bucket,
                    fill,
                    proved,
                };
                for (index, layer) in A::GRAPH.layers.iter().enumerate() {
                    if matches!(layer.op, Op::Affine(_)) == (part == Part::Weights) {
                        self.layer(index, at, progress)?;
                    }
                }
                match part {
                    Part::Weights if fill == Fill::Digits(0) => self.output(at, progress)?,
                    Part::Functions
                        if bucket == 0
                            && matches!(fill, Fill::Digits(0) | Fill::SmallDigits(0)) =>
                    {
                        self.neurons(at, progress)?;
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn fill(&mut self, filling: Fill, level: Level) {
        let all = &self.tensors;
        let bytes = memory::bytes_mut(self.weights.to_mut());
        fill(A::FILE, level.packed(), bytes, |name| {
            let (layer, ending) = name.rsplit_once('.')?;
            let layer = all.iter().find(|own| own.name == layer)?;
            let tensor = *layer.find(ending)?;
            Some(move |place| tensor.value(filling, place))
        });
    }

    /// The numbers of a layer in a bucket.
    fn numbers(&self, index: usize, at: At) -> Numbers {
        let values = |ending: &str| -> Vec<f64> {
            let Some(tensor) = self.tensors[index].find(ending) else {
                return Vec::new();
            };
            let [rows, columns] = tensor.shape;
            let rows = 0..rows;
            let values = rows.flat_map(|row| (0..columns).map(move |column| (row, column)));
            values
                .map(|(row, column)| tensor.value(at.fill, [at.bucket, row, column]))
                .collect()
        };
        let is_float = |ending: &str| {
            let tensor = self.tensors[index].find(ending);
            tensor.is_some_and(|tensor| tensor.element == Element::F32)
        };
        let typed = |ending: &str| {
            if is_float(ending) {
                Values::Floats(values(ending).iter().map(|x| *x as f32).collect())
            } else {
                Values::Integers(values(ending).iter().map(|x| *x as i64).collect())
            }
        };
        let mut floats = values("scales");
        floats.extend(values("gamma"));
        Numbers {
            weights: typed("weights"),
            biases: typed("biases"),
            alpha: values("alpha").iter().map(|x| *x as i64).collect(),
            floats: floats.iter().map(|x| *x as f32).collect(),
        }
    }

    /// Runs a layer with the inputs as they are, and compares all of its values.
    fn compare(
        &self,
        index: usize,
        numbers: &Numbers,
        at: At,
        progress: &mut Progress,
        input: impl Fn() -> String,
    ) -> Result<(), Mismatch> {
        let layer = &A::GRAPH.layers[index];
        let slices = layer.inputs.iter().map(|slice| self.inputs.slice(*slice));
        let slices: Vec<Values> = slices.collect();
        let Some(expected) = oracle::layer(layer, numbers, &slices) else {
            progress.unproved(format!(
                "`{}`, whose function is not known to the check",
                layer.name
            ));
            return Ok(());
        };
        let stacks = A::stacks(&self.weights);
        let (found, _) = self
            .inputs
            .run(at.level, stacks, at.bucket, at.proved, Some(index));
        progress.comparisons += 1;
        match found.difference(&expected) {
            None if found.len() == expected.len() => Ok(()),
            different => {
                let output = different.unwrap_or(0);
                Err(Mismatch {
                    network: A::NAME,
                    level: at.level,
                    part: layer.name.into(),
                    bucket: at.bucket,
                    output,
                    input: format!("{}, weights {:?}", input(), at.fill),
                    found: found.show(output),
                    expected: expected.show(output),
                })
            }
        }
    }

    fn layer(&mut self, index: usize, at: At, progress: &mut Progress) -> Result<(), Mismatch> {
        let layer = &A::GRAPH.layers[index];
        let runs = match (layer.op, at.fill) {
            (Op::Affine(own), Fill::SmallDigits(_) | Fill::SmallExtremes | Fill::Extremes) => {
                matches!(own.weights, Element::I8 | Element::I16)
            }
            (Op::Affine(_), Fill::Digits(digit)) => digit < digits(layer),
            // Only gains depend on the bucket.
            (Op::RmsNorm { gain, .. }, Fill::Digits(digit)) => {
                digit == 0 && (at.bucket == 0 || gain != Gain::One)
            }
            (_, Fill::Digits(0)) => at.bucket == 0,
            _ => false,
        };
        if !runs {
            return Ok(());
        }
        let numbers = self.numbers(index, at);
        self.inputs.start(layer);
        self.compare(index, &numbers, at, progress, || "zeros".into())?;
        match (layer.op, at.fill) {
            (Op::Affine(own), Fill::Digits(_) | Fill::SmallDigits(_)) => {
                self.single_inputs(index, &own, &numbers, at, progress)?;
                self.random_inputs(index, &numbers, at, progress)
            }
            (Op::Affine(_), _) => self.random_inputs(index, &numbers, at, progress),
            (Op::Activations(functions), _) => {
                self.single_values(index, functions, &numbers, at, progress)
            }
            (Op::Float { .. }, _) => {
                self.conversions(index, &numbers, at, progress)?;
                self.random_inputs(index, &numbers, at, progress)
            }
            _ => {
                progress.unproved(format!(
                    "`{}`: all values, which are compared for random ones and extremes",
                    layer.name
                ));
                for _ in 0..200 {
                    self.random_inputs(index, &numbers, at, progress)?;
                }
                Ok(())
            }
        }
    }

    /// One input after the other. This is what shows where weights are.
    fn single_inputs(
        &mut self,
        index: usize,
        op: &Affine,
        numbers: &Numbers,
        at: At,
        progress: &mut Progress,
    ) -> Result<(), Mismatch> {
        let layer = &A::GRAPH.layers[index];
        if matches!(op.sums, Sums::Columns | Sums::Lanes) {
            progress.unproved(format!(
                "`{}`: the order in which products of `f32` are added, which is compared for random inputs",
                layer.name
            ));
        }
        if let End::Alpha { shift: 1.., .. } = op.end {
            progress.unproved(format!(
                "`{}`: bits of sums that the scales shift out",
                layer.name
            ));
        }
        for (source, elements) in read(layer) {
            let values = self.inputs.extremes(source);
            let largest = values.iter().map(|x| x.unsigned_abs()).max().unwrap_or(0);
            if op
                .divide
                .is_some_and(|(by, _)| largest < u64::from(by.unsigned_abs()))
            {
                progress.unproved(format!(
                    "`{}`: parts of weights that the division takes away",
                    layer.name
                ));
            }
            let first = matches!(at.fill, Fill::Digits(0) | Fill::SmallDigits(0));
            for element in elements {
                if let Source::Layer(given) = source
                    && is_float(&A::GRAPH.layers[given])
                {
                    let values: &[f32] = if first { &[1.0, -2.0, 1.37] } else { &[1.0] };
                    for value in values {
                        self.inputs.set_float(given, element, *value);
                        self.compare(index, numbers, at, progress, || {
                            format!("{value} in value {element} of {source:?}")
                        })?;
                    }
                    self.inputs.set_float(given, element, 0.0);
                    continue;
                }
                // Signs have no other values than two.
                let values = match (op.weights, first, op.divide) {
                    (Element::U64, ..) => &values[values.len() - 1..],
                    (_, true, _) => &values[..],
                    (_, _, None) => &values[..1],
                    (_, _, Some(_)) => &values[values.len().min(2) - 1..][..1],
                };
                for value in values {
                    self.inputs.set(source, element, *value);
                    self.compare(index, numbers, at, progress, || {
                        format!("{value} in value {element} of {source:?}")
                    })?;
                }
                self.inputs.set(source, element, self.inputs.rest(source));
            }
        }
        Ok(())
    }

    /// Extremes of all inputs at once, random inputs, and inputs of which only some are not zero.
    fn random_inputs(
        &mut self,
        index: usize,
        numbers: &Numbers,
        at: At,
        progress: &mut Progress,
    ) -> Result<(), Mismatch> {
        let layer = &A::GRAPH.layers[index];
        let mut random = Random::new(1 + progress.comparisons as usize);
        let sources = read(layer);
        let all: usize = sources.iter().map(|(_, elements)| elements.len()).sum();
        // Extremes, random values, and few values that are not zero: 1, 2, ...
        let few = all.min(40);
        for step in 0..8 + few {
            let share = match step {
                0..6 => all,
                6 | 7 => all / 2,
                _ => step - 7,
            };
            for (source, elements) in &sources {
                let (low, high) = self.inputs.range(*source);
                for element in elements {
                    let is_there = random.below(all) < share;
                    if let Source::Layer(given) = *source
                        && is_float(&A::GRAPH.layers[given])
                    {
                        let value = if is_there { random.float() } else { 0.0 };
                        self.inputs.set_float(given, *element, value);
                        continue;
                    }
                    let value = match step {
                        0 => high,
                        1 => low,
                        2 => [low, high][random.below(2)],
                        _ => random.within((low, high)),
                    };
                    let value = if is_there {
                        self.inputs.nearest(*source, value)
                    } else {
                        self.inputs.rest(*source)
                    };
                    self.inputs.set(*source, *element, value);
                }
            }
            self.compare(index, numbers, at, progress, || {
                format!("random inputs of kind {step}")
            })?;
        }
        self.inputs.start(layer);
        Ok(())
    }

    /// Functions of single values: every place of the layer gets every value.
    fn single_values(
        &mut self,
        index: usize,
        functions: &[(&str, &[u32])],
        numbers: &Numbers,
        at: At,
        progress: &mut Progress,
    ) -> Result<(), Mismatch> {
        let layer = &A::GRAPH.layers[index];
        let (Source::Layer(given), start, len) = layer.inputs[0] else {
            progress.unproved(format!("`{}`, which reads no layer", layer.name));
            return Ok(());
        };
        let source = Source::Layer(given);
        if is_float(&A::GRAPH.layers[given]) {
            progress.unproved(format!(
                "`{}`: all values of `f32`, of which some are compared",
                layer.name
            ));
            for step in 0..MOST_STEPS as usize / 4 {
                for lane in 0..len {
                    let value = float_of_step(step + 7 * lane);
                    self.inputs.set_float(given, start + lane, value);
                }
                self.compare(index, numbers, at, progress, || {
                    format!("step {step} of `f32`")
                })?;
            }
            return Ok(());
        }
        let limits = self.inputs.range(source);
        let (lowest, highest) = (limits.0.max(i32::MIN.into()), limits.1.min(i32::MAX.into()));
        let mut ranges: Vec<(i64, i64)> = Vec::new();
        for (name, parameters) in functions {
            ranges.push(oracle::varying(name, parameters).unwrap_or((i64::MIN, i64::MAX)));
        }
        let low = ranges
            .iter()
            .map(|(low, _)| *low)
            .min()
            .unwrap_or(0)
            .max(lowest);
        let high = ranges
            .iter()
            .map(|(_, high)| *high)
            .max()
            .unwrap_or(0)
            .min(highest);
        let count = high - low + 1;
        // Where there are too many values, not every place gets all, or not all are compared.
        let steps = count.min(MOST_STEPS);
        if count > MOST_STEPS {
            progress.unproved(format!(
                "`{}`: all of the {count} values for which it is not constant, of which {steps} are compared in each place",
                layer.name
            ));
        }
        let mut ends: Vec<i64> = (0..31)
            .flat_map(|bit| [1i64 << bit, -(1i64 << bit)])
            .collect();
        ends.extend([low, high, lowest, highest, 0]);
        let ends = ends.iter().flat_map(|end| [end - 1, *end, end + 1]);
        let ends: Vec<i64> = ends.filter(|x| (lowest..=highest).contains(x)).collect();
        for step in 0..steps as usize + ends.len() {
            for lane in 0..len {
                let value = match step.checked_sub(ends.len()) {
                    None => ends[(step + lane) % ends.len()],
                    Some(step) => {
                        let place = (step as i64 + 977 * lane as i64) % steps;
                        low + (place * count + lane as i64 % 7 * (count / steps - 1) / 7) / steps
                    }
                };
                self.inputs.set(source, start + lane, value);
            }
            self.compare(index, numbers, at, progress, || {
                format!("step {step} of all values")
            })?;
        }
        Ok(())
    }

    /// Conversions to `f32`: all words, and random integers of 32 bits.
    fn conversions(
        &mut self,
        index: usize,
        numbers: &Numbers,
        at: At,
        progress: &mut Progress,
    ) -> Result<(), Mismatch> {
        let layer = &A::GRAPH.layers[index];
        let (source, start, len) = layer.inputs[0];
        let (low, high) = self.inputs.range(source);
        if high - low >= MOST_STEPS {
            progress.unproved(format!(
                "`{}`: all integers, of which random ones are compared",
                layer.name
            ));
            return Ok(());
        }
        for step in 0..=high - low {
            for lane in 0..len {
                let value = low + (step + 977 * lane as i64) % (high - low + 1);
                let value = self.inputs.nearest(source, value);
                self.inputs.set(source, start + lane, value);
            }
            self.compare(index, numbers, at, progress, || {
                format!("step {step} of all values")
            })?;
        }
        Ok(())
    }

    /// The function of the transformer's neurons: each output that the first layer behind it reads
    /// gets all pairs of values, and all sums.
    fn neurons(&mut self, at: At, progress: &mut Progress) -> Result<(), Mismatch> {
        let reads = |layer: &&Layer| {
            let mut inputs = layer.inputs.iter();
            inputs.any(|(source, ..)| *source == Source::Transformer)
        };
        let mut layers = A::GRAPH.layers.iter();
        let Some(index) = layers.position(|layer| reads(&layer)) else {
            return Ok(());
        };
        let layer = &A::GRAPH.layers[index];
        let Op::Affine(_) = layer.op else {
            return Ok(());
        };
        progress.unproved(format!(
            "activated and pooled neurons one by one: they are compared for all values in sums of `{}`",
            layer.name
        ));
        let numbers = self.numbers(index, at);
        let pairs = pairs::<A>();
        let outputs: Vec<usize> = (read(layer).iter())
            .filter(|(source, _)| *source == Source::Transformer)
            .flat_map(|(_, elements)| elements.clone())
            .collect();
        self.inputs.start(layer);
        // The outputs that have the same place in a vector share the pairs.
        let groups = outputs.len().div_ceil(LANES);
        for step in 0..pairs.len().div_ceil(groups) {
            for output in &outputs {
                let pair = step * groups + output / LANES % groups + 7919 * (output % LANES);
                self.inputs.set_neurons(*output, pairs[pair % pairs.len()]);
            }
            self.compare(index, &numbers, at, progress, || {
                format!("pairs of sums from {:?} on", pairs[step])
            })?;
        }
        Ok(())
    }

    pub(super) fn stacks(&self) -> &A::Stacks {
        A::stacks(&self.weights)
    }
}

/// Sums of two neurons: all pairs of values, and all sums; without pooling, all sums.
fn pairs<A: Architecture>() -> Vec<(i16, i16)> {
    let all = i16::MIN..=i16::MAX;
    let Pooling::None = A::NEURONS.pooling else {
        let values = sums_of_values::<A>();
        let mut sums: Vec<i16> = values.values().copied().collect();
        sums.extend([i16::MIN, -1, i16::MAX]);
        let mut pairs: Vec<(i16, i16)> = Vec::new();
        for a in &sums {
            pairs.extend(sums.iter().map(|b| (*a, *b)));
        }
        let largest = values.values().next_back().copied().unwrap_or(0);
        pairs.extend(all.flat_map(|sum| [(sum, largest), (largest, sum)]));
        // Where more than words are pooled, values that differ are the ends.
        let mut kept = Vec::new();
        let every = pairs.len().div_ceil(1 << 18);
        kept.extend(pairs.into_iter().step_by(every));
        return kept;
    };
    all.map(|sum| (sum, sum))
        .filter(|sums| output::<A>(*sums) != i64::MIN)
        .collect()
}

/// What a layer reads: each source with the values of it that are read.
pub(super) fn read(layer: &Layer) -> Vec<(Source, Vec<usize>)> {
    let mut read: Vec<(Source, Vec<usize>)> = Vec::new();
    for (source, start, len) in layer.inputs {
        let known = read.iter().position(|(own, _)| own == source);
        let place = known.unwrap_or_else(|| {
            read.push((*source, Vec::new()));
            read.len() - 1
        });
        for element in *start..start + len {
            if !read[place].1.contains(&element) {
                read[place].1.push(element);
            }
        }
    }
    read
}

/// How many fillings a layer needs.
fn digits(layer: &Layer) -> u32 {
    match layer.op {
        Op::Affine(own) => fillings(own.weights).max(2),
        _ => 1,
    }
}

fn tensors<A: Architecture>(layer: &Layer, code: &mut u32) -> Tensors {
    let mut tensors = Vec::new();
    let mut tensor = |ending, element, shape: [usize; 2], biases, reached: (usize, _)| {
        let first = *code;
        *code += (A::BUCKETS * shape[0] * shape[1]) as u32;
        tensors.push((
            ending,
            Tensor {
                element,
                first,
                shape,
                biases,
                output_blocks: reached.0,
                shards: reached.1,
            },
        ));
    };
    let inputs: usize = layer.inputs.iter().map(|(_, _, len)| len).sum();
    let of_outputs = [1, layer.outputs];
    match layer.op {
        Op::Affine(own) => {
            let shape = [layer.outputs, inputs];
            let reached = (own.output_blocks, own.shards);
            tensor("weights", own.weights, shape, false, reached);
            if own.biases {
                let element = if is_float(layer) {
                    Element::F32
                } else {
                    Element::I32
                };
                tensor("biases", element, of_outputs, true, (0, None));
            }
            match own.end {
                End::Same | End::Scale(_) => {}
                End::Scales => tensor("scales", Element::F32, of_outputs, false, (0, None)),
                End::Alpha { .. } => tensor("alpha", Element::I16, of_outputs, false, (0, None)),
            }
        }
        Op::RmsNorm { gain, .. } if gain != Gain::One => {
            tensor("gamma", Element::F32, of_outputs, false, (0, None));
        }
        _ => {}
    }
    Tensors {
        name: layer.name,
        tensors,
    }
}

/// Numbers of all sizes, the ends of ranges, and what is no number.
fn float_of_step(step: usize) -> f32 {
    const ENDS: [f32; 16] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        3.0,
        -3.0,
        6.0,
        0.5,
        87.0,
        -87.0,
        100.0,
        -100.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        f32::MIN_POSITIVE,
    ];
    match step % 8 {
        0 => ENDS[step / 8 % ENDS.len()],
        1 => ENDS[step / 8 % ENDS.len()].next_up(),
        2 => ENDS[step / 8 % ENDS.len()].next_down(),
        3 | 4 => match f32::from_bits(super::weights::mixed(step as u32)) {
            // Arm's maximum of a number and a signalling NaN is NaN, where that of another NaN is
            // the number. No arithmetic has a signalling NaN for its result.
            nan if nan.is_nan() => f32::NAN,
            number => number,
        },
        _ => Random::new(step).float(),
    }
}
