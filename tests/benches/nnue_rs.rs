//! `nnue-rs` beside this project: the same net over the same search in one process, in turns, with
//! every value compared: `cargo bench -p nnue-benches --bench nnue_rs -- [OPTIONS]`.
//!
//! | option | says |
//! |---|---|
//! | `--net FILE` | the net, of SFNNv1, 2, 6, 9, 10 or small128; by default the one in `examples/nets` |
//! | `--level NAMES` | our instruction sets; by default `avx2`, which is what nnue-rs uses, and the best |
//! | `--rounds N` | how often each search is evaluated; by default 9 times |
//! | `--threads N` | how many threads do the same at the same time |
//! | `--engine[=BYTES]` | both follow the search in an engine, with a hash table of this size |
//!
//! # What is compared
//!
//! `nnue-rs` returns a single number for an evaluation: the value in the engine's units. In each of
//! its ways, this value must follow from our PSQT and positional sums by the rounding of `nnue-rs`
//! ([`nnue_rs::Peer::value_of`]). Our values, on each level and in each pass, must equal those of
//! our full refresh in all parts.
//!
//! There is a single known difference. For SFNNv6 the engine divides the sum of both parts by 16;
//! `nnue-rs` divides each part, as engines do since SFNNv9, and so its values differ by 1 in nearly
//! half of all positions. The number of these positions is printed.
//!
//! # What is measured
//!
//! * Both crates run the same loops with the same clock, in turns for each search ([`race()`]).
//! * Along a search, our evaluator keeps its own placement of the pieces, which is part of its
//!   time. `nnue-rs` asks for the board of an engine; if it is updated lazily, it gets the boards
//!   of the trace, which cost it no time.
//! * Along a search, both crates read the trace, in an engine if the user asks for it. The time of
//!   this work alone is measured too, and subtracted in each round.
//! * Each crate has its own copy of the weights, and finds that of the other crate in the caches.
//! * `nnue-rs` detects AVX2 at run time, in each call of a kernel, and uses nothing newer. Built
//!   with `RUSTFLAGS=-Ctarget-cpu=native` there is nothing to detect, and its other code may use
//!   AVX2 as well: measure both builds.

#[path = "nnue_rs/ours.rs"]
mod ours;
#[path = "nnue_rs/peer.rs"]
mod peer;
#[path = "nnue_rs/race.rs"]
mod race;
#[path = "nnue_rs/report.rs"]
mod report;
#[path = "nnue_rs/times.rs"]
mod times;
#[path = "nnue_rs/turns.rs"]
mod turns;

use std::error::Error;
use std::path::PathBuf;

use nnue_runtime::Level;
use nnue_trace::{Engine, Trace};

use self::peer::Peer;
use self::race::{Conditions, race};

/// The net in `examples/nets`.
const NET: &str = "../../examples/nets/nn-37f18f62d772.nnue";

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::read(std::env::args().skip(1))?;
    let file = std::fs::read(&options.net)?;
    let (name, net) = ours::load(&file).ok_or("a net of a network that both have is expected")?;
    let peer = Peer::read(&file).map_err(|error| format!("nnue-rs: {error}"))?;
    let trace = Trace::bundled()?;
    let engines = match options.engine {
        Some(table) => (0..options.threads)
            .map(|_| Engine::new(table))
            .collect::<Result<Vec<_>, _>>()?,
        None => Vec::new(),
    };
    let conditions = Conditions {
        rounds: options.rounds,
        threads: options.threads,
        engines: &engines,
    };
    println!(
        "{name} · {}, {} rounds, {} threads, built for {}",
        options.net.display(),
        options.rounds,
        options.threads,
        Level::BASELINE
    );
    let all = conditions.rounds_of(options.levels.len());
    let progress = |done: usize| eprint!("\r{done} of {all}");
    let results = race(net, &peer, &options.levels, &trace, conditions, &progress)?;
    eprintln!();
    let alone = if engines.is_empty() {
        "reading"
    } else {
        "engine"
    };
    report::print(&results, &trace, alone);
    Ok(())
}

struct Options {
    net: PathBuf,
    levels: Vec<Level>,
    rounds: usize,
    threads: usize,
    engine: Option<usize>,
}

impl Options {
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Options, Box<dyn Error>> {
        let best = Level::detect();
        let mut options = Options {
            net: NET.into(),
            levels: Level::available()
                .filter(|level| level.name() == "avx2" || *level == best)
                .collect(),
            rounds: 9,
            threads: 1,
            engine: None,
        };
        while let Some(argument) = arguments.next() {
            let (name, attached) = match argument.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (&*argument, None),
            };
            let mut value = || {
                let value = attached.clone().or_else(|| arguments.next());
                value.ok_or_else(|| format!("found `{name}` without a value"))
            };
            match name {
                "--net" => options.net = value()?.into(),
                "--level" => {
                    let names = value()?;
                    let levels = names.split(',').map(Level::by_name);
                    options.levels = levels.collect::<Result<_, _>>()?;
                }
                "--rounds" => options.rounds = value()?.parse()?,
                "--threads" => options.threads = value()?.parse::<usize>()?.max(1),
                "--engine" => {
                    let table = attached.map(|bytes| bytes.parse()).transpose()?;
                    options.engine = Some(table.unwrap_or(Engine::TABLE));
                }
                // cargo says so to every benchmark.
                "--bench" => {}
                other => return Err(format!("found the option `{other}`").into()),
            }
        }
        Ok(options)
    }
}
