//! Layers that compute value by value.

use super::{LaidOut, OUTPUT_UNIT};
use crate::network::{Activation, Align, Layer, Slice, Source};

/// A layer that computes value by value.
#[derive(Clone, Debug, PartialEq)]
pub struct Elementwise<'n> {
    /// Its name and its output.
    pub layer: &'n Layer,
    /// What it computes, and of which values.
    pub function: Function<'n>,
    /// How many values it computes: more than its output has where the input is padded.
    pub lanes: usize,
}

/// What an elementwise layer computes.
#[derive(Clone, Debug, PartialEq)]
pub enum Function<'n> {
    /// A function of each value.
    Activation(Activation, Slice),
    /// The sum of several slices' values, each aligned.
    Sum(Vec<(Slice, &'n Align)>),
    /// Each value times a factor, as `f32`.
    Float(Slice, f32),
}

impl<'n> Elementwise<'n> {
    /// An activation computes whole vectors where its input has as many values in memory: what the padding becomes is
    /// never an input with a weight, and a loop over whole vectors has no rest.
    pub(super) fn activation(
        layer: &'n Layer,
        function: Activation,
        layers: &[LaidOut<'_>],
    ) -> Elementwise<'n> {
        let slice = layer.inputs[0];
        let padded = slice.len.next_multiple_of(OUTPUT_UNIT);
        let available = match slice.source {
            Source::Layer(index) => layers[index].lanes(),
            Source::Transformer => 0,
        };
        let lanes = match slice.start + padded <= available {
            true => padded,
            false => slice.len,
        };
        let function = Function::Activation(function, slice);
        Elementwise {
            layer,
            function,
            lanes,
        }
    }

    pub(super) fn sum(layer: &'n Layer, aligns: &'n [Align]) -> Elementwise<'n> {
        let terms = layer.inputs.iter().copied().zip(aligns).collect();
        Elementwise {
            layer,
            function: Function::Sum(terms),
            lanes: layer.output.len,
        }
    }

    pub(super) fn float(layer: &'n Layer, scale: f32) -> Elementwise<'n> {
        Elementwise {
            layer,
            function: Function::Float(layer.inputs[0], scale),
            lanes: layer.output.len,
        }
    }
}
