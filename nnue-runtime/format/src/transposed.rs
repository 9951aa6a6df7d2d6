//! Finds tensors whose weights look as if the file had them in another order.

use alloc::borrow::Cow;
use alloc::vec;
use alloc::vec::Vec;

use crate::store::{gathered, without_additions};
use crate::{FileLayout, Format, LoadError, Parts, Place, Section, Tensor, coalesce};

/// With fewer values than this, accidents look like evidence.
const FEWEST_VALUES: usize = 1024;

/// The tensors of weights in memory, in the layout of a level with the packed order `packed`, that
/// look as if the file had them in another order, with rows and columns exchanged. Tensors are left
/// out if memory has only the signs of their weights, or if the format says where each tensor is.
///
/// It takes milliseconds, and memory for the largest tensor; where loading adds or pairs rows, it
/// takes memory for all weights.
///
/// # Panics
///
/// If `weights` is shorter than the layout says.
#[must_use]
pub fn transposed(layout: &FileLayout, packed: &[usize], weights: &[u8]) -> Vec<Place> {
    if !is_unmarked(layout) {
        return Vec::new();
    }
    let weights = without_additions(layout, weights);
    let mut found = Vec::new();
    for entry in layout.entries() {
        let Section::Tensor(tensor) = entry.section else {
            continue;
        };
        if is_table(tensor) {
            let values = gathered(tensor, entry.base, packed, &weights);
            if is_probably_transposed(tensor, &values_of(tensor, &values)) {
                found.push(entry.place);
            }
        }
    }
    found
}

/// The values of a tensor in a file, by their index.
fn values_of<'v>(tensor: &'v Tensor, values: &'v [u8]) -> impl Fn(usize) -> f64 + 'v {
    |index| tensor.stored.read(values, index)
}

impl Parts<'_> {
    /// The tensors that look as if the file had them in another order: [`transposed`] for programs
    /// that need no weights in memory.
    ///
    /// # Errors
    ///
    /// The errors about single values.
    pub fn transposed(&self) -> Result<Vec<Place>, LoadError> {
        let mut found = Vec::new();
        if !is_unmarked(self.layout) {
            return Ok(found);
        }
        let sums = coalesce::sums_of_file(self.layout, &self.tensors)?;
        for (index, part) in self.tensors.iter().enumerate() {
            let tensor = part.tensor;
            if !is_table(tensor) {
                continue;
            }
            let values = match sums.iter().find(|(part, _)| *part == index) {
                Some((_, sums)) => Cow::Borrowed(sums.as_slice()),
                None => part.raw()?,
            };
            if is_probably_transposed(tensor, &values_of(tensor, &values)) {
                found.push(part.place.clone());
            }
        }
        Ok(found)
    }
}

/// Whether the order of sections follows only from the spec.
fn is_unmarked(layout: &FileLayout) -> bool {
    layout.format == Format::Sequence
}

/// Whether the weights look as if rows and columns were exchanged in the file.
///
/// In trained networks the magnitudes of an input's weights resemble each other, and so do those of
/// an output: some inputs and outputs matter more than others. If values are read in the wrong
/// order, each supposed input has weights of many real inputs, which resemble each other less. So
/// in the right order, inputs and outputs explain more of the variance of magnitudes. The wrong
/// order explains at most half of an effect of inputs: each of its groups mixes at least two real
/// groups.
fn is_probably_transposed(tensor: &Tensor, values: &dyn Fn(usize) -> f64) -> bool {
    if !is_table(tensor) {
        return false;
    }
    let (rows, columns) = table(tensor);
    let (count, rows_first) = (rows * columns, tensor.stored.strides[2] == 1);
    // The number of columns if the file's values form rows of columns as the layout says, and the
    // number of columns in the other order.
    let (inner, other) = if rows_first {
        (columns, rows)
    } else {
        (rows, columns)
    };
    let (said, other) = (
        explained(count, inner, values),
        explained(count, other, values),
    );
    other > said + 0.1 && other > 1.5 * said
}

/// The number of rows, of all buckets, and the number of columns of the values in the file.
fn table(tensor: &Tensor) -> (usize, usize) {
    let [buckets, rows, columns] = tensor.shape;
    // The file has values that buckets share only once.
    match tensor.stored.strides[0] {
        0 => (rows, columns),
        _ => (buckets * rows, columns),
    }
}

