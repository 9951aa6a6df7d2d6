//! The reasons why a network file is refused.

mod message;

pub use self::message::Facts;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use crate::{Element, Encoding, FieldForm, Limits, List, Place, Text};

/// The reason why a network file is refused.
///
/// Fields of the same name mean the same in all variants. All lengths are in bytes.
///
/// * `spec` is the name of the spec.
/// * `place` is the tensor, or another section of the file.
/// * `offset` is the start of that section, in bytes from the start of the file.
/// * `found` is what the file has, and `expected`, `limit` or `allowed` what it should have.
/// * `elsewhere` is another offset at which the file has what is expected here. If there is such an
///   offset, a tensor before it has another size.
///
/// What the file is instead, and which change of the spec would make it fit, is not known here: the
/// compiler explains errors, and with it the macro, the command `nnue`, and engines with the feature
/// `explain` of nnue-runtime. The message of an error that can be explained names the command.
#[allow(
    missing_docs,
    reason = "the type says what the fields of all variants mean"
)]
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum LoadError {
    /// The version word at offset 0 is not that of the spec.
    Version(WrongWord),
    /// The network hash at offset 4 is not that of the spec: the file holds a network of another
    /// shape.
    NetworkHash(WrongWord),
    /// The description claims to be longer than [`DESCRIPTION_LIMIT`](super::DESCRIPTION_LIMIT).
    DescriptionTooLong { length: u32, limit: u32 },
    /// The file ends in a section that needs more bytes than are available.
    Truncated {
        place: Place,
        offset: u64,
        needed: u64,
        available: u64,
    },
    /// The file is refused as `refused` says, and it was looked at more closely: `message` says the
    /// same, and what the file is instead or which change of the spec would make it fit.
    Explained {
        refused: Box<LoadError>,
        message: String,
    },
    /// A hash in front of the transformer or of a stack is not that of the spec.
    SectionHash {
        place: Place,
        offset: u64,
        expected: u32,
        found: u32,
        elsewhere: Option<u64>,
    },
    /// A tensor should be a LEB128 block and is not. `by_key`: the spec's `encoding` is likely to
    /// be wrong, because the tensor is the first tensor or has an `encoding` of its own.
    NotCompressed {
        place: Place,
        offset: u64,
        by_key: bool,
        elsewhere: Option<u64>,
    },
    /// A tensor should be raw, or LEB128 values without the header of a block, and is a LEB128
    /// block. `by_key`: the spec's `encoding` is likely to be wrong, because the tensor is the
    /// first tensor or has an `encoding` of its own.
    UnexpectedlyCompressed {
        place: Place,
        offset: u64,
        by_key: bool,
        expected: Encoding,
    },
    /// The file ends before all LEB128 values of a tensor.
    ValuesMissing {
        place: Place,
        offset: u64,
        found: u64,
        expected: u64,
    },
    /// The byte count of a LEB128 block, at `offset`, does not fit the values. They take at least
    /// `at_least` bytes and at most `at_most`, which are the same number if all values were read.
    Leb128ByteCount {
        place: Place,
        offset: u64,
        found: u32,
        at_least: u64,
        at_most: u64,
    },
    /// The length of the file is not that of the spec's files. Where nothing in a file marks its
    /// tensors, a wrong file is recognised by its length alone.
    Size {
        spec: Text,
        expected: u64,
        found: u64,
    },
    /// Bytes that are the same in all files of the spec are different in this file.
    Bytes(Box<WrongBytes>),
    /// The last tensor ends at `offset`. Behind it should be `expected_len` bytes that repeat
    /// `text`.
    Tail {
        offset: u64,
        expected_len: u64,
        text: &'static [u8],
    },
    /// The file names a tensor that the network does not have. `found` is the name or its
    /// beginning.
    UnknownEntry {
        offset: u64,
        found: String,
        allowed: Vec<Text>,
    },
    /// The file has a tensor twice, for the second time at `offset`.
    EntryTwice { place: Place, offset: u64 },
    /// The file lacks a tensor.
    EntryMissing { place: Place },
    /// The file states another number of values for a tensor than the network has.
    EntryLen {
        place: Place,
        offset: u64,
        found: u64,
        expected: u64,
    },
    /// A value of a tensor cannot be loaded; `index` is its number in the file's order, from 0.
    Value {
        place: Place,
        index: u64,
        fault: ValueFault,
    },
    /// An input, whose number from 0 is `input`, has weights other than zero in more runs of 16
    /// outputs than memory has room for. `bucket` is the stack, if there are several.
    OutputBlocks {
        place: Place,
        bucket: Option<usize>,
        input: usize,
        found: usize,
        allowed: usize,
    },
    /// An output has a weight other than zero for an input of another shard. Both are numbered from
    /// 0. `bucket` is the stack, if there are several.
    Shards {
        place: Place,
        bucket: Option<usize>,
        output: usize,
        input: usize,
        value: f64,
    },
    /// A sum does not fit its type: of a row and its virtual rows, or of a stack's weights and the
    /// weights that all stacks share. `row` is the number of the row in the tensor, from 0.
    /// `column`, from 0, is the number of the neuron, the bucket or the input; for biases, that of
    /// the output.
    Coalesced {
        place: Place,
        row: u64,
        column: u64,
        own: f64,
        virtual_sum: f64,
        limits: Limits,
    },
    /// The file is compressed with zstd from an offset on, and the feature `zstd`, which can unpack
    /// it, is not enabled.
    ZstdNotEnabled { offset: u64 },
    /// The zstd data from an offset on are damaged. `message` is the decoder's.
    Zstd { offset: u64, message: String },
    /// The file goes on after the last tensor, which ends at `offset`, and what should follow it.
    TrailingBytes {
        offset: u64,
        expected_len: u64,
        found_len: u64,
    },
    /// The file is longer than any file of the spec can be.
    TooLong { limit: u64 },
    /// The file could not be read. `message` is the message of the operating system, after the
    /// file's path if that is known.
    #[cfg(feature = "std")]
    Io {
        kind: std::io::ErrorKind,
        message: String,
    },
}

