//! Draws random networks over the whole spec language, and compares them with the interpreter.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs, panic};

use nnue_zoo::{Coverage, Drawn, Scratch, Specimen, check_for, draw, words_of};

const USAGE: &str = "\
usage: zoo draw  [--seed N] [--count N] [--out DIR]
       zoo check [--seed N] [--count N] [--forever]
       zoo check FILE...
       zoo pick  [--seed N] [--count N] [--out DIR]

Random networks over the whole spec language. A seed always draws the same network.

  draw   prints specs, or writes them as DIR/zoo_SEED.toml
  check  draws, compiles and compares with the interpreter, on every level of this
         machine; prints failing seeds and leaves their specs in the target folder. With files,
         compares these specs: what is left of a failing one when it is made smaller
  pick   finds few seeds whose specs use every word of the language, prints how often each is
         used, and writes the specs as DIR/zoo_01.toml, zoo_02.toml, ...

  --seed N    the first seed, by default 1
  --count N   how many networks, by default 10; of pick, how many to write, by default 40
  --out DIR   where specs go
  --forever   go on with the seeds after these until stopped

Every command says how many drafts the compiler refused. Run it from the project's folder:

  cargo run -p nnue-zoo -- check

exit codes: 0 all is well; 1 a network fails, or no few seeds use every word;
            2 nothing could be tried (arguments, the disk, cargo)";

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

#[derive(Default)]
struct Options {
    seed: Option<u64>,
    count: Option<usize>,
    out: Option<PathBuf>,
    forever: bool,
    files: Vec<PathBuf>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let ["--help" | "-h", ..] | [_, "--help" | "-h"] = arguments[..] {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let outcome = match arguments[..] {
        ["draw", ref rest @ ..] => options(rest).and_then(|options| run_draw(&options)),
        ["check", ref rest @ ..] => options(rest).and_then(|options| run_check(&options)),
        ["pick", ref rest @ ..] => options(rest).and_then(|options| run_pick(&options)),
        [] => Err(Stop::Local(format!("which command?\n\n{USAGE}"))),
        [other, ..] => Err(Stop::Local(format!(
            "unknown command `{other}`, allowed are `draw`, `check` and `pick`\n\n{USAGE}"
        ))),
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

fn options(arguments: &[&str]) -> Result<Options, Stop> {
    let mut options = Options::default();
    let mut arguments = arguments.iter();
    while let Some(&argument) = arguments.next() {
        let mut value = || {
            let value = arguments.next().copied();
            value.ok_or_else(|| Stop::Local(format!("`{argument}` needs a value")))
        };
        match argument {
            "--seed" => options.seed = Some(number(argument, value()?)?),
            "--count" => options.count = Some(number(argument, value()?)?.max(1) as usize),
            "--out" => options.out = Some(PathBuf::from(value()?)),
            "--forever" => options.forever = true,
            file if !file.starts_with('-') => options.files.push(PathBuf::from(file)),
            _ => {
                return Err(Stop::Local(format!(
                    "unknown option `{argument}`\n\n{USAGE}"
                )));
            }
        }
    }
    Ok(options)
}

fn number(option: &str, value: &str) -> Result<u64, Stop> {
    value
        .parse()
        .map_err(|_| Stop::Local(format!("`{option}` is `{value}`, expected a whole number")))
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

fn run_draw(options: &Options) -> Result<(), Stop> {
    no_check(options)?;
    let mut tally = Tally::default();
    let first = options.seed.unwrap_or(1);
    for seed in (first..).take(options.count.unwrap_or(10)) {
        let drawn = tally.draw(seed)?;
        match &options.out {
            Some(folder) => write(&folder.join(format!("zoo_{seed}.toml")), &drawn.text)?,
            None => println!("{}", drawn.text),
        }
    }
    tally.print();
    Ok(())
}

fn run_check(options: &Options) -> Result<(), Stop> {
    if options.out.is_some() {
        return Err(Stop::Local(
            "`--out` does not belong to `check`".to_string(),
        ));
    }
    let folder = scratch_folder()?;
    let local = |error| Stop::Local(format!("`{}`: {error}", folder.display()));
    let scratch = Scratch::new(&folder).map_err(local)?;
    if !options.files.is_empty() {
        return check_files(options, &scratch);
    }
    let count = options.count.unwrap_or(10);
    let mut seeds = options.seed.unwrap_or(1)..;
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

fn check_files(options: &Options, scratch: &Scratch) -> Result<(), Stop> {
    if options.forever || options.seed.is_some() || options.count.is_some() {
        return Err(Stop::Local(
            "files are checked as they are, without other options".to_string(),
        ));
    }
    let mut specimens = Vec::new();
    for (number, path) in options.files.iter().enumerate() {
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

/// Refuses what only `check` knows.
fn no_check(options: &Options) -> Result<(), Stop> {
    if options.forever {
        return Err(Stop::Local("`--forever` is only for `check`".to_string()));
    }
    match options.files.first() {
        Some(file) => Err(Stop::Local(format!(
            "`{}`: only `check` takes files",
            file.display()
        ))),
        None => Ok(()),
    }
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
fn run_pick(options: &Options) -> Result<(), Stop> {
    no_check(options)?;
    let mut tally = Tally::default();
    let first = options.seed.unwrap_or(1);
    let mut candidates = Vec::new();
    for seed in (first..).take(CANDIDATES) {
        let drawn = tally.draw(seed)?;
        candidates.push((words_of(&drawn.text), drawn));
    }
    tally.print();
    let mut coverage = Coverage::default();
    let mut chosen: Vec<Drawn> = Vec::new();
    for _ in 0..options.count.unwrap_or(40) {
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
