//! From what bullet trains, in which 1.0 is 1.0, to the numbers of a net file.

use nnue_compiler::description::ones;
use nnue_compiler::format::Element;
use nnue_compiler::network::Network;
use nnue_compiler::network::file::Tensor;

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
        let of_network = match (tensor.divisor, ones::of_tensor(network, tensor)) {
            (Some(divisor), _) => vec![divisor],
            (None, Some(one)) => vec![one],
            (None, None) => ones::of_outputs(network, tensor.role).unwrap_or_else(|| vec![1.0]),
        };
        // The loader multiplies floating point by the rest.
        let by_loader = tensor.quantise.map_or(1.0, |quantise| quantise.factor);
        Multiplier {
            of_file: of_network.iter().map(|one| one / by_loader).collect(),
            of_network,
        }
    }
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
