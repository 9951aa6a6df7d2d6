//! `nnue data`: positions to train on.

mod batches;
mod convert;
mod info;
mod selection;

use std::io::Write;
use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::Failure;

const EXAMPLE: &str = "\
Example: nnue data info games.txt.gz";

/// `nnue data`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Data {
    #[command(subcommand)]
    command: DataCommand,
}

#[derive(Debug, Subcommand)]
enum DataCommand {
    /// Show what positions are: how many, their scores, how their games ended
    Info(info::Info),
    /// Write positions as the rows that they switch on in a network, for a trainer
    Batches(batches::Batches),
    /// Write positions in another format, or in shuffled shards
    Convert(convert::Convert),
}

impl Data {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        match &self.command {
            DataCommand::Info(command) => command.run(out),
            DataCommand::Batches(command) => command.run(),
            DataCommand::Convert(command) => command.run(out),
        }
    }
}
