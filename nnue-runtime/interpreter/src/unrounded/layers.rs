//! The layers of a stack, output by output.

use nnue_compiler::network::{
    Activation, Affine, Align, Elementwise, Gain, Layer, Op, Scale, Slice, Source, WeightType,
};

use super::UnroundedLayer;
use super::transformer::{power_of_two, quantmoid4};

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
                    inputs[0].iter().map(move |x| activate(function, *x))
                };
                functions.iter().flat_map(values).collect()
            }
            Elementwise::Sum { aligns } => {
                let sums = (0..layer.output.len).map(|index| {
                    let terms = inputs.iter().zip(aligns);
                    terms.map(|(x, own)| align(x[index], own, index)).sum()
                });
                sums.collect()
            }
            Elementwise::Product { shift } => {
                let factors = inputs[0].iter().zip(inputs[1]);
                factors.map(|(a, b)| a * b / power_of_two(*shift)).collect()
            }
            Elementwise::RmsNorm { epsilon, gain } => {
                rms_norm(*epsilon, *gain, inputs[0], &weights.factors)
            }
            Elementwise::Float { scale } => {
                inputs[0].iter().map(|x| x * f64::from(*scale)).collect()
            }
        },
    }
}

/// `y[o] = biases[o] + the sum of weights[o][i] * x[i]`, scaled and divided as the layer says.
fn affine(op: &Affine, inputs: &[f64], weights: &UnroundedLayer) -> Vec<f64> {
    let is_binary = op.weights == WeightType::Binary;
    // Layers of signs see the signs of what they read, as they do when they are trained.
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
            let beta = match scales.inputs {
                true => sizes.sum::<f64>() / inputs.len() as f64,
                false => 1.0,
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

/// `y[i] = x[i] / sqrt(mean + epsilon) * gain[i]`, where `mean` is that of `x * x`.
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

/// Value number `index` of a tensor, brought to another one.
pub(super) fn align(x: f64, align: &Align, index: usize) -> f64 {
    // All values of a tensor share one factor, or each has its own.
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

/// A function of a value.
fn activate(function: Activation, x: f64) -> f64 {
    match function {
        Activation::Relu { shift, limit } => (x / power_of_two(shift)).clamp(0.0, limit.into()),
        Activation::ReluLeft { shift, limit } => (x * power_of_two(shift)).clamp(0.0, limit.into()),
        // Without 32 bits, squares have no other sign.
        Activation::SqrCrelu { shift, limit } | Activation::SqrCreluI32 { shift, limit } => {
            (x * x / power_of_two(shift)).min(limit.into())
        }
        Activation::Screlu { shift, limit } => {
            let clipped = x.clamp(0.0, limit.into());
            clipped * clipped / power_of_two(shift)
        }
        Activation::Quantmoid4 { shift } => quantmoid4(x / power_of_two(shift)),
        Activation::FloatCrelu => x.clamp(0.0, 1.0),
        Activation::FloatScrelu => x.clamp(0.0, 1.0).powi(2),
        Activation::FloatSqrCrelu => (x * x).min(1.0),
        Activation::FloatRelu => x.max(0.0),
        Activation::FloatSigmoid => 1.0 / (1.0 + (-x).exp()),
        Activation::FloatSqr => x * x,
        Activation::FloatSqrRelu => x.max(0.0).powi(2),
        Activation::FloatSqrNegative => x.min(0.0).powi(2),
        Activation::FloatHardSwish => x * (x + 3.0).clamp(0.0, 6.0) / 6.0,
    }
}
