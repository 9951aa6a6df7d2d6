//! What was measured, as text: a block of rows for each net, a column for `nnue-rs` and two for
//! each of our levels.

use std::io::{self, Write};

use nnue_examples::colour::{Colours, Style};
use nnue_examples::replay::{Pass, Times, thousands};
use nnue_runtime::Level;
use nnue_trace::Trace;

use crate::nnue_rs::Way;
use crate::race::Results;

/// Writes the tables of all nets.
pub struct Table<'a> {
    /// Whether to write in colour.
    pub colours: Colours,
    /// The stream that the tables are written to.
    pub out: &'a mut dyn Write,
}

/// The width of what stands before the columns.
const LABEL: usize = 38;
/// The width of a column of times.
const TIME: usize = 10;
/// The width of a column of ratios.
const RATIO: usize = 9;

impl Table<'_> {
    /// Writes what the columns are.
    ///
    /// # Errors
    ///
    /// The errors of the writer.
    pub fn head(&mut self, levels: &[Level]) -> io::Result<()> {
        let ours: String = (levels.iter())
            .map(|level| format!("{:>TIME$}{:>RATIO$}", level.name(), "ratio"))
            .collect();
        let line = format!("{:<LABEL$}{:>TIME$}{ours}", "ns per evaluation", "nnue-rs");
        writeln!(self.out, "{}", self.colours.paint(Style::Faint, line))
    }

    /// Writes the block of a net.
    ///
    /// # Errors
    ///
    /// The errors of the writer.
    pub fn net(
        &mut self,
        name: &str,
        file: &str,
        trace: &Trace,
        results: &Results,
    ) -> io::Result<()> {
        let name = self.colours.paint(Style::Strong, name);
        writeln!(self.out, "\n{name} · {file}")?;
        let idle = results.idle.median();
        for (way, peer) in Way::ALL.into_iter().zip(&results.peer) {
            let reading = match way.pass() {
                Pass::Incremental => idle,
                Pass::Refresh | Pass::Forward => 0.0,
            };
            for (label, figure) in [
                (format!("{way}, median"), Times::median as fn(&Times) -> f64),
                ("  the fastest round".into(), Times::min),
            ] {
                let peer = figure(peer) - reading;
                write!(self.out, "{label:<LABEL$}{peer:>TIME$.1}")?;
                for ours in &results.levels {
                    let time = figure(&ours.times[way.pass() as usize]) - reading;
                    write!(
                        self.out,
                        "{time:>TIME$.1}{:>width$.1} x",
                        peer / time,
                        width = RATIO - 2
                    )?;
                }
                writeln!(self.out)?;
            }
        }
        writeln!(
            self.out,
            "along the search without reading the trace, which takes {idle:.1} by itself"
        )?;
        let equal = thousands(trace.evaluations());
        match results.rounded_otherwise {
            0 => writeln!(self.out, "all {equal} values are equal"),
            some => writeln!(
                self.out,
                "all {equal} values are equal as nnue-rs rounds them: {} are not the engine's",
                thousands(some)
            ),
        }
    }
}
