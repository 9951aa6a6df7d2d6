//! From a file to weights.

use alloc::vec::Vec;

use super::error::LoadError;
use super::identify::{Identity, identify};
use super::layout::{
    Affine, DESCRIPTION_LIMIT, Element, Encoding, FileLayout, Order, Place, Section, Tensor,
};
use super::leb128::{self, Fault};

/// A file cut into its tensors: everything about it is checked but the values of LEB128 blocks.
#[derive(Clone, Debug)]
pub struct Parts<'a> {
    description: &'a [u8],
    /// Where the description ends in the file.
    body: usize,
    tensors: Vec<Part<'a>>,
    looks_like: Option<Identity>,
}

/// What a file says besides its weights.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loaded {
    /// The description in the header: text, usually, but any bytes are allowed.
    pub description: Vec<u8>,
    /// The bytes other than zero in columns of affine layers that are never evaluated, each with its offset from the
    /// end of the description, in ascending order. Some nets have a few there, for a pretty hash.
    pub ignored: Vec<(u64, u8)>,
    /// What the file is, where its header and its size are those of the layout but its weights are another network's.
    pub looks_like: Option<Identity>,
}

#[derive(Clone, Debug)]
struct Part<'a> {
    place: Place,
    tensor: &'static Tensor,
    /// Where the tensor begins in memory.
    memory: usize,
    /// Where `bytes` begin in the file.
    offset: usize,
    /// The raw values, or what follows the byte count of a LEB128 block.
    bytes: &'a [u8],
}

/// What is left of a file.
struct Cursor<'a> {
    source: &'a [u8],
    offset: usize,
}

/// Cuts a file into its tensors. Allocates next to nothing, so that it can come before the weights are allocated; a
/// file that passes has at least a byte for each value.
///
/// # Errors
///
/// All of [`LoadError`] but those about single LEB128 values, [`LoadError::TooLong`] and `LoadError::Io`.
pub fn split<'a>(layout: &FileLayout, source: &'a [u8]) -> Result<Parts<'a>, LoadError> {
    let mut cursor = Cursor { source, offset: 0 };
    let description_len = cursor.start(layout)?;
    let description = cursor.take(header("description"), description_len)?;
    let body = cursor.offset;

    let mut tensors = Vec::new();
    // The end of the last thing that could be recognised. If a section is not where it should be, it is searched for
    // from here.
    let mut landmark = body;
    for entry in layout.entries() {
        let place = entry.place;
        match entry.section {
            Section::Hash { expected, .. } => {
                cursor.hash(place, *expected, landmark)?;
                landmark = cursor.offset;
            }
            Section::Tensor(tensor) => {
                let bytes = match tensor.encoding {
                    Encoding::Raw => cursor.raw(place, tensor)?,
                    Encoding::Leb128 => cursor.block(place, tensor, landmark)?,
                };
                tensors.push(Part {
                    place,
                    tensor,
                    memory: entry.base + tensor.offset,
                    offset: cursor.offset - bytes.len(),
                    bytes,
                });
                if tensor.encoding == Encoding::Leb128 {
                    landmark = cursor.offset;
                }
            }
        }
    }
    if cursor.offset < source.len() {
        return Err(LoadError::TrailingBytes {
            expected_len: cursor.offset as u64,
            found_len: source.len() as u64,
        });
    }
    Ok(Parts {
        description,
        body,
        tensors,
        looks_like: contradiction(layout, source),
    })
}

/// What a file that fits the layout is, if not of the layout: nets of some networks differ in nothing but which weights
/// are zero.
fn contradiction(layout: &FileLayout, source: &[u8]) -> Option<Identity> {
    let identity = identify(source);
    let inputs = identity.family()?.inputs();
    let same = layout
        .affine_inputs()
        .eq(inputs.map(|inputs| inputs as usize));
    (!same).then_some(identity)
}

/// Checks what comes before the description, in any beginning of a file.
#[cfg(feature = "std")]
pub(crate) fn check_start(layout: &FileLayout, source: &[u8]) -> Result<(), LoadError> {
    Cursor { source, offset: 0 }.start(layout).map(drop)
}

