//! What the command lines of the example programs share: help, exit codes, the options that name a
//! net, and those of the programs that measure.

use std::error::Error;
use std::fmt;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressStyle};
use nnue_runtime::{Level, LevelError};
use nnue_trace::Trace;

use crate::any_network::AnyNetwork;
use crate::specs::{self, NetError, Spec};

/// What a command line asks for.
pub enum Command<T> {
    /// The user asks how the program is used.
    Help,
    /// The user asks for the version.
    Version,
    /// The user asks for the program's work, with these options.
    Run(T),
}

/// Why a program has nothing more to write.
#[derive(Debug)]
pub enum Failure {
    /// Standard output takes nothing more.
    Output(io::Error),
    /// The work cannot be done, or it finds a difference.
    Work(String),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Output(error)
    }
}

/// A program from its arguments to its exit code: what `run` returns, 1 if it fails, 2 if the
/// options are wrong. `LEVELS` in its usage stands for the names of this architecture's levels.
pub fn execute<T>(
    program: &str,
    usage: &str,
    parse: impl FnOnce(lexopt::Parser) -> Result<Command<T>, Box<dyn Error>>,
    run: impl FnOnce(&T) -> Result<ExitCode, Failure>,
) -> ExitCode {
    let done = match parse(lexopt::Parser::from_env()) {
        Ok(Command::Help) => {
            let levels: Vec<&str> = Level::names().collect();
            print(&usage.replace("LEVELS", &levels.join(", ")))
        }
        Ok(Command::Version) => print(&format!("{program} {}\n", env!("CARGO_PKG_VERSION"))),
        Ok(Command::Run(arguments)) => run(&arguments),
        Err(error) => {
            complain(&format!("{error}\n\nsee `{program} --help`"));
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(code) => code,
        // A reader that stops early, such as `head`, is not an error.
        Err(Failure::Output(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Output(error)) => {
            complain(&format!("cannot write to standard output: {error}"));
            ExitCode::FAILURE
        }
        Err(Failure::Work(message)) => {
            complain(&message);
            ExitCode::FAILURE
        }
    }
}

fn print(text: &str) -> Result<ExitCode, Failure> {
    io::stdout().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Writes a warning to standard error, as [`complain`] writes errors.
pub fn warn(message: &str) {
    let _ = writeln!(io::stderr(), "warning: {message}");
}

/// Writes an error message. Unlike `eprintln!` this does not panic where standard error is closed.
pub fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "error: {message}");
}

/// The net that `--net` and `--spec` name.
#[derive(Clone, Debug)]
pub enum NetChoice {
    /// The one that is part of the program.
    BuiltIn,
    /// A file and its spec; without a spec, the file decides which one it is.
    File(PathBuf, Option<&'static Spec>),
}

impl NetChoice {
    /// The net that the values of the two options mean.
    ///
    /// # Errors
    ///
    /// [`NeedsFile`] if only a spec is named, and the built-in net is not one of it.
    pub fn of(file: Option<PathBuf>, spec: Option<&'static Spec>) -> Result<NetChoice, NeedsFile> {
        match (file, spec) {
            (Some(file), spec) => Ok(NetChoice::File(file, spec)),
            (None, Some(spec)) if spec.name != specs::BUILT_IN_SPEC => Err(NeedsFile { spec }),
            (None, _) => Ok(NetChoice::BuiltIn),
        }
    }

    /// Loads the network, and names its file.
    ///
    /// # Errors
    ///
    /// [`NetError`] if the file cannot be read, fits no spec, or does not fit the spec that was
    /// named.
    pub fn open(&self, level: Level) -> Result<(Box<dyn AnyNetwork>, String), NetError> {
        let (path, spec) = match self {
            NetChoice::BuiltIn => {
                let file = format!("{}, built in", specs::BUILT_IN_FILE);
                return Ok((specs::built_in(level), file));
            }
            NetChoice::File(path, spec) => (path, spec),
        };
        let spec = match spec {
            Some(spec) => spec,
            None => Spec::of_file(path)?,
        };
        let net = spec.open(path, level)?;
        let name = path.file_name().map_or(path.as_path(), Path::new);
        Ok((net, name.display().to_string()))
    }
}

#[cfg(feature = "beside")]
impl NetChoice {
    /// The bytes of the net file.
    ///
    /// # Errors
    ///
    /// A message if it cannot be read.
    pub fn bytes(&self) -> Result<std::borrow::Cow<'static, [u8]>, String> {
        match self {
            NetChoice::BuiltIn => Ok(specs::built_in_file().into()),
            NetChoice::File(path, _) => match fs::read(path) {
                Ok(bytes) => Ok(bytes.into()),
                Err(error) => Err(format!("cannot read `{}`: {error}", path.display())),
            },
        }
    }
}

/// `--spec` names a spec, but nothing names a file of it.
#[derive(Clone, Debug)]
pub struct NeedsFile {
    /// The spec for which there is no net file.
    pub spec: &'static Spec,
}

impl fmt::Display for NeedsFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`--spec {}` needs `--net FILE`: the net that is built in is one of `{}`",
            self.spec.name,
            specs::BUILT_IN_SPEC
        )
    }
}

