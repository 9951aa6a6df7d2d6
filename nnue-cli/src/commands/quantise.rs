//! `nnue quantise`: from a trainer's floating point to integers.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use nnue_runtime::Board;
use nnue_tools::nets::net_file::read_net;
use nnue_tools::nets::positions::Positions;
use nnue_tools::nets::specs::SpecChoice;
use nnue_tools::quantise::{
    Calibration, Change, Choice, Comparison, Proposal, Report, TensorReport, quantise,
};

use crate::Failure;
use crate::inputs::{NetInAndOut, SampledPositions, check_outputs, remarks, write, write_json};
use crate::style::{PLAIN, STRONG};
use crate::table::Table;

const EXAMPLE: &str = "\
Example: nnue quantise floats.bin my-net.nnue --spec my-net.toml --fens positions.epd";

const NOTES: &str = "\
What is read is floating point: a file of the spec, if that has `f32` tensors that become integers; \
otherwise the tensors of the spec's file as `f32`, little-endian, in its order and with its padding, \
and nothing else.

Shown are, for each tensor, what stands for 1.0, how many numbers its type has no room for, and how \
far the integers are from the numbers, in which 1.0 is 1.

Then the network of integers is compared with the same network computed in floating point without \
any rounding, over positions: for the transformer's output and for each layer, the divergence \
(Kullback and Leibler's, in nats) of the histogram of all its values with integers from the one \
without rounding, in up to 128 bins; and how far the evaluations are apart, in the network's units.

Last come changes of the spec with which the weights of a part lose less: all keys that must be \
changed together, and what becomes of the errors (the root of the mean squared error) of this part \
and of others. PSQT values, and layers with a one for each output, are left as they are.

Of a factorised network, virtual rows and weights that stacks share are added before sums are \
rounded; --to then names the spec of the network without them.

With --calibrate, ones are tried by ranges of the weights: from minimum to maximum, percentiles, and \
the least divergence, of all weights or of those of each output. Each choice becomes integers and is \
evaluated; shown are how much of all weights is clipped, and how far evaluations are from those \
without rounding. The file that is written stays that of the spec: the changes of the best choice \
are for its author to make. docs/quantisation.md has more.

With --json, `tensors`, `comparison` (or why there is none: `not_compared`) and `proposals` have \
the same, and `calibration` has the ranges and the choices, each with its changes.";

/// The step between the positions of the built-in search that are evaluated.
const EVERY: usize = 290;

#[derive(Args, Debug)]
#[command(after_help = EXAMPLE, after_long_help = format!("{NOTES}\n\n{EXAMPLE}"))]
pub(crate) struct QuantiseCommand {
    #[command(flatten)]
    files: NetInAndOut,
    /// The spec of the network: its name in `specs`, or a TOML file
    #[arg(long, value_name = "NAME|FILE.toml", value_parser = crate::inputs::spec_choice())]
    spec: SpecChoice,
    /// The spec of OUT: the same network with another `[file]`; of a factorised network, the one
    /// without virtual rows
    #[arg(long, value_name = "NAME|FILE.toml", value_parser = crate::inputs::spec_choice())]
    to: Option<SpecChoice>,
    #[command(flatten)]
    positions: SampledPositions,
    /// Try ones by the ranges of weights, and measure what each costs over the positions of this
    /// file, one FEN or EPD a line
    #[arg(long, value_name = "FILE")]
    calibrate: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl QuantiseCommand {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let [input, output] = self.files.paths()?;
        let inputs = [
            Some(input),
            self.spec.path(),
            self.to.as_ref().and_then(SpecChoice::path),
            self.positions.path(),
            self.calibrate.as_deref(),
        ];
        check_outputs(inputs, [output])?;
        let spec = self.spec.read()?;
        let to = self.to.as_ref().map(SpecChoice::read).transpose()?;
        let positions = self.positions.read(EVERY)?;
        let calibrate = self.calibrate.as_deref().map(boards).transpose()?;
        let input = (input, &*read_net(input, None)?);
        let quantised = quantise(&spec, to.as_ref(), input, &positions, calibrate.as_deref())?;
        write(output, &quantised.bytes)?;
        let mut out = remarks([output], out);
        if self.json {
            write_json(&quantised.report, &mut out)?
        } else {
            self.show(&quantised.report, &mut out)?
        }
        Ok(ExitCode::SUCCESS)
    }

    fn show(&self, report: &Report, out: &mut dyn Write) -> Result<(), Failure> {
        show_tensors(&report.tensors, out)?;
        match (&report.comparison, &report.not_compared) {
            (Some(comparison), _) => {
                let (count, source) = (comparison.positions, self.positions.source());
                writeln!(out, "\nover {count} positions of {source}:")?;
                show_comparison(comparison, out)?;
            }
            (None, reason) => {
                let reason = reason.as_deref().unwrap_or_default();
                writeln!(out, "\nactivations are not compared: {reason}")?;
            }
        }
        match report.proposals.as_slice() {
            [] => writeln!(out, "\nno other ones are better")?,
            proposals => show_proposals(proposals, out)?,
        }
        if let Some(calibration) = &report.calibration {
            show_calibration(calibration, out)?;
        }
        Ok(())
    }
}

fn show_tensors(tensors: &[TensorReport], out: &mut dyn Write) -> Result<(), Failure> {
    let heads = [
        "tensor",
        "values",
        "one",
        "clipped",
        "largest error",
        "mean error",
    ];
    let mut table = Table::new(1, heads);
    for tensor in tensors {
        table.row([
            tensor.name.clone(),
            tensor.values.to_string(),
            format!("{:.2}", tensor.one),
            tensor.clipped.to_string(),
            format!("{:.3e}", tensor.largest_error),
            format!("{:.3e}", tensor.mean_error),
        ]);
    }
    table.write(out)?;
    Ok(())
}

