//! `evaluate [OPTION ...] [FEN]`: what a network says of positions, and why.

use std::error::Error;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, Read, StdoutLock, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lexopt::prelude::*;
use nnue_examples::any_network::AnyNetwork;
use nnue_examples::colour::Colours;
use nnue_examples::specs::{self, Spec};
use nnue_examples::{raw, show};
use nnue_runtime::{Board, Level};

const USAGE: &str = "\
usage: evaluate [OPTION ...] [FEN]

Shows what a network says of a position (without FEN: the start of a game): the board with each piece's
contribution, the outputs of all buckets, and the evaluation.

options:
  --net FILE      evaluate with this net file, not with the one that is built in
  --spec NAME     the network's spec, if not the one that the file is taken for
  --level NAME    the instruction set: scalar, avx2, avxvnni, avx512 or avx512icl; by default the best
  --fens FILE     evaluate many positions, one FEN a line; `-` reads standard input.
                  Blank lines and lines that begin with `#` are skipped
  --raw           write tab-separated integers as the network computes them, one line a position
  -h, --help      show this
  -V, --version   show the version

The exit code is 0 if all went well, 1 if a FEN or a file could not be used, 2 if the options are wrong.
";

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn main() -> ExitCode {
    let done = match parse(lexopt::Parser::from_env()) {
        Ok(Command::Help) => print(USAGE),
        Ok(Command::Version) => print(concat!("evaluate ", env!("CARGO_PKG_VERSION"), "\n")),
        Ok(Command::Evaluate(arguments)) => evaluate(&arguments),
        Err(error) => {
            complain(&format!("{error}\n\nsee `evaluate --help`"));
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(code) => code,
        // A reader that has seen enough, such as `head`, is no error.
        Err(Failure::Output(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Output(error)) => {
            complain(&format!("cannot write to standard output: {error}"));
            ExitCode::FAILURE
        }
        Err(Failure::Input(message)) => {
            complain(&message);
            ExitCode::FAILURE
        }
    }
}

fn print(text: &str) -> Result<ExitCode, Failure> {
    io::stdout().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Unlike `eprintln!` this does not panic where standard error is closed.
fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "error: {message}");
}

enum Command {
    Help,
    Version,
    Evaluate(Arguments),
}

struct Arguments {
    net: Net,
    level: Level,
    positions: Positions,
    raw: bool,
}

enum Net {
    BuiltIn,
    /// A file, of a spec that it tells itself where none is named.
    File(PathBuf, Option<&'static Spec>),
}

enum Positions {
    One(String),
    File(PathBuf),
    Stdin,
}

fn parse(mut parser: lexopt::Parser) -> Result<Command, Box<dyn Error>> {
    let (mut net, mut spec, mut level, mut fens, mut raw) = (None, None, None, None, false);
    let mut words: Vec<String> = Vec::new();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("net") => net = Some(PathBuf::from(parser.value()?)),
            Long("spec") => spec = Some(Spec::named(&parser.value()?.string()?)?),
            Long("level") => level = Some(Level::by_name(&parser.value()?.string()?)?),
            Long("fens") => fens = Some(PathBuf::from(parser.value()?)),
            Long("raw") => raw = true,
            Short('h') | Long("help") => return Ok(Command::Help),
            Short('V') | Long("version") => return Ok(Command::Version),
            Value(word) => words.push(word.string()?),
            _ => return Err(argument.unexpected().into()),
        }
    }
    let net = match (net, spec) {
        (Some(file), spec) => Net::File(file, spec),
        (None, Some(spec)) if spec.name != specs::BUILT_IN_SPEC => {
            return Err(format!(
                "`--spec {}` needs `--net FILE`: the net that is built in is one of `{}`",
                spec.name,
                specs::BUILT_IN_SPEC
            )
            .into());
        }
        (None, _) => Net::BuiltIn,
    };
    let positions = match fens {
        Some(_) if !words.is_empty() => {
            return Err(format!(
                "found FEN `{}` beside `--fens`, expected one of the two",
                words.join(" ")
            )
            .into());
        }
        Some(path) if path.as_os_str() == "-" => Positions::Stdin,
        Some(path) => Positions::File(path),
        None if words.is_empty() => Positions::One(START.into()),
        None => Positions::One(words.join(" ")),
    };
    let level = match level {
        Some(level) => level,
        None => Level::from_env()?.unwrap_or_else(Level::detect),
    };
    Ok(Command::Evaluate(Arguments {
        net,
        level,
        positions,
        raw,
    }))
}

