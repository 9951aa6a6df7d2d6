//! `nnue info`: facts about a net file.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use nnue_compiler::format::foreign;
use nnue_tools::nets::info::{Contents, Info, number};
use nnue_tools::nets::net_file::{NetFile, Recognised, read_net};
use nnue_tools::nets::specs::SpecChoice;

use crate::Failure;
use crate::inputs::{NetArgument, write_json};
use crate::table::Table;

#[derive(Args, Debug)]
#[command(
    after_help = "The exit code is 0 if the file is a net that loads, and 1 otherwise. `nnue spec FILE` writes the spec of a file that is recognised.\n\nExample: nnue info nn-37f18f62d772.nnue"
)]
pub(crate) struct InfoCommand {
    #[command(flatten)]
    net: NetArgument,
    /// The spec of the network, for files that no header tells: its name in `specs`, or a TOML file
    #[arg(long, value_name = "NAME|FILE.toml", value_parser = crate::inputs::spec_choice())]
    spec: Option<SpecChoice>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl InfoCommand {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let network = self.spec.as_ref().map(SpecChoice::network).transpose()?;
        let path = self.net.path()?;
        let bytes = read_net(path, network.as_ref())?;
        let given = match network {
            Some(network) => Some(NetFile::of(path, network, &bytes)?),
            None => Recognised::told(path, &bytes)?.map(|told| told.file),
        };
        let info = Info::of(path, &bytes, given)?;
        if self.json {
            write_json(&info, out)?
        } else {
            show(&info, out)?
        }
        Ok(match info.network {
            Some(_) => ExitCode::SUCCESS,
            None => ExitCode::FAILURE,
        })
    }
}

fn show(info: &Info, out: &mut dyn Write) -> Result<(), Failure> {
    writeln!(out, "`{}` is {}", foreign(&info.file), info.identity)?;
    writeln!(out, "size: {} bytes", info.size)?;
    match info.fits.as_slice() {
        [] => writeln!(out, "known specs that fit: none")?,
        fits => writeln!(out, "known specs that fit: {}", fits.join(", "))?,
    }
    match (&info.network, &info.refused) {
        (Some(network), _) => show_contents(network, out),
        (None, Some(reason)) => Ok(writeln!(out, "it does not load: {reason}")?),
        (None, None) => Ok(writeln!(
            out,
            "if it is a net, `nnue adopt FILE` finds specs that fit, and more can be said with \
             its spec: `--spec SPEC`"
        )?),
    }
}

fn show_contents(network: &Contents, out: &mut dyn Write) -> Result<(), Failure> {
    writeln!(out, "network: {}", foreign(&network.name))?;
    if network.compressed {
        writeln!(out, "compressed with zstd")?;
    }
    if let Some(header) = &network.header {
        let (version, hash) = (header.version, header.hash);
        writeln!(out, "version {version:#010x}, network hash {hash:#010x}")?;
        let description = foreign(&header.description);
        writeln!(out, "description: \"{description}\"")?;
    }
    writeln!(out)?;
    let heads = [
        "tensor",
        "type",
        "values",
        "minimum",
        "maximum",
        "mean",
        "zeros",
        "saturated",
    ];
    let mut table = Table::new(2, heads);
    for tensor in &network.tensors {
        table.row([
            tensor.name.clone(),
            tensor.element.into(),
            tensor.values.to_string(),
            number(tensor.minimum),
            number(tensor.maximum),
            format!("{:.3}", tensor.mean),
            format!("{:.1} %", 100.0 * tensor.zeros),
            match tensor.saturated {
                Some(share) => format!("{:.2} %", 100.0 * share),
                None => "-".into(),
            },
        ]);
    }
    table.write(out)?;
    let bound = &network.accumulator;
    writeln!(
        out,
        "\naccumulator within {} to {} for {} features: margin {}",
        bound.lowest, bound.highest, bound.features, bound.margin
    )?;
    for layer in &network.layers {
        writeln!(
            out,
            "sums of `{}` within {} to {}: margin {}",
            layer.name, layer.lowest, layer.highest, layer.margin
        )?;
    }
    for warning in &network.warnings {
        writeln!(out, "warning: {warning}")?;
    }
    writeln!(out, "no file tells: {}", network.untold.join(", "))?;
    Ok(())
}
