//! Layers that compute value by value, and where their values lie.

use super::{LaidOut, OUTPUT_UNIT};
use crate::network::{self, Layer, Source};

/// A layer that computes value by value.
#[derive(Clone, Debug, PartialEq)]
pub struct Elementwise<'n> {
    /// Its name, its inputs and its output.
    pub layer: &'n Layer,
    /// What it computes of its inputs.
    pub function: &'n network::Elementwise,
    /// How many values it computes: more than its output has where the input is padded.
    pub lanes: usize,
}

impl<'n> Elementwise<'n> {
    /// An activation computes whole vectors where its input has as many values in memory: what the
    /// padding becomes is never an input with a weight, and a loop over whole vectors has no rest.
    pub(super) fn of(
        layer: &'n Layer,
        function: &'n network::Elementwise,
        layers: &[LaidOut<'_>],
    ) -> Elementwise<'n> {
        let slice = layer.inputs[0];
        let padded = slice.len.next_multiple_of(OUTPUT_UNIT);
        let available = match (function, slice.source) {
            (network::Elementwise::Activation(_), Source::Layer(index)) => layers[index].lanes(),
            _ => 0,
        };
        let lanes = match slice.start + padded <= available {
            true => padded,
            false => layer.output.len,
        };
        Elementwise {
            layer,
            function,
            lanes,
        }
    }
}
