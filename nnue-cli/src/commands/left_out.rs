//! Subcommands that need compiled networks, in a program without them.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::Args;

use crate::Failure;

const NEEDS: &str =
    "a program that was built with the feature `compiled` of nnue-cli, which is on by default";

/// Declares a subcommand of which only the name is there.
macro_rules! left_out {
    ($name:ident, $example:literal, $instead:literal) => {
        #[derive(Args, Debug)]
        #[command(after_help = concat!("Example: ", $example), long_about = format!("It needs {NEEDS}."))]
        pub(crate) struct $name {
            #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
            arguments: Vec<OsString>,
        }

        impl $name {
            pub(super) fn run(&self, _: &mut dyn Write) -> Result<ExitCode, Failure> {
                Err(Failure::Work(format!("this needs {NEEDS}{}", $instead)))
            }
        }
    };
}

left_out!(
    Replay,
    "nnue replay --net nn-ad9b42354671.nnue --level avx2,avx512icl",
    "; `nnue bench SPEC --net FILE` measures any network without it"
);
left_out!(
    Reorder,
    "nnue reorder --net nn-ad9b42354671.nnue --out nn-faster.nnue",
    ""
);
