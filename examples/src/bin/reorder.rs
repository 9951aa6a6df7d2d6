//! `reorder [OPTION ...] [TRACE]`: the neurons of a network in the order of their activity.

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lexopt::prelude::*;
use nnue_examples::colour::Colours;
use nnue_examples::command_line::{self, Command, Failure, NetChoice, execute};
use nnue_examples::reorder::{Reordered, reorder};
use nnue_examples::replay::thousands;
use nnue_examples::show;
use nnue_examples::specs::Spec;
use nnue_runtime::Level;

const USAGE: &str = "\
usage: reorder [OPTION ...] [TRACE]

Puts the neurons of a network's transformer into an order in which there is less to do: outputs that are not zero at the
same time become neighbours, so that more blocks of four outputs are zero, which layers skip. The order is found on the
positions of a search; on all of them the network must then evaluate to the same values as before, on every
instruction set of the machine. TRACE is text or gzip, as for `replay`; without it, the search that is built in.

options:
  --net FILE      reorder this net file, not the one that is built in
  --spec NAME     the network's spec; without it, the file decides
  --out FILE      write the net in its new order; without it, only what would be gained is shown
  -h, --help      show this
  -V, --version   show the version

The exit code is 0 if all went well, 1 if the order of the network makes no difference, if values differ or if a file
could not be used, 2 if the options are wrong. A file is written as a whole or not at all, and only if no value differs.
";

/// Steps of the progress bar.
const STEPS: u64 = 1000;

fn main() -> ExitCode {
    execute("reorder", USAGE, parse, run)
}

struct Arguments {
    net: NetChoice,
    level: Level,
    out: Option<PathBuf>,
    trace: Option<PathBuf>,
}

fn parse(mut parser: lexopt::Parser) -> Result<Command<Arguments>, Box<dyn Error>> {
    let (mut net, mut spec, mut out, mut trace) = (None, None, None, None);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("net") => net = Some(PathBuf::from(parser.value()?)),
            Long("spec") => spec = Some(Spec::named(&parser.value()?.string()?)?),
            Long("out") => out = Some(PathBuf::from(parser.value()?)),
            Short('h') | Long("help") => return Ok(Command::Help),
            Short('V') | Long("version") => return Ok(Command::Version),
            Value(path) if trace.is_none() => trace = Some(PathBuf::from(path)),
            _ => return Err(argument.unexpected().into()),
        }
    }
    Ok(Command::Run(Arguments {
        net: NetChoice::of(net, spec)?,
        level: command_line::level_of_environment()?.unwrap_or_else(Level::detect),
        out,
        trace,
    }))
}

fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let trace = command_line::read_trace(arguments.trace.as_deref()).map_err(Failure::Work)?;
    let (net, file) =
        (arguments.net.open(arguments.level)).map_err(|error| Failure::Work(error.to_string()))?;
    let neurons = net.neurons();
    let mut head = Vec::new();
    show::Report {
        net: &*net,
        colours: Colours::for_output(&io::stdout()),
        out: &mut head,
    }
    .network(
        &file,
        &format!("{} positions", thousands(trace.evaluations())),
    )?;

    let levels: Vec<Level> = Level::available().collect();
    let bar = command_line::progress_bar();
    bar.set_length(STEPS);
    let reordered = reorder(net, &trace, &levels, &mut |done| {
        bar.set_position((done * STEPS as f64) as u64);
    });
    bar.finish_and_clear();
    let Reordered {
        file,
        before,
        after,
    } = reordered.map_err(|error| Failure::Work(error.to_string()))?;
    if let Some(path) = &arguments.out {
        write_whole(path, &file).map_err(|error| {
            Failure::Work(format!("cannot write `{}`: {error}", path.display()))
        })?;
    }
    let outputs = neurons.outputs * neurons.perspectives;
    let blocks = neurons.outputs.div_ceil(nnue_runtime::neurons::BLOCK) * neurons.perspectives;
    let mut out = io::stdout().lock();
    out.write_all(&head)?;
    writeln!(out)?;
    writeln!(
        out,
        "not zero, per evaluation{:>14}{:>10}{:>10}",
        "of", "before", "after"
    )?;
    writeln!(
        out,
        "outputs{:>31}{:>10.1}{:>10.1}",
        thousands(outputs),
        before.outputs,
        after.outputs
    )?;
    writeln!(
        out,
        "blocks of four{:>24}{:>10.1}{:>10.1}{:>+9.1} %",
        thousands(blocks),
        before.blocks,
        after.blocks,
        100.0 * (after.blocks / before.blocks - 1.0)
    )?;
    writeln!(out)?;
    let names: Vec<&str> = levels.iter().map(|level| level.name()).collect();
    writeln!(
        out,
        "All {} values are the same in both orders on {}.",
        thousands(trace.evaluations()),
        names.join(", ")
    )?;
    match &arguments.out {
        Some(path) => writeln!(out, "Written to `{}`.", path.display())?,
        None => writeln!(out, "Nothing is written: `--out FILE` does that.")?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes a file beside its place and then moves it there: it may be the net that was read.
fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    let beside = PathBuf::from(beside);
    let written = fs::write(&beside, bytes).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // A file that is not complete is useless. Where removing it fails too, the first error is
        // the one to report.
        let _ = fs::remove_file(&beside);
    }
    written
}
