//! The results of a race as text. For each of our levels there is a column for `nnue-rs`, a column
//! for our crate, and a column for the ratio.

use std::io::{self, Write};

use anstyle::Style;
use nnue_tools::measure::replay::beside::nnue_rs::Way;
use nnue_tools::measure::replay::beside::{LevelResults, Results};
use nnue_tools::measure::replay::{Times, thousands};
use nnue_trace::Trace;

use crate::style::{PLAIN, STRONG};
use crate::table::Table;

/// A report about the measurements with a net.
pub(super) struct Report<'a> {
    /// The times that were measured.
    pub(super) results: &'a Results,
    /// The recorded search that was replayed.
    pub(super) trace: &'a Trace,
    /// Whether searches were followed in an engine.
    pub(super) in_engine: bool,
    /// The stream that the table is written to.
    pub(super) out: &'a mut dyn Write,
}

/// A statistic of several times.
type Figure = fn(&Times) -> f64;

impl Report<'_> {
    /// Writes the whole report.
    pub(super) fn write(&mut self) -> io::Result<()> {
        let heads = |of: &LevelResults| ["nnue-rs", of.level.name(), "ratio"].map(String::from);
        let mut table = Table::new(1, self.row("ns per evaluation", heads));
        for way in Way::ALL {
            let median = format!("{way}, median");
            let figures: [(&str, Style, Figure); 3] = [
                (&median, STRONG, Times::median),
                ("  lower quartile", PLAIN, |times| times.quantile(0.25)),
                ("  upper quartile", PLAIN, |times| times.quantile(0.75)),
            ];
            for (label, style, figure) in figures {
                table.styled(style, self.row(label, |of| times(way, figure, of)));
            }
        }
        let idle = |of: &LevelResults| {
            let idle = format!("{:.1}", of.idle.median());
            [String::new(), idle, String::new()]
        };
        let alone = if self.in_engine { "engine" } else { "reading" };
        let label = format!("{alone} alone, median, subtracted");
        table.row(self.row(&label, idle));
        table.write(self.out)?;
        let equal = thousands(self.trace.evaluations());
        match self.results.rounded_otherwise {
            0 => writeln!(self.out, "\nAll {equal} values are equal."),
            some => writeln!(
                self.out,
                "\nAll {equal} values are equal as nnue-rs rounds them: {} are not the engine's.",
                thousands(some)
            ),
        }
    }

    /// A row with a label, and with three columns for each level.
    fn row(&self, label: &str, columns: impl Fn(&LevelResults) -> [String; 3]) -> Vec<String> {
        let columns = self.results.levels.iter().flat_map(columns);
        [label.to_string()].into_iter().chain(columns).collect()
    }
}

/// The times of both crates, and their ratio.
fn times(way: Way, figure: Figure, of: &LevelResults) -> [String; 3] {
    let peer = figure(&of.peer[way as usize]);
    let ours = figure(&of.ours[way.pass() as usize]);
    [
        format!("{peer:.1}"),
        format!("{ours:.1}"),
        format!("{:.2} x", peer / ours),
    ]
}
