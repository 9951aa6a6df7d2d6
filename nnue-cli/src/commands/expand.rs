//! `nnue expand`: the Rust that the macro generates.

use std::env::consts::ARCH;
use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use nnue_compiler::Levels;
use nnue_compiler::format::foreign;
use nnue_tools::export::rust::{Shown, generated};

use crate::Failure;
use crate::inputs::{Kernels, SpecArgument};

#[derive(Args, Debug)]
#[command(after_help = "Example: nnue expand small128 --level avx512icl")]
pub(crate) struct Expand {
    #[command(flatten)]
    spec: SpecArgument,
    #[command(flatten)]
    kernels: Kernels,
    /// Show the kernels of all architectures; without it, what the macro generates on this one
    #[arg(long, conflicts_with = "level")]
    all: bool,
}

impl Expand {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let spec = self.spec.choice()?;
        let shown = match &self.kernels.level {
            Some(level) => Shown::Level(level),
            None if self.all => Shown::All(Levels::All),
            None => Shown::All(Levels::Of(ARCH)),
        };
        let all = if self.all { " --all" } else { "" };
        let command = format!("nnue expand {}{all}{}", foreign(spec), self.kernels);
        let network = spec.network()?;
        let code = generated(&network, self.kernels.unroll, shown, &command);
        write!(out, "{}", code.map_err(Failure::work)?)?;
        Ok(ExitCode::SUCCESS)
    }
}
