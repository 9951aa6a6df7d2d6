//! Checks a net file against a network while the user's crate compiles.
//!
//! The runtime's loader checks the same again when it decodes the file; here nothing is decoded, the file is
//! only walked, so that a wrong one is an error of the build and never one of the program.

use super::{Section, stack_sections, transformer_sections};
use crate::network::Network;
use crate::spec::Encoding;

/// What LEB128 blocks start with.
const MAGIC: &[u8] = b"COMPRESSED_LEB128";

/// Confirms that `file` is a net file for `network`.
///
/// # Errors
///
/// What differs, and where: the version, a hash, the length of a block, the total length, an integer that its
/// type cannot hold.
pub fn verify(network: &Network, file: &[u8]) -> Result<(), String> {
    let mut walk = Walk { file, offset: 0 };
    walk.word("version", network.file.version)?;
    walk.word("network hash", network.file.hash())?;
    let description = walk.length("description length")?;
    walk.skip("description", description)?;
    for section in transformer_sections(network) {
        walk.section("", &section)?;
    }
    for stack in 0..network.stacks.count {
        for section in stack_sections(network) {
            walk.section(&format!("stack {stack} "), &section)?;
        }
    }
    match file.len() - walk.offset {
        0 => Ok(()),
        rest => Err(format!(
            "{rest} bytes are left over at offset {}, expected the end of the file",
            walk.offset
        )),
    }
}

struct Walk<'a> {
    file: &'a [u8],
    offset: usize,
}

impl<'a> Walk<'a> {
    fn skip(&mut self, what: &str, len: usize) -> Result<&'a [u8], String> {
        let rest = &self.file[self.offset..];
        match rest.get(..len) {
            Some(bytes) => {
                self.offset += len;
                Ok(bytes)
            }
            None => Err(format!(
                "the file ends at offset {} inside {what}, which starts at offset {} and has {len} bytes",
                self.file.len(),
                self.offset
            )),
        }
    }

    fn length(&mut self, what: &str) -> Result<usize, String> {
        let bytes = self.skip(what, 4)?;
        Ok(bytes
            .iter()
            .rev()
            .fold(0, |word, byte| word << 8 | usize::from(*byte)))
    }

    fn word(&mut self, what: &str, expected: u32) -> Result<(), String> {
        let offset = self.offset;
        let found = self.length(what)?;
        if found == expected as usize {
            return Ok(());
        }
        Err(format!(
            "{what} at offset {offset} is {found:#010x}, expected {expected:#010x}"
        ))
    }

    fn section(&mut self, stack: &str, section: &Section) -> Result<(), String> {
        match section {
            Section::Hash { name, value } => self.word(&format!("{stack}{name} hash"), *value),
            Section::Tensor {
                name,
                encoding: Encoding::Raw,
                ..
            } => {
                let len = section.file_len().unwrap_or(0);
                let start = self.offset;
                let what = format!("{stack}{name}");
                if self.skip(&what, len)?.starts_with(MAGIC) {
                    return Err(format!(
                        "{what} at offset {start} is LEB128, expected raw integers"
                    ));
                }
                Ok(())
            }
            Section::Tensor {
                name,
                encoding: Encoding::Leb128,
                shape,
                bytes,
                ..
            } => self.leb128(name, shape.iter().product(), 8 * *bytes as u32),
        }
    }

    fn leb128(&mut self, name: &str, count: usize, bits: u32) -> Result<(), String> {
        let start = self.offset;
        if self.skip(name, MAGIC.len())? != MAGIC {
            return Err(format!(
                "{name} at offset {start} is not LEB128, expected a block that starts with `COMPRESSED_LEB128`"
            ));
        }
        let len = self.length(&format!("{name} byte count"))?;
        let start = self.offset;
        let block = self.skip(name, len)?;
        let mut integers = 0;
        let (mut value, mut shift) = (0i64, 0);
        for (index, byte) in block.iter().enumerate() {
            if shift > bits {
                return Err(format!(
                    "{name} has an integer longer than {bits} bits at offset {}",
                    start + index
                ));
            }
            value |= i64::from(byte & 0x7F) << shift;
            shift += 7;
            if byte & 0x80 != 0 {
                continue;
            }
            let signed = value << (64 - shift) >> (64 - shift);
            if signed >> (bits - 1) != signed >> 63 {
                return Err(format!(
                    "{name}[{integers}] at offset {} is {signed}, which does not fit in {bits} bits",
                    start + index
                ));
            }
            // The shortest encoding: without its last byte the value would be another one.
            if shift > 7 && signed << (71 - shift) >> (71 - shift) == signed {
                return Err(format!(
                    "{name}[{integers}] at offset {} is {signed} in more bytes than it needs",
                    start + index
                ));
            }
            integers += 1;
            (value, shift) = (0, 0);
        }
        if shift != 0 {
            return Err(format!(
                "{name} ends inside an integer at offset {}",
                self.offset
            ));
        }
        if integers != count {
            return Err(format!(
                "{name} at offset {start} holds {integers} integers, expected {count}"
            ));
        }
        Ok(())
    }
}
