//! The custom features that the engine hands over, along a line of moves.

use alloc::vec::Vec;
use core::ops::RangeInclusive;

use crate::architecture::Architecture;
use crate::chess::Color;
use crate::features::FeatureChanges;
use crate::rows::changes::RowChanges;

/// The changes of custom features along a line. In networks without custom sets it stays empty.
#[derive(Clone, Default)]
pub(super) struct ToldFeatures {
    plies: Vec<Ply>,
    /// The features of all plies, one ply after the other: white's added and removed ones, then
    /// black's.
    features: Vec<u32>,
}

/// The changes of features from a position to the next. The changes of the first position begin at
/// a board without features.
#[derive(Clone, Copy)]
struct Ply {
    /// Where the ply's features begin.
    start: usize,
    /// Per perspective, how many features are added and removed.
    counts: [[usize; 2]; 2],
}

impl ToldFeatures {
    pub(super) fn push(&mut self, changes: [FeatureChanges<'_>; 2]) {
        self.plies.push(Ply {
            start: self.features.len(),
            counts: changes.map(|changes| [changes.added.len(), changes.removed.len()]),
        });
        for FeatureChanges { added, removed } in changes {
            self.features.extend_from_slice(added);
            self.features.extend_from_slice(removed);
        }
    }

    /// Forgets all plies but the first `len`.
    pub(super) fn truncate(&mut self, len: usize) {
        if let Some(ply) = self.plies.get(len) {
            self.features.truncate(ply.start);
            self.plies.truncate(len);
        }
    }

    /// Lists the rows by which some plies change a perspective's sums, besides those that are
    /// listed.
    pub(super) fn list<A: Architecture>(
        &self,
        weights: &A::Weights,
        perspective: Color,
        plies: RangeInclusive<usize>,
        changes: &mut RowChanges<A>,
    ) {
        for ply in &self.plies[plies] {
            self.of(ply, perspective)
                .list(weights, perspective, changes);
        }
    }

    fn of(&self, ply: &Ply, perspective: Color) -> FeatureChanges<'_> {
        let [white, black] = ply.counts;
        let (start, [adds, removes]) = match perspective {
            Color::White => (ply.start, white),
            Color::Black => (ply.start + white[0] + white[1], black),
        };
        let (added, removed) = self.features[start..start + adds + removes].split_at(adds);
        FeatureChanges { added, removed }
    }
}