impl Parts<'_> {
    /// Fills the weights, in the layout of a level with the packed order `packed` (see [`Affine::slot`]).
    ///
    /// # Errors
    ///
    /// Those about LEB128 values. `weights` is then partly filled.
    ///
    /// # Panics
    ///
    /// If `weights` is shorter than the layout says.
    pub fn load(&self, packed: &[usize], weights: &mut [u8]) -> Result<Loaded, LoadError> {
        let mut ignored = Vec::new();
        for part in &self.tensors {
            let memory = &mut weights[part.memory..][..part.tensor.memory_len()];
            match (&part.tensor.order, part.tensor.encoding) {
                (Order::Same { .. }, Encoding::Raw) => {
                    memory.copy_from_slice(part.bytes);
                    if cfg!(target_endian = "big") {
                        for value in memory.chunks_exact_mut(part.tensor.element.size()) {
                            value.reverse();
                        }
                    }
                }
                (Order::Same { .. }, Encoding::Leb128) => part.decompress(memory)?,
                (Order::Affine(affine), _) => {
                    let offset = part.offset - self.body;
                    scatter(affine, packed, part.bytes, memory, |column, byte| {
                        ignored.push(((offset + column) as u64, byte));
                    });
                }
            }
        }
        Ok(Loaded {
            description: self.description.to_vec(),
            ignored,
            looks_like: self.looks_like,
        })
    }
}

impl Part<'_> {
    fn decompress(&self, memory: &mut [u8]) -> Result<(), LoadError> {
        let count = self.tensor.count();
        let result = match self.tensor.element {
            Element::I8 => leb128::decode::<1>(self.bytes, memory.as_chunks_mut().0),
            Element::I16 => leb128::decode::<2>(self.bytes, memory.as_chunks_mut().0),
            Element::I32 => leb128::decode::<4>(self.bytes, memory.as_chunks_mut().0),
        };
        let place = self.place;
        let longest = leb128::longest(self.tensor.element.size());
        let byte_count = |at_least: usize, at_most: usize| LoadError::Leb128ByteCount {
            place,
            offset: (self.offset - 4) as u64,
            found: self.bytes.len() as u32,
            at_least: at_least as u64,
            at_most: at_most as u64,
        };
        let file_offset = |offset: usize| (self.offset + offset) as u64;
        match result {
            Ok(used) if used == self.bytes.len() => Ok(()),
            Ok(used) => Err(byte_count(used, used)),
            Err(Fault::Ended { decoded }) => {
                // Each value that is missing, wholly or in part, takes at least one byte more.
                let missing = count - decoded;
                let len = self.bytes.len();
                Err(byte_count(len + missing, len + missing * longest))
            }
            Err(Fault::Overlong { index, offset }) => Err(LoadError::Leb128Overlong {
                place,
                index: index as u64,
                offset: file_offset(offset),
                longest,
            }),
            Err(Fault::OutOfRange {
                index,
                offset,
                value,
            }) => Err(LoadError::Leb128OutOfRange {
                place,
                index: index as u64,
                offset: file_offset(offset),
                value,
                element: self.tensor.element,
            }),
        }
    }
}

impl<'a> Cursor<'a> {
    /// Checks the header up to the length of the description, and returns that.
    fn start(&mut self, layout: &FileLayout) -> Result<usize, LoadError> {
        let version = self.word(header("version"))?;
        if version != layout.version {
            return Err(LoadError::Version {
                spec: layout.name,
                expected: layout.version,
                found: version,
                identity: identify(self.source),
            });
        }
        let hash = self.word(header("network hash"))?;
        if hash != layout.hash {
            return Err(LoadError::NetworkHash {
                spec: layout.name,
                expected: layout.hash,
                found: hash,
                identity: identify(self.source),
            });
        }
        let length = self.word(header("description length"))?;
        if length > DESCRIPTION_LIMIT {
            return Err(LoadError::DescriptionTooLong {
                length,
                limit: DESCRIPTION_LIMIT,
            });
        }
        Ok(length as usize)
    }

    fn hash(&mut self, place: Place, expected: u32, landmark: usize) -> Result<(), LoadError> {
        let offset = self.offset;
        let found = self.word(place)?;
        if found == expected {
            return Ok(());
        }
        Err(LoadError::SectionHash {
            place,
            offset: offset as u64,
            expected,
            found,
            elsewhere: self.find(&expected.to_le_bytes(), landmark),
        })
    }

