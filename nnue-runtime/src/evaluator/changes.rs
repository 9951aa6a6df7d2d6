//! Which rows lead from one accumulator to another.

use super::placement::Squares;
use crate::architecture::Architecture;
use crate::chess::{Color, Square};
use crate::features::{Rows, piece_squares};
use crate::network::Network;

/// The rows between two accumulators.
pub(super) struct RowChanges<A: Architecture> {
    pub(super) added: Rows<A>,
    pub(super) removed: Rows<A>,
}

impl<A: Architecture> RowChanges<A> {
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

    /// Lists the rows that lead from one placement to another as a perspective sees both with its king on `king`.
    ///
    /// It does not matter which moves lie between: what was moved to and fro is where it was. There is one loop, over the
    /// squares that differ, and its end is the only branch that depends on the position.
    #[inline]
    pub(super) fn lead(
        &mut self,
        weights: &A::Weights,
        perspective: Color,
        king: Square,
        [before, after]: [&Squares; 2],
    ) {
        self.clear();
        let differences = after.differences(before);
        for set in piece_squares::<A>() {
            let view = set.view(perspective, king);
            for square in differences {
                let (old, was) = view.row_of(before.code(square), square);
                let (new, is) = view.row_of(after.code(square), square);
                // Of two, one is soon enough: most squares have one only.
                A::prefetch(weights, if is { new } else { old });
                self.removed.push_if(was, old);
                self.added.push_if(is, new);
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
