//! Accumulators of networks with custom feature sets: the engine tells which features are active.

use super::Accumulator;
use crate::architecture::{Architecture, sets};
use crate::chess::Color;
use crate::delta::Delta;
use crate::feature_set::{refuse_views, require_only_told, require_views};
use crate::features::{BoardChanges, FeatureChanges, Step, Viewpoint, view_changes};
use crate::network::Network;
use crate::placement::{PieceCodes, Placement};
use crate::position::Position;
use crate::rows::RowLists;
use crate::rows::changes::RowChanges;

/// Accumulators of networks all of whose sets are custom: there is no position.
///
/// Features are numbered from 0, as white sees them and as black does; [`FeatureChanges`] says what
/// becomes of wrong numbers.
impl<A: Architecture> Accumulator<A> {
    /// The accumulator of the features that are active for white and for black, whoever these are
    /// in the game.
    #[must_use]
    pub fn from_features(net: &Network<A>, active: [&[u32]; 2]) -> Accumulator<A> {
        let mut accumulator = Self::empty(net);
        for &perspective in A::PERSPECTIVES {
            accumulator.refresh_features(net, perspective, active[perspective.index()]);
        }
        accumulator
    }

    /// Computes one perspective's sums from nothing: biases plus the rows of all active features.
    pub fn refresh_features(&mut self, net: &Network<A>, perspective: Color, active: &[u32]) {
        const { refuse_views(A::FEATURES) };
        const { require_only_told(A::FEATURES) };
        self.refresh_told(net, perspective, 0, active);
    }

    /// Computes one perspective's sums after a move from those before it.
    pub fn update_features(
        &mut self,
        net: &Network<A>,
        before: &Accumulator<A>,
        perspective: Color,
        changes: FeatureChanges<'_>,
    ) {
        const { refuse_views(A::FEATURES) };
        self.update_told(net, before, perspective, 0, changes);
    }

    fn refresh_told(&mut self, net: &Network<A>, perspective: Color, view: u32, active: &[u32]) {
        let mut rows = A::Rows::EMPTY;
        FeatureChanges::list_active::<A>(active, perspective, view, &mut rows);
        let biases = A::biases(net.weights(), perspective);
        let into = self.half_mut(perspective);
        let none = A::Rows::NONE;
        A::accumulate(net.level(), net.weights(), biases, &rows, none, into);
    }

    fn update_told(
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
}

/// Accumulators of networks whose custom sets have views.
///
/// Numbers beyond the last view stand for the last.
impl<A: Architecture> Accumulator<A> {
    /// The accumulator of the features that are active for white and for black, in the view that
    /// each of them has.
    #[must_use]
    pub fn from_views(net: &Network<A>, views: [u32; 2], active: [&[u32]; 2]) -> Accumulator<A> {
        let mut accumulator = Self::empty(net);
        for &perspective in A::PERSPECTIVES {
            let p = perspective.index();
            accumulator.refresh_view(net, perspective, views[p], active[p]);
        }
        accumulator
    }

    /// Computes one perspective's sums from nothing: biases plus the rows of all active features in
    /// a view.
    pub fn refresh_view(
        &mut self,
        net: &Network<A>,
        perspective: Color,
        view: u32,
        active: &[u32],
    ) {
        const { require_views(A::FEATURES) };
        self.refresh_told(net, perspective, view, active);
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
        const { require_views(A::FEATURES) };
        self.update_told(net, before, perspective, view, changes);
    }
}

/// Accumulators of networks that have other sets too, which follow the position.
impl<A: Architecture> Accumulator<A> {
    /// The accumulator of a position, in which these features of custom sets are active for white
    /// and for black.
    #[must_use]
    pub fn with_features(
        net: &Network<A>,
        position: &impl Position,
        active: [&[u32]; 2],
    ) -> Accumulator<A> {
        let mut accumulator = Self::empty(net);
        accumulator.refresh_with(net, position, active);
        accumulator
    }

    /// Computes the sums of a position from nothing: biases plus all rows that the position and the
    /// active features switch on.
    pub fn refresh_with(
        &mut self,
        net: &Network<A>,
        position: &impl Position,
        active: [&[u32]; 2],
    ) {
        const { refuse_views(A::FEATURES) };
        self.refresh_perspectives(net, A::PERSPECTIVES, position, active);
    }

    /// Computes the sums after a move from those before it: the rows of the pieces that `delta`
    /// removes and adds, and of what changes in custom sets, for white and for black.
    ///
    /// `before` is the accumulator of the position before the move, `after` the position after it.
    /// Where the move of a king changes all rows of a set for its side, or that of a queen those of
    /// the opponent, they are exchanged, and those of the other sets stay.
    pub fn update_with(
        &mut self,
        net: &Network<A>,
        before: &Accumulator<A>,
        delta: &Delta,
        after: &impl Position,
        changes: [FeatureChanges<'_>; 2],
    ) {
        const { refuse_views(A::FEATURES) };
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
            changes[perspective.index()].list(net.weights(), perspective, 0, &mut rows);
            rows.apply(net, before.half(perspective), self.half_mut(perspective));
        }
    }
}
