//! The subcommands.

mod adopt;
mod bench;
mod capi;
mod check;
mod completions;
mod convert;
mod data;
mod describe;
mod diff;
mod draw;
mod eval;
mod expand;
#[cfg(unix)]
mod guard;
mod help;
mod info;
mod loops;
mod matches;
mod onnx;
mod plan;
mod quantise;
mod reorder;
mod report;
mod schema;
mod spec;
mod trainer;
mod verify;

use std::io::Write;
use std::process::ExitCode;

use clap::Subcommand;

use crate::Failure;

pub(crate) use self::help::grouped;

/// The subcommand that the user chose.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compile specs, and measure how fast they are beside each other
    Bench(bench::Bench),
    /// Show what a spec means, or all that is wrong with it
    Check(check::Check),
    /// Print the checked network as JSON, for other programs
    Describe(describe::Describe),
    /// Show what a net file is, and what its weights prove
    Info(info::InfoCommand),
    /// Find the specs that fit a net file without a header
    Adopt(adopt::Adopt),
    /// Write the spec of a net file that is recognised
    Spec(spec::SpecCommand),
    /// Print the JSON Schema of specs or run files, for editors
    Schema(schema::Schema),
    /// Compare two net files: their tensors, and their evaluations
    Diff(diff::Diff),
    /// Write a net in the form that another spec of its network has
    Convert(convert::Convert),
    /// Make integers of floating point, and report what is lost
    Quantise(quantise::QuantiseCommand),
    /// Read positions to train on: formats, filters, batches
    Data(data::Data),
    /// Compare what a net says of positions with golden vectors
    Verify(verify::Verify),
    /// Show how each instruction set computes a network
    Plan(plan::Plan),
    /// Print the Rust that `nnue_net!` generates
    Expand(expand::Expand),
    /// Evaluate positions, and show what each piece contributes
    Eval(eval::Eval),
    /// Make a net faster, by the order of its neurons
    Reorder(reorder::Reorder),
    /// Draw a network, or the weights of a net
    Draw(draw::Draw),
    /// Write a net as an ONNX model
    Onnx(onnx::Onnx),
    /// Make a library for C and C++ of a network
    Capi(capi::Capi),
    /// Print a program that trains a network with bullet
    Trainer(trainer::Trainer),
    /// Show all of a net on one HTML page
    Report(report::Report),
    /// Go from a spec to a net whose strength is known
    Loop(loops::LoopCommand),
    /// Play games between two engines or two nets, for Elo or SPRT
    Match(Box<matches::MatchCommand>),
    /// Run a command that ends with another process; `nnue loop` runs its stages so
    #[cfg(unix)]
    #[command(hide = true)]
    Guard(guard::GuardCommand),
    /// Print what a shell needs to complete this program's arguments
    Completions(completions::Completions),
    /// Print what a subcommand does, and its options
    Help(help::Help),
}

impl Command {
    /// Runs the subcommand, and returns the exit code.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the work cannot be done, or `out` accepts no more bytes.
    pub(crate) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        match self {
            Command::Bench(command) => command.run(out),
            Command::Check(command) => command.run(out),
            Command::Describe(command) => command.run(out),
            Command::Info(command) => command.run(out),
            Command::Adopt(command) => command.run(out),
            Command::Spec(command) => command.run(out),
            Command::Schema(command) => command.run(out),
            Command::Diff(command) => command.run(out),
            Command::Convert(command) => command.run(out),
            Command::Quantise(command) => command.run(out),
            Command::Data(command) => command.run(out),
            Command::Verify(command) => command.run(out),
            Command::Plan(command) => command.run(out),
            Command::Expand(command) => command.run(out),
            Command::Eval(command) => command.run(out),
            Command::Reorder(command) => command.run(out),
            Command::Draw(command) => command.run(out),
            Command::Onnx(command) => command.run(out),
            Command::Capi(command) => command.run(out),
            Command::Trainer(command) => command.run(out),
            Command::Report(command) => command.run(out),
            Command::Loop(command) => command.run(out),
            Command::Match(command) => command.run(out),
            #[cfg(unix)]
            Command::Guard(command) => command.run(),
            Command::Completions(command) => command.run(out),
            Command::Help(command) => command.run(out),
        }
    }
}
