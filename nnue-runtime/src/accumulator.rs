//! Accumulators: the transformer's sums for both perspectives.

mod supplied;
mod view;

use core::fmt;

use crate::architecture::{Architecture, sets};
use crate::chess::Color;
use crate::delta::Delta;
use crate::feature_set::read_all_squares;
use crate::features::{BoardChanges, FeatureChanges, Step, Viewpoint, clock, view_changes};
use crate::line::{Beginning, Clock, Kind, Start, StartsAt};
use crate::network::Network;
use crate::placement::PieceCodes;
use crate::position::Position;
use crate::rows::RowLists;
use crate::rows::changes::RowChanges;

pub use self::view::AccumulatorRef;

/// The transformer's sums for a position, seen by white and by black.
///
/// An accumulator belongs to one network's type: handing it to another does not compile.
#[derive(Clone)]
pub struct Accumulator<A: Architecture> {
    halves: [A::Half; 2],
    /// The half-move clock whose rows are in the sums.
    clock: ClockOf<A>,
}

/// What accumulators of a network keep of the half-move clock.
pub(crate) type ClockOf<A> = <<A as Architecture>::Line as Kind>::Clock;

impl<A: Architecture> Accumulator<A> {
    /// The accumulator of the start of a line: `&position`, for networks without custom feature
    /// sets.
    #[must_use]
    pub fn new(net: &Network<A>, start: impl Start<A::Line>) -> Accumulator<A> {
        let mut accumulator = Accumulator {
            halves: Color::ALL.map(|perspective| *A::biases(net.weights(), perspective)),
            clock: Clock::keep(None),
        };
        accumulator.refresh(net, start);
        accumulator
    }

    /// Computes the sums from nothing: biases plus all rows that are switched on.
    pub fn refresh(&mut self, net: &Network<A>, start: impl Start<A::Line>) {
        let start = start.beginning(net.level());
        self.refresh_perspectives(net, A::PERSPECTIVES, &start);
        self.clock = Clock::keep(start.clock);
    }

    /// Computes the sums after a move from those before it: the rows of the pieces that `delta`
    /// removes and adds.
    ///
    /// `before` is the accumulator of the position before the move, `after` the position after it.
    /// If the move changes all rows of a perspective, because of its king or of other pieces that
    /// choose rows, that perspective is refreshed.
    pub fn update<P: Position>(
        &mut self,
        net: &Network<A>,
        before: &Accumulator<A>,
        delta: &Delta,
        after: &P,
    ) where
        A: Architecture<Line: StartsAt<P>>,
    {
        let clocks = [before.clock.kept(), A::Line::clock(after)];
        self.clock = Clock::keep(clocks[1]);
        if const { read_all_squares(A::FEATURES) } {
            return self.update_sets(net, before, delta, after, clocks, FeatureChanges::NONE);
        }
        for &perspective in A::PERSPECTIVES {
            let from = Viewpoint::around::<A>(perspective, delta, after);
            if view_changes::<A>(perspective, from) {
                let after = Start::<A::Line>::beginning(&after, net.level());
                self.refresh_perspectives(net, &[perspective], &after);
                continue;
            }
            let mut changes = RowChanges::<A>::new();
            let (mut before_move, mut after_move) = (PieceCodes::EMPTY, PieceCodes::EMPTY);
            let [removed, added] = delta.changes();
            let (left, entered) = (before_move.add(removed), after_move.add(added));
            let step = Step {
                before: &before_move,
                after: &after_move,
                changed: left | entered,
                board: &BoardChanges::NONE,
            };
            for set in sets::<A>() {
                set.list_changes(net, perspective, from[1], step, &mut changes);
            }
            let [left, entered] = [(from[0], clocks[0]), (from[1], clocks[1])];
            clock::list_changes(net.weights(), perspective, left, entered, &mut changes);
            changes.apply(net, before.half(perspective), self.half_mut(perspective));
        }
    }

    /// Sums up all rows of some perspectives: those that follow from the position, and those of the
    /// features that the engine supplies.
    fn refresh_perspectives(
        &mut self,
        net: &Network<A>,
        perspectives: &[Color],
        start: &Beginning<'_>,
    ) {
        let placement = &start.placement;
        let (pieces, mut board) = (placement.squares(), BoardChanges::NONE);
        if const { read_all_squares(A::FEATURES) } {
            board.find_all::<A>(net.level(), pieces);
        }
        // One list serves both perspectives: in networks of threats a list has several kilobytes,
        // which have to be cleared before they are first used.
        let mut rows = A::Rows::EMPTY;
        for &perspective in perspectives {
            let from = Viewpoint::in_placement::<A>(placement, perspective);
            rows.clear();
            for set in sets::<A>() {
                let list = &mut rows.of(set.table);
                set.list_active(net.level(), perspective, from, pieces, &board, list);
            }
            clock::list_active::<A>(perspective, from, start.clock, &mut rows);
            let p = perspective.index();
            let (active, view) = (start.active[p], start.views[p]);
            FeatureChanges::list_active::<A>(active, perspective, view, &mut rows);
            let biases = A::biases(net.weights(), perspective);
            let into = self.half_mut(perspective);
            let none = A::Rows::NONE;
            A::accumulate(net.level(), net.weights(), biases, &rows, none, into);
        }
    }

    /// The sums that one perspective sees.
    #[inline]
    pub(crate) fn half(&self, perspective: Color) -> &A::Half {
        &self.halves[perspective.index()]
    }

    #[inline]
    fn half_mut(&mut self, perspective: Color) -> &mut A::Half {
        &mut self.halves[perspective.index()]
    }

    /// The same sums by reference, as an [`Evaluator`](crate::Evaluator) shows its own.
    #[inline]
    #[must_use]
    pub fn view(&self) -> AccumulatorRef<'_, A> {
        AccumulatorRef::new(self.halves.each_ref(), self.clock)
    }

    /// The sums of a perspective, a value for each neuron, as they lie in memory: in the order of
    /// the net file, unless the spec has another order, neighbours are pooled, which lie in the two
    /// halves, or the width is padded.
    #[must_use]
    pub fn values(&self, perspective: Color) -> &[i16] {
        self.view().values(perspective)
    }

    /// The values that the layers read for a side to move: the [outputs](crate::neurons) of the
    /// first perspective, then those of the second, also where the layers have them alternate.
    pub fn outputs(&self, side_to_move: Color) -> impl Iterator<Item = i32> {
        self.view().outputs(side_to_move)
    }
}

impl<A: Architecture> PartialEq for Accumulator<A> {
    fn eq(&self, other: &Accumulator<A>) -> bool {
        self.view() == other.view()
    }
}

impl<A: Architecture> Eq for Accumulator<A> {}

impl<A: Architecture> fmt::Debug for Accumulator<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().show("Accumulator", f)
    }
}
