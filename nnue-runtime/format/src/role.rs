//! What a tensor of a net file is in its network, and the axes that it has there.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::fmt;

use crate::{Block, Element, Stored, Tensor, Text};

/// The role of a file's tensor in the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Rows of the transformer's weights; the number is that of the first row in memory.
    Weights(usize),
    /// The transformer's biases. The number is 1 for black's, where perspectives have separate
    /// weights, else 0.
    Biases(usize),
    /// PSQT values; the number is that of the first row in memory.
    Psqt(usize),
    /// The weights of the layer with this index.
    LayerWeights(usize),
    /// The biases of the layer with this index.
    LayerBiases(usize),
    /// The factors of the layer with this index.
    LayerFactors(usize),
    /// Summands of the weights of the layer with this index, which all stacks share.
    SharedWeights(usize),
    /// Summands of the biases of the layer with this index, which all stacks share.
    SharedBiases(usize),
}

/// An axis of a network's tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// The features, in the transformer's weights and PSQT values.
    Feature,
    /// The neurons, in the transformer's weights and biases.
    Neuron,
    /// The stacks, in the layers' tensors and in PSQT values.
    Stack,
    /// The outputs of a layer, in all its tensors.
    Output,
    /// The inputs of a layer, in its weights.
    Input,
}

/// An axis of a tensor in a file. Where the file has an axis in blocks, the blocks and the places
/// in a block are two axes of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AxisPart {
    /// The axis of the network's tensor.
    pub axis: Axis,
    /// The part of that axis.
    pub part: Part,
}

/// A part of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// `input`: the whole axis.
    Whole,
    /// `input / 4`: the blocks of the axis, with this length.
    Blocks(usize),
    /// `input % 4`: the places in a block of this length.
    Places(usize),
}

impl Role {
    /// The index of the layer that the tensor belongs to; `None` for tensors of the transformer.
    #[must_use]
    pub const fn layer(self) -> Option<usize> {
        match self {
            Role::Weights(_) | Role::Biases(_) | Role::Psqt(_) => None,
            Role::LayerWeights(layer)
            | Role::LayerBiases(layer)
            | Role::LayerFactors(layer)
            | Role::SharedWeights(layer)
            | Role::SharedBiases(layer) => Some(layer),
        }
    }

    /// The index of the layer whose matrix, or a summand of whose matrix, the tensor is.
    #[must_use]
    pub const fn matrix(self) -> Option<usize> {
        match self {
            Role::LayerWeights(layer) | Role::SharedWeights(layer) => Some(layer),
            _ => None,
        }
    }

    /// Whether the tensor's values are added to those of the stacks' tensors.
    #[must_use]
    pub const fn is_shared_summand(self) -> bool {
        matches!(self, Role::SharedWeights(_) | Role::SharedBiases(_))
    }

    /// The axes that are the buckets, the rows and the columns of the tensor. Tensors need not have
    /// all of them: the number of buckets or of rows is then 1.
    #[must_use]
    pub const fn axes(self) -> [Axis; 3] {
        match self {
            Role::Weights(_) | Role::Biases(_) => [Axis::Stack, Axis::Feature, Axis::Neuron],
            Role::Psqt(_) => [Axis::Output, Axis::Feature, Axis::Stack],
            Role::LayerWeights(_) | Role::SharedWeights(_) => {
                [Axis::Stack, Axis::Output, Axis::Input]
            }
            Role::LayerBiases(_) | Role::LayerFactors(_) | Role::SharedBiases(_) => {
                [Axis::Stack, Axis::Input, Axis::Output]
            }
        }
    }
}

impl Tensor<()> {
    /// The tensor whose values a file has raw, in the order of these axes with their lengths,
    /// outermost first. The innermost axis is padded to a multiple of `unit` values.
    #[must_use]
    pub fn of(
        role: Role,
        name: Text,
        element: Element,
        axes: &[(AxisPart, usize)],
        unit: usize,
    ) -> Tensor<()> {
        let (mut shape, mut strides, mut blocks) = ([1; 3], [0; 3], [None; 3]);
        let mut stride = 1;
        for (index, (AxisPart { axis, part }, len)) in axes.iter().enumerate().rev() {
            if let Some(own) = role.axes().iter().position(|own| own == axis) {
                shape[own] *= len;
                match *part {
                    Part::Places(len) => blocks[own] = Some(Block { len, stride }),
                    Part::Whole | Part::Blocks(_) => strides[own] = stride,
                }
            }
            let is_innermost = index + 1 == axes.len();
            stride *= len.next_multiple_of(if is_innermost { unit } else { 1 });
        }
        let stored = Stored {
            blocks,
            ..Stored::new(element, strides, stride)
        };
        Tensor {
            role,
            name,
            id: Text::Borrowed(""),
            shape,
            stored,
            placed: (),
        }
    }
}

impl<P> Tensor<P> {
    /// The axes that the file has, or their parts, with their lengths without padding; outermost
    /// first.
    #[must_use]
    pub fn axes(&self) -> Vec<(AxisPart, usize)> {
        let mut axes = Vec::new();
        for (index, axis) in self.role.axes().into_iter().enumerate() {
            let (len, stride) = (self.shape[index], self.stored.strides[index]);
            let mut push = |part, len, stride| axes.push((stride, AxisPart { axis, part }, len));
            match self.stored.blocks[index] {
                // A file does not have the axis.
                None if stride == 0 => {}
                None => push(Part::Whole, len, stride),
                Some(block) => {
                    push(Part::Blocks(block.len), len / block.len, stride);
                    push(Part::Places(block.len), block.len, block.stride);
                }
            }
        }
        // Of two axes with the same stride, the inner axis has a single value.
        axes.sort_by_key(|(stride, _, len)| Reverse((*stride, *len)));
        axes.into_iter().map(|(_, axis, len)| (axis, len)).collect()
    }

