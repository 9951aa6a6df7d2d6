//! Networks of this project, of any architecture.

use std::time::Duration;

use nnue_further_tests::{sfnnv1, sfnnv2, sfnnv6, sfnnv9, sfnnv10, small128};
use nnue_runtime::line::FromPosition;
use nnue_runtime::{Architecture, Level, Network, Output, SelectedByPieces};
use nnue_trace::{Along, ByPieces, Contender, Engine, Following, Pass, Prepared, Refreshed, Trace};

/// A network of any architecture that can be measured.
pub(crate) trait Ours: Sync {
    /// The same network for another instruction set.
    fn at_level(self: Box<Self>, level: Level) -> Box<dyn Ours>;

    /// A contender that evaluates with the network in this way, in an engine if there is an engine.
    fn contender<'c>(
        &'c self,
        pass: Pass,
        engine: Option<&'c Engine>,
    ) -> Box<dyn Contender<Value = Output> + Send + 'c>;

    /// Evaluates all positions of a trace, and returns how long that took. Writes the evaluations
    /// to `outputs`, in order.
    fn time(&self, pass: Pass, trace: &Trace, outputs: &mut [Output]) -> Duration {
        self.contender(pass, None).time(trace, outputs)
    }
}

impl<A: SelectedByPieces<Line = FromPosition, Output = Output>> Ours for Network<A> {
    fn at_level(self: Box<Self>, level: Level) -> Box<dyn Ours> {
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
}

/// Loads a net file of one of the networks that nnue-rs has too, with the network's name.
pub(crate) fn load(file: &[u8]) -> Option<(&'static str, Box<dyn Ours>)> {
    fn of<A: SelectedByPieces<Line = FromPosition, Output = Output>>(
        file: &[u8],
    ) -> Option<(&'static str, Box<dyn Ours>)> {
        let network = Network::<A>::from_bytes(file).ok()?;
        Some((<A as Architecture>::NAME, Box::new(network)))
    }
    of::<small128::Net>(file)
        .or_else(|| of::<sfnnv1::Net>(file))
        .or_else(|| of::<sfnnv2::Net>(file))
        .or_else(|| of::<sfnnv6::Net>(file))
        .or_else(|| of::<sfnnv9::Net>(file))
        .or_else(|| of::<sfnnv10::Net>(file))
}
