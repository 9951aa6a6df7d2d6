//! A layer of either kind, and where its output lies.

use super::affine::Affine;
use super::elementwise::{Elementwise, Run};
use super::structs::Field;
use crate::network::{Layer, Slice};

/// A layer of the network, and where its values and weights lie.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "a network has some dozens of layers at most"
)]
pub enum LayerLayout<'n> {
    /// A layer that multiplies by a matrix.
    Affine(Affine<'n>),
    /// A layer that computes value by value.
    Elementwise(Elementwise<'n>),
}

impl<'n> LayerLayout<'n> {
    /// The checked layer: its name, inputs and output.
    pub fn layer(&self) -> &'n Layer {
        match self {
            LayerLayout::Affine(affine) => affine.layer,
            LayerLayout::Elementwise(elementwise) => elementwise.layer,
        }
    }

    /// The places in memory of a slice of the layer's output, from the first value to the last.
    pub(super) fn runs(&self, slice: Slice) -> Vec<Run> {
        match self {
            LayerLayout::Affine(_) => vec![Run {
                start: slice.start,
                len: slice.len,
                lanes: slice.len,
            }],
            LayerLayout::Elementwise(elementwise) => elementwise.runs(slice),
        }
    }

    /// The field of a stack with the layer's factors, if the layer has any.
    pub(super) fn factors(&self) -> Option<&Field> {
        match self {
            LayerLayout::Affine(affine) => affine.fields.factors.as_ref(),
            LayerLayout::Elementwise(elementwise) => elementwise.factors.as_ref(),
        }
    }

    /// The number of values of the layer's output in memory, padding included.
    pub fn lanes(&self) -> usize {
        match self {
            LayerLayout::Affine(affine) => affine.outputs,
            LayerLayout::Elementwise(elementwise) => elementwise.all_lanes(),
        }
    }
}