    fn raw(&mut self, place: Place, tensor: &Tensor) -> Result<&'a [u8], LoadError> {
        // Before anything else: where a block is found, its length would only lead astray.
        if self.rest().starts_with(leb128::MAGIC) {
            return Err(LoadError::UnexpectedlyCompressed {
                place,
                offset: self.offset as u64,
            });
        }
        self.take(place, tensor.raw_len())
    }

    fn block(
        &mut self,
        place: Place,
        tensor: &Tensor,
        landmark: usize,
    ) -> Result<&'a [u8], LoadError> {
        let offset = self.offset;
        if self.take(place, leb128::MAGIC.len())? != leb128::MAGIC {
            return Err(LoadError::NotCompressed {
                place,
                offset: offset as u64,
                elsewhere: self.find(leb128::MAGIC, landmark),
            });
        }
        let offset = self.offset;
        let byte_count = self.word(place)?;
        let allowed = tensor.leb128_len();
        if !allowed.contains(&u64::from(byte_count)) {
            return Err(LoadError::Leb128ByteCount {
                place,
                offset: offset as u64,
                found: byte_count,
                at_least: *allowed.start(),
                at_most: *allowed.end(),
            });
        }
        self.take(place, byte_count as usize)
    }

    fn word(&mut self, place: Place) -> Result<u32, LoadError> {
        let bytes = self.take(place, 4)?;
        Ok(bytes
            .iter()
            .rev()
            .fold(0, |word, &byte| word << 8 | u32::from(byte)))
    }

    fn take(&mut self, place: Place, len: usize) -> Result<&'a [u8], LoadError> {
        let rest = self.rest();
        let bytes = rest.get(..len).ok_or(LoadError::Truncated {
            place,
            offset: self.offset as u64,
            needed: len as u64,
            available: rest.len() as u64,
        })?;
        self.offset += len;
        Ok(bytes)
    }

    fn rest(&self) -> &'a [u8] {
        &self.source[self.offset..]
    }

    /// Where `what` first occurs after `landmark`.
    fn find(&self, what: &[u8], landmark: usize) -> Option<u64> {
        let distance = self.source[landmark..]
            .windows(what.len())
            .position(|window| window == what)?;
        Some((landmark + distance) as u64)
    }
}

/// Puts the rows of an affine layer into memory, and reports the padding that is not zero by its offset in `rows`.
fn scatter(
    affine: &Affine,
    packed: &[usize],
    rows: &[u8],
    memory: &mut [u8],
    mut ignore: impl FnMut(usize, u8),
) {
    memory.fill(0);
    let slots = affine.slots_of_inputs(packed);
    for (output, row) in rows.chunks_exact(affine.padded_inputs).enumerate() {
        let (weights, padding) = row.split_at(affine.inputs);
        for (&weight, &slot) in weights.iter().zip(&slots) {
            memory[affine.index(output, slot)] = weight;
        }
        for (column, &byte) in padding.iter().enumerate() {
            if byte != 0 {
                ignore(output * affine.padded_inputs + affine.inputs + column, byte);
            }
        }
    }
}