/// Whether the file's values form a table that can have another order, and that is large enough to
/// be judged.
fn is_table(tensor: &Tensor) -> bool {
    let ((rows, columns), stored) = (table(tensor), &tensor.stored);
    let count = rows * columns;
    let has_all = stored.values == count && stored.blocks == [None; 3];
    let (rows_first, columns_first) = (stored.strides[2] == 1, stored.strides[2] == rows);
    rows > 1 && columns > 1 && count >= FEWEST_VALUES && has_all && rows_first != columns_first
}

/// The share of the variance of magnitudes that the two axes of a table with `inner` columns
/// explain, without the share that chance explains.
fn explained(count: usize, inner: usize, values: &dyn Fn(usize) -> f64) -> f64 {
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
        // Groups of random values would explain this share on average.
        share - (sums.len() - 1) as f64 / (count - 1) as f64
    };
    between(&rows) + between(&columns)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use fastrand::Rng;

    use super::*;
    use crate::tests::ORDERS;
    use crate::{Element, Encoding, Placed, Role, Section, Segment, Stacks, Text, list, split};

    const INPUTS: usize = 256;

    /// `stacks` times `outputs` for each input; with `inner`, inputs are the inner axis of the
    /// file.
    fn tensor(stacks: usize, outputs: usize, inner: bool) -> Tensor {
        let same = Section::same(
            Role::Weights(0),
            "",
            Element::I8,
            Encoding::Raw,
            0,
            [outputs, INPUTS],
        );
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

    /// Weights whose magnitude depends on the input, up to a factor of `spread`, in the order of
    /// `tensor`.
    fn weights(tensor: &Tensor, spread: u64) -> Vec<f64> {
        let mut random = Rng::with_seed(1);
        let mut weights = vec![0.0; tensor.stored.values];
        let [buckets, rows, columns] = tensor.shape;
        for column in 0..columns {
            let scale = 4 + 4 * random.u64(..spread);
            for (bucket, row) in (0..buckets).flat_map(|b| (0..rows).map(move |r| (b, r))) {
                let weight = random.u64(..2 * scale + 1) as f64 - scale as f64;
                weights[tensor.stored.index([bucket, row, column])] = weight;
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
                assert!(!is_probably_transposed(&right, &|index| weights[index]));
                assert!(is_probably_transposed(&wrong, &|index| weights[index]));
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
                    assert!(!is_probably_transposed(tensor, &|index| weights[index]));
                }
                assert!(!is_probably_transposed(&right, &|_| 0.0));
            }
        }
    }

    /// Two stacks of 16 outputs, each stack as a table of its own, in memory with gaps and with
    /// inputs in the order of a level.
    fn layout(encoding: Encoding) -> FileLayout {
        const SLOTS: usize = INPUTS + 32;
        let mut tensor = tensor(1, 16, true);
        tensor.name = Text::Borrowed("weights");
        tensor.stored.encoding = encoding;
        tensor.placed = Placed {
            slots: SLOTS,
            segments: list(const { &[Segment::run(0, 32, INPUTS).packed()] }),
            ..tensor.placed
        };
        FileLayout {
            format: Format::Sequence,
            stacks: Stacks {
                count: 2,
                stride: 16 * SLOTS,
                groups: vec![vec![Section::Tensor(tensor)].into()].into(),
            },
            ..FileLayout::EMPTY
        }
    }

    /// The tensors found in the file and in the weights, with a stack in the layout's order and a
    /// stack in the other order.
    fn found(encoding: Encoding) -> Vec<Vec<Place>> {
        let layout = layout(encoding);
        let file: Vec<u8> = [true, false]
            .iter()
            .flat_map(|inner| weights(&tensor(1, 16, *inner), 8))
            .flat_map(|value| match encoding {
                Encoding::Raw => vec![value as i8 as u8],
                _ => {
                    let mut bytes = Vec::new();
                    crate::leb128::encode(value as i32, &mut bytes);
                    bytes
                }
            })
            .collect();
        let mut found = vec![split(&layout, &file).unwrap().transposed().unwrap()];
        for order in ORDERS {
            let mut weights = vec![0; layout.memory_len()];
            let parts = split(&layout, &file).unwrap();
            parts.load(order, &mut weights).unwrap();
            found.push(transposed(&layout, order, &weights));
        }
        found
    }

    #[test]
    fn files_and_weights_of_any_level_say_the_same() {
        for encoding in [Encoding::Raw, Encoding::BareLeb128] {
            let second = Place {
                stack: Some(1),
                name: Text::Borrowed("weights"),
            };
            for found in found(encoding) {
                assert_eq!(found, core::slice::from_ref(&second));
            }
        }
    }
}
