//! The two halves of an evaluation apart: accumulators that are computed and not yet evaluated, and
//! evaluations of accumulators that are already computed.

use core::ops::Deref;

use super::{Counter, Evaluator};
use crate::accumulator::AccumulatorRef;
use crate::architecture::{Architecture, SelectedByPieces};
use crate::chess::Color;
use crate::line::Clock;
use crate::network::Network;

impl<A: Architecture, N: Deref<Target = Network<A>>, C: Counter> Evaluator<A, N, C> {
    /// Computes the accumulators of the current ply and evaluates nothing. Stockfish calls this
    /// `hint_common_access`.
    ///
    /// It pays where the position itself is not evaluated, because a hash table knows its value,
    /// but several moves from it will be: each of them then starts here. Accumulators that are
    /// computed already are not computed again.
    #[inline]
    pub fn prepare(&mut self) {
        self.computed_ply();
    }

    /// The accumulators of the current ply, which are computed if they are not yet.
    ///
    /// ```
    /// # mod small128 {
    /// #     nnue_runtime::nnue_net!("../specs/small128.toml");
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # use nnue_runtime::{Board, Color};
    /// # let net = small128::Network::open("../examples/nets/nn-37f18f62d772.nnue")?;
    /// let mut evaluator = small128::Evaluator::new(&net, &Board::start());
    /// let accumulator = evaluator.accumulator();
    /// assert_eq!(accumulator.values(Color::White).len(), small128::WIDTH);
    /// // Both sides see the start of a game alike.
    /// assert_eq!(accumulator.values(Color::White), accumulator.values(Color::Black));
    /// let fresh = small128::Accumulator::new(&net, &Board::start());
    /// assert_eq!(accumulator.to_accumulator(), fresh);
    /// # Ok(())
    /// # }
    /// ```
    #[inline]
    pub fn accumulator(&mut self) -> AccumulatorRef<'_, A> {
        let ply = self.computed_ply();
        let clock = Clock::keep(Some(self.plies[ply].clock));
        AccumulatorRef::new(self.computed[ply].halves.each_ref(), clock)
    }

    /// Evaluates with the layers of a bucket as if `side` were to move, and otherwise as
    /// [`evaluate_bucket`](Self::evaluate_bucket) does. [`Self::side_to_move`] stays as it is.
    #[inline]
    pub fn evaluate_bucket_for(&mut self, side: Color, bucket: usize) -> A::Output {
        self.evaluate_with(side, |_| bucket)
    }

    /// Evaluates with the layers of a bucket as [`evaluate_bucket`](Self::evaluate_bucket) does, if
    /// the accumulators of the current ply are computed. [`peek`](Self::peek) says when they are.
    #[inline]
    #[must_use]
    pub fn peek_bucket(&self, bucket: usize) -> Option<A::Output> {
        self.peek_with(|_| bucket)
    }

    /// Evaluates the current ply with the bucket that belongs to its number of pieces.
    // It is as little as that: a call would cost more.
    #[inline(always)]
    fn evaluate_with(&mut self, side: Color, bucket: impl Fn(usize) -> usize) -> A::Output {
        if const { Self::WALKS } {
            loop {
                if let Some(output) = self.evaluate_move(side, &bucket) {
                    return output;
                }
                if !self.walk_to_parent() {
                    break;
                }
            }
        }
        let ply = self.computed_ply();
        let bucket = bucket(self.plies[ply].pieces.into());
        self.propagate(ply, side, bucket)
    }

    /// The ply whose accumulators the current ply has, once they are computed.
    #[inline]
    fn computed_ply(&mut self) -> usize {
        let ply = self.last_change(self.ply());
        if !self.plies[ply].is_computed::<A>() {
            if const { Self::WALKS } {
                self.walk(ply)
            } else {
                self.compute(ply)
            }
        }
        ply
    }

    /// The evaluation of the current ply, if its accumulators are computed.
    #[inline]
    fn peek_with(&self, bucket: impl Fn(usize) -> usize) -> Option<A::Output> {
        let ply = self.last_change(self.ply());
        let this = &self.plies[ply];
        if !this.is_computed::<A>() {
            return None;
        }
        let bucket = bucket(this.pieces.into());
        Some(self.propagate(ply, self.side_to_move(), bucket))
    }

    /// The forward pass of a ply whose accumulators are computed.
    #[inline]
    fn propagate(&self, ply: usize, side: Color, bucket: usize) -> A::Output {
        let net = &*self.net;
        let halves = A::ORDER.of(self.computed[ply].halves.each_ref(), side);
        A::propagate(
            net.level(),
            net.stacks(),
            halves,
            bucket,
            net.proved(bucket),
        )
    }
}

