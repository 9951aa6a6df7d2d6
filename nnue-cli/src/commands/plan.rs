//! `nnue plan`: the computation of a network by each instruction set.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use nnue_compiler::description::plans;
use nnue_compiler::layout::Layout;
use nnue_compiler::plan::Plans;

use crate::Failure;
use crate::inputs::{Kernels, SpecArgument, write_json};

#[derive(Args, Debug)]
#[command(after_help = "Example: nnue plan sfnnv5 --level avx2")]
pub(crate) struct Plan {
    #[command(flatten)]
    spec: SpecArgument,
    #[command(flatten)]
    kernels: Kernels,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Plan {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let network = self.spec.network()?;
        let layout = Layout::of(&network);
        let plans = Plans::of(&layout, self.kernels.unroll).map_err(Failure::work)?;
        if self.json {
            let shows = |level: &str| self.kernels.shows(level);
            write_json(&plans::Plans::of(&network.name, &plans, shows), out)?;
            return Ok(ExitCode::SUCCESS);
        }
        write!(out, "{}", plans.prefetch)?;
        for plan in &plans.levels {
            if self.kernels.shows(plan.isa.name) {
                write!(out, "\n{plan}")?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
