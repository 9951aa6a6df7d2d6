//! Accumulators of networks with custom feature sets: the engine says which features are active.

use super::{Accumulator, push_delta};
use crate::architecture::Architecture;
use crate::chess::{Color, Piece, Role};
use crate::delta::Delta;
use crate::features::{FeatureChanges, Views, for_each_piece, has_piece_square, piece_squares};
use crate::network::Network;
use crate::position::Position;
use crate::rows::Rows;

/// Without positions: all sets of the network are custom ones.
///
/// Features are numbered from 0, as white sees them and as black does; [`FeatureChanges`] says what becomes of wrong
/// numbers.
impl<A: Architecture> Accumulator<A> {
    /// The accumulator of the features that are active for white and for black, whoever these are in the game.
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
        const {
            assert!(
                !has_piece_square(A::FEATURES),
                "the network has piece-square sets: `refresh_with` takes the position"
            );
        }
        let mut rows = Rows::new();
        rows.push_custom(net.weights(), perspective, active);
        let biases = A::biases(net.weights(), perspective);
        self.accumulate(net, biases, perspective, &rows, &Rows::new());
    }

    /// Computes one perspective's sums after a move from those before it.
    pub fn update_features(
        &mut self,
        net: &Network<A>,
        before: &Accumulator<A>,
        perspective: Color,
        changes: FeatureChanges<'_>,
    ) {
        let (mut added, mut removed) = (Rows::new(), Rows::new());
        added.push_custom(net.weights(), perspective, changes.added);
        removed.push_custom(net.weights(), perspective, changes.removed);
        self.accumulate(net, before.half(perspective), perspective, &added, &removed);
    }
}

/// With positions: the network has piece-square sets, and the engine tells the features of its custom ones.
impl<A: Architecture> Accumulator<A> {
    /// The accumulator of a position, in which these features of custom sets are active for white and for black.
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

    /// Computes the sums of a position from nothing: biases plus the rows of all pieces and of the active features.
    pub fn refresh_with(
        &mut self,
        net: &Network<A>,
        position: &impl Position,
        active: [&[u32]; 2],
    ) {
        self.refresh_perspectives(net, A::PERSPECTIVES, position, active);
    }

    /// Computes the sums after a move from those before it: the rows of the pieces that `delta` removes and adds, and of
    /// what it changes in custom sets, for white and for black.
    ///
    /// `before` is the accumulator of the position before the move, `after` the position after it. Where a king has moved
    /// so that all rows of his side's pieces are others, these are exchanged, and those of custom sets stay.
    pub fn update_with(
        &mut self,
        net: &Network<A>,
        before: &Accumulator<A>,
        delta: &Delta,
        after: &impl Position,
        changes: [FeatureChanges<'_>; 2],
    ) {
        for &perspective in A::PERSPECTIVES {
            let (mut added, mut removed) = (Rows::<A>::new(), Rows::<A>::new());
            for set in piece_squares::<A>() {
                let king = after.king(perspective);
                let view = set.view(perspective, king);
                if !set.view_changes(perspective, delta) {
                    push_delta(view, delta, &mut added, &mut removed);
                    continue;
                }
                let own_king = Piece::new(perspective, Role::King);
                let moved = delta.removed().iter().find(|(piece, _)| *piece == own_king);
                let view_before = set.view(perspective, moved.map_or(king, |(_, square)| *square));
                for_each_piece(after, |piece, square| {
                    if let Some(row) = view.row(piece, square) {
                        added.push(row);
                    }
                    if !delta.added().contains(&(piece, square))
                        && let Some(row) = view_before.row(piece, square)
                    {
                        removed.push(row);
                    }
                });
                for &(piece, square) in delta.removed() {
                    if let Some(row) = view_before.row(piece, square) {
                        removed.push(row);
                    }
                }
            }
            let changes = changes[perspective.index()];
            added.push_custom(net.weights(), perspective, changes.added);
            removed.push_custom(net.weights(), perspective, changes.removed);
            self.accumulate(net, before.half(perspective), perspective, &added, &removed);
        }
    }
}
