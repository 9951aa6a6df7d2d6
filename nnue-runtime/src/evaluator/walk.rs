//! Accumulators that follow from moves, in networks where each piece has one row.
//!
//! Each perspective goes on from the nearest ply that it knows, move by move: other moves will
//! begin at the plies between. Only a piece that moves and is captured at once is left out, with
//! the ply between. Where its king has moved to another view since, a perspective begins with the
//! refresh cache after that move. Placements are kept only there: nothing else is compared.

use core::ops::Deref;

use super::compute::Base;
use super::ply::NO_VIEW;
use super::{Counter, Evaluator};
use crate::architecture::Architecture;
use crate::chess::Color;
use crate::delta::{CAPACITY, Changes, Delta};
use crate::feature_set::{follow_moves, kings_have_rows, rows_are_near};
use crate::features::{moved_row, moved_view};
use crate::network::Network;
use crate::rows::MovedRows;

/// Where a perspective begins to follow moves. It has the size of two numbers, so that functions
/// return it in registers.
#[derive(Clone, Copy)]
struct Start {
    ply: usize,
    view: u32,
    /// The entry of the cache from which the ply is to be computed, if it is not known.
    entry: Option<u16>,
}

impl<A: Architecture, N: Deref<Target = Network<A>>, C: Counter> Evaluator<A, N, C> {
    pub(super) const WALKS: bool = follow_moves(A::FEATURES);

    const ROWS_ARE_NEAR: bool = rows_are_near(A::FEATURES, A::WIDTH);

    const KINGS_HAVE_ROWS: bool = kings_have_rows(A::FEATURES);

    /// Evaluates the current ply, if it differs from the ply before by two or three rows of each
    /// perspective: the pass that reads the accumulators adds these. Most evaluations are such, and
    /// nothing else is in their way: all other plies are walked to first.
    #[inline(always)]
    pub(super) fn evaluate_move(
        &mut self,
        side: Color,
        bucket: impl FnOnce(usize) -> usize,
    ) -> Option<A::Output> {
        let plies = self.plies.len();
        let [.., before, this] = self.plies.as_mut_slice() else {
            return None;
        };
        let delta = this.delta;
        let follows = delta.is_plain() & before.is_computed::<A>() & !this.is_computed::<A>();
        if !follows || delta.moves_kings() && Self::changes_views(delta) {
            return None;
        }
        let [.., state_before, state] = self.computed.get_mut(..plies)? else {
            return None;
        };
        let is_capture = delta.is_capture();
        let (views, pieces) = (before.views, before.pieces.wrapping_sub(is_capture.into()));
        (this.views, this.pieces, this.counted) = (views, pieces, true);
        let order = A::ORDER.of([0, 1], side);
        let row = |p, (piece, square)| moved_row::<A>(p, views[p], piece, square).0;
        let rows = |piece| order.map(|p| row(p, piece));
        let [removed, added] = delta.changes();
        let ([added, _], [removed, captured]) = (added.first_two(), removed.first_two());
        let added = rows(added);
        let net = &*self.net;
        if const { !Self::ROWS_ARE_NEAR } {
            for row in &added[..A::PERSPECTIVES.len()] {
                A::prefetch(net.weights(), 0, *row);
            }
        }
        for _ in A::PERSPECTIVES {
            self.counter.updated(2 + usize::from(is_capture));
        }
        let rows = MovedRows {
            added,
            removed: rows(removed),
            captured: is_capture.then(|| rows(captured)),
        };
        let bucket = bucket(pieces.into());
        Some(A::propagate_move(
            net.level(),
            net.weights(),
            net.stacks(),
            order.map(|p| &state_before.halves[p]),
            rows,
            A::ORDER.of(state.halves.each_mut(), side),
            bucket,
            net.proved(bucket),
        ))
    }

    /// Computes the ply before the current one, if that is all that [`Self::evaluate_move`] needs.
    #[inline(never)]
    pub(super) fn walk_to_parent(&mut self) -> bool {
        let [.., before, this] = self.plies.as_slice() else {
            return false;
        };
        let [last, delta] = [before.delta, this.delta];
        let follows = !before.is_computed::<A>()
            && !this.is_computed::<A>()
            && delta.is_plain()
            && !last.is_null()
            && last.with_recapture(&delta).is_none();
        if !follows || delta.moves_kings() && Self::changes_views(delta) {
            return false;
        }
        let top = self.ply();
        self.set_aside(top);
        self.walk_and_ask(top - 1, top);
        true
    }

    /// Computes all perspectives of a ply.
    #[inline]
    pub(super) fn walk(&mut self, ply: usize) {
        self.walk_and_ask(ply, ply);
    }

