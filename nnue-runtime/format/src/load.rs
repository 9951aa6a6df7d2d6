//! From the tensors of a file to weights.

use alloc::borrow::Cow;
use alloc::vec;
use alloc::vec::Vec;

use crate::convert::Misfit;
use crate::element::swap_on_big_endian;
use crate::part::Part;
#[cfg(feature = "std")]
use crate::pieces;
use crate::placed::Bucket;
use crate::{
    Encoding, FileLayout, Form, LoadError, Loaded, Parts, Place, ValueFault, coalesce, paired,
    split, unpack,
};

impl Parts<'_> {
    /// Fills the weights, in the layout of a level with the packed order `packed` (see
    /// [`Segment::packed`](crate::Segment::packed)).
    ///
    /// # Errors
    ///
    /// The errors about single values. `weights` is then partly filled.
    ///
    /// # Panics
    ///
    /// If `weights` is shorter than the layout says.
    pub fn load(self, packed: &[usize], weights: &mut [u8]) -> Result<Loaded, LoadError> {
        self.fill(packed, weights, true)
    }

    /// Checks all values as [`Self::load`] does, without memory for all weights.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::load`].
    pub fn check(self) -> Result<Loaded, LoadError> {
        // Zeroed memory takes no space before it is written. Sums in memory need the weights.
        let mut weights = vec![0; self.layout.memory_len()];
        let has_sums = !self.layout.coalesced.is_empty();
        self.fill(&[0], &mut weights, has_sums)
    }

    /// Fills the weights; without `all`, only the weights that cannot be checked otherwise.
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
            |index: usize, part: &Part<'_>| part.tensor.is_same() && summed(index).is_none();
        let mut same = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            if is_same(index, part) {
                same.push(part);
            }
        }
        let memory = all.then_some(&mut *weights);
        let are_filled = fill_same(&same, memory);
        for (index, part) in parts.iter().enumerate() {
            let tensor = part.tensor;
            let summed = summed(index);
            if is_same(index, part) {
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
                        memory.copy_from_slice(&part.read()?);
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
            paired::pair_all(&self.layout.paired, weights);
        }
        self.loaded.description = self.description.into_owned();
        // Tensors may have another order in the file, and the bytes of alignment were found before
        // the tensors were loaded.
        self.loaded.order_ignored();
        Ok(self.loaded)
    }
}

/// Fills the memory of parts whose values are the same in memory as in the file, on several threads
/// if that is faster. Without memory, it checks these values. `false` if some values are wrong.
#[cfg(feature = "std")]
fn fill_same(parts: &[&Part<'_>], weights: Option<&mut [u8]>) -> bool {
    let parts = parts.iter().map(|part| part.same()).collect();
    let result = match weights {
        Some(weights) => pieces::fill(parts, weights),
        None => pieces::check(parts),
    };
    result.is_ok()
}

/// Without the standard library there are no threads, and each part is loaded by itself.
#[cfg(not(feature = "std"))]
fn fill_same(_: &[&Part<'_>], _: Option<&mut [u8]>) -> bool {
    false
}

impl Part<'_> {
    /// Puts the values into memory, and notes the bytes of the file that memory does not have.
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
        self.tensor.for_each_padding(&mut |index| {
            let offset = index * size;
            loaded.ignore(self.section, offset, &values[offset..][..size]);
        });
        Ok(())
    }

    /// Converts the values and puts them into memory.
    fn place(&self, values: &[u8], packed: &[usize], weights: &mut [u8]) -> Result<(), LoadError> {
        let Part { tensor, base, .. } = self;
        let [buckets, rows, columns] = tensor.shape;
        let slots = tensor.placed.slots_of(columns, packed);
        let value = |bucket: usize, row: usize, column: usize| {
            let index = tensor.stored.index([bucket, row, column]);
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
                    let value = value(bucket, row, column)?;
                    if value != 0.0 && tensor.placed.index_if_read(row, *slot).is_none() {
                        return Err(LoadError::Shards {
                            place: self.place.clone(),
                            bucket: (buckets > 1).then_some(bucket),
                            output: row,
                            input: column,
                            value,
                        });
                    }
                    memory.set(row, *slot, value);
                }
            }
        }
        Ok(())
    }

    /// The tensor and the number of its values that were clamped, if any were.
    fn clamped(&self, values: &[u8]) -> Option<(Place, usize)> {
        let tensor = self.tensor;
        if !tensor.clamps() {
            return None;
        }
        let mut count = 0;
        for index in 0..tensor.stored.values {
            count += usize::from(tensor.is_clamped(tensor.stored.read(values, index)));
        }
        (count > 0).then(|| (self.place.clone(), count))
    }

    fn unfit(&self, unfit: Misfit, index: usize, value: f64) -> LoadError {
        self.value_error(
            index,
            match unfit {
                Misfit::NotFinite => ValueFault::NotFinite { value },
                Misfit::OutOfRange => ValueFault::OutOfRange {
                    value,
                    limits: self.tensor.limits_of_values(),
                },
            },
        )
    }
}

/// Checks a whole file as loading does, and keeps only [`Loaded`].
///
/// # Errors
///
/// All errors of [`LoadError`] but those of reading a file into memory.
pub fn check(layout: &FileLayout, source: &[u8]) -> Result<Loaded, LoadError> {
    let source = unpack(layout, source)?;
    split(layout, &source)?.check()
}
