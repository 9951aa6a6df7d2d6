//! `nnue bench`: the speed of networks beside each other.

mod details;
mod options;
mod packages;
mod table;
mod together;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use clap::Args;
use nnue_runtime::Level;
use nnue_tools::files::is_standard;
use nnue_tools::measure::bench::{Comparison, Event, Report, Row, Wrong};
use nnue_tools::measure::workspace::Workspace;
use nnue_tools::nets::net_file::{Recognised, read_net};
use nnue_tools::nets::specs::{KnownSpec, Spec, SpecChoice, read_text};
use nnue_trace::Trace;

use self::options::{share, table_size};
pub(super) use self::packages::{PackageOptions, waiting};
use self::table::Table;
use crate::Failure;
use crate::failure::complain;
use crate::inputs::{NamedLevels, default_level, read_trace, write_json};
use crate::progress;

const EXAMPLE: &str = "\
Example: nnue bench small128 my-variant.toml --level avx2,avx512icl
         nnue bench --net my-net.nnue --level all --details";

const NOTES: &str = "\
Measured are evaluations along a recorded search, by an evaluator that has the processor to itself; \
the same in an engine, which makes the moves on a board, probes a hash table of 16 MB at each node, \
and generates moves, without what all this takes alone; a full refresh of each position; and the \
forward pass alone. All values are compared: they must be the same however they are computed.

Other work on the machine makes times longer, and never shorter. So of each search the shortest time \
over the rounds counts, and shown is their sum. On a terminal the table stands after the first round, \
and gets better while you read it: Ctrl-C ends that.

A trace has one line per root position: `FEN;`, then tokens separated by spaces.
  e2e4 e7e8q   make this move; castling is the king's move, such as e1g1
  0            make a null move
  -  ~         take back the last move; the last null move
  =            evaluate the position

The exit code is 0 if all went well, 1 if values differ or a spec or a file could not be used, 2 if \
the arguments are wrong.";

/// How often each search is evaluated, if nobody says how often.
pub(super) const ROUNDS: u16 = 9;

/// The same on a terminal, where the table stands meanwhile.
const ROUNDS_ON_TERMINAL: u16 = 36;

#[derive(Args, Debug)]
#[command(after_help = EXAMPLE, after_long_help = format!("{NOTES}\n\n{EXAMPLE}"))]
pub(crate) struct Bench {
    /// The specs: TOML files, or names of those in `specs`; the others are compared with the first.
    /// Without any, those of the nets
    #[arg(value_name = "SPEC", required_unless_present_any = ["named_specs", "nets"], value_parser = crate::inputs::spec_choice())]
    specs: Vec<SpecChoice>,
    /// Specs after those
    #[arg(long = "spec", hide = true, value_name = "SPEC", value_parser = crate::inputs::spec_choice())]
    named_specs: Vec<SpecChoice>,
    /// A net file of one of the specs; may be given several times. The others are measured with
    /// weights that nobody has trained
    #[arg(long = "net", value_name = "FILE")]
    nets: Vec<PathBuf>,
    /// The instruction sets, separated by commas, or `all` that this machine has; without it, the
    /// one that NNUE_LEVEL names or the best
    #[arg(long = "level", value_name = "NAMES", value_delimiter = ',', value_parser = NamedLevels::parser())]
    levels: Vec<NamedLevels>,
    /// How often each search is evaluated, 1 to 1000, and half as often in the engine: by default 9
    /// times, and 36 times on a terminal, where the table stands meanwhile
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    rounds: Option<u16>,
    /// The size of the hash table of the engine in which networks are measured too, such as 256M;
    /// without one, 16M
    #[arg(long, value_name = "SIZE", num_args = 0..=1, require_equals = true, default_missing_value = "16M", value_parser = table_size)]
    engine: Option<usize>,
    /// Follow the search of this trace, text or gzip; without it, the search that is built in
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Show quartiles, the work of an evaluator, and the checksum of all values too
    #[arg(long)]
    details: bool,
    /// Measure N processes that evaluate along the search at the same time, 1 to 256: first with
    /// their own weights, then with shared weights, in turns. The table shows the evaluations a
    /// second of all processes of a kind, and their memory. With `--engine` they do so in an engine
    #[arg(long, value_name = "N", conflicts_with_all = ["watch", "details"], value_parser = clap::value_parser!(u16).range(1..=256))]
    processes: Option<u16>,
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

impl Bench {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        self.refuse_streams()?;
        let levels = self.levels()?;
        let trace = read_trace(self.trace.as_deref())?;
        let packages = self.packages.open()?;
        loop {
            let texts = self.texts();
            let has_changed = || self.watch && self.texts() != texts;
            let goes_on = || !has_changed();
            let comparison = self.comparison(&packages, &trace, &levels, &goes_on);
            if let Some(processes) = self.processes {
                return self.together(&comparison, processes.into(), out);
            }
            let report = with_progress(&self.table_in_place(), |events| {
                self.compare(&comparison, events)
            });
            let report = report?;
            if !has_changed() {
                let code = self.report(&report, out)?;
                out.flush()?;
                if !self.watch {
                    return Ok(code);
                }
                writeln!(out)?;
            }
            while !has_changed() {
                thread::sleep(Duration::from_millis(200));
            }
        }
    }