impl Error for NeedsFile {}

/// The level that the environment variable `NNUE_LEVEL` names, if it is set.
///
/// # Errors
///
/// A message that names the variable, if this machine has no such level.
pub fn level_of_environment() -> Result<Option<Level>, String> {
    Level::from_env().map_err(|error| format!("`NNUE_LEVEL` in the environment: {error}"))
}

/// Adds the levels of a list of names, separated by commas, each once.
///
/// # Errors
///
/// [`LevelError`] for the first name that no level of this machine has.
pub fn add_levels(levels: &mut Vec<Level>, names: &str) -> Result<(), LevelError> {
    for name in names.split(',') {
        let level = Level::by_name(name)?;
        if !levels.contains(&level) {
            levels.push(level);
        }
    }
    Ok(())
}

/// Reads the argument of `--rounds`.
///
/// # Errors
///
/// A message if it is not from 1 to 1000.
pub fn parse_rounds(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(rounds @ 1..=1000) => Ok(rounds),
        _ => Err(format!("found `--rounds {text}`, expected 1 to 1000")),
    }
}

/// Reads the argument of `--threads`.
///
/// # Errors
///
/// A message if it is not from 1 to 256.
pub fn parse_threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 1..=256) => Ok(threads),
        _ => Err(format!("found `--threads {text}`, expected 1 to 256")),
    }
}

/// Reads the argument of `--touch`: a number of bytes, or of as many as `K`, `M` or `G` stand for.
///
/// # Errors
///
/// A message if it is no such size, or more than 64 GB.
pub fn parse_touched(text: &str) -> Result<usize, String> {
    let (digits, unit) = match text.strip_suffix(['K', 'M', 'G']) {
        Some(digits) => (digits, &text[digits.len()..]),
        None => (text, ""),
    };
    let shift = match unit {
        "K" => 10,
        "M" => 20,
        "G" => 30,
        _ => 0,
    };
    let bytes = digits
        .parse::<u64>()
        .ok()
        .filter(|size| *size <= MAX_TOUCHED >> shift);
    match bytes {
        Some(size) => Ok((size << shift) as usize),
        None => Err(format!(
            "found `--touch {text}`, expected a size of at most 64G, such as 256K"
        )),
    }
}

const MAX_TOUCHED: u64 = 64 << 30;

/// Reads a trace, by default the one that is built in, and checks that it has something to measure.
///
/// # Errors
///
/// A message if the file cannot be read, is not a trace, or has no evaluation.
pub fn read_trace(path: Option<&Path>) -> Result<Trace, String> {
    let (name, trace) = match path {
        None => ("the built-in trace".into(), Trace::bundled()),
        Some(path) => {
            let name = format!("`{}`", path.display());
            let file = fs::read(path).map_err(|error| format!("cannot read {name}: {error}"))?;
            (name, Trace::read(&file))
        }
    };
    let trace = trace.map_err(|error| format!("{name}: {error}"))?;
    match trace.evaluations() {
        0 => Err(format!(
            "{name}: found no evaluation, expected `=` at least once"
        )),
        _ => Ok(trace),
    }
}

/// A progress bar. It is drawn only between measurements, because drawing would disturb them.
pub fn progress_bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos} of {len}, {eta} left");
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, bytes) in [
            ("0", 0),
            ("100", 100),
            ("256K", 256 << 10),
            ("3M", 3 << 20),
            ("64G", 64 << 30),
        ] {
            assert_eq!(parse_touched(text), Ok(bytes));
        }
        for text in ["", "K", "-1", "1k", "1KB", "65G", "99999999999999999999"] {
            let message = parse_touched(text).unwrap_err();
            assert!(message.contains(&format!("`--touch {text}`")), "{message}");
        }
    }
}
