//! `nnue data`: positions to train on.

mod batches;
mod selection;

use std::io::Write;
use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::Failure;

/// `nnue data`.
#[derive(Args, Debug)]
pub(crate) struct Data {
    #[command(subcommand)]
    command: DataCommand,
}

#[derive(Debug, Subcommand)]
enum DataCommand {
    /// Write positions as the rows that they switch on in a network, for a trainer
    Batches(batches::Batches),
}

impl Data {
    pub(super) fn run(&self, _out: &mut dyn Write) -> Result<ExitCode, Failure> {
        match &self.command {
            DataCommand::Batches(command) => command.run(),
        }
    }
}
