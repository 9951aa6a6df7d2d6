//! `[file]`: a format, and what it leaves open.

use nnue_format::{Element, Encoding, Rounding};

use super::{Named, named};
use crate::diagnostics::{Span, Spanned};

/// The `[file]` table.
#[derive(Clone, Debug, PartialEq)]
pub enum File {
    /// `format = "stockfish"`.
    Stockfish(Stockfish),
    /// `format = "bullet"`.
    Bullet(Bullet),
    /// `format = "tensors"`.
    Tensors(Tensors),
}

named! {
    /// A file format.
    Format {
        /// Stockfish's `.nnue`.
        Stockfish = "stockfish",
        /// What bullet writes.
        Bullet = "bullet",
        /// Tensors one after the other, as the spec lists them.
        Tensors = "tensors",
    }
}

/// The keys of Stockfish's format.
#[derive(Clone, Debug, PartialEq)]
pub struct Stockfish {
    /// Where `format` stands.
    pub span: Span,
    /// `version`: the first word of the file.
    pub version: Spanned<i64>,
    /// `encoding` of the transformer's tensors.
    pub encoding: Option<Spanned<Encoding>>,
    /// `transformer_hash`, where the file's is not the one that follows from the layers.
    pub transformer_hash: Option<Spanned<i64>>,
    /// `stack_hash`, likewise.
    pub stack_hash: Option<Spanned<i64>>,
}

/// The keys of bullet's formats.
#[derive(Clone, Debug, PartialEq)]
pub struct Bullet {
    /// Where `format` stands.
    pub span: Span,
    /// `kind`: which of bullet's files.
    pub kind: Option<Spanned<BulletKind>>,
    /// `entries`: what it holds; the transformer and all affine layers in order when absent.
    pub entries: Option<Spanned<Vec<Entry>>>,
    /// `transposed`: entries whose weights were transposed when they were saved.
    pub transposed: Option<Spanned<Transposed>>,
    /// `rounding` of floating point that becomes integers.
    pub rounding: Option<Spanned<Rounding>>,
    /// `tail`: what pads the file.
    pub tail: Option<Spanned<TailName>>,
}

/// The keys of lists of tensors.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensors {
    /// Where `format` stands.
    pub span: Span,
    /// `tensors`: in file order.
    pub tensors: Spanned<Vec<Entry>>,
    /// `rounding` of floating point that becomes integers.
    pub rounding: Option<Spanned<Rounding>>,
    /// `tail`: what pads the file.
    pub tail: Option<Spanned<TailName>>,
}

/// Which entries are transposed.
#[derive(Clone, Debug, PartialEq)]
pub enum Transposed {
    /// All of layers' weights, or none.
    All(bool),
    /// Those with these ids.
    Ids(Vec<Spanned<String>>),
}

/// One piece of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Where it is written.
    pub span: Span,
    /// `align`: what its offset is a multiple of.
    pub align: Option<Spanned<i64>>,
    /// What it is.
    pub content: Content,
}

/// What a piece of a file is.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A tensor.
    Tensor(Box<TensorEntry>),
    /// `bytes`: so many that mean nothing.
    Skipped(Spanned<i64>),
    /// `value`: these bytes.
    Bytes(Vec<u8>),
}

/// A tensor in a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TensorEntry {
    /// `id`: what bullet calls it.
    pub id: Option<Spanned<String>>,
    /// `tensor`: which of the network's.
    pub tensor: Option<Spanned<String>>,
    /// `type` of its values.
    pub element: Option<Spanned<Element>>,
    /// `axes`: their order, outermost first.
    pub axes: Option<Spanned<Vec<Spanned<Axis>>>>,
    /// `transposed`: whether bullet transposed it.
    pub transposed: Option<Spanned<bool>>,
    /// `pad`: what the length of the innermost axis is padded to a multiple of.
    pub pad: Option<Spanned<i64>>,
    /// `one`: what stands for 1.0 when floating point becomes integers.
    pub one: Option<Spanned<f64>>,
    /// `rounding`: what then happens to fractions.
    pub rounding: Option<Spanned<Rounding>>,
}

named! {
    /// Which of the files that bullet writes.
    BulletKind {
        /// `quantised.bin`.
        Quantised = "quantised",
        /// `raw.bin`.
        Raw = "raw",
        /// `weights.bin`.
        Weights = "weights",
    }
}

/// The types that a tensor's values can have in a file.
impl Named for Element {
    const NAMES: &'static [(&'static str, Element)] = &[
        ("i8", Element::I8),
        ("i16", Element::I16),
        ("i32", Element::I32),
        ("f32", Element::F32),
    ];
}

/// How a file stores the transformer's tensors.
impl Named for Encoding {
    const NAMES: &'static [(&'static str, Encoding)] =
        &[("raw", Encoding::Raw), ("leb128", Encoding::Leb128)];
}

/// What happens to fractions when floating point becomes integers.
impl Named for Rounding {
    const NAMES: &'static [(&'static str, Rounding)] = &[
        ("truncate", Rounding::Truncate),
        ("nearest", Rounding::Nearest),
    ];
}

named! {
    /// An axis of a tensor.
    Axis {
        /// Of the transformer's weights.
        Feature = "feature",
        /// Of the transformer's weights and biases.
        Neuron = "neuron",
        /// Of layers' tensors, and of PSQT values.
        Stack = "stack",
        /// Of layers' tensors.
        Output = "output",
        /// Of layers' weights.
        Input = "input",
    }
}

named! {
    /// What pads a file to a multiple of 64 bytes.
    TailName {
        /// The text `bullet`, repeated.
        Bullet = "bullet",
        /// Zeros.
        Zeros = "zeros",
        /// Nothing does.
        None = "none",
    }
}
