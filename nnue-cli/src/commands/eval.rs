//! `nnue eval`: what a network says of positions, and why.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use nnue_compiler::network::Network;
use nnue_compiler::spec_of;
use nnue_runtime::file::Identity;
use nnue_runtime::{Board, Level, Warning};

use crate::Failure;
use crate::eval::{json, position, raw, show};
use crate::evaluation::Evaluate;
use crate::failure::{complain, warn};
use crate::heading;
use crate::inputs::{
    NetChoice, available_level, file_name, level_of_environment, needs_file, network,
};
use crate::interpreted::{Interpreted, told_features};
use crate::specs::{NetError, Spec, UnknownSpec};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

const EXAMPLE: &str = "\
Example: nnue eval --net my-net.nnue --spec my-net.toml --fens games.epd";

const NOTES: &str = "\
Shown are the board with each piece's contribution, the outputs of all buckets, and the evaluation; \
without FEN, of the start of a game.

Evaluations are in the engine's units and not in hundredths of a pawn: in Stockfish's networks 600 \
units are what the trainer calls 1.0. The net that is built in is Stockfish's small one, made for \
lopsided positions: where neither side is far ahead it is inaccurate, and gives the start of a game \
251.

With --json, the object of a position has `fen`, `side_to_move`, `bucket`, `value` and `outputs`: a \
list of what each bucket says, which is `psqt`, `positional` and `value`, or these of `win`, `draw` \
and `loss`, and further `heads` where the network has some. `value` is that of the bucket, and null \
where the engine chooses the bucket.

The exit code is 0 if all went well, 1 if a position or a file could not be used, 2 if the arguments \
are wrong.";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLE, after_long_help = format!("{NOTES}\n\n{EXAMPLE}"))]
pub(crate) struct Eval {
    /// Positions in FEN or EPD, each in quotes; a single one needs none. By default the start of a
    /// game
    #[arg(value_name = "FEN")]
    words: Vec<String>,
    /// Use this net file, not the one that is built in
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
    /// The network's spec: its name in `specs`, or a TOML file, which is interpreted where it is
    /// none of those; without it, the net file decides
    #[arg(long, value_name = "NAME|FILE.toml", value_parser = SpecChoice::of)]
    spec: Option<SpecChoice>,
    /// Write the spec of a net that has none here to this file; by default to standard output, with
    /// nothing else
    #[arg(long, value_name = "FILE", requires = "net")]
    write_spec: Option<PathBuf>,
    /// The instruction set, by default the one that NNUE_LEVEL names or the best
    #[arg(long, value_name = "NAME", value_parser = available_level())]
    level: Option<Level>,
    /// Evaluate many positions, one FEN or EPD a line; `-` reads standard input. Blank lines and
    /// lines that begin with `#` are skipped
    #[arg(long, value_name = "FILE", conflicts_with = "words")]
    fens: Option<PathBuf>,
    /// Write tab-separated integers as the network computes them, one line a position
    #[arg(long)]
    raw: bool,
    /// Write a JSON object for each position, one a line, with all values of all buckets
    #[arg(long, conflicts_with = "raw")]
    json: bool,
}

/// The value of `--spec`.
#[derive(Clone, Debug)]
enum SpecChoice {
    Compiled(&'static Spec),
    File(PathBuf),
}

impl SpecChoice {
    fn of(text: &str) -> Result<SpecChoice, UnknownSpec> {
        let path = Path::new(text);
        match Spec::named(text) {
            Ok(spec) => Ok(SpecChoice::Compiled(spec)),
            Err(_) if path.extension().is_some() || path.components().count() > 1 => {
                Ok(SpecChoice::File(path.into()))
            }
            Err(error) => Err(error),
        }
    }
}

impl Eval {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let spec = match &self.spec {
            None => None,
            Some(SpecChoice::Compiled(spec)) => Some(*spec),
            Some(SpecChoice::File(path)) => {
                let network = network(path)?;
                match Spec::of_network(&network) {
                    Some(spec) => Some(spec),
                    None => return self.interpret(&network, path, out),
                }
            }
        };
        let level = match self.level {
            Some(level) => level,
            None => level_of_environment()?.unwrap_or_else(Level::detect),
        };
        let choice = NetChoice::of(self.net.clone(), spec)?;
        let (net, file) = match choice.open(level) {
            Ok(opened) => opened,
            Err(NetError::NoSpec {
                path,
                identity: identity @ Identity::Relative(family),
            }) => {
                let found = format!("`{}` is {identity}", path.display());
                return self.write_spec(&spec_of(&family, "my-net"), &found, out);
            }
            Err(error) => return Err(Failure::work(error)),
        };
        if self.write_spec.is_some() {
            warn(&format!(
                "`--write-spec` writes nothing: the net is one of `{}`",
                net.name()
            ));
        }
        self.evaluate(Sheet {
            net: &*net,
            file: &file,
            form: self.form(),
            is_built_in: matches!(choice, NetChoice::BuiltIn),
            out,
        })
    }

