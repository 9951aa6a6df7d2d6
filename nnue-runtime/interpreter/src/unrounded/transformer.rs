//! From active rows to the values that the layers read.

use nnue_compiler::network::{Network, Pooling, Transformer, TransformerActivation};
use nnue_runtime::Color;

use crate::features::ActiveRows;
use crate::transformer::{ordered, pairs, shift_of, together};
use crate::weights::TransformerWeights;

/// The sums of a perspective.
pub(super) struct Accumulator {
    pub(super) values: Vec<f64>,
    psqt: Vec<f64>,
}

/// White's sums, then black's.
pub(super) fn accumulate(
    network: &Network,
    tables: &[TransformerWeights<f64, f32, f64>],
    active: &ActiveRows,
) -> [Accumulator; 2] {
    Color::ALL.map(|perspective| {
        let index = perspective.index();
        let own = tables.get(index).unwrap_or(&tables[0]);
        sum(network, own, &active[index])
    })
}

fn sum(
    network: &Network,
    table: &TransformerWeights<f64, f32, f64>,
    active: &[usize],
) -> Accumulator {
    let Transformer { width, psqt, .. } = network.transformer;
    let mut sums = Accumulator {
        values: table.biases.clone(),
        psqt: vec![0.0; psqt],
    };
    for &row in active {
        let factor = power_of_two(shift_of(network, row));
        let weights = &table.rows[row * width..];
        for (value, weight) in sums.values.iter_mut().zip(weights) {
            *value += factor * f64::from(*weight);
        }
        let of_psqt = &table.psqt[row * psqt..];
        for (value, weight) in sums.psqt.iter_mut().zip(of_psqt) {
            *value += weight;
        }
    }
    sums
}

/// The values that the layers and the output read.
pub(super) struct Read {
    pub(super) output: Vec<f64>,
    pub(super) unpooled: Vec<f64>,
    /// The PSQT sums that layers read.
    pub(super) psqt_sums: Vec<f64>,
    /// The PSQT part of the evaluation.
    pub(super) psqt: f64,
}

impl Read {
    pub(super) fn of(
        transformer: &Transformer,
        accumulators: &[Accumulator; 2],
        side_to_move: Color,
        stack: usize,
    ) -> Read {
        let ordered = ordered(transformer, accumulators, side_to_move);
        let pooled = transformer.width - transformer.unpooled_half();
        let output = ordered.map(|accumulator| {
            let values = accumulator.values[..pooled].iter();
            let activated: Vec<f64> = values.map(|x| activate(transformer, *x)).collect();
            pool(transformer, activated)
        });
        let unpooled = ordered.map(|accumulator| accumulator.values[pooled..].to_vec());
        let [first, second] = ordered.map(|accumulator| &accumulator.psqt);
        let of_perspectives = |index: usize| match transformer.perspectives.count {
            1 => first[index],
            _ => (first[index] - second[index]) / 2.0,
        };
        let (psqt_sums, psqt) = match (&transformer.psqt_sums, transformer.psqt) {
            (Some(_), count) => ((0..count).map(of_perspectives).collect(), 0.0),
            (None, 0) => (Vec::new(), 0.0),
            (None, 1) => (Vec::new(), of_perspectives(0)),
            (None, _) => (Vec::new(), of_perspectives(stack)),
        };
        Read {
            output: together(transformer, output),
            unpooled: together(transformer, unpooled),
            psqt_sums,
            psqt,
        }
    }
}

fn activate(transformer: &Transformer, x: f64) -> f64 {
    match transformer.activation {
        TransformerActivation::None => x,
        TransformerActivation::Crelu { limit } => x.clamp(0.0, limit.into()),
        TransformerActivation::Screlu { shift, .. } => {
            let clipped = x.clamp(0.0, transformer.one.into());
            clipped * clipped / power_of_two(shift)
        }
        TransformerActivation::Relu { shift, limit } => {
            (x / power_of_two(shift)).clamp(0.0, limit.into())
        }
        TransformerActivation::Quantmoid4 => quantmoid4(x),
    }
}

/// `y = (127 - min(|x|, 127))^2 / 256`, then `y` for negative `x` and `126 - y` for all others.
pub(super) fn quantmoid4(x: f64) -> f64 {
    let root = 127.0 - x.abs().min(127.0);
    let y = root * root / 256.0;
    if x < 0.0 { y } else { 126.0 - y }
}

fn pool(transformer: &Transformer, activated: Vec<f64>) -> Vec<f64> {
    let pool = |(a, b): (f64, f64)| match transformer.pooling {
        Pooling::None => a,
        Pooling::Product { shift, .. } => a * b / power_of_two(shift),
        Pooling::Average => (a + b) / 2.0,
        Pooling::Max => a.max(b),
    };
    match transformer.pooling {
        Pooling::None => activated,
        _ => pairs(transformer, &activated).map(pool).collect(),
    }
}

/// `2^exponent`.
pub(super) fn power_of_two(exponent: u32) -> f64 {
    f64::from(exponent).exp2()
}
