//! Net files: what they hold, in the order in which they hold it.

mod list;
mod stockfish;
mod tensors;
pub mod verify;

use crate::diagnostics::Diagnostics;
use crate::feature_set::FeatureSet;
use crate::network::{Layer, Output, Stacks, Transformer};
use crate::spec::{self, Encoding};
pub use crate::spec::{Axis, FileElement, FileRounding};

pub use tensors::Role;

/// What a net file must contain. Numbers are little-endian.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// How its sections are found.
    pub format: Format,
    /// In the order of the file.
    pub sections: Vec<Section>,
    /// What then follows once per stack; only Stockfish's files have it.
    pub stack_sections: Vec<Section>,
    /// What it ends with.
    pub tail: Tail,
}

/// How the sections of a file are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Behind a header, with hashes among them.
    Stockfish(Words),
    /// By their lengths alone.
    Sequence,
    /// In any order, by the ids before them.
    Named,
}

/// The words that a file of Stockfish's must carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words {
    /// The first word.
    pub version: u32,
    /// The word before the transformer.
    pub transformer_hash: u32,
    /// The word before each stack.
    pub stack_hash: u32,
}

impl Words {
    /// The second word of the file.
    pub fn hash(&self) -> u32 {
        self.transformer_hash ^ self.stack_hash
    }
}

/// What a file ends with: a text, repeated up to where the length is a multiple of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tail {
    /// The text.
    pub text: &'static [u8],
    /// The number.
    pub multiple: usize,
}

impl Tail {
    /// Files that end with their last section.
    pub const NONE: Tail = Tail {
        text: b"\0",
        multiple: 1,
    };

    /// The bytes that follow `len` bytes of sections.
    pub fn bytes(self, len: usize) -> impl Iterator<Item = u8> {
        let padding = len.next_multiple_of(self.multiple) - len;
        self.text.iter().copied().cycle().take(padding)
    }
}

/// A part of a net file.
#[derive(Clone, Debug, PartialEq)]
pub enum Section {
    /// A word that must have this value.
    Hash {
        /// Of what.
        name: &'static str,
        /// Its value.
        value: u32,
    },
    /// Bytes that must be these.
    Bytes(Vec<u8>),
    /// So many bytes that mean nothing.
    Skipped(usize),
    /// Bytes up to the next multiple of this.
    Align(usize),
    /// A tensor.
    Tensor(Tensor),
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
    pub element: FileElement,
    /// The axes and their lengths, outermost first.
    pub axes: Vec<(Axis, usize)>,
    /// The length of the innermost axis with its padding.
    pub padded: usize,
    /// How it is stored.
    pub encoding: Encoding,
    /// How floating point becomes integers.
    pub quantise: Option<Quantise>,
}

/// From floating point to integers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantise {
    /// What stands for 1.0.
    pub factor: f64,
    /// What happens to fractions.
    pub rounding: FileRounding,
    /// The type that must hold the result.
    pub element: FileElement,
}

impl Section {
    /// Bytes in the file; `None` when that depends on the values or on where it is.
    pub fn file_len(&self) -> Option<usize> {
        match self {
            Section::Hash { .. } => Some(4),
            Section::Bytes(bytes) => Some(bytes.len()),
            Section::Skipped(len) => Some(*len),
            Section::Align(_) => None,
            Section::Tensor(tensor) => match tensor.encoding {
                Encoding::Raw => Some(tensor.raw_len()),
                Encoding::Leb128 => None,
            },
        }
    }

    /// The tensor, if it is one.
    pub fn tensor(&self) -> Option<&Tensor> {
        match self {
            Section::Tensor(tensor) => Some(tensor),
            _ => None,
        }
    }
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

    /// ` (stack, output, input)`: its axes, outermost first; nothing where only one is longer than 1.
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
        let found = self.axes.iter().find(|(own, _)| *own == axis);
        found.map_or(1, |(_, len)| *len)
    }

    /// How many values lie between one on an axis and the next; 0 for axes that it does not have.
    pub fn stride(&self, axis: Axis) -> usize {
        match self.axes.iter().position(|(own, _)| *own == axis) {
            Some(index) => self.shape()[index + 1..].iter().product(),
            None => 0,
        }
    }
}

/// What of a network decides what its files hold; `None` is what is wrong with the spec.
#[derive(Clone, Copy)]
pub(crate) struct Parts<'a> {
    pub(crate) features: Option<&'a [FeatureSet]>,
    pub(crate) transformer: Option<&'a Transformer>,
    pub(crate) stacks: Option<&'a Stacks>,
    pub(crate) layers: Option<&'a [Layer]>,
    pub(crate) output: Option<&'a Output>,
}

impl File {
    /// Checks the `[file]` table.
    pub(crate) fn check(
        file: &spec::File,
        parts: Parts<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Option<File> {
        let tensors = tensors::all(parts);
        match file {
            spec::File::Stockfish(file) => {
                let words = stockfish::check(file, parts, diagnostics);
                Some(stockfish::file(file, words?, &tensors?))
            }
            spec::File::Bullet(file) => list::bullet(file, &tensors?, diagnostics),
            spec::File::Tensors(file) => list::tensors(file, &tensors?, diagnostics),
        }
    }

    /// All sections, those of the stacks as often as there are stacks, each with the number of its stack.
    pub fn all_sections(&self, stacks: usize) -> impl Iterator<Item = (Option<usize>, &Section)> {
        let once = self.sections.iter().map(|section| (None, section));
        let repeated = (0..stacks).flat_map(|stack| {
            let sections = self.stack_sections.iter();
            sections.map(move |section| (Some(stack), section))
        });
        once.chain(repeated)
    }
}
