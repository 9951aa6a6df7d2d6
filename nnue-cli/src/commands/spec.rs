//! `nnue spec`: the spec of a net file whose network is recognised.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use nnue_tools::files::Output;
use nnue_tools::nets::net_file::{Recognised, read_net};

use crate::Failure;
use crate::inputs::{NetArgument, check_outputs};

#[derive(Args, Debug)]
#[command(after_help = "Example: nnue spec my-net.nnue --out my-net.toml")]
pub(crate) struct SpecCommand {
    #[command(flatten)]
    net: NetArgument,
    /// Write the spec to this file, not to standard output; a file that is there is not overwritten
    #[arg(long, value_name = "SPEC")]
    out: Option<PathBuf>,
    /// What the spec calls a network that has no name yet
    #[arg(long, default_value = "my-net")]
    name: String,
}

impl SpecCommand {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let path = self.net.path()?;
        check_outputs([Some(path)], self.out.as_deref())?;
        let spec = Recognised::of(path, &read_net(path, None)?, &self.name)?.spec;
        match &self.out {
            None => write!(out, "{spec}")?,
            Some(path) => {
                let mut file = Output::create_new(path)?;
                file.add(spec.as_bytes())?;
                file.finish()?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
