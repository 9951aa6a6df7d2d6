//! The initial memory of a WebAssembly module, from its active data segments.
//!
//! Linkers leave runs of zeros out, so data that is contiguous in memory may be in thousands of
//! segments in the file.

use std::fmt;

/// Engines' modules start with about 100 MB; anything far beyond that is a damaged file.
const MAX_MEMORY: usize = 1 << 30;

const DATA_SECTION: u8 = 11;
const I32_CONST: u8 = 0x41;
const END: u8 = 0x0B;

/// Why a module's memory could not be rebuilt. Offsets are from the module's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WasmError {
    /// It does not begin as a WebAssembly module of version 1.
    NotWasm,
    /// It ends early, or a length reaches beyond its end.
    Truncated {
        /// Where more bytes were expected.
        offset: usize,
    },
    /// A number has too many bytes.
    Number {
        /// Where the number is.
        offset: usize,
    },
    /// A segment that the module's code places, or one in another memory.
    SegmentKind {
        /// Where the segment begins.
        offset: usize,
        /// Its kind; only 0 is supported.
        found: u32,
    },
    /// The place of a segment is not a constant.
    SegmentPlace {
        /// Where the segment begins.
        offset: usize,
    },
    /// The memory would be larger than 1 GiB.
    TooLarge {
        /// Where the segment begins.
        offset: usize,
    },
}

/// The memory as it is before the module runs, up to the end of the last segment.
///
/// # Errors
///
/// If the module is malformed, or if it has segments that are not active ones of the first memory
/// at a constant place.
pub fn linear_memory(module: &[u8]) -> Result<Vec<u8>, WasmError> {
    let mut reader = Reader {
        bytes: module,
        offset: 0,
    };
    if reader.take(8) != Ok(b"\0asm\x01\0\0\0") {
        return Err(WasmError::NotWasm);
    }
    let mut memory = Vec::new();
    while reader.offset < module.len() {
        let section = reader.byte()?;
        let length = reader.unsigned()? as usize;
        let content = reader.offset;
        let end = content + reader.take(length)?.len();
        if section == DATA_SECTION {
            let mut segments = Reader {
                bytes: &module[..end],
                offset: content,
            };
            for _ in 0..segments.unsigned()? {
                segments.copy_segment(&mut memory)?;
            }
        }
    }
    Ok(memory)
}

impl fmt::Display for WasmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotWasm => write!(f, "found no WebAssembly module of version 1"),
            Self::Truncated { offset } => write!(f, "module ends early at byte {offset}"),
            Self::Number { offset } => {
                write!(f, "found a number of too many bytes at byte {offset}")
            }
            Self::SegmentKind { offset, found } => {
                write!(
                    f,
                    "found a data segment of kind {found} at byte {offset}, expected 0, an active one"
                )
            }
            Self::SegmentPlace { offset } => {
                write!(
                    f,
                    "found a data segment at byte {offset} whose place is no constant, expected `i32.const`"
                )
            }
            Self::TooLarge { offset } => {
                write!(
                    f,
                    "data segment at byte {offset} ends beyond {MAX_MEMORY} bytes of memory"
                )
            }
        }
    }
}

impl std::error::Error for WasmError {}

struct Reader<'m> {
    bytes: &'m [u8],
    offset: usize,
}

impl<'m> Reader<'m> {
    fn copy_segment(&mut self, memory: &mut Vec<u8>) -> Result<(), WasmError> {
        let offset = self.offset;
        let kind = self.unsigned()?;
        if kind != 0 {
            return Err(WasmError::SegmentKind {
                offset,
                found: kind,
            });
        }
        if self.byte()? != I32_CONST {
            return Err(WasmError::SegmentPlace { offset });
        }
        let place = self.signed()? as u32 as usize;
        if self.byte()? != END {
            return Err(WasmError::SegmentPlace { offset });
        }
        let length = self.unsigned()? as usize;
        let data = self.take(length)?;
        let end = place.saturating_add(data.len());
        if end > MAX_MEMORY {
            return Err(WasmError::TooLarge { offset });
        }
        if memory.len() < end {
            memory.resize(end, 0);
        }
        memory[place..end].copy_from_slice(data);
        Ok(())
    }

