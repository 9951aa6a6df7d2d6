//! `nnue describe`: a checked network as data for other programs.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use nnue_compiler::description::Description;

use crate::Failure;
use crate::inputs::{SpecArgument, write_json};

#[derive(Args, Debug)]
#[command(after_help = "Example: nnue describe small128 > small128.json")]
pub(crate) struct Describe {
    #[command(flatten)]
    spec: SpecArgument,
}

impl Describe {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let network = self.spec.network()?;
        write_json(&Description::of(&network), out)?;
        Ok(ExitCode::SUCCESS)
    }
}