    /// Evaluates with a network that is not compiled in.
    fn interpret(
        &self,
        network: &Network,
        spec: &Path,
        out: &mut dyn Write,
    ) -> Result<ExitCode, Failure> {
        let Some(path) = &self.net else {
            return Err(needs_file(&spec.display().to_string()));
        };
        if let Some(level) = self.level {
            return Err(Failure::Arguments(format!(
                "`--level {level}` is for networks that are compiled in: `{}` is interpreted",
                network.name
            )));
        }
        if let Some(set) = told_features(network) {
            return Err(Failure::Work(format!(
                "the engine tells which features of `{set}` are active: a position alone does not"
            )));
        }
        if self.write_spec.is_some() {
            warn("`--write-spec` writes nothing: `--spec` is a spec of the net");
        }
        let net = Interpreted::open(network, path).map_err(|error| NetError::Refused {
            path: path.clone(),
            error: Box::new(error),
        });
        let net = net.map_err(Failure::work)?;
        if self.raw && !net.has_one_value() {
            return Err(Failure::Work(format!(
                "`--raw` has one value of each position, and `{}` says more or leaves the bucket to the engine: `--json` has all values",
                network.name
            )));
        }
        self.evaluate(Sheet {
            net: &net,
            file: &file_name(path),
            form: self.form(),
            is_built_in: false,
            out,
        })
    }

    /// Writes a spec and nothing else to a file or to standard output, and says so on standard
    /// error.
    fn write_spec(
        &self,
        spec: &str,
        found: &str,
        out: &mut dyn Write,
    ) -> Result<ExitCode, Failure> {
        let place = match &self.write_spec {
            Some(path) => {
                let place = format!("`{}`", path.display());
                fs::write(path, spec)
                    .map_err(|error| Failure::Work(format!("cannot write {place}: {error}")))?;
                place
            }
            None => {
                out.write_all(spec.as_bytes())?;
                out.flush()?;
                "standard output".to_string()
            }
        };
        complain(&format!(
            "{found}; one was written to {place}: compile it with `nnue_net!`, or name it with `--spec`"
        ));
        Ok(ExitCode::FAILURE)
    }

    fn form(&self) -> Form {
        match (self.raw, self.json) {
            (true, _) => Form::Raw,
            (_, true) => Form::Json,
            _ => Form::Shown,
        }
    }

    fn evaluate(&self, sheet: Sheet<'_>) -> Result<ExitCode, Failure> {
        match &self.fens {
            None => evaluate_some(sheet, &self.positions()),
            Some(path) if path.as_os_str() == "-" => {
                evaluate_lines(sheet, io::stdin().lock(), "standard input")
            }
            Some(path) => {
                let source = format!("`{}`", path.display());
                let fens = File::open(path)
                    .map_err(|error| Failure::Work(format!("cannot read {source}: {error}")))?;
                evaluate_lines(sheet, fens, &source)
            }
        }
    }

    /// The positions of the arguments. Where no argument has a space, all are the fields of one.
    fn positions(&self) -> Vec<String> {
        match self.words.as_slice() {
            [] => vec![START.into()],
            words if words.iter().any(|word| word.contains(char::is_whitespace)) => words.to_vec(),
            words => vec![words.join(" ")],
        }
    }
}

fn evaluate_some(mut sheet: Sheet<'_>, positions: &[String]) -> Result<ExitCode, Failure> {
    let read = |text| {
        position::parse(text).map_err(|error| Failure::Work(format!("FEN `{text}`: {error}")))
    };
    let positions: Vec<(&str, Board)> = positions
        .iter()
        .map(|text| read(text.as_str()))
        .collect::<Result<_, _>>()?;
    sheet.begin()?;
    for (fen, board) in positions {
        sheet.position(fen, &board)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn evaluate_lines(
    mut sheet: Sheet<'_>,
    lines: impl Read,
    source: &str,
) -> Result<ExitCode, Failure> {
    let mut code = ExitCode::SUCCESS;
    let mut lines = BufReader::new(lines);
    let mut line = Vec::new();
    sheet.begin()?;
    for number in 1_u64.. {
        // A program that sends one position at a time may wait for each answer.
        if lines.buffer().is_empty() {
            sheet.out.flush()?;
        }
        line.clear();
        let length = lines
            .read_until(b'\n', &mut line)
            .map_err(|error| Failure::Work(format!("cannot read {source}: {error}")))?;
        if length == 0 {
            break;
        }
        let text = String::from_utf8_lossy(line.trim_ascii());
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        match position::parse(&text) {
            Ok((fen, board)) => sheet.position(fen, &board)?,
            Err(error) => {
                complain(&format!("line {number} of {source}: {error}"));
                code = ExitCode::FAILURE;
            }
        }
    }
    Ok(code)
}

/// How evaluations are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Shown,
    Raw,
    Json,
}

/// Writes evaluations in the form that the options ask for.
struct Sheet<'a> {
    net: &'a dyn Evaluate,
    /// The name of the network's file.
    file: &'a str,
    form: Form,
    is_built_in: bool,
    out: &'a mut dyn Write,
}

impl Sheet<'_> {
    fn begin(&mut self) -> io::Result<()> {
        if self.form == Form::Shown {
            heading::write(self.net, self.file, self.net.computed_by(), self.out)?;
            if self.is_built_in {
                self.report().built_in()?;
            }
            return Ok(());
        }
        for warning in self.net.warnings() {
            if matches!(warning, Warning::LooksLike(_) | Warning::LooksTransposed(_)) {
                warn(&warning.to_string());
            }
        }
        match self.form {
            Form::Raw => raw::header(self.out, self.net.buckets()),
            _ => Ok(()),
        }
    }

    fn position(&mut self, fen: &str, board: &Board) -> io::Result<()> {
        match self.form {
            Form::Shown => self.report().position(fen, board),
            Form::Raw => raw::row(self.out, fen, &self.net.evaluate(board)),
            Form::Json => json::line(self.out, fen, &self.net.evaluate(board)),
        }
    }

    fn report(&mut self) -> show::Report<'_> {
        show::Report {
            net: self.net,
            out: self.out,
        }
    }
}
