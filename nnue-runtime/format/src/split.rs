//! Cuts a file into its tensors, and checks everything except single values.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use crate::layout::Entry;
use crate::part::{Bytes, Part};
use crate::{
    DESCRIPTION_LIMIT, Encoding, FieldForm, FileLayout, Format, List, LoadError, Loaded, Place,
    Section, Tail, Tensor, Text, WrongBytes, WrongWord, attached, leb128,
};

/// A file that is cut into its tensors: everything is checked except single values.
#[derive(Clone, Debug)]
pub struct Parts<'a> {
    pub(crate) layout: &'a FileLayout,
    pub(crate) description: Cow<'a, [u8]>,
    pub(crate) tensors: Vec<Part<'a>>,
    pub(crate) loaded: Loaded,
}

/// The rest of a file, from an offset on.
struct Cursor<'a> {
    source: Bytes<'a>,
    offset: usize,
    /// The end of the last section that was recognised. If a section is not where it should be, it
    /// is searched for from here, unless nobody asks for it.
    landmark: Option<usize>,
}

/// Cuts a file into its tensors. It allocates almost nothing, so it can be called before the
/// weights are allocated. A file that passes has at least a byte for each value.
///
/// # Errors
///
/// All errors of [`LoadError`] except the errors about single values, [`LoadError::TooLong`] and
/// `LoadError::Io`.
pub fn split<'a>(layout: &'a FileLayout, source: &'a [u8]) -> Result<Parts<'a>, LoadError> {
    split_bytes(layout, Bytes::Here(attached::detach(source).0))
}

/// [`split`] for bytes without a spec behind them, which may not have been read yet. A file that has
/// to be searched must be here.
pub(crate) fn split_bytes<'a>(
    layout: &'a FileLayout,
    source: Bytes<'a>,
) -> Result<Parts<'a>, LoadError> {
    let mut cursor = Cursor::of(source);
    let mut parts = Parts::of(layout);
    parts.description = cursor.description(layout)?;
    cursor.landmark = Some(cursor.offset);
    match layout.format {
        Format::Stockfish { .. } => parts.sections(&mut cursor)?,
        Format::Sequence => {
            // Without marks in the file, only the length tells nets apart, so it is checked first.
            let expected = layout.max_len();
            if layout.has_fixed_len() && source.len() as u64 != expected {
                cursor.header(layout)?;
                return Err(LoadError::Size {
                    spec: layout.name.clone(),
                    expected,
                    found: source.len() as u64,
                });
            }
            parts.sections(&mut cursor)?;
        }
        Format::Named => parts.entries(layout, &mut cursor)?,
    }
    let end = cursor.offset;
    if cursor.ends(layout.tail) {
        return Ok(parts);
    }
    let tail_len = end.next_multiple_of(layout.tail.multiple) - end;
    if source.len() > end + tail_len {
        return Err(LoadError::TrailingBytes {
            offset: end as u64,
            expected_len: (end + tail_len) as u64,
            found_len: source.len() as u64,
        });
    }
    Err(LoadError::Tail {
        offset: end as u64,
        expected_len: tail_len as u64,
        text: layout.tail.text,
    })
}

/// The offsets at which a file has the sections of a layout, one after the other, as far as it has
/// them; behind the last section also the end of that section.
#[must_use]
pub fn offsets(layout: &FileLayout, source: &[u8]) -> Vec<usize> {
    let (mut cursor, mut parts) = (Cursor::of(Bytes::Here(source)), Parts::of(layout));
    let mut offsets = Vec::new();
    if cursor.description(layout).is_ok() {
        offsets.push(cursor.offset);
        for (number, entry) in layout.entries().enumerate() {
            if parts.section(number, entry, &mut cursor).is_err() {
                break;
            }
            offsets.push(cursor.offset);
        }
    }
    offsets
}

/// Checks the bytes before the description, in any beginning of a file.
#[cfg(feature = "std")]
pub(crate) fn check_start(layout: &FileLayout, source: &[u8]) -> Result<(), LoadError> {
    Cursor::of(Bytes::Here(source)).start(layout).map(drop)
}

