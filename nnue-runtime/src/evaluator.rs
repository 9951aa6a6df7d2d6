//! Evaluation along a search: moves are pushed and popped, and only what is evaluated is computed.

mod cache;
mod changes;
mod custom;
mod placement;
mod statistics;

use alloc::vec::Vec;
use core::ops::Deref;
use core::{fmt, mem};

use self::cache::{NO_VIEW, RefreshCache};
use self::changes::RowChanges;
pub use self::custom::CustomEvaluator;
use self::placement::Placement;
pub use self::statistics::{Counter, Statistics};
use crate::architecture::{Architecture, SelectedByPieces};
use crate::board::BoardError;
use crate::chess::{Bitboard, Color};
use crate::delta::Delta;
use crate::features::has_custom;
use crate::network::Network;
use crate::position::Position;

/// A position that follows an engine's search, and its evaluation.
///
/// [`push`](Self::push) only records a move. [`evaluate`](Self::evaluate) walks back to the nearest ply whose accumulator
/// is known and takes all moves since in one pass; a perspective whose king has moved to other rows is brought
/// up to date from the last position that it saw with its king there.
///
/// `N` is how the network is held: `&Network<A>`, `Arc<Network<A>>` or anything else that dereferences to it. One
/// network serves any number of evaluators in any number of threads.
///
/// `C` is [`Statistics`] for an evaluator that counts its work: see [`counting`](Self::counting).
///
/// # Memory
///
/// All of it is allocated by [`new`](Self::new): accumulators for 256 plies, and one accumulator per perspective
/// and view of the cache (for SFNNv5: 1.1 MB and 0.3 MB). Deeper lines make it grow by what they need.
pub struct Evaluator<A: Architecture, N: Deref<Target = Network<A>>, C = ()> {
    net: N,
    side_to_move: Color,
    /// The position that `new` or `reset` was given, then one for each move.
    plies: Vec<Ply>,
    /// Per ply, what has been computed of it, as far as the ply says so.
    computed: Vec<Computed<A>>,
    cache: RefreshCache<A>,
    /// What the update of each perspective adds and removes; kept so that it need not be cleared each time.
    changes: [RowChanges<A>; 2],
    counter: C,
}

/// Both perspectives' accumulators of an empty board.
fn empty_halves<A: Architecture>(net: &Network<A>) -> [A::Half; 2] {
    Color::ALL.map(|perspective| *A::biases(net.weights(), perspective))
}

/// One position of the line.
#[derive(Clone, Copy)]
struct Ply {
    /// What led here from the ply before.
    delta: Delta,
    /// Whether its placement is computed: moves that are taken back before anyone evaluates them never are.
    placed: bool,
    /// Whether the next ply was computed without it.
    skipped: bool,
    /// Per perspective, the view with which its accumulator is computed; [`NO_VIEW`] if it is not.
    views: [u8; 2],
}

impl Ply {
    #[inline]
    fn after(delta: &Delta) -> Ply {
        Ply {
            delta: *delta,
            placed: false,
            skipped: false,
            views: [NO_VIEW; 2],
        }
    }
}

/// What has been computed of a ply.
struct Computed<A: Architecture> {
    placement: Placement,
    halves: [A::Half; 2],
}

impl<A: Architecture> Clone for Computed<A> {
    fn clone(&self) -> Computed<A> {
        Computed { ..*self }
    }
}

/// What lies between a ply's placement and the one that it was computed from.
#[derive(Clone, Copy)]
struct Moved {
    /// The ply of the latter.
    since: usize,
    /// The squares where something may have changed.
    squares: Bitboard,
}

/// What a perspective's accumulator is computed from. Two numbers, which functions return in registers.
#[derive(Clone, Copy)]
struct Base {
    /// The ply whose accumulator it is; [`Self::CACHE`] if there is none with the same view.
    ply: usize,
    view: u8,
}

impl Base {
    /// No ply: the accumulator of the cache.
    const CACHE: usize = usize::MAX;
}

/// Plies that memory is set aside for.
const PLIES: usize = 256;

impl<A: Architecture, N: Deref<Target = Network<A>>> Evaluator<A, N> {
    /// An evaluator that starts at a position.
    #[must_use]
    pub fn new(net: N, position: &impl Position) -> Self {
        Evaluator::with_counter(net, position, ())
    }
}

impl<A: Architecture, N: Deref<Target = Network<A>>> Evaluator<A, N, Statistics> {
    /// An evaluator that counts its work, and is otherwise the same. For tools: engines need not carry the counters.
    #[must_use]
    pub fn counting(net: N, position: &impl Position) -> Self {
        Evaluator::with_counter(net, position, Statistics::default())
    }

