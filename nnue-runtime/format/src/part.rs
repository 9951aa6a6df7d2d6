//! A tensor of a file: its bytes, and its values as raw files have them.

use alloc::borrow::Cow;
use alloc::vec;

use crate::element::swap_on_big_endian;
use crate::leb128::{self, Fault};
use crate::{Encoding, LoadError, Place, Tensor, ValueFault};

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
    pub(crate) bytes: &'a [u8],
}

impl Part<'_> {
    /// The values as raw files have them.
    pub(crate) fn raw(&self) -> Result<Cow<'_, [u8]>, LoadError> {
        match self.tensor.stored.encoding {
            Encoding::Raw => Ok(Cow::Borrowed(self.bytes)),
            Encoding::Leb128 | Encoding::BareLeb128 => {
                let mut values = vec![0; self.tensor.raw_len()];
                self.decompress(&mut values)?;
                swap_on_big_endian(&mut values, self.tensor.stored.element);
                Ok(Cow::Owned(values))
            }
        }
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
        let result = leb128::decode_as(element, self.bytes, memory);
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
