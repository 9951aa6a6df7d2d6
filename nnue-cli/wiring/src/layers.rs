//! The layers, each driven alone.

use nnue_compiler::network::{
    Activation, Affine, Element, Layer, Network, Op, Pooling, Slice, Source, Transformer,
    WeightType,
};
use nnue_compiler::operation::{Elementwise, Quantmoid4, Relu, ReluLeft, Screlu, SqrCrelu};
use nnue_format::{Role, fill};
use nnue_interpreter::parts::compute;
use nnue_interpreter::{LayerWeights, Values};
use nnue_runtime::__private::Proved;
use nnue_runtime::__private::memory::{self, Holder};
use nnue_runtime::__private::probe::Probed;
use nnue_runtime::Level;

use crate::driver::{difference, show};
use crate::inputs::{Inputs, is_float, sums_of_values};
use crate::weights::{Fill, Random, Tensor, fillings};
use crate::{Mismatch, Progress, transformer};

/// The most steps that a function of single values takes through its range.
const MOST_STEPS: i64 = 1 << 16;

/// The places of bytes in the largest vectors.
const LANES: usize = 64;

/// The tensors of a layer.
struct Tensors {
    weights: Option<Tensor>,
    biases: Option<Tensor>,
    factors: Option<Tensor>,
}

/// The check of a network's layers.
pub(crate) struct Layers<'n, A: Probed> {
    pub(crate) network: &'n Network,
    weights: Holder<A::Weights>,
    tensors: Vec<Tensors>,
    pub(crate) inputs: Inputs<'n, A>,
}

/// A part of a check.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Layers with weights, and the output.
    Weights,
    /// Layers that compute value by value, and the function of the transformer's neurons.
    Functions,
}

/// What a comparison is about.
#[derive(Clone, Copy)]
pub(crate) struct At {
    pub(crate) level: Level,
    pub(crate) bucket: usize,
    pub(crate) fill: Fill,
    pub(crate) proved: Proved,
}