    /// Refuses standard input: the program of each network reads the files again.
    fn refuse_streams(&self) -> Result<(), Failure> {
        let files = self.nets.iter().chain(&self.trace);
        match files.map(PathBuf::as_path).find(|path| is_standard(path)) {
            None => Ok(()),
            Some(_) => Err(Failure::Arguments(
                "found standard input, expected a file: the program of each network reads it again"
                    .into(),
            )),
        }
    }

    fn levels(&self) -> Result<Vec<Level>, Failure> {
        let levels = match &*self.levels {
            [] => vec![default_level()?],
            named => NamedLevels::levels(named),
        };
        match (&*levels, self.processes) {
            ([_, _, ..], Some(_)) => Err(Failure::Arguments(
                "found several levels, expected one for `--processes`".into(),
            )),
            _ => Ok(levels),
        }
    }

    fn comparison<'a>(
        &'a self,
        packages: &'a Workspace,
        trace: &'a Trace,
        levels: &'a [Level],
        goes_on: &'a dyn Fn() -> bool,
    ) -> Comparison<'a> {
        let rounds = self.rounds.unwrap_or(if self.is_on_terminal() {
            ROUNDS_ON_TERMINAL
        } else {
            ROUNDS
        });
        Comparison {
            packages,
            trace,
            trace_file: self.trace.as_deref(),
            levels,
            rounds: rounds.into(),
            table: self.engine,
            density: self.density,
            goes_on,
        }
    }

    /// Whether a table can be drawn again and again.
    fn is_on_terminal(&self) -> bool {
        let is_terminal = std::io::stdout().is_terminal() && std::io::stderr().is_terminal();
        is_terminal && !self.json && self.processes.is_none()
    }

    /// The text of the table that is drawn while measuring.
    fn table_in_place(&self) -> impl Fn(&[Row]) -> String {
        let is_drawn = self.is_on_terminal();
        move |rows| {
            let mut text = Vec::new();
            if is_drawn && rows.iter().any(|row| row.incremental.is_finite()) {
                // Memory takes all.
                let _ = Table { rows }.write(&mut text);
            }
            let text = String::from_utf8_lossy(&text).into_owned();
            anstream::adapter::strip_str(&text).to_string()
        }
    }

    /// The specs of both kinds of arguments.
    fn choices(&self) -> impl Iterator<Item = &SpecChoice> {
        self.specs.iter().chain(&self.named_specs)
    }

    /// The present contents of the specs' files.
    fn texts(&self) -> Vec<Option<String>> {
        let texts = self.choices().map(|spec| match spec {
            SpecChoice::File(path) => read_text(path).ok(),
            SpecChoice::Known(_) => None,
        });
        texts.collect()
    }

    /// Measures all specs once. An error for a spec leaves the rows of all others.
    fn compare(
        &self,
        comparison: &Comparison<'_>,
        events: &mut dyn FnMut(Event<'_>),
    ) -> Result<Report, Failure> {
        Ok(comparison.run(self.read()?, &self.nets, events)?)
    }

    /// The specs of the arguments; without any, those that the nets tell.
    fn read(&self) -> Result<Vec<Result<Spec, Wrong>>, Failure> {
        let read = |choice: &SpecChoice| choice.read().map_err(|error| Wrong::new(choice, error));
        match self.choices().next() {
            Some(_) => Ok(self.choices().map(read).collect()),
            None => self
                .nets
                .iter()
                .map(|net| spec_of_net(net).map(Ok))
                .collect(),
        }
    }

    /// Measures processes that evaluate at the same time.
    fn together(
        &self,
        comparison: &Comparison<'_>,
        processes: usize,
        out: &mut dyn Write,
    ) -> Result<ExitCode, Failure> {
        let specs = self.read()?;
        let report = with_progress(&|_| String::new(), |events| {
            comparison.run_together(specs, &self.nets, processes, events)
        })?;
        if self.json {
            write_json(&report, out)?
        } else {
            together::write(&report, out)?;
            complain_of(&report.errors, out)?;
        }
        Ok(code(&report.errors))
    }

    fn report(&self, report: &Report, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let Report { rows, errors, .. } = report;
        if self.json {
            write_json(report, out)?;
        } else {
            if !rows.is_empty() {
                Table { rows }.write(out)?;
                if self.details {
                    details::write(report, out)?;
                }
            }
            complain_of(errors, out)?;
            let first = self.choices().next().map(ToString::to_string);
            if let (Some(first), Some(row)) = (first, rows.first())
                && rows.iter().all(|row| row.spec != first)
            {
                complain(&format!(
                    "`{first}` has no row, so the others are compared with `{}`",
                    row.spec
                ));
            }
        }
        Ok(code(errors))
    }
}

