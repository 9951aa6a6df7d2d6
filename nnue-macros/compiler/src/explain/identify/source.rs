//! Bytes that are read in any order, from memory or from the disk.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek};

/// Bytes that can be read in any order.
pub(super) trait Source {
    fn len(&self) -> u64;

    /// Fills the buffer with the bytes from `offset` on. Returns `false` if the source ends before,
    /// or if it cannot be read.
    fn read(&mut self, offset: u64, buffer: &mut [u8]) -> bool;

    fn word(&mut self, offset: u64) -> Option<u32> {
        let mut bytes = [0; 4];
        self.read(offset, &mut bytes)
            .then_some(u32::from_le_bytes(bytes))
    }
}

impl Source for &[u8] {
    fn len(&self) -> u64 {
        (**self).len() as u64
    }

    fn read(&mut self, offset: u64, buffer: &mut [u8]) -> bool {
        let found = usize::try_from(offset)
            .ok()
            .and_then(|offset| self.get(offset..)?.get(..buffer.len()));
        if let Some(bytes) = found {
            buffer.copy_from_slice(bytes);
        }
        found.is_some()
    }
}

/// A file. Only the requested bytes are read.
pub(super) struct DiskSource<'a> {
    len: u64,
    /// The position of the reader in the file.
    offset: u64,
    reader: BufReader<&'a File>,
    /// The error of reading, if there was any. The identity is worthless then.
    pub(super) error: Option<io::Error>,
}

impl<'a> DiskSource<'a> {
    /// A file of this length, whose position does not matter.
    pub(super) fn new(mut file: &'a File, len: u64) -> io::Result<DiskSource<'a>> {
        file.rewind()?;
        Ok(DiskSource {
            len,
            offset: 0,
            reader: BufReader::new(file),
            error: None,
        })
    }
}

impl Source for DiskSource<'_> {
    fn len(&self) -> u64 {
        self.len
    }

    fn read(&mut self, offset: u64, buffer: &mut [u8]) -> bool {
        let end = offset.saturating_add(buffer.len() as u64);
        if end > self.len {
            return false;
        }
        let distance = offset.cast_signed().wrapping_sub(self.offset.cast_signed());
        let result =
            (self.reader.seek_relative(distance)).and_then(|()| self.reader.read_exact(buffer));
        self.offset = end;
        result.map_err(|error| self.error = Some(error)).is_ok()
    }
}
