//! What layers compute, in plain loops after the formulas of the language: the other side of every
//! comparison. It shares nothing with the kernels, but for `fma` and the square root, which are
//! those of the standard library, or of the scalar level where there is none.

use alloc::vec;
use alloc::vec::Vec;

use nnue_format::Element;

use super::graph::{Affine, Align, End, Gain, Head, Layer, Op, Ratio, Sums, Units};
use super::probe::Values;

/// The numbers of a layer in a stack, in the order of the file.
pub(super) struct Numbers {
    /// Row after row; empty for layers without weights.
    pub(super) weights: Values,
    pub(super) biases: Values,
    pub(super) alpha: Vec<i64>,
    /// `scales` or `gamma`.
    pub(super) floats: Vec<f32>,
}

/// The values of a layer; `None` if a function is not known here. `slices` are the values of the
/// slices that it reads.
pub(super) fn layer(layer: &Layer, numbers: &Numbers, slices: &[Values]) -> Option<Values> {
    let floats = |index: usize| slices[index].floats();
    let integers = |index: usize| slices[index].integers();
    Some(match layer.op {
        Op::Affine(own) => affine(&own, layer.outputs, numbers, slices),
        Op::Activations(functions) => match &slices[0] {
            Values::Integers(values) => {
                let mut results = Vec::with_capacity(layer.outputs);
                for (name, parameters) in functions {
                    for x in values {
                        results.push(activation(name, parameters, *x)?);
                    }
                }
                Values::Integers(results)
            }
            Values::Floats(values) => {
                let mut results = Vec::with_capacity(layer.outputs);
                for (name, _) in functions {
                    for x in values {
                        results.push(activation_of_float(name, *x)?);
                    }
                }
                Values::Floats(results)
            }
        },
        Op::Sum(aligns) => Values::Integers(
            (0..layer.outputs)
                .map(|index| {
                    let terms = aligns.iter().enumerate();
                    let terms = terms.map(|(term, own)| align(integers(term)[index], own, index));
                    i64::from(terms.fold(0i64, i64::wrapping_add) as i32)
                })
                .collect(),
        ),
        Op::SumOfFloats => Values::Floats(
            (0..layer.outputs)
                .map(|index| {
                    let terms = slices.iter().map(|slice| slice.floats()[index]);
                    terms.reduce(|sum, x| sum + x).unwrap_or(0.0)
                })
                .collect(),
        ),
        Op::Product { shift } => {
            let factors = integers(0).iter().zip(integers(1));
            let product = |(a, b): (&i64, &i64)| i64::from(((a * b) >> shift) as i32);
            Values::Integers(factors.map(product).collect())
        }
        Op::ProductOfFloats => Values::Floats(
            floats(0)
                .iter()
                .zip(floats(1))
                .map(|(a, b)| a * b)
                .collect(),
        ),
        Op::RmsNorm { epsilon, gain } => {
            let values = floats(0);
            let mean = lanes(values, values) / values.len() as f32;
            let inverse = 1.0 / sqrt(mean + epsilon);
            let gained = |(index, x): (usize, &f32)| match gain {
                Gain::One => x * inverse,
                Gain::Gamma => x * inverse * numbers.floats[index],
                Gain::OneMore => x * inverse * (1.0 + numbers.floats[index]),
            };
            Values::Floats(values.iter().enumerate().map(gained).collect())
        }
        Op::Float { scale } => {
            Values::Floats(integers(0).iter().map(|x| *x as f32 * scale).collect())
        }
    })
}

