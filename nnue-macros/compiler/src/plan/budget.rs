//! How much straight-line code a network may become: a Rust compiler needs ever more time and
//! memory for it.

use std::fmt;

use super::Plan;
use super::unroll::Unroll;
use crate::layout::Layout;
use crate::network::{Layer, Network};

/// The largest number of vector operations in straight-line code that a network may have, for all
/// instruction sets of an architecture together.
const MOST_STEPS: usize = 160_000;

/// The error about a network that is too large to be written out as straight-line code.
#[derive(Clone, PartialEq, Eq)]
pub struct TooMuchCode {
    unroll: Unroll,
    /// The number of vector operations in straight-line code, for all instruction sets of an
    /// architecture together.
    steps: usize,
    /// The layer that has most of these operations: its index, its name, and the number of its
    /// operations.
    largest: Option<(usize, String, usize)>,
}

impl TooMuchCode {
    /// Counts the code that grows with the spec. The code for accumulators and the transform is
    /// loops, or is bounded by the largest width.
    pub(super) fn check(
        layout: &Layout<'_>,
        levels: &[Plan<'_>],
        unroll: Unroll,
    ) -> Result<(), TooMuchCode> {
        let network = layout.network;
        // A build compiles the instruction sets of one architecture, and the portable level.
        let of_architecture = |arch| -> Vec<&Plan<'_>> {
            let is_built =
                |plan: &&Plan<'_>| plan.isa.is_portable() || plan.isa.target_arch == arch;
            levels.iter().filter(is_built).collect()
        };
        let of_layer = |plans: &[&Plan<'_>], index: usize| -> usize {
            plans.iter().map(|plan| plan.layers[index].steps()).sum()
        };
        let of_layers = |plans: Vec<&Plan<'_>>| -> (usize, Vec<usize>) {
            let layers = 0..network.layers.len();
            let layers: Vec<usize> = layers.map(|index| of_layer(&plans, index)).collect();
            (
                layers.iter().sum::<usize>() + plans.len() * terms(network),
                layers,
            )
        };
        let architectures = levels.iter().map(|plan| plan.isa.target_arch);
        let most = architectures
            .map(|arch| of_layers(of_architecture(arch)))
            .max_by_key(|(steps, _)| *steps);
        match most {
            Some((steps, layers)) if steps > MOST_STEPS => {
                let layers = layers.into_iter().zip(&network.layers).enumerate();
                let largest = layers.max_by_key(|(_, (steps, _))| *steps);
                let named = |(index, (steps, layer)): (usize, (usize, &Layer))| {
                    (index, layer.name.clone(), steps)
                };
                Err(TooMuchCode {
                    unroll,
                    steps,
                    largest: largest.map(named),
                })
            }
            _ => Ok(()),
        }
    }

    /// The index of the layer that becomes the most code.
    pub fn layer(&self) -> Option<usize> {
        self.largest.as_ref().map(|(index, ..)| *index)
    }

    /// What the user can do about it, as the help of an error.
    pub fn help(&self) -> &'static str {
        match self.unroll {
            Unroll::Full => "leave it out, and large layers become loops",
            Unroll::Auto => "give layers fewer outputs, or the network fewer layers",
        }
    }

    /// What was found and what is allowed, as the message of an error.
    pub fn problem(&self) -> String {
        let cause = match self.unroll {
            Unroll::Full => "`unroll = \"full\"` makes of this network",
            Unroll::Auto => "this network becomes",
        };
        let largest = self
            .largest
            .as_ref()
            .map(|(_, name, steps)| format!(", of which layer `{name}` has the most, {steps}"));
        format!(
            "{cause} {} vector operations of straight-line code{}; allowed are {MOST_STEPS}",
            self.steps,
            largest.unwrap_or_default()
        )
    }
}

impl fmt::Display for TooMuchCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.problem(), self.help())
    }
}

nnue_format::debug_is_message!(TooMuchCode);

impl std::error::Error for TooMuchCode {}

/// The number of terms of the output and of further heads.
fn terms(network: &Network) -> usize {
    let output = &network.output;
    let further = output.further.iter().map(|further| &further.head);
    let heads = output.heads.iter().chain(further);
    heads.map(|head| head.terms.len()).sum()
}
