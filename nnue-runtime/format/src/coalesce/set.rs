//! Rows of a factorised set, to which its virtual rows are added in memory.

use alloc::vec;

use super::{Rows, Summation};
use crate::{CoalescedSet, FileLayout, Limits, LoadError, Place, Tensor, Text};

impl CoalescedSet {
    /// The set's tensors, if their values are floating point that is rounded as sums.
    pub(super) fn summed<'a>(&'a self, layout: &'a FileLayout) -> Option<Summation<'a>> {
        if self.factors.round_each {
            return None;
        }
        let (real, first) = self.place(layout, self.row)?;
        let (virtuals, first_virtual) = self.place(layout, self.virtual_row)?;
        let summed = Summation {
            real,
            virtuals,
            rows: Rows::OfSet {
                factors: &self.factors,
                first,
                first_virtual,
            },
        };
        summed.is_float().then_some(summed)
    }

    /// The tensor that has a row of the matrix, and the number of the row in that tensor.
    fn place<'a>(&self, layout: &'a FileLayout, row: usize) -> Option<(&'a Tensor, usize)> {
        let offset = self.row_offset(row);
        let mut tensors = layout.tensors();
        let (_, tensor) = tensors.find(|(_, tensor)| {
            let placed = &tensor.placed;
            (placed.offset..placed.offset + placed.len()).contains(&offset)
        })?;
        let row_len = self.columns * self.element.size();
        Some((tensor, (offset - tensor.placed.offset) / row_len))
    }

    /// Replaces each value of the real rows by the result of `combine` for its row, its slot, the
    /// value and the sum of its virtual values.
    pub(super) fn for_each_value(
        &self,
        weights: &mut [u8],
        mut combine: impl FnMut(usize, usize, i64, i64) -> i64,
    ) {
        let size = self.element.size();
        let row_len = self.columns * size;
        let (real, virtuals) = weights.split_at_mut(self.row_offset(self.virtual_row));
        let real = &mut real[self.row_offset(self.row)..];
        let mut sums = vec![0; self.columns];
        self.factors.for_each_row(&mut |row, virtual_rows| {
            sums.fill(0);
            for virtual_row in virtual_rows {
                let values = virtuals[virtual_row * row_len..][..row_len].chunks_exact(size);
                for (sum, value) in sums.iter_mut().zip(values) {
                    *sum += self.value(value);
                }
            }
            let values = real[row * row_len..][..row_len].chunks_exact_mut(size);
            for (slot, (value, sum)) in values.zip(&sums).enumerate() {
                let combined = combine(row, slot, self.value(value), *sum);
                // The values are truncated: a value that does not fit is an error of the caller.
                match size {
                    2 => value.copy_from_slice(&(combined as i16).to_ne_bytes()),
                    _ => value.copy_from_slice(&(combined as i32).to_ne_bytes()),
                }
            }
        });
    }

    fn value(&self, bytes: &[u8]) -> i64 {
        match bytes {
            [a, b] => i64::from(i16::from_ne_bytes([*a, *b])),
            [a, b, c, d] => i64::from(i32::from_ne_bytes([*a, *b, *c, *d])),
            _ => 0,
        }
    }

    pub(super) fn holds(&self, value: i64) -> bool {
        let limits = self.element.limits();
        limits.is_some_and(|(low, high)| (i64::from(low)..=i64::from(high)).contains(&value))
    }

    /// The error of a sum that does not fit, in terms of the file. `row` is the number of the row
    /// in the set, `slot` the column in memory.
    pub(super) fn beyond(
        &self,
        layout: &FileLayout,
        row: usize,
        slot: usize,
        [own, virtual_sum]: [f64; 2],
    ) -> LoadError {
        let (mut name, mut row, mut column) = (Text::default(), self.row + row, slot);
        let limits = Limits {
            factor: None,
            allowed: self.element.limits().unwrap_or_default(),
        };
        if let Some((tensor, row_of_tensor)) = self.place(layout, row) {
            let slots = tensor.placed.slots_of(tensor.shape[2], &[0]);
            (name, row) = (tensor.name.clone(), row_of_tensor);
            column = slots.iter().position(|of| *of == slot).unwrap_or(slot);
        }
        LoadError::Coalesced {
            place: Place { stack: None, name },
            row: row as u64,
            column: column as u64,
            own,
            virtual_sum,
            limits,
        }
    }
}
