//! Decides which accumulators are computed, and from which others and rows.

use core::mem;
use core::ops::Deref;

use super::ply::NO_VIEW;
use super::{Counter, Evaluator, Ply, PlyState, empty_halves};
use crate::architecture::{Architecture, sets};
use crate::chess::{Bitboard, Color};
use crate::feature_set::{has_clock, has_supplied, has_views, read_all_squares};
use crate::features::{Step, Viewpoint, clock};
use crate::network::Network;
use crate::placement::Placement;

/// The difference between a ply's placement and the placement that it was computed from.
#[derive(Clone, Copy)]
pub(super) struct PlacementChange {
    /// The ply of the placement that the other was computed from.
    since: usize,
    /// The squares where something may have changed.
    squares: Bitboard,
}

/// The accumulator from which a perspective's accumulator of a ply is computed. The type has two
/// numbers, so that functions return it in registers.
#[derive(Clone, Copy)]
pub(super) struct Base {
    /// The ply of the accumulator; [`Self::CACHE`] if no ply has an accumulator with the same view.
    pub(super) ply: usize,
    /// The number of the view in the cache.
    pub(super) view: u16,
}

impl Base {
    /// Stands for the accumulator of the cache, which belongs to no ply.
    pub(super) const CACHE: usize = usize::MAX;
}

impl<A: Architecture, N: Deref<Target = Network<A>>, C: Counter> Evaluator<A, N, C> {
    /// Computes the accumulators of a ply.
    ///
    /// Usually the ply before is not computed: one pass takes all moves since the last computed
    /// ply. But if the ply before was already skipped for another move, more of its children will
    /// probably follow, so it is computed first.
    #[inline]
    pub(super) fn compute(&mut self, ply: usize) {
        if let Some(parent) = self.parent(ply)
            && !self.plies[parent].placed
            && mem::replace(&mut self.plies[parent].skipped, true)
        {
            self.compute_parent(parent);
        }
        self.compute_alone(ply);
    }

    /// The ply whose accumulators a ply has: the last before null moves. Where features are
    /// supplied or follow the half-move clock, a move without pieces may change accumulators too.
    #[inline]
    pub(super) fn last_change(&self, mut ply: usize) -> usize {
        if const { !has_supplied(A::FEATURES) && !has_clock(A::FEATURES) } {
            while ply > 0 && self.plies[ply].delta.is_null() {
                ply -= 1;
            }
        }
        ply
    }

    /// The ply before a ply, null moves left out.
    #[inline]
    fn parent(&self, ply: usize) -> Option<usize> {
        ply.checked_sub(1).map(|before| self.last_change(before))
    }

    #[inline(never)]
    fn compute_parent(&mut self, ply: usize) {
        self.compute_alone(ply);
    }

    /// Computes a ply, and none of those before it.
    #[inline]
    fn compute_alone(&mut self, ply: usize) {
        self.pieces(ply);
        let moved = self.place(ply);
        self.changed_since = Base::CACHE;
        // Both perspectives' rows are on their way from memory before the first is added.
        let white = self.list_rows(Color::White, ply, moved, ply);
        let black = self.list_rows(Color::Black, ply, moved, ply);
        self.settle(Color::White, ply, white);
        self.settle(Color::Black, ply, black);
    }

    /// Computes the placement of a ply from the nearest earlier placement that is known, and
    /// returns the difference between them.
    #[inline]
    pub(super) fn place(&mut self, ply: usize) -> PlacementChange {
        // The placement of the first ply is always known.
        let base = self.plies[..=ply]
            .iter()
            .rposition(|ply| ply.placed)
            .unwrap_or(0);
        let mut squares = Bitboard::EMPTY;
        if base < ply {
            self.set_aside(ply);
            // The placement is changed where it lies: copying what was just written in pieces would
            // wait for all of them.
            self.computed[ply].placement = self.computed[base].placement;
            let placement = &mut self.computed[ply].placement;
            for ply in &self.plies[base + 1..=ply] {
                squares |= placement.apply(&ply.delta);
            }
            self.plies[ply].placed = true;
        }
        PlacementChange {
            since: base,
            squares,
        }
    }

    /// How many pieces there are at a ply. The number is known where the line starts, as is the
    /// half-move clock, which is counted too.
    #[inline]
    pub(super) fn pieces(&mut self, ply: usize) -> usize {
        let counted = self.plies[..=ply].iter().rposition(|ply| ply.counted);
        let first = counted.unwrap_or(0);
        let Ply {
            mut pieces,
            mut clock,
            ..
        } = self.plies[first];
        for ply in &mut self.plies[first + 1..=ply] {
            let [removed, added] = ply.delta.changes();
            pieces = (pieces.wrapping_add(added.len() as u8)).wrapping_sub(removed.len() as u8);
            (ply.pieces, ply.counted) = (pieces, true);
            if const { has_clock(A::FEATURES) } {
                clock = ply.delta.clock_after(clock);
                ply.clock = clock;
            }
        }
        pieces.into()
    }

