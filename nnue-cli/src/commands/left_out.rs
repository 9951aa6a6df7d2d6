//! A subcommand that needs compiled networks, in a program without them.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::Args;

use crate::Failure;

const NEEDS: &str = "this needs a program that was built with the feature `compiled` of nnue-cli, \
                     which is on by default";

#[derive(Args, Debug)]
#[command(override_usage = NEEDS)]
pub(crate) struct LeftOut {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

impl LeftOut {
    pub(super) fn run(&self, _: &mut dyn Write) -> Result<ExitCode, Failure> {
        Err(Failure::Work(format!(
            "{NEEDS}; `nnue bench SPEC --net FILE` measures any network without it"
        )))
    }
}
