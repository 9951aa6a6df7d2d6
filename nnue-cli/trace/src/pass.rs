//! The ways to evaluate a trace.

use std::fmt;
use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::Trace;
use nnue_runtime::Board;

/// A way to evaluate every position of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// An [`Evaluator`](nnue_runtime::Evaluator) follows the search. The times of moves and unmakes
    /// are included.
    Incremental,
    /// Each position takes a full refresh of the accumulator and then the layers.
    Refresh,
    /// Each position takes the layers alone, with accumulators that are in the processor's cache.
    Forward,
}

impl Pass {
    /// Every pass, in the order in which they are measured.
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

/// A part of the work of a search that can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// The evaluation of all positions in this way.
    Pass(Pass),
    /// The same as [`Pass::Incremental`] in an [`Engine`](crate::Engine).
    InEngine,
}

impl Work {
    /// All kinds of work, in the order in which they are measured.
    pub const ALL: [Work; 4] = [
        Work::Pass(Pass::Incremental),
        Work::Pass(Pass::Refresh),
        Work::Pass(Pass::Forward),
        Work::InEngine,
    ];

    /// The word of the work in a request.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Work::Pass(Pass::Incremental) => "incremental",
            Work::Pass(Pass::Refresh) => "refresh",
            Work::Pass(Pass::Forward) => "forward",
            Work::InEngine => "engine",
        }
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Work::Pass(pass) => pass.fmt(f),
            Work::InEngine => f.pad("incremental updates in an engine"),
        }
    }
}

/// An evaluator for traces that keeps its accumulators and caches from trace to trace, as an engine
/// does from search to search.
pub trait Contender {
    /// The type of an evaluation.
    type Value;

    /// Evaluates all positions of a trace, and returns how long that took. Writes the evaluations
    /// to `values`, in order; evaluations beyond its end are dropped.
    fn time(&mut self, trace: &Trace, values: &mut [Self::Value]) -> Duration;
}

/// Evaluates each position of a trace separately, and returns how long that took. The function is
/// public because all compared programs must be measured by the same loop.
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

/// The number of states that are evaluated between two readings of the clock. These states fit in a
/// cache of 1 MB for every network, and are enough for the time of a reading not to matter.
const NEAR: usize = 64;

/// Evaluates each position of a trace from a state that was prepared beforehand, and returns how
/// long that took without the preparation. The function is public for the reason that [`time_each`]
/// is.
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
