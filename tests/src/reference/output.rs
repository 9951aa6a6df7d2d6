//! From the layers' outputs to the engine's units.

use nnue_compiler::network::{Head, Network, Rounding, Units};

use super::Evaluation;
use super::layers::aligned;
use super::weights::Values;

/// What each head says.
pub(super) fn evaluate(network: &Network, layers: &[Values], psqt: i32) -> Vec<Evaluation> {
    let units = network.output.units;
    let heads = network.output.heads.iter();
    heads
        .map(|head| {
            let positional = match units {
                Units::Float { factor } => (float_sum(head, layers) * factor) as i32,
                _ => integer_sum(head, layers) as i32,
            };
            Evaluation {
                psqt,
                positional,
                value: value(units, psqt, positional),
            }
        })
        .collect()
}

fn float_sum(head: &Head, layers: &[Values]) -> f32 {
    let terms = head.terms.iter().map(|term| {
        let x = layers[term.layer].floats()[term.index];
        if term.negative { -x } else { x }
    });
    terms.reduce(|sum, x| sum + x).unwrap_or(0.0)
}

fn integer_sum(head: &Head, layers: &[Values]) -> i64 {
    let terms = head.terms.iter().map(|term| {
        let x = aligned(layers[term.layer].integers()[term.index], &term.align, 0);
        if term.negative { -x } else { x }
    });
    aligned(terms.sum(), &head.align, 0)
}

fn value(units: Units, psqt: i32, positional: i32) -> i32 {
    let converted = |x: i32, numerator: i64, denominator: i64, rounding: Rounding| {
        let product = i64::from(x) * numerator;
        let quotient = match rounding {
            Rounding::Truncate => product / denominator,
            Rounding::Floor => product.div_euclid(denominator),
        };
        quotient as i32
    };
    match units {
        Units::Float { .. } => positional,
        Units::Sum {
            numerator,
            denominator,
            rounding,
        } => converted(
            psqt.wrapping_add(positional),
            numerator,
            denominator,
            rounding,
        ),
        Units::Each {
            numerator,
            denominator,
            rounding,
        } => {
            let [psqt, positional] =
                [psqt, positional].map(|x| converted(x, numerator, denominator, rounding));
            psqt.wrapping_add(positional)
        }
    }
}
