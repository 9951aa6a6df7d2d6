//! From active rows to what the layers read.

use nnue_compiler::network::{Network, Order, Pairs, Pooling, Transformer, TransformerActivation};

use super::Accumulator;
use super::weights::TransformerWeights;

/// The biases and the rows.
pub(super) fn accumulate(
    network: &Network,
    weights: &TransformerWeights,
    rows: &[usize],
) -> Accumulator {
    let (width, buckets) = (network.transformer.width, network.transformer.psqt);
    let mut values = weights.biases.clone();
    let mut psqt = vec![0i32; buckets];
    for &row in rows {
        for (value, weight) in values.iter_mut().zip(&weights.rows[row * width..]) {
            *value = value.wrapping_add(*weight);
        }
        for (value, weight) in psqt.iter_mut().zip(&weights.psqt[row * buckets..]) {
            *value = value.wrapping_add(*weight);
        }
    }
    Accumulator { values, psqt }
}

/// What the layers see of one accumulator, or of two.
pub(super) fn output(transformer: &Transformer, seen: [&Accumulator; 2]) -> Vec<i64> {
    let [first, second] = seen.map(|accumulator| {
        let values = accumulator.values.iter();
        let activated: Vec<i64> = values
            .map(|value| activate(transformer, i64::from(*value)))
            .collect();
        pool(transformer, &activated)
    });
    match (
        transformer.perspectives.count,
        transformer.perspectives.order,
    ) {
        (1, _) => first,
        (_, Order::Interleaved) => {
            let pairs = first.into_iter().zip(second);
            pairs.flat_map(|(first, second)| [first, second]).collect()
        }
        (_, Order::StmFirst | Order::WhiteFirst) => [first, second].concat(),
    }
}

fn activate(transformer: &Transformer, x: i64) -> i64 {
    let one = i64::from(transformer.one);
    match transformer.activation {
        TransformerActivation::None => x,
        TransformerActivation::Crelu => x.clamp(0, one),
        TransformerActivation::Screlu { shift } => (x.clamp(0, one) * x.clamp(0, one)) >> shift,
        TransformerActivation::Relu { shift, limit } => (x >> shift).clamp(0, i64::from(limit)),
        TransformerActivation::Quantmoid4 => quantmoid4(x),
    }
}

/// A sigmoid made of two parabolas.
pub(super) fn quantmoid4(x: i64) -> i64 {
    let root = 127 - x.abs().min(127);
    let y = (root * root) >> 8;
    if x < 0 { y } else { 126 - y }
}

fn pool(transformer: &Transformer, activated: &[i64]) -> Vec<i64> {
    let half = activated.len() / 2;
    let pair = |j: usize| match transformer.pairs {
        Pairs::Halves => (activated[j], activated[j + half]),
        Pairs::Neighbours => (activated[2 * j], activated[2 * j + 1]),
    };
    let pooled = |function: &dyn Fn(i64, i64) -> i64| {
        (0..half)
            .map(pair)
            .map(|(a, b)| function(a, b))
            .collect::<Vec<_>>()
    };
    match transformer.pooling {
        Pooling::None => activated.to_vec(),
        Pooling::Product { shift } => pooled(&|a, b| (a * b) >> shift),
        Pooling::Average => pooled(&|a, b| (a + b + 1) >> 1),
        Pooling::Max => pooled(&|a, b| a.max(b)),
    }
}
