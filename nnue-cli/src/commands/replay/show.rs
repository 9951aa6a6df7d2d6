//! The results of a replay as a table, with a row for each number and a column for each level.

use std::io::{self, Write};

use nnue_tools::measure::replay::{InEngine, LevelResults, Pass, Results, Times, thousands};
use nnue_trace::Trace;

use crate::style::{FAINT, STRONG};
use crate::table::Table;

/// A report about measurements.
pub(super) struct Report<'a> {
    /// The times and checksums that were measured.
    pub(super) results: &'a Results,
    /// The recorded search that was replayed.
    pub(super) trace: &'a Trace,
    /// The stream that the report is written to.
    pub(super) out: &'a mut dyn Write,
}

/// A count of the evaluator's work.
type Count = fn(&LevelResults) -> u64;

impl Report<'_> {
    /// Writes the whole report.
    pub(super) fn write(&mut self) -> io::Result<()> {
        let levels = |of: &LevelResults| of.level.to_string();
        let mut table = Table::new(1, self.row("ns per evaluation", levels));
        self.times(&mut table);
        table.row([""; 0]);
        self.work(&mut table);
        table.write(self.out)?;
        writeln!(self.out)?;
        self.footer()
    }

    fn times(&self, table: &mut Table) {
        for pass in Pass::ALL {
            self.summary(table, &pass.to_string(), |of| {
                of.times[pass as usize].clone()
            });
            if pass == Pass::Incremental && self.results.engine_alone().is_some() {
                let in_engine = |of: &LevelResults| {
                    let times = of.in_engine.as_ref();
                    times.map(InEngine::evaluator).unwrap_or_default()
                };
                self.summary(table, "the same in the engine", in_engine);
                let ratio = |of: &LevelResults| {
                    let alone = of.times[pass as usize].median();
                    format!("{:.2} x", in_engine(of).median() / alone)
                };
                table.row(self.row("  ratio of medians", ratio));
            }
        }
    }

    /// Adds rows with the median, the minimum and the maximum of times.
    fn summary(&self, table: &mut Table, name: &str, times: impl Fn(&LevelResults) -> Times) {
        let figure = |figure: fn(&Times) -> f64| {
            let times = &times;
            move |of: &LevelResults| format!("{:.1}", figure(&times(of)))
        };
        let label = format!("{name}, median");
        table.styled(STRONG, self.row(&label, figure(Times::median)));
        table.row(self.row("  min", figure(Times::min)));
        table.row(self.row("  max", figure(Times::max)));
    }

    fn work(&self, table: &mut Table) {
        let evaluations = self.trace.evaluations() as f64;
        table.styled(FAINT, ["incremental updates"]);
        let speed = |of: &LevelResults| thousands((1e9 / of.times[0].median()) as usize);
        table.row(self.row("evaluations per second", speed));
        let per_evaluation: [(&str, Count); 5] = [
            ("rows per evaluation", |of| of.statistics.rows()),
            ("  in updates", |of| of.statistics.updated_rows),
            ("  in refreshes", |of| of.statistics.refreshed_rows),
            ("updates per evaluation", |of| of.statistics.updates),
            ("refreshes per evaluation", |of| of.statistics.refreshes),
        ];
        for (label, count) in per_evaluation {
            let mean = |of: &LevelResults| format!("{:.2}", count(of) as f64 / evaluations);
            table.row(self.row(label, mean));
        }
        let hits = |of: &LevelResults| thousands(of.statistics.hits() as usize);
        table.row(self.row("  cache hits", hits));
        let misses = |of: &LevelResults| thousands(of.statistics.misses as usize);
        table.row(self.row("  cache misses", misses));
        let checksum = |of: &LevelResults| format!("{:08x}", of.checksum);
        table.row(self.row("checksum", checksum));
    }

    fn footer(&mut self) -> io::Result<()> {
        let idle = &self.results.idle;
        writeln!(
            self.out,
            "Reading the trace alone takes {}, which incremental updates do not include.",
            range(idle),
        )?;
        if let Some(engine) = self.results.engine_alone() {
            writeln!(
                self.out,
                "The engine alone takes {}, which times in the engine do not include either: it makes the moves on a board, probes a hash table, and generates moves.",
                range(&engine),
            )?;
        }
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

    /// A row with a label, and with a number for each level.
    fn row(&self, label: &str, figure: impl Fn(&LevelResults) -> String) -> Vec<String> {
        let figures = self.results.levels.iter().map(figure);
        [label.to_string()].into_iter().chain(figures).collect()
    }
}

/// The median of times, with their minimum and maximum, as text.
fn range(times: &Times) -> String {
    format!(
        "{:.1} ns per evaluation ({:.1} to {:.1})",
        times.median(),
        times.min(),
        times.max()
    )
}
