//! `nnue guard`: a command that ends when its loop ends.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use nnue_compiler::format::foreign;
use nnue_tools::loops::Guard;

use crate::Failure;
use crate::failure::complain;

#[derive(Args, Debug)]
pub(crate) struct GuardCommand {
    /// The number of the process with which the command ends
    parent: u32,
    /// The file that names the command while it runs
    note: PathBuf,
    /// The command
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    command: Vec<OsString>,
}

impl GuardCommand {
    /// Runs the command, and returns its exit code.
    pub(super) fn run(&self) -> Result<ExitCode, Failure> {
        let [program, arguments @ ..] = &*self.command else {
            return Err(Failure::Arguments("there is no command to guard".into()));
        };
        let guard = Guard {
            parent: self.parent,
            note: self.note.clone(),
            program: program.clone(),
            arguments: arguments.to_vec(),
        };
        let Some(status) = guard.run()? else {
            return Ok(ExitCode::FAILURE);
        };
        match status.code() {
            Some(code) => Ok(ExitCode::from(code as u8)),
            None => {
                let program = foreign(Path::new(program).display());
                complain(&format!("`{program}` was ended by {status}"));
                Ok(ExitCode::FAILURE)
            }
        }
    }
}
