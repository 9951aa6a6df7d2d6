//! The layers of a stack, output by output.

use nnue_compiler::network::{Affine, Align, Gain, Layer, Op, Scale, Slice, Source, WeightType};
use nnue_compiler::operation::{
    Activation, Elementwise, Float, OpName, Product, Quantmoid4, Relu, ReluLeft, RmsNorm, Screlu,
    SqrCrelu, SqrCreluI32, Sum,
};

use super::transformer::{power_of_two, quantmoid4};
use crate::weights::UnroundedLayer;

/// The tensors that have been computed so far.
pub(super) struct Tensors {
    pub(super) transformer: Vec<f64>,
    pub(super) unpooled: Vec<f64>,
    pub(super) psqt: Vec<f64>,
    pub(super) layers: Vec<Vec<f64>>,
}

impl Tensors {
    fn slice(&self, slice: Slice) -> &[f64] {
        let tensor = match slice.source {
            Source::Transformer => &self.transformer,
            Source::Unpooled => &self.unpooled,
            Source::Psqt => &self.psqt,
            Source::Layer(index) => &self.layers[index],
        };
        &tensor[slice.start..slice.start + slice.len]
    }
}

/// The name of an operation of the layer that has no meaning here yet.
pub(super) fn unknown_operation(layer: &Layer) -> Option<&'static str> {
    match &layer.op {
        Op::Affine(_) => None,
        Op::Elementwise(Elementwise::Activations(functions)) => {
            let mut functions = functions.iter();
            let unknown = functions.find(|function| activate(**function, 0.0).is_none());
            unknown.map(Activation::name)
        }
        Op::Elementwise(
            Elementwise::Sum(_)
            | Elementwise::Product(_)
            | Elementwise::RmsNorm(_)
            | Elementwise::Float(_)
            | Elementwise::Integer(_),
        ) => None,
        Op::Elementwise(other) => Some(other.word()),
    }
}

/// Never called: a layer that [`unknown_operation`] names is refused before anything is computed.
fn refused<T>(name: &str) -> T {
    unreachable!("a network with `{name}` was refused")
}

/// Computes a layer from the tensors before it.
pub(super) fn compute(
    layer: &Layer,
    weights: Option<&UnroundedLayer>,
    tensors: &Tensors,
) -> Vec<f64> {
    let inputs: Vec<&[f64]> = layer
        .inputs
        .iter()
        .map(|slice| tensors.slice(*slice))
        .collect();
    let no_numbers = UnroundedLayer::default();
    let weights = weights.unwrap_or(&no_numbers);
    match &layer.op {
        Op::Affine(op) => affine(op, &inputs.concat(), weights),
        Op::Elementwise(function) => match function {
            Elementwise::Activations(functions) => {
                let values = |function: &Activation| {
                    let function = *function;
                    let activate =
                        move |x| activate(function, x).unwrap_or_else(|| refused(function.name()));
                    inputs[0].iter().map(move |x| activate(*x))
                };
                functions.iter().flat_map(values).collect()
            }
            Elementwise::Sum(Sum { aligns }) => {
                let sums = (0..layer.output.len).map(|index| {
                    let terms = inputs.iter().zip(aligns);
                    terms.map(|(x, own)| align(x[index], own, index)).sum()
                });
                sums.collect()
            }
            Elementwise::Product(Product { shift, .. }) => {
                let factors = inputs[0].iter().zip(inputs[1]);
                factors.map(|(a, b)| a * b / power_of_two(*shift)).collect()
            }
            Elementwise::RmsNorm(RmsNorm { epsilon, gain }) => {
                rms_norm(*epsilon, *gain, inputs[0], &weights.factors)
            }
            Elementwise::Float(Float { scale }) => {
                inputs[0].iter().map(|x| x * f64::from(*scale)).collect()
            }
            Elementwise::Integer(own) => {
                let clamped = |x: &f64| {
                    let product = x * f64::from(own.one);
                    product.clamp(own.least.into(), own.limit.into())
                };
                inputs[0].iter().map(clamped).collect()
            }
            other => refused(other.word()),
        },
    }
}

