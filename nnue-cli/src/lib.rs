//! The command `nnue`, one file of `commands/` for each of its subcommands.
//!
//! This crate has arguments, rendering and exit codes. The work of the subcommands is in
//! `nnue_tools`, a module for each subject. Modules beside `commands` have what several subcommands
//! need to read arguments or to write.
//!
//! Exit codes: 0 if all went well, 1 if the work could not be done or found a difference, 2 if the
//! arguments are wrong.

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests make the files that the code reads, and read what it writes"
    )
)]

mod commands;
mod failure;
mod heading;
mod inputs;
mod json;
mod progress;
mod style;
mod table;

use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser};
use nnue_compiler::format::is_hidden;

use crate::commands::{Command, grouped};
use crate::failure::{Failure, StandardOutput, plain};

/// NNUE networks: what they are, what they cost, and what is in their files.
#[derive(Debug, Parser)]
#[command(name = "nnue", version, propagate_version = true, max_term_width = 100)]
#[command(disable_help_subcommand = true)]
struct Arguments {
    /// The subcommand with its own arguments.
    #[command(subcommand)]
    command: Command,
}

/// The whole program, from its arguments to its exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    nnue_tools::files::protect_inputs();
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let is_odd = arguments
        .iter()
        .any(|text| text.to_string_lossy().contains(is_hidden));
    let parsed = grouped(Arguments::command()).try_get_matches_from(arguments);
    let parsed = parsed.and_then(|matches| Arguments::from_arg_matches(&matches));
    let arguments = match parsed {
        Ok(arguments) => arguments,
        // Help and version are errors of clap too, and are written to standard output.
        Err(message) => {
            let code = message.exit_code();
            // If standard error is closed, the message is lost. Names of files that a shell fills
            // in may have characters that a terminal would obey; then the message has no colours.
            let _ = if is_odd && message.use_stderr() {
                write!(std::io::stderr(), "{}", plain(&message.to_string()))
            } else {
                message.print()
            };
            return ExitCode::from(code as u8);
        }
    };
    let mut out = StandardOutput(std::io::BufWriter::new(anstream::stdout().lock()));
    let result = arguments.command.run(&mut out);
    let result = result.and_then(|code| {
        out.flush()?;
        Ok(code)
    });
    match result {
        Ok(code) => code,
        // A reader that ends early, such as `head`, is no error.
        Err(Failure::Output(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => {
            // The results before the failure are worth reading.
            let _ = out.flush();
            let _ = writeln!(anstream::stderr(), "{failure}");
            match failure {
                Failure::Arguments(_) => ExitCode::from(2),
                _ => ExitCode::FAILURE,
            }
        }
    }
}
