//! Draws random networks over the whole spec language, and compares them with the interpreter.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs, panic};

use clap::builder::RangedU64ValueParser;
use clap::{Args, Parser, Subcommand};
use nnue_test_support::coverage::{Coverage, words_of};
use nnue_zoo::{Drawn, Scratch, Specimen, check_for, draw};

const NOTES: &str = "\
Every command says how many drafts the compiler refused. Run it from the project's folder.

Exit codes: 0 all is well; 1 a network fails, or no few seeds use every word; 2 nothing could be \
tried (arguments, the disk, cargo).

Example: cargo run -p nnue-zoo -- check --seed 100";

/// Random networks over the whole spec language; a seed always draws the same network
#[derive(Debug, Parser)]
#[command(name = "zoo", after_help = NOTES, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Zoo,
}

#[derive(Debug, Subcommand)]
enum Zoo {
    /// Print specs, or write them as DIR/zoo_SEED.toml
    Draw(Draw),
    /// Draw, compile and compare with the interpreter, on every level of this machine; failing
    /// seeds are printed, and their specs stay in the target folder
    Check(Check),
    /// Find few seeds whose specs use every word of the language, print how often each is used, and
    /// write the specs as DIR/zoo_01.toml, zoo_02.toml, ...
    Pick(Pick),
}

#[derive(Args, Debug)]
struct Draw {
    /// The first seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How many networks
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = count())]
    count: u64,
    /// Where specs go; without it, standard output
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Args, Debug)]
struct Check {
    /// Compare these specs: what is left of a failing one when it is made smaller
    #[arg(value_name = "FILE", conflicts_with_all = ["seed", "count", "forever"])]
    files: Vec<PathBuf>,
    /// The first seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How many networks
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = count())]
    count: u64,
    /// Go on with the seeds after these until stopped
    #[arg(long)]
    forever: bool,
}

#[derive(Args, Debug)]
struct Pick {
    /// The first of the seeds that are tried
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How many networks are written
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = count())]
    count: u64,
    /// Where specs go; without it, nothing is written
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

fn count() -> RangedU64ValueParser {
    RangedU64ValueParser::new().range(1..)
}

/// Networks that are compiled together.
const BATCH: usize = 10;

/// The same for files. Networks of engines take a gigabyte each while they are compared, and all
/// of those that are compiled together may be compared at the same time.
const BATCH_OF_FILES: usize = 4;

/// Seeds among which `pick` looks.
const CANDIDATES: usize = 4000;

/// The reason for which a command stops.
enum Stop {
    /// A network does not compile or gives wrong values.
    Failed,
    /// This machine or the command line is at fault.
    Local(String),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Zoo::Draw(options) => run_draw(&options),
        Zoo::Check(options) => run_check(&options),
        Zoo::Pick(options) => run_pick(&options),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Stop::Failed) => ExitCode::from(1),
        Err(Stop::Local(message)) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

/// Counts of drafts that were used and discarded.
#[derive(Default)]
struct Tally {
    drawn: usize,
    refused: usize,
    dull: usize,
}

impl Tally {
    /// Draws a seed; a panic of the compiler is a failure that must name it.
    fn draw(&mut self, seed: u64) -> Result<Drawn, Stop> {
        let drawn = panic::catch_unwind(|| draw(seed)).map_err(|_| {
            eprintln!("FAILED: seed {seed} panics while it is drawn");
            Stop::Failed
        })?;
        self.drawn += 1;
        self.refused += drawn.discarded.refused.len();
        self.dull += drawn.discarded.dull;
        Ok(drawn)
    }

    fn print(&self) {
        let drafts = self.drawn + self.refused + self.dull;
        let share = |part: usize| 100.0 * part as f64 / drafts.max(1) as f64;
        eprintln!(
            "{} networks of {drafts} drafts; the compiler refused {} ({:.1} %), {} ({:.1} %) said the same of every position",
            self.drawn,
            self.refused,
            share(self.refused),
            self.dull,
            share(self.dull)
        );
    }
}

fn run_draw(options: &Draw) -> Result<(), Stop> {
    let mut tally = Tally::default();
    for seed in (options.seed..).take(options.count as usize) {
        let drawn = tally.draw(seed)?;
        match &options.out {
            Some(folder) => write(&folder.join(format!("zoo_{seed}.toml")), &drawn.text)?,
            None => println!("{}", drawn.text),
        }
    }
    tally.print();
    Ok(())
}