// The bounds are those of the methods, as that of `Network::evaluate` is.
impl<A: Architecture, N: Deref<Target = Network<A>>, C: Counter> Evaluator<A, N, C> {
    /// Evaluates the position as if `side` were to move: what [`evaluate`](Self::evaluate) says
    /// after [`push_null`](Self::push_null) if it is the other side's turn, for engines that do not
    /// tell null moves. [`Self::side_to_move`] and the half-move clock stay as they are.
    ///
    /// ```
    /// # mod small128 {
    /// #     nnue_runtime::nnue_net!("../specs/small128.toml");
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # use nnue_runtime::Board;
    /// # let net = small128::Network::open("../examples/nets/nn-37f18f62d772.nnue")?;
    /// let mut evaluator = small128::Evaluator::new(&net, &Board::start());
    /// let passed = evaluator.evaluate_for(!evaluator.side_to_move());
    /// evaluator.push_null();
    /// assert_eq!(evaluator.evaluate(), passed);
    /// # Ok(())
    /// # }
    /// ```
    #[inline]
    pub fn evaluate_for(&mut self, side: Color) -> A::Output
    where
        A: SelectedByPieces,
    {
        self.evaluate_with(side, Network::<A>::bucket)
    }

    /// Evaluates the position for the side to move, as [`evaluate`](Self::evaluate) does, if its
    /// accumulators are computed: since the last push, pop or reset there was a
    /// [`prepare`](Self::prepare), an evaluation or an [`accumulator`](Self::accumulator), or the
    /// pop led back to a ply for which there was. [`set_side_to_move`](Self::set_side_to_move)
    /// changes no accumulators, nor do null moves in networks that see neither custom features nor
    /// the half-move clock.
    ///
    /// It is for engines whose `fn evaluate(&self)` cannot become `&mut self`. They prepare each
    /// position that they may evaluate, where they make its move:
    ///
    /// ```
    /// # mod small128 {
    /// #     nnue_runtime::nnue_net!("../specs/small128.toml");
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # use nnue_runtime::{Board, Color, Delta, Piece, Role, Square};
    /// # let net = small128::Network::open("../examples/nets/nn-37f18f62d772.nnue")?;
    /// let mut evaluator = small128::Evaluator::new(&net, &Board::start());
    /// assert_eq!(evaluator.peek(), None);
    /// evaluator.push(&Delta::quiet(Piece::new(Color::White, Role::Pawn), Square::F2, Square::F4));
    /// evaluator.prepare();
    /// assert_eq!(evaluator.peek().map(|output| output.value), Some(404));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Where most moves are taken back before anyone evaluates, preparing each of them computes
    /// accumulators that nobody needs: along a recorded search it takes 1.9 times as long. A
    /// `RefCell<Evaluator>` then is the better way to evaluate by `&self`. With a borrow for each
    /// move and evaluation it took 1.003 and 1.006 times as long in two runs, which is less than
    /// copies of the same machine code differed (small128, Intel Xeon (Sapphire Rapids), a busy
    /// machine).
    #[inline]
    #[must_use]
    pub fn peek(&self) -> Option<A::Output>
    where
        A: SelectedByPieces,
    {
        self.peek_with(Network::<A>::bucket)
    }

    /// The bucket of the position, as [`Network::bucket`] has it for its number of pieces. This
    /// follows the position and computes no accumulators.
    #[inline]
    pub fn bucket(&mut self) -> usize
    where
        A: SelectedByPieces,
    {
        Network::<A>::bucket(self.pieces(self.ply()))
    }

    /// [`evaluate`](Self::evaluate), or [`evaluate_bucket`](Self::evaluate_bucket) if a bucket is
    /// given: for interfaces that have both. The compiler makes a function with a single caller
    /// part of it.
    #[doc(hidden)]
    #[inline]
    pub fn evaluate_either(&mut self, bucket: Option<usize>) -> A::Output
    where
        A: SelectedByPieces,
    {
        self.evaluate_with(self.side_to_move(), |pieces| {
            bucket.unwrap_or_else(|| Network::<A>::bucket(pieces))
        })
    }
}