    /// What has been computed since [`counting`](Self::counting), resets or not.
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
    fn with_counter(net: N, position: &impl Position, counter: C) -> Self {
        const {
            assert!(
                !has_custom(A::FEATURES),
                "the network has custom feature sets: use `CustomEvaluator`, or accumulators where it has others too"
            );
        }
        let cache = RefreshCache::new(&net);
        let mut evaluator = Evaluator {
            side_to_move: position.side_to_move(),
            plies: Vec::with_capacity(PLIES),
            computed: Vec::with_capacity(PLIES),
            cache,
            changes: [RowChanges::new(), RowChanges::new()],
            counter,
            net,
        };
        evaluator.reset(position);
        evaluator
    }

    /// Starts anew at a position. What the cache has learnt stays.
    pub fn reset(&mut self, position: &impl Position) {
        self.side_to_move = position.side_to_move();
        self.plies.clear();
        self.plies.push(Ply {
            placed: true,
            ..Ply::after(&Delta::null())
        });
        self.set_aside(0);
        self.computed[0].placement = Placement::of(position);
    }

    /// Makes a move.
    ///
    /// A delta that contradicts the position, by removing a piece that is not there or adding one where another stands,
    /// makes this and all later evaluations meaningless, until the position is [`reset`](Self::reset); nothing worse
    /// happens. [`try_push`](Self::try_push) finds out.
    #[inline]
    pub fn push(&mut self, delta: &Delta) {
        self.plies.push(Ply::after(delta));
        self.side_to_move = !self.side_to_move;
    }

    /// Makes a move, if the delta fits the position. To find out, it follows the position at each move, which
    /// [`push`](Self::push) leaves until it is evaluated.
    ///
    /// # Errors
    ///
    /// [`BoardError`] if the delta removes a piece that is not there, or adds one where another stands. The evaluator
    /// is as before.
    pub fn try_push(&mut self, delta: &Delta) -> Result<(), BoardError> {
        let top = self.ply();
        self.place(top);
        self.computed[top].placement.check(delta)?;
        self.push(delta);
        Ok(())
    }

    /// Passes: the other side is to move.
    #[inline]
    pub fn push_null(&mut self) {
        self.push(&Delta::null());
    }

    /// Takes back the last move or null move. Does nothing where none is left.
    #[inline]
    pub fn pop(&mut self) {
        let top = self.ply();
        if top > 0 {
            self.plies.truncate(top);
            self.side_to_move = !self.side_to_move;
        }
    }

    /// Moves made since [`new`](Self::new) or [`reset`](Self::reset) and not taken back.
    #[inline]
    #[must_use]
    pub fn ply(&self) -> usize {
        self.plies.len() - 1
    }

    /// Whose turn it is.
    #[inline]
    #[must_use]
    pub fn side_to_move(&self) -> Color {
        self.side_to_move
    }

    /// The network.
    #[inline]
    #[must_use]
    pub fn network(&self) -> &Network<A> {
        &self.net
    }

    /// Evaluates for the side to move with the layers of one bucket; the last for buckets beyond it.
    #[inline]
    pub fn evaluate_bucket(&mut self, bucket: usize) -> A::Output {
        self.evaluate_bucket_of(|_| bucket)
    }

    #[inline]
    fn evaluate_bucket_of(&mut self, bucket: impl FnOnce(&Placement) -> usize) -> A::Output {
        let top = self.ply();
        let plies = self.compute(top);
        let bucket = bucket(&self.computed[top].placement);
        let halves =
            Color::ALL.map(|color| &self.computed[plies[color.index()]].halves[color.index()]);
        let net = &*self.net;
        A::propagate(
            net.level(),
            net.weights(),
            A::ORDER.of(halves, self.side_to_move),
            bucket,
            net.proved(),
        )
    }

    /// Computes the accumulators of a ply, and returns the plies that hold them: this one, or for a perspective for which
    /// nothing has changed an earlier one.
    ///
    /// Of the ply before, nothing is computed: one pass takes all moves since the last ply of which something is. But if
    /// that has happened before, with another move in the place of the last, more will follow.
    #[inline]
    fn compute(&mut self, ply: usize) -> [usize; 2] {
        if let Some(parent) = ply.checked_sub(1)
            && !self.plies[ply].placed
            && !self.plies[parent].placed
            && mem::replace(&mut self.plies[parent].skipped, true)
        {
            self.compute_parent(parent);
        }
        self.compute_alone(ply)
    }

