//! Single numbers of a network's weights, found by the tensor of the file that they belong to.

use nnue_compiler::network::Network;
use nnue_compiler::network::file::Role;

use crate::unrounded::{UnroundedLayer, UnroundedWeights};
use crate::weights::{LayerWeights, TransformerWeights, Values, Weights};

/// A place in a tensor of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberPlace {
    /// The tensor that has the number.
    pub role: Role,
    /// The stack of layers; 0 for the transformer.
    pub stack: usize,
    /// The feature or the output; 0 for biases and factors.
    pub row: usize,
    /// The neuron, the PSQT value or the input; for biases and factors, the neuron or the output.
    pub column: usize,
}

impl Weights {
    /// The number at a place. `None` for virtual rows and for tensors that stacks share, because
    /// these were added to other numbers.
    ///
    /// # Panics
    ///
    /// If the network has no such place.
    #[must_use]
    pub fn number(&self, network: &Network, place: NumberPlace) -> Option<f64> {
        let of_values = |values: &Values, index: usize| match values {
            Values::Integers(values) => values[index] as f64,
            Values::Floats(values) => values[index].into(),
        };
        match place.role.layer() {
            None => of_transformer(&self.transformer, network, place),
            Some(layer) => {
                let LayerWeights {
                    biases,
                    weights,
                    factors,
                } = self.stacks[place.stack][layer].as_ref()?;
                let (part, index) = of_layer([biases, weights, factors], network, place)?;
                Some(of_values(part, index))
            }
        }
    }
}

impl UnroundedWeights {
    /// The number at a place, in the units of the network. `None` for virtual rows and for tensors
    /// that stacks share, because these were added to other numbers.
    ///
    /// # Panics
    ///
    /// If the network has no such place.
    #[must_use]
    pub fn number(&self, network: &Network, place: NumberPlace) -> Option<f64> {
        match place.role.layer() {
            None => of_transformer(&self.transformer, network, place),
            Some(layer) => {
                let UnroundedLayer {
                    biases,
                    weights,
                    factors,
                } = self.stacks[place.stack][layer].as_ref()?;
                let (part, index) = of_layer([biases, weights, factors], network, place)?;
                Some(part[index])
            }
        }
    }
}

fn of_transformer<B, W, P>(
    tables: &[TransformerWeights<B, W, P>],
    network: &Network,
    place: NumberPlace,
) -> Option<f64>
where
    B: Copy + Into<f64>,
    W: Copy + Into<f64>,
    P: Copy + Into<f64>,
{
    let (features, column) = (network.feature_count(), place.column);
    // Rows are counted through the tables of both perspectives.
    let row = |first: usize| {
        let row = first + place.row;
        let table = tables.get(row / features)?;
        Some((table, row % features))
    };
    match place.role {
        Role::Biases(copy) => Some(tables.get(copy)?.biases[column].into()),
        Role::Weights(first) => {
            let (table, row) = row(first)?;
            Some(table.rows[row * network.transformer.width + column].into())
        }
        Role::Psqt(first) => {
            let (table, row) = row(first)?;
            Some(table.psqt[row * network.transformer.psqt + column].into())
        }
        _ => None,
    }
}

/// The tensor of a layer that has a place (biases, weights or factors), and the index in that
/// tensor.
fn of_layer<'a, T>(
    [biases, weights, factors]: [&'a T; 3],
    network: &Network,
    place: NumberPlace,
) -> Option<(&'a T, usize)> {
    match place.role {
        Role::LayerWeights(layer) => {
            let inputs = network.layers[layer].input_len();
            Some((weights, place.row * inputs + place.column))
        }
        Role::LayerBiases(_) => Some((biases, place.column)),
        Role::LayerFactors(_) => Some((factors, place.column)),
        _ => None,
    }
}