/// The spec of a net that tells it.
fn spec_of_net(net: &Path) -> Result<Spec, Failure> {
    let Recognised { spec, file, .. } = Recognised::of(net, read_net(net, None)?, "unnamed")?;
    let known = KnownSpec::all().find(|known| known.text == spec);
    Ok(Spec {
        // A known network has one package, whatever its net. Others have the name of the net.
        choice: known.map_or_else(|| SpecChoice::File(net.into()), SpecChoice::Known),
        text: spec.into(),
        network: file.network,
    })
}

fn complain_of(errors: &[Wrong], out: &mut dyn Write) -> Result<(), Failure> {
    out.flush()?;
    for error in errors {
        complain(&error.to_string());
    }
    Ok(())
}

fn code(errors: &[Wrong]) -> ExitCode {
    match errors {
        [] => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// Carries out a comparison whose events are shown as a progress bar, below a table of what was
/// measured so far.
pub(super) fn with_progress<T>(
    table: &dyn Fn(&[Row]) -> String,
    compare: impl FnOnce(&mut dyn FnMut(Event<'_>)) -> T,
) -> T {
    let bar = progress::stages();
    let compared = compare(&mut |event| match event {
        Event::Waiting(folder) => waiting(folder),
        Event::Compiling => {
            bar.set_prefix("compiling");
            bar.tick();
            progress::say(&bar, progress::COMPILING);
        }
        Event::Measured { rows, done, steps } => {
            if done == 0 {
                progress::say(&bar, &format!("measuring in {steps} steps"));
            }
            bar.set_prefix("measuring");
            bar.set_length(steps as u64);
            bar.set_position(done as u64);
            bar.set_message(table(rows));
            bar.tick();
        }
    });
    bar.finish_and_clear();
    compared
}
