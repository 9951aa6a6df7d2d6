//! Accumulators of networks with custom feature sets: the engine supplies the features.

use super::Accumulator;
use crate::architecture::{Architecture, sets};
use crate::chess::Color;
use crate::delta::Delta;
use crate::features::{BoardChanges, FeatureChanges, Step, Viewpoint, clock, view_changes};
use crate::line::{FromViews, Start, TakesBoth, TakesFeatures, TakesViews, Views};
use crate::network::Network;
use crate::placement::{PieceCodes, Placement};
use crate::position::Position;
use crate::rows::changes::RowChanges;

/// Accumulators of networks all of whose sets are custom.
///
/// Features are numbered from 0, as white sees them and as black does; [`FeatureChanges`] says what
/// becomes of wrong numbers.
impl<A: Architecture<Line: TakesFeatures>> Accumulator<A> {
    /// Computes one perspective's sums after a move from those before it.
    pub fn update_features(
        &mut self,
        net: &Network<A>,
        before: &Accumulator<A>,
        perspective: Color,
        changes: FeatureChanges<'_>,
    ) {
        self.update_supplied(net, before, perspective, 0, changes);
    }
}

/// Accumulators of networks whose custom sets have views.
///
/// Numbers beyond the last view stand for the last.
impl<A: Architecture<Line: TakesViews>> Accumulator<A> {
    /// Computes one perspective's sums from nothing: biases plus the rows of all active features in
    /// a view.
    pub fn refresh_view(
        &mut self,
        net: &Network<A>,
        perspective: Color,
        view: u32,
        active: &[u32],
    ) {
        let start = Views(Color::White, [view; 2], [active; 2]);
        let start = Start::<FromViews>::beginning(&start, net.level());
        self.refresh_perspectives(net, &[perspective], &start);
    }

    /// Computes one perspective's sums after a move from those before it, which have the same view.
    /// After another move, [`refresh_view`](Self::refresh_view) computes them.
    pub fn update_view(
        &mut self,
        net: &Network<A>,
        before: &Accumulator<A>,
        perspective: Color,
        view: u32,
        changes: FeatureChanges<'_>,
    ) {
        self.update_supplied(net, before, perspective, view, changes);
    }
}

/// Accumulators of networks that have other sets too, which follow the position.
impl<A: Architecture<Line: TakesBoth>> Accumulator<A> {
    /// Computes the sums after a move from those before it: the rows of the pieces that `delta`
    /// removes and adds, and of what changes in custom sets, for white and for black.
    ///
    /// `before` is the accumulator of the position before the move, `after` the position after it.
    /// Where the move changes all rows of a set for a perspective, because of its king or of other
    /// pieces that choose rows, they are exchanged, and those of the other sets stay.
    pub fn update_with(
        &mut self,
        net: &Network<A>,
        before: &Accumulator<A>,
        delta: &Delta,
        after: &impl Position,
        changes: [FeatureChanges<'_>; 2],
    ) {
        self.update_sets(net, before, delta, after, [None; 2], changes);
    }
}

impl<A: Architecture> Accumulator<A> {
    fn update_supplied(
        &mut self,
        net: &Network<A>,
        before: &Accumulator<A>,
        perspective: Color,
        view: u32,
        changes: FeatureChanges<'_>,
    ) {
        let mut rows = RowChanges::new();
        changes.list(net.weights(), perspective, view, &mut rows);
        rows.apply(net, before.half(perspective), self.half_mut(perspective));
    }

    /// [`update_with`](Accumulator::update_with), for networks with any sets that follow the
    /// position, and with the half-move clock before the move and after it.
    pub(super) fn update_sets(
        &mut self,
        net: &Network<A>,
        before: &Accumulator<A>,
        delta: &Delta,
        after: &impl Position,
        clocks: [Option<u8>; 2],
        changes: [FeatureChanges<'_>; 2],
    ) {
        let after_move = *Placement::of(net.level(), after).squares();
        let mut before_move = after_move;
        let [removed, added] = delta.changes();
        let changed = before_move.replace(added, removed);
        let (before_move, after_move, nothing) = (&before_move, &after_move, &PieceCodes::EMPTY);
        let mut found = [const { BoardChanges::NONE }; 3];
        let [between, left, entered] = &mut found;
        let step = Step {
            changed,
            ..Step::between(net, before_move, after_move, between)
        };
        let from = Color::ALL.map(|color| Viewpoint::around::<A>(color, delta, after));
        let changes_view =
            |perspective: &Color| view_changes::<A>(*perspective, from[perspective.index()]);
        // From the board before the move to an empty one, and from there to the board after it.
        let exchange = A::PERSPECTIVES.iter().any(changes_view).then(|| {
            [
                Step::between(net, before_move, nothing, left),
                Step::between(net, nothing, after_move, entered),
            ]
        });
        for &perspective in A::PERSPECTIVES {
            let [from_before, from] = from[perspective.index()];
            let mut rows = RowChanges::new();
            for set in sets::<A>() {
                let mut list = |from, step| {
                    set.list_changes(net, perspective, from, step, &mut rows);
                };
                match exchange {
                    Some([leave, enter]) if !set.sees_alike(perspective, [from_before, from]) => {
                        list(from_before, leave);
                        list(from, enter);
                    }
                    _ => list(from, step),
                }
            }
            let [left, entered] = [(from_before, clocks[0]), (from, clocks[1])];
            clock::list_changes(net.weights(), perspective, left, entered, &mut rows);
            changes[perspective.index()].list(net.weights(), perspective, 0, &mut rows);
            rows.apply(net, before.half(perspective), self.half_mut(perspective));
        }
    }
}
