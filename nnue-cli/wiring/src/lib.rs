//! A check of generated code: that each weight is where it belongs, and that layers compute what
//! the spec says. [`check`] runs it for a network that is compiled with `check = "wiring"`, on every
//! level of this machine, with weights that the check makes itself; so it needs no net file.
//!
//! # Why this is a proof, and of what
//!
//! An affine layer of integers computes, modulo 2^32, a linear function of its inputs plus a
//! constant, because every kernel only multiplies inputs by weights and adds the products. Such a
//! function is known completely when its value is known for no input and for each single input. So
//! the check gives a layer zeros, and then one input after the other that is not zero, and compares
//! all outputs. What an input contributes to an output is then exactly the number that the kernel
//! has taken for their weight.
//!
//! This number must tell which weight it is. Every weight has a code of its own, of 32 bits, and
//! weights are filled with digits of their codes until all digits had their turn: four times for
//! weights of 8 bits. If the kernel took another weight, another bucket or a number of padding, at
//! least one of these comparisons fails. Inputs have the smallest value that is not zero, the
//! largest and the smallest. Kernels that skip zeros, and kernels whose products are exact only
//! for some weights, are run with weights of both kinds, with random inputs and with the extremes
//! of all of them.
//!
//! Each layer is driven alone: the values of the layers before it are replaced before it reads
//! them. The first layers are driven through accumulators. Padding gets other numbers than zero.
//!
//! The rows of the transformer are sums too: every row is added and removed alone, and in each of
//! the numbers of rows for which there is a function of its own.
//!
//! Functions of single values are compared for each integer for which they are not constant, in
//! every place of a vector, and for the ends of 32 bits. Activations of the transformer are
//! compared for all values and all pairs, but they are seen only in the sums of a layer.
//!
//! [`Checked::unproved`] lists what remains.

mod driver;
mod inputs;
mod layers;
mod output;
mod transformer;
mod weights;

use std::fmt;
use std::process::ExitCode;

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
pub use nnue_runtime::__private::probe::Probed;
use nnue_runtime::Level;
use serde::{Deserialize, Serialize};

use crate::layers::{Layers, Part};

/// What was compared, and nothing was wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    /// The name of the network.
    pub network: String,
    /// The levels whose code was run.
    pub levels: Vec<String>,
    /// How many layers the network has behind the transformer.
    pub layers: usize,
    /// How many numbers the network has: weights, biases and factors, each of which was told from
    /// all others.
    pub weights: u64,
    /// How many forward passes and sums of rows were compared, over all levels.
    pub comparisons: u64,
    /// What was compared for examples and not for all values, and what was not compared.
    pub unproved: Vec<String>,
}

/// A value that is not what the spec says.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Mismatch {
    /// The name of the network.
    pub network: &'static str,
    /// The level whose code computed the value.
    pub level: Level,
    /// The layer, or the part of the transformer or of the output.
    pub part: String,
    /// The bucket.
    pub bucket: usize,
    /// The index of the value among those of the layer.
    pub output: usize,
    /// What the layer was given.
    pub input: String,
    /// The value that the code computed.
    pub found: f64,
    /// The value that the formulas of the spec give.
    pub expected: f64,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mismatch {
            network,
            level,
            part,
            bucket,
            output,
            input,
            found,
            expected,
        } = self;
        write!(
            f,
            "{network} on `{level}`: value {output} of `{part}` in bucket {bucket} is {found}, expected {expected}, with {input}"
        )
    }
}

impl std::error::Error for Mismatch {}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Checked {
            network,
            levels,
            layers,
            weights,
            comparisons,
            unproved,
        } = self;
        let levels = levels.len();
        write!(
            f,
            "{network}: {layers} layers and {weights} weights on {levels} levels, {comparisons} comparisons"
        )?;
        unproved
            .iter()
            .try_for_each(|part| write!(f, "\nnot proved: {part}"))
    }
}

/// The progress of a check.
struct Progress {
    comparisons: u64,
    unproved: Vec<String>,
}

impl Progress {
    /// Notes something that is not proved, once.
    fn unproved(&mut self, part: String) {
        if !self.unproved.contains(&part) {
            self.unproved.push(part);
        }
    }
}

/// Checks the code of a network on all levels of this machine.
///
/// # Errors
///
/// The first value that is not what the formulas of the spec give.
pub fn check<A: Probed>() -> Result<Checked, Mismatch> {
    let network = analyse(&SourceFile::new(A::NAME, A::SPEC));
    let network = network.unwrap_or_else(|errors| {
        unreachable!("the spec of `{}` was compiled: {errors}", A::NAME);
    });
    let levels: Vec<Level> = Level::available().collect();
    let mut progress = Progress {
        comparisons: 0,
        unproved: Vec::new(),
    };
    let mut layers = Layers::<A>::new(&network);
    for part in [Part::Weights, Part::Functions] {
        // The best level first: it is the one that is used.
        for level in levels.iter().rev() {
            layers.check(*level, part, &mut progress)?;
        }
        if part == Part::Weights {
            transformer::check::<A>(&network, &levels, &mut progress)?;
        }
    }
    for part in [
        "how net files are read: the check fills memory by the layout that the loader uses",
        "primitives of the levels for values that the check does not reach",
    ] {
        progress.unproved(part.into());
    }
    Ok(Checked {
        network: network.name.clone(),
        levels: levels.iter().map(Level::to_string).collect(),
        layers: network.layers.len(),
        weights: transformer::weights(&network) + layers.weights(),
        comparisons: progress.comparisons,
        unproved: progress.unproved,
    })
}

/// What [`report`] prints: what was compared, or the message of a [`Mismatch`].
pub type Report = Result<Checked, String>;

/// The whole program that `nnue verify --wiring` compiles: it checks the code of a network, and
/// prints the [`Report`] as JSON.
pub fn report<A: Probed>() -> ExitCode {
    let report: Report = check::<A>().map_err(|mismatch| mismatch.to_string());
    match serde_json::to_string(&report) {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
