//! From a file to weights.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::cause::causes;
use super::coalesce;
use super::error::LoadError;
use super::form::{Bucket, Form};
use super::identify::{Identity, identify};
use super::layout::{
    DESCRIPTION_LIMIT, Element, Encoding, FileLayout, Format, Place, Section, Tensor,
};
use super::leb128::{self, Fault};
use super::quantise::Unfit;
use super::transposed::is_probably_transposed;

/// A file cut into its tensors: everything about it is checked but single values.
#[derive(Clone, Debug)]
pub struct Parts<'a> {
    layout: FileLayout,
    description: &'a [u8],
    /// Where the description ends in the file.
    body: usize,
    tensors: Vec<Part<'a>>,
    /// Whether the order of sections follows from nothing but the spec.
    unmarked: bool,
    loaded: Loaded,
}

/// What a file says besides its weights.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loaded {
    /// The description in the header: text, usually, but any bytes are allowed.
    pub description: Vec<u8>,
    /// The bytes other than zero in padding, each with its offset from the end of the description, in ascending order.
    /// Some nets have a few there, for a pretty hash.
    pub ignored: Vec<(u64, u8)>,
    /// The bytes of all [`Section::Skipped`], one after the other.
    pub skipped: Vec<u8>,
    /// The order in which a file of [`Format::Named`] has the layout's sections; empty for other formats.
    pub order: Vec<usize>,
    /// Tensors that look as if the file had them in another order, with rows and columns exchanged.
    pub transposed: Vec<Place>,
    /// What the file is, where its header and its size are those of the layout but its weights are another network's.
    pub looks_like: Option<Identity>,
}

