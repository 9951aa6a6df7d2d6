//! The rows that one accumulator has, and another has not.

use super::RowLists;
use crate::architecture::Architecture;
use crate::network::Network;

/// The rows that lead from one accumulator to another.
pub(crate) struct RowChanges<A: Architecture> {
    pub(crate) added: A::Rows,
    pub(crate) removed: A::Rows,
}

impl<A: Architecture> RowChanges<A> {
    #[inline]
    pub(crate) fn new() -> RowChanges<A> {
        RowChanges {
            added: A::Rows::EMPTY,
            removed: A::Rows::EMPTY,
        }
    }

    /// How many rows there are.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.added.count() + self.removed.count()
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.added.clear();
        self.removed.clear();
    }

    /// Makes one accumulator from another.
    #[inline]
    pub(crate) fn apply(&self, net: &Network<A>, base: &A::Half, into: &mut A::Half) {
        A::accumulate(
            net.level(),
            net.weights(),
            base,
            &self.added,
            &self.removed,
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
