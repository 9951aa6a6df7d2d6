//! Factorised tensors: virtual rows, which a file has besides real rows, and weights of layers that
//! all stacks share, which a file has besides the weights of each stack. They are added to the real
//! values when the file is loaded, and subtracted again when it is written.
//!
//! Memory keeps the summands where no evaluation reads them. Integers of sets are added in memory,
//! after the whole file is loaded. Floating point that is rounded as a sum has to be added before
//! it becomes integers. The same holds for all values of layers, whose weights have an order of
//! their own in memory.

mod set;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;

use crate::convert::Misfit;
use crate::part::Part;
use crate::placed::Bucket;
use crate::{
    Coalesced, CoalescedSet, Factors, FileLayout, Limits, LoadError, Place, Rounding, Tensor,
};

/// Tensors whose values are added while they have the type of the file.
struct Summation<'a> {
    /// The tensor of the sums. The file may have it once for each stack.
    real: &'a Tensor,
    virtuals: &'a Tensor,
    rows: Rows<'a>,
}

/// Which rows of the virtual tensor are added to each row of the real tensor.
enum Rows<'a> {
    /// The virtual rows of a set are added. Several sets can share a tensor, so the numbers say
    /// which rows of both tensors are the first rows of the set.
    OfSet {
        factors: &'a Factors,
        first: usize,
        first_virtual: usize,
    },
    /// The row with the same number is added to the row of every bucket.
    OfStacks,
}

/// Adds virtual rows to the real rows, except for those that [`sums_of_file`] has added.
///
/// # Errors
///
/// [`LoadError::Coalesced`] if a sum leaves its type.
pub(super) fn add(layout: &FileLayout, weights: &mut [u8]) -> Result<(), LoadError> {
    for set in sets_in_memory(layout) {
        let mut beyond = None;
        set.for_each_value(weights, |row, slot, own, virtual_sum| {
            let sum = own + virtual_sum;
            if !set.holds(sum) && beyond.is_none() {
                let terms = [own as f64, virtual_sum as f64];
                beyond = Some(set.beyond(layout, row, slot, terms));
            }
            sum
        });
        if let Some(error) = beyond {
            return Err(error);
        }
    }
    Ok(())
}

/// The weights with virtual rows subtracted from the real rows, the inverse of [`add`]; `None` if
/// `add` has added none.
pub(super) fn subtract(layout: &FileLayout, weights: &[u8]) -> Option<Vec<u8>> {
    let mut without = None;
    for set in sets_in_memory(layout) {
        let weights = without.get_or_insert_with(|| weights.to_vec());
        set.for_each_value(weights, |_, _, sum, virtual_sum| sum - virtual_sum);
    }
    without
}

/// The sets whose rows are added in memory.
fn sets_in_memory(layout: &FileLayout) -> impl Iterator<Item = &CoalescedSet> {
    layout
        .coalesced
        .iter()
        .filter_map(|coalesced| match coalesced {
            Coalesced::Set(set) if coalesced.summed(layout).is_none() => Some(set),
            _ => None,
        })
}

