//! The tensors of a net file, and their places in the file.

use serde::{Deserialize, Serialize};

use crate::format::{self, Format, Section};
use crate::network::Network;
use crate::network::file::{Role, Tensor as FileTensor};

use super::ones;

/// A tensor of a net file.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Tensor {
    /// The name of the tensor, as in `transformer.weights` or `fc_0.biases`.
    pub name: String,
    /// The name of the tensor in the file; `null` where files have no names.
    pub id: Option<String>,
    /// The role of the tensor in the network.
    pub role: TensorRole,
    /// The layer of the tensor; `null` for the transformer.
    pub layer: Option<String>,
    /// For tensors with a row for each feature: the number of the first row. Real rows of all sets
    /// come first, white's before black's where these are separate, and then virtual rows.
    pub first_row: Option<usize>,
    /// The type of the tensor's values in the file.
    pub element: String,
    /// The axes of the tensor, outermost first.
    pub axes: Vec<Axis>,
    /// The length of the innermost axis with its padding.
    pub padded: usize,
    /// The number of the tensor's values in the file, padding included. For a tensor in a group, it
    /// is the number for each stack.
    pub values: usize,
    /// Whether the file has the tensor once for each stack.
    pub per_stack: bool,
    /// The encoding of the values: `raw`, `leb128` (a block with a magic text and its length) or
    /// `bare-leb128`.
    pub encoding: String,
    /// How floating point of the file becomes the network's integers.
    pub quantise: Option<Quantise>,
    /// The divisor that makes floating point of the file's integers.
    pub divisor: Option<f64>,
    /// The factor of the file's integers in the network; 1 for most tensors.
    pub times: u32,
    /// The fraction that stands for 1.0 in the values, as the network has them: numerator and
    /// denominator, in lowest terms. `null` where no number stands for 1.0, or where the number
    /// differs between outputs.
    pub one: Option<[u64; 2]>,
}

/// The role of a tensor in the network.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TensorRole {
    /// Rows of the transformer.
    TransformerWeights,
    /// The accumulator without any feature; where perspectives have separate weights, white's.
    TransformerBiases,
    /// The accumulator of black without any feature, where perspectives have separate weights.
    BlackTransformerBiases,
    /// PSQT values.
    Psqt,
    /// The matrix of a layer.
    Weights,
    /// The biases of a layer.
    Biases,
    /// Factors of the outputs of a layer.
    Factors,
    /// Summands of the weights of all stacks.
    SharedWeights,
    /// Summands of the biases of all stacks.
    SharedBiases,
}

/// An axis of a tensor.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Axis {
    /// The name of the axis: `feature`, `neuron`, `stack`, `output` or `input`; `input / 4` for the
    /// blocks of four inputs, and `input % 4` for the places in such a block.
    pub axis: String,
    /// The length of the axis.
    pub len: usize,
}

/// The conversion of floating point to integers.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Quantise {
    /// The factor of each value.
    pub factor: f64,
    /// `truncate`, or `nearest` with halves away from zero.
    pub rounding: String,
    /// The treatment of integers that do not fit: `refuse` or `clamp`.
    pub overflow: String,
    /// The type of the integers.
    pub element: String,
}

/// How a net file is arranged. All numbers are little-endian.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct File {
    /// The way in which sections are found.
    pub format: FileFormat,
    /// The sections that come once, in the order of the file.
    pub sections: Vec<FileSection>,
    /// The groups that follow. The file has a group once for each stack before the next group
    /// begins.
    pub stack_groups: Vec<Group>,
    /// The padding at the end of the file; `null` for files that are not padded.
    pub tail: Option<Tail>,
    /// The length of the file in bytes, if all files of the network have the same.
    pub size: Option<usize>,
}

/// How the sections of a file are found.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum FileFormat {
    /// A header of three words, `version`, `hash` and the length of a description, and then the
    /// description. Offsets leave the description out: add its length.
    Stockfish {
        /// The version: the word at offset 0.
        version: u32,
        /// The hash: the word at offset 4.
        hash: u32,
    },
    /// The sections follow each other.
    Sequence,
    /// Tensors in any order. Before each tensor are its name, a line feed and the number of its
    /// values as `u64`.
    Named,
}

/// Sections that the file has once for each stack.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Group {
    /// The bytes from a stack to the next; `null` where that depends on the values.
    pub stride: Option<usize>,
    /// The sections, with the offsets of stack 0.
    pub sections: Vec<FileSection>,
}

/// A piece of a file.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct FileSection {
    /// The content of the section.
    pub content: Content,
    /// The offset of the section's first byte; `null` where it depends on the values before the
    /// section or on the order of the tensors.
    pub offset: Option<usize>,
    /// The number of bytes of the section; `null` where that depends on the values.
    pub size: Option<usize>,
}

/// The content of a section of a file.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Content {
    /// A word that must have the expected value.
    Hash {
        /// The name of the word.
        name: String,
        /// The expected value of the word.
        expected: u32,
    },
    /// Bytes that every file must have.
    Bytes {
        /// The name of the bytes, which may be empty.
        name: String,
        /// The expected bytes.
        expected: Vec<u8>,
    },
    /// Bytes of any content.
    Skipped {
        /// The name of the bytes, which may be empty.
        name: String,
    },
    /// Numbers that the network does not use.
    Kept {
        /// The name of the numbers.
        name: String,
        /// The type of the numbers.
        element: String,
        /// The numbers of rows and columns.
        shape: [usize; 2],
    },
    /// Zeros up to the next multiple of a number, counted from the start of the file.
    Align {
        /// The end of the zeros is a multiple of this number of bytes.
        multiple: usize,
    },
    /// A tensor.
    Tensor {
        /// The name of the tensor.
        name: String,
    },
}

