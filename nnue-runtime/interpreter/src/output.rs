//! From the layers' last values to the engine's units.

use nnue_compiler::network::{self, Head, Network, Ratio, Units};
use nnue_runtime::{HeadValue, Output, Wdl};

use crate::evaluation::Evaluation;
use crate::fixed_point::{align, divide};
use crate::weights::Values;

/// The evaluation of a position: a single value, or win, draw and loss.
#[must_use]
pub fn evaluate(network: &Network, layers: &[Values], psqt: i32) -> Evaluation {
    let network::Output { heads, units, .. } = &network.output;
    let head = |head: &Head| {
        let (positional, value) = match units {
            Units::Float { factor } => {
                // `as` truncates, and turns larger numbers into the largest `i32`.
                let value = (sum_of_floats(head, layers) * factor) as i32;
                (value, value)
            }
            Units::Integer(ratio) => {
                let positional = sum_of_integers(head, layers) as i32;
                (positional, in_units(*ratio, psqt, positional))
            }
            Units::Wide(ratio) => {
                let sum = sum_of_integers(head, layers);
                (sum as i32, scaled(sum, *ratio))
            }
        };
        Output {
            psqt,
            positional,
            value,
        }
    };
    match heads.as_slice() {
        [win, draw, loss] => Evaluation::Wdl(Wdl {
            win: head(win),
            draw: head(draw),
            loss: head(loss),
        }),
        heads => Evaluation::Value(heads.first().map(head).unwrap_or_default()),
    }
}

/// The values of the further heads.
#[must_use]
pub fn further(network: &Network, layers: &[Values]) -> Vec<HeadValue> {
    let heads = network.output.further.iter();
    let values = heads.map(|further| match further.units {
        Units::Integer(ratio) => {
            let sum = sum_of_integers(&further.head, layers) as i32;
            HeadValue::Integer(scaled(sum.into(), ratio))
        }
        Units::Wide(ratio) => {
            HeadValue::Integer(scaled(sum_of_integers(&further.head, layers), ratio))
        }
        Units::Float { factor } => HeadValue::Float(sum_of_floats(&further.head, layers) * factor),
    });
    values.collect()
}

/// The sum of the terms: each term is aligned, terms are added in 64 bits, and the sum is aligned.
/// If all terms have the same `one`, only the alignment of the sum changes anything; otherwise only
/// the alignments of the terms do.
fn sum_of_integers(head: &Head, layers: &[Values]) -> i64 {
    let terms = head.terms.iter().map(|term| {
        let x = layers[term.layer].integers()[term.index];
        let x = align(x, &term.align, 0);
        if term.negative { x.wrapping_neg() } else { x }
    });
    let sum = terms.fold(0i64, i64::wrapping_add);
    align(sum, &head.align, 0)
}

/// The sum of the terms from the first to the last; each addition is rounded.
fn sum_of_floats(head: &Head, layers: &[Values]) -> f32 {
    let terms = head.terms.iter().map(|term| {
        let x = layers[term.layer].floats()[term.index];
        if term.negative { -x } else { x }
    });
    terms.reduce(|sum, x| sum + x).unwrap_or(0.0)
}

/// The value in the engine's units. Sums of `psqt` and `positional` are `i32` and wrap around.
fn in_units(ratio: Ratio, psqt: i32, positional: i32) -> i32 {
    if ratio.each {
        let [psqt, positional] = [psqt, positional].map(|part| scaled(part.into(), ratio));
        return psqt.wrapping_add(positional);
    }
    scaled(psqt.wrapping_add(positional).into(), ratio)
}

/// `x * numerator / denominator`, computed in 64 bits; the lower 32 remain.
fn scaled(x: i64, ratio: Ratio) -> i32 {
    let product = x.wrapping_mul(ratio.numerator);
    divide(product, ratio.denominator, ratio.rounding) as i32
}
