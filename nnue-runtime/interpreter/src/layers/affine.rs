//! Fully connected layers: `y[o] = biases[o] + the sum of weights[o][i] * x[i]`.

use nnue_compiler::network::{Affine, Layer, Scale, Sums, WeightType};

use super::tensors::Tensors;
use crate::fixed_point::divide;
use crate::weights::{LayerWeights, Values};

/// The outputs of an affine layer. Its inputs follow each other in the order of the spec.
pub(super) fn compute(
    layer: &Layer,
    op: &Affine,
    weights: &LayerWeights,
    tensors: &Tensors,
) -> Values {
    if op.weights == WeightType::F32 {
        let inputs = layer.inputs.iter().map(|slice| tensors.floats(*slice));
        return Values::Floats(of_floats(
            op.sums,
            &inputs.collect::<Vec<_>>().concat(),
            weights,
        ));
    }
    let inputs = layer.inputs.iter().map(|slice| tensors.integers(*slice));
    let inputs = inputs.collect::<Vec<_>>().concat();
    if op.sums == Sums::I64 {
        return Values::Integers(of_wide_integers(&inputs, weights));
    }
    let sums = of_integers(op, &inputs, weights);
    match op.to_float {
        // The sum becomes the nearest `f32`; the product and the addition of the bias are rounded
        // together.
        Some(scale) => {
            let scales = match scale {
                Scale::Shared(scale) => vec![scale; sums.len()],
                Scale::OfFile => weights.factors.floats().to_vec(),
            };
            let outputs = sums.iter().zip(scales).zip(weights.biases.floats());
            let outputs = outputs.map(|((sum, scale), bias)| (*sum as f32).mul_add(scale, *bias));
            Values::Floats(outputs.collect())
        }
        None => {
            let outputs = sums.iter().zip(weights.biases.integers());
            Values::Integers(
                outputs
                    .map(|(sum, bias)| i64::from(sum.wrapping_add(*bias as i32)))
                    .collect(),
            )
        }
    }
}

/// The sums of the products of each output, scaled and divided, without the bias. The sums are
/// `i32` and wrap around.
fn of_integers(op: &Affine, inputs: &[i64], weights: &LayerWeights) -> Vec<i32> {
    // Modulo 2^32, in which sums are kept, factors may be cut first. Factors of zero add nothing.
    let factors = inputs.iter().map(|x| match op.weights {
        WeightType::Binary => sign(*x),
        _ => *x as i32,
    });
    let factors: Vec<(usize, i32)> = factors.enumerate().filter(|(_, x)| *x != 0).collect();
    let beta = match op.scales {
        Some(scales) if scales.inputs => mean_size(inputs),
        _ => 1,
    };
    let rows = weights.weights.integers().chunks_exact(inputs.len());
    let sums = rows.enumerate().map(|(output, row)| {
        let products = factors.iter();
        let products = products.map(|(input, x)| x.wrapping_mul(row[*input] as i32));
        let mut sum = products.fold(0i32, i32::wrapping_add);
        if let Some(scales) = op.scales {
            let alpha = weights.factors.integers()[output];
            let product = (i64::from(sum) * alpha).wrapping_mul(beta);
            sum = (product >> scales.shift) as i32;
        }
        match op.divide {
            Some(by) => divide(sum.into(), by.by.into(), by.rounding) as i32,
            None => sum,
        }
    });
    sums.collect()
}

/// The sum of the products and the bias of each output, modulo 2^64.
fn of_wide_integers(inputs: &[i64], weights: &LayerWeights) -> Vec<i64> {
    let rows = weights.weights.integers().chunks_exact(inputs.len());
    let outputs = rows.zip(weights.biases.integers());
    let factors = inputs.iter().enumerate().filter(|(_, x)| **x != 0);
    let sums = outputs.map(|(row, bias)| {
        let products = factors
            .clone()
            .map(|(input, x)| i128::from(*x) * i128::from(row[input]));
        (products.sum::<i128>() + i128::from(*bias)) as i64
    });
    sums.collect()
}

/// The sign of an input of a binary layer: -1 for a negative input, 1 for any other.
fn sign(x: i64) -> i32 {
    if x < 0 { -1 } else { 1 }
}

