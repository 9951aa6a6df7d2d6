//! The refresh cache ("Finny table"): per perspective and view, the last accumulator that was
//! computed with it, and the placement that it stands for. A king that returns costs only what has
//! changed since.
//!
//! Two viewpoints have the same view if each feature set of the network has the same rows from
//! either. Where the engine supplies views, each of them is one, and an accumulator stands for
//! active features. Otherwise it holds only the rows that follow from the placement, not those of
//! features that the engine supplies.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use super::supplied::{CHUNK, words};
use crate::architecture::{Architecture, sets};
use crate::chess::Color;
use crate::feature_set::{has_clock, views};
use crate::features::{EntryNumbers, Viewpoint, row};
use crate::network::Network;
use crate::placement::{PieceCodes, Placement};
use crate::rows::RowLists;
use crate::rows::changes::RowChanges;

/// The last accumulator that was computed with each view.
#[derive(Clone)]
pub(super) struct RefreshCache<A: Architecture> {
    /// The number of the entry for each viewpoint. Viewpoints with the same view share an entry.
    /// Where the engine supplies views, this is the entry of the first of them.
    entry_of: A::Entries,
    entries: Vec<Entry<A>>,
    /// A bit for each active feature of each entry, in networks with views.
    active: Vec<u64>,
    /// The half-move clock whose rows each entry has, in networks that see it; `None` where it has
    /// none.
    clocks: Vec<Option<u8>>,
}

/// An accumulator, and the placement that it stands for.
#[derive(Clone)]
struct Entry<A: Architecture> {
    half: A::Half,
    squares: PieceCodes,
}

impl<A: Architecture> RefreshCache<A> {
    pub(super) fn new(net: &Network<A>) -> RefreshCache<A> {
        let views = views(A::FEATURES) as usize;
        let mut entry_of = A::Entries::ZERO;
        // The perspective of each entry.
        let mut perspectives = Vec::new();
        for perspective in Color::ALL {
            let mut known = BTreeMap::new();
            for viewpoint in Viewpoint::all::<A>() {
                let view: Vec<u64> = sets::<A>()
                    .map(|set| set.view(perspective, viewpoint))
                    .collect();
                let entry = *known.entry(view).or_insert(perspectives.len());
                if entry == perspectives.len() {
                    perspectives.push(perspective);
                }
                entry_of.of_mut(perspective)[viewpoint.number()] = (entry * views) as u16;
            }
        }
        let entries = perspectives.iter().flat_map(|perspective| {
            let empty = Entry {
                half: *A::biases(net.weights(), *perspective),
                squares: PieceCodes::EMPTY,
            };
            vec![empty; views]
        });
        let entries: Vec<Entry<A>> = entries.collect();
        RefreshCache {
            entry_of,
            active: vec![0; entries.len() * words::<A>()],
            clocks: if const { has_clock(A::FEATURES) } {
                vec![None; entries.len()]
            } else {
                Vec::new()
            },
            entries,
        }
    }

    /// How many entries hold a position.
    pub(super) fn filled(&self) -> usize {
        let filled = |entry: &&Entry<A>| entry.squares != PieceCodes::EMPTY;
        let of_position = self.entries.iter().filter(filled).count();
        let supplied = self.active.chunks_exact(words::<A>().max(1));
        of_position
            + supplied
                .filter(|active| active.iter().any(|word| *word != 0))
                .count()
    }

    /// The number of the view that a perspective has from a viewpoint. The view that the engine
    /// tells is 0 where it tells none.
    #[inline]
    pub(super) fn view(&self, perspective: Color, from: Viewpoint, supplied: u32) -> u16 {
        self.entry_of.of(perspective)[from.number()] + supplied as u16
    }

    /// Lists the rows that lead from a view's accumulator to that of other active features, which
    /// the entry then stands for.
    ///
    /// An engine that tells too many features spoils its evaluation, but not the cache: an entry
    /// stands for the features whose rows it has, and from more of them than lists have room for,
    /// nothing leads on.
    pub(super) fn change_features(
        &mut self,
        net: &Network<A>,
        perspective: Color,
        [view, supplied]: [u32; 2],
        active: &[u64],
        changes: &mut RowChanges<A>,
    ) {
        let first = view as usize * active.len();
        let known = &mut self.active[first..first + active.len()];
        let row = |feature| row::<A>(perspective, supplied, feature);
        if !list_difference(net, row, known, active, changes) {
            known.fill(0);
            self.entries[view as usize].half = *A::biases(net.weights(), perspective);
            changes.clear();
            list_difference(net, row, known, active, changes);
        }
    }

    /// The position of a view's accumulator.
    #[inline]
    pub(super) fn squares(&self, view: u16) -> &PieceCodes {
        &self.entries[usize::from(view)].squares
    }

    /// The half-move clock whose rows a view's accumulator has.
    #[inline]
    pub(super) fn clock(&self, view: u16) -> Option<u8> {
        self.clocks[usize::from(view)]
    }

    /// The accumulator of a view.
    #[inline]
    pub(super) fn half(&self, view: u16) -> &A::Half {
        &self.entries[usize::from(view)].half
    }

    /// Computes the accumulator of a placement and a half-move clock from that of a view and the
    /// rows between them, and keeps it for the view.
    pub(super) fn refresh(
        &mut self,
        net: &Network<A>,
        view: u16,
        (placement, clock): (&Placement, u8),
        changes: &RowChanges<A>,
        into: &mut A::Half,
    ) {
        let Entry { half, squares } = &mut self.entries[usize::from(view)];
        let (added, removed) = (&changes.added, &changes.removed);
        A::refresh(net.level(), net.weights(), half, added, removed, into);
        *squares = *placement.squares();
        if const { has_clock(A::FEATURES) } {
            self.clocks[usize::from(view)] = Some(clock);
        }
    }
}

/// Lists the rows between the features of an entry and those that are active, a bit for each, and
/// makes the features of the entry the active ones. Says whether there was room for all rows that
/// are removed.
fn list_difference<A: Architecture>(
    net: &Network<A>,
    row: impl Fn(u32) -> Option<(usize, u32)>,
    known: &mut [u64],
    active: &[u64],
    changes: &mut RowChanges<A>,
) -> bool {
    let (known, _) = known.as_chunks_mut::<CHUNK>();
    let (active, _) = active.as_chunks::<CHUNK>();
    // Of tens of thousands of features, few differ.
    let chunks = known.iter_mut().zip(active).enumerate();
    for (chunk, (known, active)) in chunks.filter(|(_, (known, active))| **known != **active) {
        for (word, (known, active)) in known.iter_mut().zip(active).enumerate() {
            let first = 64 * (CHUNK * chunk + word) as u32;
            let mut differs = *known ^ active;
            while differs != 0 {
                let bit = differs & differs.wrapping_neg();
                differs ^= bit;
                let Some((table, row)) = row(first + bit.trailing_zeros()) else {
                    continue;
                };
                A::prefetch(net.weights(), table, row);
                let is_added = active & bit != 0;
                let rows = if is_added {
                    &mut changes.added
                } else {
                    &mut changes.removed
                };
                let count = rows.count();
                rows.push_if(true, table, row);
                if rows.count() > count {
                    *known ^= bit;
                } else if !is_added {
                    return false;
                }
            }
        }
    }
    true
}