fn affine(op: &Affine, outputs: usize, numbers: &Numbers, slices: &[Values]) -> Values {
    if op.weights == Element::F32 {
        let inputs: Vec<f32> = slices.iter().flat_map(Values::floats).copied().collect();
        let rows = numbers.weights.floats().chunks_exact(inputs.len());
        let bias = |output: usize| {
            if op.biases {
                numbers.biases.floats()[output]
            } else {
                0.0
            }
        };
        let sums = rows.enumerate().map(|(output, row)| match op.sums {
            Sums::Lanes => lanes(&inputs, row) + bias(output),
            _ => {
                let products = inputs.iter().zip(row);
                products.fold(bias(output), |sum, (x, weight)| fma(*x, *weight, sum))
            }
        });
        return Values::Floats(sums.collect());
    }
    let inputs: Vec<i64> = slices.iter().flat_map(Values::integers).copied().collect();
    let sums = sums(op, outputs, numbers.weights.integers(), &inputs);
    let bias = |output: usize| {
        if op.biases {
            numbers.biases.integers()[output]
        } else {
            0
        }
    };
    if op.sums == Sums::I64 {
        let sums = sums.iter().enumerate();
        let sums = sums.map(|(output, sum)| sum.wrapping_add(bias(output)));
        return Values::Integers(sums.collect());
    }
    let beta = match op.end {
        End::Alpha { inputs: true, .. } => {
            inputs.iter().map(|x| x.abs()).sum::<i64>() / inputs.len() as i64
        }
        _ => 1,
    };
    let ended = sums.iter().enumerate().map(|(output, sum)| {
        let mut sum = *sum as i32;
        if let End::Alpha { shift, .. } = op.end {
            let product = (i64::from(sum) * numbers.alpha[output]).wrapping_mul(beta);
            sum = (product >> shift) as i32;
        }
        match op.divide {
            Some((by, floor)) => divided(sum.into(), by.into(), floor) as i32,
            None => sum,
        }
    });
    let scale = match op.end {
        End::Scale(scale) => vec![scale; outputs],
        End::Scales => numbers.floats.clone(),
        End::Same | End::Alpha { .. } => {
            let ended = ended.enumerate();
            let biased = ended.map(|(output, sum)| sum.wrapping_add(bias(output) as i32).into());
            return Values::Integers(biased.collect());
        }
    };
    let bias = |output: usize| {
        if op.biases {
            numbers.biases.floats()[output]
        } else {
            0.0
        }
    };
    let ended = ended.enumerate();
    Values::Floats(
        ended
            .map(|(output, sum)| fma(sum as f32, scale[output], bias(output)))
            .collect(),
    )
}

/// The sums of products, modulo 2^64.
fn sums(op: &Affine, outputs: usize, weights: &[i64], inputs: &[i64]) -> Vec<i64> {
    let mut sums = vec![0i64; outputs];
    for (input, x) in inputs.iter().enumerate() {
        let x = match op.weights {
            Element::U64 if *x < 0 => -1,
            Element::U64 => 1,
            _ => *x,
        };
        if x == 0 {
            continue;
        }
        for (output, sum) in sums.iter_mut().enumerate() {
            let weight = weights[output * inputs.len() + input];
            *sum = sum.wrapping_add(x.wrapping_mul(weight));
        }
    }
    sums
}

/// Sixteen sums, of which sum `l` takes the inputs `l`, `l + 16`, and so on; then sums `l` and
/// `l + 8` are added, `l` and `l + 4` of the result, and so on.
fn lanes(inputs: &[f32], row: &[f32]) -> f32 {
    let mut sums = [0f32; 16];
    for (index, (x, weight)) in inputs.iter().zip(row).enumerate() {
        sums[index % 16] = fma(*x, *weight, sums[index % 16]);
    }
    for half in [8, 4, 2, 1] {
        for lane in 0..half {
            sums[lane] += sums[lane + half];
        }
    }
    sums[0]
}

/// A function of integers; `None` if it is not known here.
pub(super) fn activation(name: &str, parameters: &[u32], x: i64) -> Option<i64> {
    let shift = parameters.first().copied()?;
    let limit = || parameters.get(1).map(|limit| i64::from(*limit));
    Some(match name {
        "relu" => (x >> shift).clamp(0, limit()?),
        "relu_left" => (x << shift).clamp(0, limit()?),
        "sqr_crelu" => ((x * x) >> shift).min(limit()?),
        "sqr_crelu_i32" => (i64::from((x * x) as i32) >> shift).min(limit()?),
        "screlu" => {
            let clipped = x.clamp(0, limit()?);
            (clipped * clipped) >> shift
        }
        "quantmoid4" => quantmoid4(x >> shift),
        _ => return None,
    })
}

/// The integers between which a function is not constant, and one more at each end; `None` if it
/// is nowhere constant.
pub(super) fn varying(name: &str, parameters: &[u32]) -> Option<(i64, i64)> {
    let shift = parameters.first().copied()?;
    let limit = i64::from(parameters.get(1).copied().unwrap_or(0));
    Some(match name {
        "relu" => (-(1 << shift) - 1, (limit << shift) + 1),
        "relu_left" => (-1, (limit >> shift) + 2),
        "sqr_crelu" => {
            let root = ((limit as u64) << shift).isqrt() as i64 + 2;
            (-root, root)
        }
        "screlu" => (-1, limit + 1),
        "quantmoid4" => (-(129 << shift), 129 << shift),
        _ => return None,
    })
}

/// `y = (127 - min(|x|, 127))^2 >> 8`, then `y` for negative `x` and `126 - y` for others.
pub(super) fn quantmoid4(x: i64) -> i64 {
    let root = 127 - x.abs().min(127);
    let y = (root * root) >> 8;
    if x < 0 { y } else { 126 - y }
}

