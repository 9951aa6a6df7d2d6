//! The subcommands.

mod bench;
mod check;
mod completions;
mod convert;
mod data;
mod describe;
mod diff;
mod draw;
mod eval;
mod expand;
mod info;
#[cfg(not(feature = "compiled"))]
mod left_out;
mod match_engines;
mod onnx;
mod plan;
mod quantise;
#[cfg(feature = "compiled")]
mod reorder;
#[cfg(feature = "compiled")]
mod replay;
mod report;
mod spec;
mod trainer;
mod training_loop;
mod verify;

use std::io::Write;
use std::process::ExitCode;

use clap::Subcommand;

use crate::Failure;

#[cfg(not(feature = "compiled"))]
use self::left_out::{LeftOut as Reorder, LeftOut as Replay};
#[cfg(feature = "compiled")]
use self::{reorder::Reorder, replay::Replay};

/// What the program is asked to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Measure how fast networks are, beside each other, on a recorded search
    Bench(bench::Bench),
    /// Check a spec, and show the network: tensors, ones, ranges, hashes
    Check(check::Check),
    /// Print the checked network as JSON, for other programs
    Describe(describe::Describe),
    /// Show what a net file is: its network, its numbers, and what its weights prove
    Info(info::InfoCommand),
    /// Write the spec of a net file that is recognised
    Spec(spec::SpecCommand),
    /// Compare two net files: their tensors, and their evaluations
    Diff(diff::Diff),
    /// Write a net file in the form that another spec of the same network has
    Convert(convert::Convert),
    /// Make integers of a trainer's floating point, and report what is lost
    Quantise(quantise::QuantiseCommand),
    /// Positions to train on: their formats, and batches for a trainer
    Data(data::Data),
    /// Compare what a net says of positions with golden vectors
    Verify(verify::Verify),
    /// Show how each instruction set computes a network
    Plan(plan::Plan),
    /// Print the Rust that `nnue_net!` generates
    Expand(expand::Expand),
    /// Evaluate positions, and show what each piece and each bucket contributes
    Eval(eval::Eval),
    /// Measure how fast a network evaluates the positions of a search, on each level
    Replay(Replay),
    /// Put a net's neurons into an order in which layers skip more zeros
    Reorder(Reorder),
    /// Draw a network: a box for each operation, with arrows for what reads what
    Draw(draw::Draw),
    /// Write a network with its weights as an ONNX model
    Onnx(onnx::Onnx),
    /// Print a program that trains a network with bullet
    Trainer(trainer::Trainer),
    /// Show a net on one HTML page: its network, its weights, its tensors, warnings
    Report(report::Report),
    /// Go from a spec to a net whose strength is known: games, training, matches, a report
    Loop(training_loop::TrainingLoop),
    /// Play games between two engines, or two nets: Elo with its interval, and a sequential test
    Match(Box<match_engines::MatchEngines>),
    /// Run a command that ends with another process; `nnue loop` runs its stages so
    #[cfg(unix)]
    #[command(hide = true)]
    Guard(crate::training_loop::guard::Guard),
    /// Print what a shell needs to complete this program's arguments
    Completions(completions::Completions),
}

impl Command {
    /// Does it, and returns the exit code.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the work cannot be done or `out` takes nothing more.
    pub(crate) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        match self {
            Command::Bench(command) => command.run(out),
            Command::Check(command) => command.run(out),
            Command::Describe(command) => command.run(out),
            Command::Info(command) => command.run(out),
            Command::Spec(command) => command.run(out),
            Command::Diff(command) => command.run(out),
            Command::Convert(command) => command.run(out),
            Command::Quantise(command) => command.run(out),
            Command::Data(command) => command.run(out),
            Command::Verify(command) => command.run(out),
            Command::Plan(command) => command.run(out),
            Command::Expand(command) => command.run(out),
            Command::Eval(command) => command.run(out),
            Command::Replay(command) => command.run(out),
            Command::Reorder(command) => command.run(out),
            Command::Draw(command) => command.run(out),
            Command::Onnx(command) => command.run(out),
            Command::Trainer(command) => command.run(out),
            Command::Report(command) => command.run(out),
            Command::Loop(command) => command.run(out),
            Command::Match(command) => command.run(out),
            #[cfg(unix)]
            Command::Guard(command) => command.run(),
            Command::Completions(command) => command.run(out),
        }
    }
}
