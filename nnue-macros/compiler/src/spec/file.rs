//! The keys of `[file]`: a format, and the properties in which files of this format differ.

use nnue_format::{Axis, AxisPart, Element, Encoding, Overflow, Rounding};

use super::documented::documented;
use super::{Named, named};
use crate::diagnostics::{Span, Spanned};

/// The keys of the `[file]` table, which depend on its `format`.
#[derive(Clone, Debug, PartialEq)]
pub enum File {
    /// `format = "stockfish"` and its keys.
    Stockfish(Stockfish),
    /// `format = "bullet"` and its keys.
    Bullet(Bullet),
    /// `format = "tensors"` and its keys.
    Tensors(Tensors),
}

named! {
    /// The name of a file format.
    Format {
        /// The `.nnue` files of Stockfish.
        Stockfish = "stockfish",
        /// The files that the trainer bullet writes.
        Bullet = "bullet",
        /// Tensors one after the other, as the spec lists them.
        Tensors = "tensors",
    }
}

documented! {
    /// The keys of Stockfish's format.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Stockfish {
        /// The place of `format` in the spec.
        pub span: Span,
        /// `version`: the first word of the file.
        #[within(0..=u32::MAX as i64)]
        pub version: Spanned<i64>,
        /// `encoding`: how the transformer's tensors are encoded.
        #[default("raw")]
        pub encoding: Option<Spanned<Encoding>>,
        /// `psqt`: where the PSQT values of several feature sets are.
        #[default("after-weights")]
        pub psqt: Option<Spanned<PsqtPlace>>,
        /// `transformer_hash`: the transformer's hash, where it does not follow from the layers.
        #[within(0..=u32::MAX as i64)]
        pub transformer_hash: Option<Spanned<i64>>,
        /// `stack_hash`: the hash of a stack, where it does not follow from the layers.
        #[within(0..=u32::MAX as i64)]
        pub stack_hash: Option<Spanned<i64>>,
        /// `before_stacks`: content before the first stack that is no part of the network.
        pub before_stacks: Option<Spanned<Vec<Entry>>>,
    }
}

named! {
    /// The place of the PSQT values of several feature sets in a file of Stockfish's format.
    PsqtPlace {
        /// The PSQT values of all sets are one tensor, behind the weights of all sets.
        AfterWeights = "after-weights",
        /// The PSQT values of each set stand behind the weights of that set.
        AfterEachSet = "after-each-set",
    }
}

documented! {
    /// The keys of bullet's formats.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Bullet {
        /// The place of `format` in the spec.
        pub span: Span,
        /// `kind`: which of the files that bullet writes is described; `quantised.bin` when absent.
        #[default("quantised")]
        pub kind: Option<Spanned<BulletKind>>,
        /// `entries`: the tensors of the file; the transformer and all affine layers in order when
        /// absent.
        pub entries: Option<Spanned<Vec<Entry>>>,
        /// `transposed`: entries whose weights were transposed when they were saved.
        #[default(false)]
        pub transposed: Option<Spanned<Transposed>>,
        /// `rounding`: how floating point is rounded to integers.
        #[default("truncate")]
        pub rounding: Option<Spanned<Rounding>>,
        /// `overflow`: the treatment of integers that do not fit in their type.
        #[default("refuse")]
        pub overflow: Option<Spanned<Overflow>>,
        /// `tail`: the padding of the file.
        pub tail: Option<Spanned<TailName>>,
    }
}

documented! {
    /// The keys of the format `tensors`, which lists the tensors of a file.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Tensors {
        /// The place of `format` in the spec.
        pub span: Span,
        /// `tensors`: the tensors that a file has once, in file order.
        pub tensors: Spanned<Vec<Entry>>,
        /// `stack`: lists of the tensors that follow for each stack, in file order. The first list is
        /// there for all stacks before the second list begins, and so on.
        pub stack: Option<Vec<Vec<Entry>>>,
        /// `rounding`: how floating point is rounded to integers.
        #[default("truncate")]
        pub rounding: Option<Spanned<Rounding>>,
        /// `overflow`: the treatment of integers that do not fit in their type.
        #[default("refuse")]
        pub overflow: Option<Spanned<Overflow>>,
        /// `tail`: the padding of the file.
        #[default("none")]
        pub tail: Option<Spanned<TailName>>,
    }
}

/// Which entries of a file are transposed.
#[derive(Clone, Debug, PartialEq)]
pub enum Transposed {
    /// `true`: the weights of all layers are transposed. `false`: no weights are transposed.
    All(bool),
    /// The entries with these ids are transposed.
    Ids(Vec<Spanned<String>>),
}

documented! {
    /// An entry of a list: a piece of a file.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Entry {
        /// The place of the entry in the spec.
        pub span: Span,
        /// `align`: the entry's offset in the file is a multiple of this number of bytes.
        #[within(1..=4096)]
        #[default(1)]
        pub align: Option<Spanned<i64>>,
        /// The content of the file at this place.
        pub content: Content,
    }
}

