//! Accumulators that follow from moves alone: most of those that a search evaluates.
//!
//! In networks where each piece has one row, and only moves of kings to another view change more,
//! nothing is compared or looked up, and no rows are listed: the two or three of each perspective
//! go to a kernel in registers, for both perspectives at once.

use core::ops::Deref;

use super::cache::NO_VIEW;
use super::{Counter, Evaluator, Ply};
use crate::architecture::Architecture;
use crate::chess::{Bitboard, Color};
use crate::delta::Delta;
use crate::features::{Viewpoint, moved_rows};
use crate::network::Network;
use crate::rows::MovedRows;

impl<A: Architecture, N: Deref<Target = Network<A>>, C: Counter> Evaluator<A, N, C> {
    /// Whether the rows probably are in a cache near the processor: there are at most four million
    /// weights.
    const ROWS_ARE_NEAR: bool = match A::FEATURES {
        [set, ..] => set.rows as usize * A::WIDTH <= 4_000_000,
        [] => true,
    };

    /// Computes a ply from the nearest ply of which both perspectives are known, move by move, and
    /// says whether that could be done: moves that change a view or have no kernel are in the way.
    ///
    /// Where rows come from far, only one move is followed, besides null moves: a comparison of the
    /// first position with the last leaves out the rows of a piece that moved on or back.
    #[inline]
    pub(super) fn follow_moves(&mut self, ply: usize) -> bool {
        let is_known = |ply: &Ply| {
            let mut perspectives = A::PERSPECTIVES.iter();
            perspectives.all(|perspective| ply.views[perspective.index()] != NO_VIEW)
        };
        let first = match Self::ROWS_ARE_NEAR {
            true => 0,
            false => self.parent(ply).unwrap_or(0),
        };
        let Some(known) = self.plies[first..=ply].iter().rposition(is_known) else {
            return false;
        };
        let mut known = first + known;
        for ply in known + 1..=ply {
            let delta = self.plies[ply].delta;
            if delta.is_null() {
                continue;
            }
            if !delta.is_plain() {
                return false;
            }
            let [white, black] = delta.kings_after(self.computed[known].placement.kings());
            // Sets that depend on queens do not follow moves.
            let from = |king| Viewpoint::new::<A>(king, || Bitboard::EMPTY);
            let from = [from(white), from(black)];
            let views = self.plies[known].views;
            if delta.moves_kings() && self.views(from) != views {
                return false;
            }
            let Some(rows) = moved_rows::<A>(from, &delta) else {
                return false;
            };
            self.follow_move(known, &delta, rows, ply);
            let this = &mut self.plies[ply];
            (this.placed, this.views) = (true, views);
            known = ply;
        }
        true
    }

    /// Computes a ply from an earlier ply and the rows of the move between them.
    #[inline]
    fn follow_move(&mut self, before: usize, delta: &Delta, rows: MovedRows, ply: usize) {
        // Both perspectives' rows are on their way before the first is added.
        if const { !Self::ROWS_ARE_NEAR } {
            for &perspective in A::PERSPECTIVES {
                A::prefetch(self.net.weights(), 0, rows.added[perspective.index()]);
            }
        }
        for _ in A::PERSPECTIVES {
            self.counter
                .updated(2 + usize::from(rows.captured.is_some()));
        }
        self.set_aside(ply);
        let (earlier, later) = self.computed.split_at_mut(ply);
        let (before, after) = (&earlier[before], &mut later[0]);
        after.placement = before.placement;
        after.placement.apply(delta);
        let (level, weights) = (self.net.level(), self.net.weights());
        A::follow_move(level, weights, &before.halves, rows, &mut after.halves);
    }

    /// The views of both perspectives from these viewpoints.
    #[inline(never)]
    fn views(&self, from: [Viewpoint; 2]) -> [u16; 2] {
        Color::ALL.map(|perspective| match A::PERSPECTIVES.contains(&perspective) {
            true => self.cache.view(perspective, from[perspective.index()], 0),
            false => NO_VIEW,
        })
    }
}
