//! `nnue replay`: how fast a network evaluates the positions of a search, on each level.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use nnue_runtime::Level;

use crate::Failure;
use crate::heading;
use crate::inputs::{NetOptions, TraceFile, available_level, level_of_environment, write_json};
use crate::processor::processor;
use crate::progress;
use crate::replay::{Measured, Report, Workload, measure};

const EXAMPLE: &str = "\
Example: nnue replay --net nn-ad9b42354671.nnue --level avx2,avx512icl";

const NOTES: &str = "\
Measured are evaluations along the search, by an evaluator that updates incrementally, a full refresh \
of each position, and the forward pass alone. All values are compared: they must be the same however \
they are computed.

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
    /// Read so much other memory along the search, as an engine reads its tables, 4 KB before each
    /// evaluation: 256K, 4M or a number of bytes
    #[arg(long, value_name = "SIZE", default_value = "0", value_parser = touched)]
    touch: usize,
    /// Measure nnue-rs beside this network, in turns for each search, and show how many times as
    /// long it takes, on avx2, which is what it uses, and the best level that the machine has; the
    /// program has to be built with `--features nnue-cli/beside`. Shown are median and quartiles
    #[arg(long)]
    beside: bool,
    /// With `--beside`: how many threads do the same at the same time, 1 to 256; one by default
    #[arg(long, value_name = "N", requires = "beside", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
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
        let chosen = self.net.open()?;
        let levels = self.levels()?;
        let trace = self.trace.read()?;
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
            touched: self.touch,
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
        let bar = progress::bar();
        let results = measure(
            net,
            &levels,
            &trace,
            workload.rounds,
            self.touch,
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

    /// The levels to measure, each once.
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

/// What nnue-rs uses, and the best that there is.
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
    use crate::compiled::AnyNetwork;
    use crate::replay::beside::nnue_rs::Peer;
    use crate::replay::beside::{self, Conditions, Raced, Report};

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
            let conditions = Conditions {
                rounds: workload.rounds,
                threads: self.threads.unwrap_or(1).into(),
                touched: workload.touched,
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
                    out,
                }
                .write()?;
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Reads the argument of `--touch`: a number of bytes, or of as many as `K`, `M` or `G` stand for,
/// at most 64 GB.
fn touched(text: &str) -> Result<usize, String> {
    const MAX: u64 = 64 << 30;

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
        .filter(|size| *size <= MAX >> shift);
    match bytes {
        Some(size) => Ok((size << shift) as usize),
        None => Err("expected a size of at most 64G, such as 256K".into()),
    }
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
            assert_eq!(touched(text), Ok(bytes));
        }
        for text in ["", "K", "-1", "1k", "1KB", "65G", "99999999999999999999"] {
            assert!(touched(text).is_err(), "{text}");
        }
    }
}