/// The padding of a file at its end.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Tail {
    /// The bytes of the padding, repeated and cut off.
    pub bytes: Vec<u8>,
    /// The length of the file is a multiple of this number of bytes.
    pub multiple: usize,
}

/// Bytes before the description: three words.
const HEADER_LEN: usize = 12;

/// The description of the tensors, in the order of the file.
pub(super) fn tensors(network: &Network) -> Vec<Tensor> {
    let once = network.file.sections.iter().map(|section| (section, false));
    let groups = network.file.stack_groups.iter().flatten();
    let per_stack = groups.map(|section| (section, true));
    let tensors = once.chain(per_stack).filter_map(|(section, per_stack)| {
        let tensor = section.as_tensor()?;
        Some(describe(network, tensor, per_stack))
    });
    tensors.collect()
}

fn describe(network: &Network, tensor: &FileTensor, per_stack: bool) -> Tensor {
    let (role, first_row) = match tensor.role {
        Role::Weights(first) => (TensorRole::TransformerWeights, Some(first)),
        Role::Biases(0) => (TensorRole::TransformerBiases, None),
        Role::Biases(_) => (TensorRole::BlackTransformerBiases, None),
        Role::Psqt(first) => (TensorRole::Psqt, Some(first)),
        Role::LayerWeights(_) => (TensorRole::Weights, None),
        Role::LayerBiases(_) => (TensorRole::Biases, None),
        Role::LayerFactors(_) => (TensorRole::Factors, None),
        Role::SharedWeights(_) => (TensorRole::SharedWeights, None),
        Role::SharedBiases(_) => (TensorRole::SharedBiases, None),
    };
    let layer = tensor.role.layer();
    let axes = tensor.axes().into_iter().map(|(axis, len)| Axis {
        axis: axis.to_string(),
        len,
    });
    let stored = &tensor.stored;
    Tensor {
        name: tensor.name.to_string(),
        id: (!tensor.id.is_empty()).then(|| tensor.id.to_string()),
        role,
        layer: layer.map(|layer| network.layers[layer].name.clone()),
        first_row,
        element: stored.element.to_string(),
        axes: axes.collect(),
        padded: tensor.padded(),
        values: stored.values,
        per_stack,
        encoding: stored.encoding.to_string(),
        quantise: stored.quantise.map(|quantise| Quantise {
            factor: quantise.factor,
            rounding: quantise.rounding.to_string(),
            overflow: quantise.overflow.to_string(),
            element: quantise.element.to_string(),
        }),
        divisor: stored.divisor,
        times: stored.times,
        one: ones::of_role(network, tensor.role),
    }
}

impl File {
    pub(super) fn of(network: &Network) -> File {
        let file = &network.file;
        let (format, start) = match file.format {
            Format::Stockfish { version, hash } => {
                (FileFormat::Stockfish { version, hash }, Some(HEADER_LEN))
            }
            Format::Sequence => (FileFormat::Sequence, Some(0)),
            Format::Named => (FileFormat::Named, None),
        };
        let mut offset = start;
        let sections = describe_sections(&file.sections, &mut offset);
        let groups = file.stack_groups.iter().map(|group| {
            let before = offset;
            let sections = describe_sections(group, &mut offset);
            let lens = group.iter().map(Section::byte_len);
            // Alignment may add other numbers of bytes to other stacks.
            let stride: Option<usize> = lens.sum();
            let others = network.stacks.count - 1;
            offset = match (before, stride) {
                (Some(before), Some(stride)) => Some(before + (1 + others) * stride),
                _ if others == 0 => offset,
                _ => None,
            };
            Group { stride, sections }
        });
        let stack_groups = groups.collect();
        let end = offset.filter(|_| file.format == Format::Sequence);
        File {
            format,
            sections,
            stack_groups,
            tail: (file.tail.multiple > 1).then(|| Tail {
                bytes: file.tail.text.to_vec(),
                multiple: file.tail.multiple,
            }),
            size: end.map(|end| end.next_multiple_of(file.tail.multiple)),
        }
    }
}

/// The description of sections that begin at `offset`. `offset` becomes the end of the last
/// section.
fn describe_sections(
    sections: &[Section<FileTensor>],
    offset: &mut Option<usize>,
) -> Vec<FileSection> {
    let describe = |section: &Section<FileTensor>| {
        let begin = *offset;
        *offset = begin.and_then(|begin| section.end(begin));
        let size = begin.zip(*offset).map(|(begin, end)| end - begin);
        FileSection {
            content: Content::of(section),
            offset: begin,
            size: size.or(section.byte_len()),
        }
    };
    sections.iter().map(describe).collect()
}

impl Content {
    fn of(section: &format::Section<FileTensor>) -> Content {
        match section {
            Section::Hash { name, expected } => Content::Hash {
                name: name.to_string(),
                expected: *expected,
            },
            Section::Bytes { name, expected, .. } => Content::Bytes {
                name: name.to_string(),
                expected: expected.to_vec(),
            },
            Section::Skipped { name, .. } => Content::Skipped {
                name: name.to_string(),
            },
            Section::Kept {
                name,
                element,
                shape,
            } => Content::Kept {
                name: name.to_string(),
                element: element.to_string(),
                shape: *shape,
            },
            Section::Align(multiple) => Content::Align {
                multiple: *multiple,
            },
            Section::Tensor(tensor) => Content::Tensor {
                name: tensor.name.to_string(),
            },
        }
    }
}
