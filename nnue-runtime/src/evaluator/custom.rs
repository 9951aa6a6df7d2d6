//! Evaluation along a search for networks whose features the engine tells: another game than chess.

use alloc::vec::Vec;
use core::fmt;
use core::ops::Deref;

use super::changes::RowChanges;
use super::{PLIES, empty_halves};
use crate::architecture::Architecture;
use crate::chess::Color;
use crate::features::{FeatureChanges, custom_row, has_piece_square};
use crate::network::Network;

/// A line of moves in any game, and its evaluation: [`Evaluator`](crate::Evaluator) for networks all of whose feature sets
/// are custom.
///
/// [`push`](Self::push) only records which features a move switches on and off. [`evaluate_bucket`](Self::evaluate_bucket)
/// walks back to the nearest ply whose accumulator is known and takes all moves since in one pass; what one switches on
/// and another off again costs nothing.
///
/// White and black are the two perspectives, whoever these are in the game.
pub struct CustomEvaluator<A: Architecture, N: Deref<Target = Network<A>>> {
    net: N,
    /// The position that `new` or `reset` was given, then one for each move.
    plies: Vec<Ply>,
    /// What each ply changes, one after the other: white's added and removed features, then black's.
    features: Vec<u32>,
    /// Per ply, the accumulators of both perspectives where the ply says that they are known.
    halves: Vec<[A::Half; 2]>,
    /// What an update adds and removes; kept so that it need not be cleared each time.
    changes: RowChanges<A>,
}

/// One position of the line. The first one's changes are those from an empty board.
#[derive(Clone, Copy)]
struct Ply {
    /// Where the ply's features begin.
    start: usize,
    /// How many each perspective adds and removes.
    counts: [[usize; 2]; 2],
    /// Per perspective, whether its accumulator is computed.
    known: [bool; 2],
}

impl<A: Architecture, N: Deref<Target = Network<A>>> CustomEvaluator<A, N> {
    /// An evaluator that starts where these features are active for white and for black.
    #[must_use]
    pub fn new(net: N, active: [&[u32]; 2]) -> Self {
        const {
            assert!(
                !has_piece_square(A::FEATURES),
                "the network has piece-square sets, which follow a position: use `Evaluator`, or accumulators"
            );
        }
        let mut evaluator = CustomEvaluator {
            net,
            plies: Vec::with_capacity(PLIES),
            features: Vec::new(),
            halves: Vec::with_capacity(PLIES),
            changes: RowChanges::new(),
        };
        evaluator.reset(active);
        evaluator
    }

    /// Starts anew where these features are active.
    pub fn reset(&mut self, active: [&[u32]; 2]) {
        self.plies.clear();
        self.features.clear();
        self.push(active.map(|added| FeatureChanges {
            added,
            removed: &[],
        }));
    }

    /// Makes a move, which changes the features that are active for white and for black. A move that changes none is a
    /// null move.
    pub fn push(&mut self, changes: [FeatureChanges<'_>; 2]) {
        let start = self.features.len();
        for FeatureChanges { added, removed } in changes {
            self.features.extend_from_slice(added);
            self.features.extend_from_slice(removed);
        }
        self.plies.push(Ply {
            start,
            counts: changes.map(|changes| [changes.added.len(), changes.removed.len()]),
            known: [false; 2],
        });
    }

    /// Takes back the last move. Does nothing where none is left.
    pub fn pop(&mut self) {
        if self.plies.len() > 1
            && let Some(top) = self.plies.pop()
        {
            self.features.truncate(top.start);
        }
    }

    /// Moves made since [`new`](Self::new) or [`reset`](Self::reset) and not taken back.
    #[must_use]
    pub fn ply(&self) -> usize {
        self.plies.len() - 1
    }

    /// The network.
    #[must_use]
    pub fn network(&self) -> &Network<A> {
        &self.net
    }

    /// Evaluates for the side to move with the layers of one bucket; the last for buckets beyond it.
    pub fn evaluate_bucket(&mut self, side_to_move: Color, bucket: usize) -> A::Output {
        while self.halves.len() < self.plies.len() {
            self.halves.push(empty_halves(&self.net));
        }
        let plies = Color::ALL.map(|color| match A::PERSPECTIVES.contains(&color) {
            true => self.settle(color),
            false => 0,
        });
        let halves = Color::ALL.map(|color| &self.halves[plies[color.index()]][color.index()]);
        let net = &*self.net;
        A::propagate(
            net.level(),
            net.weights(),
            A::ORDER.of(halves, side_to_move),
            bucket,
            net.proved(),
        )
    }

    /// Sees to it that a perspective's accumulator is known for the last ply, and returns the ply that holds it: the
    /// last, or one before which differs from it in nothing.
    fn settle(&mut self, perspective: Color) -> usize {
        let (p, top) = (perspective.index(), self.plies.len() - 1);
        let base = self.plies.iter().rposition(|ply| ply.known[p]);
        self.gather(perspective, base.map_or(0, |base| base + 1));
        if let Some(base) = base
            && self.changes.len() == 0
        {
            return base;
        }
        let net = &*self.net;
        let (before, after) = self.halves.split_at_mut(top);
        let before = match base {
            Some(base) => &before[base][p],
            None => A::biases(net.weights(), perspective),
        };
        self.changes.apply(net, before, &mut after[0][p]);
        self.plies[top].known[p] = true;
        top
    }

    /// Lists the rows that the plies from `first` on add and remove. What one adds that another removes cancels, so at
    /// no ply are there more of either than can be active at once.
    fn gather(&mut self, perspective: Color, first: usize) {
        self.changes.clear();
        let RowChanges { added, removed } = &mut self.changes;
        for ply in &self.plies[first..] {
            let FeatureChanges {
                added: switched_on,
                removed: switched_off,
            } = ply.changes(perspective, &self.features);
            for &feature in switched_off {
                if let Some(row) = custom_row::<A>(perspective, feature)
                    && !added.cancel(row)
                {
                    A::prefetch(self.net.weights(), row);
                    removed.push(row);
                }
            }
            for &feature in switched_on {
                if let Some(row) = custom_row::<A>(perspective, feature)
                    && !removed.cancel(row)
                {
                    A::prefetch(self.net.weights(), row);
                    added.push(row);
                }
            }
        }
    }
}

impl Ply {
    /// What a perspective's changes are among the features of all plies.
    fn changes<'f>(&self, perspective: Color, features: &'f [u32]) -> FeatureChanges<'f> {
        let [white, black] = self.counts;
        let (start, [adds, removes]) = match perspective {
            Color::White => (self.start, white),
            Color::Black => (self.start + white[0] + white[1], black),
        };
        let (added, removed) = features[start..start + adds + removes].split_at(adds);
        FeatureChanges { added, removed }
    }
}

impl<A: Architecture, N: Deref<Target = Network<A>> + Clone> Clone for CustomEvaluator<A, N> {
    fn clone(&self) -> Self {
        CustomEvaluator {
            net: self.net.clone(),
            plies: self.plies.clone(),
            features: self.features.clone(),
            halves: self.halves.clone(),
            changes: self.changes.clone(),
        }
    }
}

impl<A: Architecture, N: Deref<Target = Network<A>>> fmt::Debug for CustomEvaluator<A, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CustomEvaluator")
            .field("net", &A::NAME)
            .field("ply", &self.ply())
            .finish_non_exhaustive()
    }
}
