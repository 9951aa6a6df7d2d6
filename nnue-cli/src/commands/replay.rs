//! `nnue replay`: the speed of a network over the positions of a search, on each level.

#[cfg(feature = "beside")]
mod beside;
mod show;
mod together;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use nnue_compiler::format::foreign;
use nnue_runtime::Level;
use nnue_tools::measure::processor::processor;
use nnue_tools::measure::replay::processes::{self, Role, Weights};
use nnue_tools::measure::replay::{Engine, Measured, Workload, measure};

use self::show::Report;
use crate::Failure;
use crate::heading;
use crate::inputs::{
    ChosenNet, NetOptions, TraceFile, available_level, default_level, level_of_environment,
    write_json,
};
use crate::progress;

const EXAMPLE: &str = "\
Example: nnue replay --net nn-ad9b42354671.nnue --level avx2,avx512icl";

const NOTES: &str = "\
Measured are evaluations along the search, by an evaluator that updates incrementally, a full refresh \
of each position, and the forward pass alone. All values are compared: they must be the same however \
they are computed.

An evaluator in a loop of its own has all caches and branch predictors to itself. With --engine it is \
also measured where it shares them, in turns with the engine alone, search by search; shown is what \
both take longer than that. With --beside, both networks follow the search in an engine.

A trace has one line per root position: `FEN;`, then tokens separated by spaces.
  e2e4 e7e8q   make this move; castling is the king's move, such as e1g1
  0            make a null move
  -  ~         take back the last move; the last null move
  =            evaluate the position

The exit code is 0 if all went well, 1 if values differ or a file could not be used, 2 if the \
arguments are wrong.";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLE, after_long_help = format!("{NOTES}\n\n{EXAMPLE}"))]
pub(crate) struct Replay {
    #[command(flatten)]
    trace: TraceFile,
    #[command(flatten)]
    net: NetOptions,
    /// The instruction sets, separated by commas, by default the one that NNUE_LEVEL names or all
    /// that the machine has; may be given several times
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = available_level())]
    level: Vec<Level>,
    /// How often each is measured, 1 to 1000: shown are median, minimum and maximum
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u16).range(1..=1000))]
    rounds: u16,
    /// Measure along the search in an engine too: with a board that makes the moves, a hash table
    /// of this size that is probed at each node, and the legal moves of each position that is
    /// evaluated, looked up in histories. What the engine takes alone is not counted. Sizes are
    /// such as 256M; without one, 16M
    #[arg(long, value_name = "SIZE", num_args = 0..=1, require_equals = true, default_missing_value = "16M", value_parser = table_size)]
    engine: Option<usize>,
    /// Measure nnue-rs beside this network, in turns for each search, and show how many times as
    /// long it takes, on avx2, which is what it uses, and the best level that the machine has; the
    /// program has to be built with `--features nnue-cli/beside`. Shown are median and quartiles
    #[arg(long)]
    beside: bool,
    /// With `--beside`: how many threads do the same at the same time, 1 to 256; one by default
    #[arg(long, value_name = "N", requires = "beside", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    /// Measure so many processes that evaluate along the search at the same time, 1 to 256: as many
    /// with weights of their own, and as many that share their weights, in turns; shown is what all
    /// of a kind evaluate in a second, and the memory that they take
    #[arg(long, value_name = "N", conflicts_with = "beside", value_parser = clap::value_parser!(u16).range(1..=256))]
    processes: Option<u16>,
    /// Be one of these processes.
    #[arg(long, hide = true, value_name = "KIND:NUMBER")]
    process: Option<Role>,
    /// Write what was measured as JSON
    #[arg(long)]
    json: bool,
}