/// The mean of the inputs' magnitudes, rounded down.
fn mean_size(inputs: &[i64]) -> i64 {
    inputs.iter().map(|x| x.abs()).sum::<i64>() / inputs.len() as i64
}

fn of_floats(sums: Sums, inputs: &[f32], weights: &LayerWeights) -> Vec<f32> {
    let rows = weights.weights.floats().chunks_exact(inputs.len());
    rows.zip(weights.biases.floats())
        .map(|(row, bias)| match sums {
            Sums::Lanes => lanes(inputs, row) + bias,
            Sums::Pairs => pairs(sixteen(inputs, row)) + bias,
            Sums::Products => products(inputs, row) + bias,
            _ => columns(inputs, row, *bias),
        })
        .collect()
}

/// The sum of the bias and the products, which are added in the order of the inputs. Each product
/// and its addition are rounded together.
fn columns(inputs: &[f32], row: &[f32], bias: f32) -> f32 {
    let products = inputs.iter().zip(row);
    products.fold(bias, |sum, (x, weight)| x.mul_add(*weight, sum))
}

/// Sixteen sums: number `l` adds the products of the inputs `l`, `l + 16`, and so on.
fn sixteen(inputs: &[f32], row: &[f32]) -> Vec<f32> {
    let mut sums = vec![0f32; 16];
    for (index, (x, weight)) in inputs.iter().zip(row).enumerate() {
        sums[index % 16] = x.mul_add(*weight, sums[index % 16]);
    }
    sums
}

/// Sixteen sums, of which `l` and `l + 8` are added, then the results `l` and `l + 4`, and so on.
pub(super) fn lanes(inputs: &[f32], row: &[f32]) -> f32 {
    halved(sixteen(inputs, row), 1)[0]
}

/// As [`lanes`] until four sums are left, of which neighbours are added.
fn pairs(sums: Vec<f32>) -> f32 {
    match halved(sums, 4)[..] {
        [a, b, c, d] => (a + b) + (c + d),
        ref other => unreachable!("{} sums are left", other.len()),
    }
}

/// The sums of both halves of a list, until no more than `few` numbers are left.
fn halved(mut sums: Vec<f32>, few: usize) -> Vec<f32> {
    while sums.len() > few {
        let (first, second) = sums.split_at(sums.len() / 2);
        sums = first.iter().zip(second).map(|(a, b)| a + b).collect();
    }
    sums
}

/// Rounded products, followed by zeros up to 32 times a power of two: eight trees, of which
/// number `l` has the products `l`, `l + 8`, and so on as its leaves. The eight sums are added as by
/// [`pairs`].
fn products(inputs: &[f32], row: &[f32]) -> f32 {
    let products: Vec<f32> = inputs
        .iter()
        .zip(row)
        .map(|(x, weight)| x * weight)
        .collect();
    let leaves = 4 * products.len().div_ceil(32).next_power_of_two();
    let leaf = |index: usize| products.get(index).copied().unwrap_or(0.0);
    let trees = (0..8).map(|lane| tree(&|place| leaf(8 * place + lane), 0, leaves));
    pairs(trees.collect())
}

/// The sum of the leaves from `first` on, whose number is a power of two: the sum of the sums of
/// both halves.
fn tree(leaf: &dyn Fn(usize) -> f32, first: usize, leaves: usize) -> f32 {
    match leaves {
        1 => leaf(first),
        _ => tree(leaf, first, leaves / 2) + tree(leaf, first + leaves / 2, leaves / 2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `f32` rounds the sum of 2^24 and 1 back to 2^24.
    #[test]
    fn the_order_of_additions_is_what_the_spec_says() {
        const LARGE: f32 = 16_777_216.0;
        let mut inputs = vec![0.0; 17];
        (inputs[0], inputs[1], inputs[16]) = (LARGE, 1.0, -LARGE);
        let ones = vec![1.0; 17];
        assert_eq!(columns(&inputs, &ones, 0.0), 0.0);
        // Inputs 0 and 16 are added before input 1.
        assert_eq!(lanes(&inputs, &ones), 1.0);
    }

    #[test]
    fn products_and_additions_are_rounded_together() {
        let x = 1.0 + f32::EPSILON;
        let exact = f64::from(x) * f64::from(x) - 1.0;
        assert_eq!(columns(&[x], &[x], -1.0), exact as f32);
    }
}
