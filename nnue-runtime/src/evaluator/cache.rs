//! The refresh cache ("Finny table"): per perspective and view, the last accumulator that was computed with it, and
//! the placement that it stands for. A king that returns costs only what has changed since.

use alloc::vec::Vec;

use super::RowChanges;
use super::placement::{Placement, Squares};
use crate::architecture::Architecture;
use crate::chess::{Color, Square};
use crate::features::piece_squares;
use crate::network::Network;

#[derive(Clone)]
pub(super) struct RefreshCache<A: Architecture> {
    /// Per perspective and square of its king, which entry serves: squares with the same view share one.
    entry_of: [[u8; 64]; 2],
    entries: Vec<Entry<A>>,
}

#[derive(Clone)]
struct Entry<A: Architecture> {
    half: A::Half,
    squares: Squares,
}

impl<A: Architecture> RefreshCache<A> {
    pub(super) fn new(net: &Network<A>) -> RefreshCache<A> {
        let mut entry_of = [[0; 64]; 2];
        // The first king square of each entry.
        let mut first: Vec<(Color, Square)> = Vec::new();
        for perspective in Color::ALL {
            for king in Square::ALL {
                let same_view = |&(color, square): &(Color, Square)| {
                    let view =
                        |king| piece_squares::<A>().map(move |set| set.view(perspective, king));
                    color == perspective && view(square).eq(view(king))
                };
                let entry = first.iter().position(same_view).unwrap_or_else(|| {
                    first.push((perspective, king));
                    first.len() - 1
                });
                entry_of[perspective.index()][king.index()] = entry as u8;
            }
        }
        let entries = first.iter().map(|(perspective, _)| Entry {
            half: *A::biases(net.weights(), *perspective),
            squares: Squares::EMPTY,
        });
        RefreshCache {
            entry_of,
            entries: entries.collect(),
        }
    }

    /// How many entries hold a position.
    pub(super) fn filled(&self) -> usize {
        let filled = |entry: &&Entry<A>| entry.squares != Squares::EMPTY;
        self.entries.iter().filter(filled).count()
    }

    /// Computes the accumulator of a placement.
    pub(super) fn refresh(
        &mut self,
        net: &Network<A>,
        perspective: Color,
        placement: &Placement,
        changes: &mut RowChanges<A>,
        into: &mut A::Half,
    ) {
        let king = placement.king(perspective);
        let entry = usize::from(self.entry_of[perspective.index()][king.index()]);
        let entry = &mut self.entries[entry];
        let RowChanges { added, removed } = changes;
        added.clear();
        removed.clear();
        for set in piece_squares::<A>() {
            let view = set.view(perspective, king);
            for square in placement.squares().differences(&entry.squares) {
                let row = |squares: &Squares| {
                    squares
                        .piece(square)
                        .and_then(|piece| set.row(view, piece, square))
                };
                if let Some(row) = row(placement.squares()) {
                    A::prefetch(net.weights(), row);
                    added.push(row);
                }
                if let Some(row) = row(&entry.squares) {
                    A::prefetch(net.weights(), row);
                    removed.push(row);
                }
            }
        }
        A::accumulate(
            net.level(),
            net.weights(),
            &entry.half,
            added.as_slice(),
            removed.as_slice(),
            into,
        );
        entry.half = *into;
        entry.squares = *placement.squares();
    }
}