impl<'n, A: Probed> Layers<'n, A> {
    pub(crate) fn new(network: &'n Network) -> Layers<'n, A> {
        let mut weights = Holder::zeroed();
        let places = transformer::places::<A>(&mut weights);
        let mut code = 0;
        let layers = network.layers.iter();
        Layers {
            network,
            tensors: layers.map(|layer| tensors::<A>(layer, &mut code)).collect(),
            weights,
            inputs: Inputs::new(network, places),
        }
    }

    /// How many numbers the layers of all stacks have.
    pub(crate) fn weights(&self) -> u64 {
        let tensors = self.tensors.iter();
        let tensors = tensors.flat_map(|own| [own.weights, own.biases, own.factors]);
        let numbers = tensors.flatten().map(|own| own.shape[0] * own.shape[1]);
        (A::BUCKETS * numbers.sum::<usize>()) as u64
    }

    /// Checks all layers and the output at a level: those that have weights and the output, or the
    /// functions, which take longer.
    pub(crate) fn check(
        &mut self,
        level: Level,
        part: Part,
        progress: &mut Progress,
    ) -> Result<(), Mismatch> {
        let digits = match part {
            Part::Weights => self.network.layers.iter().map(digits).max().unwrap_or(1),
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
            for (bucket, proved) in proved::<A>(&self.weights).into_iter().enumerate() {
                let at = At {
                    level,
                    bucket,
                    fill,
                    proved,
                };
                for (index, layer) in self.network.layers.iter().enumerate() {
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
        fill(A::FILE, level.packed(), bytes, |role| {
            let tensor = match role {
                Role::LayerWeights(layer) => all[layer].weights?,
                Role::LayerBiases(layer) => all[layer].biases?,
                Role::LayerFactors(layer) => all[layer].factors?,
                _ => return None,
            };
            Some(move |place| tensor.value(filling, place))
        });
    }

    /// The numbers of a layer in a bucket; `None` for layers of which files have none.
    fn numbers(&self, index: usize, at: At) -> Option<LayerWeights> {
        let layer = &self.network.layers[index];
        let Tensors {
            weights,
            biases,
            factors,
        } = &self.tensors[index];
        let values = |tensor: &Option<Tensor>| match tensor {
            Some(tensor) => tensor.values(at.fill, at.bucket),
            None => Values::Integers(Vec::new()),
        };
        let biases = match (layer.affine(), biases) {
            (Some(_), None) if is_float(layer) => Values::Floats(vec![0.0; layer.output.len]),
            (Some(_), None) => Values::Integers(vec![0; layer.output.len]),
            _ => values(biases),
        };
        (weights.is_some() || factors.is_some()).then(|| LayerWeights {
            biases,
            weights: values(weights),
            factors: values(factors),
        })
    }

    /// Runs a layer with the inputs as they are, and compares all of its values.
    fn compare(
        &self,
        index: usize,
        numbers: Option<&LayerWeights>,
        at: At,
        progress: &mut Progress,
        input: impl Fn() -> String,
    ) -> Result<(), Mismatch> {
        let layer = &self.network.layers[index];
        let expected = compute(layer, numbers, &self.inputs.tensors);
        let stacks = A::stacks(&self.weights);
        let (found, _) = self
            .inputs
            .run(at.level, stacks, at.bucket, at.proved, Some(index));
        progress.comparisons += 1;
        let Some(output) = difference(&found, &expected) else {
            return Ok(());
        };
        Err(Mismatch {
            network: A::NAME,
            level: at.level,
            part: layer.name.clone(),
            bucket: at.bucket,
            output,
            input: format!("{}, weights {:?}", input(), at.fill),
            found: show(&found, output),
            expected: show(&expected, output),
        })
    }

    fn layer(&mut self, index: usize, at: At, progress: &mut Progress) -> Result<(), Mismatch> {
        let layer = &self.network.layers[index];
        let runs = match (&layer.op, at.fill) {
            (Op::Affine(own), Fill::SmallDigits(_) | Fill::SmallExtremes | Fill::Extremes) => {
                matches!(own.weights, WeightType::I8 | WeightType::I16)
            }
            (Op::Affine(_), Fill::Digits(digit)) => digit < digits(layer),
            // Only gains depend on the bucket.
            (_, Fill::Digits(0)) => at.bucket == 0 || layer.factors().is_some(),
            _ => false,
        };
        if !runs {
            return Ok(());
        }
        let numbers = self.numbers(index, at);
        let numbers = numbers.as_ref();
        self.inputs.start(layer);
        self.compare(index, numbers, at, progress, || "zeros".into())?;
        match (&layer.op, at.fill) {
            (Op::Affine(own), Fill::Digits(_) | Fill::SmallDigits(_)) => {
                self.single_inputs(index, own, numbers, at, progress)?;
                self.random_inputs(index, numbers, at, progress)
            }
            (Op::Affine(_), _) => self.random_inputs(index, numbers, at, progress),
            (Op::Elementwise(Elementwise::Activations(functions)), _) => {
                self.single_values(index, functions, at, progress)
            }
            (Op::Elementwise(Elementwise::Integer(_)), _) => {
                self.single_values(index, &[], at, progress)
            }
            (Op::Elementwise(Elementwise::Float(_)), _) => {
                self.conversions(index, at, progress)?;
                self.random_inputs(index, numbers, at, progress)
            }
            _ => {
                progress.unproved(format!(
                    "`{}`: all values, which are compared for random ones and extremes",
                    layer.name
                ));
                for _ in 0..200 {
                    self.random_inputs(index, numbers, at, progress)?;
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
        numbers: Option<&LayerWeights>,
        at: At,
        progress: &mut Progress,
    ) -> Result<(), Mismatch> {
        let layer = &self.network.layers[index];
        if op.weights == WeightType::F32 {
            progress.unproved(format!(
                "`{}`: the order in which products of `f32` are added, which is compared for random inputs",
                layer.name
            ));
        }
        if op.scales.is_some_and(|scales| scales.shift > 0) {
            progress.unproved(format!(
                "`{}`: bits of sums that the scales shift out",
                layer.name
            ));
        }
        for (source, elements) in read(layer) {
            let values = self.inputs.extremes(source);
            let largest = values.iter().map(|x| x.unsigned_abs()).max().unwrap_or(0);
            let divisor = op.divide.map(|divide| divide.by);
            if divisor.is_some_and(|by| largest < u64::from(by.unsigned_abs())) {
                progress.unproved(format!(
                    "`{}`: parts of weights that the division takes away",
                    layer.name
                ));
            }
            let first = matches!(at.fill, Fill::Digits(0) | Fill::SmallDigits(0));
            for element in elements {
                if let Source::Layer(given) = source
                    && is_float(&self.network.layers[given])
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
                    (WeightType::Binary, ..) => &values[values.len() - 1..],
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
        numbers: Option<&LayerWeights>,
        at: At,
        progress: &mut Progress,
    ) -> Result<(), Mismatch> {
        let layer = &self.network.layers[index];
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
                        && is_float(&self.network.layers[given])
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
        functions: &[Activation],
        at: At,
        progress: &mut Progress,
    ) -> Result<(), Mismatch> {
        let layer = &self.network.layers[index];
        let Slice { source, start, len } = layer.inputs[0];
        let Source::Layer(given) = source else {
            progress.unproved(format!("`{}`, which reads no layer", layer.name));
            return Ok(());
        };
        if is_float(&self.network.layers[given]) {
            progress.unproved(format!(
                "`{}`: all values of `f32`, of which some are compared",
                layer.name
            ));
            for step in 0..MOST_STEPS as usize / 4 {
                for lane in 0..len {
                    let value = float_of_step(step + 7 * lane);
                    self.inputs.set_float(given, start + lane, value);
                }
                self.compare(index, None, at, progress, || {
                    format!("step {step} of `f32`")
                })?;
            }
            return Ok(());
        }
        let limits = self.inputs.range(source);
        let (lowest, highest) = (limits.0.max(i32::MIN.into()), limits.1.min(i32::MAX.into()));
        let varying = functions.iter().map(varying);
        let all = varying.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        let (low, high) = all.map_or((0, 0), |(low, high)| (low.max(lowest), high.min(highest)));
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
            self.compare(index, None, at, progress, || {
                format!("step {step} of all values")
            })?;
        }
        Ok(())
    }

    /// Conversions to `f32`: all words, and random integers of 32 bits.
    fn conversions(
        &mut self,
        index: usize,
        at: At,
        progress: &mut Progress,
    ) -> Result<(), Mismatch> {
        let layer = &self.network.layers[index];
        let Slice { source, start, len } = layer.inputs[0];
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
            self.compare(index, None, at, progress, || {
                format!("step {step} of all values")
            })?;
        }
        Ok(())
    }

    /// The function of the transformer's neurons: each output that the first layer behind it reads
    /// gets all pairs of values, and all sums.
    fn neurons(&mut self, at: At, progress: &mut Progress) -> Result<(), Mismatch> {
        let reads = |layer: &Layer| {
            let mut inputs = layer.inputs.iter();
            inputs.any(|slice| slice.source == Source::Transformer)
        };
        let Some(index) = self.network.layers.iter().position(reads) else {
            return Ok(());
        };
        let layer = &self.network.layers[index];
        let Op::Affine(_) = layer.op else {
            return Ok(());
        };
        progress.unproved(format!(
            "activated and pooled neurons one by one: they are compared for all values in sums of `{}`",
            layer.name
        ));
        let numbers = self.numbers(index, at);
        let pairs = pairs(&self.network.transformer);
        let outputs: Vec<usize> = read(layer)
            .iter()
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
            self.compare(index, numbers.as_ref(), at, progress, || {
                format!("pairs of sums from {:?} on", pairs[step])
            })?;
        }
        Ok(())
    }

    pub(crate) fn stacks(&self) -> &A::Stacks {
        A::stacks(&self.weights)
    }
}

/// Sums of two neurons: all pairs of values, and all sums; without pooling, all sums.
fn pairs(transformer: &Transformer) -> Vec<(i16, i16)> {
    let all = i16::MIN..=i16::MAX;
    let Pooling::None = transformer.pooling else {
        let values = sums_of_values(transformer);
        let mut sums: Vec<i16> = values.values().copied().collect();
        sums.extend([i16::MIN, -1, i16::MAX]);
        let mut pairs: Vec<(i16, i16)> = Vec::new();
        for a in &sums {
            pairs.extend(sums.iter().map(|b| (*a, *b)));
        }
        let largest = values.values().next_back().copied().unwrap_or(0);
        pairs.extend(all.flat_map(|sum| [(sum, largest), (largest, sum)]));
        // Where more than words are pooled, values that differ are the ends.
        let every = pairs.len().div_ceil(1 << 18);
        return pairs.into_iter().step_by(every).collect();
    };
    all.map(|sum| (sum, sum)).collect()
}

/// The proofs from the weights of each bucket's stack, as far as kernels ask for them.
pub(crate) fn proved<A: Probed>(weights: &A::Weights) -> Vec<Proved> {
    if A::NEEDS_PROOFS {
        A::proofs(A::stacks(weights)).into_proved()
    } else {
        vec![Proved::default(); A::BUCKETS]
    }
}

/// What a layer reads: each source with the values of it that are read.
pub(crate) fn read(layer: &Layer) -> Vec<(Source, Vec<usize>)> {
    let mut read: Vec<(Source, Vec<usize>)> = Vec::new();
    for Slice { source, start, len } in &layer.inputs {
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
    match &layer.op {
        Op::Affine(own) => fillings(element(own.weights)).max(2),
        _ => 1,
    }
}

/// The type of weights in memory; `u64` stands for signs.
fn element(weights: WeightType) -> Element {
    match weights {
        WeightType::I8 => Element::I8,
        WeightType::I16 => Element::I16,
        WeightType::I32 => Element::I32,
        WeightType::F32 => Element::F32,
        WeightType::Binary => Element::U64,
    }
}

/// The integers between which a function is not constant, and one more at each end; all integers
/// for functions that are nowhere constant or not known here.
fn varying(function: &Activation) -> (i64, i64) {
    match *function {
        Activation::Relu(Relu { shift, limit }) => {
            (-(1 << shift) - 1, (i64::from(limit) << shift) + 1)
        }
        Activation::ReluLeft(ReluLeft { shift, limit }) => (-1, (i64::from(limit) >> shift) + 2),
        Activation::SqrCrelu(SqrCrelu { shift, limit }) => {
            let root = (u64::from(limit) << shift).isqrt() as i64 + 2;
            (-root, root)
        }
        Activation::Screlu(Screlu { limit, .. }) => (-1, i64::from(limit) + 1),
        Activation::Quantmoid4(Quantmoid4 { shift }) => (-(129 << shift), 129 << shift),
        _ => (i64::MIN, i64::MAX),
    }
}

fn tensors<A: Probed>(layer: &Layer, code: &mut u32) -> Tensors {
    let mut tensor = |element, shape: [usize; 2]| {
        let first = *code;
        *code += (A::BUCKETS * shape[0] * shape[1]) as u32;
        Tensor::new(element, first, shape)
    };
    let of_outputs = [1, layer.output.len];
    let affine = layer.affine();
    let weights = affine.map(|own| Tensor {
        output_blocks: own.output_blocks,
        shards: own.shards,
        ..tensor(element(own.weights), [layer.output.len, layer.input_len()])
    });
    let biases = affine.filter(|own| own.biases).map(|_| Tensor {
        biases: true,
        ..tensor(
            if is_float(layer) {
                Element::F32
            } else {
                Element::I32
            },
            of_outputs,
        )
    });
    let factors = layer.factors();
    Tensors {
        weights,
        biases,
        factors: factors.map(|(_, element)| tensor(element, of_outputs)),
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
        3 | 4 => match f32::from_bits(crate::weights::mixed(step as u32)) {
            // Arm's maximum of a number and a signalling NaN is NaN, where that of another NaN is
            // the number. No arithmetic has a signalling NaN for its result.
            nan if nan.is_nan() => f32::NAN,
            number => number,
        },
        _ => Random::new(step).float(),
    }
}
