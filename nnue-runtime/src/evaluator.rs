//! Evaluation along a search: moves are pushed and popped, and only what is evaluated is computed.

mod cache;
mod compute;
mod ply;
mod prepared;
mod statistics;
mod told;
mod walk;

use alloc::vec::Vec;
use core::fmt;
use core::ops::Deref;

use self::cache::RefreshCache;
use self::compute::Base;
#[doc(hidden)]
pub use self::ply::Ply;
pub use self::statistics::{Counter, Statistics};
use self::told::ToldFeatures;
use crate::architecture::{Architecture, SelectedByPieces};
use crate::board::BoardError;
use crate::chess::Color;
use crate::delta::Delta;
use crate::feature_set::{has_told, refuse_told, refuse_views, require_only_told, require_views};
use crate::features::{BoardChanges, FeatureChanges};
use crate::network::Network;
use crate::placement::Placement;
use crate::position::Position;
use crate::rows::changes::RowChanges;

/// A position that follows an engine's search, and its evaluation.
///
/// [`push`](Self::push) only records a move. [`evaluate`](Self::evaluate) walks back to the nearest
/// ply whose accumulator is known. Where each piece has one row, it follows the moves since then
/// step by step; other networks take all of them in one pass. If the move of a king changes all
/// rows of its perspective, that perspective is updated from the last position that it saw with its
/// king there. Where sets depend on the opponent's queens, their moves do the same.
///
/// `N` is how the network is held: `&Network<A>`, `Arc<Network<A>>` or anything else that
/// dereferences to it. One network serves any number of evaluators in any number of threads.
///
/// [`prepare`](Self::prepare) does the first half of an evaluation ahead of time, and
/// [`peek`](Self::peek) the second half without `&mut`.
///
/// `C` is [`Statistics`] for an evaluator that counts its work: see [`counting`](Self::counting).
///
/// # Custom feature sets
///
/// Of custom sets, only the engine knows which features are active. It hands them over with the
/// position ([`with_features`](Self::with_features)), and with each move what it changes
/// ([`push_with`](Self::push_with)). In networks for other games all sets are custom; there is no
/// position, and features are all that is handed over ([`from_features`](Self::from_features),
/// [`push_features`](Self::push_features)):
///
#[cfg_attr(feature = "macros", doc = "```no_run")]
#[cfg_attr(not(feature = "macros"), doc = "```ignore")]
/// mod ataxx {
///     nnue_runtime::nnue_net!("../specs/games/ataxx.toml");
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use nnue_runtime::{Color, FeatureChanges};
///
/// let net = ataxx::Network::open("ataxx.nnue")?;
/// let active: [&[u32]; 2] = [&[0, 55, 140], &[6, 49, 140]];
/// let mut evaluator = ataxx::Evaluator::from_features(&net, Color::White, active);
/// let change = FeatureChanges { added: &[1], removed: &[140] };
/// evaluator.push_features([change; 2]);
/// let output = evaluator.evaluate_bucket(0);
/// # Ok(())
/// # }
/// ```
///
/// # Views
///
/// In networks for shogi, each square of the own king has rows of its own, so that a king's move
/// changes all rows of its player. There the spec has `views = 81`, and the engine tells two things
/// apart: the features of pieces, and as a view the square of each player's own king. Both are as
/// the player sees the board.
///
#[cfg_attr(feature = "macros", doc = "```no_run")]
#[cfg_attr(not(feature = "macros"), doc = "```ignore")]
/// mod shogi {
///     nnue_runtime::nnue_net!("../specs/games/shogi_sfnn.toml");
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use nnue_runtime::{Color, FeatureChanges};
///
/// let net = shogi::Network::open("shogi.bin")?;
/// let active: [&[u32]; 2] = [&[102, 1592, 1600], &[102, 1592, 1600]];
/// let mut evaluator = shogi::Evaluator::from_views(&net, Color::White, [44, 44], active);
/// // White's king steps aside. Black sees it too, but from where it was.
/// let change = |from, to| FeatureChanges { added: to, removed: from };
/// let changes = [change(&[1592], &[1591]), change(&[1600], &[1601])];
/// evaluator.push_views([43, 44], changes);
/// let output = evaluator.evaluate_bucket(0);
/// # Ok(())
/// # }
/// ```
///
/// A king's move is told as any other move is, with a new view. Which rows it changes is found when
/// the position is evaluated: those in which its features differ from the features of the last
/// position that was computed from the same view. So an engine lists all features only where a line
/// starts, moves that nobody evaluates cost a few numbers, and nothing is asked of an engine whose
/// board may have moved on. That is why evaluations take neither lists nor callbacks.
///
/// A function that does not suit the network does not compile:
///
/// ```compile_fail,E0080
/// mod ataxx {
///     nnue_runtime::nnue_net!("../specs/games/ataxx.toml");
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let net = ataxx::Network::open("ataxx.nnue")?;
/// let evaluator = ataxx::Evaluator::new(&net, &nnue_runtime::Board::start());
/// # Ok(())
/// # }
/// ```
///
/// # Memory
///
/// All memory is allocated by [`new`](Self::new): accumulators for 256 plies, and one accumulator
/// per perspective and view of the cache (for SFNNv5: 1.1 MB and 0.3 MB; for 81 views of 1024
/// neurons: 0.4 MB). Deeper lines need more. What an engine tells of custom features is kept too,
/// four bytes for each number, in lists that grow where a line tells more than any before.
// What every evaluation reads is in the first line.
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
    told: ToldFeatures,
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
    /// An evaluator that starts at a position.
    #[must_use]
    pub fn new(net: N, position: &impl Position) -> Self {
        let mut evaluator = Evaluator::empty(net, ());
        evaluator.reset(position);
        evaluator
    }

    /// An evaluator that starts at a position in which these features of custom sets are active for
    /// white and for black.
    #[must_use]
    pub fn with_features(net: N, position: &impl Position, active: [&[u32]; 2]) -> Self {
        let mut evaluator = Evaluator::empty(net, ());
        evaluator.reset_with(position, active);
        evaluator
    }

    /// An evaluator that starts where these features are active for white and for black, whoever
    /// these are in the game.
    #[must_use]
    pub fn from_features(net: N, side_to_move: Color, active: [&[u32]; 2]) -> Self {
        let mut evaluator = Evaluator::empty(net, ());
        evaluator.reset_features(side_to_move, active);
        evaluator
    }

    /// An evaluator that starts where white and black have these views, and these features are
    /// active for them, for networks whose sets have views. Numbers beyond the last view stand for
    /// the last.
    #[must_use]
    pub fn from_views(net: N, side_to_move: Color, views: [u32; 2], active: [&[u32]; 2]) -> Self {
        let mut evaluator = Evaluator::empty(net, ());
        evaluator.reset_views(side_to_move, views, active);
        evaluator
    }
}

