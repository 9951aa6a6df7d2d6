//! The two halves of an evaluation apart: accumulators that are computed and not yet evaluated, and
//! evaluations of accumulators that are already computed.

use core::ops::Deref;

use super::cache::NO_VIEW;
use super::{Counter, Evaluator, Ply};
use crate::accumulator::AccumulatorRef;
use crate::architecture::{Architecture, SelectedByPieces};
use crate::chess::Color;
use crate::network::Network;

/// Where the accumulators of the current ply are.
#[derive(Clone, Copy)]
struct Prepared {
    /// The ply whose placement is the current one: null moves do not change it.
    ply: usize,
    /// The ply that holds the accumulator of each perspective.
    holders: [usize; 2],
}

impl<A: Architecture, N: Deref<Target = Network<A>>, C: Counter> Evaluator<A, N, C> {
    /// Computes the accumulators of the current ply and evaluates nothing. Stockfish calls this
    /// `hint_common_access`.
    ///
    /// It pays where the position itself is not evaluated, because a hash table knows its value,
    /// but several moves from it will be: each of them then starts here. Accumulators that are
    /// computed already are not computed again.
    #[inline]
    pub fn prepare(&mut self) {
        self.prepared();
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
        let prepared = self.prepared();
        AccumulatorRef::new(self.halves(prepared))
    }

    /// Evaluates with the layers of a bucket as if `side` were to move, and otherwise as
    /// [`evaluate_bucket`](Self::evaluate_bucket) does. [`Self::side_to_move`] stays as it is.
    #[inline]
    pub fn evaluate_bucket_for(&mut self, side: Color, bucket: usize) -> A::Output {
        let prepared = self.prepared();
        self.propagate(prepared, side, bucket)
    }

    /// Evaluates with the layers of a bucket as [`evaluate_bucket`](Self::evaluate_bucket) does, if
    /// the accumulators of the current ply are computed. [`peek`](Self::peek) says when they are.
    #[inline]
    #[must_use]
    pub fn peek_bucket(&self, bucket: usize) -> Option<A::Output> {
        let prepared = self.find_prepared()?;
        Some(self.propagate(prepared, self.side_to_move, bucket))
    }

    // It is as little as that: a call would cost more.
    #[inline(always)]
    fn prepared(&mut self) -> Prepared {
        let ply = self.last_change(self.ply());
        let holders = self.compute(ply).into();
        Prepared { ply, holders }
    }

    /// Where the accumulators of the current ply are, if they are computed.
    #[inline]
    fn find_prepared(&self) -> Option<Prepared> {
        let ply = self.last_change(self.ply());
        let mut holders = [ply; 2];
        for &perspective in A::PERSPECTIVES {
            let p = perspective.index();
            let has_own = |ply: &Ply| ply.views[p] != NO_VIEW;
            if has_own(&self.plies[ply]) {
                continue;
            }
            if !self.plies[ply].unchanged[p] {
                return None;
            }
            holders[p] = self.plies[..ply].iter().rposition(has_own)?;
        }
        Some(Prepared { ply, holders })
    }

    #[inline]
    fn halves(&self, prepared: Prepared) -> [&A::Half; 2] {
        Color::ALL.map(|perspective| {
            let p = perspective.index();
            &self.computed[prepared.holders[p]].halves[p]
        })
    }

    /// The forward pass.
    #[inline]
    fn propagate(&self, prepared: Prepared, side: Color, bucket: usize) -> A::Output {
        let net = &*self.net;
        A::propagate(
            net.level(),
            net.stacks(),
            A::ORDER.of(self.halves(prepared), side),
            bucket,
            net.proved(),
        )
    }
}

// The bounds are those of the methods, as that of `Network::evaluate` is.
impl<A: Architecture, N: Deref<Target = Network<A>>, C: Counter> Evaluator<A, N, C> {
    /// Evaluates the position as if `side` were to move: what [`evaluate`](Self::evaluate) says
    /// after [`push_null`](Self::push_null) if it is the other side's turn, for engines that do not
    /// tell null moves. [`Self::side_to_move`] stays as it is.
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
        let prepared = self.prepared();
        self.propagate_selected(prepared, side)
    }

    /// Evaluates the position for the side to move, as [`evaluate`](Self::evaluate) does, if its
    /// accumulators are computed: since the last push, pop or reset there was a
    /// [`prepare`](Self::prepare), an evaluation or an [`accumulator`](Self::accumulator), or the
    /// pop led back to a ply for which there was. Null moves and
    /// [`set_side_to_move`](Self::set_side_to_move) change no accumulators.
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
        let prepared = self.find_prepared()?;
        Some(self.propagate_selected(prepared, self.side_to_move))
    }

    /// The bucket of the position, as [`Network::bucket`] has it for its number of pieces. This
    /// follows the position and computes no accumulators.
    #[inline]
    pub fn bucket(&mut self) -> usize
    where
        A: SelectedByPieces,
    {
        let ply = self.last_change(self.ply());
        self.place(ply);
        Network::<A>::bucket(self.computed[ply].placement.pieces())
    }

    /// [`evaluate`](Self::evaluate), or [`evaluate_bucket`](Self::evaluate_bucket) if a bucket is
    /// given: for interfaces that have both. What only one function calls becomes part of it.
    #[doc(hidden)]
    #[inline]
    pub fn evaluate_either(&mut self, bucket: Option<usize>) -> A::Output
    where
        A: SelectedByPieces,
    {
        let prepared = self.prepared();
        let bucket = bucket.unwrap_or_else(|| self.selected(prepared));
        self.propagate(prepared, self.side_to_move, bucket)
    }

    #[inline]
    fn propagate_selected(&self, prepared: Prepared, side: Color) -> A::Output
    where
        A: SelectedByPieces,
    {
        self.propagate(prepared, side, self.selected(prepared))
    }

    /// The bucket of the current ply.
    #[inline]
    fn selected(&self, prepared: Prepared) -> usize
    where
        A: SelectedByPieces,
    {
        Network::<A>::bucket(self.computed[prepared.ply].placement.pieces())
    }
}
