//! The layers of a stack, output by output.

use nnue_compiler::network::{
    Activation, Affine, Align, Divide, Layer, Op, Rounding, Slice, SumOrder, WeightType,
};

use super::Tensors;
use super::transformer::quantmoid4;
use super::weights::{AffineWeights, Values};

/// What a layer makes of the tensors before it.
pub(super) fn compute(layer: &Layer, weights: Option<&AffineWeights>, tensors: &Tensors) -> Values {
    match (&layer.op, weights) {
        (Op::Affine(op), Some(weights)) => affine(layer, op, weights, tensors),
        (Op::Affine(_), None) => panic!("`{}` has no weights", layer.name),
        (Op::Activation(function), _) => activate(*function, tensors, layer.inputs[0]),
        (Op::Sum { aligns }, _) => sum(layer, aligns, tensors),
        (Op::Float { scale }, _) => {
            let converted = integers(tensors, layer.inputs[0]).iter();
            Values::Floats(converted.map(|x| *x as f32 * scale).collect())
        }
    }
}

fn integers(tensors: &Tensors, slice: Slice) -> &[i64] {
    &tensors.of(slice.source).integers()[slice.start..slice.start + slice.len]
}

fn floats(tensors: &Tensors, slice: Slice) -> &[f32] {
    &tensors.of(slice.source).floats()[slice.start..slice.start + slice.len]
}

fn affine(layer: &Layer, op: &Affine, weights: &AffineWeights, tensors: &Tensors) -> Values {
    let inputs = layer.inputs.iter();
    if op.weights == WeightType::F32 {
        let inputs: Vec<f32> = inputs
            .flat_map(|slice| floats(tensors, *slice))
            .copied()
            .collect();
        let rows = weights.weights.floats().chunks_exact(inputs.len());
        let outputs = rows
            .zip(weights.biases.floats())
            .map(|(row, bias)| float_sum(op.order, &inputs, row, *bias));
        return Values::Floats(outputs.collect());
    }
    let inputs: Vec<i64> = inputs
        .flat_map(|slice| integers(tensors, *slice))
        .copied()
        .collect();
    let beta = match op.scales {
        Some(scales) if scales.inputs => {
            inputs.iter().map(|x| x.abs()).sum::<i64>() / inputs.len() as i64
        }
        _ => 1,
    };
    let rows = weights.weights.integers().chunks_exact(inputs.len());
    let sums = rows.enumerate().map(|(output, row)| {
        let products = inputs.iter().zip(row).map(|(x, weight)| match op.weights {
            WeightType::Binary => {
                if *x < 0 {
                    -weight
                } else {
                    *weight
                }
            }
            _ => x * weight,
        });
        // In 64 bits, none of which can be lost, then modulo 2^32: what sums in 32 bits that wrap come to.
        let mut sum = products.sum::<i64>() as i32;
        if let Some(scales) = op.scales {
            let product = (i64::from(sum) * i64::from(weights.alpha[output])).wrapping_mul(beta);
            sum = (product >> scales.shift) as i32;
        }
        op.divide.map_or(sum, |by| divide(sum, by))
    });
    match op.to_float {
        Some(scale) => {
            let outputs = sums.zip(weights.biases.floats());
            let outputs = outputs.map(|(sum, bias)| (sum as f32).mul_add(scale, *bias));
            Values::Floats(outputs.collect())
        }
        None => {
            let outputs = sums.zip(weights.biases.integers());
            let outputs = outputs.map(|(sum, bias)| i64::from(sum.wrapping_add(*bias as i32)));
            Values::Integers(outputs.collect())
        }
    }
}

fn divide(sum: i32, divide: Divide) -> i32 {
    match divide.rounding {
        Rounding::Truncate => sum / divide.by,
        Rounding::Floor => (f64::from(sum) / f64::from(divide.by)).floor() as i32,
    }
}

/// Each product is added with one rounding; what follows from that depends on the order.
fn float_sum(order: SumOrder, inputs: &[f32], row: &[f32], bias: f32) -> f32 {
    let products = inputs.iter().zip(row);
    match order {
        SumOrder::Columns => products.fold(bias, |sum, (x, weight)| x.mul_add(*weight, sum)),
        SumOrder::Lanes => {
            let mut lanes = vec![0f32; 16];
            for (index, (x, weight)) in products.enumerate() {
                lanes[index % 16] = x.mul_add(*weight, lanes[index % 16]);
            }
            while lanes.len() > 1 {
                let (first, second) = lanes.split_at(lanes.len() / 2);
                lanes = first.iter().zip(second).map(|(a, b)| a + b).collect();
            }
            lanes[0] + bias
        }
    }
}