#[derive(Clone, Debug)]
pub(super) struct Part<'a> {
    place: Place,
    pub(super) tensor: &'static Tensor,
    /// What to add to the tensor's place in memory.
    base: usize,
    /// Where `bytes` begin in the file.
    offset: usize,
    /// The raw values, or what follows the byte count of a LEB128 block.
    pub(super) bytes: &'a [u8],
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
/// All of [`LoadError`] but those about single values, [`LoadError::TooLong`] and `LoadError::Io`.
pub fn split<'a>(layout: &FileLayout, source: &'a [u8]) -> Result<Parts<'a>, LoadError> {
    let mut cursor = Cursor { source, offset: 0 };
    let mut parts = Parts {
        layout: *layout,
        description: &[],
        body: 0,
        tensors: Vec::new(),
        unmarked: layout.format == Format::Sequence,
        loaded: Loaded::default(),
    };
    match layout.format {
        Format::Stockfish { .. } => {
            let description_len = cursor.start(layout)?;
            parts.description = cursor.take(header("description"), description_len)?;
            parts.body = cursor.offset;
            parts.sections(layout, &mut cursor)?;
            parts.loaded.looks_like = contradiction(layout, source);
        }
        Format::Sequence => {
            // Without marks in the file, its length is all that tells one net from another: it comes first.
            let expected = layout.max_len();
            if source.len() as u64 != expected {
                return Err(LoadError::Size {
                    spec: layout.name,
                    expected,
                    found: source.len() as u64,
                    causes: causes(layout, source),
                    identity: identify(source),
                });
            }
            parts.sections(layout, &mut cursor)?;
        }
        Format::Named => parts.entries(layout, &mut cursor)?,
    }
    let end = cursor.offset;
    if layout.tail.follows(source, end) {
        return Ok(parts);
    }
    let tail_len = end.next_multiple_of(layout.tail.multiple) - end;
    if source.len() > end + tail_len {
        return Err(LoadError::TrailingBytes {
            expected_len: (end + tail_len) as u64,
            found_len: source.len() as u64,
        });
    }
    Err(LoadError::Tail {
        offset: end as u64,
        expected_len: tail_len as u64,
        text: layout.tail.text,
        causes: causes(layout, source),
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

impl<'a> Parts<'a> {
    /// Reads the sections one after the other.
    fn sections(&mut self, layout: &FileLayout, cursor: &mut Cursor<'a>) -> Result<(), LoadError> {
        // The end of the last thing that could be recognised. If a section is not where it should be, it is searched for
        // from here.
        let mut landmark = cursor.offset;
        for entry in layout.entries() {
            let place = entry.place;
            match entry.section {
                Section::Hash { expected, .. } => {
                    cursor.hash(place, *expected, landmark)?;
                    landmark = cursor.offset;
                }
                Section::Bytes(expected) => cursor.expect(place, expected)?,
                Section::Skipped(len) => {
                    self.loaded
                        .skipped
                        .extend_from_slice(cursor.take(place, *len)?);
                }
                Section::Align(to) => {
                    let offset = cursor.offset;
                    let padding = cursor.take(place, offset.next_multiple_of(*to) - offset)?;
                    self.ignore(offset, padding);
                }
                Section::Tensor(tensor) => {
                    let bytes = match tensor.stored.encoding {
                        Encoding::Raw => cursor.raw(place, tensor)?,
                        Encoding::Leb128 => cursor.block(place, tensor, landmark)?,
                    };
                    self.tensors.push(Part {
                        place,
                        tensor,
                        base: entry.base,
                        offset: cursor.offset - bytes.len(),
                        bytes,
                    });
                    if tensor.stored.encoding == Encoding::Leb128 {
                        landmark = cursor.offset;
                    }
                }
            }
        }
        Ok(())
    }

    /// Reads tensors in whatever order the file has them, each behind its id and its length.
    fn entries(&mut self, layout: &FileLayout, cursor: &mut Cursor<'a>) -> Result<(), LoadError> {
        let ids = || layout.tensors().map(|(_, tensor)| tensor.stored.id);
        let longest = ids().map(str::len).max().unwrap_or(0);
        while !cursor.rest().is_empty() {
            let offset = cursor.offset as u64;
            let start = &cursor.rest()[..cursor.rest().len().min(longest + 1)];
            let len = start.iter().position(|byte| *byte == b'\n');
            let id = len.map_or(start, |len| &start[..len]);
            let found = ids().position(|known| len.is_some() && known.as_bytes() == id);
            let Some(index) = found else {
                return Err(LoadError::UnknownEntry {
                    offset,
                    found: String::from_utf8_lossy(id).into_owned(),
                    allowed: ids().collect(),
                    identity: identify(cursor.source),
                });
            };
            let Some(entry) = layout.entries().nth(index) else {
                break;
            };
            let (place, Section::Tensor(tensor)) = (entry.place, entry.section) else {
                break;
            };
            if self.loaded.order.contains(&index) {
                return Err(LoadError::EntryTwice { place, offset });
            }
            cursor.offset += id.len() + 1;
            let count = cursor.take(place, 8)?;
            let count = count
                .iter()
                .rev()
                .fold(0, |n, &byte| n << 8 | u64::from(byte));
            if count != tensor.stored.values as u64 {
                return Err(LoadError::EntryLen {
                    place,
                    offset,
                    found: count,
                    expected: tensor.stored.values as u64,
                });
            }
            let bytes = cursor.take(place, tensor.raw_len())?;
            self.loaded.order.push(index);
            self.tensors.push(Part {
                place,
                tensor,
                base: entry.base,
                offset: cursor.offset - bytes.len(),
                bytes,
            });
        }
        let missing = (0..).zip(layout.entries());
        let mut missing = missing.filter(|(index, _)| !self.loaded.order.contains(index));
        match missing.next() {
            Some((_, entry)) => Err(LoadError::EntryMissing { place: entry.place }),
            None => Ok(()),
        }
    }

    /// Keeps what is not zero of bytes that no evaluation reads, from `offset` in the file on.
    fn ignore(&mut self, offset: usize, padding: &[u8]) {
        let from = offset - self.body;
        let ignored = padding.iter().enumerate().filter(|(_, byte)| **byte != 0);
        let ignored = ignored.map(|(index, byte)| ((from + index) as u64, *byte));
        self.loaded.ignored.extend(ignored);
    }

    /// Fills the weights, in the layout of a level with the packed order `packed` (see
    /// [`Placed::slot`](super::Placed::slot)).
    ///
    /// # Errors
    ///
    /// Those about single values. `weights` is then partly filled.
    ///
    /// # Panics
    ///
    /// If `weights` is shorter than the layout says.
    pub fn load(mut self, packed: &[usize], weights: &mut [u8]) -> Result<Loaded, LoadError> {
        let parts = core::mem::take(&mut self.tensors);
        let sums = coalesce::float_sums(&self.layout, &parts)?;
        for (index, mut part) in parts.into_iter().enumerate() {
            if let Some((_, bytes)) = sums.iter().find(|(part, _)| *part == index) {
                part.bytes = bytes;
            }
            let Part { tensor, bytes, .. } = part;
            if tensor.is_same() {
                let placed = &tensor.placed;
                let memory = &mut weights[part.base + placed.offset..][..placed.len()];
                match tensor.stored.encoding {
                    Encoding::Raw => {
                        memory.copy_from_slice(bytes);
                        swap_on_big_endian(memory, tensor.stored.element);
                    }
                    Encoding::Leb128 => part.decompress(memory)?,
                }
            } else {
                part.place(packed, weights)?;
                let size = tensor.stored.element.size();
                for index in tensor.padding() {
                    self.ignore(part.offset + index * size, &bytes[index * size..][..size]);
                }
            }
            if self.unmarked && is_probably_transposed(tensor, |i| tensor.stored.read(bytes, i)) {
                self.loaded.transposed.push(part.place);
            }
        }
        coalesce::add(&self.layout, weights)?;
        self.loaded.description = self.description.to_vec();
        // Sections that are found before tensors are loaded come first.
        self.loaded.ignored.sort_unstable_by_key(|(at, _)| *at);
        Ok(self.loaded)
    }
}

impl Part<'_> {
    /// Puts the values where memory has them, converted.
    fn place(&self, packed: &[usize], weights: &mut [u8]) -> Result<(), LoadError> {
        let Part { tensor, base, .. } = *self;
        let values = self.raw()?;
        let [buckets, rows, columns] = tensor.shape;
        let slots = tensor.placed.slots_of(columns, packed);
        let value = |bucket: usize, row: usize, column: usize| {
            let index = tensor.stored_index([bucket, row, column]);
            let stored = tensor.stored.read(&values, index);
            let value = tensor.to_memory(stored);
            value.map_err(|unfit| self.unfit(unfit, index, stored))
        };
        for bucket in 0..buckets {
            let mut memory = Bucket::cleared(&tensor.placed, weights, base, bucket);
            if let Form::OutputBlocks { runs, .. } = tensor.placed.form {
                let mut outputs = vec![0.0; rows];
                for (column, slot) in slots.iter().enumerate() {
                    for (row, output) in outputs.iter_mut().enumerate() {
                        *output = value(bucket, row, column)?;
                    }
                    memory
                        .set_runs(*slot, &outputs)
                        .map_err(|found| LoadError::OutputBlocks {
                            place: self.place,
                            bucket: (buckets > 1).then_some(bucket),
                            input: column,
                            found,
                            allowed: runs,
                        })?;
                }
                continue;
            }
            for row in 0..rows {
                for (column, slot) in slots.iter().enumerate() {
                    memory.set(row, *slot, value(bucket, row, column)?);
                }
            }
        }
        Ok(())
    }

    /// The values as raw files have them.
    fn raw(&self) -> Result<Cow<'_, [u8]>, LoadError> {
        match self.tensor.stored.encoding {
            Encoding::Raw => Ok(Cow::Borrowed(self.bytes)),
            Encoding::Leb128 => {
                let mut values = vec![0; self.tensor.raw_len()];
                self.decompress(&mut values)?;
                swap_on_big_endian(&mut values, self.tensor.stored.element);
                Ok(Cow::Owned(values))
            }
        }
    }

    fn unfit(&self, unfit: Unfit, index: usize, value: f64) -> LoadError {
        let (place, index) = (self.place, index as u64);
        match unfit {
            Unfit::NotFinite => LoadError::NotFinite {
                place,
                index,
                value,
            },
            Unfit::OutOfRange => LoadError::OutOfRange {
                place,
                index,
                value,
                factor: self.tensor.stored.quantise.map(|quantise| quantise.factor),
                allowed: self.tensor.limits().unwrap_or_default(),
            },
        }
    }

    /// Decodes a LEB128 block into integers of the machine's endianness.
    fn decompress(&self, memory: &mut [u8]) -> Result<(), LoadError> {
        let count = self.tensor.stored.values;
        let element = self.tensor.stored.element;
        let result = match element.size() {
            1 => leb128::decode::<1>(self.bytes, memory.as_chunks_mut().0),
            2 => leb128::decode::<2>(self.bytes, memory.as_chunks_mut().0),
            _ => leb128::decode::<4>(self.bytes, memory.as_chunks_mut().0),
        };
        let place = self.place;
        let longest = leb128::longest(element.size());
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
                element,
            }),
        }
    }
}

