//! The usage of a network in floating point by positions: the weights that they use, and the values
//! that they give.

use nnue_compiler::network::file::Role;
use nnue_compiler::network::{Elementwise, Network, Op, Source};
use nnue_interpreter::{NumberPlace, UnroundedNet, UnroundedTrace, active_rows};
use nnue_runtime::Board;
use serde::Serialize;

use super::histogram::Histogram;
use super::threshold::Method;
use crate::nets::parallel;
use crate::quantise::comparison::{Activation, activations};

/// The distribution of a tensor's values over all its neurons and all positions. Values are numbers
/// in which 1.0 is 1.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ValueRange {
    /// The name of the tensor: `transformer`, or that of a layer.
    pub name: String,
    /// The smallest value.
    pub lowest: f64,
    /// The largest value.
    pub highest: f64,
    /// The magnitudes that 99, 99.9 and 99.99 % of the values do not exceed.
    pub percentiles: [f64; 3],
    /// The end of the range with the smallest divergence, for 128 levels.
    pub divergence: f64,
    /// The share of values at the upper limit to which the network clips them.
    pub saturated: f64,
}

/// How positions use the weights of a network, and the network's values for them.
pub(super) struct Usage {
    /// How often each row of the transformer is active, for each of its tables.
    rows: [Vec<f64>; 2],
    /// The sums of the squares of each layer's inputs: `[stack][layer][input]`.
    inputs: Vec<Vec<Vec<f64>>>,
    values: Vec<Spread>,
    /// The outputs of the network for each position: the value, or those of win, draw and loss.
    pub(super) outputs: Vec<Vec<f64>>,
}

/// The distribution of a tensor's values.
#[derive(Clone)]
struct Spread {
    magnitudes: Histogram,
    lowest: f64,
    highest: f64,
    count: usize,
    saturated: usize,
}

/// The number of positions that a core evaluates at a time.
const CHUNK: usize = 64;

impl Usage {
    /// The usage by positions, each with the stack that it uses.
    pub(super) fn over(net: &UnroundedNet, positions: &[(&Board, usize)]) -> Usage {
        let chunks: Vec<_> = positions.chunks(CHUNK).collect();
        let parts = parallel::map(&chunks, |chunk| {
            let mut usage = Usage::nothing(net.network());
            for (board, stack) in *chunk {
                usage.add(net, board, *stack);
            }
            usage
        });
        let none = Usage::nothing(net.network());
        parts.into_iter().fold(none, Usage::and)
    }

    fn nothing(network: &Network) -> Usage {
        let inputs = network
            .layers
            .iter()
            .map(|layer| vec![0.0; layer.input_len()]);
        let inputs: Vec<Vec<f64>> = inputs.collect();
        let nothing = Spread {
            magnitudes: Histogram::new(),
            lowest: f64::INFINITY,
            highest: f64::NEG_INFINITY,
            count: 0,
            saturated: 0,
        };
        Usage {
            rows: [0, 1].map(|_| vec![0.0; network.feature_count()]),
            inputs: vec![inputs; network.stacks.count],
            values: vec![nothing; activations(network).len()],
            outputs: Vec::new(),
        }
    }

    fn add(&mut self, net: &UnroundedNet, board: &Board, stack: usize) {
        let network = net.network();
        let copies = network.transformer.perspectives.copies();
        for (perspective, rows) in active_rows(network, board).into_iter().enumerate() {
            for row in rows {
                self.rows[perspective % copies][row] += 1.0;
            }
        }
        let trace = net.trace(board, stack);
        for (layer, squares) in network.layers.iter().zip(&mut self.inputs[stack]) {
            let read = layer.inputs.iter();
            let read =
                read.flat_map(|slice| &tensor(&trace, slice.source)[slice.start..][..slice.len]);
            for (sum, value) in squares.iter_mut().zip(read) {
                *sum += value * value;
            }
        }
        for (activation, spread) in activations(network).iter().zip(&mut self.values) {
            let step = f64::from(activation.smallest_one());
            let limit = if is_clipped(network, activation) {
                activation.tensor.range.1 as f64
            } else {
                f64::INFINITY
            };
            for value in activation.exact(&trace).filter(|value| value.is_finite()) {
                spread.magnitudes.add(value / step, 1.0);
                spread.lowest = spread.lowest.min(value / step);
                spread.highest = spread.highest.max(value / step);
                spread.count += 1;
                spread.saturated += usize::from(value >= limit);
            }
        }
        self.outputs.push(trace.values);
    }

    fn and(mut self, other: Usage) -> Usage {
        let add = |own: &mut Vec<f64>, more: Vec<f64>| {
            own.iter_mut()
                .zip(more)
                .for_each(|(own, more)| *own += more);
        };
        for (own, more) in self.rows.iter_mut().zip(other.rows) {
            add(own, more);
        }
        for (own, more) in self
            .inputs
            .iter_mut()
            .flatten()
            .zip(other.inputs.into_iter().flatten())
        {
            add(own, more);
        }
        for (own, more) in self.values.iter_mut().zip(other.values) {
            own.magnitudes.merge(&more.magnitudes);
            own.lowest = own.lowest.min(more.lowest);
            own.highest = own.highest.max(more.highest);
            own.count += more.count;
            own.saturated += more.saturated;
        }
        self.outputs.extend(other.outputs);
        self
    }

    /// The usage of a weight by positions: how often its row is active, or the sum of the squares
    /// of its input. It is 1 for a number that is no weight.
    pub(super) fn of(&self, network: &Network, place: NumberPlace) -> f64 {
        match place.role {
            Role::Weights(first) => {
                let row = first + place.row;
                let features = network.feature_count();
                self.rows[row / features % 2][row % features]
            }
            Role::LayerWeights(layer) => {
                if network.layers[layer].shared {
                    self.inputs
                        .iter()
                        .map(|stack| stack[layer][place.column])
                        .sum()
                } else {
                    self.inputs[place.stack][layer][place.column]
                }
            }
            _ => 1.0,
        }
    }

    /// The ranges of all tensors, in the order of computation.
    pub(super) fn ranges(&self, network: &Network) -> Vec<ValueRange> {
        let all = activations(network);
        let ranges = all.iter().zip(&self.values).map(|(activation, spread)| {
            let magnitudes = &spread.magnitudes;
            ValueRange {
                name: activation.name.to_string(),
                lowest: spread.lowest,
                highest: spread.highest,
                percentiles: [0.99, 0.999, 0.9999].map(|share| magnitudes.percentile(share)),
                divergence: Method::Divergence.threshold(magnitudes, 128),
                saturated: spread.saturated as f64 / spread.count.max(1) as f64,
            }
        });
        ranges.collect()
    }
}

fn tensor(trace: &UnroundedTrace, source: Source) -> &[f64] {
    match source {
        Source::Transformer => &trace.transformer,
        Source::Unpooled => &trace.unpooled,
        Source::Psqt => &trace.psqt,
        Source::Layer(layer) => &trace.layers[layer],
    }
}

/// Whether the integers of a tensor are clipped to its range, as those of activations. Sums wrap
/// around instead.
fn is_clipped(network: &Network, activation: &Activation<'_>) -> bool {
    let clips = match activation.source {
        Source::Transformer => true,
        Source::Layer(layer) => matches!(
            network.layers[layer].op,
            Op::Elementwise(Elementwise::Activations(_))
        ),
        Source::Unpooled | Source::Psqt => false,
    };
    clips && !activation.tensor.element.is_float()
}
