//! The reference evaluator: what a checked network computes, in plain loops.
//!
//! It is written from the documentation of [`nnue_compiler::network`], value by value in the order of the spec, and shares
//! nothing with the code that is generated: no layout in memory, no padding, no instruction sets, no incremental updates.

mod features;
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

/// Both perspectives' sums: white's, then black's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accumulators {
    /// A value per neuron, in the order of the spec.
    pub values: [Vec<i16>; 2],
    /// A value per PSQT bucket.
    pub psqt: [Vec<i32>; 2],
}

impl<'a> Reference<'a> {
    /// Weights must be those of the network.
    #[must_use]
    pub fn new(network: &'a Network, weights: &'a Weights) -> Reference<'a> {
        Reference { network, weights }
    }

    /// The rows that a position switches on for a perspective.
    #[must_use]
    pub fn active_rows(&self, position: &impl Position, perspective: Color) -> Vec<usize> {
        features::active_rows(self.network, position, perspective)
    }

    /// The sums over the rows that a position switches on.
    #[must_use]
    pub fn accumulators(&self, position: &impl Position) -> Accumulators {
        let [white, black] = Color::ALL.map(|perspective| {
            let rows = self.active_rows(position, perspective);
            transformer::accumulate(
                self.network,
                self.weights.transformer(perspective.index()),
                &rows,
            )
        });
        Accumulators {
            values: [white.0, black.0],
            psqt: [white.1, black.1],
        }
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
        let sums = self
            .perspectives(side_to_move)
            .into_iter()
            .map(|perspective| {
                let values = &accumulators.psqt[perspective.index()];
                // A single value serves all buckets.
                let value = values.get(bucket).or(values.first());
                value.copied().unwrap_or(0)
            });
        let psqt = match sums.collect::<Vec<i32>>().as_slice() {
            [first, second] => first.wrapping_sub(*second) / 2,
            sums => sums.iter().sum(),
        };
        output::evaluate(self.network, &tensors.layers, psqt)
    }

    /// Whose views the layers see, in their order.
    fn perspectives(&self, side_to_move: Color) -> Vec<Color> {
        let perspectives = &self.network.transformer.perspectives;
        let first = match perspectives.order {
            Order::StmFirst | Order::Interleaved => side_to_move,
            Order::WhiteFirst => Color::White,
        };
        let both = [first, !first];
        both[..perspectives.count].to_vec()
    }

    /// Every tensor on the way.
    #[must_use]
    pub fn tensors(
        &self,
        accumulators: &Accumulators,
        side_to_move: Color,
        bucket: usize,
    ) -> Tensors {
        let perspectives = self.perspectives(side_to_move).into_iter();
        let perspectives: Vec<&[i16]> = perspectives
            .map(|perspective| accumulators.values[perspective.index()].as_slice())
            .collect();
        let transformer = transformer::output(&self.network.transformer, &perspectives);
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