/// The content of a piece of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A tensor of the network.
    Tensor(Box<TensorEntry>),
    /// `bytes`: this many bytes, whose content is free.
    Skipped(Field<Spanned<i64>>),
    /// `value`: the bytes that every file must have at this place.
    Bytes(Field<Value>),
    /// `kept`: numbers that the network does not use.
    Kept(Kept),
}

documented! {
    /// Numbers that the network does not use. They are kept for the engine.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Kept {
        /// `kept`: the name of the numbers, which is that of no tensor of the network.
        pub name: Spanned<String>,
        /// `type`: the type of the numbers.
        pub element: Spanned<Element>,
        /// `shape`: the number of them, or the numbers of rows and columns.
        pub shape: Spanned<Vec<Spanned<i64>>>,
    }
}

/// A field of a header, or bytes without a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Field<T> {
    /// `field`: the name of the field, if it has any.
    pub name: Option<Spanned<String>>,
    /// The content of the field.
    pub content: T,
}

/// The value that a field must hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Bytes.
    Bytes(Vec<u8>),
    /// `type = "text"`: a text.
    Text(Spanned<String>),
    /// A number, with its type.
    Number(FieldType, Spanned<i64>),
}

named! {
    /// The type of a field.
    FieldType {
        /// A text.
        Text = "text",
        /// A number of one byte.
        U8 = "u8",
        /// A number of two bytes.
        U16 = "u16",
        /// A number of four bytes.
        U32 = "u32",
        /// A number of eight bytes.
        U64 = "u64",
    }
}

documented! {
    /// A tensor in a file.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct TensorEntry {
        /// `id`: the name that bullet gives the tensor.
        pub id: Option<Spanned<String>>,
        /// `tensor`: the name of one tensor of the network, or of several tensors that belong together.
        pub tensor: Option<Spanned<String>>,
        /// `type`: the type of the tensor's values in the file.
        pub element: Option<Spanned<Element>>,
        /// `axes`: the tensor's axes in the file, outermost first.
        pub axes: Option<Spanned<Vec<Spanned<AxisPart>>>>,
        /// `transposed`: whether bullet transposed the tensor before it was saved.
        pub transposed: Option<Spanned<bool>>,
        /// `encoding`: how the tensor's values are encoded in the file.
        #[default("raw")]
        pub encoding: Option<Spanned<Encoding>>,
        /// `pad`: the innermost axis is padded to a multiple of this number of values.
        #[within(1..=4096)]
        #[default(1)]
        pub pad: Option<Spanned<i64>>,
        /// `one`: the integer that stands for 1.0, where floating point in the file becomes integers or
        /// integers in the file become floating point.
        pub one: Option<Spanned<f64>>,
        /// `times`: the factor of the file's integers in the network.
        #[within(1..=65536)]
        #[default(1)]
        pub times: Option<Spanned<i64>>,
        /// `rounding`: how floating point, multiplied by `one`, is rounded to integers.
        pub rounding: Option<Spanned<Rounding>>,
        /// `overflow`: the treatment of integers that do not fit in their type.
        pub overflow: Option<Spanned<Overflow>>,
    }
}

named! {
    /// The kind of a file that bullet writes.
    BulletKind {
        /// `quantised.bin`: integers, as the save format of the trainer says.
        Quantised = "quantised",
        /// `raw.bin`: the same tensors in floating point.
        Raw = "raw",
        /// `weights.bin`: all tensors in floating point, each with its name.
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

/// How a file stores a tensor.
impl Named for Encoding {
    const NAMES: &'static [(&'static str, Encoding)] = &[
        ("raw", Encoding::Raw),
        ("leb128", Encoding::Leb128),
        ("bare-leb128", Encoding::BareLeb128),
    ];
}

impl Stockfish {
    /// The encodings that Stockfish's format has.
    pub const ENCODINGS: &'static [(&'static str, Encoding)] =
        &[("raw", Encoding::Raw), ("leb128", Encoding::Leb128)];
}

/// The treatment of integers that do not fit when floating point becomes integers.
impl Named for Overflow {
    const NAMES: &'static [(&'static str, Overflow)] =
        &[("refuse", Overflow::Refuse), ("clamp", Overflow::Clamp)];
}

/// The treatment of fractions when floating point becomes integers.
impl Named for Rounding {
    const NAMES: &'static [(&'static str, Rounding)] = &[
        ("truncate", Rounding::Truncate),
        ("nearest", Rounding::Nearest),
    ];
}

/// The axes of tensors.
impl Named for Axis {
    const NAMES: &'static [(&'static str, Axis)] = &[
        ("feature", Axis::Feature),
        ("neuron", Axis::Neuron),
        ("stack", Axis::Stack),
        ("output", Axis::Output),
        ("input", Axis::Input),
    ];
}

named! {
    /// The padding of a file to a multiple of 64 bytes.
    TailName {
        /// The text `bullet`, repeated.
        Bullet = "bullet",
        /// Bytes with the value zero.
        Zeros = "zeros",
        /// The file is not padded.
        None = "none",
    }
}