/// A field of the header.
const fn header(name: &'static str) -> Place {
    Place { stack: None, name }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::super::tests::{
        BODY, COMPRESSED, FC_0, FC_1, ORDERS, RAW, STACK, STACK_LEN, WEIGHTS, file, load,
    };
    use super::*;

    /// Stacks in memory, and two tensors within.
    const MEMORY_STACK: usize = 96;
    const MEMORY_STRIDE: usize = 576;
    const MEMORY_FC_0: usize = 16;
    const MEMORY_FC_1: usize = 544;

    fn error(layout: &FileLayout, source: &[u8]) -> LoadError {
        load(layout, ORDERS[0], source).unwrap_err()
    }

    fn patched(layout: &FileLayout, offset: usize, bytes: &[u8]) -> Vec<u8> {
        let mut source = file(layout);
        source[offset..offset + bytes.len()].copy_from_slice(bytes);
        source
    }

    fn in_stack(stack: usize, name: &'static str) -> Place {
        Place {
            stack: Some(stack),
            name,
        }
    }

    /// A file of [`COMPRESSED`] with another block for the weights, from where this begins, and where.
    fn with_block(byte_count: u32, values: &[u8]) -> (Vec<u8>, usize) {
        let source = file(&COMPRESSED);
        let parts = split(&COMPRESSED, &source).unwrap();
        let weights = &parts.tensors[1];
        let end = weights.offset + weights.bytes.len();
        let block = [&byte_count.to_le_bytes()[..], values].concat();
        let count_at = weights.offset - 4;
        (
            [&source[..count_at], &block, &source[end..]].concat(),
            count_at,
        )
    }

    #[test]
    fn values_land_where_the_layout_says() {
        let source = file(&RAW);
        let (weights, loaded) = load(&RAW, &[0, 2, 1, 3], &source).unwrap();
        assert_eq!(loaded.description, b"tiny");
        assert_eq!(
            weights[..4],
            [32767_i16.to_ne_bytes(), i16::MIN.to_ne_bytes()].concat()
        );
        assert_eq!(weights[60..64], i32::MAX.to_ne_bytes());
        for stack in 0..2 {
            let from = &source[stack * STACK_LEN..];
            let memory = &weights[MEMORY_STACK + stack * MEMORY_STRIDE..];
            // Input 64 + 9 is in logical group 1 of the second vector of its segment, which AVX2 leaves in group 2.
            let slot = 64 + 16 + 1;
            for output in 0..3 {
                assert_eq!(
                    memory[MEMORY_FC_0 + (slot / 4 * 4 + output) * 4 + slot % 4],
                    from[FC_0 + output * 128 + 64 + 9]
                );
            }
            let room_for_output_3 = memory[MEMORY_FC_0..][..512].chunks(4).skip(3).step_by(4);
            assert!(room_for_output_3.flatten().all(|&byte| byte == 0));
            for output in 0..2 {
                let row = &from[FC_1 + output * 32..][..7];
                let expected = [&row[..3], &[0], &row[3..], &[0; 4]].concat();
                assert_eq!(memory[MEMORY_FC_1 + output * 12..][..12], expected);
            }
        }
    }

    #[test]
    fn compressed_and_raw_files_give_the_same_weights() {
        let weights = |layout| load(layout, &[0], &file(layout)).unwrap().0;
        assert!(weights(&RAW) == weights(&COMPRESSED));
    }

    #[test]
    fn levels_differ_by_a_rearrangement() {
        let source = file(&RAW);
        for from in ORDERS {
            for to in ORDERS {
                let (mut weights, _) = load(&RAW, from, &source).unwrap();
                super::super::relevel(&RAW, &mut weights, from, to);
                assert!(
                    weights == load(&RAW, to, &source).unwrap().0,
                    "{from:?} to {to:?}"
                );
            }
        }
    }

    #[test]
    fn padding_that_is_not_zero_is_kept() {
        let (_, loaded) = load(&RAW, &[0], &file(&RAW)).unwrap();
        let row = |row: usize| (FC_1 - BODY + row / 2 * STACK_LEN + row % 2 * 32) as u64;
        let expected: Vec<_> = (0..4)
            .flat_map(|n| [(row(n) + 30, 42), (row(n) + 31, 0x80)])
            .collect();
        assert_eq!(loaded.ignored, expected);
    }

    #[test]
    fn the_header_must_match() {
        let small128 = 0x1C10_3C92;
        assert_eq!(
            error(&RAW, &patched(&RAW, 4, &u32::to_le_bytes(small128))),
            LoadError::NetworkHash {
                spec: "Tiny",
                expected: RAW.hash,
                found: small128,
                identity: Identity::Header {
                    version: RAW.version,
                    hash: small128,
                },
            }
        );
        assert_eq!(
            error(&RAW, &patched(&RAW, 0, b"\x7FELF")),
            LoadError::Version {
                spec: "Tiny",
                expected: RAW.version,
                found: 0x464C_457F,
                identity: Identity::Other("an ELF executable"),
            }
        );
        for length in [DESCRIPTION_LIMIT + 1, u32::MAX] {
            assert_eq!(
                error(&RAW, &patched(&RAW, 8, &length.to_le_bytes())),
                LoadError::DescriptionTooLong {
                    length,
                    limit: DESCRIPTION_LIMIT,
                }
            );
        }
    }

    #[test]
    fn hashes_of_the_body_must_match() {
        assert_eq!(
            error(&RAW, &patched(&RAW, BODY, &[0; 4])),
            LoadError::SectionHash {
                place: header("transformer hash"),
                offset: BODY as u64,
                expected: 0x7F23_44B8,
                found: 0,
                elsewhere: None,
            }
        );
        // Three bytes too many in stack 0.
        let mut source = file(&RAW);
        source.splice(FC_0..FC_0, [1, 2, 3]);
        let offset = STACK + STACK_LEN;
        let found = u32::from_le_bytes(source[offset..offset + 4].try_into().unwrap());
        assert_eq!(
            error(&RAW, &source),
            LoadError::SectionHash {
                place: in_stack(1, "stack hash"),
                offset: offset as u64,
                expected: 0x6333_6A4A,
                found,
                elsewhere: Some(offset as u64 + 3),
            }
        );
    }

    #[test]
    fn encodings_must_match() {
        let offset = (BODY + 4) as u64;
        assert_eq!(
            error(&RAW, &file(&COMPRESSED)),
            LoadError::UnexpectedlyCompressed {
                place: header("biases"),
                offset,
            }
        );
        assert_eq!(
            error(&COMPRESSED, &file(&RAW)),
            LoadError::NotCompressed {
                place: header("biases"),
                offset,
                elsewhere: None,
            }
        );
        // Two threats are missing, so the PSQT block comes early.
        let mut source = file(&COMPRESSED);
        let threats = split(&COMPRESSED, &source).unwrap().tensors[2].offset;
        source.drain(threats..threats + 2);
        let offset = threats as u64 + 9;
        assert_eq!(
            error(&COMPRESSED, &source),
            LoadError::NotCompressed {
                place: header("psqt"),
                offset,
                elsewhere: Some(offset - 2),
            }
        );
    }

    #[test]
    fn byte_counts_must_match_the_values() {
        let check = |byte_count: u32, values: &[u8], allowed: (u64, u64)| {
            let (source, count_at) = with_block(byte_count, values);
            let expected = LoadError::Leb128ByteCount {
                place: header("weights"),
                offset: count_at as u64,
                found: byte_count,
                at_least: allowed.0,
                at_most: allowed.1,
            };
            assert_eq!(error(&COMPRESSED, &source), expected);
        };
        check(0, &[0; 20], (20, 60));
        check(61, &[0; 61], (20, 60));
        check(u32::MAX, &[0; 20], (20, 60));
        check(22, &[0; 22], (20, 20));
        // Five values of two bytes, ten of one: five are missing.
        check(
            20,
            &[[0xFF, 0x00].repeat(5), vec![0; 10]].concat(),
            (25, 35),
        );
        // The last byte begins a value that does not end.
        check(20, &[&[0; 19][..], &[0x80]].concat(), (21, 23));
    }

    #[test]
    fn values_must_be_shortest_and_in_range() {
        let values = [&[0; 19][..], &[0x80, 0x00]].concat();
        let (source, count_at) = with_block(21, &values);
        assert_eq!(
            error(&COMPRESSED, &source),
            LoadError::Leb128Overlong {
                place: header("weights"),
                index: 19,
                offset: count_at as u64 + 4 + 19,
                longest: 3,
            }
        );
        let mut values = vec![0; 9];
        leb128::encode(-40_000, &mut values);
        values.extend([0; 10]);
        let (source, count_at) = with_block(22, &values);
        assert_eq!(
            error(&COMPRESSED, &source),
            LoadError::Leb128OutOfRange {
                place: header("weights"),
                index: 9,
                offset: count_at as u64 + 4 + 9,
                value: -40_000,
                element: Element::I16,
            }
        );
    }

    #[test]
    fn the_file_must_end_with_the_network() {
        let mut source = file(&RAW);
        let expected_len = source.len() as u64;
        source.push(0);
        assert_eq!(
            error(&RAW, &source),
            LoadError::TrailingBytes {
                expected_len,
                found_len: expected_len + 1,
            }
        );
    }

    #[test]
    fn truncation_names_the_tensor() {
        let source = file(&RAW);
        assert_eq!(
            error(&RAW, &source[..WEIGHTS + 30]),
            LoadError::Truncated {
                place: header("weights"),
                offset: WEIGHTS as u64,
                needed: 40,
                available: 30,
            }
        );
        assert_eq!(
            error(&RAW, &source[..FC_1 + STACK_LEN]),
            LoadError::Truncated {
                place: in_stack(1, "fc_1.weights"),
                offset: (FC_1 + STACK_LEN) as u64,
                needed: 64,
                available: 0,
            }
        );
    }
}
