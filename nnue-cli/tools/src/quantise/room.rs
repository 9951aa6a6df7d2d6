//! The room of sums in their types, which limits how much larger a `one` can be.

use nnue_compiler::network::Network;
use nnue_interpreter::Weights;
use nnue_runtime::AccumulatorBound;

use super::edit::Part;
use crate::nets::info::{LayerBound, bounds};

/// The ranges of the sums in a network of integers.
pub(super) struct Room {
    accumulator: AccumulatorBound,
    layers: Vec<LayerBound>,
}

impl Room {
    pub(super) fn of(network: &Network, integers: &Weights) -> Room {
        Room {
            accumulator: bounds::accumulator(network, integers),
            layers: bounds::layers(network, integers),
        }
    }

    /// How many times larger a part's `one` can be, at least 1.
    pub(super) fn of_part(&self, network: &Network, part: Part) -> f64 {
        let (lowest, highest, least, most) = match part {
            Part::Transformer => {
                let bound = &self.accumulator;
                let (least, most) = (f64::from(i16::MIN), f64::from(i16::MAX));
                (
                    f64::from(bound.lowest),
                    f64::from(bound.highest),
                    least,
                    most,
                )
            }
            Part::Layer(layer) => {
                let name = &network.layers[layer].name;
                let Some(bound) = self.layers.iter().find(|bound| bound.name == *name) else {
                    // Sums of 64 bits have enough room.
                    return f64::INFINITY;
                };
                let (least, most) = (f64::from(i32::MIN), f64::from(i32::MAX));
                (bound.lowest as f64, bound.highest as f64, least, most)
            }
        };
        // Larger integers are rounded differently, by less than a half for each weight.
        let room = 0.99 * (least / lowest.min(-1.0)).min(most / highest.max(1.0));
        room.max(1.0)
    }
}