    #[inline(never)]
    fn compute_parent(&mut self, ply: usize) {
        self.compute_alone(ply);
    }

    /// Computes a ply, and none that others might want.
    #[inline]
    fn compute_alone(&mut self, ply: usize) -> [usize; 2] {
        let moved = self.place(ply);
        // Both perspectives' rows are on their way from memory before the first is added.
        let white = self.find_base(Color::White, ply, moved);
        let black = self.find_base(Color::Black, ply, moved);
        [
            self.settle(Color::White, ply, white),
            self.settle(Color::Black, ply, black),
        ]
    }

    /// Computes the placement of a ply from the nearest one that is known, and returns what changes between them.
    #[inline]
    fn place(&mut self, ply: usize) -> Moved {
        // The first ply's is always known.
        let base = self.plies[..=ply]
            .iter()
            .rposition(|ply| ply.placed)
            .unwrap_or(0);
        let mut squares = Bitboard::EMPTY;
        if base < ply {
            self.set_aside(ply);
            // In its place: a copy of what has just been written in pieces would wait for all of them.
            self.computed[ply].placement = self.computed[base].placement;
            let placement = &mut self.computed[ply].placement;
            for ply in &self.plies[base + 1..=ply] {
                squares |= placement.apply(&ply.delta);
            }
            self.plies[ply].placed = true;
        }
        Moved {
            since: base,
            squares,
        }
    }

    /// Sees to it that there is room for the accumulators of a ply.
    #[inline]
    fn set_aside(&mut self, ply: usize) {
        while self.computed.len() <= ply {
            self.computed.push(Computed {
                placement: Placement::EMPTY,
                halves: empty_halves(&self.net),
            });
        }
    }

    /// Finds what a perspective's accumulator of a ply is computed from, and lists the rows that lead from there.
    #[inline]
    fn find_base(&mut self, perspective: Color, ply: usize, moved: Moved) -> Base {
        let p = perspective.index();
        // A perspective that is not kept is not read either.
        if !A::PERSPECTIVES.contains(&perspective) {
            return Base { ply, view: NO_VIEW };
        }
        let placement = &self.computed[ply].placement;
        let king = placement.king(perspective);
        let view = self.cache.view(perspective, king);
        let nearest = (self.plies[..=ply].iter()).rposition(|ply| ply.views[p] != NO_VIEW);
        let base = nearest.filter(|base| self.plies[*base].views[p] == view);
        let before = match base {
            Some(base) => self.computed[base].placement.squares(),
            None => self.cache.squares(view),
        };
        let after = placement.squares();
        let changed = match base {
            // A comparison loads whole vectors of what has just been stored in bytes, and waits for the stores.
            Some(base) if base == moved.since => moved.squares,
            _ => after.differences(before),
        };
        self.changes[p].lead(&self.net, perspective, king, [before, after], changed);
        Base {
            ply: base.unwrap_or(Base::CACHE),
            view,
        }
    }

    /// Computes a perspective's accumulator of a ply, and returns the ply that holds it.
    #[inline]
    fn settle(&mut self, perspective: Color, ply: usize, base: Base) -> usize {
        let p = perspective.index();
        let (net, changes) = (&*self.net, &self.changes[p]);
        let (before, after) = self.computed.split_at_mut(ply);
        let Computed { placement, halves } = &mut after[0];
        let into = &mut halves[p];
        match base.ply {
            Base::CACHE => {
                self.cache.refresh(net, base.view, placement, changes, into);
                self.counter.refreshed(changes.len());
            }
            base => {
                if changes.len() == 0 {
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

impl<A: SelectedByPieces, N: Deref<Target = Network<A>>, C: Counter> Evaluator<A, N, C> {
    /// Evaluates the position for the side to move.
    #[inline]
    pub fn evaluate(&mut self) -> A::Output {
        self.evaluate_bucket_of(|placement| Network::<A>::bucket(placement.pieces()))
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
            side_to_move: self.side_to_move,
            plies,
            computed,
            cache: self.cache.clone(),
            changes: self.changes.clone(),
            counter: self.counter.clone(),
        }
    }
}

impl<A: Architecture, N: Deref<Target = Network<A>>, C: Counter> fmt::Debug for Evaluator<A, N, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Evaluator")
            .field("net", &A::NAME)
            .field("ply", &self.ply())
            .field("side_to_move", &self.side_to_move)
            .finish_non_exhaustive()
    }
}