impl<'a> Parts<'a> {
    fn of(layout: &'a FileLayout) -> Parts<'a> {
        Parts {
            layout,
            description: Cow::Borrowed(&[]),
            tensors: Vec::new(),
            loaded: Loaded::default(),
        }
    }

    /// Takes the first tensor out, if the file and the memory both begin with it, in the same
    /// bytes: where a map of the file has these bytes, they need not be loaded, and
    /// [`load`](Parts::load) leaves them as they are. Returns the number of bytes of the tensor.
    pub fn take_in_place(&mut self) -> Option<usize> {
        let is_first = self.tensors.first()?.offset == 0;
        (is_first && self.layout.begins_in_place()).then(|| self.tensors.remove(0).bytes.len())
    }

    /// Reads the sections one after the other.
    fn sections(&mut self, cursor: &mut Cursor<'a>) -> Result<(), LoadError> {
        for (number, entry) in self.layout.entries().enumerate() {
            self.section(number, entry, cursor)?;
        }
        Ok(())
    }

    fn section(
        &mut self,
        number: usize,
        entry: Entry<'a>,
        cursor: &mut Cursor<'a>,
    ) -> Result<(), LoadError> {
        let place = &entry.place;
        match entry.section {
            Section::Hash { expected, .. } => {
                cursor.hash(place, *expected)?;
                cursor.landmark = cursor.landmark.map(|_| cursor.offset);
            }
            Section::Bytes { form, expected, .. } => cursor.expect(place, *form, expected)?,
            Section::Skipped { .. } | Section::Kept { .. } => {
                let bytes = cursor.take(place, entry.section.skipped_len())?;
                self.loaded.skipped.extend_from_slice(&bytes);
            }
            Section::Align(to) => {
                let offset = cursor.offset;
                let padding = cursor.take(place, offset.next_multiple_of(*to) - offset)?;
                self.loaded.ignore(number, 0, &padding);
            }
            Section::Tensor(tensor) => {
                let bytes = match tensor.stored.encoding {
                    Encoding::Raw => cursor.raw(place, tensor),
                    Encoding::Leb128 => cursor.block(place, tensor),
                    Encoding::BareLeb128 => cursor.bare(place, tensor),
                };
                // In Stockfish's format a single key holds for all tensors.
                let by_own_key = self.layout.format == Format::Sequence || self.tensors.is_empty();
                let bytes =
                    bytes.map_err(|error| if by_own_key { error.by_key() } else { error })?;
                self.tensors.push(cursor.part(number, entry, tensor, bytes));
                if tensor.stored.encoding == Encoding::Leb128 {
                    cursor.landmark = cursor.landmark.map(|_| cursor.offset);
                }
            }
        }
        Ok(())
    }

    /// Reads tensors in the order of the file, each behind its id and its length.
    fn entries(
        &mut self,
        layout: &'a FileLayout,
        cursor: &mut Cursor<'a>,
    ) -> Result<(), LoadError> {
        let mut ids: Vec<&Text> = Vec::new();
        let mut longest = 0;
        for (_, tensor) in layout.tensors() {
            ids.push(&tensor.id);
            longest = longest.max(tensor.id.len());
        }
        while !cursor.rest().is_empty() {
            let offset = cursor.offset as u64;
            let start = &cursor.rest()[..cursor.rest().len().min(longest + 1)];
            let len = start.iter().position(|byte| *byte == b'\n');
            let id = len.map_or(start, |len| &start[..len]);
            let mut known = ids.iter();
            let found = known.position(|known| len.is_some() && known.as_bytes() == id);
            let Some(index) = found else {
                return Err(LoadError::UnknownEntry {
                    offset,
                    found: String::from_utf8_lossy(id).into_owned(),
                    allowed: ids.into_iter().cloned().collect(),
                });
            };
            let Some(entry) = layout.entries().nth(index) else {
                break;
            };
            let Section::Tensor(tensor) = entry.section else {
                break;
            };
            let place = entry.place.clone();
            if self.loaded.order.contains(&index) {
                return Err(LoadError::EntryTwice { place, offset });
            }
            cursor.offset += id.len() + 1;
            let count = cursor.number(&place, 8)?;
            if count != tensor.stored.values as u64 {
                return Err(LoadError::EntryLen {
                    place,
                    offset,
                    found: count,
                    expected: tensor.stored.values as u64,
                });
            }
            let bytes = cursor.bytes(&place, tensor.stored.raw_len())?;
            self.loaded.order.push(index);
            self.tensors.push(cursor.part(index, entry, tensor, bytes));
        }
        for (index, entry) in layout.entries().enumerate() {
            if !self.loaded.order.contains(&index) {
                return Err(LoadError::EntryMissing { place: entry.place });
            }
        }
        Ok(())
    }
}

impl<'a> Cursor<'a> {
    fn of(source: Bytes<'a>) -> Cursor<'a> {
        Cursor {
            source,
            offset: 0,
            landmark: None,
        }
    }

    /// The description behind the header that Stockfish's format has; empty for other formats.
    fn description(&mut self, layout: &FileLayout) -> Result<Cow<'a, [u8]>, LoadError> {
        let len = self.start(layout)?;
        self.take(&header("description"), len)
    }

