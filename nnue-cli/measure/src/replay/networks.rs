//! Networks that can be measured, of whatever architecture.

use std::time::Duration;

use nnue_replay::{Along, ByPieces, Contender, Engine, Following, Pass, Prepared, Refreshed};
use nnue_runtime::{Level, Network, Output, SelectedByPieces, Statistics};
use nnue_trace::Trace;

/// A network that can be measured, of whatever architecture.
pub trait Replay: Sync {
    /// The same network for another instruction set.
    fn at_level(self: Box<Self>, level: Level) -> Box<dyn Replay>;

    /// What evaluates with the network in this way; along a search, in an engine if there is one.
    fn contender<'c>(
        &'c self,
        pass: Pass,
        engine: Option<&'c Engine>,
    ) -> Box<dyn Contender<Value = Output> + Send + 'c>;

    /// Evaluates all positions of a trace, and returns how long that took. The evaluations go to
    /// `outputs`, in order; those for which it has no room are lost.
    fn time(&self, pass: Pass, trace: &Trace, outputs: &mut [Output]) -> Duration {
        self.contender(pass, None).time(trace, outputs)
    }

    /// As [`Pass::Incremental`], but counts the work instead of measuring the time.
    fn count(&self, trace: &Trace, outputs: &mut [Output]) -> Statistics;
}

impl<A: SelectedByPieces<Output = Output>> Replay for Network<A> {
    fn at_level(self: Box<Self>, level: Level) -> Box<dyn Replay> {
        Box::new(self.with_level(level))
    }

    fn contender<'c>(
        &'c self,
        pass: Pass,
        engine: Option<&'c Engine>,
    ) -> Box<dyn Contender<Value = Output> + Send + 'c> {
        match pass {
            Pass::Incremental => Box::new(Following::new(Along::<A, ByPieces>::new(self), engine)),
            Pass::Refresh => Box::new(Refreshed::<A, ByPieces>::new(self)),
            Pass::Forward => Box::new(Prepared::<A, ByPieces>::new(self)),
        }
    }

    fn count(&self, trace: &Trace, outputs: &mut [Output]) -> Statistics {
        let mut counting = Along::<A, ByPieces, Statistics>::counting(self);
        trace.replay(&mut counting, outputs);
        counting.statistics()
    }
}