/// `y[o] = biases[o] + the sum of weights[o][i] * x[i]`, scaled and divided as the layer says.
fn affine(op: &Affine, inputs: &[f64], weights: &UnroundedLayer) -> Vec<f64> {
    let is_binary = op.weights == WeightType::Binary;
    // Binary layers read the signs of their inputs, as they do when they are trained.
    let seen = |x: f64| match (is_binary, x < 0.0) {
        (false, _) => x,
        (true, true) => -1.0,
        (true, false) => 1.0,
    };
    let rows = weights.weights.chunks_exact(inputs.len());
    let outputs = rows.zip(&weights.biases).enumerate();
    let outputs = outputs.map(|(output, (row, bias))| {
        let products = inputs.iter().zip(row).map(|(x, weight)| seen(*x) * weight);
        let mut sum: f64 = products.sum();
        if let Some(scales) = op.scales {
            let sizes = inputs.iter().map(|x| x.abs());
            let beta = if scales.inputs {
                sizes.sum::<f64>() / inputs.len() as f64
            } else {
                1.0
            };
            sum *= weights.factors[output] * beta / power_of_two(scales.shift);
        }
        if let Some(divide) = op.divide {
            sum /= f64::from(divide.by);
        }
        match op.to_float {
            Some(Scale::Shared(scale)) => sum *= f64::from(scale),
            Some(Scale::OfFile) => sum *= weights.factors[output],
            None => {}
        }
        sum + bias
    });
    outputs.collect()
}

/// `y[i] = x[i] / sqrt(mean + epsilon) * gain[i]`, where `mean` is the mean of all `x[i] * x[i]`.
fn rms_norm(epsilon: f32, gain: Option<Gain>, values: &[f64], gammas: &[f64]) -> Vec<f64> {
    let squares = values.iter().map(|x| x * x);
    let mean = squares.sum::<f64>() / values.len() as f64;
    let root = (mean + f64::from(epsilon)).sqrt();
    let gain = |index: usize| match gain {
        None => 1.0,
        Some(Gain::Gamma) => gammas[index],
        Some(Gain::OneMore) => 1.0 + gammas[index],
    };
    let values = values.iter().enumerate();
    values.map(|(index, x)| x / root * gain(index)).collect()
}

/// Value number `index` of a tensor, brought to another `one`.
pub(super) fn align(x: f64, align: &Align, index: usize) -> f64 {
    // All values of a tensor share a factor, or each value has its own.
    let of = |len: usize| if len == 1 { 0 } else { index };
    match align {
        Align::None => x,
        Align::Exact(fractions) => {
            let (numerator, denominator) = fractions[of(fractions.len())];
            x * numerator as f64 / denominator as f64
        }
        Align::Shift { multipliers, shift } => {
            x * multipliers[of(multipliers.len())] as f64 / power_of_two(*shift)
        }
    }
}

/// The result of a function for a value; `None` if it has no meaning here yet.
fn activate(function: Activation, x: f64) -> Option<f64> {
    Some(match function {
        Activation::Relu(Relu { shift, limit }) => {
            (x / power_of_two(shift)).clamp(0.0, limit.into())
        }
        Activation::ReluLeft(ReluLeft { shift, limit }) => {
            (x * power_of_two(shift)).clamp(0.0, limit.into())
        }
        // Without the limit of 32 bits, squares are never negative.
        Activation::SqrCrelu(SqrCrelu { shift, limit })
        | Activation::SqrCreluI32(SqrCreluI32 { shift, limit }) => {
            (x * x / power_of_two(shift)).min(limit.into())
        }
        Activation::Screlu(Screlu { shift, limit, .. }) => {
            let clipped = x.clamp(0.0, limit.into());
            clipped * clipped / power_of_two(shift)
        }
        Activation::Quantmoid4(Quantmoid4 { shift }) => quantmoid4(x / power_of_two(shift)),
        Activation::Float(OpName::Crelu) => x.clamp(0.0, 1.0),
        Activation::Float(OpName::Screlu) => x.clamp(0.0, 1.0).powi(2),
        Activation::Float(OpName::SqrCrelu) => (x * x).min(1.0),
        Activation::Float(OpName::Relu) => x.max(0.0),
        Activation::Float(OpName::Sigmoid) => 1.0 / (1.0 + (-x).exp()),
        Activation::Float(OpName::Sqr) => x * x,
        Activation::Float(OpName::SqrRelu) => x.max(0.0).powi(2),
        Activation::Float(OpName::SqrNegative) => x.min(0.0).powi(2),
        Activation::Float(OpName::HardSwish) => x * (x + 3.0).clamp(0.0, 6.0) / 6.0,
        _ => return None,
    })
}
