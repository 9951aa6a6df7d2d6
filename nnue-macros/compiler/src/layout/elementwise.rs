//! Layers that compute value by value, and the places of their values.

use super::structs::{Builder, Field};
use super::units::OUTPUT_UNIT;
use crate::network::{self, Element, Layer, Network, Op, Slice, Source};

/// A layer that computes value by value, and the places of its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Elementwise<'n> {
    /// The checked layer: its name, inputs and output.
    pub layer: &'n Layer,
    /// The operation that the layer computes.
    pub function: &'n network::Elementwise,
    /// The number of values that each of the layer's functions computes. It is larger than the
    /// number of inputs where the input is padded.
    pub lanes: usize,
    /// The distance in memory from the first value of a function to the first value of the next.
    /// Values that are computed of padding lie between them, or are overwritten by the next
    /// function.
    pub stride: usize,
    /// The field of a stack with a factor for each output, if the layer has [`Layer::factors`].
    pub factors: Option<Field>,
}

impl<'n> Elementwise<'n> {
    /// Lays the layer out. An activation computes whole vectors where its input has as many values
    /// in memory: results of padding never have a weight, and a loop over whole vectors has no
    /// rest. `available` is the number of values in memory of the layer that it reads first.
    pub(super) fn of(
        network: &Network,
        index: usize,
        layer: &'n Layer,
        function: &'n network::Elementwise,
        available: usize,
        stack: &mut Builder,
    ) -> Elementwise<'n> {
        let slice = layer.inputs[0];
        let padded = slice.len.next_multiple_of(OUTPUT_UNIT);
        let (available, len) = match (function, slice.source) {
            (network::Elementwise::Activations(_), Source::Layer(_)) => (available, slice.len),
            _ => (0, layer.output.len),
        };
        let lanes = if slice.start + padded <= available {
            padded
        } else {
            len
        };
        // Only affine layers, whose weights are put where their inputs are, can read values with
        // gaps. Then each function writes whole vectors of its own.
        let stride = if is_read_by_affine_layers_alone(network, index) {
            lanes
        } else {
            len
        };
        let factors = layer.factors().map(|(part, element)| {
            let doc = format!("factors of the values of `{}`", layer.name);
            let name = format!("{}_{part}", layer.name);
            stack.field(&name, element, vec![len], &doc)
        });
        Elementwise {
            layer,
            function,
            lanes,
            stride,
            factors,
        }
    }

    /// The number of values of the layer's output in memory, padding included.
    pub fn all_lanes(&self) -> usize {
        (self.functions() - 1) * self.stride + self.lanes
    }

    /// The number of functions, which all have the same number of results.
    fn functions(&self) -> usize {
        match self.function {
            network::Elementwise::Activations(functions) => functions.len(),
            _ => 1,
        }
    }

    /// The places in memory of a slice's values, from the first to the last.
    pub(super) fn runs(&self, slice: Slice) -> Vec<Run> {
        let each = self.layer.output.len / self.functions();
        let end = slice.start + slice.len;
        // In floating point a weight of zero does not undo an infinity or a NaN: nothing but inputs
        // is read.
        let reads_padding = self.layer.output.element != Element::F32;
        if self.stride == each {
            let whole = reads_padding && slice.len == self.layer.output.len;
            let lanes = if whole { self.all_lanes() } else { slice.len };
            return vec![Run {
                start: slice.start,
                len: slice.len,
                lanes,
            }];
        }
        let functions = slice.start / each..end.div_ceil(each);
        let runs = functions.map(|function| {
            let first = slice.start.max(function * each);
            let len = end.min((function + 1) * each) - first;
            let whole = reads_padding && len == each;
            Run {
                start: function * self.stride + first - function * each,
                len,
                lanes: if whole { self.lanes } else { len },
            }
        });
        runs.collect()
    }
}

/// Values of a slice that follow one another in memory.
pub(super) struct Run {
    /// The index of the first value in the memory of its layer.
    pub(super) start: usize,
    /// The number of values.
    pub(super) len: usize,
    /// The number of values that are read. If the run has all results of a function, padding is
    /// read too, because whole vectors are copied faster and the weights of the padding are zero.
    pub(super) lanes: usize,
}

fn is_read_by_affine_layers_alone(network: &Network, index: usize) -> bool {
    let mut others = network.layers.iter().filter(|layer| {
        let mut sources = layer.inputs.iter().map(|slice| slice.source);
        matches!(layer.op, Op::Elementwise(_))
            && sources.any(|source| source == Source::Layer(index))
    });
    let mut terms = network.output.heads.iter().flat_map(|head| &head.terms);
    others.next().is_none() && terms.all(|term| term.layer != index)
}
