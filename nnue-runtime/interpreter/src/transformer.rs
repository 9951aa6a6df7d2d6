//! The sparse first layer: from active rows to the values that the layers read.
//!
//! For each perspective, each neuron is summed up and activated, and pairs of neurons are pooled.
//! Then the values of both perspectives are put together.

use nnue_compiler::network::{Network, Order, Pooling, Transformer, TransformerActivation};
use nnue_runtime::Color;

use crate::features::ActiveRows;
use crate::fixed_point::shifted;
use crate::weights::{TransformerWeights, Weights};

/// The sums of a perspective.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accumulator {
    /// The sum of each neuron, in the order of the spec.
    pub values: Vec<i16>,
    /// The PSQT sums, one for each PSQT value: none, a single sum, or a sum for each stack.
    pub psqt: Vec<i32>,
}

/// White's sums, then black's.
pub type Accumulators = [Accumulator; 2];

/// The sums of both perspectives.
pub(crate) fn accumulate(
    network: &Network,
    weights: &Weights,
    active: &ActiveRows,
) -> Accumulators {
    Color::ALL.map(|perspective| {
        let index = perspective.index();
        let tables = &weights.transformer;
        let own = tables.get(index).unwrap_or(&tables[0]);
        sum(network, own, &active[index])
    })
}

/// The biases plus the active rows, each multiplied by the power of two of its set. PSQT sums have
/// no biases and no such factors. Both sums wrap around.
fn sum(network: &Network, weights: &TransformerWeights, active: &[usize]) -> Accumulator {
    let transformer = &network.transformer;
    let mut values = weights.biases.clone();
    let mut psqt = vec![0i32; transformer.psqt];
    for &row in active {
        // Modulo 2^16, in which values are kept, the factor may be cut first.
        let factor = 2i64.pow(shift_of(network, row)) as i16;
        let weights_of_row = &weights.rows[row * transformer.width..];
        for (value, weight) in values.iter_mut().zip(weights_of_row) {
            *value = value.wrapping_add(weight.wrapping_mul(factor));
        }
        let psqt_of_row = &weights.psqt[row * transformer.psqt..];
        for (value, weight) in psqt.iter_mut().zip(psqt_of_row) {
            *value = value.wrapping_add(*weight);
        }
    }
    Accumulator { values, psqt }
}

/// The shift of the set that a row belongs to.
pub(crate) fn shift_of(network: &Network, row: usize) -> u32 {
    let mut rows_before = 0;
    for set in &network.features {
        rows_before += set.rows;
        if row < rows_before {
            return set.shift;
        }
    }
    0
}

/// The perspectives in the order in which the layers see them.
pub(crate) fn ordered<'a, T>(
    transformer: &Transformer,
    [white, black]: &'a [T; 2],
    side_to_move: Color,
) -> [&'a T; 2] {
    match (transformer.perspectives.order, side_to_move) {
        (Order::WhiteFirst, _) | (_, Color::White) => [white, black],
        (Order::StmFirst | Order::Interleaved, Color::Black) => [black, white],
    }
}

/// The PSQT part of an evaluation: half the difference of both perspectives' sums, rounded towards
/// zero; in networks with one perspective, its sum. If there is a single PSQT value, all stacks
/// share it. PSQT sums that layers read are not part of the evaluation.
pub(crate) fn psqt(transformer: &Transformer, ordered: [&Accumulator; 2], stack: usize) -> i32 {
    if transformer.psqt_sums.is_some() {
        return 0;
    }
    let value = |accumulator: &Accumulator| match accumulator.psqt.as_slice() {
        [] => 0,
        [shared] => *shared,
        own => own[stack],
    };
    of_perspectives(transformer, ordered.map(value))
}

/// The PSQT sums that layers read: for each PSQT value, computed as [`psqt`] computes it.
pub(crate) fn psqt_sums(transformer: &Transformer, ordered: [&Accumulator; 2]) -> Vec<i64> {
    if transformer.psqt_sums.is_none() {
        return Vec::new();
    }
    let [first, second] = ordered.map(|accumulator| accumulator.psqt.iter().copied());
    let sums = first.zip(second);
    sums.map(|(first, second)| of_perspectives(transformer, [first, second]).into())
        .collect()
}