/// A word of a file's header that differs from the spec's word.
#[derive(Clone, Debug, PartialEq)]
pub struct WrongWord {
    /// The name of the spec.
    pub spec: Text,
    /// The word that files of the spec have.
    pub expected: u32,
    /// The word that this file has.
    pub found: u32,
}

/// Bytes that differ from the spec's bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct WrongBytes {
    /// The field, or bytes without a name.
    pub place: Place,
    /// The form of the bytes.
    pub form: FieldForm,
    /// The offset of the bytes from the start of the file.
    pub offset: u64,
    /// The bytes that files of the spec have.
    pub expected: List<u8>,
    /// The bytes that this file has.
    pub found: Vec<u8>,
}

/// The reason why a value of a tensor cannot be loaded. Offsets are in bytes from the start of the
/// file.
#[allow(missing_docs, reason = "the variants say what their fields mean")]
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ValueFault {
    /// A LEB128 value is not in its shortest form, which takes at most `longest` bytes. Writing
    /// the network would therefore not give its file back.
    Overlong { offset: u64, longest: usize },
    /// A LEB128 value does not fit the type of the tensor.
    OutsideType {
        offset: u64,
        value: i64,
        element: Element,
    },
    /// A value is infinite or not a number.
    NotFinite { value: f64 },
    /// A value of the file does not fit the type in memory.
    OutOfRange { value: f64, limits: Limits },
}

impl LoadError {
    /// What the loader found, if this is its explanation, and otherwise the error itself.
    #[must_use]
    pub fn refused(&self) -> &LoadError {
        match self {
            Self::Explained { refused, .. } => refused,
            own => own,
        }
    }

    /// Whether a closer look at the file may tell what it is instead, or what is wrong with the
    /// spec.
    #[must_use]
    pub fn may_be_explained(&self) -> bool {
        let is_empty = matches!(
            self,
            Self::Truncated {
                offset: 0,
                available: 0,
                ..
            }
        );
        let may_be = matches!(
            self,
            Self::Version(_)
                | Self::NetworkHash(_)
                | Self::Truncated { .. }
                | Self::SectionHash { .. }
                | Self::NotCompressed { .. }
                | Self::UnexpectedlyCompressed { .. }
                | Self::Leb128ByteCount { .. }
                | Self::Size { .. }
                | Self::Bytes(_)
                | Self::Tail { .. }
                | Self::UnknownEntry { .. }
                | Self::TrailingBytes { .. }
        );
        may_be && !is_empty
    }

    /// Says that the key `encoding` is likely to be wrong, in errors that can say so.
    pub(crate) fn by_key(mut self) -> LoadError {
        if let Self::NotCompressed { by_key, .. } | Self::UnexpectedlyCompressed { by_key, .. } =
            &mut self
        {
            *by_key = true;
        }
        self
    }
}

crate::debug_is_message!(LoadError);

impl core::error::Error for LoadError {}
