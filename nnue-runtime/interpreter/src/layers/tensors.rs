//! The tensors that layers read.

use nnue_compiler::network::{Slice, Source};

use crate::weights::Values;

/// The tensors that have been computed so far.
#[derive(Clone, Debug)]
pub struct Tensors {
    /// The transformer's output.
    pub transformer: Values,
    /// The sums of neurons that are not pooled.
    pub unpooled: Values,
    /// The PSQT sums that layers read.
    pub psqt: Values,
    /// The outputs of the layers, in the order of the network.
    pub layers: Vec<Values>,
}

impl Tensors {
    pub(super) fn of(&self, source: Source) -> &Values {
        match source {
            Source::Transformer => &self.transformer,
            Source::Unpooled => &self.unpooled,
            Source::Psqt => &self.psqt,
            Source::Layer(index) => &self.layers[index],
        }
    }

    pub(super) fn integers(&self, slice: Slice) -> &[i64] {
        &self.of(slice.source).integers()[slice.start..slice.start + slice.len]
    }

    pub(super) fn floats(&self, slice: Slice) -> &[f32] {
        &self.of(slice.source).floats()[slice.start..slice.start + slice.len]
    }
}
