//! The search that a subcommand replays.

use std::path::{Path, PathBuf};

use clap::Args;
use nnue_compiler::format::foreign;
use nnue_tools::nets::net_file::LONGEST_NET;
use nnue_trace::Trace;

use crate::Failure;

/// A search that was recorded.
#[derive(Args, Debug)]
pub(crate) struct TraceFile {
    /// The trace of a search, text or gzip; without it, the search that is built in
    #[arg(value_name = "TRACE")]
    path: Option<PathBuf>,
}

impl TraceFile {
    /// The path of the trace, if the arguments name a file.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Reads the trace, and checks that it has evaluations.
    pub(crate) fn read(&self) -> Result<Trace, Failure> {
        read_trace(self.path())
    }
}

/// Reads a trace, the built-in one without a file, and checks that it has evaluations.
pub(crate) fn read_trace(path: Option<&Path>) -> Result<Trace, Failure> {
    let (name, trace) = match path {
        None => ("the built-in trace".into(), Trace::bundled()),
        Some(path) => {
            let name = format!("`{}`", foreign(path.display()));
            (
                name,
                Trace::read(&nnue_tools::files::read(path, LONGEST_NET)?),
            )
        }
    };
    let trace = trace.map_err(|error| Failure::Work(format!("{name}: {error}")))?;
    match trace.evaluations() {
        0 => Err(Failure::Work(format!(
            "{name}: found no evaluation, expected `=` at least once"
        ))),
        _ => Ok(trace),
    }
}