/// Why there is nothing more to write.
enum Failure {
    Output(io::Error),
    Input(String),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Output(error)
    }
}

fn evaluate(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let (net, file) = open(&arguments.net, arguments.level).map_err(Failure::Input)?;
    let out = io::stdout().lock();
    let sheet = Sheet {
        net: &*net,
        file: &file,
        raw: arguments.raw,
        colours: Colours::for_output(&out),
        out: BufWriter::new(out),
    };
    match &arguments.positions {
        Positions::One(fen) => evaluate_one(sheet, fen),
        Positions::File(path) => {
            let source = format!("`{}`", path.display());
            let fens = File::open(path)
                .map_err(|error| Failure::Input(format!("cannot read {source}: {error}")))?;
            evaluate_lines(sheet, fens, &source)
        }
        Positions::Stdin => evaluate_lines(sheet, io::stdin().lock(), "standard input"),
    }
}

/// Loads the network, and names its file.
fn open(net: &Net, level: Level) -> Result<(Box<dyn AnyNetwork>, String), String> {
    let (path, spec) = match net {
        Net::BuiltIn => {
            let file = format!("{}, built in", specs::BUILT_IN_FILE);
            return Ok((specs::built_in(level), file));
        }
        Net::File(path, spec) => (path, spec),
    };
    let spec = match spec {
        Some(spec) => spec,
        None => Spec::of_file(path).map_err(|error| error.to_string())?,
    };
    let net = spec.open(path, level).map_err(|error| error.to_string())?;
    let name = path.file_name().map_or(path.as_path(), Path::new);
    Ok((net, name.display().to_string()))
}

fn evaluate_one(mut sheet: Sheet<'_>, fen: &str) -> Result<ExitCode, Failure> {
    let board =
        Board::from_fen(fen).map_err(|error| Failure::Input(format!("FEN `{fen}`: {error}")))?;
    sheet.begin()?;
    sheet.position(fen, &board)?;
    sheet.out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn evaluate_lines(
    mut sheet: Sheet<'_>,
    fens: impl Read,
    source: &str,
) -> Result<ExitCode, Failure> {
    let mut code = ExitCode::SUCCESS;
    let mut fens = BufReader::new(fens);
    let mut line = Vec::new();
    sheet.begin()?;
    for number in 1_u64.. {
        // A program that sends one FEN after the other may wait for each answer.
        if fens.buffer().is_empty() {
            sheet.out.flush()?;
        }
        line.clear();
        let length = fens
            .read_until(b'\n', &mut line)
            .map_err(|error| Failure::Input(format!("cannot read {source}: {error}")))?;
        if length == 0 {
            break;
        }
        let fen = String::from_utf8_lossy(line.trim_ascii());
        if fen.is_empty() || fen.starts_with('#') {
            continue;
        }
        match Board::from_fen(&fen) {
            Ok(board) => sheet.position(&fen, &board)?,
            Err(error) => {
                complain(&format!("line {number} of {source}: {error}"));
                code = ExitCode::FAILURE;
            }
        }
    }
    sheet.out.flush()?;
    Ok(code)
}

/// What is written, in the form that was asked for.
struct Sheet<'a> {
    net: &'a dyn AnyNetwork,
    /// The name of the network's file.
    file: &'a str,
    raw: bool,
    colours: Colours,
    out: BufWriter<StdoutLock<'static>>,
}

impl Sheet<'_> {
    fn begin(&mut self) -> io::Result<()> {
        if self.raw {
            raw::header(&mut self.out, self.net.buckets())
        } else {
            let file = self.file;
            self.report().network(file)
        }
    }

    fn position(&mut self, fen: &str, board: &Board) -> io::Result<()> {
        if self.raw {
            raw::row(&mut self.out, fen, &self.net.evaluate(board))
        } else {
            self.report().position(fen, board)
        }
    }

    fn report(&mut self) -> show::Report<'_> {
        show::Report {
            net: self.net,
            colours: self.colours,
            out: &mut self.out,
        }
    }
}
