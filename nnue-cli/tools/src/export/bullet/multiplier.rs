//! The factors from bullet's parameters, in which 1.0 is 1.0, to the numbers of a net file.

use nnue_compiler::description::ones;
use nnue_compiler::format::Element;
use nnue_compiler::network::Network;
use nnue_compiler::network::file::Tensor;

/// The factors of a tensor's parameters: a single factor, or a factor for each output of a layer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Multiplier {
    /// The factors that give the numbers of the file.
    pub(super) of_file: Vec<f64>,
    /// The factors that give the numbers of the network.
    pub(super) of_network: Vec<f64>,
}

impl Multiplier {
    pub(super) fn of(network: &Network, tensor: &Tensor) -> Multiplier {
        if tensor.stored.element == Element::F32 && tensor.stored.quantise.is_none() {
            return Multiplier {
                of_file: vec![1.0],
                of_network: vec![1.0],
            };
        }
        let of_network = match (tensor.stored.divisor, ones::of_tensor(network, tensor)) {
            (Some(divisor), _) => vec![divisor],
            (None, Some(one)) => vec![one],
            (None, None) => ones::of_outputs(network, tensor.role).unwrap_or_else(|| vec![1.0]),
        };
        // The loader multiplies by the remaining factor.
        let by_loader = tensor
            .stored
            .quantise
            .map_or(tensor.stored.times.into(), |quantise| quantise.factor);
        Multiplier {
            of_file: of_network.iter().map(|one| one / by_loader).collect(),
            of_network,
        }
    }
}

/// Whether a factor may be left out: a difference of a thousandth is less than the error of
/// rounding to integers of 8 bits.
pub(super) fn is_one(factor: f64) -> bool {
    (factor - 1.0).abs() < 1.0 / 1024.0
}

/// A number as a literal of Rust's `f32`.
pub(super) fn literal(number: f64) -> String {
    format!("{:?}", number as f32)
}
