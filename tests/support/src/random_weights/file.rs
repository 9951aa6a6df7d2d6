//! Weights as a net file.

use nnue_compiler::network::file::Role;
use nnue_interpreter::Values;

use super::RandomWeights;
use crate::net_file::{Weight, net_file_of};

impl RandomWeights {
    /// The file of a network with these weights, in the format that its spec says.
    #[must_use]
    pub fn net_file(&self) -> Vec<u8> {
        let network = self.net.network();
        let rows = Rows {
            real: network.feature_count(),
            virtuals: network.virtual_row_count(),
            copies: self.virtual_rows.len(),
        };
        net_file_of(network, "", |weight| self.value(weight, rows))
    }

    fn value(&self, weight: Weight<'_>, rows: Rows) -> f64 {
        let Weight { row, column, .. } = weight;
        let network = self.net.network();
        let weights = self.net.weights();
        let layer = |index: usize| match &weights.stacks[weight.stack][index] {
            Some(affine) => affine,
            None => panic!("`{}` has no weights", network.layers[index].name),
        };
        let summands = |index: usize| match &self.shared[index] {
            Some(summands) => summands,
            None => panic!("`{}` is not factorised", network.layers[index].name),
        };
        match weight.role {
            Role::Weights(first) => {
                let index = |row: usize| row * network.transformer.width + column;
                f64::from(match rows.place(first + row) {
                    Place::Real(copy, row) => weights.transformer[copy].rows[index(row)],
                    Place::Virtual(copy, row) => self.virtual_rows[copy].weights[index(row)],
                })
            }
            Role::Biases(copy) => f64::from(weights.transformer[copy].biases[column]),
            Role::Psqt(first) => {
                let index = |row: usize| row * network.transformer.psqt + column;
                f64::from(match rows.place(first + row) {
                    Place::Real(copy, row) => weights.transformer[copy].psqt[index(row)],
                    Place::Virtual(copy, row) => self.virtual_rows[copy].psqt[index(row)],
                })
            }
            Role::LayerWeights(index) => {
                let place = row * network.layers[index].input_len() + column;
                let shared = self.shared[index].as_ref();
                let shared = shared.map_or(0.0, |shared| number(&shared.weights, place));
                number(&layer(index).weights, place) - shared
            }
            Role::LayerBiases(index) => {
                let shared = self.shared[index].as_ref();
                let shared = shared.map_or(0.0, |shared| number(&shared.biases, column));
                number(&layer(index).biases, column) - shared
            }
            Role::SharedWeights(index) => {
                let place = row * network.layers[index].input_len() + column;
                number(&summands(index).weights, place)
            }
            Role::SharedBiases(index) => number(&summands(index).biases, column),
            Role::LayerFactors(index) => number(&layer(index).factors, column),
        }
    }
}

/// How many rows there are, counted once for all weights.
#[derive(Clone, Copy)]
struct Rows {
    /// The number of real rows of each copy of the transformer.
    real: usize,
    /// The number of virtual rows of each copy.
    virtuals: usize,
    copies: usize,
}

impl Rows {
    /// Finds a row of memory, where the real rows of all copies come before the virtual ones.
    fn place(self, row: usize) -> Place {
        match row.checked_sub(self.real * self.copies) {
            None => Place::Real(row / self.real, row % self.real),
            Some(row) => Place::Virtual(row / self.virtuals, row % self.virtuals),
        }
    }
}

/// A copy of the transformer's weights, and a row of it.
enum Place {
    Real(usize, usize),
    Virtual(usize, usize),
}

fn number(values: &Values, index: usize) -> f64 {
    match values {
        Values::Integers(values) => values[index] as f64,
        Values::Floats(values) => f64::from(values[index]),
    }
}
