//! `evaluate [OPTION ...] [FEN]`: what a network says of positions, and why.

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, StdoutLock, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lexopt::prelude::*;
use nnue_compiler::spec_of;
use nnue_examples::any_network::AnyNetwork;
use nnue_examples::colour::Colours;
use nnue_examples::command_line::{
    Command, Failure, NetChoice, complain, execute, level_of_environment, warn,
};
use nnue_examples::specs::{NetError, Spec};
use nnue_examples::{raw, show};
use nnue_runtime::file::Identity;
use nnue_runtime::{Board, Level, Warning};

const USAGE: &str = "\
usage: evaluate [OPTION ...] [FEN]

Shows what a network says of a position (without FEN: the start of a game): the board with each piece's
contribution, the outputs of all buckets, and the evaluation.

Evaluations are in the engine's units and not in hundredths of a pawn: in Stockfish's networks 600 units are
what the trainer calls 1.0. The net that is built in is Stockfish's small one, made for lopsided positions:
where neither side is far ahead it is inaccurate, and gives the start of a game 251.

options:
  --net FILE      evaluate with this net file, not with the one that is built in
  --spec NAME     the network's spec; without it, the file decides
  --write-spec FILE
                  write the spec of a net that has none here to this file; by default to
                  standard output, with nothing else
  --level NAME    the instruction set, by default the best; one of LEVELS
  --fens FILE     evaluate many positions, one FEN a line; `-` reads standard input.
                  Blank lines and lines that begin with `#` are skipped
  --raw           write tab-separated integers as the network computes them, one line a position
  -h, --help      show this
  -V, --version   show the version

The exit code is 0 if all went well, 1 if a FEN or a file could not be used, 2 if the options are wrong.
";

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn main() -> ExitCode {
    execute("evaluate", USAGE, parse, evaluate)
}

struct Arguments {
    net: NetChoice,
    level: Level,
    positions: Positions,
    raw: bool,
    write_spec: Option<PathBuf>,
}

enum Positions {
    One(String),
    File(PathBuf),
    Stdin,
}

fn parse(mut parser: lexopt::Parser) -> Result<Command<Arguments>, Box<dyn Error>> {
    let (mut net, mut spec, mut level, mut fens, mut raw) = (None, None, None, None, false);
    let mut write_spec = None;
    let mut words: Vec<String> = Vec::new();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("net") => net = Some(PathBuf::from(parser.value()?)),
            Long("spec") => spec = Some(Spec::named(&parser.value()?.string()?)?),
            Long("level") => level = Some(Level::by_name(&parser.value()?.string()?)?),
            Long("fens") => fens = Some(PathBuf::from(parser.value()?)),
            Long("raw") => raw = true,
            Long("write-spec") => write_spec = Some(PathBuf::from(parser.value()?)),
            Short('h') | Long("help") => return Ok(Command::Help),
            Short('V') | Long("version") => return Ok(Command::Version),
            Value(word) => words.push(word.string()?),
            _ => return Err(argument.unexpected().into()),
        }
    }
    if write_spec.is_some() && net.is_none() {
        return Err("`--write-spec` needs `--net FILE`".into());
    }
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
        None => level_of_environment()?.unwrap_or_else(Level::detect),
    };
    Ok(Command::Run(Arguments {
        net: NetChoice::of(net, spec)?,
        level,
        positions,
        raw,
        write_spec,
    }))
}

fn evaluate(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let (net, file) = match arguments.net.open(arguments.level) {
        Ok(opened) => opened,
        Err(NetError::NoSpec {
            path,
            identity: identity @ Identity::Relative(family),
        }) => {
            let spec = spec_of(&family, "my-net");
            let found = format!("`{}` is {identity}", path.display());
            return write_spec(&spec, &found, arguments.write_spec.as_deref());
        }
        Err(error) => return Err(Failure::Work(error.to_string())),
    };
    if arguments.write_spec.is_some() {
        warn(&format!(
            "`--write-spec` writes nothing: the net is one of `{}`",
            net.name()
        ));
    }
    let out = io::stdout().lock();
    let sheet = Sheet {
        net: &*net,
        file: &file,
        raw: arguments.raw,
        is_built_in: matches!(arguments.net, NetChoice::BuiltIn),
        colours: Colours::for_output(&out),
        out: BufWriter::new(out),
    };
    match &arguments.positions {
        Positions::One(fen) => evaluate_one(sheet, fen),
        Positions::File(path) => {
            let source = format!("`{}`", path.display());
            let fens = File::open(path)
                .map_err(|error| Failure::Work(format!("cannot read {source}: {error}")))?;
            evaluate_lines(sheet, fens, &source)
        }
        Positions::Stdin => evaluate_lines(sheet, io::stdin().lock(), "standard input"),
    }
}

/// Writes a spec and nothing else to a file or to standard output, and says so on standard error.
fn write_spec(spec: &str, found: &str, file: Option<&Path>) -> Result<ExitCode, Failure> {
    let place = match file {
        Some(path) => {
            let place = format!("`{}`", path.display());
            fs::write(path, spec)
                .map_err(|error| Failure::Work(format!("cannot write {place}: {error}")))?;
            place
        }
        None => {
            io::stdout().write_all(spec.as_bytes())?;
            "standard output".to_string()
        }
    };
    complain(&format!(
        "{found}; one was written to {place}: compile it with `nnue_net!`"
    ));
    Ok(ExitCode::FAILURE)
}

fn evaluate_one(mut sheet: Sheet<'_>, fen: &str) -> Result<ExitCode, Failure> {
    let board =
        Board::from_fen(fen).map_err(|error| Failure::Work(format!("FEN `{fen}`: {error}")))?;
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
        // A program that sends one FEN at a time may wait for each answer.
        if fens.buffer().is_empty() {
            sheet.out.flush()?;
        }
        line.clear();
        let length = fens
            .read_until(b'\n', &mut line)
            .map_err(|error| Failure::Work(format!("cannot read {source}: {error}")))?;
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

/// Writes evaluations in the form that the options ask for.
struct Sheet<'a> {
    net: &'a dyn AnyNetwork,
    /// The name of the network's file.
    file: &'a str,
    raw: bool,
    is_built_in: bool,
    colours: Colours,
    out: BufWriter<StdoutLock<'static>>,
}

impl Sheet<'_> {
    fn begin(&mut self) -> io::Result<()> {
        if self.raw {
            for warning in self.net.report().warnings {
                if matches!(warning, Warning::LooksLike(_) | Warning::LooksTransposed(_)) {
                    warn(&warning.to_string());
                }
            }
            raw::header(&mut self.out, self.net.buckets())
        } else {
            let file = self.file;
            let level = self.net.level();
            self.report().network(file, &level)?;
            if self.is_built_in {
                self.report().built_in()?;
            }
            Ok(())
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
