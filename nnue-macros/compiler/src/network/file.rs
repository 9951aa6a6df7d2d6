//! What a net file of the network holds, in the order of the file. The place of each tensor in
//! memory is decided later, by [`mod@crate::layout`].

use nnue_format::{Block, Element, Encoding, Format, Quantise, Section, Tail};

pub use crate::spec::{Axis, AxisPart, Part};

/// The content that a net file must have. Numbers are little-endian.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// How the sections of the file are found.
    pub format: Format,
    /// The sections that the file has once, in the order of the file.
    pub sections: Vec<Section<Tensor>>,
    /// The groups of sections that follow them. Each group is there for all stacks before the next
    /// group begins.
    pub stack_groups: Vec<Vec<Section<Tensor>>>,
    /// The padding at the end of the file.
    pub tail: Tail,
}

/// The role of a file's tensor in the network. The comments name the tensor's axes, outermost
/// first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Rows of the transformer's weights; the number is that of the first row in memory. Axes:
    /// features, neurons.
    Weights(usize),
    /// The transformer's biases. The number is 1 for black's, where perspectives have separate
    /// weights, else 0. Axes: neurons.
    Biases(usize),
    /// PSQT values; the number is that of the first row in memory. Axes: features, PSQT values.
    Psqt(usize),
    /// The weights of the layer with this index. Axes: stacks, outputs, inputs.
    LayerWeights(usize),
    /// The biases of the layer with this index. Axes: stacks, outputs.
    LayerBiases(usize),
    /// The factors of the layer with this index. Axes: stacks, outputs.
    LayerFactors(usize),
    /// Summands of the weights of the layer with this index, which all stacks share. Axes: outputs,
    /// inputs.
    SharedWeights(usize),
    /// Summands of the biases of the layer with this index, which all stacks share. Axes: outputs.
    SharedBiases(usize),
}

impl Role {
    /// The index of the layer that the tensor belongs to; `None` for tensors of the transformer.
    pub fn layer(self) -> Option<usize> {
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
    pub fn matrix(self) -> Option<usize> {
        match self {
            Role::LayerWeights(layer) | Role::SharedWeights(layer) => Some(layer),
            _ => None,
        }
    }

    /// Whether the tensor's values are added to those of the stacks' tensors.
    pub fn is_shared_summand(self) -> bool {
        matches!(self, Role::SharedWeights(_) | Role::SharedBiases(_))
    }
}

/// A tensor of a net file.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// The role of the tensor in the network.
    pub role: Role,
    /// The name in specs and messages: `transformer.biases`, `fc_0.weights`, ...
    pub name: String,
    /// The name in the file, such as `l0w`; empty where files have no names.
    pub id: String,
    /// The type of the values in the file.
    pub element: Element,
    /// The axes in the file, or parts of axes, with their lengths; outermost first.
    pub axes: Vec<(AxisPart, usize)>,
    /// The length of the innermost axis with its padding.
    pub padded: usize,
    /// How the values are encoded in the file.
    pub encoding: Encoding,
    /// How floating point in the file becomes integers.
    pub quantise: Option<Quantise>,
    /// The number by which integers in the file are divided to become floating point.
    pub divisor: Option<f64>,
}

impl Tensor {
    /// The lengths of the tensor's axes in the file, outermost first, padding included.
    pub fn shape(&self) -> Vec<usize> {
        let mut shape: Vec<usize> = self.axes.iter().map(|(_, len)| *len).collect();
        if let Some(innermost) = shape.last_mut() {
            *innermost = self.padded;
        }
        shape
    }

    /// The names of the tensor's axes, outermost first, as in ` (stack, output, input)`; empty
    /// where at most one axis is longer than 1.
    pub fn axis_order(&self) -> String {
        let long = self.axes.iter().filter(|(_, len)| *len > 1);
        let names: Vec<String> = long.map(|(axis, _)| axis.to_string()).collect();
        match names.len() {
            0 | 1 => String::new(),
            _ => format!(" ({})", names.join(", ")),
        }
    }

    /// The number of values in the file, padding included.
    pub fn values(&self) -> usize {
        self.shape().iter().product()
    }

    /// The number of bytes in the file where the values are not compressed.
    pub fn raw_len(&self) -> usize {
        self.values() * self.element.size()
    }

    /// The length of an axis; 1 for axes that the tensor does not have.
    pub fn len(&self, axis: Axis) -> usize {
        let parts = self.axes.iter().filter(|(own, _)| own.axis == axis);
        parts.map(|(_, len)| len).product()
    }

    /// The distance in values from an element of an axis to the next, or, where the file has the
    /// axis in blocks, from a block to the next; 0 for axes that the tensor does not have.
    pub fn stride(&self, axis: Axis) -> usize {
        let is_it = |own: AxisPart| own.axis == axis && !matches!(own.part, Part::Places(_));
        self.stride_of(is_it).unwrap_or(0)
    }

    /// The length of an axis's blocks and the distance from a place in a block to the next, if the
    /// file has the axis in blocks.
    pub fn block(&self, axis: Axis) -> Option<Block> {
        let mut own = self.axes.iter().filter(|(own, _)| own.axis == axis);
        let len = own.find_map(|(own, _)| match own.part {
            Part::Places(len) => Some(len),
            _ => None,
        })?;
        let is_place = |own: AxisPart| own.axis == axis && matches!(own.part, Part::Places(_));
        let stride = self.stride_of(is_place)?;
        Some(Block { len, stride })
    }

    fn stride_of(&self, is_it: impl Fn(AxisPart) -> bool) -> Option<usize> {
        let index = self.axes.iter().position(|(own, _)| is_it(*own))?;
        Some(self.shape()[index + 1..].iter().product())
    }
}

impl File {
    /// All sections in the order of the file. The sections of a stack come once for each stack,
    /// with the number of the stack.
    pub fn all_sections(
        &self,
        stacks: usize,
    ) -> impl Iterator<Item = (Option<usize>, &Section<Tensor>)> {
        let once = self.sections.iter().map(|section| (None, section));
        let repeated = self.stack_groups.iter().flat_map(move |group| {
            let stacks = 0..stacks;
            stacks.flat_map(move |stack| group.iter().map(move |section| (Some(stack), section)))
        });
        once.chain(repeated)
    }

    /// All sections in the order of the file. The sections of a stack come for the first stack
    /// alone.
    pub fn sections_once(&self) -> impl Iterator<Item = &Section<Tensor>> {
        self.all_sections(1).map(|(_, section)| section)
    }
}

/// The number of a section's bytes in the file; `None` where it depends on the values or on the
/// section's place.
pub fn section_len(section: &Section<Tensor>) -> Option<usize> {
    match section {
        Section::Hash { .. } => Some(4),
        Section::Bytes { expected, .. } => Some(expected.len()),
        Section::Skipped { .. } | Section::Kept(_) => Some(section.skipped_len()),
        Section::Align(_) => None,
        Section::Tensor(tensor) => match tensor.encoding {
            Encoding::Raw => Some(tensor.raw_len()),
            Encoding::Leb128 | Encoding::BareLeb128 => None,
        },
    }
}
