//! Bounds that weights prove, for networks that are known only at run time. The formulas are in the
//! runtime.

use nnue_compiler::network::{Layer, Network, Sums, WeightType};
use nnue_interpreter::{Values, Weights};
use nnue_runtime::__private::proof::{self, Proofs};
use nnue_runtime::__private::report::accumulator_bound;
use nnue_runtime::AccumulatorBound;
use serde::Serialize;

use crate::data::feature_sets;

/// The range that the sums of a layer cannot leave, biases included, over all stacks.
#[derive(Debug, Serialize)]
pub struct LayerBound {
    /// The name of the layer.
    pub name: String,
    /// A lower bound of all sums of the layer.
    pub lowest: i64,
    /// An upper bound of all sums of the layer.
    pub highest: i64,
    /// The distance from the ends of 32 bits; negative if a bound is outside.
    pub margin: i64,
}

/// The widest bound of the accumulators, over separate weights of white and black.
pub fn accumulator(network: &Network, weights: &Weights) -> AccumulatorBound {
    let sets = feature_sets(network);
    let bounds = weights.transformer.iter();
    let bounds = bounds.map(|own| accumulator_bound(&own.biases, &own.rows, &sets));
    let widest = bounds.reduce(|one, other| AccumulatorBound {
        features: one.features,
        lowest: one.lowest.min(other.lowest),
        highest: one.highest.max(other.highest),
    });
    widest.unwrap_or(AccumulatorBound {
        features: 0,
        lowest: 0,
        highest: 0,
    })
}

/// The bounds of all layers whose sums can wrap around in 32 bits.
pub fn layers(network: &Network, weights: &Weights) -> Vec<LayerBound> {
    let layers = network.layers.iter().enumerate();
    let bounds = layers.filter_map(|(index, layer)| {
        let mut proofs = Proofs::new();
        for stack in &weights.stacks {
            let own = stack.get(index)?.as_ref()?;
            include(&mut proofs, network, layer, own)?;
        }
        let proof = proofs.into_layers().into_iter().next()?;
        Some(LayerBound {
            name: layer.name.clone(),
            lowest: proof.lowest,
            highest: proof.highest,
            margin: proof.margin(),
        })
    });
    bounds.collect()
}

/// Adds the sums that the weights of a stack can reach; `None` for layers without sums of 32 bits.
fn include(
    proofs: &mut Proofs,
    network: &Network,
    layer: &Layer,
    weights: &nnue_interpreter::LayerWeights,
) -> Option<()> {
    let affine = layer.affine()?;
    // Sums of signs cannot overflow, floating point does not wrap around, and 64 bits are enough.
    let Values::Integers(matrix) = &weights.weights else {
        return None;
    };
    if affine.weights == WeightType::Binary || affine.sums == Sums::I64 {
        return None;
    }
    let biases = match &weights.biases {
        // These biases are added after the sums are converted, so they do not count.
        Values::Floats(biases) => vec![0; biases.len()],
        Values::Integers(biases) => biases.iter().map(|bias| *bias as i32).collect(),
    };
    let (lowest, highest) = network.input_range(layer);
    let facts = proof::Layer {
        name: "",
        index: 0,
        inputs: lowest..=highest,
    };
    let inputs = layer.input_len();
    let matrix = matrix.iter().enumerate();
    proofs.sums(
        &facts,
        &biases,
        matrix.map(|(at, weight)| (at / inputs, *weight)),
    );
    Some(())
}
