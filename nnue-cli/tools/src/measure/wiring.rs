//! The check of compiled networks by weights that tell where they are.

use std::process::Command;
use std::time::Instant;

use nnue_trace::Wiring;
use serde::Serialize;

use crate::measure::workspace::Turn;
use crate::measure::{Error, ProgramError};
use crate::nets::specs::Spec;

/// What the check of a network's code has found.
#[derive(Clone, Debug, Serialize)]
pub struct Checked {
    /// The spec, as the user named it.
    pub spec: String,
    /// The name of the network.
    pub network: String,
    /// The instruction sets whose code was run.
    pub levels: Vec<String>,
    /// The number of layers behind the transformer.
    pub layers: u64,
    /// The number of weights, biases and factors that were told from one another.
    pub weights: u64,
    /// The number of comparisons, over all instruction sets.
    pub comparisons: u64,
    /// How long the check took, without compiling.
    pub seconds: f64,
    /// What is not proved.
    pub unproved: Vec<String>,
    /// The first value that is wrong, if one is.
    pub mismatch: Option<String>,
}

/// Compiles the networks of specs, and checks the code of each. `progress` is called for each.
///
/// # Errors
///
/// A network cannot be compiled, or its program fails.
pub fn check_wiring(
    turn: &Turn<'_>,
    specs: &[Spec],
    progress: &dyn Fn(),
) -> Result<Vec<Checked>, Error> {
    let programs = turn.build_checks(specs)?;
    let checked = specs.iter().zip(programs).map(|(spec, program)| {
        let failed = |words: ProgramError| Error::Compiler {
            spec: spec.choice.to_string(),
            words,
        };
        let program = program.map_err(failed)?;
        let start = Instant::now();
        let output = Command::new(&program).output().map_err(Error::NoCheck)?;
        let seconds = start.elapsed().as_secs_f64();
        let failed = |words: String| Error::Check {
            spec: spec.choice.to_string(),
            words: words.into(),
        };
        if !output.status.success() {
            return Err(failed(
                String::from_utf8_lossy(&output.stderr).trim_end().into(),
            ));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let wiring: Wiring = text.parse().map_err(failed)?;
        progress();
        Ok(Checked {
            spec: spec.choice.to_string(),
            network: spec.network.name.clone(),
            levels: wiring.levels,
            layers: wiring.layers,
            weights: wiring.weights,
            comparisons: wiring.comparisons,
            seconds,
            unproved: wiring.unproved,
            mismatch: wiring.mismatch,
        })
    });
    checked.collect()
}
