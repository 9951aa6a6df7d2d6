//! The options that name positions.

use std::path::{Path, PathBuf};

use clap::Args;
use nnue_runtime::Board;
use nnue_tools::nets::positions::{Positions, source};
use nnue_trace::Trace;

use crate::Failure;

/// The option that names a list of positions.
#[derive(Args, Debug)]
pub(crate) struct PositionFile {
    /// Take the positions of this file, one FEN, EPD or `startpos` a line; `-` reads standard input.
    /// Blank lines and lines that begin with `#` are skipped
    #[arg(long, value_name = "FILE")]
    fens: Option<PathBuf>,
}

impl PositionFile {
    /// The path of the list, if the option is given.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.fens.as_deref()
    }

    /// The list, if the option is given.
    pub(crate) fn open(&self) -> Result<Option<Positions>, Failure> {
        Ok(self.fens.as_deref().map(Positions::open).transpose()?)
    }

    /// The origin of the list for messages, if the option is given.
    pub(crate) fn source(&self) -> Option<String> {
        self.fens.as_deref().map(source)
    }
}

/// Positions of a file, or some of a search that is part of the program.
#[derive(Args, Debug)]
pub(crate) struct SampledPositions {
    #[command(flatten)]
    file: PositionFile,
}

impl SampledPositions {
    /// The positions, at least one. Of the search that is built in, every `every`th position is
    /// used.
    pub(crate) fn read(&self, every: usize) -> Result<Vec<Board>, Failure> {
        if let Some(positions) = self.file.open()? {
            let given = positions.all()?;
            return Ok(given.into_iter().map(|given| given.board).collect());
        }
        let trace = Trace::bundled().map_err(Failure::work)?;
        Ok(trace.evaluated().step_by(every).cloned().collect())
    }

    /// The path of the file, if the option is given.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.file.path()
    }

    /// Whether the positions are those of a file.
    pub(crate) fn are_given(&self) -> bool {
        self.file.source().is_some()
    }

    /// The origin of the positions, as words that follow "of".
    pub(crate) fn source(&self) -> String {
        self.file.source().unwrap_or("a search".to_string())
    }
}
