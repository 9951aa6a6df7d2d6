//! Whether the weights of a tensor look as if the file had them in another order.

use alloc::vec;

use crate::Tensor;

/// Below this many values, accidents look like evidence.
const FEWEST_VALUES: usize = 1024;

/// Whether the weights look as if rows and columns were exchanged in the file.
///
/// In trained networks the magnitudes of an input's weights resemble one another, and so do those
/// of an output: some matter more than others. If values are read in the wrong order, each supposed
/// input has weights of many real ones, and they resemble one another less. So the right order is
/// the one in which inputs and outputs explain more of the variance of magnitudes. Of an effect of
/// inputs, the wrong order explains half at most: each of its groups mixes two real ones or more.
pub(crate) fn is_probably_transposed(tensor: &Tensor, values: impl Fn(usize) -> f64) -> bool {
    let [buckets, rows, columns] = tensor.shape;
    let stored = &tensor.stored;
    // The file has what buckets share once.
    let rows = if stored.strides[0] == 0 {
        rows
    } else {
        buckets * rows
    };
    let count = rows * columns;
    let is_table = stored.values == count && stored.blocks == [None; 3];
    if rows < 2 || columns < 2 || count < FEWEST_VALUES || !is_table {
        return false;
    }
    let rows_first = stored.strides[2] == 1;
    let columns_first = stored.strides[2] == rows;
    if rows_first == columns_first {
        return false;
    }
    // How the file's values fall into an outer and an inner axis: as the layout says, and the other
    // way round.
    let (inner, other) = if rows_first {
        (columns, rows)
    } else {
        (rows, columns)
    };
    let (said, other) = (
        explained(count, inner, &values),
        explained(count, other, &values),
    );
    other > said + 0.1 && other > 1.5 * said
}

/// The share of the variance of magnitudes that the two axes of a table with `inner` columns
/// explain, less what chance explains.
fn explained(count: usize, inner: usize, values: &impl Fn(usize) -> f64) -> f64 {
    let outer = count / inner;
    let (mut sum, mut squares) = (0.0, 0.0);
    let (mut rows, mut columns) = (vec![0.0; outer], vec![0.0; inner]);
    for (index, row) in rows.iter_mut().enumerate() {
        for (value, column) in (index * inner..).zip(&mut columns) {
            let magnitude = values(value).abs();
            squares += magnitude * magnitude;
            *row += magnitude;
            *column += magnitude;
        }
        sum += *row;
    }
    let mean = sum / count as f64;
    let total = squares - sum * mean;
    if total <= 0.0 {
        return 0.0;
    }
    let between = |sums: &[f64]| {
        let each = (count / sums.len()) as f64;
        let deviations = sums
            .iter()
            .map(|sum| (sum / each - mean) * (sum / each - mean));
        let share = deviations.sum::<f64>() * each / total;
        // What groups of values at random would explain on average.
        share - (sums.len() - 1) as f64 / (count - 1) as f64
    };
    between(&rows) + between(&columns)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::tests::Random;
    use crate::{Element, Encoding, Section};

    const INPUTS: usize = 256;

    /// `stacks` times `outputs` for each input; with `inner`, inputs are the inner axis of the
    /// file.
    fn tensor(stacks: usize, outputs: usize, inner: bool) -> Tensor {
        let same = Section::same("", Element::I8, Encoding::Raw, 0, [outputs, INPUTS]);
        let Section::Tensor(mut tensor) = same else {
            unreachable!()
        };
        tensor.shape[0] = stacks;
        tensor.stored.values = stacks * outputs * INPUTS;
        tensor.stored.strides = if inner {
            [outputs * INPUTS, INPUTS, 1]
        } else {
            [outputs, 1, stacks * outputs]
        };
        tensor
    }

    /// Weights whose magnitude depends on the input, up to a factor of `spread`; in the order of
    /// `tensor`.
    fn weights(tensor: &Tensor, spread: u64) -> Vec<f64> {
        let mut random = Random(1);
        let mut weights = vec![0.0; tensor.stored.values];
        let [buckets, rows, columns] = tensor.shape;
        for column in 0..columns {
            let scale = 4 + 4 * random.below(spread);
            for (bucket, row) in (0..buckets).flat_map(|b| (0..rows).map(move |r| (b, r))) {
                let weight = random.below(2 * scale + 1) as f64 - scale as f64;
                weights[tensor.stored_index([bucket, row, column])] = weight;
            }
        }
        weights
    }

    #[test]
    fn weights_in_the_other_order_are_noticed() {
        for (stacks, outputs) in [(8, 1), (1, 16), (8, 16)] {
            for inner in [false, true] {
                let right = tensor(stacks, outputs, inner);
                let wrong = tensor(stacks, outputs, !inner);
                let weights = weights(&right, 8);
                assert!(!is_probably_transposed(&right, |index| weights[index]));
                assert!(is_probably_transposed(&wrong, |index| weights[index]));
            }
        }
    }

    #[test]
    fn weights_without_evidence_are_not_blamed() {
        for (stacks, outputs, spread) in [(8, 1, 1), (1, 16, 1), (1, 2, 8), (1, 1, 8)] {
            for inner in [false, true] {
                let right = tensor(stacks, outputs, inner);
                let weights = weights(&right, spread);
                for tensor in [&right, &tensor(stacks, outputs, !inner)] {
                    assert!(!is_probably_transposed(tensor, |index| weights[index]));
                }
                assert!(!is_probably_transposed(&right, |_| 0.0));
            }
        }
    }
}
