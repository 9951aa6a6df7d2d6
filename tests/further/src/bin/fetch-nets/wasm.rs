//! The initial memory of a WebAssembly module, from its active data segments.
//!
//! Linkers leave runs of zeros out, so data that is contiguous in memory may be in thousands of
//! segments in the file.

use std::fmt;

use wasmparser::{BinaryReaderError, ConstExpr, Data, DataKind, Operator, Parser, Payload};

/// Engines' modules start with about 100 MB; anything far beyond that is a damaged file.
const MAX_MEMORY: usize = 1 << 30;

/// Why a module's memory could not be rebuilt. Offsets are from the module's start.
#[derive(Debug)]
pub(crate) enum WasmError {
    /// It is no module, or a damaged one.
    Malformed(BinaryReaderError),
    /// A segment that the module's code places, or one in another memory.
    SegmentKind {
        /// Where the segment begins.
        offset: u64,
    },
    /// The place of a segment is not a constant.
    SegmentPlace {
        /// Where the segment begins.
        offset: u64,
    },
    /// The memory would be larger than 1 GiB.
    TooLarge {
        /// Where the segment begins.
        offset: u64,
    },
}

/// The memory as it is before the module runs, up to the end of the last segment.
///
/// # Errors
///
/// If the module is malformed, or if it has segments that are not active ones of the first memory
/// at a constant place.
pub(crate) fn linear_memory(module: &[u8]) -> Result<Vec<u8>, WasmError> {
    let mut memory = Vec::new();
    for payload in Parser::new(0).parse_all(module) {
        if let Payload::DataSection(segments) = payload? {
            for segment in segments {
                copy_segment(&segment?, &mut memory)?;
            }
        }
    }
    Ok(memory)
}

fn copy_segment(segment: &Data<'_>, memory: &mut Vec<u8>) -> Result<(), WasmError> {
    let offset = segment.range.start;
    let DataKind::Active {
        memory_index: 0,
        offset_expr,
    } = &segment.kind
    else {
        return Err(WasmError::SegmentKind { offset });
    };
    let place = constant(offset_expr)?.ok_or(WasmError::SegmentPlace { offset })?;
    let end = place.saturating_add(segment.data.len());
    if end > MAX_MEMORY {
        return Err(WasmError::TooLarge { offset });
    }
    if memory.len() < end {
        memory.resize(end, 0);
    }
    memory[place..end].copy_from_slice(segment.data);
    Ok(())
}

/// The value of an expression that is one constant.
fn constant(expression: &ConstExpr<'_>) -> Result<Option<usize>, WasmError> {
    let mut operators = expression.get_operators_reader();
    Ok(match (operators.read()?, operators.read()?) {
        (Operator::I32Const { value }, Operator::End) => Some(value as u32 as usize),
        _ => None,
    })
}

impl From<BinaryReaderError> for WasmError {
    fn from(error: BinaryReaderError) -> WasmError {
        WasmError::Malformed(error)
    }
}

impl fmt::Display for WasmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WasmError::Malformed(error) => {
                let (message, offset) = (error.message(), error.offset());
                write!(f, "no WebAssembly module: {message} at byte {offset}")
            }
            WasmError::SegmentKind { offset } => write!(
                f,
                "found a data segment at byte {offset} that is passive or of another memory, expected an active one of the first memory"
            ),
            WasmError::SegmentPlace { offset } => write!(
                f,
                "found a data segment at byte {offset} whose place is no constant, expected `i32.const`"
            ),
            WasmError::TooLarge { offset } => write!(
                f,
                "data segment at byte {offset} ends beyond {MAX_MEMORY} bytes of memory"
            ),
        }
    }
}

impl std::error::Error for WasmError {}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module with a section to skip and a data section of that content.
    fn module(data: &[u8]) -> Vec<u8> {
        let length = [(data.len() & 0x7F) as u8 | 0x80, (data.len() >> 7) as u8];
        [&b"\0asm\x01\0\0\0\x00\x02\x01x\x0B"[..], &length, data].concat()
    }

    /// Where the first segment begins.
    const FIRST: usize = 16;

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
        assert!(linear_memory(b"\0asm\x01\0\0\0").unwrap().is_empty());
    }

    #[test]
    fn what_is_not_supported_is_refused_with_its_place() {
        let segment = |what: &str| format!("data segment at byte {FIRST} {what}");
        for (data, expected) in [
            (&b"\x01\x01\x02hi"[..], segment("that is passive")),
            (
                b"\x01\x02\x01\x41\x00\x0B\x01h",
                segment("that is passive or of another memory"),
            ),
            (
                b"\x01\x00\x23\x00\x0B\x01h",
                segment("whose place is no constant"),
            ),
            (
                b"\x01\x00\x41\x00\x41\x00\x6A\x0B\x01h",
                segment("whose place is no constant"),
            ),
            (
                b"\x01\x00\x41\x7F\x0B\x01h",
                segment("ends beyond 1073741824 bytes of memory"),
            ),
            (
                b"\x01\x00\x41\x80\x80\x80\x80\x80\x00\x0B\x01h",
                "no WebAssembly module: ".into(),
            ),
            (
                b"\x01\x00\x41\x00\x0B\x02h",
                "no WebAssembly module: unexpected end-of-file at byte 21".into(),
            ),
        ] {
            let message = linear_memory(&module(data)).unwrap_err().to_string();
            assert!(message.contains(&expected), "{data:?}: {message}");
        }
        let message = linear_memory(b"\x7FELF\x02\x01\x01\0").unwrap_err();
        let message = message.to_string();
        assert!(message.starts_with("no WebAssembly module: "), "{message}");
    }

    #[test]
    fn every_cut_is_refused_or_leaves_whole_sections() {
        let whole = module(b"\x02\x00\x41\x03\x0B\x02hi\x00\x41\xC8\x01\x0B\x01!");
        for length in 0..whole.len() {
            match linear_memory(&whole[..length]) {
                Ok(memory) => assert!(memory.is_empty() && [8, 12].contains(&length), "{length}"),
                Err(error) => assert!(matches!(error, WasmError::Malformed(_)), "{length}"),
            }
        }
    }
}
