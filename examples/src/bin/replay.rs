//! `replay [OPTION ...] [TRACE]`: how fast a network evaluates the positions of a search, on each
//! level.

use std::error::Error;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use lexopt::prelude::*;
use nnue_examples::colour::Colours;
use nnue_examples::command_line::{self, Command, Failure, NetChoice, execute};
use nnue_examples::processor::processor;
#[cfg(feature = "beside")]
use nnue_examples::replay::beside::nnue_rs::Peer;
#[cfg(feature = "beside")]
use nnue_examples::replay::beside::{self, Conditions, Table};
use nnue_examples::replay::{Report, measure, thousands};
use nnue_examples::show;
use nnue_examples::specs::Spec;
use nnue_runtime::Level;
#[cfg(feature = "beside")]
use {nnue_examples::any_network::AnyNetwork, nnue_trace::Trace};

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
  --touch SIZE    read so much other memory along the search, as an engine reads its tables, 4 KB before each
                  evaluation: 256K, 4M or a number of bytes
  --beside        measure nnue-rs beside this network, in turns for each search, and show how many times as long it
                  takes, on avx2, which is what it uses, and the best level that the machine has; the program has to be
                  built with `--features beside`. Shown are median and quartiles
  --threads N     with `--beside`: how many threads do the same at the same time (default 1)
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
    touched: usize,
    /// How many threads measure nnue-rs too.
    #[cfg(feature = "beside")]
    beside: Option<usize>,
    trace: Option<PathBuf>,
}

fn parse(mut parser: lexopt::Parser) -> Result<Command<Arguments>, Box<dyn Error>> {
    let (mut net, mut spec, mut rounds, mut trace) = (None, None, 9, None);
    let mut levels: Vec<Level> = Vec::new();
    let (mut touched, mut beside, mut threads) = (0, false, None);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("net") => net = Some(PathBuf::from(parser.value()?)),
            Long("spec") => spec = Some(Spec::named(&parser.value()?.string()?)?),
            Long("level") => command_line::add_levels(&mut levels, &parser.value()?.string()?)?,
            Long("rounds") => rounds = command_line::parse_rounds(&parser.value()?.string()?)?,
            Long("touch") => touched = command_line::parse_touched(&parser.value()?.string()?)?,
            Long("beside") => beside = true,
            Long("threads") => {
                threads = Some(command_line::parse_threads(&parser.value()?.string()?)?);
            }
            Short('h') | Long("help") => return Ok(Command::Help),
            Short('V') | Long("version") => return Ok(Command::Version),
            Value(path) if trace.is_none() => trace = Some(PathBuf::from(path)),
            _ => return Err(argument.unexpected().into()),
        }
    }
    if beside && cfg!(not(feature = "beside")) {
        return Err("`--beside` needs a program that was built with `--features beside`".into());
    }
    if threads.is_some() && !beside {
        return Err("`--threads` is only for `--beside`".into());
    }
    if levels.is_empty() {
        levels = match command_line::level_of_environment()? {
            Some(level) => vec![level],
            None if beside => peer_levels(),
            None => Level::available().collect(),
        };
    }
    Ok(Command::Run(Arguments {
        net: NetChoice::of(net, spec)?,
        levels,
        rounds,
        touched,
        #[cfg(feature = "beside")]
        beside: beside.then_some(threads.unwrap_or(1)),
        trace,
    }))
}

/// What nnue-rs uses, and the best that there is.
fn peer_levels() -> Vec<Level> {
    let best = Level::detect();
    Level::available()
        .filter(|level| level.name() == "avx2" || *level == best)
        .collect()
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
    let built = match Level::BASELINE.name() {
        "scalar" => "built for any processor".into(),
        baseline => format!("built for processors with {baseline}"),
    };
    writeln!(out, "{}, {built}\n", processor())?;
    // A measurement takes seconds, so the user should see at once what is measured.
    out.flush()?;

    #[cfg(feature = "beside")]
    if let Some(threads) = arguments.beside {
        return race(arguments, threads, net, &trace, colours, &mut out);
    }
    let bar = command_line::progress_bar();
    let results = measure(
        net,
        &arguments.levels,
        &trace,
        arguments.rounds,
        arguments.touched,
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

#[cfg(feature = "beside")]
fn race(
    arguments: &Arguments,
    threads: usize,
    net: Box<dyn AnyNetwork>,
    trace: &Trace,
    colours: Colours,
    out: &mut dyn Write,
) -> Result<ExitCode, Failure> {
    let refused = |error| Failure::Work(format!("nnue-rs: {error}"));
    let peer = arguments.net.bytes().map_err(Failure::Work)?;
    let peer = Peer::read(&peer).map_err(refused)?;
    let conditions = Conditions {
        rounds: arguments.rounds,
        threads,
        touched: arguments.touched,
    };
    let bar = command_line::progress_bar();
    bar.set_length(conditions.rounds_of(arguments.levels.len()) as u64);
    let results = beside::race(net, &peer, &arguments.levels, trace, conditions, &|done| {
        bar.set_position(done as u64)
    });
    bar.finish_and_clear();
    let mut table = Table {
        results: &results.map_err(|difference| Failure::Work(difference.to_string()))?,
        trace,
        colours,
        out,
    };
    table.write()?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(number))
}
