//! `nnue bench`: the speed of networks beside each other.

mod packages;
mod table;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use clap::Args;
use indicatif::ProgressBar;
use nnue_runtime::Level;
use nnue_tools::measure::bench::{Comparison, Event, Packages, Report};
use nnue_tools::nets::specs::SpecChoice;
use nnue_trace::Trace;

pub(super) use self::packages::{PackageOptions, waiting};
use self::table::Table;
use crate::Failure;
use crate::failure::{complain, warn};
use crate::inputs::{available_level, default_level, write_json};
use crate::progress;

const EXAMPLE: &str = "\
Example: nnue bench small128 my-variant.toml --level avx2,avx512icl";

const NOTES: &str = "\
Measured are evaluations along a recorded search, by an evaluator that has the processor to itself; \
the same in an engine, which makes the moves on a board, probes a hash table of 16 MB at each node, \
and generates moves, without what all this takes alone; a full refresh of each position; and the \
forward pass alone. All values are compared: they must be the same however they are computed.";

/// How often each search is evaluated, if nobody says how often.
pub(super) const ROUNDS: u16 = 9;

#[derive(Args, Debug)]
#[command(after_help = EXAMPLE, after_long_help = format!("{NOTES}\n\n{EXAMPLE}"))]
pub(crate) struct Bench {
    /// The specs, of which the first is what the others are compared with: TOML files, or names of
    /// those in `specs`
    #[arg(value_name = "SPEC", required_unless_present = "named_specs", value_parser = crate::inputs::spec_choice())]
    specs: Vec<SpecChoice>,
    /// Specs after those
    #[arg(long = "spec", hide = true, value_name = "SPEC", value_parser = crate::inputs::spec_choice())]
    named_specs: Vec<SpecChoice>,
    /// A net file of one of the specs; may be given several times. The others are measured with
    /// weights that nobody has trained
    #[arg(long = "net", value_name = "FILE")]
    nets: Vec<PathBuf>,
    /// The instruction sets, separated by commas; without it, the one that NNUE_LEVEL names or the
    /// best that this machine has
    #[arg(long = "level", value_name = "NAMES", value_delimiter = ',', value_parser = available_level())]
    levels: Vec<Level>,
    /// How often each search is evaluated; of each, the median counts. While the times are uneven,
    /// it waits and does so again, up to three times
    #[arg(long, value_name = "N", default_value_t = ROUNDS, value_parser = clap::value_parser!(u16).range(1..=1000))]
    rounds: u16,
    /// The share of blocks of four inputs that are not zero with weights that nobody has trained;
    /// without it, as in trained networks of that kind
    #[arg(long, value_name = "SHARE", value_parser = share)]
    density: Option<f64>,
    #[command(flatten)]
    packages: PackageOptions,
    /// Measure again whenever one of the specs changes
    #[arg(long)]
    watch: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("expected a number from 0 to 1".into()),
    }
}

impl Bench {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let packages = self.packages.open()?;
        let trace = Trace::bundled().map_err(Failure::work)?;
        let levels = match &*self.levels {
            [] => vec![default_level()?],
            levels => levels.to_vec(),
        };
        loop {
            let texts = self.texts();
            let code = self.once(&packages, &trace, &levels, out)?;
            out.flush()?;
            if !self.watch {
                return Ok(code);
            }
            while self.texts() == texts {
                thread::sleep(Duration::from_millis(200));
            }
            writeln!(out)?;
        }
    }

    /// The specs of both kinds of arguments.
    fn choices(&self) -> impl Iterator<Item = &SpecChoice> {
        self.specs.iter().chain(&self.named_specs)
    }

    /// The present contents of the specs' files.
    fn texts(&self) -> Vec<Option<Vec<u8>>> {
        let texts = self.choices().map(|spec| match spec {
            SpecChoice::File(path) => fs::read(path).ok(),
            SpecChoice::Known(_) => None,
        });
        texts.collect()
    }

    /// Measures all specs once. An error for a spec leaves the rows of all others.
    fn once(
        &self,
        packages: &Packages,
        trace: &Trace,
        levels: &[Level],
        out: &mut dyn Write,
    ) -> Result<ExitCode, Failure> {
        let comparison = Comparison {
            packages,
            trace,
            levels,
            rounds: self.rounds.into(),
            density: self.density,
        };
        let report = with_progress(|events| comparison.run(self.choices(), &self.nets, events));
        self.report(&report?, out)
    }

    fn report(&self, report: &Report, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let Report { rows, errors, .. } = report;
        if self.json {
            write_json(report, out)?;
        } else {
            if !rows.is_empty() {
                Table { rows }.write(out)?;
                warn_if_uneven(report);
            }
            out.flush()?;
            for error in errors {
                complain(&error.to_string());
            }
            let first = self.choices().next().map(ToString::to_string);
            let first = first.unwrap_or_default();
            if let (true, Some(row)) = (rows.iter().all(|row| row.spec != first), rows.first()) {
                complain(&format!(
                    "`{first}` has no row, so the others are compared with `{}`",
                    row.spec
                ));
            }
        }
        Ok(match &**errors {
            [] => ExitCode::SUCCESS,
            _ => ExitCode::FAILURE,
        })
    }
}

/// Carries out a comparison whose events are shown as a progress bar.
pub(super) fn with_progress<T>(compare: impl FnOnce(&mut dyn FnMut(Event<'_>)) -> T) -> T {
    let bar = progress::stages();
    let compared = compare(&mut |event| match event {
        Event::Waiting(folder) => waiting(folder),
        Event::Compiling => stage(&bar, "compiling"),
        Event::ChoosingWeights => stage(&bar, "choosing weights"),
        Event::Measuring { steps } => {
            bar.set_message("measuring");
            bar.set_length(steps as u64);
        }
        Event::Step => bar.inc(1),
    });
    bar.finish_and_clear();
    compared
}

/// Warns of times that were measured on a busy machine.
pub(super) fn warn_if_uneven(report: &Report) {
    if !report.even {
        let tries = report.tries;
        warn(&format!(
            "the machine was busy: the times of rounds were uneven in each of {tries} tries, of which the most even one is shown"
        ));
    }
}

fn stage(bar: &ProgressBar, message: &'static str) {
    bar.set_message(message);
    bar.tick();
}
