//! The layers of a stack, output by output.

mod activation;
mod affine;
mod tensors;

use nnue_compiler::network::{Align, Gain, Layer, Op};
use nnue_compiler::operation::integer::IntegerRounding;
use nnue_compiler::operation::{Elementwise, Float, Integer, Product, RmsNorm, Sum};

use crate::fixed_point::{align, shifted};
use crate::weights::{LayerWeights, Values};

pub use self::tensors::Tensors;

/// Computes a layer from the tensors before it, with the layer's numbers in the net file.
#[must_use]
pub fn compute(layer: &Layer, weights: Option<&LayerWeights>, tensors: &Tensors) -> Values {
    match (&layer.op, weights) {
        (Op::Affine(op), Some(weights)) => affine::compute(layer, op, weights, tensors),
        (Op::Affine(_), None) => unreachable!("the weights of `{}` were checked", layer.name),
        (Op::Elementwise(function), _) => match function {
            Elementwise::Activations(functions) => {
                let results = functions.iter();
                let results = results
                    .map(|function| activation::compute(*function, tensors, layer.inputs[0]));
                Values::joined(results.collect())
            }
            Elementwise::Sum(Sum { aligns }) => sum(layer, aligns, tensors),
            Elementwise::Product(own) => product(layer, *own, tensors),
            Elementwise::RmsNorm(RmsNorm { epsilon, gain }) => {
                let normed = rms_norm(*epsilon, tensors.floats(layer.inputs[0]));
                let gammas = weights.map(|weights| weights.factors.floats());
                Values::Floats(match gain.zip(gammas) {
                    None => normed,
                    Some((gain, gammas)) => gained(gain, &normed, gammas),
                })
            }
            Elementwise::Float(Float { scale }) => float(*scale, tensors.integers(layer.inputs[0])),
            Elementwise::Integer(own) => {
                let floats = tensors.floats(layer.inputs[0]).iter();
                Values::Integers(floats.map(|x| integer(*own, *x)).collect())
            }
            // Every operation of the language has a spec that tests its loop here.
            other => unimplemented!("the interpreter has no loop for `{}`", other.word()),
        },
    }
}

/// `y[i] = x[i] * scale`: the integer becomes the nearest `f32`, and the product is rounded once.
fn float(scale: f32, integers: &[i64]) -> Values {
    Values::Floats(integers.iter().map(|x| *x as f32 * scale).collect())
}

/// `x * one`, rounded to `f32`: the nearest integer, the even one of two, or without its fraction;
/// no further than the ends. NaN becomes the smaller end.
fn integer(own: Integer, x: f32) -> i64 {
    let product = x * own.one as f32;
    if product.is_nan() {
        return own.least.into();
    }
    // Beyond 64 bits, Rust gives the ends of `i64`.
    let rounded = match own.rounding {
        IntegerRounding::Nearest => product.round_ties_even() as i64,
        IntegerRounding::Truncate => product.trunc() as i64,
    };
    rounded.clamp(own.least.into(), own.limit.into())
}

/// `y[i] = x[i] * (1 / sqrt(mean + epsilon))`, where `mean` is the mean of all `x[i] * x[i]`.
fn rms_norm(epsilon: f32, values: &[f32]) -> Vec<f32> {
    let mean = affine::lanes(values, values) / values.len() as f32;
    let inverse = (mean + epsilon).sqrt().recip();
    values.iter().map(|x| x * inverse).collect()
}

/// `y[i] = x[i] * gain`, where the gain is a `gamma` of the file, or `1 + gamma`, rounded.
fn gained(gain: Gain, values: &[f32], gammas: &[f32]) -> Vec<f32> {
    let gains = gammas.iter().map(|gamma| match gain {
        Gain::Gamma => *gamma,
        Gain::OneMore => gamma + 1.0,
    });
    values.iter().zip(gains).map(|(x, gain)| x * gain).collect()
}

/// A sum of layers: `y[i]` is the sum of value `i` of all inputs.
fn sum(layer: &Layer, aligns: &[Align], tensors: &Tensors) -> Values {
    if let Values::Floats(_) = tensors.of(layer.inputs[0].source) {
        return Values::Floats(sum_of_floats(layer, tensors));
    }
    let sums = (0..layer.output.len).map(|index| {
        let terms = layer.inputs.iter().zip(aligns);
        let terms = terms.map(|(slice, own)| align(tensors.integers(*slice)[index], own, index));
        let sum = terms.fold(0i64, i64::wrapping_add);
        // The sum is computed in 64 bits; the lower 32 remain.
        i64::from(sum as i32)
    });
    Values::Integers(sums.collect())
}

/// `y[i] = a[i] * b[i] >> shift`, rounded; of floating point, `a[i] * b[i]`.
fn product(layer: &Layer, own: Product, tensors: &Tensors) -> Values {
    let (a, b) = (layer.inputs[0], layer.inputs[1]);
    if let Values::Floats(_) = tensors.of(a.source) {
        let factors = tensors.floats(a).iter().zip(tensors.floats(b));
        return Values::Floats(factors.map(|(a, b)| a * b).collect());
    }
    let factors = tensors.integers(a).iter().zip(tensors.integers(b));
    // No product of 32-bit values is too large for 64 bits. The lower 32 bits of the result remain.
    let products = factors.map(|(a, b)| i64::from(shifted(a * b, own.shift, own.rounding) as i32));
    Values::Integers(products.collect())
}

/// The sum of the inputs from the first to the last; each addition is rounded.
fn sum_of_floats(layer: &Layer, tensors: &Tensors) -> Vec<f32> {
    let sums = (0..layer.output.len).map(|index| {
        let terms = layer.inputs.iter();
        let terms = terms.map(|slice| tensors.floats(*slice)[index]);
        terms.reduce(|sum, x| sum + x).unwrap_or(0.0)
    });
    sums.collect()
}
