//! The check of compiled networks by weights that tell where they are.

use std::process::Command;
use std::time::Instant;

use nnue_wiring::Report;
use serde::Serialize;

use crate::measure::workspace::Turn;
use crate::measure::{Error, ProgramError};
use crate::nets::specs::Spec;

/// What the check of a network's code has found.
#[derive(Clone, Debug, Serialize)]
pub struct Checked {
    /// The spec, as the user named it.
    pub spec: String,
    /// What was compared; nothing if a value is wrong.
    #[serde(flatten)]
    pub found: nnue_wiring::Checked,
    /// How long the check took, without compiling.
    pub seconds: f64,
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
        let report: serde_json::Result<Report> = serde_json::from_slice(&output.stdout);
        let (found, mismatch) = match report.map_err(|error| failed(error.to_string()))? {
            Ok(found) => (found, None),
            Err(mismatch) => (Default::default(), Some(mismatch)),
        };
        progress();
        Ok(Checked {
            spec: spec.choice.to_string(),
            found: nnue_wiring::Checked {
                network: spec.network.name.clone(),
                ..found
            },
            seconds,
            mismatch,
        })
    });
    checked.collect()
}
