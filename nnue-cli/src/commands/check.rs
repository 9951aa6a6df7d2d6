//! `nnue check`: what a spec means, and whether a net file is one of it.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use nnue_compiler::format::{Format, Section};
use nnue_compiler::layout::Layout;
use nnue_compiler::network::Network;
use nnue_compiler::network::file::{File, Tensor};

use crate::Failure;
use crate::inputs::{SpecFile, read};
use crate::net_file::NetFile;

#[derive(Args, Debug)]
#[command(after_help = "Example: nnue check my-net.toml --weights my-net.nnue")]
pub(crate) struct Check {
    #[command(flatten)]
    spec: SpecFile,
    /// Check a net file against the spec too
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
}

impl Check {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let network = self.spec.network()?;
        match &self.weights {
            None => show(&network, out)?,
            Some(path) => {
                // If the file does not fit, that is all there is to say.
                let file = NetFile::of(path, network, &read(path)?)?;
                show(&file.network, out)?;
                show_file(&file, out)?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn show(network: &Network, out: &mut dyn Write) -> Result<(), Failure> {
    let layout = Layout::of(network);
    write!(out, "{}", nnue_compiler::diagram(network))?;
    match network.file.format {
        Format::Stockfish { version, hash } => {
            write!(
                out,
                "file: version {version:#010x}, network hash {hash:#010x}"
            )?;
            for section in network.file.sections_once() {
                if let Section::Hash { name, expected } = section {
                    let name = if *name == "hash" { "stack hash" } else { name };
                    write!(out, ", {name} {expected:#010x}")?;
                }
            }
            writeln!(out)?;
        }
        Format::Named => writeln!(out, "file: in any order {}", order(network))?,
        _ => writeln!(out, "file: {}", order(network))?,
    }
    writeln!(
        out,
        "memory: weights {} bytes, accumulator {} bytes",
        layout.weights.size,
        2 * layout.half.size
    )?;
    Ok(())
}

/// The tensors of the file, each with its type and the order of its axes, which no length gives
/// away.
fn order(network: &Network) -> String {
    let list = |sections: &[Section<Tensor>]| {
        let tensors = sections.iter().filter_map(Section::as_tensor);
        let tensors = tensors
            .map(|tensor| format!("{} {}{}", tensor.name, tensor.element, tensor.axis_order()));
        tensors.collect::<Vec<_>>().join(", ")
    };
    let File {
        sections,
        stack_groups,
        ..
    } = &network.file;
    let groups = stack_groups.iter().map(|group| {
        let count = network.stacks.count;
        format!("then for each of {count} stacks {}", list(group))
    });
    let all = [list(sections)].into_iter().chain(groups);
    all.collect::<Vec<_>>().join("; ")
}

fn show_file(file: &NetFile, out: &mut dyn Write) -> Result<(), Failure> {
    writeln!(
        out,
        "`{}` is a net file for {}; no file tells shifts, limits, `select`, or the order of what layers read",
        file.path.display(),
        file.network.name
    )?;
    for (place, count) in &file.loaded.clamped {
        writeln!(
            out,
            "{count} values of `{place}` do not fit and become the nearest that do"
        )?;
    }
    Ok(())
}
