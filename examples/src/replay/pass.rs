//! The ways to evaluate a trace.

use std::fmt;
use std::hint::black_box;
use std::time::{Duration, Instant};

use nnue_runtime::{
    Accumulator, Board, Counter, Delta, Evaluator, Level, Network, Output, SelectedByPieces,
    Statistics,
};
use nnue_trace::{Follow, Trace};

/// A way to evaluate every position of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// An [`Evaluator`] follows the search: everything it does is measured, moves and unmakes included.
    Incremental,
    /// For each position, an accumulator from nothing and the layers.
    Refresh,
    /// The layers alone, over accumulators that are near at hand.
    Forward,
}

impl Pass {
    /// All of them.
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
pub trait Replay {
    /// The same network for another instruction set.
    fn at_level(self: Box<Self>, level: Level) -> Box<dyn Replay>;

    /// Evaluates all positions of a trace, and returns how long that took. The evaluations go to `outputs`, in order; those
    /// for which it has no room are lost.
    fn time(&self, pass: Pass, trace: &Trace, outputs: &mut [Output]) -> Duration;

    /// As [`Pass::Incremental`], but counts the work instead of measuring the time.
    fn count(&self, trace: &Trace, outputs: &mut [Output]) -> Statistics;
}

impl<A: SelectedByPieces<Output = Output>> Replay for Network<A> {
    fn at_level(self: Box<Self>, level: Level) -> Box<dyn Replay> {
        Box::new(self.with_level(level))
    }

    fn time(&self, pass: Pass, trace: &Trace, outputs: &mut [Output]) -> Duration {
        match pass {
            Pass::Incremental => {
                let mut evaluator = Evaluator::new(self, &Board::start());
                trace.replay(&mut Incremental(&mut evaluator), outputs)
            }
            Pass::Refresh => refresh(self, trace, outputs),
            Pass::Forward => forward(self, trace, outputs),
        }
    }

    fn count(&self, trace: &Trace, outputs: &mut [Output]) -> Statistics {
        let mut evaluator = Evaluator::counting(self, &Board::start());
        trace.replay(&mut Incremental(&mut evaluator), outputs);
        evaluator.statistics()
    }
}

/// An evaluator on the trace of a search.
struct Incremental<'e, 'n, A: SelectedByPieces, C>(&'e mut Evaluator<A, &'n Network<A>, C>);

impl<A: SelectedByPieces, C: Counter> Follow for Incremental<'_, '_, A, C> {
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

fn refresh<A: SelectedByPieces>(
    net: &Network<A>,
    trace: &Trace,
    outputs: &mut [A::Output],
) -> Duration {
    let mut accumulator = Accumulator::new(net, &Board::start());
    let started = Instant::now();
    for (board, output) in trace.evaluated().zip(outputs) {
        accumulator.refresh(net, board);
        *output = net.evaluate(&accumulator, board);
    }
    started.elapsed()
}

/// Accumulators that are evaluated between two readings of the clock: few enough for a cache of 1 MB, for all networks,
/// and enough for the clock not to count.
const NEAR: usize = 64;

fn forward<A: SelectedByPieces>(
    net: &Network<A>,
    trace: &Trace,
    outputs: &mut [A::Output],
) -> Duration {
    let boards: Vec<&Board> = trace.evaluated().collect();
    let mut accumulators = vec![Accumulator::new(net, &Board::start()); NEAR];
    let mut elapsed = Duration::ZERO;
    for (boards, outputs) in boards.chunks(NEAR).zip(outputs.chunks_mut(NEAR)) {
        for (accumulator, board) in accumulators.iter_mut().zip(boards) {
            accumulator.refresh(net, *board);
        }
        // The refreshes have driven the layers' weights out of the cache.
        for (accumulator, board) in accumulators.iter().zip(boards) {
            black_box(net.evaluate(accumulator, *board));
        }
        let started = Instant::now();
        for ((accumulator, board), output) in accumulators.iter().zip(boards).zip(outputs) {
            *output = net.evaluate(accumulator, *board);
        }
        elapsed += started.elapsed();
    }
    elapsed
}
