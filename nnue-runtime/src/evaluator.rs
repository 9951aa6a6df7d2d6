//! Evaluation along a search: moves are pushed and popped, and computed only when an evaluation
//! needs them.

mod cache;
mod compute;
mod ply;
mod prepared;
mod statistics;
mod supplied;
mod walk;

use alloc::vec::Vec;
use core::fmt;
use core::ops::Deref;

use self::cache::RefreshCache;
use self::compute::Base;
#[doc(hidden)]
pub use self::ply::Ply;
pub use self::statistics::{Counter, Statistics};
use self::supplied::SuppliedFeatures;
use crate::architecture::{Architecture, SelectedByPieces};
use crate::board::BoardError;
use crate::chess::Color;
use crate::feature_set::has_supplied;
use crate::features::{BoardChanges, FeatureChanges};
use crate::line::{Start, StartsAt, Step, StepChanges, TakesClock, TakesPositions};
use crate::network::Network;
use crate::placement::Placement;
use crate::rows::changes::RowChanges;

/// A position that follows an engine's search, and its evaluation.
///
/// [`push`](Self::push) only records a move. [`evaluate`](Self::evaluate) walks back to the nearest
/// ply whose accumulator is known. Where each piece has one row, it follows the moves since then
/// step by step; other networks take all of them in one pass. If the move of a king changes all
/// rows of its perspective, that perspective is updated from the last position that it saw with its
/// king there. A move that chooses other rows by other pieces does the same.
///
/// `N` is how the network is held: `&Network<A>`, `Arc<Network<A>>` or anything else that
/// dereferences to it. One network serves any number of evaluators in any number of threads.
///
/// [`prepare`](Self::prepare) does the first half of an evaluation ahead of time, and
/// [`peek`](Self::peek) the second half without `&mut`.
///
/// `C` is [`Statistics`] for an evaluator that counts its work: see [`counting`](Self::counting).
///
/// The engine supplies the features of custom sets: [`line`](mod@crate::line) has the forms for all
/// kinds of networks.
///
/// # Memory
///
/// All memory is allocated by [`new`](Self::new): accumulators for 256 plies, and one accumulator
/// per perspective and view of the cache (for SFNNv5: 1.1 MB and 0.3 MB; for 81 views of 1024
/// neurons: 0.4 MB). Deeper lines need more. Features that an engine supplies are kept too,
/// four bytes each, in lists that grow with the line.
// The fields that every evaluation reads are in the first line.
#[repr(C, align(64))]
pub struct Evaluator<A: Architecture, N: Deref<Target = Network<A>>, C = ()> {
    /// The position at which the line starts, then the position after each move.
    plies: Vec<Ply>,
    /// The placement and the accumulators of each ply; [`Ply`] says which of them are computed.
    computed: Vec<PlyState<A>>,
    net: N,
    /// The side to move wherever the number of moves is even: moves need not change it.
    even_side: Color,
    cache: RefreshCache<A>,
    /// The rows that the update of each perspective adds and removes; kept so that they need not be
    /// cleared each time.
    changes: [RowChanges<A>; 2],
    /// What differs between the last two placements that were compared as a whole, and the ply of
    /// the earlier placement.
    board_changes: BoardChanges,
    changed_since: usize,
    supplied: SuppliedFeatures,
    counter: C,
}

/// The accumulators of both perspectives for an empty board.
fn empty_halves<A: Architecture>(net: &Network<A>) -> [A::Half; 2] {
    Color::ALL.map(|perspective| *A::biases(net.weights(), perspective))
}

/// The placement and the accumulators of a ply, once they are computed.
struct PlyState<A: Architecture> {
    placement: Placement,
    halves: [A::Half; 2],
}

impl<A: Architecture> Clone for PlyState<A> {
    fn clone(&self) -> PlyState<A> {
        PlyState { ..*self }
    }
}

/// The number of plies for which memory is reserved.
const PLIES: usize = 256;

