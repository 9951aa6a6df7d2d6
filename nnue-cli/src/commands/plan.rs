//! `nnue plan`: the computation of a network by each instruction set.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use nnue_compiler::layout::Layout;
use nnue_compiler::plan::Plans;
use serde::Serialize;

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

/// The JSON of `nnue plan`.
#[derive(Serialize)]
struct Printed<'p> {
    /// The name of the network.
    network: &'p str,
    #[serde(flatten)]
    plans: &'p Plans<'p>,
}

impl Plan {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let network = self.spec.network()?;
        let layout = Layout::of(&network);
        let mut plans = Plans::of(&layout, self.kernels.unroll).map_err(Failure::work)?;
        plans
            .levels
            .retain(|plan| self.kernels.shows(plan.isa.name));
        if self.json {
            let printed = Printed {
                network: &network.name,
                plans: &plans,
            };
            write_json(&printed, out)?;
            return Ok(ExitCode::SUCCESS);
        }
        write!(out, "{plans}")?;
        Ok(ExitCode::SUCCESS)
    }
}
