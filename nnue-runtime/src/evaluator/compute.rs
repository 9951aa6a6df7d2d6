//! Which accumulators are computed, from what, and by which rows.

use core::mem;
use core::ops::Deref;

use super::cache::NO_VIEW;
use super::{Counter, Evaluator, PlyState, empty_halves};
use crate::architecture::{Architecture, sets};
use crate::chess::{Bitboard, Color};
use crate::feature_set::{follow_moves, has_told, has_views, read_all_squares};
use crate::features::{Step, Viewpoint};
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
    ply: usize,
    view: u16,
}

impl Base {
    /// Stands for the accumulator of the cache, which belongs to no ply.
    pub(super) const CACHE: usize = usize::MAX;
}

impl<A: Architecture, N: Deref<Target = Network<A>>, C: Counter> Evaluator<A, N, C> {
    /// Computes the accumulators of a ply, and returns the plies that hold them: this ply or, for a
    /// perspective for which nothing has changed, an earlier ply.
    ///
    /// Usually the ply before is not computed: one pass takes all moves since the last computed
    /// ply. But if the ply before was already skipped for another move, more of its children will
    /// probably follow, so it is computed first.
    ///
    /// White's ply comes first. A pair is returned in registers, and an array is not.
    #[inline]
    pub(super) fn compute(&mut self, ply: usize) -> (usize, usize) {
        if const { follow_moves(A::FEATURES) } && self.follow_moves(ply) {
            return (ply, ply);
        }
        if let Some(parent) = self.parent(ply)
            && !self.plies[ply].placed
            && !self.plies[parent].placed
            && mem::replace(&mut self.plies[parent].skipped, true)
        {
            self.compute_parent(parent);
        }
        self.compute_alone(ply)
    }

    /// The ply whose accumulators a ply has: the last before null moves. Where features are told, a
    /// move without pieces may change accumulators too.
    #[inline]
    pub(super) fn last_change(&self, mut ply: usize) -> usize {
        if const { !has_told(A::FEATURES) } {
            while ply > 0 && self.plies[ply].delta.is_null() {
                ply -= 1;
            }
        }
        ply
    }

    /// The ply before a ply, null moves left out.
    #[inline]
    pub(super) fn parent(&self, ply: usize) -> Option<usize> {
        ply.checked_sub(1).map(|before| self.last_change(before))
    }

    #[inline(never)]
    fn compute_parent(&mut self, ply: usize) {
        self.compute_alone(ply);
    }

    /// Computes a ply, and none of those before it.
    #[inline]
    fn compute_alone(&mut self, ply: usize) -> (usize, usize) {
        let moved = self.place(ply);
        self.changed_since = Base::CACHE;
        // Both perspectives' rows are on their way from memory before the first is added.
        let white = self.find_base(Color::White, ply, moved);
        let black = self.find_base(Color::Black, ply, moved);
        (
            self.settle(Color::White, ply, white),
            self.settle(Color::Black, ply, black),
        )
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

    /// Makes room for the accumulators of a ply.
    #[inline]
    pub(super) fn set_aside(&mut self, ply: usize) {
        while self.computed.len() <= ply {
            self.computed.push(PlyState {
                placement: Placement::EMPTY,
                halves: empty_halves(&self.net),
            });
        }
    }

    /// Finds what a perspective's accumulator of a ply is computed from, and lists the rows that
    /// lead from there.
    #[inline]
    fn find_base(&mut self, perspective: Color, ply: usize, moved: PlacementChange) -> Base {
        let p = perspective.index();
        // Nothing reads a perspective that is not kept up to date.
        if !A::PERSPECTIVES.contains(&perspective) {
            return Base { ply, view: NO_VIEW };
        }
        let placement = &self.computed[ply].placement;
        let from = Viewpoint::in_placement::<A>(placement, perspective);
        let told_view = self.told.view::<A>(perspective, ply);
        let view = self.cache.view(perspective, from, told_view);
        let nearest = (self.plies[..=ply].iter()).rposition(|ply| ply.views[p] != NO_VIEW);
        let base = nearest.filter(|base| self.plies[*base].views[p] == view);
        let before = match base {
            Some(base) => self.computed[base].placement.squares(),
            None => self.cache.squares(view),
        };
        let after = placement.squares();
        let changed = match base {
            // A comparison loads whole vectors of what has just been stored in bytes, and waits for
            // the stores.
            Some(base) if base == moved.since => moved.squares,
            _ => after.differences(before),
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
        if const { has_told(A::FEATURES) } {
            let weights = net.weights();
            if let Some(base) = base {
                let plies = base + 1..=ply;
                (self.told).list(weights, perspective, told_view, plies, changes);
            } else if const { has_views(A::FEATURES) } {
                let active = self.told.active(perspective, ply);
                let views = [u32::from(view), told_view];
                (self.cache).change_features(net, perspective, views, active, changes);
            }
        }
        Base {
            ply: base.unwrap_or(Base::CACHE),
            view,
        }
    }

    /// Computes a perspective's accumulator of a ply, and returns the ply that holds it.
    #[inline]
    fn settle(&mut self, perspective: Color, ply: usize, base: Base) -> usize {
        let p = perspective.index();
        let (net, changes) = (&*self.net, &mut self.changes[p]);
        let (before, after) = self.computed.split_at_mut(ply);
        let PlyState { placement, halves } = &mut after[0];
        let into = &mut halves[p];
        match base.ply {
            Base::CACHE => {
                self.cache.refresh(net, base.view, placement, changes, into);
                let mut rows = changes.len();
                // The cache has only the rows that follow from positions.
                if const { has_told(A::FEATURES) && !has_views(A::FEATURES) } {
                    changes.clear();
                    (self.told).list(net.weights(), perspective, 0, 0..=ply, changes);
                    changes.apply(net, self.cache.half(base.view), into);
                    rows += changes.len();
                }
                self.counter.refreshed(rows);
            }
            base => {
                if changes.len() == 0 {
                    self.plies[ply].unchanged[p] = true;
                    return base;
                }
                changes.apply(net, &before[base].halves[p], into);
                self.counter.updated(changes.len());
            }
        }
        self.plies[ply].views[p] = base.view;
        ply
    }
}
