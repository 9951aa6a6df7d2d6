//! What was measured, as a table: a row for each figure, a column for each level.

use std::io::{self, Write};

use anstyle::Style;
use nnue_trace::Trace;

use super::{LevelResults, Pass, Results, Times};
use crate::style::{FAINT, PLAIN, STRONG, paint};

/// Writes reports about measurements.
pub struct Report<'a> {
    /// The times and checksums that were measured.
    pub results: &'a Results,
    /// The recorded search that was replayed.
    pub trace: &'a Trace,
    /// The stream that the report is written to.
    pub out: &'a mut dyn Write,
}

/// The width of what stands before the columns.
const LABEL: usize = 30;
/// The width of a column.
const COLUMN: usize = 11;

impl Report<'_> {
    /// Writes all of it.
    ///
    /// # Errors
    ///
    /// The errors of the writer.
    pub fn write(&mut self) -> io::Result<()> {
        self.times()?;
        writeln!(self.out)?;
        self.work()?;
        writeln!(self.out)?;
        self.footer()
    }

    fn times(&mut self) -> io::Result<()> {
        let levels = |of: &LevelResults| of.level.to_string();
        self.row(FAINT, "ns per evaluation", &levels)?;
        for (index, pass) in Pass::ALL.into_iter().enumerate() {
            let figure = |figure: fn(&Times) -> f64| {
                move |of: &LevelResults| format!("{:.1}", figure(&of.times[index]))
            };
            let label = format!("{pass}, median");
            self.row(STRONG, &label, &figure(Times::median))?;
            self.row(PLAIN, "  min", &figure(Times::min))?;
            self.row(PLAIN, "  max", &figure(Times::max))?;
        }
        Ok(())
    }

    fn work(&mut self) -> io::Result<()> {
        let evaluations = self.trace.evaluations() as f64;
        self.row(FAINT, "incremental updates", &|_| String::new())?;
        self.row(PLAIN, "evaluations per second", &|of| {
            thousands((1e9 / of.times[0].median()) as usize)
        })?;
        let per_evaluation = |figure: fn(&LevelResults) -> u64| {
            move |of: &LevelResults| format!("{:.2}", figure(of) as f64 / evaluations)
        };
        let rows = per_evaluation(|of| of.statistics.rows());
        self.row(PLAIN, "rows per evaluation", &rows)?;
        let rows = per_evaluation(|of| of.statistics.updated_rows);
        self.row(PLAIN, "  in updates", &rows)?;
        let rows = per_evaluation(|of| of.statistics.refreshed_rows);
        self.row(PLAIN, "  in refreshes", &rows)?;
        let updates = per_evaluation(|of| of.statistics.updates);
        self.row(PLAIN, "updates per evaluation", &updates)?;
        let refreshes = per_evaluation(|of| of.statistics.refreshes);
        self.row(PLAIN, "refreshes per evaluation", &refreshes)?;
        self.row(PLAIN, "  cache hits", &|of| {
            thousands(of.statistics.hits() as usize)
        })?;
        self.row(PLAIN, "  cache misses", &|of| {
            thousands(of.statistics.misses as usize)
        })?;
        self.row(PLAIN, "checksum", &|of| format!("{:08x}", of.checksum))
    }

    fn footer(&mut self) -> io::Result<()> {
        let idle = &self.results.idle;
        writeln!(
            self.out,
            "Reading the trace alone takes {:.1} ns per evaluation ({:.1} to {:.1}), which incremental updates include.",
            idle.median(),
            idle.min(),
            idle.max()
        )?;
        let levels = match self.results.levels.len() {
            1 => "",
            _ => ", on all levels",
        };
        writeln!(
            self.out,
            "All {} values are equal by incremental updates, full refresh and forward pass alone{levels}.",
            thousands(self.trace.evaluations())
        )
    }

    fn row(
        &mut self,
        style: Style,
        label: &str,
        figure: &dyn Fn(&LevelResults) -> String,
    ) -> io::Result<()> {
        let figures = self.results.levels.iter().map(figure);
        let columns: String = figures.map(|text| format!("{text:>COLUMN$}")).collect();
        let line = format!("{label:<LABEL$}{columns}");
        writeln!(self.out, "{}", paint(style, line.trim_end()))
    }
}

/// A number with a comma between groups of three digits.
#[must_use]
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .filter_map(|group| str::from_utf8(group).ok())
        .collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_from_the_right() {
        assert_eq!(
            [0, 999, 1000, 1_234_567].map(thousands),
            ["0", "999", "1,000", "1,234,567"]
        );
    }
}
