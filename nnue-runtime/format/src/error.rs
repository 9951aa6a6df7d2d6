//! The reasons why a network file is refused.

mod message;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use crate::change::changes;
use crate::differences::differences;
use crate::{
    Candidates, Cause, Change, Difference, Element, Encoding, FieldForm, FileLayout, Identity,
    Limits, List, Place, Text,
};

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
/// * `identity` is what the file is instead, as far as that is known.
/// * `causes` are the changes that would explain the length of the file exactly.
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
    /// shape. The list says what differs, as far as it is known.
    NetworkHash(WrongWord, Vec<Difference>),
    /// The description claims to be longer than [`DESCRIPTION_LIMIT`](super::DESCRIPTION_LIMIT).
    DescriptionTooLong { length: u32, limit: u32 },
    /// The file ends in a section that needs more bytes than are available. `alike` are the spec
    /// and the networks whose files begin as this file does, if the spec's is not the only such
    /// network.
    Truncated {
        place: Place,
        offset: u64,
        needed: u64,
        available: u64,
        alike: Option<(Text, Candidates)>,
    },
    /// The file would fit if the spec were changed in one of these ways. `refused` says where the
    /// file does not fit now.
    OtherSpec {
        refused: Box<LoadError>,
        changes: Vec<Change>,
    },
    /// A hash in front of the transformer or of a stack is not that of the spec.
    SectionHash {
        place: Place,
        offset: u64,
        expected: u32,
        found: u32,
        elsewhere: Option<u64>,
        identity: Identity,
    },
    /// A tensor should be a LEB128 block and is not. `by_key`: the spec's `encoding` is likely to
    /// be wrong, because the tensor is the first tensor or has an `encoding` of its own.
    NotCompressed {
        place: Place,
        offset: u64,
        by_key: bool,
        elsewhere: Option<u64>,
        identity: Identity,
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
        causes: Vec<Cause>,
        identity: Identity,
    },
    /// Bytes that are the same in all files of the spec are different in this file.
    Bytes(Box<WrongBytes>),
    /// The last tensor ends at `offset`. Behind it should be `expected_len` bytes that repeat
    /// `text`.
    Tail {
        offset: u64,
        expected_len: u64,
        text: &'static [u8],
        causes: Vec<Cause>,
    },
    /// The file names a tensor that the network does not have. `found` is the name or its
    /// beginning.
    UnknownEntry {
        offset: u64,
        found: String,
        allowed: Vec<Text>,
        identity: Identity,
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
    /// The zstd data from an offset on are damaged. `message` is what the decoder says.
    Zstd { offset: u64, message: String },
    /// The file goes on after the last tensor.
    TrailingBytes { expected_len: u64, found_len: u64 },
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
    /// What the file is instead, as far as that is known.
    pub identity: Identity,
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
    /// What the file is instead, as far as that is known.
    pub identity: Identity,
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
    /// Adds the identity of the file to an error about its header or about the order of its
    /// sections.
    pub(crate) fn identified(mut self, layout: &FileLayout, identity: Identity) -> LoadError {
        match &mut self {
            Self::Version(word) => word.identity = identity,
            Self::NetworkHash(word, known) => {
                word.identity = identity;
                // Networks that share a header differ from the layout in several ways; only what is
                // true for all of them is known.
                let whole = identity.family().is_some();
                let mut families = identity.probable_families();
                if let Some(family) = families.next() {
                    *known = differences(&family, layout, whole);
                }
                for family in families {
                    let others = differences(&family, layout, whole);
                    known.retain(|difference| others.contains(difference));
                }
            }
            // The header is the layout's, so it tells nothing new.
            Self::SectionHash { identity: own, .. } | Self::NotCompressed { identity: own, .. }
                if (identity.family().is_some() && !identity.is_only(&layout.name))
                    || identity.excludes(&layout.name) =>
            {
                *own = identity;
            }
            Self::Truncated { alike, .. } => {
                let candidates = identity.doubts(&layout.name);
                *alike = candidates.map(|candidates| (layout.name.clone(), candidates));
            }
            _ => {}
        }
        self
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

    /// Adds the changes of the spec that would make the file fit, if there are any, to errors that
    /// such a change can explain.
    pub(crate) fn explained(mut self, layout: &FileLayout, source: &[u8]) -> LoadError {
        if !matches!(
            self,
            Self::Truncated { .. }
                | Self::SectionHash { .. }
                | Self::NotCompressed { .. }
                | Self::UnexpectedlyCompressed { .. }
                | Self::Leb128ByteCount { .. }
                | Self::TrailingBytes { .. }
        ) {
            return self;
        }
        let changes = changes(layout, source);
        if changes.is_empty() {
            return self;
        }
        // A change that fits explains more than the place at which the file does not fit.
        if let Self::SectionHash {
            elsewhere,
            identity,
            ..
        }
        | Self::NotCompressed {
            elsewhere,
            identity,
            ..
        } = &mut self
        {
            *elsewhere = None;
            if !matches!(identity, Identity::Spec { .. }) || identity.is_only(&layout.name) {
                *identity = Identity::Unknown;
            }
        }
        Self::OtherSpec {
            refused: Box::new(self),
            changes,
        }
    }
}

crate::debug_is_message!(LoadError);

impl core::error::Error for LoadError {}