    /// Computes all perspectives of a ply, and asks for the rows of the moves until another.
    #[inline(never)]
    fn walk_and_ask(&mut self, ply: usize, last: usize) {
        self.set_aside(ply);
        self.pieces(ply);
        // All rows are on their way from memory before the first is added.
        let white = self.find_start(Color::White, ply);
        let black = self.find_start(Color::Black, ply);
        if const { !Self::ROWS_ARE_NEAR } {
            self.ask_for_rows(Color::White, white, last);
            self.ask_for_rows(Color::Black, black, last);
        }
        self.follow_moves(Color::White, white, ply);
        self.follow_moves(Color::Black, black, ply);
    }

    #[inline]
    fn find_start(&mut self, perspective: Color, ply: usize) -> Start {
        let p = perspective.index();
        let mut at = ply;
        if !A::PERSPECTIVES.contains(&perspective) {
            return Start {
                ply,
                view: NO_VIEW,
                entry: None,
            };
        }
        loop {
            let (view, delta) = (self.plies[at].views[p], self.plies[at].delta);
            if view != NO_VIEW {
                return Start {
                    ply: at,
                    view,
                    entry: None,
                };
            }
            if at == 0 || Self::changes_view(perspective, delta) {
                break;
            }
            at -= 1;
        }
        // More moves of kings will probably follow from the ply before.
        self.place(at.saturating_sub(1));
        let moved = self.place(at);
        let king = self.computed[at].placement.kings()[p];
        Start {
            ply: at,
            view: moved_view::<A>(perspective, king),
            entry: Some(self.list_rows(perspective, at, moved, 0).view),
        }
    }

    /// Asks for the rows of the moves from a perspective's start to a ply.
    #[inline]
    fn ask_for_rows(&self, perspective: Color, start: Start, ply: usize) {
        for ply in &self.plies[start.ply + 1..=ply] {
            for pieces in ply.delta.changes() {
                for row in Self::rows(perspective, start.view, pieces, &mut [0; CAPACITY]) {
                    A::prefetch(self.net.weights(), 0, *row);
                }
            }
        }
    }

    /// Computes a perspective of the plies from its start to a ply.
    #[inline]
    fn follow_moves(&mut self, perspective: Color, start: Start, ply: usize) {
        let p = perspective.index();
        if let Some(view) = start.entry {
            let ply = Base::CACHE;
            self.settle(perspective, start.ply, Base { ply, view });
            self.plies[start.ply].views[p] = start.view;
        }
        let (mut known, mut next) = (start.ply, start.ply + 1);
        while next <= ply {
            let mut delta = self.plies[next].delta;
            if next < ply
                && let Some(both) = delta.with_recapture(&self.plies[next + 1].delta)
            {
                delta = both;
                next += 1;
            }
            let ply = next;
            next += 1;
            if delta.is_null() {
                continue;
            }
            let [removed, added] = delta.changes();
            let mut memory = [[0; CAPACITY]; 2];
            let [of_added, of_removed] = &mut memory;
            let added = Self::rows(perspective, start.view, added, of_added);
            let removed = Self::rows(perspective, start.view, removed, of_removed);
            let (earlier, later) = self.computed.split_at_mut(ply);
            let (before, after) = (&earlier[known].halves[p], &mut later[0].halves[p]);
            let (level, weights) = (self.net.level(), self.net.weights());
            A::follow_move(level, weights, before, added, removed, after);
            self.counter.updated(added.len() + removed.len());
            self.plies[ply].views[p] = start.view;
            known = ply;
        }
    }

    /// The rows of some pieces, in a list that the caller has.
    // To return a list would copy it as a whole, which waits for all numbers that were just stored.
    #[inline]
    fn rows(perspective: Color, view: u32, pieces: Changes, rows: &mut [u32; CAPACITY]) -> &[u32] {
        let mut len = 0;
        for (piece, square) in pieces.codes() {
            let (row, exists) = moved_row::<A>(perspective.index(), view, piece, square);
            rows[len % CAPACITY] = row;
            len += usize::from(const { Self::KINGS_HAVE_ROWS } || exists);
        }
        &rows[..len.min(CAPACITY)]
    }

    /// Whether a move of kings changes the view of some perspective, or rows of none.
    #[inline(never)]
    fn changes_views(delta: Delta) -> bool {
        let changes_view = |perspective: &Color| Self::changes_view(*perspective, delta);
        !Self::KINGS_HAVE_ROWS || A::PERSPECTIVES.iter().any(changes_view)
    }

    /// Whether a move takes a perspective's king to another view.
    #[inline]
    fn changes_view(perspective: Color, delta: Delta) -> bool {
        let [removed, added] = delta.changes();
        let view = |king| moved_view::<A>(perspective, king);
        match (removed.king(perspective), added.king(perspective)) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(from), Some(to)) => view(from) != view(to),
        }
    }
}
