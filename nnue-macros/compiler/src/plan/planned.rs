//! A layer of either kind, and how it is computed.

use nnue_format::levels::Isa;

use super::affine::Kernel;
use super::budget::Work;
use crate::layout::{Affine, Elementwise};
use crate::network;

/// A layer of the network with everything that is decided about it: its operation, its memory and
/// how it is computed.
#[derive(Clone, Debug, PartialEq)]
pub enum PlannedLayer<'l> {
    /// An affine layer and its kernel.
    Affine(&'l Affine<'l>, Kernel),
    /// Any other layer: it is a loop over values, which the optimiser turns into vectors.
    Elementwise(&'l Elementwise<'l>),
}

impl PlannedLayer<'_> {
    /// The [work](Work) of a Rust compiler for the layer.
    pub(super) fn work(&self, isa: &Isa) -> Work {
        let (written, kernel) = match self {
            PlannedLayer::Affine(affine, kernel) => {
                (affine.parts.len(), kernel.work(affine.outputs, isa))
            }
            PlannedLayer::Elementwise(elementwise) => match elementwise.function {
                network::Elementwise::Activations(functions) => (functions.len(), Work::NONE),
                _ => (elementwise.layer.inputs.len(), Work::NONE),
            },
        };
        Work::straight(written) + kernel
    }
}

/// The affine layers among the planned layers, with their kernels.
pub(super) fn kernels<'p, 'l>(
    layers: &'p [PlannedLayer<'l>],
) -> impl Iterator<Item = (&'l Affine<'l>, &'p Kernel)> {
    layers.iter().filter_map(|layer| match layer {
        PlannedLayer::Affine(affine, kernel) => Some((*affine, kernel)),
        PlannedLayer::Elementwise(_) => None,
    })
}
