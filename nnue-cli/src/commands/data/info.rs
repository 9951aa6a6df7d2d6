//! `nnue data info`: statistics of positions.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use nnue_tools::data::{Counts, SharedCounts, Summary, Unmet, summarise};
use serde::Serialize;

use super::selection::{Selection, failure, report_bad};
use crate::Failure;
use crate::inputs::write_json;
use crate::table::Table;

const EXAMPLE: &str = "\
Example: nnue data info games.pgn --no-checks --no-captures --max-score 3000";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Info {
    #[command(flatten)]
    selection: Selection,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The counts of records, and the statistics of the positions that are used.
#[derive(Debug, Serialize)]
struct Report {
    /// Records that were read.
    read: u64,
    /// Records that cannot be used.
    bad: u64,
    /// Records in the part of the split that is not used.
    split_off: u64,
    /// Records that the filter leaves out.
    left_out: Vec<LeftOut>,
    /// The statistics of the remaining positions.
    #[serde(flatten)]
    used: Summary,
}

/// The number of records that are left out for a reason.
#[derive(Debug, Serialize)]
struct LeftOut {
    reason: &'static str,
    records: u64,
}

impl Report {
    fn new(counts: &Counts, used: Summary) -> Report {
        let left_out = Unmet::ALL.into_iter().zip(counts.left_out);
        Report {
            read: counts.read,
            bad: counts.bad,
            split_off: counts.split_off,
            left_out: left_out
                .filter(|(_, records)| *records > 0)
                .map(|(unmet, records)| LeftOut {
                    reason: unmet.name(),
                    records,
                })
                .collect(),
            used,
        }
    }
}

impl Info {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let counts = SharedCounts::default();
        let inputs = self.selection.inputs()?;
        let summary = summarise(inputs, &self.selection.options(), &counts);
        report_bad(&counts);
        let report = Report::new(&counts.get(), summary.map_err(failure)?);
        if self.json {
            write_json(&report, out)?
        } else {
            show(&report, out)?
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn show(report: &Report, out: &mut dyn Write) -> Result<(), Failure> {
    let used = &report.used;
    let mut table = Table::new(1, ["", "records", "share"]);
    let mut row = |name: &str, count: u64, of: u64| {
        let share = 100.0 * count as f64 / of.max(1) as f64;
        table.row([name.to_string(), count.to_string(), format!("{share:.1} %")]);
    };
    let read = report.read + report.bad;
    row("read", read, read);
    for (name, count) in [("bad", report.bad), ("in the other part", report.split_off)] {
        if count > 0 {
            row(name, count, read);
        }
    }
    for LeftOut { reason, records } in &report.left_out {
        row(reason, *records, read);
    }
    row("used", used.positions, read);
    let [white, draw, black, unknown] = used.results;
    let scored = used.scores.map_or(0, |scores| scores.count);
    for (name, count) in [
        ("  white to move", used.white_to_move),
        ("  in check", used.checks),
        ("  with a capture or promotion played", used.captures),
        ("  with a score", scored),
        ("  won by white", white),
        ("  drawn", draw),
        ("  won by black", black),
        ("  without a result", unknown),
    ] {
        row(name, count, used.positions);
    }
    table.write(out)?;
    if let Some(scores) = &used.scores {
        writeln!(
            out,
            "\nscores {} to {} centipawns, mean {:.1}, mean distance from 0 {:.1}",
            scores.lowest, scores.highest, scores.mean, scores.mean_distance
        )?;
    }
    if used.games > 0 {
        writeln!(out, "{} games, if games follow one another", used.games)?;
    }
    let pieces = (0..).zip(&used.pieces).filter(|(_, count)| **count > 0);
    let mut table = Table::new(0, ["pieces", "records"]);
    for (pieces, count) in pieces {
        table.row([i32::to_string(&pieces), count.to_string()]);
    }
    writeln!(out)?;
    table.write(out)?;
    Ok(())
}
