//! What the network's files hold, in the order of the file. The place of each tensor in memory is
//! decided later, by [`mod@crate::layout`].

use nnue_format::{Block, Element, Encoding, Format, Quantise, Section, Tail};

pub use crate::spec::{Axis, AxisPart, Part};

/// What a net file must contain. Numbers are little-endian.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// How its sections are found.
    pub format: Format,
    /// In the order of the file.
    pub sections: Vec<Section<Tensor>>,
    /// What then follows: groups of sections, each once per stack before the next group.
    pub stack_groups: Vec<Vec<Section<Tensor>>>,
    /// What it ends with.
    pub tail: Tail,
}

/// Which tensor of a network one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Rows of the transformer from this one of memory on: features, neurons.
    Weights(usize),
    /// The transformer's biases: neurons. Where perspectives have separate weights, 0 is white and
    /// 1 black.
    Biases(usize),
    /// PSQT values from this row of memory on: features, PSQT values.
    Psqt(usize),
    /// The weights of the layer of this index: stacks, outputs, inputs.
    LayerWeights(usize),
    /// The biases of the layer of this index: stacks, outputs.
    LayerBiases(usize),
    /// The factors of the layer of this index: stacks, outputs.
    LayerFactors(usize),
    /// What is added to the weights of the layer of this index in all stacks: outputs, inputs.
    SharedWeights(usize),
    /// What is added to the biases of the layer of this index in all stacks: outputs.
    SharedBiases(usize),
}

impl Role {
    /// The layer that it belongs to, unless to the transformer.
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

    /// The layer of whose matrix it is, or a summand.
    pub fn matrix(self) -> Option<usize> {
        match self {
            Role::LayerWeights(layer) | Role::SharedWeights(layer) => Some(layer),
            _ => None,
        }
    }

    /// Whether its values are added to those of other tensors.
    pub fn is_shared_summand(self) -> bool {
        matches!(self, Role::SharedWeights(_) | Role::SharedBiases(_))
    }
}

/// A tensor of a net file.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Which of the network's it is.
    pub role: Role,
    /// `transformer.biases`, `fc_0.weights`, ...
    pub name: String,
    /// What the file calls it, as in `l0w`; empty where files have no names.
    pub id: String,
    /// The type of its values.
    pub element: Element,
    /// The axes, or parts of them, and their lengths, outermost first.
    pub axes: Vec<(AxisPart, usize)>,
    /// The length of the innermost axis with its padding.
    pub padded: usize,
    /// How it is stored.
    pub encoding: Encoding,
    /// How floating point becomes integers.
    pub quantise: Option<Quantise>,
    /// What integers are divided by to become floating point.
    pub divisor: Option<f64>,
}

impl Tensor {
    /// The lengths of its axes in the file, outermost first.
    pub fn shape(&self) -> Vec<usize> {
        let mut shape: Vec<usize> = self.axes.iter().map(|(_, len)| *len).collect();
        if let Some(innermost) = shape.last_mut() {
            *innermost = self.padded;
        }
        shape
    }

    /// ` (stack, output, input)`: its axes, outermost first; nothing where only one is longer than
    /// 1.
    pub fn axis_order(&self) -> String {
        let long = self.axes.iter().filter(|(_, len)| *len > 1);
        let names: Vec<String> = long.map(|(axis, _)| axis.to_string()).collect();
        match names.len() {
            0 | 1 => String::new(),
            _ => format!(" ({})", names.join(", ")),
        }
    }

    /// Values in the file, padding included.
    pub fn values(&self) -> usize {
        self.shape().iter().product()
    }

    /// Bytes in the file when raw.
    pub fn raw_len(&self) -> usize {
        self.values() * self.element.size()
    }

    /// The length of an axis; 1 for axes that it does not have.
    pub fn len(&self, axis: Axis) -> usize {
        let parts = self.axes.iter().filter(|(own, _)| own.axis == axis);
        parts.map(|(_, len)| len).product()
    }

    /// How many values lie between one on an axis and the next, of axes in blocks between a block
    /// and the next; 0 for axes that it does not have.
    pub fn stride(&self, axis: Axis) -> usize {
        let is_it = |own: AxisPart| own.axis == axis && !matches!(own.part, Part::Places(_));
        self.stride_of(is_it).unwrap_or(0)
    }

    /// The blocks of an axis, if the file has it in blocks.
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
    /// All sections, those of the stacks as often as there are stacks, each with the number of its
    /// stack.
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

    /// All sections, those of the stacks once.
    pub fn sections_once(&self) -> impl Iterator<Item = &Section<Tensor>> {
        self.all_sections(1).map(|(_, section)| section)
    }
}

/// The bytes of a section in the file; `None` when that depends on the values or on where it is.
pub fn section_len(section: &Section<Tensor>) -> Option<usize> {
    match section {
        Section::Hash { .. } => Some(4),
        Section::Bytes { expected, .. } => Some(expected.len()),
        Section::Skipped { len, .. } => Some(*len),
        Section::Align(_) => None,
        Section::Tensor(tensor) => match tensor.encoding {
            Encoding::Raw => Some(tensor.raw_len()),
            Encoding::Leb128 | Encoding::BareLeb128 => None,
        },
    }
}
