//! Neurons in the order of their activity: an order of the transformer's outputs in which more
//! blocks of them are zero, found on the positions of a trace.

mod search;

use nnue_runtime::neurons::{BLOCK, Neurons, OrderError, Skipped};
use nnue_runtime::{
    Accumulator, Architecture, Board, Level, LoadError, Network, Output, Position, SelectedByPieces,
};
use nnue_trace::Trace;
use serde::Serialize;

use crate::measure::compiled::AnyNetwork;
use crate::measure::replay::{Difference, compare};

pub use self::search::{Activity, better_order};

/// The most positions that the search for an order uses. More positions would hardly change the
/// result.
const SAMPLE: usize = 8192;

/// A network of any architecture whose outputs can be put into another order.
pub trait Reorder {
    /// How pooling and layers use the neurons of the network.
    fn neurons(&self) -> Neurons;

    /// Calls `see` with the transformer's outputs for the positions `0`, `step`, `2 * step`, ... of
    /// a trace: once per position and perspective.
    fn observe(&self, trace: &Trace, step: usize, see: &mut dyn FnMut(&[i32]));

    /// The net file of the network with another order: `order[place]` is the output that goes to
    /// `place`.
    ///
    /// # Errors
    ///
    /// [`OrderError`] if this order is not possible.
    fn reordered_file(&self, order: &[usize]) -> Result<Vec<u8>, OrderError>;

    /// Loads a net file of the same architecture.
    ///
    /// # Errors
    ///
    /// [`LoadError`] if the file is no net of this architecture.
    fn load(&self, file: &[u8]) -> Result<Box<dyn AnyNetwork>, LoadError>;
}

impl<A: SelectedByPieces<Output = Output>> Reorder for Network<A> {
    fn neurons(&self) -> Neurons {
        <A as Architecture>::NEURONS
    }

    fn observe(&self, trace: &Trace, step: usize, see: &mut dyn FnMut(&[i32])) {
        let mut accumulator = Accumulator::new(self, &Board::start());
        let mut outputs = Vec::new();
        for board in trace.evaluated().step_by(step) {
            accumulator.refresh(self, board);
            outputs.clear();
            outputs.extend(accumulator.outputs(board.side_to_move()));
            see(&outputs);
        }
    }

    fn reordered_file(&self, order: &[usize]) -> Result<Vec<u8>, OrderError> {
        Ok(self.reordered(order)?.to_bytes())
    }

    fn load(&self, file: &[u8]) -> Result<Box<dyn AnyNetwork>, LoadError> {
        Ok(Box::new(Network::<A>::from_bytes(file)?))
    }
}

/// How much of the transformer's output is not zero, on average over the positions of a trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counts {
    /// Outputs that are not zero, of all perspectives.
    pub outputs: f64,
    /// Blocks of [`BLOCK`] outputs that are not all zero.
    pub blocks: f64,
}

impl Counts {
    /// Counts on all positions.
    pub fn of(net: &dyn AnyNetwork, trace: &Trace) -> Counts {
        let (mut outputs, mut blocks) = (0, 0);
        let len = net.neurons().outputs;
        net.observe(trace, 1, &mut |seen| {
            outputs += seen.iter().filter(|output| **output != 0).count();
            let all = seen.chunks(len).flat_map(|half| half.chunks(BLOCK));
            blocks += all
                .filter(|block| block.iter().any(|output| *output != 0))
                .count();
        });
        let mean = |sum: usize| sum as f64 / trace.evaluations() as f64;
        Counts {
            outputs: mean(outputs),
            blocks: mean(blocks),
        }
    }
}

/// The gain of a better order.
#[derive(Clone, Debug, Serialize)]
pub struct Gain {
    /// The name of the network.
    pub network: String,
    /// The name of the file that was read.
    pub file: String,
    /// How many positions were evaluated.
    pub evaluations: usize,
    /// The levels on which all values are the same in both orders.
    pub levels: Vec<&'static str>,
    /// The counts of the transformer's outputs.
    pub outputs: NotZero,
    /// The counts of blocks of [`BLOCK`] outputs.
    pub blocks: NotZero,
    /// The file that was written, if any.
    pub written: Option<String>,
    /// The file to which the order was written, if any.
    pub order: Option<String>,
}

