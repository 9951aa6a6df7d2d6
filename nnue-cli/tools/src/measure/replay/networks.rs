//! Networks of any architecture that can be measured.

use std::time::Duration;

use nnue_replay::{Along, ByPieces, Contender, Engine, Following, Pass, Prepared, Refreshed};
use nnue_runtime::{Level, Network, Output, SelectedByPieces, Statistics};
use nnue_trace::Trace;

/// A network of any architecture that can be measured.
pub trait Replay: Sync {
    /// The same network for another instruction set.
    fn at_level(self: Box<Self>, level: Level) -> Box<dyn Replay>;

    /// A contender that evaluates with the network in this way, in an engine if there is an engine.
    fn contender<'c>(
        &'c self,
        pass: Pass,
        engine: Option<&'c Engine>,
    ) -> Box<dyn Contender<Value = Output> + Send + 'c>;

    /// Evaluates all positions of a trace, and returns how long that took. Writes the evaluations
    /// to `outputs`, in order; evaluations beyond its end are dropped.
    fn time(&self, pass: Pass, trace: &Trace, outputs: &mut [Output]) -> Duration {
        self.contender(pass, None).time(trace, outputs)
    }

    /// Counts the work of [`Pass::Incremental`] over a trace.
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