impl<A: Architecture, N: Deref<Target = Network<A>>> Evaluator<A, N, Statistics> {
    /// An evaluator that counts its work, and is otherwise the same. For tools: engines need not
    /// carry the counters.
    #[must_use]
    pub fn counting(net: N, position: &impl Position) -> Self {
        let mut evaluator = Evaluator::empty(net, Statistics::default());
        evaluator.reset(position);
        evaluator
    }

    /// [`counting`](Self::counting) for networks whose sets have views.
    #[must_use]
    pub fn counting_views(
        net: N,
        side_to_move: Color,
        views: [u32; 2],
        active: [&[u32]; 2],
    ) -> Self {
        let mut evaluator = Evaluator::empty(net, Statistics::default());
        evaluator.reset_views(side_to_move, views, active);
        evaluator
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
    fn empty(net: N, counter: C) -> Self {
        Evaluator {
            even_side: Color::White,
            plies: Vec::with_capacity(PLIES),
            computed: Vec::with_capacity(PLIES),
            cache: RefreshCache::new(&net),
            changes: [RowChanges::new(), RowChanges::new()],
            board_changes: BoardChanges::NONE,
            changed_since: Base::CACHE,
            told: ToldFeatures::new::<A>(),
            counter,
            net,
        }
    }

    /// Starts anew at a position. The cache keeps its content.
    pub fn reset(&mut self, position: &impl Position) {
        const { refuse_told(A::FEATURES) };
        self.start(
            Placement::of(self.net.level(), position),
            position.side_to_move(),
            [0; 2],
            [&[]; 2],
        );
    }

    /// Starts anew at a position in which these features of custom sets are active for white and
    /// for black.
    pub fn reset_with(&mut self, position: &impl Position, active: [&[u32]; 2]) {
        const { refuse_views(A::FEATURES) };
        self.start(
            Placement::of(self.net.level(), position),
            position.side_to_move(),
            [0; 2],
            active,
        );
    }

    /// Starts anew where these features are active for white and for black.
    pub fn reset_features(&mut self, side_to_move: Color, active: [&[u32]; 2]) {
        const { refuse_views(A::FEATURES) };
        const { require_only_told(A::FEATURES) };
        self.start(Placement::EMPTY, side_to_move, [0; 2], active);
    }

    /// Starts anew where white and black have these views, and these features are active for them.
    pub fn reset_views(&mut self, side_to_move: Color, views: [u32; 2], active: [&[u32]; 2]) {
        const { require_views(A::FEATURES) };
        self.start(Placement::EMPTY, side_to_move, views, active);
    }

    fn start(
        &mut self,
        placement: Placement,
        side_to_move: Color,
        views: [u32; 2],
        active: [&[u32]; 2],
    ) {
        self.even_side = side_to_move;
        self.plies.clear();
        self.plies.push(Ply::first(placement.squares().count()));
        self.set_aside(0);
        self.computed[0].placement = placement;
        if const { has_told(A::FEATURES) } {
            self.told.truncate(0);
            let changes = active.map(FeatureChanges::to);
            self.told.push::<A>(Some(views), changes);
        }
    }

    /// Makes a move.
    ///
    /// A delta that contradicts the position, by removing a piece that is not there or adding a
    /// piece where another stands, makes this and all later evaluations meaningless, until the
    /// position is [`reset`](Self::reset); nothing worse happens. [`try_push`](Self::try_push)
    /// finds out.
    #[inline]
    pub fn push(&mut self, delta: &Delta) {
        const { refuse_told(A::FEATURES) };
        self.make(delta, None, FeatureChanges::NONE);
    }

    /// Makes a move that changes which features of custom sets are active for white and for black.
    /// What [`push`](Self::push) says of deltas holds here too, and what [`FeatureChanges`] says of
    /// features.
    #[inline]
    pub fn push_with(&mut self, delta: &Delta, changes: [FeatureChanges<'_>; 2]) {
        const { refuse_views(A::FEATURES) };
        self.make(delta, None, changes);
    }

    /// Makes a move that changes which features are active for white and for black.
    #[inline]
    pub fn push_features(&mut self, changes: [FeatureChanges<'_>; 2]) {
        const { refuse_views(A::FEATURES) };
        const { require_only_told(A::FEATURES) };
        self.make(&Delta::null(), None, changes);
    }

    /// Makes a move after which white and black have these views, and that changes which features
    /// are active for them.
    ///
    /// A change of view changes no features by itself: of a king's move, the engine hands over the
    /// king's own feature, if there is one, and the new view.
    #[inline]
    pub fn push_views(&mut self, views: [u32; 2], changes: [FeatureChanges<'_>; 2]) {
        const { require_views(A::FEATURES) };
        self.make(&Delta::null(), Some(views), changes);
    }

    #[inline]
    fn make(&mut self, delta: &Delta, views: Option<[u32; 2]>, changes: [FeatureChanges<'_>; 2]) {
        self.plies.push(Ply::after(delta));
        if const { has_told(A::FEATURES) } {
            self.told.push::<A>(views, changes);
        }
    }

    /// Makes a move, if the delta fits the position. To check that, it follows the position at each
    /// move, while [`push`](Self::push) does so only for an evaluation.
    ///
    /// # Errors
    ///
    /// [`BoardError`] if the delta removes a piece that is not there, adds a piece where another
    /// stands, or leaves more than 32 pieces on the board. The evaluator is as before.
    pub fn try_push(&mut self, delta: &Delta) -> Result<(), BoardError> {
        self.check(delta)?;
        self.push(delta);
        Ok(())
    }

    /// Makes a move as [`push_with`](Self::push_with) does, if the delta fits the position.
    /// Features are not checked.
    ///
    /// # Errors
    ///
    /// The errors of [`try_push`](Self::try_push). The evaluator is as before.
    pub fn try_push_with(
        &mut self,
        delta: &Delta,
        changes: [FeatureChanges<'_>; 2],
    ) -> Result<(), BoardError> {
        self.check(delta)?;
        self.push_with(delta, changes);
        Ok(())
    }

    fn check(&mut self, delta: &Delta) -> Result<(), BoardError> {
        let top = self.ply();
        self.place(top);
        self.computed[top].placement.check(delta)
    }

    /// Passes: the other side is to move.
    #[inline]
    pub fn push_null(&mut self) {
        self.make(&Delta::null(), None, FeatureChanges::NONE);
    }

    /// Takes back the last move or null move. Does nothing where no move is left.
    #[inline]
    pub fn pop(&mut self) {
        let top = self.ply();
        if top > 0 {
            self.plies.truncate(top);
            if const { has_told(A::FEATURES) } {
                self.told.truncate(top);
            }
        }
    }

    /// Lends the positions of the line to `change`, for interfaces whose callers make moves and take
    /// them back in that list themselves. The first position must stay.
    #[doc(hidden)]
    #[inline]
    pub fn change_line<R>(&mut self, change: impl FnOnce(&mut Vec<Ply>) -> R) -> R {
        const { refuse_told(A::FEATURES) };
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
            told: self.told.clone(),
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
