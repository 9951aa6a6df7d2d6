//! Lists of the transformer's rows, to be added or removed.

use crate::architecture::Architecture;
use crate::chess::Color;
use crate::features::custom_row;

/// A list of rows with room for all that can be active at once: in each set, a piece on every square of the board or as
/// many as the engine may tell.
pub(crate) struct Rows<A: Architecture> {
    rows: A::RowList,
    len: usize,
}

impl<A: Architecture> Rows<A> {
    #[inline]
    pub(crate) fn new() -> Rows<A> {
        Rows {
            rows: A::NO_ROWS,
            len: 0,
        }
    }

    /// Adds a row. There is room for every position whose bitboards are disjoint and for every list that keeps to its
    /// set's limit; rows of others beyond the capacity are dropped.
    #[inline]
    pub(crate) fn push(&mut self, row: u32) {
        if let Some(free) = self.rows.as_mut().get_mut(self.len) {
            *free = row;
            self.len += 1;
        }
    }

    /// Adds a row if it exists, without a branch that could be mispredicted.
    #[inline]
    pub(crate) fn push_if(&mut self, exists: bool, row: u32) {
        if let Some(free) = self.rows.as_mut().get_mut(self.len) {
            *free = row;
            self.len += usize::from(exists);
        }
    }

    /// Adds the rows of custom sets' features.
    #[inline]
    pub(crate) fn push_custom(
        &mut self,
        weights: &A::Weights,
        perspective: Color,
        features: &[u32],
    ) {
        for &feature in features {
            if let Some(row) = custom_row::<A>(perspective, feature) {
                A::prefetch(weights, row);
                self.push(row);
            }
        }
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Takes a row out again, if it is there.
    #[inline]
    pub(crate) fn cancel(&mut self, row: u32) -> bool {
        let Some(found) = self.as_slice().iter().position(|listed| *listed == row) else {
            return false;
        };
        self.len -= 1;
        let rows = self.rows.as_mut();
        rows[found] = rows[self.len];
        true
    }

    #[inline]
    pub(crate) fn as_slice(&self) -> &[u32] {
        let rows = self.rows.as_ref();
        &rows[..self.len.min(rows.len())]
    }
}

impl<A: Architecture> Clone for Rows<A> {
    fn clone(&self) -> Rows<A> {
        Rows {
            rows: self.rows.clone(),
            len: self.len,
        }
    }
}