    /// Checks the header up to the length of the description, and returns that length.
    fn start(&mut self, layout: &FileLayout) -> Result<usize, LoadError> {
        let Format::Stockfish {
            version: expected_version,
            hash: expected_hash,
        } = layout.format
        else {
            return Ok(0);
        };
        let wrong = |expected, found| WrongWord {
            spec: layout.name.clone(),
            expected,
            found,
        };
        let version = self.word(&header("version"))?;
        if version != expected_version {
            return Err(LoadError::Version(wrong(expected_version, version)));
        }
        let hash = self.word(&header("network hash"))?;
        if hash != expected_hash {
            return Err(LoadError::NetworkHash(wrong(expected_hash, hash)));
        }
        let length = self.word(&header("description length"))?;
        if length > DESCRIPTION_LIMIT {
            return Err(LoadError::DescriptionTooLong {
                length,
                limit: DESCRIPTION_LIMIT,
            });
        }
        Ok(length as usize)
    }

    /// Checks the named fields before the first tensor, as far as the file has them.
    fn header(&mut self, layout: &FileLayout) -> Result<(), LoadError> {
        for Entry { place, section, .. } in layout.entries() {
            if let Section::Hash { .. } | Section::Tensor(_) = section {
                break;
            }
            let end = section.end(self.offset).unwrap_or(self.offset);
            if end > self.source.len() {
                break;
            }
            match section {
                Section::Bytes {
                    name,
                    form,
                    expected,
                } if !name.is_empty() => self.expect(&place, *form, expected)?,
                _ => self.offset = end,
            }
        }
        Ok(())
    }

    fn hash(&mut self, place: &Place, expected: u32) -> Result<(), LoadError> {
        let offset = self.offset;
        let found = self.word(place)?;
        if found == expected {
            return Ok(());
        }
        Err(LoadError::SectionHash {
            place: place.clone(),
            offset: offset as u64,
            expected,
            found,
            elsewhere: self.find(&expected.to_le_bytes()),
        })
    }

    fn expect(
        &mut self,
        place: &Place,
        form: FieldForm,
        expected: &List<u8>,
    ) -> Result<(), LoadError> {
        let offset = self.offset as u64;
        let found = self.take(place, expected.len())?;
        if *found == **expected {
            return Ok(());
        }
        Err(LoadError::Bytes(Box::new(WrongBytes {
            place: place.clone(),
            form,
            offset,
            expected: expected.clone(),
            found: found.into_owned(),
        })))
    }

    fn raw(&mut self, place: &Place, tensor: &Tensor) -> Result<Bytes<'a>, LoadError> {
        self.no_block(place, Encoding::Raw)?;
        self.bytes(place, tensor.stored.raw_len())
    }

