//! `nnue completions`: the script with which a shell completes arguments.

use std::io::Write;
use std::process::ExitCode;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::{Arguments, Failure};

#[derive(Args, Debug)]
#[command(
    after_help = "Example: nnue completions bash > ~/.local/share/bash-completion/completions/nnue"
)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut Arguments::command(), "nnue", &mut text);
        out.write_all(&text)?;
        Ok(ExitCode::SUCCESS)
    }
}
