//! Weights as a net file.

use nnue_compiler::file::Role;
use nnue_compiler::network::Network;

use super::Values;
use super::weights::Weights;
use crate::net_file::{Weight, net_file_of};

impl Weights {
    /// The file of a network with these weights, in the format that its spec says.
    #[must_use]
    pub fn net_file(&self, network: &Network) -> Vec<u8> {
        net_file_of(network, "", |weight| self.value(network, weight))
    }

    fn value(&self, network: &Network, weight: Weight<'_>) -> f64 {
        let Weight { row, column, .. } = weight;
        let transformer = &network.transformer;
        let layer = |index: usize| match &self.stacks[weight.stack][index] {
            Some(affine) => affine,
            None => panic!("`{}` has no weights", network.layers[index].name),
        };
        match weight.role {
            Role::Weights(first) => {
                let (copy, row) = row_of_copy(network, first + row);
                f64::from(self.transformer[copy].rows[row * transformer.width + column])
            }
            Role::Biases(copy) => f64::from(self.transformer[copy].biases[column]),
            Role::Psqt(first) => {
                let (copy, row) = row_of_copy(network, first + row);
                f64::from(self.transformer[copy].psqt[row * transformer.psqt + column])
            }
            Role::LayerWeights(index) => {
                let inputs = network.layers[index].input_len();
                number(&layer(index).weights, row * inputs + column)
            }
            Role::LayerBiases(index) => number(&layer(index).biases, column),
            Role::LayerAlpha(index) => f64::from(layer(index).alpha[column]),
        }
    }
}

/// Which copy of the weights has a row of memory, and where: the real rows of all copies come before the virtual ones.
fn row_of_copy(network: &Network, row: usize) -> (usize, usize) {
    let (real, virtuals) = (network.feature_count(), network.virtual_row_count());
    let all_real = real * network.transformer.perspectives.copies();
    match row.checked_sub(all_real) {
        None => (row / real, row % real),
        Some(row) => (row / virtuals, real + row % virtuals),
    }
}

fn number(values: &Values, index: usize) -> f64 {
    match values {
        Values::Integers(values) => values[index] as f64,
        Values::Floats(values) => f64::from(values[index]),
    }
}
