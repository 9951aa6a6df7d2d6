//! The contenders that evaluate with a network, for each way to evaluate.

use std::marker::PhantomData;
use std::time::Duration;

use crate::{Follow, Move, Search, Trace};
use nnue_runtime::line::StartsAt;
use nnue_runtime::{
    Accumulator, Architecture, Board, Counter, Delta, Evaluator, Network, Position,
    SelectedByPieces, Statistics,
};

use crate::pass::{Contender, time_each, time_prepared};

/// A way to get a value from a network.
pub trait Evaluate<A: Architecture<Line: StartsAt<Board>>> {
    /// The type of an evaluation.
    type Value;

    /// Evaluates the position at which an evaluator stands.
    fn along<C: Counter>(evaluator: &mut Evaluator<A, &Network<A>, C>) -> Self::Value;

    /// Evaluates a position from its accumulator.
    fn alone(net: &Network<A>, accumulator: &Accumulator<A>, board: &Board) -> Self::Value;
}

/// The evaluation with a bucket that follows from the number of pieces, as the spec says.
#[derive(Clone, Copy, Debug)]
pub struct ByPieces;

impl<A: SelectedByPieces<Line: StartsAt<Board>>> Evaluate<A> for ByPieces {
    type Value = A::Output;

    #[inline]
    fn along<C: Counter>(evaluator: &mut Evaluator<A, &Network<A>, C>) -> A::Output {
        evaluator.evaluate()
    }

    #[inline]
    fn alone(net: &Network<A>, accumulator: &Accumulator<A>, board: &Board) -> A::Output {
        net.evaluate(accumulator, board)
    }
}

/// The evaluation with the first bucket, for a network whose engine chooses the bucket.
#[derive(Clone, Copy, Debug)]
pub struct FirstBucket;

impl<A: Architecture<Line: StartsAt<Board>>> Evaluate<A> for FirstBucket {
    type Value = A::Output;

    #[inline]
    fn along<C: Counter>(evaluator: &mut Evaluator<A, &Network<A>, C>) -> A::Output {
        evaluator.evaluate_bucket(0)
    }

    #[inline]
    fn alone(net: &Network<A>, accumulator: &Accumulator<A>, board: &Board) -> A::Output {
        net.evaluate_bucket(accumulator, board.side_to_move(), 0)
    }
}

/// An evaluator that follows searches.
pub struct Along<'n, A: Architecture<Line: StartsAt<Board>>, E, C = ()> {
    evaluator: Evaluator<A, &'n Network<A>, C>,
    evaluate: PhantomData<E>,
}

impl<'n, A: Architecture<Line: StartsAt<Board>>, E: Evaluate<A>> Along<'n, A, E> {
    /// Creates the contender with a network.
    #[must_use]
    pub fn new(net: &'n Network<A>) -> Self {
        Along {
            evaluator: Evaluator::new(net, &Board::start()),
            evaluate: PhantomData,
        }
    }
}

impl<'n, A: Architecture<Line: StartsAt<Board>>, E: Evaluate<A>> Along<'n, A, E, Statistics> {
    /// Creates the contender with a network; the evaluator counts its work.
    #[must_use]
    pub fn counting(net: &'n Network<A>) -> Self {
        Along {
            evaluator: Evaluator::counting(net, &Board::start()),
            evaluate: PhantomData,
        }
    }

    /// The counted work so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.evaluator.statistics()
    }
}

impl<A: Architecture<Line: StartsAt<Board>>, E: Evaluate<A>, C: Counter> Follow
    for Along<'_, A, E, C>
{
    type Value = E::Value;

    #[inline]
    fn reset(&mut self, search: &Search) {
        self.evaluator.reset(&search.root);
    }

    #[inline]
    fn make(&mut self, _: Move, delta: &Delta) {
        self.evaluator.push(delta);
    }

    #[inline]
    fn make_null(&mut self) {
        self.evaluator.push_null();
    }

    #[inline]
    fn unmake(&mut self) {
        self.evaluator.pop();
    }

    #[inline]
    fn evaluate(&mut self) -> E::Value {
        E::along(&mut self.evaluator)
    }
}

/// A contender that makes a full refresh for each position, and then computes the layers.
pub struct Refreshed<'n, A: Architecture<Line: StartsAt<Board>>, E> {
    net: &'n Network<A>,
    accumulator: Accumulator<A>,
    evaluate: PhantomData<E>,
}

impl<'n, A: Architecture<Line: StartsAt<Board>>, E: Evaluate<A>> Refreshed<'n, A, E> {
    /// Creates the contender with a network.
    #[must_use]
    pub fn new(net: &'n Network<A>) -> Self {
        Refreshed {
            net,
            accumulator: Accumulator::new(net, &Board::start()),
            evaluate: PhantomData,
        }
    }
}

impl<A: Architecture<Line: StartsAt<Board>>, E: Evaluate<A>> Contender for Refreshed<'_, A, E> {
    type Value = E::Value;

    fn time(&mut self, trace: &Trace, values: &mut [E::Value]) -> Duration {
        let Refreshed {
            net, accumulator, ..
        } = self;
        let evaluate = |board: &Board| {
            accumulator.refresh(net, board);
            E::alone(net, accumulator, board)
        };
        time_each(trace, evaluate, values)
    }
}

/// A contender that computes the layers alone.
pub struct Prepared<'n, A: Architecture<Line: StartsAt<Board>>, E> {
    net: &'n Network<A>,
    evaluate: PhantomData<E>,
}

impl<'n, A: Architecture<Line: StartsAt<Board>>, E: Evaluate<A>> Prepared<'n, A, E> {
    /// Creates the contender with a network.
    #[must_use]
    pub fn new(net: &'n Network<A>) -> Self {
        Prepared {
            net,
            evaluate: PhantomData,
        }
    }
}

impl<A: Architecture<Line: StartsAt<Board>>, E: Evaluate<A>> Contender for Prepared<'_, A, E> {
    type Value = E::Value;

    fn time(&mut self, trace: &Trace, values: &mut [E::Value]) -> Duration {
        let net = self.net;
        time_prepared(
            trace,
            Accumulator::new(net, &Board::start()),
            |accumulator, board| accumulator.refresh(net, board),
            |accumulator, board| E::alone(net, accumulator, board),
            values,
        )
    }
}
