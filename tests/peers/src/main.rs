//! `nnue-peers [OPTION ...] [TRACE]`: this project and `nnue-rs` over the same search, in one run.

use std::error::Error;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lexopt::prelude::*;
use nnue_examples::colour::Colours;
use nnue_examples::command_line::{self, Command, Failure, execute};
use nnue_examples::replay::thousands;
use nnue_examples::specs::Spec;
use nnue_peers::nnue_rs::Peer;
use nnue_peers::race::{Results, race};
use nnue_peers::table::Table;
use nnue_runtime::Level;
use nnue_test_support::nets::{self, NETS};
use nnue_trace::Trace;

const USAGE: &str = "\
usage: nnue-peers [OPTION ...] [TRACE]

Evaluates the positions of a search with `nnue-rs` and with this project, in turns, and prints the times and how many
times longer `nnue-rs` takes. All values are compared. TRACE is text or gzip, as `replay --help` says; without it, the
search that is built in is replayed.

options:
  --net FILE      measure with this net file; may be given several times. By default, those released nets that both
                  can load, of which `cargo run -p nnue-tests --bin fetch-nets` fetches all that are not here
  --level NAMES   our instruction sets, separated by commas; by default avx2, which is what `nnue-rs` uses, and the
                  best that the machine has; a build for one machine has only the latter
  --rounds N      how often each is measured (default 9)
  -h, --help      show this
  -V, --version   show the version

Along a search, `nnue-rs` is measured in two ways: as its documentation shows, and with nothing computed before it is
evaluated, which it leaves to its users. Ours works like the latter, and both ratios are to it.

The exit code is 0 if all went well, 1 if values differ or a file could not be used, 2 if the options are wrong.
";

/// Generations that both can load.
const GENERATIONS: [&str; 5] = ["v1", "v2", "v6", "v9", "small128"];

fn main() -> ExitCode {
    execute("nnue-peers", USAGE, parse, compare)
}

struct Arguments {
    nets: Vec<PathBuf>,
    levels: Vec<Level>,
    rounds: usize,
    trace: Option<PathBuf>,
}

fn parse(mut parser: lexopt::Parser) -> Result<Command<Arguments>, Box<dyn Error>> {
    let (mut nets, mut levels, mut rounds, mut trace) = (Vec::new(), Vec::new(), 9, None);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("net") => nets.push(PathBuf::from(parser.value()?)),
            Long("level") => command_line::add_levels(&mut levels, &parser.value()?.string()?)?,
            Long("rounds") => rounds = command_line::parse_rounds(&parser.value()?.string()?)?,
            Short('h') | Long("help") => return Ok(Command::Help),
            Short('V') | Long("version") => return Ok(Command::Version),
            Value(path) if trace.is_none() => trace = Some(PathBuf::from(path)),
            _ => return Err(argument.unexpected().into()),
        }
    }
    if levels.is_empty() {
        let best = Level::detect();
        levels = Level::available()
            .filter(|level| level.name() == "avx2" || *level == best)
            .collect();
    }
    Ok(Command::Run(Arguments {
        nets,
        levels,
        rounds,
        trace,
    }))
}

fn compare(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let trace = command_line::read_trace(arguments.trace.as_deref()).map_err(Failure::Work)?;
    let out = io::stdout().lock();
    let colours = Colours::for_output(&out);
    let mut out = BufWriter::new(out);
    let built = match cfg!(target_feature = "avx2") {
        true => "built for processors with AVX2",
        false => "built for any processor",
    };
    writeln!(
        out,
        "{} evaluations, {} rounds, {built}\n",
        thousands(trace.evaluations()),
        arguments.rounds
    )?;
    let mut table = Table {
        colours,
        out: &mut out,
    };
    table.head(&arguments.levels)?;

    let (nets, missing) = match &*arguments.nets {
        [] => released_nets(),
        nets => (nets.to_vec(), Vec::new()),
    };
    for path in &nets {
        // A net takes seconds, so the user should see at once what is measured.
        table.out.flush()?;
        let (name, results) =
            measure(path, arguments, &trace).map_err(|error| Failure::Work(error.to_string()))?;
        let file = path.file_name().map_or(path.as_path(), Path::new);
        table.net(name, &file.display().to_string(), &trace, &results)?;
    }
    if !missing.is_empty() {
        writeln!(
            out,
            "\nnot on this machine: {}; `cargo run -p nnue-tests --bin fetch-nets` fetches them",
            missing.join(", ")
        )?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The name and the times of a net.
fn measure(
    path: &Path,
    arguments: &Arguments,
    trace: &Trace,
) -> Result<(&'static str, Results), Box<dyn Error>> {
    let ours = Spec::of_file(path)?.open(path, arguments.levels[0])?;
    let name = ours.name();
    let peer =
        Peer::open(path).map_err(|error| format!("`{}`: nnue-rs: {error}", path.display()))?;
    let bar = command_line::progress_bar();
    bar.set_length(1 + arguments.rounds as u64);
    let results = race(
        ours,
        &peer,
        &arguments.levels,
        trace,
        arguments.rounds,
        &mut |done| bar.set_position(done as u64),
    );
    bar.finish_and_clear();
    match results {
        Ok(results) => Ok((name, results)),
        Err(difference) => Err(format!("`{}`: {difference}", path.display()).into()),
    }
}

/// The released nets that both can load: the files that are present, and the names of the others.
fn released_nets() -> (Vec<PathBuf>, Vec<&'static str>) {
    let both = NETS
        .iter()
        .filter(|net| GENERATIONS.contains(&net.generation));
    let (mut files, mut missing) = (Vec::new(), Vec::new());
    for net in both {
        match nets::cached(net.name) {
            Some(path) => files.push(path),
            None => missing.push(net.name),
        }
    }
    (files, missing)
}