impl<A: Architecture, N: Deref<Target = Network<A>>> Evaluator<A, N> {
    /// An evaluator of a line that starts here: `&position`, for networks without custom feature
    /// sets.
    #[must_use]
    pub fn new(net: N, start: impl Start<A::Line>) -> Self {
        Evaluator::starting(net, start, ())
    }
}

impl<A: Architecture, N: Deref<Target = Network<A>>> Evaluator<A, N, Statistics> {
    /// An evaluator that counts its work, and is otherwise the same. For tools: engines need not
    /// carry the counters.
    #[must_use]
    pub fn counting(net: N, start: impl Start<A::Line>) -> Self {
        Evaluator::starting(net, start, Statistics::default())
    }

    /// The work since [`counting`](Self::counting). Resets do not set it back to zero.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        Statistics {
            // An entry of the cache is missed once, when it is filled.
            misses: self.cache.filled() as u64,
            ..self.counter
        }
    }
}

impl<A: Architecture, N: Deref<Target = Network<A>>, C: Counter> Evaluator<A, N, C> {
    fn starting(net: N, start: impl Start<A::Line>, counter: C) -> Self {
        let mut evaluator = Evaluator {
            even_side: Color::White,
            plies: Vec::with_capacity(PLIES),
            computed: Vec::with_capacity(PLIES),
            cache: RefreshCache::new(&net),
            changes: [RowChanges::new(), RowChanges::new()],
            board_changes: BoardChanges::NONE,
            changed_since: Base::CACHE,
            supplied: SuppliedFeatures::new::<A>(),
            counter,
            net,
        };
        evaluator.reset(start);
        evaluator
    }

    /// Starts a new line. The cache keeps its content.
    pub fn reset(&mut self, start: impl Start<A::Line>) {
        let start = start.beginning(self.net.level());
        self.even_side = start.side_to_move;
        self.plies.clear();
        let pieces = start.placement.squares().count();
        let clock = start.clock.unwrap_or(0);
        self.plies.push(Ply::first(pieces, clock));
        self.set_aside(0);
        self.computed[0].placement = start.placement;
        if const { has_supplied(A::FEATURES) } {
            self.supplied.truncate(0);
            let changes = start.active.map(FeatureChanges::to);
            self.supplied.push::<A>(Some(start.views), changes);
        }
    }

    /// Makes a move.
    ///
    /// A delta that contradicts the position, by removing a piece that is not there or adding a
    /// piece where another stands, makes this and all later evaluations meaningless, until the
    /// line is [`reset`](Self::reset); nothing worse happens. [`try_push`](Self::try_push) finds
    /// out. [`FeatureChanges`] says the same of features.
    #[inline]
    pub fn push(&mut self, step: impl Step<A::Line>) {
        self.make(&step.changes());
    }

    #[inline]
    fn make(&mut self, step: &StepChanges<'_>) {
        self.plies.push(Ply::after(step.delta));
        if const { has_supplied(A::FEATURES) } {
            self.supplied.push::<A>(step.views, step.features);
        }
    }

    /// Makes a move, if its delta fits the position. To check that, it follows the position at each
    /// move, while [`push`](Self::push) does so only for an evaluation. Features are not checked.
    ///
    /// # Errors
    ///
    /// [`BoardError`] if the delta removes a piece that is not there, or adds a piece where another
    /// stands. The evaluator is as before.
    pub fn try_push(&mut self, step: impl Step<A::Line>) -> Result<(), BoardError> {
        let (step, top) = (step.changes(), self.ply());
        self.place(top);
        self.computed[top].placement.check(step.delta)?;
        self.make(&step);
        Ok(())
    }

    /// Passes: the other side is to move.
    #[inline]
    pub fn push_null(&mut self) {
        self.make(&StepChanges::NONE);
    }

    /// Takes back the last move or null move. Does nothing where no move is left.
    #[inline]
    pub fn pop(&mut self) {
        let top = self.ply();
        if top > 0 {
            self.plies.truncate(top);
            if const { has_supplied(A::FEATURES) } {
                self.supplied.truncate(top);
            }
        }
    }

