//! `nnue check`: the meaning of a spec, and whether a net file fits it.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use nnue_compiler::description::Description;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::network::Network;
use nnue_compiler::whole_spec;
use nnue_tools::adopt::Doubt;
use nnue_tools::nets::net_file::{NetFile, read_net, untold};
use nnue_tools::nets::summary::{Memory, summary};
use serde::Serialize;

use crate::Failure;
use crate::inputs::{SpecArgument, write_json};

#[derive(Args, Debug)]
#[command(after_help = "Example: nnue check my-net.toml --net my-net.nnue")]
pub(crate) struct Check {
    #[command(flatten)]
    spec: SpecArgument,
    /// Check a net file against the spec too
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The JSON of `nnue check`.
#[derive(Serialize)]
struct Checked {
    /// The network, as `nnue describe` prints it.
    network: Description,
    /// The memory that the network needs.
    memory: Memory,
    /// The whole spec, if it is `like` another one.
    whole_spec: Option<String>,
    /// The net file, if the user named a file; it fits the network.
    weights: Option<Weights>,
}

/// A net file that fits the network.
#[derive(Serialize)]
struct Weights {
    /// The path of the file.
    file: String,
    /// Values that do not fit their type and become the nearest value that does.
    clamped: Vec<Clamped>,
    /// Facts that no file tells, so that the spec may be wrong about them although the file fits.
    untold: Vec<&'static str>,
    /// The evidence of the weights against the spec.
    doubt: Option<Doubt>,
}

/// Values of a tensor that do not fit their type.
#[derive(Serialize)]
struct Clamped {
    /// The tensor, with its stack.
    place: String,
    /// How many of its values do not fit.
    values: u64,
}

impl Weights {
    fn of(file: &NetFile) -> Result<Weights, Failure> {
        let clamped = file.loaded.clamped.iter().map(|(place, count)| Clamped {
            place: place.to_string(),
            values: *count as u64,
        });
        Ok(Weights {
            file: file.path.display().to_string(),
            clamped: clamped.collect(),
            untold: untold(&file.network),
            doubt: Doubt::of(&file.net()?, &file.bytes),
        })
    }
}

impl Check {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let spec = self.spec.choice()?.read()?;
        let whole_spec = whole_spec(&SourceFile::new("spec", spec.text));
        let mut network = spec.network;
        let mut weights = None;
        if let Some(path) = &self.net {
            // If the file does not fit, its error is the whole answer.
            let bytes = read_net(path, Some(&network))?;
            let file = NetFile::of(path, network, &bytes)?;
            weights = Some(Weights::of(&file)?);
            network = file.network;
        }
        if self.json {
            let checked = Checked {
                network: Description::of(&network),
                memory: Memory::of(&network),
                whole_spec,
                weights,
            };
            write_json(&checked, out)?;
            return Ok(ExitCode::SUCCESS);
        }
        write!(out, "{}", summary(&network))?;
        if let Some(weights) = weights {
            show_weights(&weights, &network, out)?;
        }
        if let Some(text) = whole_spec {
            write!(out, "\nWith `like`, the spec stands for this:\n\n{text}")?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn show_weights(weights: &Weights, network: &Network, out: &mut dyn Write) -> Result<(), Failure> {
    writeln!(
        out,
        "`{}` is a net file for {}; no file tells: {}",
        weights.file,
        network.name,
        weights.untold.join(", ")
    )?;
    if let Some(doubt) = &weights.doubt {
        writeln!(out, "warning: {doubt}")?;
    }
    for Clamped { place, values } in &weights.clamped {
        writeln!(
            out,
            "{values} values of `{place}` do not fit and become the nearest that do"
        )?;
    }
    Ok(())
}
