//! `nnue`: from the description of a network to its speed, its code and its files.

use std::process::ExitCode;

fn main() -> ExitCode {
    nnue_cli::run(std::env::args_os())
}
