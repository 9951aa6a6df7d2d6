//! `nnue loop`: from a spec to a net whose strength is known.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::Failure;
use crate::training_loop;

const EXAMPLE: &str = "\
Example: nnue loop examples/loops/first-net.toml";

const NOTES: &str = "\
The stages are: the example engine is built for the spec, and once more for the current net if the \
run file names one; the engine plays against itself; `nnue-train` trains and quantises a net; `nnue \
verify` compares it with what the trainer computed, interpreted and compiled; the new net plays \
against material and against the current net; a report shows all of it. Each stage is a command of \
its own, which the report shows.

A stage that is done is not done again, unless something that it reads or has left is no longer as it \
was, which a line says. The trainer goes on from its last checkpoint, and a match from its last pair \
of games. What a loop has started ends with it.";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLE, after_long_help = format!("{NOTES}\n\n{EXAMPLE}"))]
pub(crate) struct TrainingLoop {
    /// The run file: what is trained, on what, and what it plays
    #[arg(value_name = "RUN.toml")]
    run: PathBuf,
    /// The folder for all that it makes; without it, the run file's name with `.loop` in the
    /// working folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl TrainingLoop {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let folder = match &self.out {
            Some(folder) => folder.clone(),
            None => PathBuf::from(self.run.file_name().unwrap_or_default()).with_extension("loop"),
        };
        training_loop::run(&self.run, &folder, out)?;
        Ok(ExitCode::SUCCESS)
    }
}
