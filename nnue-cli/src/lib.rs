//! The command `nnue`, one file of `commands/` for each of its subcommands.
//!
//! Arguments, rendering and exit codes: what a subcommand does is in libraries of its own, a crate for
//! each subject. What several subcommands need to read arguments or to write is in modules beside
//! `commands`.
//!
//! Exit codes: 0 if all went well, 1 if the work could not be done or found a difference, 2 if the
//! arguments are wrong.

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
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let is_odd = { arguments.iter() }.any(|text| text.to_string_lossy().contains(is_hidden));
    let parsed = grouped(Arguments::command()).try_get_matches_from(arguments);
    let parsed = parsed.and_then(|matches| Arguments::from_arg_matches(&matches));
    let arguments = match parsed {
        Ok(arguments) => arguments,
        // Help and version come this way too, and are written to standard output.
        Err(message) => {
            let code = message.exit_code();
            // There is nobody to tell that standard error is closed. Names of files, which a shell
            // fills in, may have what a terminal would obey; then there are no colours either.
            let _ = match is_odd && message.use_stderr() {
                true => write!(std::io::stderr(), "{}", plain(&message.to_string())),
                false => message.print(),
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
        // A reader that has seen enough, such as `head`, is no error.
        Err(Failure::Output(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => {
            // What was found before the failure is worth reading.
            let _ = out.flush();
            let _ = writeln!(anstream::stderr(), "{failure}");
            match failure {
                Failure::Arguments(_) => ExitCode::from(2),
                _ => ExitCode::FAILURE,
            }
        }
    }
}
