//! What was measured, as text: for each of our levels a column for `nnue-rs`, one for us, and one
//! for the ratio.

use std::io::{self, Write};

use anstyle::Style;
use nnue_trace::Trace;

use super::nnue_rs::Way;
use super::{LevelResults, Results};
use crate::replay::{Times, thousands};
use crate::style::{FAINT, PLAIN, STRONG, paint};

/// Writes what was measured with one net.
pub struct Table<'a> {
    /// The times that were measured.
    pub results: &'a Results,
    /// The recorded search that was replayed.
    pub trace: &'a Trace,
    /// The stream that the table is written to.
    pub out: &'a mut dyn Write,
}

/// The width of what stands before the columns.
const LABEL: usize = 36;
/// The width of a column of times.
const TIME: usize = 10;
/// The width of a column of ratios.
const RATIO: usize = 9;

/// A figure of a list of times.
type Figure = fn(&Times) -> f64;

impl Table<'_> {
    /// Writes all of it.
    ///
    /// # Errors
    ///
    /// The errors of the writer.
    pub fn write(&mut self) -> io::Result<()> {
        let columns = |of: &LevelResults| {
            let level = of.level.name();
            format!("{:>TIME$}{level:>TIME$}{:>RATIO$}", "nnue-rs", "ratio")
        };
        self.row(FAINT, "ns per evaluation", &columns)?;
        for way in Way::ALL {
            let median = format!("{way}, median");
            let figures: [(&str, Figure); 3] = [
                (&median, Times::median),
                ("  lower quartile", |times| times.quantile(0.25)),
                ("  upper quartile", |times| times.quantile(0.75)),
            ];
            for (label, figure) in figures {
                let style = if label == median { STRONG } else { PLAIN };
                self.row(style, label, &|of| times(way, figure, of))?;
            }
        }
        let idle = |of: &LevelResults| {
            let idle = format!("{:.1}", of.idle.median());
            format!("{idle:>width$}{:>RATIO$}", "", width = 2 * TIME)
        };
        self.row(PLAIN, "reading alone, median, subtracted", &idle)?;
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

    fn row(
        &mut self,
        style: Style,
        label: &str,
        columns: &dyn Fn(&LevelResults) -> String,
    ) -> io::Result<()> {
        let columns: String = self.results.levels.iter().map(columns).collect();
        let line = format!("{label:<LABEL$}{columns}");
        writeln!(self.out, "{}", paint(style, line.trim_end()))
    }
}

/// Both times, along a search without reading the trace, and how many times as long `nnue-rs`
/// takes.
fn times(way: Way, figure: Figure, of: &LevelResults) -> String {
    let reading = of.reading(way);
    let peer = figure(&of.peer[way as usize]) - reading;
    let ours = figure(&of.ours[way.pass() as usize]) - reading;
    let ratio = format!("{:.2} x", peer / ours);
    format!("{peer:>TIME$.1}{ours:>TIME$.1}{ratio:>RATIO$}")
}
