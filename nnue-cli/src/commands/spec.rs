//! `nnue spec`: the spec of a net file that is recognised.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::Failure;
use crate::inputs::{NetArgument, unwritable};
use crate::net_file::{Recognised, read_net};

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
        let spec = Recognised::of(path, &read_net(path)?, &self.name)?.spec;
        match &self.out {
            None => write!(out, "{spec}")?,
            Some(path) => {
                let file = fs::File::create_new(path);
                file.and_then(|mut file| file.write_all(spec.as_bytes()))
                    .map_err(|error| match error.kind() {
                        ErrorKind::AlreadyExists => Failure::Work(format!(
                            "`{}` is there already: remove it, or name another file",
                            path.display()
                        )),
                        _ => unwritable(path, &error),
                    })?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
