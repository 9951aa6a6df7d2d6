//! Lists of the transformer's rows: what leads from one accumulator to another.

use crate::architecture::Architecture;
use crate::chess::{Bitboard, Color, Square};
use crate::features::{custom_row, piece_squares};
use crate::network::Network;
use crate::placement::PieceCodes;

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

/// The rows between two accumulators.
pub(crate) struct RowChanges<A: Architecture> {
    pub(crate) added: Rows<A>,
    pub(crate) removed: Rows<A>,
}

impl<A: Architecture> RowChanges<A> {
    #[inline]
    pub(crate) fn new() -> RowChanges<A> {
        RowChanges {
            added: Rows::new(),
            removed: Rows::new(),
        }
    }

    /// How many rows there are.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.added.len() + self.removed.len()
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.added.clear();
        self.removed.clear();
    }

    /// Lists the rows that lead from one placement to another as a perspective sees both with its king on `king`, in the
    /// place of what was listed. `changed` has all squares on which the placements differ.
    ///
    /// It does not matter which moves lie between: what was moved to and fro is where it was. There is one loop, over the
    /// squares, and its end is the only branch that depends on the position.
    #[inline]
    pub(crate) fn lead(
        &mut self,
        net: &Network<A>,
        perspective: Color,
        king: Square,
        [before, after]: [&PieceCodes; 2],
        changed: Bitboard,
    ) {
        self.clear();
        for set in piece_squares::<A>() {
            let view = set.view(perspective, king);
            for square in changed {
                let [old, new] = [before, after].map(|squares| squares.code(square));
                let ((removed, was), (added, is)) =
                    (view.row_of(old, square), view.row_of(new, square));
                // Of two, one is soon enough: most squares have one only.
                A::prefetch(net.weights(), if is { added } else { removed });
                self.removed.push_if(was & (old != new), removed);
                self.added.push_if(is & (old != new), added);
            }
        }
    }

    /// Makes one accumulator from another.
    #[inline]
    pub(crate) fn apply(&self, net: &Network<A>, base: &A::Half, into: &mut A::Half) {
        A::accumulate(
            net.level(),
            net.weights(),
            base,
            self.added.as_slice(),
            self.removed.as_slice(),
            into,
        );
    }
}

impl<A: Architecture> Clone for RowChanges<A> {
    fn clone(&self) -> RowChanges<A> {
        RowChanges {
            added: self.added.clone(),
            removed: self.removed.clone(),
        }
    }
}