fn activate(function: Activation, tensors: &Tensors, slice: Slice) -> Values {
    let integer = |function: &dyn Fn(i64) -> i64| {
        Values::Integers(
            integers(tensors, slice)
                .iter()
                .map(|x| function(*x))
                .collect(),
        )
    };
    let float = |function: &dyn Fn(f32) -> f32| {
        Values::Floats(
            floats(tensors, slice)
                .iter()
                .map(|x| function(*x))
                .collect(),
        )
    };
    match function {
        Activation::Relu { shift, limit } => integer(&|x| (x >> shift).clamp(0, i64::from(limit))),
        Activation::SqrCrelu { shift, limit } => {
            integer(&|x| ((x * x) >> shift).min(i64::from(limit)))
        }
        Activation::Screlu { shift, limit } => integer(&|x| {
            let clipped = x.clamp(0, i64::from(limit));
            (clipped * clipped) >> shift
        }),
        Activation::Quantmoid4 { shift } => integer(&|x| quantmoid4(x >> shift)),
        Activation::FloatCrelu => float(&clipped),
        Activation::FloatScrelu => float(&|x| clipped(x) * clipped(x)),
        Activation::FloatSqrCrelu => float(&|x| clipped(x * x)),
        Activation::FloatRelu => float(&|x| if x > 0.0 { x } else { 0.0 }),
        Activation::FloatSigmoid => float(&sigmoid),
        Activation::FloatHardSwish => float(&|x| x * clipped(x * (1.0 / 6.0) + 0.5)),
    }
}

/// What is no number becomes 0.
fn clipped(x: f32) -> f32 {
    let positive = if x > 0.0 { x } else { 0.0 };
    if positive < 1.0 { positive } else { 1.0 }
}

/// The bits of a sigmoid are those of the runtime's, for no formula says them; a test here holds it to the formula.
fn sigmoid(x: f32) -> f32 {
    nnue_runtime::activation::sigmoid_f32(&[x])[0]
}

fn sum(layer: &Layer, aligns: &[Align], tensors: &Tensors) -> Values {
    let len = layer.output.len;
    if let Values::Floats(_) = tensors.of(layer.inputs[0].source) {
        let mut terms = layer.inputs.iter().map(|slice| floats(tensors, *slice));
        let mut sums = terms.next().map_or(vec![0.0; len], <[f32]>::to_vec);
        for term in terms {
            for (sum, x) in sums.iter_mut().zip(term) {
                *sum += x;
            }
        }
        return Values::Floats(sums);
    }
    let mut sums = vec![0i64; len];
    for (slice, align) in layer.inputs.iter().zip(aligns) {
        let term = integers(tensors, *slice);
        for (index, (sum, x)) in sums.iter_mut().zip(term).enumerate() {
            *sum = sum.wrapping_add(aligned(*x, align, index));
        }
    }
    Values::Integers(sums.iter().map(|sum| i64::from(*sum as i32)).collect())
}

/// A value brought to another one; `index` says whose factor is its own where each has one.
pub(super) fn aligned(x: i64, align: &Align, index: usize) -> i64 {
    match align {
        Align::None => x,
        Align::Exact(factors) => {
            let (numerator, denominator) = *own(factors, index);
            x.wrapping_mul(numerator) / denominator
        }
        Align::Shift { multipliers, shift } => x.wrapping_mul(*own(multipliers, index)) >> shift,
    }
}

/// The only one, or that of a value.
fn own<T>(factors: &[T], index: usize) -> &T {
    match factors {
        [factor] => factor,
        factors => &factors[index],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sigmoid_is_the_formula() {
        for step in -2000..2000 {
            let x = step as f32 / 100.0;
            let exact = 1.0 / (1.0 + (-f64::from(x)).exp());
            let error = (f64::from(sigmoid(x)) - exact).abs();
            assert!(error < 3e-7 * exact, "{x}: {} {exact}", sigmoid(x));
        }
    }

    #[test]
    fn divisions_round_as_they_say() {
        let by = |rounding| Divide { by: 255, rounding };
        let both = [-256, -255, -1, 0, 255, i32::MIN].map(|sum| {
            (
                divide(sum, by(Rounding::Truncate)),
                divide(sum, by(Rounding::Floor)),
            )
        });
        let least = (i32::MIN / 255, i32::MIN / 255 - 1);
        assert_eq!(both, [(-1, -2), (-1, -1), (0, -1), (0, 0), (1, 1), least]);
    }
}
