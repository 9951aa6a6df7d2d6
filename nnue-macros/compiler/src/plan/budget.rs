//! How much code a network may become: a Rust compiler needs ever more time and memory for it.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Mul};

use super::Plan;
use super::unroll::Unroll;
use crate::layout::Layout;
use crate::network::{Layer, Network};

/// What rustc has to do with `opt-level = 3`, in microseconds of a core. It was measured on layers
/// of 256 to 2048 outputs with rustc 1.95, and is right to a factor of two: what counts is that it
/// grows as rustc's work does, and is the same on every machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Work(u64);

impl Work {
    pub(super) const NONE: Work = Work(0);

    /// The work for operations in the body of a loop.
    pub(super) fn in_loop(operations: usize) -> Work {
        Work(750) * operations
    }

    /// The work for operations in straight-line code, which are all in one long block.
    pub(super) fn straight(operations: usize) -> Work {
        Work(2500) * operations
    }

    /// The work for operations in straight-line code that are calls.
    pub(super) fn called(operations: usize) -> Work {
        Work(500) * operations
    }
}

impl Add for Work {
    type Output = Work;

    fn add(self, other: Work) -> Work {
        Work(self.0.saturating_add(other.0))
    }
}

impl Mul<usize> for Work {
    type Output = Work;

    fn mul(self, times: usize) -> Work {
        Work(self.0.saturating_mul(times as u64))
    }
}

impl Sum for Work {
    fn sum<I: Iterator<Item = Work>>(all: I) -> Work {
        all.fold(Work::NONE, Add::add)
    }
}

/// The work in whole seconds, rounded up.
impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} s", self.0.div_ceil(1_000_000))
    }
}

/// The most work that a network may be, for all instruction sets of an architecture together. The
/// known networks take some seconds, and as straight-line code up to half of a minute.
const MOST: Work = Work(100_000_000);

/// The error about a network that becomes too much code.
#[derive(Clone, PartialEq, Eq)]
pub struct TooMuchCode {
    unroll: Unroll,
    /// The work for all instruction sets of an architecture together.
    work: Work,
    /// The layer that has most of it: its index, its name, and its work.
    largest: Option<(usize, String, Work)>,
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
        let of_layer = |plans: &[&Plan<'_>], index: usize| -> Work {
            let works = plans.iter().map(|plan| plan.layers[index].work(plan.isa));
            works.sum()
        };
        let of_layers = |plans: Vec<&Plan<'_>>| -> (Work, Vec<Work>) {
            let layers = 0..network.layers.len();
            let layers: Vec<Work> = layers.map(|index| of_layer(&plans, index)).collect();
            let terms = Work::straight(terms(network)) * plans.len();
            (layers.iter().copied().sum::<Work>() + terms, layers)
        };
        let architectures = levels.iter().map(|plan| plan.isa.target_arch);
        let most = architectures
            .map(|arch| of_layers(of_architecture(arch)))
            .max_by_key(|(work, _)| *work);
        match most {
            Some((work, layers)) if work > MOST => {
                let layers = layers.into_iter().zip(&network.layers).enumerate();
                let largest = layers.max_by_key(|(_, (work, _))| *work);
                let named = |(index, (work, layer)): (usize, (Work, &Layer))| {
                    (index, layer.name.clone(), work)
                };
                Err(TooMuchCode {
                    unroll,
                    work,
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

    /// The help of an error: how to need less code.
    pub fn help(&self) -> &'static str {
        match self.unroll {
            Unroll::Full => "leave it out, and large layers become loops",
            Unroll::Auto => "give layers fewer outputs, or the network fewer layers",
        }
    }

    /// The message of an error: the time that was found, and the time that is allowed.
    pub fn problem(&self) -> String {
        let cause = match self.unroll {
            Unroll::Full => "`unroll = \"full\"` makes of this network",
            Unroll::Auto => "this network becomes",
        };
        let largest = self
            .largest
            .as_ref()
            .map(|(_, name, work)| format!(", most of it for layer `{name}`, {work}"));
        format!(
            "{cause} code for which a Rust compiler needs about {}{}; allowed are {MOST}",
            self.work,
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
