//! The ways to evaluate a trace.

use std::fmt;
use std::hint::black_box;
use std::time::{Duration, Instant};

use nnue_runtime::{
    Accumulator, Board, Counter, Delta, Evaluator, Level, Network, Output, SelectedByPieces,
    Statistics,
};
use nnue_trace::{Follow, Trace};

use super::touching::Touching;

/// A way to evaluate every position of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// An [`Evaluator`] follows the search. Moves and unmakes are measured too.
    Incremental,
    /// For each position, a full refresh of the accumulator and then the layers.
    Refresh,
    /// The layers alone, with accumulators that are in the processor's cache.
    Forward,
}

impl Pass {
    /// The passes in the order of [`LevelResults::times`](super::LevelResults::times).
    pub const ALL: [Pass; 3] = [Pass::Incremental, Pass::Refresh, Pass::Forward];
}

impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Pass::Incremental => "incremental updates",
            Pass::Refresh => "full refresh",
            Pass::Forward => "forward pass alone",
        })
    }
}

/// A network that can be measured, of whatever architecture.
pub trait Replay: Sync {
    /// The same network for another instruction set.
    fn at_level(self: Box<Self>, level: Level) -> Box<dyn Replay>;

    /// What evaluates with the network in this way. Along a search, it reads `touched` bytes of
    /// other memory in turn, as [`Touching`] says.
    fn contender(
        &self,
        pass: Pass,
        touched: usize,
    ) -> Box<dyn Contender<Value = Output> + Send + '_>;

    /// Evaluates all positions of a trace, and returns how long that took. The evaluations go to
    /// `outputs`, in order; those for which it has no room are lost.
    fn time(&self, pass: Pass, touched: usize, trace: &Trace, outputs: &mut [Output]) -> Duration {
        self.contender(pass, touched).time(trace, outputs)
    }

    /// As [`Pass::Incremental`], but counts the work instead of measuring the time.
    fn count(&self, trace: &Trace, outputs: &mut [Output]) -> Statistics;
}

/// What evaluates one trace after the other, and keeps its accumulators and caches in between, as
/// an engine does from search to search.
pub trait Contender {
    /// The type of an evaluation.
    type Value;

    /// Evaluates all positions of a trace, and returns how long that took. The evaluations go to
    /// `values`, in order; those for which it has no room are lost.
    fn time(&mut self, trace: &Trace, values: &mut [Self::Value]) -> Duration;
}

impl<A: SelectedByPieces<Output = Output>> Replay for Network<A> {
    fn at_level(self: Box<Self>, level: Level) -> Box<dyn Replay> {
        Box::new(self.with_level(level))
    }

    fn contender(
        &self,
        pass: Pass,
        touched: usize,
    ) -> Box<dyn Contender<Value = Output> + Send + '_> {
        match pass {
            Pass::Incremental => Box::new(Touching::new(
                Incremental(Evaluator::new(self, &Board::start())),
                touched,
            )),
            Pass::Refresh => Box::new(Refreshed {
                net: self,
                accumulator: Accumulator::new(self, &Board::start()),
            }),
            Pass::Forward => Box::new(Prepared { net: self }),
        }
    }

    fn count(&self, trace: &Trace, outputs: &mut [Output]) -> Statistics {
        let mut counting = Incremental(Evaluator::counting(self, &Board::start()));
        trace.replay(&mut counting, outputs);
        counting.0.statistics()
    }
}

impl<F: Follow> Contender for Touching<F> {
    type Value = F::Value;

    fn time(&mut self, trace: &Trace, values: &mut [F::Value]) -> Duration {
        trace.replay(self, values)
    }
}

/// An evaluator on the trace of a search.
struct Incremental<'n, A: SelectedByPieces, C>(Evaluator<A, &'n Network<A>, C>);

impl<A: SelectedByPieces, C: Counter> Follow for Incremental<'_, A, C> {
    type Value = A::Output;

    #[inline]
    fn reset(&mut self, root: &Board) {
        self.0.reset(root);
    }

    #[inline]
    fn make(&mut self, delta: &Delta) {
        self.0.push(delta);
    }

    #[inline]
    fn make_null(&mut self) {
        self.0.push_null();
    }

    #[inline]
    fn unmake(&mut self) {
        self.0.pop();
    }

    #[inline]
    fn evaluate(&mut self) -> A::Output {
        self.0.evaluate()
    }
}

struct Refreshed<'n, A: SelectedByPieces> {
    net: &'n Network<A>,
    accumulator: Accumulator<A>,
}

impl<A: SelectedByPieces> Contender for Refreshed<'_, A> {
    type Value = A::Output;

    fn time(&mut self, trace: &Trace, values: &mut [A::Output]) -> Duration {
        let Refreshed { net, accumulator } = self;
        let evaluate = |board: &Board| {
            accumulator.refresh(net, board);
            net.evaluate(accumulator, board)
        };
        time_each(trace, evaluate, values)
    }
}

struct Prepared<'n, A: SelectedByPieces> {
    net: &'n Network<A>,
}

impl<A: SelectedByPieces> Contender for Prepared<'_, A> {
    type Value = A::Output;

    fn time(&mut self, trace: &Trace, values: &mut [A::Output]) -> Duration {
        let net = self.net;
        time_prepared(
            trace,
            Accumulator::new(net, &Board::start()),
            |accumulator, board| accumulator.refresh(net, board),
            |accumulator, board| net.evaluate(accumulator, board),
            values,
        )
    }
}

/// Evaluates each position of a trace by itself, and returns how long that took. It is public
/// because everything that is compared must be measured by the same loop.
pub fn time_each<V>(
    trace: &Trace,
    mut evaluate: impl FnMut(&Board) -> V,
    values: &mut [V],
) -> Duration {
    let started = Instant::now();
    for (board, value) in trace.evaluated().zip(values) {
        *value = evaluate(board);
    }
    started.elapsed()
}

/// The number of states that are evaluated between two readings of the clock. They fit in a cache
/// of 1 MB for every network, and are enough for the time of a reading not to matter.
const NEAR: usize = 64;

/// Evaluates each position of a trace from a state that was prepared for it beforehand, and returns
/// how long that took without the preparation. It is public for the same reason as [`time_each`].
pub fn time_prepared<S: Clone, V>(
    trace: &Trace,
    blank: S,
    prepare: impl Fn(&mut S, &Board),
    evaluate: impl Fn(&S, &Board) -> V,
    values: &mut [V],
) -> Duration {
    let boards: Vec<&Board> = trace.evaluated().collect();
    let mut states = vec![blank; NEAR];
    let mut elapsed = Duration::ZERO;
    for (boards, values) in boards.chunks(NEAR).zip(values.chunks_mut(NEAR)) {
        for (state, board) in states.iter_mut().zip(boards) {
            prepare(state, board);
        }
        // The preparation may have removed the layers' weights from the cache.
        for (state, board) in states.iter().zip(boards) {
            black_box(evaluate(state, board));
        }
        let started = Instant::now();
        for ((state, board), value) in states.iter().zip(boards).zip(values) {
            *value = evaluate(state, board);
        }
        elapsed += started.elapsed();
    }
    elapsed
}
