//! The same network without rounding, in the units of its integers.
//!
//! Trainers compute in floating point. To compare a network of integers with what was trained,
//! [`UnroundedNet`] takes the numbers of a file before they are rounded, and computes the formulas
//! of the language with them in `f64`: nothing is rounded, wraps around or is clipped, except by
//! the limits of activations. Every operation of the language has such a meaning:
//!
//! | the network | here |
//! |---|---|
//! | `x >> shift`, `x / by`, rounded either way | `x / 2^shift`, `x / by` |
//! | `(a + b + 1) >> 1` of pooling | `(a + b) / 2` |
//! | sums and squares that wrap around | the sums and squares |
//! | `i32` and `f32`, each operation rounded | `f64` |
//! | signs of binary layers, the two parabolas of `quantmoid4`, limits | the same |
//! | factors that bring values to another `one` | the same numbers, so `multiplier / 2^shift` too |
//!
//! Numbers are in the units of the network: where 1.0 is 127, one half is 63.5. So values are
//! compared with the network's by subtraction, and divided by the tensor's `one` to be compared
//! with a trainer's. Where the shift of a product misses the `one` of the result, as in
//! 127 * 127 >> 7, it does so here too: this is the network's arithmetic and no error of rounding.

mod layers;
mod output;
#[cfg(test)]
mod tests;
mod transformer;

use core::fmt;

use nnue_compiler::network::Network;
use nnue_format::LoadError;
use nnue_runtime::Position;

use crate::features::active_rows;
use crate::file;
pub use crate::weights::{UnroundedLayer, UnroundedWeights};

/// A network with the weights of a file before they are rounded.
#[derive(Clone, PartialEq)]
pub struct UnroundedNet {
    network: Network,
    weights: UnroundedWeights,
}

/// The values that are computed of a position without rounding: the same tensors as in
/// [`crate::Trace`], in the same units.
#[derive(Clone, Debug, PartialEq)]
pub struct UnroundedTrace {
    /// The values that the layers read.
    pub transformer: Vec<f64>,
    /// The sums of neurons that are not pooled, which the layers read; empty where there are none.
    pub unpooled: Vec<f64>,
    /// The PSQT sums that the layers read; empty where the layers read none.
    pub psqt: Vec<f64>,
    /// The outputs of the network's `layers`, in their order.
    pub layers: Vec<Vec<f64>>,
    /// The value in the engine's units, or the values of win, draw and loss.
    pub values: Vec<f64>,
    /// The values of the further heads, in the order of the spec.
    pub heads: Vec<f64>,
}

/// The reason why there is no [`UnroundedNet`].
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum UnroundedError {
    /// The bytes are not a net file of the network.
    Load(LoadError),
    /// A layer has an operation that has no meaning without rounding yet.
    UnknownOperation {
        /// The name of the layer.
        layer: String,
        /// The operation.
        operation: &'static str,
    },
}

impl fmt::Display for UnroundedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnroundedError::Load(error) => error.fmt(f),
            UnroundedError::UnknownOperation { layer, operation } => write!(
                f,
                "`{layer}` has the operation `{operation}`, which is not known without rounding"
            ),
        }
    }
}

nnue_format::debug_is_message!(UnroundedError);

impl std::error::Error for UnroundedError {}

impl From<LoadError> for UnroundedError {
    fn from(error: LoadError) -> UnroundedError {
        UnroundedError::Load(error)
    }
}

impl UnroundedNet {
    /// Reads the bytes of a net file of the network. Files of integers leave nothing to round: the
    /// weights are those integers.
    ///
    /// # Errors
    ///
    /// [`UnroundedError`] if the bytes are not a net file of this network, or if the network has an
    /// operation that is not defined here.
    pub fn from_bytes(network: &Network, bytes: &[u8]) -> Result<UnroundedNet, UnroundedError> {
        for layer in &network.layers {
            if let Some(operation) = layers::unknown_operation(layer) {
                return Err(UnroundedError::UnknownOperation {
                    layer: layer.name.clone(),
                    operation,
                });
            }
        }
        Ok(UnroundedNet {
            network: network.clone(),
            weights: file::read_unrounded(network, bytes)?,
        })
    }

    /// The network that the spec describes.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The weights, with virtual rows added to the real rows.
    #[must_use]
    pub fn weights(&self) -> &UnroundedWeights {
        &self.weights
    }

    /// Evaluates a position with the layers of a bucket, where numbers beyond the last bucket stand
    /// for the last bucket. Custom sets have no active features.
    #[must_use]
    pub fn trace(&self, position: &impl Position, bucket: usize) -> UnroundedTrace {
        let network = &self.network;
        let stack = bucket.min(network.stacks.count - 1);
        let active = active_rows(network, position);
        let accumulators = transformer::accumulate(network, &self.weights.transformer, &active);
        let side_to_move = position.side_to_move();
        let read = transformer::Read::of(&network.transformer, &accumulators, side_to_move, stack);
        let mut tensors = layers::Tensors {
            transformer: read.output,
            unpooled: read.unpooled,
            psqt: read.psqt_sums,
            layers: Vec::new(),
        };
        for (layer, weights) in network.layers.iter().zip(&self.weights.stacks[stack]) {
            let values = layers::compute(layer, weights.as_ref(), &tensors);
            tensors.layers.push(values);
        }
        UnroundedTrace {
            values: output::values(network, &tensors.layers, read.psqt),
            heads: output::further(network, &tensors.layers),
            transformer: tensors.transformer,
            unpooled: tensors.unpooled,
            psqt: tensors.psqt,
            layers: tensors.layers,
        }
    }
}

impl fmt::Debug for UnroundedNet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnroundedNet")
            .field("network", &self.network.name)
            .finish_non_exhaustive()
    }
}