    fn bare(&mut self, place: &Place, tensor: &Tensor) -> Result<Bytes<'a>, LoadError> {
        self.no_block(place, Encoding::BareLeb128)?;
        let expected = tensor.stored.values;
        match leb128::end_of(self.rest(), expected) {
            Ok(len) => self.bytes(place, len),
            Err(found) => Err(LoadError::ValuesMissing {
                place: place.clone(),
                offset: self.offset as u64,
                found: found as u64,
                expected: expected as u64,
            }),
        }
    }

    /// Refuses a LEB128 block where other values are expected. This comes before all other checks,
    /// because the length of the block would only mislead them.
    fn no_block(&self, place: &Place, expected: Encoding) -> Result<(), LoadError> {
        let start = self.source.range(self.offset, leb128::MAGIC.len());
        if start.and_then(Bytes::read).as_deref() != Some(leb128::MAGIC) {
            return Ok(());
        }
        Err(LoadError::UnexpectedlyCompressed {
            place: place.clone(),
            offset: self.offset as u64,
            by_key: false,
            expected,
        })
    }

    fn block(&mut self, place: &Place, tensor: &Tensor) -> Result<Bytes<'a>, LoadError> {
        let offset = self.offset;
        if *self.take(place, leb128::MAGIC.len())? != *leb128::MAGIC {
            return Err(LoadError::NotCompressed {
                place: place.clone(),
                offset: offset as u64,
                by_key: false,
                elsewhere: self.find(leb128::MAGIC),
            });
        }
        let offset = self.offset;
        let byte_count = self.word(place)?;
        let allowed = tensor.leb128_len();
        if !allowed.contains(&u64::from(byte_count)) {
            return Err(LoadError::Leb128ByteCount {
                place: place.clone(),
                offset: offset as u64,
                found: byte_count,
                at_least: *allowed.start(),
                at_most: *allowed.end(),
            });
        }
        self.bytes(place, byte_count as usize)
    }

    /// The part of a tensor whose bytes have just been taken.
    fn part(
        &self,
        section: usize,
        entry: Entry<'a>,
        tensor: &'a Tensor,
        bytes: Bytes<'a>,
    ) -> Part<'a> {
        Part {
            section,
            place: entry.place,
            tensor,
            base: entry.base,
            offset: self.offset - bytes.len(),
            bytes,
        }
    }

    fn word(&mut self, place: &Place) -> Result<u32, LoadError> {
        Ok(self.number(place, 4)? as u32)
    }

    /// A little-endian number of at most eight bytes.
    #[inline(never)]
    fn number(&mut self, place: &Place, len: usize) -> Result<u64, LoadError> {
        let bytes = self.take(place, len)?;
        Ok(bytes
            .iter()
            .rev()
            .fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn take(&mut self, place: &Place, len: usize) -> Result<Cow<'a, [u8]>, LoadError> {
        let bytes = self.bytes(place, len)?.read();
        bytes.ok_or_else(|| self.truncated(place, len))
    }

    fn bytes(&mut self, place: &Place, len: usize) -> Result<Bytes<'a>, LoadError> {
        let bytes = self.source.range(self.offset, len);
        let bytes = bytes.ok_or_else(|| self.truncated(place, len))?;
        self.offset += len;
        Ok(bytes)
    }

    // Each copy would have the code of the error.
    #[inline(never)]
    fn truncated(&self, place: &Place, needed: usize) -> LoadError {
        LoadError::Truncated {
            place: place.clone(),
            offset: self.offset as u64,
            needed: needed as u64,
            available: (self.source.len() - self.offset) as u64,
        }
    }

    fn rest(&self) -> &'a [u8] {
        self.behind(self.offset)
    }

    /// The bytes from `offset` on; none if they have not been read.
    fn behind(&self, offset: usize) -> &'a [u8] {
        match self.source {
            Bytes::Here(bytes) => &bytes[offset..],
            #[cfg(feature = "std")]
            Bytes::InFile { .. } => &[],
        }
    }

    /// Whether the file ends at the offset, with this tail.
    fn ends(&self, tail: Tail) -> bool {
        let before = self.offset.min(tail.text.len());
        let tail_len = self.source.len() - self.offset;
        let end = self.source.range(self.offset - before, before + tail_len);
        let end = end.filter(|_| tail_len < tail.multiple);
        end.and_then(Bytes::read).is_some_and(|bytes| {
            let (data, rest) = bytes.split_at(before);
            tail.is_between(data, rest, self.offset)
        })
    }

    /// The offset at which `what` first occurs after the landmark.
    fn find(&self, what: &[u8]) -> Option<u64> {
        let landmark = self.landmark?;
        let mut windows = self.behind(landmark).windows(what.len());
        let distance = windows.position(|window| window == what)?;
        Some((landmark + distance) as u64)
    }
}

/// A field of the header.
pub(crate) const fn header(name: &'static str) -> Place {
    Place {
        stack: None,
        name: Cow::Borrowed(name),
    }
}