fn run_check(options: &Check) -> Result<(), Stop> {
    let folder = scratch_folder()?;
    let local = |error| Stop::Local(format!("`{}`: {error}", folder.display()));
    let scratch = Scratch::new(&folder).map_err(local)?;
    if !options.files.is_empty() {
        return check_files(&options.files, &scratch);
    }
    let count = options.count as usize;
    let mut seeds = options.seed..;
    let (mut tally, mut failing, mut left) = (Tally::default(), Vec::new(), count);
    while left > 0 || options.forever {
        if left == 0 {
            left = count;
        }
        let batch: Vec<u64> = seeds.by_ref().take(left.min(BATCH)).collect();
        left -= batch.len();
        let drawn: Vec<Drawn> = batch
            .iter()
            .map(|seed| tally.draw(*seed))
            .collect::<Result<_, _>>()?;
        let specimens: Vec<Specimen> = drawn.iter().map(Specimen::from).collect();
        let failures = compare(&scratch, &specimens)?;
        println!(
            "seeds {} to {}: {} of {} equal the interpreter",
            batch[0],
            batch[batch.len() - 1],
            drawn.len() - failures.len(),
            drawn.len()
        );
        failing.extend(failures);
    }
    tally.print();
    if failing.is_empty() {
        return Ok(());
    }
    println!("failing: {}", failing.join(", "));
    Err(Stop::Failed)
}

/// Compares networks; returns the names of those that fail, with the reasons.
fn compare(scratch: &Scratch, specimens: &[Specimen]) -> Result<Vec<String>, Stop> {
    let failures = scratch.check(specimens);
    let failures = failures.map_err(|error| Stop::Local(format!("cannot compile: {error}")))?;
    for failure in &failures {
        println!("FAILED: {}, {}", failure.name, failure.spec.display());
        println!("{}", failure.message);
    }
    Ok(failures.into_iter().map(|failure| failure.name).collect())
}

fn check_files(files: &[PathBuf], scratch: &Scratch) -> Result<(), Stop> {
    let mut specimens = Vec::new();
    for (number, path) in files.iter().enumerate() {
        let local = |message: String| Stop::Local(format!("`{}`: {message}", path.display()));
        let text = fs::read_to_string(path).map_err(|error| local(error.to_string()))?;
        let specimen = Specimen::new(&name_of(path, number), &text).map_err(local)?;
        specimens.push(specimen);
    }
    let mut failing = Vec::new();
    for batch in specimens.chunks(BATCH_OF_FILES) {
        let failures = compare(scratch, batch)?;
        let names: Vec<&str> = batch
            .iter()
            .map(|specimen| specimen.name.as_str())
            .collect();
        println!(
            "{}: {} of {} equal the interpreter",
            names.join(", "),
            batch.len() - failures.len(),
            batch.len()
        );
        failing.extend(failures);
    }
    if failing.is_empty() {
        return Ok(());
    }
    println!("failing: {}", failing.join(", "));
    Err(Stop::Failed)
}

/// An identifier for a file: its name, and its number, as files in several folders may have the
/// same name.
fn name_of(path: &Path, number: usize) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let identifier = stem.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
    format!("file_{number}_{}", identifier.to_lowercase())
}

/// The folder for scratch packages, beside the output of cargo.
fn scratch_folder() -> Result<PathBuf, Stop> {
    let program = env::current_exe().map_err(|error| Stop::Local(error.to_string()))?;
    let target = program.ancestors().nth(2);
    target
        .map(|target| target.join("zoo"))
        .ok_or_else(|| Stop::Local(format!("`{}` is in no target folder", program.display())))
}

/// Chooses seeds one by one: each time the one that uses most words that few of those chosen before
/// use.
fn run_pick(options: &Pick) -> Result<(), Stop> {
    let mut tally = Tally::default();
    let mut candidates = Vec::new();
    for seed in (options.seed..).take(CANDIDATES) {
        let drawn = tally.draw(seed)?;
        candidates.push((words_of(&drawn.text), drawn));
    }
    tally.print();
    let mut coverage = Coverage::default();
    let mut chosen: Vec<Drawn> = Vec::new();
    for _ in 0..options.count {
        let gain = |(words, _): &(Vec<String>, Drawn)| coverage.gain(words);
        let best = (0..candidates.len())
            .max_by(|a, b| gain(&candidates[*a]).total_cmp(&gain(&candidates[*b])));
        let Some(best) = best else { break };
        let (_, drawn) = candidates.swap_remove(best);
        coverage.add(&drawn.text);
        chosen.push(drawn);
    }
    print!("{coverage}");
    let mut tests = String::new();
    for (number, drawn) in (1..).zip(&chosen) {
        if let Some(folder) = &options.out {
            write(&folder.join(format!("zoo_{number:02}.toml")), &drawn.text)?;
        }
        let check = check_for(&drawn.network);
        let _ = writeln!(
            tests,
            "    zoo_{number:02}: \"specs/zoo_{number:02}.toml\", {check};"
        );
    }
    print!("{tests}");
    match coverage.missing().as_slice() {
        [] => Ok(()),
        missing => {
            eprintln!("FAILED: nothing uses {}", missing.join("; "));
            Err(Stop::Failed)
        }
    }
}

fn write(path: &Path, text: &str) -> Result<(), Stop> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(path, text));
    written.map_err(|error| Stop::Local(format!("`{}`: {error}", path.display())))
}
