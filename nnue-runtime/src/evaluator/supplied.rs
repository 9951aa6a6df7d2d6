//! The custom features that the engine hands over, along a line of moves.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::RangeInclusive;

use crate::architecture::Architecture;
use crate::chess::Color;
use crate::feature_set::{has_views, views};
use crate::features::{FeatureChanges, feature_count};
use crate::rows::changes::RowChanges;

/// The changes of custom features along a line. In networks without custom sets it stays empty.
#[derive(Clone)]
pub(super) struct SuppliedFeatures {
    plies: Vec<Ply>,
    /// The features of all plies, one ply after the other: white's added and removed ones, then
    /// black's.
    features: Vec<u32>,
    /// What is active for each perspective, in networks with views.
    active: [ActiveFeatures; 2],
}

/// The changes of features from a position to the next. The changes of the first position begin at
/// a board without features.
#[derive(Clone, Copy)]
struct Ply {
    /// Where the ply's features begin.
    start: usize,
    /// Per perspective, how many features are added and removed.
    counts: [[usize; 2]; 2],
    /// Per perspective, the view after the changes.
    views: [u32; 2],
}

/// The features that are active for a perspective after some plies of the line. It follows the line
/// only when the cache asks for it.
#[derive(Clone)]
struct ActiveFeatures {
    /// A bit for each feature.
    bits: Vec<u64>,
    /// How many plies of the line it has followed.
    plies: usize,
}

impl SuppliedFeatures {
    pub(super) fn new<A: Architecture>() -> SuppliedFeatures {
        let active = || ActiveFeatures {
            bits: vec![0; words::<A>()],
            plies: 0,
        };
        SuppliedFeatures {
            plies: Vec::new(),
            features: Vec::new(),
            active: [active(), active()],
        }
    }

    /// Numbers beyond the last view stand for the last. Without views, all is seen as from the view
    /// before.
    pub(super) fn push<A: Architecture>(
        &mut self,
        views_after: Option<[u32; 2]>,
        changes: [FeatureChanges<'_>; 2],
    ) {
        let last_view = views(A::FEATURES) - 1;
        let before = self.plies.last().map_or([0; 2], |ply| ply.views);
        self.plies.push(Ply {
            start: self.features.len(),
            counts: changes.map(|changes| [changes.added.len(), changes.removed.len()]),
            views: views_after
                .unwrap_or(before)
                .map(|view| view.min(last_view)),
        });
        for FeatureChanges { added, removed } in changes {
            self.features.extend_from_slice(added);
            self.features.extend_from_slice(removed);
        }
    }

    /// Forgets all plies but the first `len`.
    pub(super) fn truncate(&mut self, len: usize) {
        for perspective in Color::ALL {
            if self.active[perspective.index()].plies > len {
                self.follow(perspective, len);
            }
        }
        if let Some(ply) = self.plies.get(len) {
            self.features.truncate(ply.start);
            self.plies.truncate(len);
        }
    }

    /// The view that a perspective has at a ply.
    #[inline]
    pub(super) fn view<A: Architecture>(&self, perspective: Color, ply: usize) -> u32 {
        if const { has_views(A::FEATURES) } {
            self.plies[ply].views[perspective.index()]
        } else {
            0
        }
    }

    /// The features that are active for a perspective at a ply, a bit for each.
    pub(super) fn active(&mut self, perspective: Color, ply: usize) -> &[u64] {
        self.follow(perspective, ply + 1);
        &self.active[perspective.index()].bits
    }

    /// Goes on or back to the features after the first `len` plies. A change goes back as it came:
    /// whatever the engine supplies, nothing is left of plies that were taken back.
    fn follow(&mut self, perspective: Color, len: usize) {
        let p = perspective.index();
        let followed = self.active[p].plies;
        for ply in followed.min(len)..followed.max(len) {
            let FeatureChanges { added, removed } =
                of(&self.features, &self.plies[ply], perspective);
            let bits = &mut self.active[p].bits;
            for feature in added.iter().chain(removed) {
                if let Some(word) = bits.get_mut((feature / 64) as usize) {
                    *word ^= 1 << (feature % 64);
                }
            }
        }
        self.active[p].plies = len;
    }

    /// Lists the rows that some plies add to a perspective's sums in a view, or remove, after those
    /// that are listed.
    pub(super) fn list<A: Architecture>(
        &self,
        weights: &A::Weights,
        perspective: Color,
        view: u32,
        plies: RangeInclusive<usize>,
        changes: &mut RowChanges<A>,
    ) {
        for ply in &self.plies[plies] {
            of(&self.features, ply, perspective).list(weights, perspective, view, changes);
        }
    }
}

/// How many words are compared at once.
pub(super) const CHUNK: usize = 8;

/// How many words have a bit for each feature, in networks that need them: whole chunks.
pub(super) fn words<A: Architecture>() -> usize {
    if const { has_views(A::FEATURES) } {
        feature_count::<A>().div_ceil(64).next_multiple_of(CHUNK)
    } else {
        0
    }
}

/// The changes of a ply, whose features are in a list of those of all plies.
fn of<'f>(features: &'f [u32], ply: &Ply, perspective: Color) -> FeatureChanges<'f> {
    let [white, black] = ply.counts;
    let (start, [adds, removes]) = match perspective {
        Color::White => (ply.start, white),
        Color::Black => (ply.start + white[0] + white[1], black),
    };
    let (added, removed) = features[start..start + adds + removes].split_at(adds);
    FeatureChanges { added, removed }
}