impl<'a> Cursor<'a> {
    /// Checks the header up to the length of the description, and returns that.
    fn start(&mut self, layout: &FileLayout) -> Result<usize, LoadError> {
        let Format::Stockfish {
            version: expected_version,
            hash: expected_hash,
        } = layout.format
        else {
            return Ok(0);
        };
        let version = self.word(header("version"))?;
        if version != expected_version {
            return Err(LoadError::Version {
                spec: layout.name,
                expected: expected_version,
                found: version,
                identity: identify(self.source),
            });
        }
        let hash = self.word(header("network hash"))?;
        if hash != expected_hash {
            return Err(LoadError::NetworkHash {
                spec: layout.name,
                expected: expected_hash,
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

    fn expect(&mut self, place: Place, expected: &'static [u8]) -> Result<(), LoadError> {
        let offset = self.offset as u64;
        let found = self.take(place, expected.len())?;
        if found == expected {
            return Ok(());
        }
        Err(LoadError::Bytes {
            offset,
            expected,
            found: found.to_vec(),
            identity: identify(self.source),
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

/// Brings values from the endianness of files to the machine's, or back.
pub(crate) fn swap_on_big_endian(values: &mut [u8], element: Element) {
    if cfg!(target_endian = "big") {
        for value in values.chunks_exact_mut(element.size()) {
            value.reverse();
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
        BODY, COMPRESSED, FC_0, FC_1, HASH, ORDERS, RAW, STACK, STACK_LEN, VERSION, WEIGHTS, file,
        load,
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
                expected: HASH,
                found: small128,
                identity: Identity::Header {
                    version: VERSION,
                    hash: small128,
                },
            }
        );
        assert_eq!(
            error(&RAW, &patched(&RAW, 0, b"\x7FELF")),
            LoadError::Version {
                spec: "Tiny",
                expected: VERSION,
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