fn activation_of_float(name: &str, x: f32) -> Option<f32> {
    let clipped = |x: f32| match x > 0.0 {
        true if x < 1.0 => x,
        true => 1.0,
        false => 0.0,
    };
    Some(match name {
        "crelu_f32" => clipped(x),
        "relu_f32" => {
            if x > 0.0 {
                x
            } else {
                0.0
            }
        }
        "sqr_crelu_f32" => clipped(x * x),
        "screlu_f32" => clipped(x) * clipped(x),
        "sqr_f32" => x * x,
        "sqr_relu_f32" => {
            if x > 0.0 {
                x * x
            } else {
                0.0
            }
        }
        "sqr_negative_f32" => {
            if x < 0.0 {
                x * x
            } else {
                0.0
            }
        }
        "hard_swish_f32" => {
            let gate = if x + 3.0 > 0.0 { x + 3.0 } else { 0.0 };
            (x * if gate < 6.0 { gate } else { 6.0 }) * (1.0 / 6.0)
        }
        "sigmoid_f32" => 1.0 / (1.0 + exp(-x)),
        _ => return None,
    })
}

/// As the reference defines it: `2^k` times a polynomial of seventh degree in `x - k ln 2`.
fn exp(x: f32) -> f32 {
    let x = if x > -87.0 { x } else { -87.0 };
    let x = if x < 87.0 { x } else { 87.0 };
    // The nearest integer, ties to even: numbers of this size have no fraction.
    const WHOLE: f32 = 12_582_912.0;
    let k = (x * core::f32::consts::LOG2_E + WHOLE) - WHOLE;
    let r = x - k * (355.0 / 512.0) - k * -2.121_944_4e-4;
    let factorials = [5040.0, 720.0, 120.0, 24.0, 6.0, 2.0, 1.0, 1.0f32];
    let mut series = 0.0;
    for (index, factorial) in factorials.into_iter().enumerate() {
        series = match index {
            0 => 1.0 / factorial,
            _ => series * r + 1.0 / factorial,
        };
    }
    series * f32::from_bits(((k as i32 + 127) as u32) << 23)
}

/// The value at `index`, brought to another fixed point.
fn align(x: i64, align: &Align, index: usize) -> i64 {
    fn own<T: Copy>(factors: &[T], index: usize) -> T {
        factors[if factors.len() == 1 { 0 } else { index }]
    }
    match align {
        Align::None => x,
        Align::Exact(factors) => {
            let (numerator, denominator) = own(factors, index);
            x.wrapping_mul(numerator) / denominator
        }
        Align::Shift(multipliers, shift) => x.wrapping_mul(own(multipliers, index)) >> shift,
    }
}

fn divided(x: i64, by: i64, floor: bool) -> i64 {
    if floor { x.div_euclid(by) } else { x / by }
}

/// What a head gives: the layers' part and the value. `of_layer` has the values of a layer.
pub(super) fn head<'v>(
    head: &Head,
    psqt: i32,
    of_layer: impl Fn(usize) -> &'v Values,
) -> (i32, Value) {
    if let Units::Float(factor) = head.units {
        let terms = head.terms.iter().map(|(layer, index, negative, _)| {
            let x = of_layer(*layer).floats()[*index];
            if *negative { -x } else { x }
        });
        let sum = terms.reduce(|sum, x| sum + x).unwrap_or(0.0) * factor;
        return (sum as i32, Value::Float(sum));
    }
    let terms = head.terms.iter().map(|(layer, index, negative, own)| {
        let x = align(of_layer(*layer).integers()[*index], own, 0);
        if *negative { x.wrapping_neg() } else { x }
    });
    let sum = align(terms.fold(0i64, i64::wrapping_add), &head.align, 0);
    let positional = sum as i32;
    let scaled = |x: i64, ratio: Ratio| {
        divided(
            x.wrapping_mul(ratio.numerator),
            ratio.denominator,
            ratio.floor,
        ) as i32
    };
    let value = match head.units {
        Units::Wide(ratio) => scaled(sum, ratio),
        Units::Integer(ratio) if ratio.each => {
            scaled(psqt.into(), ratio).wrapping_add(scaled(positional.into(), ratio))
        }
        Units::Integer(ratio) => scaled(psqt.wrapping_add(positional).into(), ratio),
        Units::Float(_) => 0,
    };
    (positional, Value::Integer(value))
}

/// The value of a head.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    Integer(i32),
    Float(f32),
}

#[cfg(feature = "std")]
fn fma(a: f32, b: f32, c: f32) -> f32 {
    a.mul_add(b, c)
}

#[cfg(not(feature = "std"))]
fn fma(a: f32, b: f32, c: f32) -> f32 {
    crate::simd::scalar::fma_f32(a, b, c)
}

#[cfg(feature = "std")]
fn sqrt(x: f32) -> f32 {
    x.sqrt()
}

#[cfg(not(feature = "std"))]
fn sqrt(x: f32) -> f32 {
    crate::simd::scalar::sqrt_f32(x)
}
