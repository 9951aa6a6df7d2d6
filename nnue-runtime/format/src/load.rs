//! From the tensors of a file to weights.

use alloc::borrow::Cow;
use alloc::vec;
use alloc::vec::Vec;

use crate::element::swap_on_big_endian;
use crate::leb128::{self, Fault};
#[cfg(feature = "std")]
use crate::pieces;
use crate::placed::Bucket;
use crate::quantise::Unfit;
use crate::split::Part;
use crate::{
    Encoding, FileLayout, Form, Identity, LoadError, Parts, Place, ValueFault, coalesce, paired,
    split, unpack,
};

/// The content of a file besides its weights.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loaded {
    /// The description in the header: text, usually, but any bytes are allowed.
    pub description: Vec<u8>,
    /// The bytes other than zero in padding, in the order of the layout. Some nets have a few
    /// there, for a pretty hash.
    pub ignored: Vec<Ignored>,
    /// The bytes of all [`Section::Skipped`](crate::Section::Skipped), one after the other.
    pub skipped: Vec<u8>,
    /// The order in which a file of [`Format::Named`](crate::Format::Named) has the layout's
    /// sections; empty for other formats.
    pub order: Vec<usize>,
    /// Tensors that had values that did not fit and became the nearest that do, each with how many.
    pub clamped: Vec<(Place, usize)>,
    /// What the file is, where its header and its size are those of the layout but its weights are
    /// another network's.
    pub looks_like: Option<Identity>,
}

/// A byte other than zero in padding, which no evaluation reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// The number of its section in the layout, from 0, where the sections of every stack count.
    pub section: usize,
    /// Its offset in the section; in tensors among the bytes of the values, once they are no LEB128
    /// any more.
    pub offset: usize,
    /// The value of the byte.
    pub byte: u8,
}

impl Loaded {
    /// Keeps what is not zero of a section's padding, which begins at `offset` in the section.
    pub(crate) fn ignore(&mut self, section: usize, offset: usize, padding: &[u8]) {
        let ignored = (offset..)
            .zip(padding)
            .map(|(offset, byte)| Ignored {
                section,
                offset,
                byte: *byte,
            })
            .filter(|ignored| ignored.byte != 0);
        self.ignored.extend(ignored);
    }

    /// The bytes that were ignored in a section.
    pub(crate) fn ignored_in(&self, section: usize) -> &[Ignored] {
        let before = |end: usize| {
            self.ignored
                .partition_point(|ignored| ignored.section < end)
        };
        &self.ignored[before(section)..before(section + 1)]
    }
}

impl Parts<'_> {
    /// Fills the weights, in the layout of a level with the packed order `packed` (see
    /// [`Segment::packed`](crate::Segment::packed)).
    ///
    /// # Errors
    ///
    /// Those about single values. `weights` is then partly filled.
    ///
    /// # Panics
    ///
    /// If `weights` is shorter than the layout says.
    pub fn load(self, packed: &[usize], weights: &mut [u8]) -> Result<Loaded, LoadError> {
        let (layout, source) = (self.layout, self.source);
        self.fill(packed, weights, true)
            .map_err(|error| error.explained(layout, source))
    }

    /// Checks all values as [`Self::load`] does, without memory for all weights.
    ///
    /// # Errors
    ///
    /// Those of [`Self::load`].
    pub fn check(self) -> Result<Loaded, LoadError> {
        let (layout, source) = (self.layout, self.source);
        // Memory that is zeros takes no room before it is written to. Sums in memory need weights.
        let mut weights = vec![0; layout.memory_len()];
        self.fill(&[0], &mut weights, !layout.coalesced.is_empty())
            .map_err(|error| error.explained(layout, source))
    }

    /// Fills the weights; without `all`, only those that cannot be checked otherwise.
    fn fill(
        mut self,
        packed: &[usize],
        weights: &mut [u8],
        all: bool,
    ) -> Result<Loaded, LoadError> {
        let parts = core::mem::take(&mut self.tensors);
        let sums = coalesce::sums_of_file(self.layout, &parts)?;
        let summed = |index: usize| sums.iter().find(|(part, _)| *part == index);
        let is_same =
            |&(index, part): &(usize, &Part<'_>)| part.tensor.is_same() && summed(index).is_none();
        let memory = all.then_some(&mut *weights);
        let are_filled = fill_same(parts.iter().enumerate().filter(is_same), memory);
        for (index, part) in parts.iter().enumerate() {
            let tensor = part.tensor;
            let summed = summed(index);
            if is_same(&(index, part)) {
                if are_filled {
                    continue;
                }
                if !all {
                    part.raw()?;
                    continue;
                }
                let placed = &tensor.placed;
                let memory = &mut weights[part.base + placed.offset..][..placed.len()];
                match tensor.stored.encoding {
                    Encoding::Raw => {
                        memory.copy_from_slice(part.bytes);
                        swap_on_big_endian(memory, tensor.stored.element);
                    }
                    Encoding::Leb128 | Encoding::BareLeb128 => part.decompress(memory)?,
                }
                continue;
            }
            let values = match summed {
                Some((_, sums)) => Cow::Borrowed(sums.as_slice()),
                None => part.raw()?,
            };
            part.put(&values, packed, weights, &mut self.loaded)?;
        }
        if all {
            coalesce::add(self.layout, weights)?;
            paired::pair_all(self.layout, weights);
        }
        self.loaded.description = self.description.to_vec();
        // Tensors may have another order in the file, and alignment was found before they were
        // loaded.
        self.loaded.ignored.sort_by_key(|ignored| ignored.section);
        Ok(self.loaded)
    }
}

