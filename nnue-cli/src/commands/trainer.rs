//! `nnue trainer`: a program that trains a network with bullet.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use nnue_tools::export::bullet;

use crate::Failure;
use crate::inputs::SpecArgument;

/// The help for users of the program.
const PROGRAM: &str = "\
The program is one in Rust for bullet, https://github.com/jw1912/bullet. It has the network's inputs, its graph, what it saves in the order of the spec's file, and \
a schedule to start from. Put it into a package that depends on bullet_lib; docs/bullet.md says \
how. What bullet cannot train is an error that names all reasons.

Example: nnue trainer my-net.toml > src/main.rs";

#[derive(Args, Debug)]
#[command(after_help = PROGRAM)]
pub(crate) struct Trainer {
    #[command(flatten)]
    spec: SpecArgument,
}

impl Trainer {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let network = self.spec.network()?;
        let program = bullet::program(&network).map_err(|reasons| {
            let reasons = reasons.iter().map(|reason| format!("\n  * {reason}"));
            let reasons: String = reasons.collect();
            Failure::Work(format!("bullet cannot train {}:{reasons}", network.name))
        })?;
        write!(out, "{}", program.text)?;
        Ok(ExitCode::SUCCESS)
    }
}
