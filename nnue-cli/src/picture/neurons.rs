//! What neurons of the transformer look at, and how often they do.

use nnue_compiler::feature_set::Family;
use nnue_compiler::feature_set::piece_square::{FirstSquare, Parameters};
use nnue_interpreter::Net;
use nnue_runtime::Board;

/// The weights of neurons for pieces on squares.
pub(super) struct Boards {
    /// How many kinds of pieces are told apart.
    pub(super) planes: usize,
    /// `[neuron][plane][square]`, squares from a1 = 0 to h8 = 63: the mean over all buckets.
    means: Vec<f64>,
}

impl Boards {
    /// Those of the first set that has a row for each piece and square; `None` if there is none.
    pub(super) fn of(net: &Net) -> Option<Boards> {
        let network = net.network();
        let mut first_row = 0;
        for set in &network.features {
            if let Family::PieceSquare(parameters) = &set.family {
                return Some(Boards::of_set(net, parameters, first_row, set.rows));
            }
            first_row += set.rows;
        }
        None
    }

    fn of_set(net: &Net, parameters: &Parameters, first_row: usize, rows: usize) -> Boards {
        let width = net.network().transformer.width;
        let planes = parameters.planes.count() as usize;
        let offset = parameters.offset as usize;
        let bucket_len = offset + 64 * planes;
        let buckets = rows / bucket_len;
        let mut means = vec![0.0; width * planes * 64];
        // White's and black's weights where they are separate.
        let tables = &net.weights().transformer;
        let share = 1.0 / (buckets * tables.len()) as f64;
        for table in tables {
            for bucket in 0..buckets {
                for place in 0..64 * planes {
                    let row = first_row + bucket * bucket_len + offset + place;
                    let (plane, square) = (place / 64, square(parameters, place % 64));
                    let weights = &table.rows[row * width..][..width];
                    for (neuron, weight) in weights.iter().enumerate() {
                        let at = (neuron * planes + plane) * 64 + square;
                        means[at] += f64::from(*weight) * share;
                    }
                }
            }
        }
        Boards { planes, means }
    }

    /// `[plane][square]`: the means of a neuron.
    pub(super) fn of_neuron(&self, neuron: usize) -> &[f64] {
        &self.means[neuron * self.planes * 64..][..self.planes * 64]
    }
}

/// The square of a place in a plane.
fn square(parameters: &Parameters, place: usize) -> usize {
    match parameters.first_square {
        FirstSquare::A1 => place,
        FirstSquare::A8 => place ^ 56,
        FirstSquare::H1 => place ^ 7,
        FirstSquare::H8 => 63 - place,
    }
}

/// For each neuron, in which share of the perspectives of these positions its sum is positive.
pub(super) fn activity(net: &Net, positions: &[Board]) -> Vec<f64> {
    let mut positive = vec![0usize; net.network().transformer.width];
    let mut perspectives = 0;
    for position in positions {
        for accumulator in net.accumulate(&net.active_rows(position)) {
            perspectives += 1;
            for (count, sum) in positive.iter_mut().zip(accumulator.values) {
                *count += usize::from(sum > 0);
            }
        }
    }
    let share = |count| count as f64 / f64::from(perspectives.max(1));
    positive.into_iter().map(share).collect()
}