/// The number of outputs or blocks that are not zero, on average over all positions.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct NotZero {
    /// How many outputs or blocks there are.
    pub of: usize,
    /// The number in the old order.
    pub before: f64,
    /// The number in the new order.
    pub after: f64,
}

impl Gain {
    /// The gain for a network and a file of these names, before anything is written.
    #[must_use]
    pub fn of(
        [network, file]: [String; 2],
        trace: &Trace,
        levels: &[Level],
        neurons: &Neurons,
        reordered: &Reordered,
    ) -> Gain {
        let Reordered { before, after, .. } = reordered;
        Gain {
            network,
            file,
            evaluations: trace.evaluations(),
            levels: levels.iter().map(|level| level.name()).collect(),
            outputs: NotZero {
                of: neurons.outputs * neurons.perspectives,
                before: before.outputs,
                after: after.outputs,
            },
            blocks: NotZero {
                of: neurons.outputs.div_ceil(BLOCK) * neurons.perspectives,
                before: before.blocks,
                after: after.blocks,
            },
            written: None,
            order: None,
        }
    }
}

/// A network in a better order.
#[derive(Clone, Debug)]
pub struct Reordered {
    /// The bytes of the reordered net file.
    pub file: Vec<u8>,
    /// The order that a spec needs to have the same of the net file as it is.
    pub order: Vec<usize>,
    /// The counts in the old order.
    pub before: Counts,
    /// The counts in the new order.
    pub after: Counts,
}

/// Looks for a better order, and checks that no value of the trace changes with it on any of the
/// levels. Calls `progress` while it looks, with an upper bound of the share that is done.
///
/// # Errors
///
/// [`ReorderError`] if the order does not matter to the network, or if a value changes.
pub fn reorder(
    net: Box<dyn AnyNetwork>,
    trace: &Trace,
    levels: &[Level],
    progress: &mut dyn FnMut(f64),
) -> Result<Reordered, ReorderError> {
    let neurons = net.neurons();
    if neurons.skipped != Skipped::Blocks {
        let (name, skipped) = (net.name().to_string(), neurons.skipped);
        return Err(ReorderError::Useless { name, skipped });
    }
    let before = Counts::of(&*net, trace);
    let mut activity = Activity::new(neurons.outputs);
    let step = trace.evaluations().div_ceil(SAMPLE).max(1);
    net.observe(trace, step, &mut |outputs| activity.record(outputs));
    let order = better_order(&activity, &neurons.classes(), progress);
    let file = net.reordered_file(&order).map_err(ReorderError::Order)?;
    let reordered = net.load(&file).map_err(ReorderError::Load)?;
    let after = Counts::of(&*reordered, trace);
    compare(net, reordered, levels, trace).map_err(ReorderError::Difference)?;
    Ok(Reordered {
        file,
        order: neurons.order_of_spec(&order),
        before,
        after,
    })
}

/// Why a network was not reordered.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReorderError {
    /// None of its layers skips blocks of zeros.
    #[error(
        "the order of the neurons of `{name}` makes no difference: {}",
        why_useless(*.skipped)
    )]
    Useless {
        /// The name of the network.
        name: String,
        /// Which zeros its layers skip.
        skipped: Skipped,
    },
    /// The order that was found is not valid.
    #[error("{0}")]
    Order(OrderError),
    /// The loader refuses the reordered file.
    #[error("the net in its new order: {0}")]
    Load(LoadError),
    /// The reordered network evaluates a position to another value.
    #[error("the net in its new order: {0}")]
    Difference(Difference),
}

fn why_useless(skipped: Skipped) -> &'static str {
    match skipped {
        Skipped::Outputs => "its layers skip zeros one by one, wherever they are",
        _ => "none of its layers is wide enough to skip zeros",
    }
}
