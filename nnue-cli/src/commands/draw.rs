//! `nnue draw`: a network as a picture.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::Failure;
use crate::drawing;
use crate::inputs::SpecFile;

#[derive(Args, Debug)]
#[command(after_help = "Example: nnue draw specs/sfnnv9.toml --out sfnnv9.svg")]
pub(crate) struct Draw {
    #[command(flatten)]
    spec: SpecFile,
    /// The SVG file to write, instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Draw {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let picture = drawing::svg(&self.spec.network()?);
        match &self.out {
            None => write!(out, "{picture}")?,
            Some(path) => fs::write(path, picture).map_err(|error| {
                Failure::Work(format!("cannot write `{}`: {error}", path.display()))
            })?,
        }
        Ok(ExitCode::SUCCESS)
    }
}
