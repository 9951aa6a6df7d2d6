//! `nnue quantise`: integers of a trainer's floating point.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::Failure;
use crate::inputs::{network, read, write, write_json};
use crate::quantisation::{TensorReport, quantise};

#[derive(Args, Debug)]
#[command(after_help = "Example: nnue quantise floats.bin my-net.nnue --spec my-net.toml")]
pub(crate) struct QuantiseCommand {
    /// Floating point: a file of the spec, if that has `f32` tensors that become integers;
    /// otherwise the tensors of the spec's file as `f32`, little-endian, in its order and with its
    /// padding, and nothing else
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The net file that is written
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// The spec of the network
    #[arg(long, value_name = "SPEC")]
    spec: PathBuf,
    /// The spec of OUT: the same network with another `[file]`
    #[arg(long, value_name = "SPEC")]
    to: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl QuantiseCommand {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let spec = network(&self.spec)?;
        let to = self.to.as_deref().map(network).transpose()?;
        let quantised = quantise(&spec, to.as_ref(), &read(&self.input)?)?;
        write(&self.output, &quantised.bytes)?;
        match self.json {
            true => write_json(&quantised.tensors, out)?,
            false => show(&quantised.tensors, out)?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn show(tensors: &[TensorReport], out: &mut dyn Write) -> Result<(), Failure> {
    let width = tensors.iter().map(|tensor| tensor.name.len()).max();
    let width = width.unwrap_or(0);
    writeln!(
        out,
        "{:width$}    values        one  clipped  largest error  mean error  better one",
        "tensor"
    )?;
    for tensor in tensors {
        let better = tensor
            .better_one
            .map_or("-".to_string(), |one| format!("{one:.2}"));
        writeln!(
            out,
            "{:width$} {:9} {:10.2} {:8} {:14.3e} {:11.3e} {better:>11}",
            tensor.name,
            tensor.values,
            tensor.one,
            tensor.clipped,
            tensor.largest_error,
            tensor.mean_error,
        )?;
    }
    Ok(())
}