    /// Lends the positions of the line to `change`, for interfaces whose callers make moves and take
    /// them back in that list themselves. The first position must stay.
    #[doc(hidden)]
    #[inline]
    pub fn change_line<R>(&mut self, change: impl FnOnce(&mut Vec<Ply>) -> R) -> R
    where
        A: Architecture<Line: TakesPositions>,
    {
        change(&mut self.plies)
    }

    /// How many moves were made since the line started and not taken back.
    #[inline]
    #[must_use]
    pub fn ply(&self) -> usize {
        self.plies.len() - 1
    }

    /// The side to move.
    #[inline]
    #[must_use]
    pub fn side_to_move(&self) -> Color {
        self.even_side.after(self.ply())
    }

    /// Says whose turn it is, for games in which the sides do not always take turns: each move
    /// gives the turn to the other side, and taking a move back returns it.
    #[inline]
    pub fn set_side_to_move(&mut self, side: Color) {
        self.even_side = side.after(self.ply());
    }

    /// Says what the half-move clock is, for engines that count otherwise than moves say: a null
    /// move adds 1. Moves that are pushed go on from it, and taking the last move back returns it.
    pub fn set_halfmove_clock(&mut self, clock: u8)
    where
        A: Architecture<Line: TakesClock>,
    {
        self.change_clock(clock);
    }

    /// [`set_halfmove_clock`](Self::set_halfmove_clock) to that of a position, if the network sees it:
    /// for tools, whose positions need not follow from each other by moves.
    #[doc(hidden)]
    pub fn take_clock_of<P>(&mut self, position: &P)
    where
        A: Architecture<Line: StartsAt<P>>,
    {
        if let Some(clock) = A::Line::clock(position) {
            self.change_clock(clock);
        }
    }

    fn change_clock(&mut self, clock: u8) {
        let top = self.ply();
        self.pieces(top);
        self.plies[top].set_clock(clock);
    }

    /// The network that evaluates.
    #[inline]
    #[must_use]
    pub fn network(&self) -> &Network<A> {
        &self.net
    }

    /// Evaluates for the side to move with the layers of a bucket. Numbers beyond the last bucket
    /// stand for the last.
    #[inline]
    pub fn evaluate_bucket(&mut self, bucket: usize) -> A::Output {
        self.evaluate_bucket_for(self.side_to_move(), bucket)
    }
}

impl<A: Architecture, N: Deref<Target = Network<A>>, C: Counter> Evaluator<A, N, C> {
    /// Evaluates the position for the side to move.
    // The bound is that of the method, as that of `Network::evaluate` is.
    #[inline]
    pub fn evaluate(&mut self) -> A::Output
    where
        A: SelectedByPieces,
    {
        self.evaluate_for(self.side_to_move())
    }
}

impl<A: Architecture, N: Deref<Target = Network<A>> + Clone, C: Clone> Clone
    for Evaluator<A, N, C>
{
    fn clone(&self) -> Self {
        let mut plies = Vec::with_capacity(PLIES.max(self.plies.len()));
        plies.extend_from_slice(&self.plies);
        let mut computed = Vec::with_capacity(PLIES.max(self.computed.len()));
        computed.extend_from_slice(&self.computed);
        Evaluator {
            net: self.net.clone(),
            even_side: self.even_side,
            plies,
            computed,
            cache: self.cache.clone(),
            changes: self.changes.clone(),
            board_changes: self.board_changes.clone(),
            changed_since: Base::CACHE,
            supplied: self.supplied.clone(),
            counter: self.counter.clone(),
        }
    }
}

impl<A: Architecture, N: Deref<Target = Network<A>>, C: Counter> fmt::Debug for Evaluator<A, N, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Evaluator")
            .field("net", &A::NAME)
            .field("ply", &self.ply())
            .field("side_to_move", &self.side_to_move())
            .finish_non_exhaustive()
    }
}
