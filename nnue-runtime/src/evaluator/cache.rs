//! The refresh cache ("Finny table"): per perspective and view, the last accumulator that was
//! computed with it, and the placement that it stands for. A king that returns costs only what has
//! changed since.
//!
//! Two viewpoints have the same view if each feature set of the network has the same rows from
//! either. The accumulators hold only the rows that follow from the placement, not
//! those of features that the engine tells.

use alloc::vec::Vec;

use crate::architecture::Architecture;
use crate::chess::Color;
use crate::features::{Viewpoint, view_changes};
use crate::network::Network;
use crate::placement::{PieceCodes, Placement};
use crate::rows::changes::RowChanges;

/// Stands for no view. Views are numbered, and there are at most as many as viewpoints of both
/// perspectives.
pub(super) const NO_VIEW: u16 = u16::MAX;

/// The last accumulator that was computed with each view.
#[derive(Clone)]
pub(super) struct RefreshCache<A: Architecture> {
    /// The number of the entry for each perspective and viewpoint. Viewpoints with the same view
    /// share an entry.
    entry_of: [[u16; Viewpoint::COUNT]; 2],
    entries: Vec<Entry<A>>,
}

/// An accumulator, and the placement that it stands for.
#[derive(Clone)]
struct Entry<A: Architecture> {
    half: A::Half,
    squares: PieceCodes,
}

impl<A: Architecture> RefreshCache<A> {
    pub(super) fn new(net: &Network<A>) -> RefreshCache<A> {
        let mut entry_of = [[0; Viewpoint::COUNT]; 2];
        // The first viewpoint of each entry.
        let mut first: Vec<(Color, Viewpoint)> = Vec::new();
        for perspective in Color::ALL {
            for viewpoint in Viewpoint::all::<A>() {
                let same_view = |&(color, other): &(Color, Viewpoint)| {
                    color == perspective && !view_changes::<A>(perspective, [other, viewpoint])
                };
                let entry = first.iter().position(same_view).unwrap_or_else(|| {
                    first.push((perspective, viewpoint));
                    first.len() - 1
                });
                entry_of[perspective.index()][viewpoint.number()] = entry as u16;
            }
        }
        let entries = first.iter().map(|(perspective, _)| Entry {
            half: *A::biases(net.weights(), *perspective),
            squares: PieceCodes::EMPTY,
        });
        RefreshCache {
            entry_of,
            entries: entries.collect(),
        }
    }

    /// How many entries hold a position.
    pub(super) fn filled(&self) -> usize {
        let filled = |entry: &&Entry<A>| entry.squares != PieceCodes::EMPTY;
        self.entries.iter().filter(filled).count()
    }

    /// The number of the view that a perspective has from a viewpoint, below [`NO_VIEW`].
    #[inline]
    pub(super) fn view(&self, perspective: Color, from: Viewpoint) -> u16 {
        self.entry_of[perspective.index()][from.number()]
    }

    /// The position of a view's accumulator.
    #[inline]
    pub(super) fn squares(&self, view: u16) -> &PieceCodes {
        &self.entries[usize::from(view)].squares
    }

    /// The accumulator of a view.
    #[inline]
    pub(super) fn half(&self, view: u16) -> &A::Half {
        &self.entries[usize::from(view)].half
    }

    /// Computes the accumulator of a placement from that of a view and the rows between them, and
    /// keeps it for the view.
    pub(super) fn refresh(
        &mut self,
        net: &Network<A>,
        view: u16,
        placement: &Placement,
        changes: &RowChanges<A>,
        into: &mut A::Half,
    ) {
        let entry = &mut self.entries[usize::from(view)];
        changes.apply(net, &entry.half, into);
        entry.half = *into;
        entry.squares = *placement.squares();
    }
}
