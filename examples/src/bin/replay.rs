//! `replay [OPTION ...] [TRACE]`: how fast a network evaluates the positions of a search, on each
//! level.

use std::error::Error;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use lexopt::prelude::*;
use nnue_examples::colour::Colours;
use nnue_examples::command_line::{self, Command, Failure, NetChoice, execute};
use nnue_examples::replay::{Report, measure, thousands};
use nnue_examples::show;
use nnue_examples::specs::Spec;
use nnue_runtime::Level;

const USAGE: &str = "\
usage: replay [OPTION ...] [TRACE]

Measures how fast a network evaluates the positions of a search: along the search by an evaluator that updates
incrementally, by a full refresh of each position, and the forward pass alone. All values are compared: they must be
the same however they are computed. TRACE is text or gzip; without it, the search that is built in is replayed.

options:
  --net FILE      measure this net file, not the one that is built in
  --spec NAME     the network's spec; without it, the file decides
  --level NAMES   the instruction sets, separated by commas: LEVELS.
                  By default all that the machine has, or the one that NNUE_LEVEL names. May be given several times
  --rounds N      how often each is measured (default 9): shown are median, minimum and maximum
  -h, --help      show this
  -V, --version   show the version

A trace has one line per root position: `FEN;`, then tokens separated by spaces.
  e2e4 e7e8q      make this move; castling is the king's move, such as e1g1
  0               make a null move
  -  ~            take back the last move; the last null move
  =               evaluate the position

The exit code is 0 if all went well, 1 if values differ or a file could not be used, 2 if the options are wrong.
";

fn main() -> ExitCode {
    execute("replay", USAGE, parse, replay)
}

struct Arguments {
    net: NetChoice,
    levels: Vec<Level>,
    rounds: usize,
    trace: Option<PathBuf>,
}

fn parse(mut parser: lexopt::Parser) -> Result<Command<Arguments>, Box<dyn Error>> {
    let (mut net, mut spec, mut rounds, mut trace) = (None, None, 9, None);
    let mut levels: Vec<Level> = Vec::new();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("net") => net = Some(PathBuf::from(parser.value()?)),
            Long("spec") => spec = Some(Spec::named(&parser.value()?.string()?)?),
            Long("level") => command_line::add_levels(&mut levels, &parser.value()?.string()?)?,
            Long("rounds") => rounds = command_line::parse_rounds(&parser.value()?.string()?)?,
            Short('h') | Long("help") => return Ok(Command::Help),
            Short('V') | Long("version") => return Ok(Command::Version),
            Value(path) if trace.is_none() => trace = Some(PathBuf::from(path)),
            _ => return Err(argument.unexpected().into()),
        }
    }
    if levels.is_empty() {
        levels = match command_line::level_of_environment()? {
            Some(level) => vec![level],
            None => Level::available().collect(),
        };
    }
    Ok(Command::Run(Arguments {
        net: NetChoice::of(net, spec)?,
        levels,
        rounds,
        trace,
    }))
}

fn replay(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let trace = command_line::read_trace(arguments.trace.as_deref()).map_err(Failure::Work)?;
    let (net, file) = (arguments.net.open(arguments.levels[0]))
        .map_err(|error| Failure::Work(error.to_string()))?;
    let out = io::stdout().lock();
    let colours = Colours::for_output(&out);
    let mut out = BufWriter::new(out);
    let mut head = show::Report {
        net: &*net,
        colours,
        out: &mut out,
    };
    let workload = format!(
        "{}, {}, {}, {}",
        count(trace.moves(), "move"),
        count(trace.evaluations(), "evaluation"),
        count(trace.searches.len(), "root"),
        count(arguments.rounds, "round"),
    );
    head.network(&file, &workload)?;
    writeln!(out)?;
    // A measurement takes seconds, so the user should see at once what is measured.
    out.flush()?;

    let bar = command_line::progress_bar();
    let results = measure(
        net,
        &arguments.levels,
        &trace,
        arguments.rounds,
        &mut |done, all| {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
        },
    );
    bar.finish_and_clear();
    let results = results.map_err(|difference| Failure::Work(difference.to_string()))?;
    let mut report = Report {
        results: &results,
        trace: &trace,
        colours,
        out: &mut out,
    };
    report.write()?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(number))
}
