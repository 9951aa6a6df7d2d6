//! From the layers' last values to the engine's units.

use nnue_compiler::network::{Head, Network, Ratio, Units};

use super::layers::align;

/// The value of a position, or the values of win, draw and loss.
pub(super) fn values(network: &Network, layers: &[Vec<f64>], psqt: f64) -> Vec<f64> {
    let output = &network.output;
    let heads = output.heads.iter();
    let values = heads.map(|head| in_units(output.units, psqt + sum(head, layers)));
    values.collect()
}

/// The values of the further heads.
pub(super) fn further(network: &Network, layers: &[Vec<f64>]) -> Vec<f64> {
    let heads = network.output.further.iter();
    let values = heads.map(|further| in_units(further.units, sum(&further.head, layers)));
    values.collect()
}

fn sum(head: &Head, layers: &[Vec<f64>]) -> f64 {
    let terms = head.terms.iter().map(|term| {
        let x = align(layers[term.layer][term.index], &term.align, 0);
        if term.negative { -x } else { x }
    });
    align(terms.sum(), &head.align, 0)
}

fn in_units(units: Units, sum: f64) -> f64 {
    match units {
        Units::Integer(ratio) | Units::Wide(ratio) => scaled(sum, ratio),
        Units::Float { factor } => sum * f64::from(factor),
    }
}

fn scaled(sum: f64, ratio: Ratio) -> f64 {
    sum * ratio.numerator as f64 / ratio.denominator as f64
}