impl Replay {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        if self.beside && cfg!(not(feature = "beside")) {
            return Err(Failure::Arguments(
                "`--beside` needs a program that was built with `--features nnue-cli/beside`"
                    .into(),
            ));
        }
        if let Some(role) = self.process {
            return self.be_process(role, out);
        }
        let read = self.net.paths().into_iter().chain([self.trace.path()]);
        if self.processes.is_some() && read.flatten().any(|path| path == Path::new("-")) {
            let message = "`--processes` cannot read standard input, which is one stream for all";
            return Err(Failure::Arguments(message.into()));
        }
        let chosen = self.net.open()?;
        let levels = self.levels()?;
        let trace = self.trace.read()?;
        if let Some(processes) = self.processes {
            return self.in_processes(processes.into(), &chosen, out);
        }
        let net = chosen.compiled(levels[0])?;
        let workload = Workload {
            network: net.name().into(),
            file: chosen.name,
            processor: processor(),
            baseline: Level::BASELINE.name(),
            moves: trace.moves(),
            evaluations: trace.evaluations(),
            roots: trace.searches.len(),
            rounds: self.rounds.into(),
            engine_table: self.engine,
        };
        if !self.json {
            heading::write(&*net, &workload.file, &workload.to_string(), out)?;
            writeln!(out, "{}\n", workload.machine())?;
            // A measurement takes seconds, so the user should see at once what is measured.
            out.flush()?;
        }
        #[cfg(feature = "beside")]
        if self.beside {
            return self.race(&chosen.file.bytes, &levels, net, &trace, &workload, out);
        }
        let engine = self.engine.map(engine).transpose()?;
        let bar = progress::bar();
        let results = measure(
            net,
            &levels,
            &trace,
            workload.rounds,
            engine.as_ref(),
            &mut |done, all| {
                bar.set_length(all as u64);
                bar.set_position(done as u64);
            },
        );
        bar.finish_and_clear();
        let results = results.map_err(Failure::work)?;
        if self.json {
            let measured = Measured::of(&workload, &results);
            write_json(&measured, out)?;
        } else {
            Report {
                results: &results,
                trace: &trace,
                out,
            }
            .write()?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Measures several processes at the same level.
    fn in_processes(
        &self,
        count: usize,
        chosen: &ChosenNet,
        out: &mut dyn Write,
    ) -> Result<ExitCode, Failure> {
        let level = self.level_of_processes()?;
        if !self.json {
            let name = &chosen.file.network.name;
            let (processor, rounds) = (processor(), self.rounds);
            writeln!(
                out,
                "{name} · {}, {level}, {rounds} rounds",
                foreign(&chosen.name)
            )?;
            writeln!(out, "{processor}\n")?;
            out.flush()?;
        }
        let bar = progress::bar();
        let results = processes::measure(count, self.rounds.into(), &mut |done, all| {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
        });
        bar.finish_and_clear();
        let results = results.map_err(Failure::work)?;
        match self.json {
            true => write_json(&results, out)?,
            false => together::write(&results, out)?,
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Runs a process that is measured.
    fn be_process(&self, role: Role, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        let chosen = self.net.open()?;
        let level = self.level_of_processes()?;
        let (net, reason) = match role.weights {
            Weights::Private => (chosen.compiled(level)?, None),
            Weights::Shared => chosen.shared(level)?,
        };
        // Only memory that the process needs further is measured.
        drop(chosen);
        let mut requests = io::stdin().lock();
        processes::say_loaded(reason.as_deref(), &mut requests, out)?;
        let trace = self.trace.read()?;
        let engine = self.engine.map(engine).transpose()?;
        let (number, engine) = (role.number, engine.as_ref());
        processes::serve(&*net, &trace, engine, number, &mut requests, out)?;
        Ok(ExitCode::SUCCESS)
    }

    /// The level of all processes: the level that the user names, or the best.
    fn level_of_processes(&self) -> Result<Level, Failure> {
        match &*self.level {
            [] => default_level(),
            [level] => Ok(*level),
            _ => Err(Failure::Arguments(
                "found several levels, expected one for `--processes`".into(),
            )),
        }
    }

    /// The levels to measure, without repetitions.
    fn levels(&self) -> Result<Vec<Level>, Failure> {
        let mut levels = Vec::new();
        for level in &self.level {
            if !levels.contains(level) {
                levels.push(*level);
            }
        }
        if levels.is_empty() {
            levels = match level_of_environment()? {
                Some(level) => vec![level],
                None if self.beside => peer_levels(),
                None => Level::available().collect(),
            };
        }
        Ok(levels)
    }
}

/// The level that nnue-rs uses, and the best level of this machine.
fn peer_levels() -> Vec<Level> {
    let best = Level::detect();
    Level::available()
        .filter(|level| level.name() == "avx2" || *level == best)
        .collect()
}

#[cfg(feature = "beside")]
mod race {
    use nnue_trace::Trace;

    use super::*;
    use nnue_tools::measure::compiled::AnyNetwork;
    use nnue_tools::measure::replay::beside::nnue_rs::Peer;
    use nnue_tools::measure::replay::beside::{self, Conditions, Raced};

    use super::beside::Report;

    impl Replay {
        pub(super) fn race(
            &self,
            peer: &[u8],
            levels: &[Level],
            net: Box<dyn AnyNetwork>,
            trace: &Trace,
            workload: &Workload,
            out: &mut dyn Write,
        ) -> Result<ExitCode, Failure> {
            let peer = Peer::read(peer);
            let peer = peer.map_err(|error| Failure::Work(format!("nnue-rs: {error}")))?;
            let threads = self.threads.unwrap_or(1).into();
            let engines = match workload.engine_table {
                Some(table) => (0..threads)
                    .map(|_| engine(table))
                    .collect::<Result<_, _>>()?,
                None => Vec::new(),
            };
            let conditions = Conditions {
                rounds: workload.rounds,
                threads,
                engines: &engines,
            };
            let bar = progress::bar();
            bar.set_length(conditions.rounds_of(levels.len()) as u64);
            let results = beside::race(net, &peer, levels, trace, conditions, &|done| {
                bar.set_position(done as u64);
            });
            bar.finish_and_clear();
            let results = results.map_err(Failure::work)?;
            if self.json {
                let raced = Raced::of(workload, conditions.threads, &results);
                write_json(&raced, out)?;
            } else {
                Report {
                    results: &results,
                    trace,
                    in_engine: workload.engine_table.is_some(),
                    out,
                }
                .write()?;
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// An engine with a hash table of `table` bytes.
fn engine(table: usize) -> Result<Engine, Failure> {
    Engine::new(table).map_err(|error| {
        Failure::Work(format!(
            "cannot allocate the hash table of `--engine`, {table} bytes: {error}"
        ))
    })
}

/// Reads the argument of `--engine`: a number of bytes, perhaps with the unit `K`, `M` or `G`, from
/// 1 KB to 64 GB.
fn table_size(text: &str) -> Result<usize, String> {
    let (digits, shift) = match text.as_bytes().last() {
        Some(b'K') => (&text[..text.len() - 1], 10),
        Some(b'M') => (&text[..text.len() - 1], 20),
        Some(b'G') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let bytes = digits.parse::<u64>().ok();
    let bytes = bytes.and_then(|number| number.checked_mul(1 << shift));
    match bytes {
        Some(bytes @ 0x400..=0x10_0000_0000) => usize::try_from(bytes).ok(),
        _ => None,
    }
    .ok_or_else(|| "expected a size from 1K to 64G, such as 256M".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, bytes) in [
            ("1024", 1 << 10),
            ("100000", 100_000),
            ("256K", 256 << 10),
            ("3M", 3 << 20),
            ("64G", 64 << 30),
        ] {
            assert_eq!(table_size(text), Ok(bytes));
        }
        assert_eq!(table_size("16M"), Ok(Engine::TABLE));
        for text in [
            "",
            "0",
            "K",
            "-1",
            "1023",
            "1k",
            "1KB",
            "65G",
            "18446744073709551615G",
            "99999999999999999999",
        ] {
            assert!(table_size(text).is_err(), "{text}");
        }
    }
}