    /// All places of the tensor, each with its bucket, row and column: row by row, bucket by bucket.
    pub fn places(&self) -> impl Iterator<Item = [usize; 3]> + use<P> {
        let [buckets, rows, columns] = self.shape;
        let rows = (0..buckets).flat_map(move |bucket| (0..rows).map(move |row| (bucket, row)));
        rows.flat_map(move |(bucket, row)| (0..columns).map(move |column| [bucket, row, column]))
    }

    /// The names of the axes in the file, outermost first, as in ` (stack, output, input)`; empty
    /// where at most one axis is longer than 1.
    #[must_use]
    pub fn axis_order(&self) -> String {
        let axes = self.axes().into_iter().filter(|(_, len)| *len > 1);
        let names: Vec<String> = axes.map(|(axis, _)| axis.to_string()).collect();
        match names.len() {
            0 | 1 => String::new(),
            _ => format!(" ({})", names.join(", ")),
        }
    }

    /// The length of the innermost axis in the file with its padding.
    #[must_use]
    pub fn padded(&self) -> usize {
        let axes = self.axes();
        let outer = axes.split_last().map_or(&[][..], |(_, outer)| outer);
        self.stored.values / outer.iter().map(|(_, len)| len).product::<usize>()
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Axis::Feature => "feature",
            Axis::Neuron => "neuron",
            Axis::Stack => "stack",
            Axis::Output => "output",
            Axis::Input => "input",
        })
    }
}

impl From<Axis> for AxisPart {
    fn from(axis: Axis) -> AxisPart {
        AxisPart {
            axis,
            part: Part::Whole,
        }
    }
}

impl fmt::Display for AxisPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.part {
            Part::Whole => write!(f, "{}", self.axis),
            Part::Blocks(len) => write!(f, "{} / {len}", self.axis),
            Part::Places(len) => write!(f, "{} % {len}", self.axis),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The places of a tensor in the order of its values, counted along the axes; `None` for padding.
    fn counted(role: Role, axes: &[(AxisPart, usize)], padded: usize) -> Vec<Option<[usize; 3]>> {
        let mut places = Vec::from([Some([0; 3])]);
        for (number, (AxisPart { axis, part }, len)) in axes.iter().enumerate() {
            let own = role.axes().iter().position(|own| own == axis).unwrap();
            let room = if number + 1 == axes.len() {
                padded
            } else {
                *len
            };
            let along = |place: Option<[usize; 3]>, at: usize| {
                let mut place = place.filter(|_| at < *len)?;
                place[own] += match part {
                    Part::Blocks(places) => at * places,
                    Part::Whole | Part::Places(_) => at,
                };
                Some(place)
            };
            let longer = places
                .iter()
                .flat_map(|place| (0..room).map(move |at| along(*place, at)));
            places = longer.collect();
        }
        places
    }

    /// The order of axes in a file follows from the distances that the order gives them.
    #[test]
    fn axes_come_back_in_their_order() {
        use Axis::{Feature, Input, Neuron, Output, Stack};
        let whole = |axes: &[(Axis, usize)]| -> Vec<(AxisPart, usize)> {
            axes.iter()
                .map(|(axis, len)| ((*axis).into(), *len))
                .collect()
        };
        let part = |axis, part, len| (AxisPart { axis, part }, len);
        let weights = Role::LayerWeights(0);
        for (role, axes, unit) in [
            (Role::Weights(0), whole(&[(Feature, 5), (Neuron, 3)]), 1),
            (Role::Weights(0), whole(&[(Neuron, 3), (Feature, 5)]), 8),
            (Role::Biases(0), whole(&[(Neuron, 3)]), 4),
            (Role::Psqt(0), whole(&[(Feature, 5), (Stack, 1)]), 1),
            (Role::LayerBiases(0), whole(&[(Stack, 2), (Output, 1)]), 4),
            (weights, whole(&[(Output, 1), (Input, 6)]), 8),
            (weights, whole(&[(Input, 6), (Output, 1)]), 1),
            (weights, whole(&[(Input, 6), (Stack, 1), (Output, 1)]), 4),
            (weights, whole(&[(Input, 6), (Output, 2), (Stack, 3)]), 1),
            (weights, Vec::new(), 1),
            (
                weights,
                Vec::from([
                    part(Output, Part::Blocks(2), 2),
                    part(Input, Part::Whole, 3),
                    part(Output, Part::Places(2), 2),
                ]),
                8,
            ),
        ] {
            let tensor = Tensor::of(role, "".into(), Element::I8, &axes, unit);
            let innermost = axes.last().map_or(1, |(_, len)| *len);
            let padded = innermost.next_multiple_of(unit);
            let places = counted(role, &axes, padded);
            assert_eq!(tensor.stored.values, places.len());
            for place in tensor.places() {
                assert_eq!(places[tensor.stored.index(place)], Some(place), "{axes:?}");
            }
            assert_eq!(tensor.places().count(), places.iter().flatten().count());
            assert_eq!((tensor.axes(), tensor.padded()), (axes, padded));
        }
    }
}
