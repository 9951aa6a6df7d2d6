//! Accumulators that somebody else owns.

use core::fmt;

use crate::accumulator::{Accumulator, ClockOf};
use crate::architecture::Architecture;
use crate::chess::Color;
use crate::memory;

/// An [`Accumulator`] by reference: that of an [`Evaluator`](crate::Evaluator)'s current ply, whose
/// two perspectives may lie in different places.
pub struct AccumulatorRef<'a, A: Architecture> {
    halves: [&'a A::Half; 2],
    clock: ClockOf<A>,
}

impl<'a, A: Architecture> AccumulatorRef<'a, A> {
    /// The accumulator with the sums that white sees and those that black sees, at a half-move
    /// clock.
    #[inline]
    pub(crate) fn new(halves: [&'a A::Half; 2], clock: ClockOf<A>) -> AccumulatorRef<'a, A> {
        AccumulatorRef { halves, clock }
    }

    /// The sums of a perspective, as [`Accumulator::values`] has them.
    #[must_use]
    pub fn values(self, perspective: Color) -> &'a [i16] {
        A::values(self.halves[perspective.index()])
    }

    /// The values that the layers read for a side to move, as [`Accumulator::outputs`] has them.
    pub fn outputs(self, side_to_move: Color) -> impl Iterator<Item = i32> + 'a {
        let halves = Color::ALL.map(|perspective| self.values(perspective));
        let seen = A::ORDER.of(halves, side_to_move).into_iter();
        let seen = seen.take(A::NEURONS.perspectives);
        seen.flat_map(|sums| A::NEURONS.outputs_of(sums))
    }

    /// A copy that stays when the evaluator goes on.
    #[must_use]
    pub fn to_accumulator(self) -> Accumulator<A> {
        Accumulator {
            halves: self.halves.map(|half| *half),
            clock: self.clock,
        }
    }

    /// Writes the sums for `{:?}`.
    pub(super) fn show(self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(name)
            .field("net", &A::NAME)
            .field("white", &self.values(Color::White))
            .field("black", &self.values(Color::Black))
            .finish()
    }
}

impl<A: Architecture> Clone for AccumulatorRef<'_, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A: Architecture> Copy for AccumulatorRef<'_, A> {}

impl<A: Architecture> PartialEq for AccumulatorRef<'_, A> {
    fn eq(&self, other: &Self) -> bool {
        let mut halves = self.halves.iter().zip(other.halves);
        halves.all(|(half, other)| memory::bytes(*half) == memory::bytes(other))
    }
}

impl<A: Architecture> Eq for AccumulatorRef<'_, A> {}

impl<A: Architecture> fmt::Debug for AccumulatorRef<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.show("AccumulatorRef", f)
    }
}
