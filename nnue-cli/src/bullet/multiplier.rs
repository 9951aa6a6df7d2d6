//! From what bullet trains, in which 1.0 is 1.0, to the numbers of a net file.

use nnue_compiler::format::Element;
use nnue_compiler::network::file::{Role, Tensor};
use nnue_compiler::network::{Network, weights_one};

use crate::quantisation::one;

/// What parameters are multiplied by: one number for all, or one for each output of a layer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Multiplier {
    /// To become the values of the file.
    pub(super) of_file: Vec<f64>,
    /// To become the network's.
    pub(super) of_network: Vec<f64>,
}

impl Multiplier {
    pub(super) fn of(network: &Network, tensor: &Tensor) -> Multiplier {
        if tensor.element == Element::F32 && tensor.quantise.is_none() {
            return Multiplier {
                of_file: vec![1.0],
                of_network: vec![1.0],
            };
        }
        let of_network = match (tensor.divisor, one(network, tensor)) {
            (Some(divisor), _) => vec![divisor],
            (None, Some(one)) => vec![one],
            (None, None) => of_outputs(network, tensor.role),
        };
        // The loader multiplies floating point by the rest.
        let by_loader = tensor.quantise.map_or(1.0, |quantise| quantise.factor);
        Multiplier {
            of_file: of_network.iter().map(|one| one / by_loader).collect(),
            of_network,
        }
    }
}

/// What stands for 1.0 in the numbers of each output of a layer.
fn of_outputs(network: &Network, role: Role) -> Vec<f64> {
    let Some(layer) = role.layer().map(|layer| &network.layers[layer]) else {
        return vec![1.0];
    };
    let outputs = (0..layer.output.len).map(|output| layer.output.one.at(output));
    let one = |sums_one: u32| match (role.matrix(), layer.affine()) {
        (Some(_), Some(affine)) => {
            let (numerator, denominator) = weights_one(sums_one, affine.divide, affine.inputs_one);
            numerator as f64 / denominator as f64
        }
        _ => f64::from(sums_one),
    };
    outputs.map(one).collect()
}

/// Whether a factor may be left out: a part in a thousand is less than what rounding to integers of
/// 8 bits changes.
pub(super) fn is_one(factor: f64) -> bool {
    (factor - 1.0).abs() < 1.0 / 1024.0
}

/// A number as Rust's `f32` literals are written.
pub(super) fn literal(number: f64) -> String {
    format!("{:?}", number as f32)
}
