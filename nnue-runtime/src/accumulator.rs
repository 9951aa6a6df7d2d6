//! Accumulators: the transformer's sums for both perspectives.

mod custom;

use core::fmt;

use crate::architecture::Architecture;
use crate::chess::Color;
use crate::delta::Delta;
use crate::features::{PieceCode, View, Views, for_each_piece, has_custom, piece_squares};
use crate::network::Network;
use crate::position::Position;
use crate::rows::Rows;

/// The transformer's sums for a position, seen by white and by black.
///
/// An accumulator belongs to one network's type: handing it to another does not compile.
#[derive(Clone)]
pub struct Accumulator<A: Architecture> {
    halves: [A::Half; 2],
}

impl<A: Architecture> Accumulator<A> {
    /// The accumulator of a position, for networks without custom feature sets.
    #[must_use]
    pub fn new(net: &Network<A>, position: &impl Position) -> Accumulator<A> {
        let mut accumulator = Self::empty(net);
        accumulator.refresh(net, position);
        accumulator
    }

    /// The sums of an empty board.
    fn empty(net: &Network<A>) -> Accumulator<A> {
        Accumulator {
            halves: Color::ALL.map(|perspective| *A::biases(net.weights(), perspective)),
        }
    }

    /// Computes the sums of a position from nothing: biases plus the rows of all pieces.
    pub fn refresh(&mut self, net: &Network<A>, position: &impl Position) {
        const {
            assert!(
                !has_custom(A::FEATURES),
                "the network has custom feature sets: `refresh_with` takes their active features"
            );
        }
        self.refresh_perspectives(net, A::PERSPECTIVES, position, [&[]; 2]);
    }

    /// Computes the sums after a move from those before it: the rows of the pieces that `delta` removes and adds.
    ///
    /// `before` is the accumulator of the position before the move, `after` the position after it. A perspective
    /// whose king has moved to where all its rows are others is refreshed.
    pub fn update(
        &mut self,
        net: &Network<A>,
        before: &Accumulator<A>,
        delta: &Delta,
        after: &impl Position,
    ) {
        const {
            assert!(
                !has_custom(A::FEATURES),
                "the network has custom feature sets: `update_with` takes their changes"
            );
        }
        for &perspective in A::PERSPECTIVES {
            if piece_squares::<A>().any(|set| set.view_changes(perspective, delta)) {
                self.refresh_perspectives(net, &[perspective], after, [&[]; 2]);
                continue;
            }
            let (mut added, mut removed) = (Rows::<A>::new(), Rows::<A>::new());
            for set in piece_squares::<A>() {
                let view = set.view(perspective, after.king(perspective));
                push_delta(view, delta, &mut added, &mut removed);
            }
            self.accumulate(net, before.half(perspective), perspective, &added, &removed);
        }
    }

    /// Sums up all rows of some perspectives: the pieces', and those of the features that are active besides.
    fn refresh_perspectives(
        &mut self,
        net: &Network<A>,
        perspectives: &[Color],
        position: &impl Position,
        active: [&[u32]; 2],
    ) {
        let mut rows = [Rows::<A>::new(), Rows::<A>::new()];
        let wanted = Color::ALL.map(|color| perspectives.contains(&color));
        for set in piece_squares::<A>() {
            let view = |color| set.view(color, position.king(color));
            let views = [view(Color::White), view(Color::Black)];
            for_each_piece(position, |piece, square| {
                let code = PieceCode::of(piece);
                for ((rows, view), wanted) in rows.iter_mut().zip(&views).zip(wanted) {
                    let (row, exists) = view.row_of(code, square);
                    rows.push_if(exists & wanted, row);
                }
            });
        }
        for &perspective in perspectives {
            let index = perspective.index();
            rows[index].push_custom(net.weights(), perspective, active[index]);
            let biases = A::biases(net.weights(), perspective);
            self.accumulate(net, biases, perspective, &rows[index], &Rows::new());
        }
    }

    /// `base` plus and minus rows.
    #[inline]
    fn accumulate(
        &mut self,
        net: &Network<A>,
        base: &A::Half,
        perspective: Color,
        added: &Rows<A>,
        removed: &Rows<A>,
    ) {
        A::accumulate(
            net.level(),
            net.weights(),
            base,
            added.as_slice(),
            removed.as_slice(),
            &mut self.halves[perspective.index()],
        );
    }

    /// What one perspective sees.
    #[inline]
    pub(crate) fn half(&self, perspective: Color) -> &A::Half {
        &self.halves[perspective.index()]
    }

    /// The sums of one perspective, one per neuron, as they lie in memory: in the order of the net file, unless neighbours are
    /// pooled, which lie in the two halves, or the width is padded.
    #[must_use]
    pub fn values(&self, perspective: Color) -> &[i16] {
        A::values(self.half(perspective))
    }

    /// What the layers see when it is somebody's turn: the [outputs](crate::neurons) of one perspective after the other, also
    /// where the layers have them alternate.
    pub fn outputs(&self, side_to_move: Color) -> impl Iterator<Item = i32> {
        let halves = Color::ALL.map(|perspective| self.values(perspective));
        let seen = A::ORDER.of(halves, side_to_move).into_iter();
        let seen = seen.take(A::NEURONS.perspectives);
        seen.flat_map(|sums| A::NEURONS.outputs_of(sums))
    }
}

/// Adds the rows of the pieces that a move adds and removes.
#[inline]
fn push_delta<A: Architecture>(
    view: View,
    delta: &Delta,
    added: &mut Rows<A>,
    removed: &mut Rows<A>,
) {
    let row = |&(piece, square): &_| view.row(piece, square);
    delta
        .added()
        .iter()
        .filter_map(row)
        .for_each(|row| added.push(row));
    delta
        .removed()
        .iter()
        .filter_map(row)
        .for_each(|row| removed.push(row));
}

impl<A: Architecture> PartialEq for Accumulator<A> {
    fn eq(&self, other: &Accumulator<A>) -> bool {
        crate::memory::bytes(&self.halves) == crate::memory::bytes(&other.halves)
    }
}

impl<A: Architecture> Eq for Accumulator<A> {}

impl<A: Architecture> fmt::Debug for Accumulator<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Accumulator")
            .field("net", &A::NAME)
            .field("white", &self.values(Color::White))
            .field("black", &self.values(Color::Black))
            .finish()
    }
}
