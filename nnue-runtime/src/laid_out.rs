//! Weights as they lie in memory, in a file that is mapped or in memory that processes share:
//! nothing is decoded, and nothing is copied.
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 16 | [`MAGIC`] |
//! | 16 | 4 | [`VERSION`] |
//! | 20 | 4 | the number 0x0A0B0C0D, in the byte order of the weights |
//! | 24 | 8 | length of the weights |
//! | 32 | 32 | [`layout_hash`] of the network |
//! | 64 | 32 | BLAKE3 of the weights, or zeros where nobody has computed it |
//! | 96 | 32 | BLAKE3 of the header: all other bytes before the end of what follows |
//! | 128 | 8 + n | length of what follows; the level's name, the order of packed columns, what else the net file has |
//! | [`WEIGHTS_OFFSET`] | | the weights, as they lie in memory |
//!
//! Numbers are little-endian, except for the number that shows the byte order.

mod content;
mod error;
#[cfg(test)]
mod tests;

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Write};
use std::io::{self, Read};

use blake3::Hasher;
use nnue_format::kept::{Reader, put, put_bytes};
use nnue_format::{FileLayout, Loaded};

pub use self::content::{content_hash, file_content_hash};
pub use self::error::MapError;

/// The first bytes of laid-out weights. The last of these bytes show whether a transfer took the
/// file for text and changed it.
pub const MAGIC: &[u8; 16] = b"NNUE laid out\r\n\x1A";

/// The version of everything that a [`FileLayout`] does not say: the header, and the way in which
/// its parts lie in memory.
pub const VERSION: u32 = 1;

/// The offset of the weights, which is a multiple of the size of a huge page.
pub const WEIGHTS_OFFSET: usize = 2 << 20;

const BYTE_ORDER: u32 = 0x0A0B_0C0D;

/// The number of header bytes whose length does not depend on the network.
const FIXED_LEN: usize = 136;

/// The place of the header's own hash.
const HEADER_HASH: core::ops::Range<usize> = 96..128;

/// The content of the header of laid-out weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaidOut {
    /// The name of the level that the weights are laid out for.
    pub level: String,
    /// The order of packed columns, as [`Segment::packed`](nnue_format::Segment::packed) describes it.
    pub packed: Vec<usize>,
    /// The content of the net file besides its weights.
    pub loaded: Loaded,
    /// The BLAKE3 of the weights; `None` if nobody has computed it.
    pub hash: Option<[u8; 32]>,
}

impl LaidOut {
    /// The bytes of the header for `weights_len` bytes of weights.
    ///
    /// # Errors
    ///
    /// [`MapError::HeaderTooLong`] if a net file has more to keep than fits before
    /// [`WEIGHTS_OFFSET`].
    pub fn header(&self, layout: &FileLayout, weights_len: usize) -> Result<Vec<u8>, MapError> {
        let mut header = MAGIC.to_vec();
        header.extend(VERSION.to_le_bytes());
        header.extend(BYTE_ORDER.to_ne_bytes());
        put(&mut header, weights_len);
        header.extend(layout_hash(layout, weights_len));
        header.extend(self.hash.unwrap_or_default());
        header.extend([0; 32]);
        let mut rest = Vec::new();
        put_bytes(&mut rest, layout.name.as_bytes());
        put_bytes(&mut rest, self.level.as_bytes());
        put(&mut rest, self.packed.len());
        self.packed.iter().for_each(|group| put(&mut rest, *group));
        put_bytes(&mut rest, &self.loaded.encode(layout));
        put_bytes(&mut header, &rest);
        if header.len() > WEIGHTS_OFFSET {
            return Err(MapError::HeaderTooLong {
                len: header.len() as u64,
                limit: WEIGHTS_OFFSET as u64,
            });
        }
        let hash = header_hash(&header);
        header[HEADER_HASH].copy_from_slice(&hash);
        Ok(header)
    }

    /// Writes the whole file: the header and the weights that it describes.
    ///
    /// # Errors
    ///
    /// The errors of the writer, and [`MapError::HeaderTooLong`].
    pub fn write(
        &self,
        layout: &FileLayout,
        weights: &[u8],
        mut writer: impl io::Write,
    ) -> Result<(), MapError> {
        let mut header = self.header(layout, weights.len())?;
        header.resize(WEIGHTS_OFFSET, 0);
        writer.write_all(&header)?;
        Ok(writer.write_all(weights)?)
    }

