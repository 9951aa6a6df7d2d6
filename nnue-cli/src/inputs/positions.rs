//! The positions over which a network's activations are looked at.

use std::path::PathBuf;

use clap::Args;
use nnue_runtime::Board;
use nnue_trace::Trace;

use crate::Failure;
use crate::positions;

/// Positions of a file, or some of a search that is part of the program.
#[derive(Args, Debug)]
pub(crate) struct Positions {
    /// Look at the positions of this file, FEN or EPD, one a line; without it, at some of a search
    /// that is built in
    #[arg(long, value_name = "FILE")]
    fens: Option<PathBuf>,
}

impl Positions {
    /// The positions, at least one; of those of the search that is built in, one out of `every`.
    pub(crate) fn read(&self, every: usize) -> Result<Vec<Board>, Failure> {
        if let Some(path) = &self.fens {
            let given = positions::read(Some(path))?;
            return Ok(given.into_iter().map(|given| given.board).collect());
        }
        let trace = Trace::bundled().map_err(Failure::work)?;
        Ok(trace.evaluated().step_by(every).cloned().collect())
    }

    /// Whether they are those of a file.
    pub(crate) fn are_given(&self) -> bool {
        self.fens.is_some()
    }

    /// Where they come from, as words that follow "of".
    pub(crate) fn source(&self) -> String {
        match &self.fens {
            Some(path) => format!("`{}`", path.display()),
            None => "a search".to_string(),
        }
    }
}
