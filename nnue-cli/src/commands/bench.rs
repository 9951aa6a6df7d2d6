//! `nnue bench`: how fast networks are, beside each other.

mod packages;
mod table;

use std::fmt;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use clap::Args;
use nnue_compiler::{file_layout, format};
use nnue_measure::ProgramError;
use nnue_measure::bench::{
    Measured, Packages, Program, Row, Spec, density_of_trained, measure, net_file, steps,
};
use nnue_nets::evaluation::told_features;
use nnue_nets::net_file::read_net;
use nnue_nets::specs::SpecChoice;
use nnue_runtime::Level;
use nnue_trace::Trace;
use serde::Serialize;

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
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u16).range(1..=1000))]
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

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'r> {
    /// What was measured, in the order of the specs.
    rows: &'r [Row],
    /// What went wrong with others.
    errors: &'r [Wrong],
    /// How often the rounds were measured.
    tries: usize,
    /// Whether the times of rounds are near each other. If not, the machine was never quiet enough.
    even: bool,
}

/// A spec without a row.
#[derive(Clone, Debug, Serialize)]
struct Wrong {
    /// Its file.
    spec: String,
    /// Why it has none.
    error: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Wrong { spec, error } = self;
        // The compiler's messages say where they are from.
        let error = error.strip_prefix("error: ").unwrap_or(error);
        match error.contains(spec) {
            true => f.write_str(error),
            false => write!(f, "`{spec}`: {error}"),
        }
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

    /// The specs, however they were named.
    fn choices(&self) -> impl Iterator<Item = &SpecChoice> {
        self.specs.iter().chain(&self.named_specs)
    }

    /// What is in the files now.
    fn texts(&self) -> Vec<Option<Vec<u8>>> {
        let texts = self.choices().map(|spec| match spec {
            SpecChoice::File(path) => fs::read(path).ok(),
            SpecChoice::Known(_) => None,
        });
        texts.collect()
    }

    /// Measures all of them once. An error in one leaves the others' rows.
    fn once(
        &self,
        packages: &Packages,
        trace: &Trace,
        levels: &[Level],
        out: &mut dyn Write,
    ) -> Result<ExitCode, Failure> {
        let bar = progress::stages();
        let (mut specs, mut errors) = (Vec::new(), Vec::new());
        for choice in self.choices() {
            match spec(choice) {
                Ok(spec) => specs.push(spec),
                Err(error) => errors.push(wrong(choice, &error)),
            }
        }
        let nets = self.nets_of(&specs)?;
        bar.set_message("compiling");
        bar.tick();
        let turn = packages.turn(waiting)?;
        let built = turn.build(&specs)?;
        bar.set_message("choosing weights");
        bar.tick();
        let mut programs = Vec::new();
        for ((spec, net), program) in specs.iter().zip(nets).zip(built) {
            let density = self
                .density
                .unwrap_or_else(|| density_of_trained(&spec.network));
            let started = program.and_then(|program| {
                let file = match &net {
                    Some(net) => net.clone(),
                    None => net_file(&turn.folder_of(spec), spec, density, trace)
                        .map_err(|error| ProgramError::from(error.to_string()))?,
                };
                let start = |level: &Level| Program::start(&program, &file, *level);
                levels.iter().map(start).collect::<Result<Vec<_>, _>>()
            });
            match started {
                Ok(started) => {
                    programs.extend(levels.iter().zip(started).map(|(level, program)| {
                        let names = [spec.choice.to_string(), spec.network.name.clone()];
                        let net = net.as_ref().map(|net| net.display().to_string());
                        (Row::new(names, net, *level, program.facts), program)
                    }))
                }
                Err(error) => errors.push(wrong(&spec.choice, &error.to_string())),
            }
        }
        drop(turn);
        bar.set_message("measuring");
        bar.set_length(steps(self.rounds.into()) as u64);
        let evaluations = trace.searches.iter().map(|search| search.evaluated.len());
        let evaluations: Vec<usize> = evaluations.collect();
        let measured = measure(&mut programs, &evaluations, self.rounds.into(), &mut || {
            bar.inc(1)
        });
        bar.finish_and_clear();
        let Measured {
            rows: measured,
            tries,
            are_even,
        } = measured;
        let mut rows = Vec::new();
        for (row, (unmeasured, _)) in measured.into_iter().zip(&programs) {
            match row {
                Ok(row) => rows.push(row),
                Err(error) => errors.push(wrong(&unmeasured.spec, &error.to_string())),
            }
        }
        let report = Report {
            rows: &rows,
            errors: &errors,
            tries,
            even: are_even,
        };
        self.report(&report, out)
    }

    fn report(&self, report: &Report<'_>, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let Report { rows, errors, .. } = *report;
        if self.json {
            write_json(report, out)?;
        } else {
            if !rows.is_empty() {
                Table { rows }.write(out)?;
                if !report.even {
                    let tries = report.tries;
                    warn(&format!(
                        "the machine was busy: the times of rounds were uneven in each of {tries} tries, of which the most even one is shown"
                    ));
                }
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
        Ok(match errors {
            [] => ExitCode::SUCCESS,
            _ => ExitCode::FAILURE,
        })
    }

    /// For each spec, the net file that is one of it.
    fn nets_of(&self, specs: &[Spec]) -> Result<Vec<Option<PathBuf>>, Failure> {
        let mut nets = vec![None; specs.len()];
        for path in &self.nets {
            let file = read_net(path, None)?;
            let mut refusals = Vec::new();
            let mut place = None;
            for (index, spec) in specs.iter().enumerate() {
                match format::check(&file_layout(&spec.network), &file) {
                    Ok(_) if nets[index].is_none() => {
                        place = Some(index);
                        break;
                    }
                    Ok(_) => refusals.push(format!("`{}` has one", spec.choice)),
                    Err(error) => refusals.push(format!("`{}`: {error}", spec.choice)),
                }
            }
            match place {
                Some(index) => nets[index] = Some(path.clone()),
                None => {
                    return Err(Failure::Work(format!(
                        "`{}` is a net file of none of the specs: {}",
                        path.display(),
                        refusals.join("; ")
                    )));
                }
            }
        }
        Ok(nets)
    }
}

/// Reads a spec whose network can be measured on chess positions.
fn spec(choice: &SpecChoice) -> Result<Spec, String> {
    let spec = Spec::read(choice).map_err(|error| Failure::from(error).message())?;
    if told_features(&spec.network).is_some() {
        return Err("it has custom feature sets, which only its engine knows: the recorded search is one of chess".into());
    }
    Ok(spec)
}

fn wrong(spec: &impl ToString, error: &str) -> Wrong {
    Wrong {
        spec: spec.to_string(),
        error: error.trim_start().into(),
    }
}