    fn take(&mut self, length: usize) -> Result<&'m [u8], WasmError> {
        let rest = &self.bytes[self.offset..];
        let taken = rest.get(..length).ok_or(WasmError::Truncated {
            offset: self.offset,
        })?;
        self.offset += length;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, WasmError> {
        Ok(self.take(1)?[0])
    }

    fn unsigned(&mut self) -> Result<u32, WasmError> {
        Ok(self.leb128()?.0 as u32)
    }

    fn signed(&mut self) -> Result<i32, WasmError> {
        let (value, bits) = self.leb128()?;
        let unused = 64 - bits;
        Ok(((value << unused) as i64 >> unused) as i32)
    }

    /// The bits of a number of up to five bytes, and how many they are.
    fn leb128(&mut self) -> Result<(u64, u32), WasmError> {
        let offset = self.offset;
        let mut value = 0;
        for bits in (0..35).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7F) << bits;
            if byte & 0x80 == 0 {
                return Ok((value, bits + 7));
            }
        }
        Err(WasmError::Number { offset })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module with a section to skip and a data section of that content.
    fn module(data: &[u8]) -> Vec<u8> {
        let length = [(data.len() & 0x7F) as u8 | 0x80, (data.len() >> 7) as u8];
        [&b"\0asm\x01\0\0\0\x01\x02\xAA\xBB\x0B"[..], &length, data].concat()
    }

    #[test]
    fn segments_are_placed_and_gaps_are_zero() {
        // Places 3 and 200; the second needs two bytes, since bit 6 would make it negative.
        let data = b"\x02\x00\x41\x03\x0B\x02hi\x00\x41\xC8\x01\x0B\x01!";
        let memory = linear_memory(&module(data)).unwrap();
        assert_eq!(memory.len(), 201);
        assert_eq!(&memory[..6], b"\0\0\0hi\0");
        assert!(memory[5..200].iter().all(|&byte| byte == 0));
        assert_eq!(memory[200], b'!');
    }

    #[test]
    fn a_module_without_data_has_no_memory() {
        assert_eq!(linear_memory(b"\0asm\x01\0\0\0"), Ok(Vec::new()));
    }

    #[test]
    fn what_is_not_supported_is_refused() {
        for (data, expected) in [
            (
                &b"\x01\x01\x02hi"[..],
                WasmError::SegmentKind {
                    offset: 16,
                    found: 1,
                },
            ),
            (
                b"\x01\x00\x23\x00\x0B\x01h",
                WasmError::SegmentPlace { offset: 16 },
            ),
            (
                b"\x01\x00\x41\x00\x6A\x01h",
                WasmError::SegmentPlace { offset: 16 },
            ),
            (
                b"\x01\x00\x41\x7F\x0B\x01h",
                WasmError::TooLarge { offset: 16 },
            ),
            (
                b"\x01\x00\x41\x80\x80\x80\x80\x80\x00\x0B\x01h",
                WasmError::Number { offset: 18 },
            ),
            (
                b"\x01\x00\x41\x00\x0B\x02h",
                WasmError::Truncated { offset: 21 },
            ),
        ] {
            assert_eq!(linear_memory(&module(data)), Err(expected), "{data:?}");
        }
        assert_eq!(
            linear_memory(b"\x7FELF\x02\x01\x01\0"),
            Err(WasmError::NotWasm)
        );
    }

    #[test]
    fn every_cut_is_refused_or_leaves_whole_sections() {
        let whole = module(b"\x02\x00\x41\x03\x0B\x02hi\x00\x41\xC8\x01\x0B\x01!");
        for length in 0..whole.len() {
            match linear_memory(&whole[..length]) {
                Ok(memory) => assert!(memory.is_empty() && [8, 12].contains(&length), "{length}"),
                Err(error) => assert!(
                    matches!(error, WasmError::NotWasm | WasmError::Truncated { .. }),
                    "{length}"
                ),
            }
        }
    }
}
