//! The reference evaluator: what a checked network computes, in plain loops.
//!
//! It is written from the documentation of [`nnue_compiler::network`], value by value in the order of the spec, and shares
//! nothing with the code that is generated: no layout in memory, no padding, no instruction sets, no incremental updates.

mod factors;
mod features;
mod file;
mod layers;
mod output;
mod random;
mod transformer;
mod weights;

use nnue_compiler::network::{Network, Order, Source};
use nnue_runtime::{Color, Position};

pub use random::Style;
pub use weights::{AffineWeights, TransformerWeights, Values, Weights};

/// A network with its weights.
#[derive(Clone, Copy, Debug)]
pub struct Reference<'a> {
    network: &'a Network,
    weights: &'a Weights,
}

/// What a head says of a position, from the side to move's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evaluation {
    /// Half the difference of both perspectives' PSQT sums.
    pub psqt: i32,
    /// The layers' part.
    pub positional: i32,
    /// Both, in the engine's units.
    pub value: i32,
}

/// What a perspective sums up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accumulator {
    /// A value per neuron, in the order of the spec.
    pub values: Vec<i16>,
    /// A value per PSQT bucket.
    pub psqt: Vec<i32>,
}

/// White's sums, then black's.
pub type Accumulators = [Accumulator; 2];

impl<'a> Reference<'a> {
    /// Weights must be those of the network.
    #[must_use]
    pub fn new(network: &'a Network, weights: &'a Weights) -> Reference<'a> {
        Reference { network, weights }
    }

    /// The rows that a position switches on for a perspective, virtual ones included.
    #[must_use]
    pub fn active_rows(&self, position: &impl Position, perspective: Color) -> Vec<usize> {
        features::active_rows(self.network, position, perspective)
    }

    /// The sums over the rows that a position switches on.
    #[must_use]
    pub fn accumulators(&self, position: &impl Position) -> Accumulators {
        self.accumulators_of(Color::ALL.map(|perspective| self.active_rows(position, perspective)))
    }

    /// The sums over white's rows, and over black's.
    #[must_use]
    pub fn accumulators_of(&self, active: [Vec<usize>; 2]) -> Accumulators {
        Color::ALL.map(|perspective| {
            let copies = &self.weights.transformer;
            let own = copies.get(perspective.index()).unwrap_or(&copies[0]);
            transformer::accumulate(self.network, own, &active[perspective.index()])
        })
    }

    /// What each head says, with the layers of a bucket: one head, or win, draw and loss.
    #[must_use]
    pub fn evaluate(
        &self,
        accumulators: &Accumulators,
        side_to_move: Color,
        bucket: usize,
    ) -> Vec<Evaluation> {
        let tensors = self.tensors(accumulators, side_to_move, bucket);
        let sums = self.seen(accumulators, side_to_move).map(|accumulator| {
            // A single value serves all buckets.
            let value = accumulator.psqt.get(bucket).or(accumulator.psqt.first());
            value.copied().unwrap_or(0)
        });
        let psqt = match self.network.transformer.perspectives.count {
            1 => sums[0],
            _ => sums[0].wrapping_sub(sums[1]) / 2,
        };
        output::evaluate(self.network, &tensors.layers, psqt)
    }

    /// Every tensor on the way.
    #[must_use]
    pub fn tensors(
        &self,
        accumulators: &Accumulators,
        side_to_move: Color,
        bucket: usize,
    ) -> Tensors {
        let seen = self.seen(accumulators, side_to_move);
        let transformer = transformer::output(&self.network.transformer, seen);
        let mut tensors = Tensors {
            transformer: Values::Integers(transformer),
            layers: Vec::new(),
        };
        let stack = &self.weights.stacks[bucket];
        for (layer, weights) in self.network.layers.iter().zip(stack) {
            let values = layers::compute(layer, weights.as_ref(), &tensors);
            tensors.layers.push(values);
        }
        tensors
    }

    /// In the order in which the layers see them.
    fn seen<'s>(
        &self,
        accumulators: &'s Accumulators,
        side_to_move: Color,
    ) -> [&'s Accumulator; 2] {
        let [white, black] = accumulators;
        match (self.network.transformer.perspectives.order, side_to_move) {
            (Order::WhiteFirst, _) | (_, Color::White) => [white, black],
            (Order::StmFirst | Order::Interleaved, Color::Black) => [black, white],
        }
    }
}

/// The transformer's output and those of all layers.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensors {
    /// What the layers see of the accumulators.
    pub transformer: Values,
    /// One per layer.
    pub layers: Vec<Values>,
}

impl Tensors {
    fn of(&self, source: Source) -> &Values {
        match source {
            Source::Transformer => &self.transformer,
            Source::Layer(index) => &self.layers[index],
        }
    }
}
