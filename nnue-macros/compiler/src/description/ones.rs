//! The integer that stands for 1.0 in the numbers of a tensor: its `one`.

use crate::feature_set::FeatureSet;
use crate::network::file::{Role, Tensor};
use crate::network::{Network, Scale, weights_one};

/// The integer that stands for 1.0 in a tensor, also where the integers are made from floating
/// point; `None` where no single number stands for it.
#[must_use]
pub fn of_tensor(network: &Network, tensor: &Tensor) -> Option<f64> {
    let layer = tensor.role.matrix().map(|layer| &network.layers[layer]);
    let affine = layer.and_then(|layer| layer.affine());
    if let Some(affine) = affine
        && let Some(Scale::Shared(scale)) = affine.to_float
    {
        return Some(1.0 / (f64::from(scale) * f64::from(affine.inputs_one)));
    }
    let [numerator, denominator] = of_role(network, tensor.role)?;
    Some(numerator as f64 / denominator as f64)
}

/// The number that stands for 1.0 in each output of a layer's tensor, even if all outputs have the
/// same number; `None` for tensors of the transformer.
#[must_use]
pub fn of_outputs(network: &Network, role: Role) -> Option<Vec<f64>> {
    let layer = &network.layers[role.layer()?];
    let one = |sums_one: u32| match (role.matrix(), layer.affine()) {
        (Some(_), Some(affine)) => {
            let (numerator, denominator) = weights_one(sums_one, affine.divide, affine.inputs_one);
            numerator as f64 / denominator as f64
        }
        _ => f64::from(sums_one),
    };
    let outputs = 0..layer.output.len;
    Some(
        outputs
            .map(|output| one(layer.output.one.at(output)))
            .collect(),
    )
}

/// The number that stands for 1.0 in the values of a tensor, as the network has them: numerator and
/// denominator, in lowest terms. `None` for factors, and where no single number stands for 1.0.
pub(super) fn of_role(network: &Network, role: Role) -> Option<[u64; 2]> {
    let of_transformer = u64::from(network.transformer.one);
    let one = match role {
        Role::Weights(row) => {
            // Rows are shifted when they are added.
            let shift = set_of_row(network, row).map_or(0, |set| set.shift);
            (of_transformer, 1 << shift)
        }
        Role::Biases(_) => (of_transformer, 1),
        Role::Psqt(_) => (network.psqt_one().into(), 1),
        Role::LayerWeights(layer) | Role::SharedWeights(layer) => {
            network.layers[layer].weights_one()?
        }
        Role::LayerBiases(layer) | Role::SharedBiases(layer) => {
            (network.layers[layer].output.one.shared()?.into(), 1)
        }
        Role::LayerFactors(_) => return None,
    };
    Some(lowest_terms(one))
}

/// The set that has a row of memory: a real row or a virtual row, of either perspective.
fn set_of_row(network: &Network, row: usize) -> Option<&FeatureSet> {
    let (real, copies) = (
        network.feature_count(),
        network.transformer.perspectives.copies(),
    );
    let rows = |set: &FeatureSet| {
        if row < copies * real {
            set.rows
        } else {
            set.virtual_rows()
        }
    };
    let mut rest = match row.checked_sub(copies * real) {
        None => row % real,
        Some(row) => row % network.virtual_row_count().max(1),
    };
    network.features.iter().find(|set| {
        let is_in = rest < rows(set);
        rest = rest.saturating_sub(rows(set));
        is_in
    })
}

/// A fraction in lowest terms.
pub(super) fn lowest_terms((numerator, denominator): (u64, u64)) -> [u64; 2] {
    let (mut divisor, mut rest) = (numerator, denominator);
    while rest > 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    let divisor = divisor.max(1);
    [numerator / divisor, denominator / divisor]
}
