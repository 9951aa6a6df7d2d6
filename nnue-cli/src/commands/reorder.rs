//! `nnue reorder`: the neurons of a network in the order of their activity.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use nnue_compiler::format::foreign;
use nnue_tools::measure::reorder::{Gain, Neurons, NotZero, reorder};

use crate::Failure;
use crate::heading;
use crate::inputs::{NetOptions, TraceFile, check_outputs, remarks, write, write_json};
use crate::progress;
use crate::table::{Table, thousands};

const EXAMPLE: &str = "\
Example: nnue reorder --net nn-ad9b42354671.nnue --out nn-faster.nnue";

const NOTES: &str = "\
Outputs of the transformer that are not zero at the same time become neighbours, so that more blocks \
of four outputs are zero, which layers skip. The order is found on the positions of a search; on all \
of them the network must then evaluate to the same values as before, by the interpreter. A file is \
written as a whole or not at all, and only if no value differs. `nnue bench SPEC --net FILE` measures \
what is gained.

`--order` writes a line `neuron_order = [...]` for the table `[transformer]` of the network's spec. \
With it the trainer's file is put into the order when it is loaded or compiled in.

The exit code is 0 if all went well, 1 if the order of the network makes no difference, if values \
differ or if a file could not be used, 2 if the arguments are wrong.";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLE, after_long_help = format!("{NOTES}\n\n{EXAMPLE}"))]
pub(crate) struct Reorder {
    #[command(flatten)]
    trace: TraceFile,
    #[command(flatten)]
    net: NetOptions,
    /// Write the net in its new order; without it, only what would be gained is shown
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write the order as a line of a spec, so that the net can stay as it is
    #[arg(long, value_name = "FILE")]
    order: Option<PathBuf>,
    /// Write what is gained as JSON
    #[arg(long)]
    json: bool,
}

/// The number of steps of the progress bar.
const STEPS: u64 = 1000;

impl Reorder {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let [net, spec] = self.net.paths();
        let written = || {
            [self.out.as_deref(), self.order.as_deref()]
                .into_iter()
                .flatten()
        };
        check_outputs([net, spec, self.trace.path()], written())?;
        let chosen = self.net.open()?;
        let trace = self.trace.read()?;
        let neurons = Neurons::of(&chosen.file.network);
        let mut head = Vec::new();
        let usage = format!("{} positions", thousands(trace.evaluations()));
        heading::write(&chosen, &usage, &mut head)?;

        let bar = progress::bar();
        bar.set_length(STEPS);
        let reordered = reorder(&chosen.file, &neurons, &trace, &|done| {
            bar.set_position((done * STEPS as f64) as u64);
        });
        bar.finish_and_clear();
        let reordered = reordered.map_err(Failure::work)?;
        if let Some(path) = &self.out {
            write(path, &reordered.file)?;
        }
        if let Some(path) = &self.order {
            write(path, line_of_spec(&reordered.order))?;
        }
        let names = [chosen.file.network.name, chosen.name];
        let mut gain = Gain::of(names, &trace, &neurons, &reordered);
        let shown = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        (gain.written, gain.order) = (shown(&self.out), shown(&self.order));
        let mut out = remarks(written(), out);
        if self.json {
            write_json(&gain, &mut out)?;
        } else {
            out.write_all(&head)?;
            show(&gain, &mut out)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn show(gain: &Gain, out: &mut dyn Write) -> io::Result<()> {
    let Gain {
        outputs, blocks, ..
    } = gain;
    let counts = |label: &str, counts: &NotZero| {
        let NotZero { of, before, after } = counts;
        [
            label.into(),
            thousands(*of),
            format!("{before:.1}"),
            format!("{after:.1}"),
        ]
    };
    writeln!(out)?;
    let mut table = Table::new(1, ["not zero, per evaluation", "of", "before", "after"]);
    table.row(counts("outputs", outputs));
    let fewer = 100.0 * (blocks.after / blocks.before - 1.0);
    let fewer = format!("{fewer:+.1} %");
    table.row({ counts("blocks of four", blocks).into_iter() }.chain([fewer]));
    table.write(out)?;
    writeln!(
        out,
        "\nAll {} values are the same in both orders.",
        thousands(gain.evaluations)
    )?;
    if let Some(path) = &gain.order {
        writeln!(out, "The order is written to `{}`.", foreign(path))?;
    }
    match &gain.written {
        Some(path) => writeln!(out, "Written to `{}`.", foreign(path)),
        None if gain.order.is_some() => Ok(()),
        None => writeln!(out, "Nothing is written: `--out FILE` does that."),
    }
}

/// The key that puts a net's neurons into the order.
fn line_of_spec(order: &[usize]) -> String {
    let numbers: Vec<String> = order.iter().map(usize::to_string).collect();
    format!("neuron_order = [{}]\n", numbers.join(", "))
}