/// Fills the memory of parts that are the same there, on several threads if that is worth it;
/// without memory, checks them. `false` if some values are wrong.
#[cfg(feature = "std")]
fn fill_same<'a>(
    parts: impl Iterator<Item = (usize, &'a Part<'a>)>,
    weights: Option<&mut [u8]>,
) -> bool {
    let parts = parts.map(|(_, part)| part.same()).collect();
    let result = match weights {
        Some(weights) => pieces::fill(parts, weights),
        None => pieces::check(parts),
    };
    result.is_ok()
}

/// There are no threads.
#[cfg(not(feature = "std"))]
fn fill_same<'a>(_: impl Iterator<Item = (usize, &'a Part<'a>)>, _: Option<&mut [u8]>) -> bool {
    false
}

impl Part<'_> {
    /// Puts the values where memory has them, and notes what it does not have.
    pub(crate) fn put(
        &self,
        values: &[u8],
        packed: &[usize],
        weights: &mut [u8],
        loaded: &mut Loaded,
    ) -> Result<(), LoadError> {
        self.place(values, packed, weights)?;
        loaded.clamped.extend(self.clamped(values));
        let size = self.tensor.stored.element.size();
        for offset in self.tensor.padding().map(|index| index * size) {
            loaded.ignore(self.section, offset, &values[offset..][..size]);
        }
        Ok(())
    }

    /// Puts the values where memory has them, converted.
    fn place(&self, values: &[u8], packed: &[usize], weights: &mut [u8]) -> Result<(), LoadError> {
        let Part { tensor, base, .. } = self;
        let [buckets, rows, columns] = tensor.shape;
        let slots = tensor.placed.slots_of(columns, packed);
        let value = |bucket: usize, row: usize, column: usize| {
            let index = tensor.stored_index([bucket, row, column]);
            let stored = tensor.stored.read(values, index);
            let value = tensor.to_memory(stored);
            value.map_err(|unfit| self.unfit(unfit, index, stored))
        };
        for bucket in 0..buckets {
            let mut memory = Bucket::cleared(&tensor.placed, weights, *base, bucket);
            if let Form::OutputBlocks { runs, .. } = tensor.placed.form {
                let mut outputs = vec![0.0; rows];
                for (column, slot) in slots.iter().enumerate() {
                    for (row, output) in outputs.iter_mut().enumerate() {
                        *output = value(bucket, row, column)?;
                    }
                    memory
                        .set_runs(*slot, &outputs)
                        .map_err(|found| LoadError::OutputBlocks {
                            place: self.place.clone(),
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

    /// The tensor and how many of its values were clamped, if any were.
    fn clamped(&self, values: &[u8]) -> Option<(Place, usize)> {
        let tensor = self.tensor;
        let indices = 0..if tensor.clamps() {
            tensor.stored.values
        } else {
            0
        };
        let clamped = indices.filter(|index| tensor.is_clamped(tensor.stored.read(values, *index)));
        let count = clamped.count();
        (count > 0).then(|| (self.place.clone(), count))
    }

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

    fn unfit(&self, unfit: Unfit, index: usize, value: f64) -> LoadError {
        self.value_error(
            index,
            match unfit {
                Unfit::NotFinite => ValueFault::NotFinite { value },
                Unfit::OutOfRange => ValueFault::OutOfRange {
                    value,
                    limits: self.tensor.limits_of_values(),
                },
            },
        )
    }

    fn value_error(&self, index: usize, fault: ValueFault) -> LoadError {
        LoadError::Value {
            place: self.place.clone(),
            index: index as u64,
            fault,
        }
    }

    /// Decodes LEB128 values into numbers of the machine's endianness.
    fn decompress(&self, memory: &mut [u8]) -> Result<(), LoadError> {
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
                // Each value that is missing, wholly or in part, takes at least one byte more.
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

/// Checks a whole file as loading does, and keeps nothing of it but what [`Loaded`] has.
///
/// # Errors
///
/// All of [`LoadError`] but those of reading a file into memory.
pub fn check(layout: &FileLayout, source: &[u8]) -> Result<Loaded, LoadError> {
    let source = unpack(layout, source)?;
    split(layout, &source)?.check()
}
