//! The bytes of a file, and a tensor of it with its values as raw files have them.

use alloc::borrow::Cow;
use alloc::vec;
#[cfg(feature = "std")]
use std::fs::File;

use crate::element::swap_on_big_endian;
use crate::leb128::{self, Fault};
use crate::{Encoding, LoadError, Place, Tensor, ValueFault};

/// Bytes of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bytes<'a> {
    Here(&'a [u8]),
    /// Bytes that have not been read yet.
    #[cfg(feature = "std")]
    InFile {
        file: &'a File,
        offset: u64,
        len: usize,
    },
}

impl<'a> Bytes<'a> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Bytes::Here(bytes) => bytes.len(),
            #[cfg(feature = "std")]
            Bytes::InFile { len, .. } => *len,
        }
    }

    /// The first bytes and the rest.
    pub(crate) fn split_at(self, at: usize) -> (Bytes<'a>, Bytes<'a>) {
        match self {
            Bytes::Here(bytes) => {
                let (first, rest) = bytes.split_at(at);
                (Bytes::Here(first), Bytes::Here(rest))
            }
            #[cfg(feature = "std")]
            Bytes::InFile { file, offset, len } => {
                let part = |offset, len| Bytes::InFile { file, offset, len };
                (part(offset, at), part(offset + at as u64, len - at))
            }
        }
    }

    /// `len` bytes from `at` on; `None` if there are fewer.
    pub(crate) fn range(self, at: usize, len: usize) -> Option<Bytes<'a>> {
        let is_inside = at.checked_add(len)? <= self.len();
        is_inside.then(|| self.split_at(at).1.split_at(len).0)
    }

    /// All bytes; `None` if they cannot be read.
    pub(crate) fn read(self) -> Option<Cow<'a, [u8]>> {
        match self {
            Bytes::Here(bytes) => Some(Cow::Borrowed(bytes)),
            #[cfg(feature = "std")]
            Bytes::InFile { file, offset, len } => {
                let mut bytes = vec![0; len];
                crate::read_at(file, offset, &mut bytes).ok()?;
                Some(Cow::Owned(bytes))
            }
        }
    }
}

/// A tensor of a file.
#[derive(Clone, Debug)]
pub(crate) struct Part<'a> {
    /// The number of the section in the layout.
    pub(crate) section: usize,
    pub(crate) place: Place,
    pub(crate) tensor: &'a Tensor,
    /// The number of bytes that is added to the tensor's offset in memory.
    pub(crate) base: usize,
    /// The offset of `bytes` in the file.
    pub(crate) offset: usize,
    /// The raw values, or the bytes that follow the byte count of a LEB128 block.
    pub(crate) bytes: Bytes<'a>,
}

impl Part<'_> {
    /// The values as raw files have them.
    pub(crate) fn raw(&self) -> Result<Cow<'_, [u8]>, LoadError> {
        match self.tensor.stored.encoding {
            Encoding::Raw => self.read(),
            Encoding::Leb128 | Encoding::BareLeb128 => {
                let mut values = vec![0; self.tensor.stored.raw_len()];
                self.decompress(&mut values)?;
                swap_on_big_endian(&mut values, self.tensor.stored.element);
                Ok(Cow::Owned(values))
            }
        }
    }

    /// The bytes as the file has them.
    pub(crate) fn read(&self) -> Result<Cow<'_, [u8]>, LoadError> {
        self.bytes.read().ok_or_else(|| LoadError::Truncated {
            place: self.place.clone(),
            offset: self.offset as u64,
            needed: self.bytes.len() as u64,
            available: 0,
        })
    }

    pub(crate) fn value_error(&self, index: usize, fault: ValueFault) -> LoadError {
        LoadError::Value {
            place: self.place.clone(),
            index: index as u64,
            fault,
        }
    }

    /// Decodes LEB128 values into numbers of the machine's endianness.
    pub(crate) fn decompress(&self, memory: &mut [u8]) -> Result<(), LoadError> {
        let count = self.tensor.stored.values;
        let element = self.tensor.stored.element;
        let result = leb128::decode_as(element, &self.read()?, memory);
        let longest = leb128::longest(element.size());
        let byte_count = |at_least: usize, at_most: usize| LoadError::Leb128ByteCount {
            place: self.place.clone(),
            offset: (self.offset - 4) as u64,
            found: self.bytes.len() as u32,
            at_least: at_least as u64,
            at_most: at_most as u64,
        };
        let (index, fault) = match result {
            Ok(used) if used == self.bytes.len() => return Ok(()),
            Ok(used) => return Err(byte_count(used, used)),
            Err(Fault::Ended { decoded }) => {
                // A value that lacks a byte takes at least one byte more.
                let missing = count - decoded;
                let len = self.bytes.len();
                return Err(byte_count(len + missing, len + missing * longest));
            }
            Err(Fault::Overlong { index, offset }) => {
                let offset = (self.offset + offset) as u64;
                (index, ValueFault::Overlong { offset, longest })
            }
            Err(Fault::OutOfRange {
                index,
                offset,
                value,
            }) => {
                let fault = ValueFault::OutsideType {
                    offset: (self.offset + offset) as u64,
                    value,
                    element,
                };
                (index, fault)
            }
        };
        Err(self.value_error(index, fault))
    }
}
