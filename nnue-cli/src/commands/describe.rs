//! `nnue describe`: a checked network as data for other programs.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;

use crate::Failure;
use crate::description::Description;
use crate::inputs::{SpecFile, write_json};

#[derive(Args, Debug)]
#[command(after_help = "Example: nnue describe small128 --json > small128.json")]
pub(crate) struct Describe {
    #[command(flatten)]
    spec: SpecFile,
    /// Print JSON, which is the only form that there is
    #[arg(long)]
    json: bool,
}

impl Describe {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let network = self.spec.network()?;
        write_json(&Description::of(&network), out)?;
        Ok(ExitCode::SUCCESS)
    }
}