/// Sums of values in the type of the file: for each tensor of sums, the number of its part, and the
/// bytes that replace those of the file. Floating point is added in 32 bits, as trainers do: a
/// row's own value first, and then the virtual values in their order.
///
/// # Errors
///
/// [`LoadError::Coalesced`] if a sum, or the integer that it becomes, does not fit its type.
pub(super) fn sums_of_file(
    layout: &FileLayout,
    parts: &[Part<'_>],
) -> Result<Vec<(usize, Vec<u8>)>, LoadError> {
    let mut replaced: Vec<(usize, Vec<u8>)> = Vec::new();
    for coalesced in layout.coalesced.iter() {
        let Some(summed) = coalesced.summed(layout) else {
            continue;
        };
        let is_of =
            |part: &Part<'_>, tensor: &Tensor| part.tensor.placed.offset == tensor.placed.offset;
        let Some(virtuals) = parts.iter().find(|part| is_of(part, summed.virtuals)) else {
            continue;
        };
        let virtual_bytes = virtuals.raw()?;
        for (number, part) in parts.iter().enumerate() {
            if !is_of(part, summed.real) {
                continue;
            }
            let bytes = match replaced.iter().position(|(own, _)| *own == number) {
                Some(index) => replaced.swap_remove(index).1,
                None => part.raw()?.into_owned(),
            };
            let bytes = summed.add(part, bytes, &virtual_bytes)?;
            replaced.push((number, bytes));
        }
    }
    Ok(replaced)
}

/// Whether a tensor has sums of values that are added in the type of the file.
pub(super) fn is_summed(layout: &FileLayout, tensor: &Tensor) -> bool {
    let coalesced = layout.coalesced.iter();
    let mut summed = coalesced.filter_map(|coalesced| coalesced.summed(layout));
    summed.any(|summed| summed.real.placed.offset == tensor.placed.offset)
}

/// Whether a tensor in memory has sums of several values of the file, wherever they are added.
pub(super) fn has_sums(layout: &FileLayout, tensor: &Tensor) -> bool {
    let start = tensor.placed.offset;
    let rows = start..start + tensor.placed.len();
    is_summed(layout, tensor)
        || sets_in_memory(layout).any(|set| rows.contains(&set.row_offset(set.row)))
}

/// Subtracts the summands that were added to the values of a tensor. `values` are the sums as a
/// file would have them. They become values that make the same sums with the virtual values as they
/// are written.
pub(super) fn subtract_from_file(
    layout: &FileLayout,
    tensor: &Tensor,
    weights: &[u8],
    values: &mut [u8],
) {
    for coalesced in layout.coalesced.iter() {
        if let Some(summed) = coalesced.summed(layout)
            && summed.real.placed.offset == tensor.placed.offset
        {
            summed.subtract(weights, values);
        }
    }
}

impl Summation<'_> {
    /// The bytes of the real tensor after the virtual values are added.
    fn add(
        &self,
        part: &Part<'_>,
        mut bytes: Vec<u8>,
        virtual_bytes: &[u8],
    ) -> Result<Vec<u8>, LoadError> {
        let (tensor, virtuals) = (part.tensor, &self.virtuals.stored);
        let [buckets, _, columns] = tensor.shape;
        let mut beyond = None;
        let mut terms = Vec::new();
        self.for_each_row(&mut |bucket, row, virtual_rows| {
            for column in 0..columns {
                let index = tensor.stored.index([bucket, row, column]);
                let own = tensor.stored.read(&bytes, index);
                terms.clear();
                for row in virtual_rows {
                    let index = self.virtuals.stored.index([0, *row, column]);
                    terms.push(virtuals.read(virtual_bytes, index));
                }
                let virtual_sum = total(&terms);
                // A virtual value that is not finite is refused when its own tensor is loaded.
                if !virtual_sum.is_finite() {
                    continue;
                }
                let sum = self.sum(own, &terms);
                if !self.holds(sum) && beyond.is_none() {
                    let stack = part.place.stack.or((buckets > 1).then_some(bucket));
                    let name = part.place.name.clone();
                    beyond = Some(LoadError::Coalesced {
                        place: Place { stack, name },
                        row: row as u64,
                        column: column as u64,
                        own,
                        virtual_sum,
                        limits: self.limits(),
                    });
                }
                tensor.stored.write(&mut bytes, index, sum);
            }
        });
        beyond.map_or(Ok(bytes), Err)
    }

    /// The inverse of [`Self::add`]: turns sums into values of a file without the virtual values.
    fn subtract(&self, weights: &[u8], values: &mut [u8]) {
        let (tensor, virtuals) = (self.real, self.virtuals);
        let columns = tensor.shape[2];
        let memory = Bucket::of(&virtuals.placed, weights, 0, 0);
        let slots = virtuals.placed.slots_of(columns, &[0]);
        let mut terms = Vec::new();
        self.for_each_row(&mut |bucket, row, virtual_rows| {
            for (column, slot) in slots.iter().enumerate() {
                let index = tensor.stored.index([bucket, row, column]);
                let sum = tensor.stored.read(values, index);
                terms.clear();
                for row in virtual_rows {
                    terms.push(virtuals.to_stored(memory.get(*row, *slot)));
                }
                if let Some(own) = self.without(sum, &terms) {
                    tensor.stored.write(values, index, own);
                }
            }
        });
    }

    /// A value whose sum with the virtual values becomes the same number in memory as `sum`.
    fn without(&self, sum: f64, virtuals: &[f64]) -> Option<f64> {
        let virtual_sum = total(virtuals);
        if !self.is_float() {
            return Some(sum - virtual_sum);
        }
        let wanted = self.real.to_memory(sum).ok()?;
        // The middle of the numbers that become the integer: there, errors of additions do not
        // matter.
        let middle = match self.real.stored.quantise {
            Some(quantise) if quantise.rounding == Rounding::Truncate && wanted != 0.0 => {
                (wanted + 0.5 * wanted.signum()) / quantise.factor
            }
            Some(quantise) => wanted / quantise.factor,
            None => wanted,
        };
        let near = self.real.stored.element.nearest(middle - virtual_sum);
        near.into_iter()
            .find(|own| self.real.to_memory(self.sum(*own, virtuals)) == Ok(wanted))
    }

    fn is_float(&self) -> bool {
        self.real.stored.element.is_float()
    }

    /// The sum of a value and its virtual values.
    fn sum(&self, own: f64, virtuals: &[f64]) -> f64 {
        if !self.is_float() {
            return own + total(virtuals);
        }
        let mut sum = own as f32;
        for value in virtuals {
            sum += *value as f32;
        }
        sum.into()
    }

    /// Whether a sum fits its type in memory. A sum that is not finite is refused later.
    fn holds(&self, sum: f64) -> bool {
        let limits = self.real.stored.element.limits();
        self.real.to_memory(sum) != Err(Misfit::OutOfRange)
            && limits.is_none_or(|(low, high)| (low.into()..=high.into()).contains(&sum))
    }

    fn limits(&self) -> Limits {
        match self.real.stored.element.limits() {
            // Integers are added after they are loaded.
            Some(allowed) => Limits {
                factor: None,
                allowed,
            },
            None => self.real.limits_of_values(),
        }
    }

    /// Visits the rows of the real tensor that have virtual rows, with bucket, row and the rows of
    /// the virtual tensor.
    fn for_each_row(&self, visit: &mut dyn FnMut(usize, usize, &[usize])) {
        match self.rows {
            Rows::OfSet {
                factors,
                first,
                first_virtual,
            } => {
                let mut of_tensor = Vec::new();
                factors.for_each_row(&mut |row, virtual_rows| {
                    of_tensor.clear();
                    of_tensor.extend(virtual_rows.iter().map(|row| first_virtual + row));
                    visit(0, first + row, &of_tensor);
                });
            }
            Rows::OfStacks => {
                let [buckets, rows, _] = self.real.shape;
                for bucket in 0..buckets {
                    (0..rows).for_each(|row| visit(bucket, row, &[row]));
                }
            }
        }
    }
}

/// The sum of values that are added in 64 bits.
fn total(values: &[f64]) -> f64 {
    values.iter().sum()
}

impl Coalesced {
    /// The tensors of the sums, if their values are added while they have the type of the file.
    fn summed<'a>(&'a self, layout: &'a FileLayout) -> Option<Summation<'a>> {
        match self {
            Coalesced::Set(set) => set.summed(layout),
            Coalesced::Stacks { own, shared } => {
                let tensor = |offset: usize| {
                    let mut tensors = layout.tensors();
                    let found = tensors.find(|(_, tensor)| tensor.placed.offset == offset);
                    found.map(|(_, tensor)| tensor)
                };
                Some(Summation {
                    real: tensor(*own)?,
                    virtuals: tensor(*shared)?,
                    rows: Rows::OfStacks,
                })
            }
        }
    }
}
