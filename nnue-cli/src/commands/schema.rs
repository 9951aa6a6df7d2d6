//! `nnue schema`: what editors need to know of specs and of run files.

use std::io::Write;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use nnue_compiler::schema::schema;
use nnue_tools::loops::run_schema;

use crate::Failure;

#[derive(Args, Debug)]
#[command(after_help = "Example: nnue schema > spec.schema.json

A file names its schema in its first line: `#:schema spec.schema.json`. docs/editors.md says how \
editors use it.")]
pub(crate) struct Schema {
    /// Which files it is about: specs, or run files of `nnue loop` and `nnue-train`
    #[arg(value_enum, default_value = "spec")]
    of: Files,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Files {
    Spec,
    Run,
}

impl Schema {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let schema = match self.of {
            Files::Spec => schema(),
            Files::Run => run_schema(),
        };
        write!(out, "{schema}")?;
        Ok(ExitCode::SUCCESS)
    }
}
