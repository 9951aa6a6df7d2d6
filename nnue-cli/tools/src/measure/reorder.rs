//! Neurons in the order of their activity: an order of the transformer's outputs in which more
//! blocks of them are zero, found on the positions of a trace.

mod observed;
mod search;

use crate::nets::conversion::reorder_outputs;
use crate::nets::evaluation::told_features;
use crate::nets::net_file::NetFile;
use nnue_compiler::format::LoadError;
use nnue_compiler::layout::Layout;
use nnue_compiler::network::Network;
use nnue_compiler::plan::{Plans, Skipped, Unroll};
use nnue_interpreter::Net;
use nnue_trace::Trace;
use serde::Serialize;

use self::observed::{Observed, difference};

pub use self::observed::{Counts, Difference};
pub use self::search::{Activity, better_order};

/// The most positions that the search for an order uses. More positions would hardly change the
/// result.
const SAMPLE: usize = 8192;

/// How many outputs are skipped together, if all of them are zero.
pub const BLOCK: usize = 4;

/// The transformer's outputs of a network: one for each neuron, or for each pair of neurons where
/// these are pooled. Outputs are numbered as they lie in memory.
#[derive(Clone, Debug)]
pub struct Neurons {
    /// How many values of one perspective the layers see.
    pub outputs: usize,
    /// How many perspectives the layers see: 1 or 2.
    pub perspectives: usize,
    /// The zeros that the layers skip.
    pub skipped: Skipped,
    /// For each place in memory, the number that the net file gives to the output there.
    order: Vec<usize>,
    /// Outputs with the same number may change places.
    classes: Vec<usize>,
}

impl Neurons {
    /// The neurons of a network.
    #[must_use]
    pub fn of(network: &Network) -> Neurons {
        let layout = Layout::of(network);
        let transformer = &network.transformer;
        let outputs = network.outputs();
        let skipped = Plans::of(&layout, Unroll::Auto).map(|plans| plans.skipped(&layout));
        Neurons {
            outputs: outputs.count,
            perspectives: transformer.perspectives.count,
            skipped: skipped.unwrap_or(Skipped::Nothing),
            order: match &*transformer.neuron_order {
                [] => (0..outputs.count).collect(),
                order => order.to_vec(),
            },
            classes: outputs.classes(),
        }
    }

    /// The order that a spec says to have the outputs of these places one after the other.
    fn order_of_spec(&self, places: &[usize]) -> Vec<usize> {
        places.iter().map(|place| self.order[*place]).collect()
    }

    /// The change of a net file for the same, as the order of the file's outputs: the spec stays as
    /// it is.
    fn order_of_file(&self, places: &[usize]) -> Vec<usize> {
        let mut of_file = vec![0; self.order.len()];
        for (own, output) in self.order.iter().zip(self.order_of_spec(places)) {
            of_file[*own] = output;
        }
        of_file
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
        neurons: &Neurons,
        reordered: &Reordered,
    ) -> Gain {
        let Reordered { before, after, .. } = reordered;
        Gain {
            network,
            file,
            evaluations: trace.evaluations(),
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

/// Looks for a better order, and checks that no value of the trace changes with it. Calls `progress`
/// meanwhile with the share of the work that is done, or a little more.
///
/// # Errors
///
/// [`ReorderError`] if the order does not matter to the network, or if a value changes.
pub fn reorder(
    file: &NetFile,
    neurons: &Neurons,
    trace: &Trace,
    progress: &(dyn Fn(f64) + Sync),
) -> Result<Reordered, ReorderError> {
    let name = || file.network.name.clone();
    if let Some(set) = told_features(&file.network) {
        let (name, set) = (name(), set.into());
        return Err(ReorderError::Told { name, set });
    }
    if neurons.skipped != Skipped::Blocks {
        let (name, skipped) = (name(), neurons.skipped);
        return Err(ReorderError::Useless { name, skipped });
    }
    // Evaluations take longest, and are made twice.
    let step = trace.evaluations().div_ceil(SAMPLE).max(1);
    let net = file.net().map_err(ReorderError::Net)?;
    let before = Observed::of(&net, neurons, trace, Some(step), &|done| {
        progress(0.4 * done)
    });
    let mut found = |done: f64| progress(0.4 + 0.2 * done);
    let order = better_order(&before.activity, &neurons.classes, &mut found);
    let bytes = reorder_outputs(file, &neurons.order_of_file(&order));
    let bytes = bytes.map_err(ReorderError::Net)?;
    let reordered = Net::from_bytes(&file.network, &bytes).map_err(ReorderError::Load)?;
    let after = Observed::of(&reordered, neurons, trace, None, &|done| {
        progress(0.6 + 0.4 * done);
    });
    difference(trace, &before, &after).map_err(ReorderError::Difference)?;
    Ok(Reordered {
        file: bytes,
        order: neurons.order_of_spec(&order),
        before: before.counts,
        after: after.counts,
    })
}

/// Compares the values of two nets of a network over a trace.
///
/// # Errors
///
/// [`Difference`] for the first evaluation that is not the same.
pub fn compare(reference: &Net, net: &Net, trace: &Trace) -> Result<(), Difference> {
    let neurons = Neurons::of(net.network());
    let [expected, found] =
        [reference, net].map(|net| Observed::of(net, &neurons, trace, None, &|_| {}));
    difference(trace, &expected, &found)
}

/// Why a network was not reordered.
#[derive(Debug, thiserror::Error)]
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
    /// It has features that only its engine knows.
    #[error(
        "`{name}` has the custom feature set `{set}`, which only its engine knows: the recorded \
         search is one of chess"
    )]
    Told {
        /// The name of the network.
        name: String,
        /// The name of the feature set.
        set: String,
    },
    /// The net file cannot be read or written in another order.
    #[error("{0}")]
    Net(crate::nets::Error),
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
