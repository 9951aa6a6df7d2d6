//! The positions over which a network's activations are looked at.

use std::path::Path;

use clap::Args;
use nnue_runtime::Board;
use nnue_trace::Trace;

use crate::Failure;
use crate::positions::PositionFile;

/// Positions of a file, or some of a search that is part of the program.
#[derive(Args, Debug)]
pub(crate) struct SampledPositions {
    #[command(flatten)]
    file: PositionFile,
}

impl SampledPositions {
    /// The positions, at least one; of those of the search that is built in, one out of `every`.
    pub(crate) fn read(&self, every: usize) -> Result<Vec<Board>, Failure> {
        if let Some(positions) = self.file.open()? {
            let given = positions.all()?;
            return Ok(given.into_iter().map(|given| given.board).collect());
        }
        let trace = Trace::bundled().map_err(Failure::work)?;
        Ok(trace.evaluated().step_by(every).cloned().collect())
    }

    /// The file, if one is named.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.file.path()
    }

    /// Whether they are those of a file.
    pub(crate) fn are_given(&self) -> bool {
        self.file.source().is_some()
    }

    /// Where they come from, as words that follow "of".
    pub(crate) fn source(&self) -> String {
        self.file.source().unwrap_or("a search".to_string())
    }
}