    /// Reads the header of a file of `file_len` bytes, which must have weights of this layout.
    ///
    /// # Errors
    ///
    /// All errors of [`MapError`] but [`MapError::DamagedWeights`] and [`MapError::HeaderTooLong`].
    pub fn read(
        layout: &FileLayout,
        weights_len: usize,
        file_len: u64,
        mut reader: impl Read,
    ) -> Result<LaidOut, MapError> {
        let mut header = Vec::new();
        let mut fixed = reader.by_ref().take(FIXED_LEN as u64);
        fixed.read_to_end(&mut header)?;
        if !header.starts_with(MAGIC) {
            return Err(MapError::NotLaidOut { found: None });
        }
        let length = |needed: usize| MapError::Length {
            expected: needed as u64,
            found: file_len,
        };
        let Some(fixed) = header.first_chunk::<FIXED_LEN>() else {
            return Err(length(WEIGHTS_OFFSET + weights_len));
        };
        let word = |at: usize| Reader(&fixed[at..]).take_array().unwrap_or_default();
        let hash = |at: usize| Reader(&fixed[at..]).take_array().unwrap_or_default();
        // In a later version, all bytes behind the version may have other meanings.
        let version = u32::from_le_bytes(word(16));
        if version != VERSION {
            return Err(MapError::Version {
                found: version,
                expected: VERSION,
            });
        }
        if u32::from_ne_bytes(word(20)) != BYTE_ORDER {
            return Err(match u32::from_ne_bytes(word(20)).swap_bytes() {
                BYTE_ORDER => MapError::ByteOrder,
                _ => MapError::DamagedHeader,
            });
        }
        let number = |at: usize| Reader(&fixed[at..]).take_number();
        let rest_len = number(FIXED_LEN - 8).filter(|len| *len <= WEIGHTS_OFFSET - FIXED_LEN);
        let rest_len = rest_len.ok_or(MapError::DamagedHeader)?;
        let (found_len, found_layout, of_weights) = (number(24), hash(32), hash(64));
        reader.take(rest_len as u64).read_to_end(&mut header)?;
        if header.len() < FIXED_LEN + rest_len {
            return Err(length(WEIGHTS_OFFSET + weights_len));
        }
        if header_hash(&header) != header[HEADER_HASH] {
            return Err(MapError::DamagedHeader);
        }
        let mut rest = Reader(&header[FIXED_LEN..]);
        let name = take_text(&mut rest).ok_or(MapError::DamagedHeader)?;
        if found_layout != layout_hash(layout, weights_len) {
            return Err(MapError::OtherLayout {
                found: name,
                expected: layout.name.clone(),
            });
        }
        let expected_len = WEIGHTS_OFFSET + weights_len;
        if found_len != Some(weights_len) || file_len != expected_len as u64 {
            return Err(length(expected_len));
        }
        let mut read = || {
            Some(LaidOut {
                level: take_text(&mut rest)?,
                packed: take_order(&mut rest)?,
                loaded: Loaded::decode(layout, rest.take_bytes()?)?,
                hash: (of_weights != [0; 32]).then_some(of_weights),
            })
        };
        read().ok_or(MapError::DamagedHeader)
    }

    /// Compares the weights with their hash.
    ///
    /// # Errors
    ///
    /// [`MapError::DamagedWeights`] if the hash differs, [`MapError::NoHash`] if there is no hash.
    pub fn check(&self, weights: &[u8]) -> Result<(), MapError> {
        match self.hash {
            None => Err(MapError::NoHash),
            Some(hash) if hash != weights_hash(weights) => Err(MapError::DamagedWeights),
            Some(_) => Ok(()),
        }
    }
}

fn take_text(rest: &mut Reader<'_>) -> Option<String> {
    let text = core::str::from_utf8(rest.take_bytes()?);
    text.ok().map(ToString::to_string)
}

/// An order of columns: a permutation of the groups of a vector, at most eight.
fn take_order(rest: &mut Reader<'_>) -> Option<Vec<usize>> {
    let len = rest.take_number();
    let len = len.filter(|len| len.is_power_of_two() && *len <= 8)?;
    let order: Vec<usize> = (0..len)
        .map(|_| rest.take_number())
        .collect::<Option<_>>()?;
    let is_permutation = (0..len).all(|group| order.contains(&group));
    is_permutation.then_some(order)
}

/// The BLAKE3 of weights as they lie in memory.
#[must_use]
pub fn weights_hash(weights: &[u8]) -> [u8; 32] {
    blake3::hash(weights).into()
}

/// The hash that tells layouts apart: the BLAKE3 of everything that a layout says, and of the
/// length of the weights.
#[must_use]
pub fn layout_hash(layout: &FileLayout, weights_len: usize) -> [u8; 32] {
    struct HashWriter(Hasher);
    impl Write for HashWriter {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0.update(text.as_bytes());
            Ok(())
        }
    }
    let mut hashed = HashWriter(Hasher::new());
    // Writing into a hash cannot fail. The text has every field of the layout.
    let _ = write!(hashed, "{VERSION} {weights_len} {layout:?}");
    hashed.0.finalize().into()
}

fn header_hash(header: &[u8]) -> [u8; 32] {
    let mut hash = Hasher::new();
    hash.update(&header[..HEADER_HASH.start]);
    hash.update(&header[HEADER_HASH.end..]);
    hash.finalize().into()
}