    /// Makes room for the accumulators of a ply.
    #[inline]
    pub(super) fn set_aside(&mut self, ply: usize) {
        if self.computed.len() <= ply {
            self.make_room(ply);
        }
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self, ply: usize) {
        let state = PlyState {
            placement: Placement::EMPTY,
            halves: empty_halves(&self.net),
        };
        self.computed.resize(ply + 1, state);
    }

    /// Lists the rows that lead to a perspective's accumulator of a ply: from the nearest that is
    /// computed of the first `earlier` plies, if it has the same view, or else from the cache.
    #[inline]
    pub(super) fn list_rows(
        &mut self,
        perspective: Color,
        ply: usize,
        moved: PlacementChange,
        earlier: usize,
    ) -> Base {
        let p = perspective.index();
        // Nothing reads a perspective that is not kept up to date.
        if !A::PERSPECTIVES.contains(&perspective) {
            return Base { ply, view: 0 };
        }
        let placement = &self.computed[ply].placement;
        let from = Viewpoint::in_placement::<A>(placement, perspective);
        let supplied_view = self.supplied.view::<A>(perspective, ply);
        let view = self.cache.view(perspective, from, supplied_view);
        let nearest = (self.plies[..earlier].iter()).rposition(|ply| ply.views[p] != NO_VIEW);
        let base = nearest.filter(|base| self.plies[*base].views[p] == view.into());
        let before = match base {
            Some(base) => self.computed[base].placement.squares(),
            None => self.cache.squares(view),
        };
        let after = placement.squares();
        let changed = match base {
            Some(base) if base == moved.since => moved.squares,
            // A comparison loads whole vectors: of the placement after the moves, which has just
            // been stored in bytes, it would wait for the stores.
            _ => {
                let since = self.computed[moved.since].placement.squares();
                since.differences(before) | moved.squares
            }
        };
        let (net, changes) = (&*self.net, &mut self.changes[p]);
        if const { read_all_squares(A::FEATURES) } {
            // Both perspectives usually begin at the same ply.
            let since = base.unwrap_or(Base::CACHE);
            if since == Base::CACHE || since != self.changed_since {
                self.board_changes.find::<A>(net.level(), before, after);
                self.changed_since = since;
            }
        }
        let step = Step {
            before,
            after,
            changed,
            board: &self.board_changes,
        };
        changes.clear();
        for set in sets::<A>() {
            set.list_changes(net, perspective, from, step, changes);
        }
        if const { has_clock(A::FEATURES) } {
            let before = match base {
                Some(base) => Some(self.plies[base].clock),
                None => self.cache.clock(view),
            };
            let after = Some(self.plies[ply].clock);
            let (left, entered) = ((from, before), (from, after));
            clock::list_changes(net.weights(), perspective, left, entered, changes);
        }
        if const { has_supplied(A::FEATURES) } {
            let weights = net.weights();
            if let Some(base) = base {
                let plies = base + 1..=ply;
                self.supplied
                    .list(weights, perspective, supplied_view, plies, changes);
            } else if const { has_views(A::FEATURES) } {
                let active = self.supplied.active(perspective, ply);
                let views = [u32::from(view), supplied_view];
                self.cache
                    .change_features(net, perspective, views, active, changes);
            }
        }
        Base {
            ply: base.unwrap_or(Base::CACHE),
            view,
        }
    }

    /// Computes a perspective's accumulator of a ply from the rows that are listed.
    #[inline]
    pub(super) fn settle(&mut self, perspective: Color, ply: usize, base: Base) {
        if !A::PERSPECTIVES.contains(&perspective) {
            return;
        }
        let p = perspective.index();
        let (net, changes) = (&*self.net, &mut self.changes[p]);
        let (before, after) = self.computed.split_at_mut(ply);
        let PlyState { placement, halves } = &mut after[0];
        let into = &mut halves[p];
        match base.ply {
            Base::CACHE => {
                let clock = self.plies[ply].clock;
                let placed = (&*placement, clock);
                self.cache.refresh(net, base.view, placed, changes, into);
                let mut rows = changes.len();
                // The cache has only the rows that follow from positions.
                if const { has_supplied(A::FEATURES) && !has_views(A::FEATURES) } {
                    changes.clear();
                    self.supplied
                        .list(net.weights(), perspective, 0, 0..=ply, changes);
                    changes.apply(net, self.cache.half(base.view), into);
                    rows += changes.len();
                }
                self.counter.refreshed(rows);
            }
            base => {
                changes.apply(net, &before[base].halves[p], into);
                self.counter.updated(changes.len());
            }
        }
        self.plies[ply].views[p] = base.view.into();
    }
}