/// The PSQT sum that follows from the sums of both perspectives.
#[must_use]
pub fn of_perspectives(transformer: &Transformer, [first, second]: [i32; 2]) -> i32 {
    match transformer.perspectives.count {
        1 => first,
        _ => first.wrapping_sub(second) / 2,
    }
}

/// The values that the layers read, of one perspective or of both.
pub(crate) fn output(transformer: &Transformer, ordered: [&Accumulator; 2]) -> Vec<i64> {
    let halves = ordered.map(|accumulator| pool(transformer, &activated(transformer, accumulator)));
    together(transformer, halves)
}

/// The activated values of a perspective's neurons, without the neurons that are not pooled.
pub(crate) fn activated(transformer: &Transformer, accumulator: &Accumulator) -> Vec<i64> {
    let pooled = transformer.width - transformer.unpooled_half();
    let values = accumulator.values[..pooled].iter();
    values
        .map(|value| activate(transformer, i64::from(*value)))
        .collect()
}

/// The sums of the neurons that are not pooled, of one perspective or of both. These neurons are
/// the last of each accumulator.
pub(crate) fn unpooled(transformer: &Transformer, ordered: [&Accumulator; 2]) -> Vec<i64> {
    let halves = ordered.map(|accumulator| {
        let pooled = transformer.width - transformer.unpooled_half();
        let sums = accumulator.values[pooled..].iter();
        sums.map(|sum| i64::from(*sum)).collect()
    });
    together(transformer, halves)
}

/// The values of both perspectives in the order in which the layers see them.
#[must_use]
pub fn together<T>(transformer: &Transformer, [first, second]: [Vec<T>; 2]) -> Vec<T> {
    let perspectives = transformer.perspectives;
    match (perspectives.count, perspectives.order) {
        (1, _) => first,
        (_, Order::StmFirst | Order::WhiteFirst) => first.into_iter().chain(second).collect(),
        (_, Order::Interleaved) => {
            let pairs = first.into_iter().zip(second);
            pairs.flat_map(|(first, second)| [first, second]).collect()
        }
    }
}

/// The activated value of the sum `x` of a neuron.
#[must_use]
pub fn activate(transformer: &Transformer, x: i64) -> i64 {
    let one = i64::from(transformer.one);
    match transformer.activation {
        TransformerActivation::None => x,
        TransformerActivation::Crelu { limit } => x.clamp(0, i64::from(limit)),
        TransformerActivation::Screlu { shift, rounding } => {
            shifted(x.clamp(0, one) * x.clamp(0, one), shift, rounding)
        }
        TransformerActivation::Relu { shift, limit } => (x >> shift).clamp(0, i64::from(limit)),
        TransformerActivation::Quantmoid4 => quantmoid4(x),
    }
}

/// A sigmoid made of two parabolas: `y = (127 - min(|x|, 127))^2 >> 8`, then `y` for negative `x`
/// and `126 - y` for all others.
pub(crate) fn quantmoid4(x: i64) -> i64 {
    let root = 127 - x.abs().min(127);
    let y = (root * root) >> 8;
    if x < 0 { y } else { 126 - y }
}

/// Makes a single value of each pair.
fn pool(transformer: &Transformer, activated: &[i64]) -> Vec<i64> {
    if transformer.pooling == Pooling::None {
        return activated.to_vec();
    }
    pairs(transformer, activated)
        .map(|pair| pool_pair(transformer, pair))
        .collect()
}

/// The value of a pair; without pooling, the first of the two.
#[must_use]
pub fn pool_pair(transformer: &Transformer, (a, b): (i64, i64)) -> i64 {
    match transformer.pooling {
        Pooling::None => a,
        Pooling::Product { shift, rounding } => shifted(a * b, shift, rounding),
        Pooling::Average => (a + b + 1) >> 1,
        Pooling::Max => a.max(b),
    }
}

/// The pairs of a perspective's activated values that are pooled.
pub fn pairs<T: Copy>(transformer: &Transformer, activated: &[T]) -> impl Iterator<Item = (T, T)> {
    activated.chunks(transformer.block).flat_map(|block| {
        let (first, second) = block.split_at(block.len() / 2);
        first.iter().copied().zip(second.iter().copied())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantmoid4_is_a_sigmoid() {
        let found = [-40_000, -127, -64, -1, 0, 1, 64, 127, 40_000].map(quantmoid4);
        assert_eq!(found, [0, 0, 15, 62, 63, 64, 111, 126, 126]);
    }
}
