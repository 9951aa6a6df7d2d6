//! A network with its weights.

use core::fmt;
use std::path::Path;

use nnue_compiler::network::Network;
use nnue_format::LoadError;
use nnue_runtime::{Color, Position};

use crate::evaluation::{Evaluation, Trace};
use crate::features::{ActiveRows, UnknownFeature, active_rows, custom_rows};
use crate::file;
use crate::layers::{self, Tensors};
use crate::output;
use crate::transformer::{self, Accumulator, Accumulators};
use crate::weights::{Values, Weights, WrongWeights};

/// A network with its weights, which evaluates positions.
#[derive(Clone, PartialEq)]
pub struct Net {
    network: Network,
    weights: Weights,
}

impl Net {
    /// Reads a net file of the network.
    ///
    /// # Errors
    ///
    /// [`LoadError`] if the file cannot be read, or is no net file of this network.
    pub fn open(network: &Network, path: impl AsRef<Path>) -> Result<Net, LoadError> {
        Net::from_bytes(network, &file::bytes(network, path.as_ref())?)
    }

    /// Reads the bytes of a net file of the network.
    ///
    /// # Errors
    ///
    /// [`LoadError`] if the bytes are not a net file of this network. It says where, what was
    /// found, and what was expected.
    pub fn from_bytes(network: &Network, bytes: &[u8]) -> Result<Net, LoadError> {
        Ok(Net {
            network: network.clone(),
            weights: file::read(network, bytes)?,
        })
    }

    /// A network with weights that do not come from a file.
    ///
    /// # Errors
    ///
    /// [`WrongWeights`] if a table has another length or type than the network says.
    pub fn new(network: &Network, weights: Weights) -> Result<Net, WrongWeights> {
        weights.check(network)?;
        Ok(Net {
            network: network.clone(),
            weights,
        })
    }

    /// The network that the spec describes.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The weights, with virtual rows added to the real rows.
    #[must_use]
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The weights, without the network.
    #[must_use]
    pub fn into_weights(self) -> Weights {
        self.weights
    }

    /// The bucket of positions with this number of pieces, at most 32; larger numbers count as 32.
    /// `None` where the caller chooses the bucket.
    #[must_use]
    pub fn bucket(&self, pieces: usize) -> Option<usize> {
        let buckets = self.network.stacks.by_pieces?;
        Some(usize::from(buckets[pieces.min(buckets.len() - 1)]))
    }

    /// [`active_rows`] for the network.
    #[must_use]
    pub fn active_rows(&self, position: &impl Position) -> ActiveRows {
        active_rows(&self.network, position)
    }

    /// The rows of features of custom sets: of the features that are active for white, and of those
    /// that are active for black. A network that has both kinds of sets takes these rows in
    /// addition to [`Net::active_rows`].
    ///
    /// Of sets with views, these are the rows of the first view.
    ///
    /// # Errors
    ///
    /// [`UnknownFeature`] if a number is too large.
    pub fn custom_rows(&self, features: [&[u32]; 2]) -> Result<ActiveRows, UnknownFeature> {
        self.custom_rows_in_views([0; 2], features)
    }

    /// [`Net::custom_rows`] where white and black have these views. Numbers beyond the last view
    /// stand for the last.
    ///
    /// # Errors
    ///
    /// [`UnknownFeature`] if the number of a feature is too large.
    pub fn custom_rows_in_views(
        &self,
        views: [u32; 2],
        features: [&[u32]; 2],
    ) -> Result<ActiveRows, UnknownFeature> {
        custom_rows(&self.network, views, features)
    }

    /// The sums over active rows.
    ///
    /// # Panics
    ///
    /// If a row is not among the rows of the network.
    #[must_use]
    pub fn accumulate(&self, active: &ActiveRows) -> Accumulators {
        transformer::accumulate(&self.network, &self.weights, active)
    }

    /// The activated value of each neuron of a perspective, before neurons are pooled. Neurons that
    /// are neither activated nor pooled come last, and are left out.
    ///
    /// # Panics
    ///
    /// If the sums belong to another network.
    #[must_use]
    pub fn activated(&self, sums: &Accumulator) -> Vec<i64> {
        transformer::activated(&self.network.transformer, sums)
    }

    /// Evaluates a position with the layers of a bucket; numbers beyond the last bucket stand for
    /// the last bucket. Custom sets have no active features. [`Net::trace`] also gives the values
    /// of further heads.
    #[must_use]
    pub fn evaluate(&self, position: &impl Position, bucket: usize) -> Evaluation {
        let accumulators = self.accumulate(&self.active_rows(position));
        let trace = self.trace(&accumulators, position.side_to_move(), bucket);
        trace.evaluation
    }

    /// Evaluates accumulators with the layers of a bucket, where numbers beyond the last bucket
    /// stand for the last bucket, and keeps all values that are computed on the way.
    ///
    /// # Panics
    ///
    /// If the accumulators belong to another network.
    #[must_use]
    pub fn trace(&self, accumulators: &Accumulators, side_to_move: Color, bucket: usize) -> Trace {
        let network = &self.network;
        let stack = bucket.min(network.stacks.count - 1);
        let ordered = transformer::ordered(&network.transformer, accumulators, side_to_move);
        let mut tensors = Tensors {
            transformer: Values::Integers(transformer::output(&network.transformer, ordered)),
            unpooled: Values::Integers(transformer::unpooled(&network.transformer, ordered)),
            psqt: Values::Integers(transformer::psqt_sums(&network.transformer, ordered)),
            layers: Vec::new(),
        };
        for (layer, weights) in network.layers.iter().zip(&self.weights.stacks[stack]) {
            let values = layers::compute(layer, weights.as_ref(), &tensors);
            tensors.layers.push(values);
        }
        let psqt = transformer::psqt(&network.transformer, ordered, stack);
        Trace {
            evaluation: output::evaluate(network, &tensors.layers, psqt),
            heads: output::further(network, &tensors.layers),
            transformer: tensors.transformer,
            unpooled: tensors.unpooled,
            psqt: tensors.psqt,
            layers: tensors.layers,
        }
    }
}

impl fmt::Debug for Net {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Net")
            .field("network", &self.network.name)
            .finish_non_exhaustive()
    }
}
