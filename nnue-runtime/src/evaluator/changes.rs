//! Which rows lead from one accumulator to another.

use super::placement::PieceCodes;
use crate::architecture::Architecture;
use crate::chess::{Bitboard, Color, Square};
use crate::features::{Views, piece_squares};
use crate::network::Network;
use crate::rows::Rows;

/// The rows between two accumulators.
pub(super) struct RowChanges<A: Architecture> {
    pub(super) added: Rows<A>,
    pub(super) removed: Rows<A>,
}

impl<A: Architecture> RowChanges<A> {
    #[inline]
    pub(super) fn new() -> RowChanges<A> {
        RowChanges {
            added: Rows::new(),
            removed: Rows::new(),
        }
    }

    /// How many rows there are.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.added.len() + self.removed.len()
    }

    #[inline]
    pub(super) fn clear(&mut self) {
        self.added.clear();
        self.removed.clear();
    }

    /// Lists the rows that lead from one placement to another as a perspective sees both with its king on `king`, in the
    /// place of what was listed. `changed` has all squares on which the placements differ.
    ///
    /// It does not matter which moves lie between: what was moved to and fro is where it was. There is one loop, over the
    /// squares, and its end is the only branch that depends on the position.
    #[inline]
    pub(super) fn lead(
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
    pub(super) fn apply(&self, net: &Network<A>, base: &A::Half, into: &mut A::Half) {
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