fn show_comparison(comparison: &Comparison, out: &mut dyn Write) -> Result<(), Failure> {
    let heads = [
        "activation",
        "neurons",
        "lowest",
        "highest",
        "bins",
        "bin width",
        "divergence",
    ];
    let mut table = Table::new(1, heads);
    for activation in &comparison.activations {
        table.row([
            activation.name.clone(),
            activation.neurons.to_string(),
            format!("{:.4}", activation.lowest),
            format!("{:.4}", activation.highest),
            activation.bins.to_string(),
            format!("{:.2e}", activation.bin_width),
            format!("{:.3e}", activation.divergence),
        ]);
    }
    table.write(out)?;
    for output in &comparison.outputs {
        let (mean, largest) = (output.mean_difference, output.largest_difference);
        let [mean_share, largest_share] = [mean, largest].map(|difference| {
            // The difference is in percent of 1.0.
            100.0 * output.relative(difference)
        });
        writeln!(
            out,
            "{}, in which 1.0 is {}: differs by {mean:.3} in the mean ({mean_share:.3} %), by at most \
             {largest:.3} ({largest_share:.3} %)",
            output.name, output.one,
        )?;
    }
    Ok(())
}

fn show_proposals(proposals: &[Proposal], out: &mut dyn Write) -> Result<(), Failure> {
    for proposal in proposals {
        writeln!(out, "\na better one for `{}`:", proposal.part)?;
        show_changes(&proposal.changes, out)?;
        for effect in &proposal.tensors {
            let ([one, other], [before, after]) = (effect.one, effect.error);
            let [clipped, still_clipped] = effect.clipped;
            writeln!(
                out,
                "  {}: one {one:.2} -> {other:.2}, error {before:.3e} -> {after:.3e}, clipped \
                 {clipped} -> {still_clipped}",
                effect.name
            )?;
        }
    }
    Ok(())
}

fn show_changes(changes: &[Change], out: &mut dyn Write) -> Result<(), Failure> {
    for change in changes {
        let (table, key, to) = (&change.table, change.key, &change.to);
        match &change.from {
            Some(from) => writeln!(out, "    {table}: {key} = {to} instead of {from}")?,
            None => writeln!(out, "    {table}: {key} = {to}")?,
        }
    }
    Ok(())
}

/// The boards of all positions in a file.
fn boards(path: &Path) -> Result<Vec<Board>, Failure> {
    let given = Positions::open(path)?.all()?;
    Ok(given.into_iter().map(|given| given.board).collect())
}

fn show_calibration(calibration: &Calibration, out: &mut dyn Write) -> Result<(), Failure> {
    let count = calibration.positions;
    writeln!(out, "\nranges of floating point over {count} positions:")?;
    let heads = [
        "values",
        "lowest",
        "highest",
        "99 %",
        "99.9 %",
        "99.99 %",
        "divergence",
        "saturated",
    ];
    let mut table = Table::new(1, heads);
    for range in &calibration.ranges {
        let [most, more, nearly_all] = range.percentiles;
        let numbers = [range.lowest, range.highest, most, more, nearly_all];
        let numbers = numbers.into_iter().chain([range.divergence]);
        let cells = numbers.map(|number| format!("{number:.4}"));
        let saturated = percent(range.saturated);
        table.row(
            [range.name.clone()]
                .into_iter()
                .chain(cells)
                .chain([saturated]),
        );
    }
    table.write(out)?;

    writeln!(out, "\nwhat ones cost, in the evaluation's units:")?;
    let heads = [
        "part",
        "per",
        "range",
        "threshold",
        "one",
        "clipped",
        "mean error",
        "largest error",
    ];
    let mut table = Table::new(3, heads);
    for (index, choice) in calibration.choices.iter().enumerate() {
        let style = if index == calibration.best {
            STRONG
        } else {
            PLAIN
        };
        let cost = &choice.cost;
        table.styled(
            style,
            [
                choice.part.clone(),
                choice.per.to_string(),
                choice.range.clone(),
                extent(&choice.thresholds, |threshold| format!("{threshold:.4}")),
                extent(&choice.ones, |one| one.to_string()),
                percent(cost.clipped),
                format!("{:.3}", cost.mean_error),
                format!("{:.3}", cost.largest_error),
            ],
        );
    }
    table.write(out)?;
    let best = &calibration.choices[calibration.best];
    match best.changes.as_slice() {
        [] => writeln!(out, "\nthe spec as it is has the least mean error")?,
        changes => {
            let Choice { part, range, .. } = best;
            writeln!(out, "\nthe least mean error, by {part}, {range}:")?;
            show_changes(changes, out)?;
        }
    }
    Ok(())
}

fn percent(share: f64) -> String {
    format!("{:.3} %", 100.0 * share)
}

/// The text of a number, or of the smallest and the largest of several numbers.
fn extent<T: PartialOrd + Copy>(numbers: &[T], show: impl Fn(T) -> String) -> String {
    let least = numbers
        .iter()
        .copied()
        .reduce(|one, other| if other < one { other } else { one });
    let most = numbers
        .iter()
        .copied()
        .reduce(|one, other| if other > one { other } else { one });
    match (least, most) {
        (Some(least), Some(most)) if least == most => show(least),
        (Some(least), Some(most)) => format!("{} to {}", show(least), show(most)),
        _ => String::new(),
    }
}
