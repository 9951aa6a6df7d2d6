//! `nnue-rs` and this project agree on every value, in every way to compute it, and the comparison
//! finds wrong values.

mod ours;
mod peer;
mod race;
mod times;
mod turns;
#[path = "values/times.rs"]
mod values_of_times;
#[path = "values/turns.rs"]
mod values_of_turns;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use nnue_runtime::{Level, Output};
use nnue_test_support::synthetic::synthetic_net;
use nnue_trace::{Contender, Engine, Pass, Trace};

use self::ours::Ours;
use self::peer::{Peer, Way};
use self::race::{Conditions, Difference, Results, race};

/// Generations that both load.
const GENERATIONS: [&str; 5] = ["v1", "v2", "v6", "v9", "small128"];

/// Castling on both sides, en passant, a capture with promotion, null moves, kings that cross the
/// middle, and lines that are evaluated late, after unmakes, or twice.
const TRACE: &str = "\
r3k2r/6Pp/8/3Pp3/8/8/8/R3K2R w KQkq e6 0 1; = d5e6 = e8c8 e1g1 - = - - e1g1 = e8c8 g7h8q = - = - - e1d2 = e8d7 d2c2 d7d6 = c2b2 d6c5 = - - - - - - =
4k3/8/8/8/4P3/8/8/4K3 b - - 0 1; 0 = 0 = e8d8 = - = ~ e1d1 = = - ~ e8f8 0 =
";

fn small_trace() -> Trace {
    Trace::read(TRACE.as_bytes()).expect("moves that are legal")
}

/// Two searches of the engine.
fn real_trace() -> Trace {
    let mut trace = Trace::bundled().expect("the trace of the project");
    trace.searches.truncate(2);
    trace
}

/// A net of a generation.
fn ours(file: &[u8]) -> Box<dyn Ours> {
    ours::load(file).expect("a net of the generation").1
}

fn peer(file: &[u8]) -> Peer {
    Peer::read(file).expect("a net that nnue-rs loads")
}

const ONCE: Conditions<'_> = Conditions {
    rounds: 1,
    threads: 1,
    engines: &[],
};

fn race_all_levels(
    net: Box<dyn Ours>,
    peer: &Peer,
    trace: &Trace,
    conditions: Conditions<'_>,
) -> Result<Results, Difference> {
    let levels: Vec<Level> = Level::available().collect();
    race(net, peer, &levels, trace, conditions, &|_| {})
}

#[test]
#[ignore = "a search on every level without the optimiser: minutes"]
fn all_generations_that_both_load_are_equal() {
    for generation in GENERATIONS {
        let file = synthetic_net(generation);
        for trace in [small_trace(), real_trace()] {
            let raced = race_all_levels(ours(&file), &peer(&file), &trace, ONCE);
            let results = raced.unwrap_or_else(|difference| panic!("{generation}: {difference}"));
            let levels: Vec<Level> = results.levels.iter().map(|of| of.level).collect();
            assert!(levels.into_iter().eq(Level::available()));
            for of_level in &results.levels {
                let mut times = of_level.peer.iter().chain(&of_level.ours);
                assert!(times.all(|times| times.median().is_finite()));
            }
            let rounded_otherwise = results.rounded_otherwise > 0;
            assert_eq!(rounded_otherwise, generation == "v6", "{generation}");
        }
    }
}

#[test]
fn a_peer_with_another_net_is_noticed() {
    let synthetic = synthetic_net("small128");
    let real = "../../examples/nets/nn-37f18f62d772.nnue";
    let real = std::fs::read(real).expect("the net is there");
    let difference = race_all_levels(ours(&real), &peer(&synthetic), &small_trace(), ONCE);
    let difference = difference.unwrap_err();
    assert_eq!((difference.line, difference.number), (1, 1));
    let message = difference.to_string();
    let place = "line 1 of the trace, evaluation 1, `r3k2r/6Pp/8/3Pp3/8/8/8/R3K2R w`: found ";
    assert!(message.starts_with(place), "{message}");
    assert!(
        message.contains(" by nnue-rs, along the search, "),
        "{message}"
    );
}

/// Makes the fourth evaluation of a search wrong, the first time that the search is evaluated after
/// a number of passes.
struct Planted {
    net: Box<dyn Ours>,
    passes_before: AtomicUsize,
}

struct PlantedPass<'p> {
    contender: Box<dyn Contender<Value = Output> + Send + 'p>,
    planted: &'p Planted,
}

impl Ours for Planted {
    fn at_level(self: Box<Self>, level: Level) -> Box<dyn Ours> {
        let net = self.net.at_level(level);
        Box::new(Planted { net, ..*self })
    }

    fn contender<'c>(
        &'c self,
        pass: Pass,
        engine: Option<&'c Engine>,
    ) -> Box<dyn Contender<Value = Output> + Send + 'c> {
        Box::new(PlantedPass {
            contender: self.net.contender(pass, engine),
            planted: self,
        })
    }
}

impl Contender for PlantedPass<'_> {
    type Value = Output;

    fn time(&mut self, trace: &Trace, outputs: &mut [Output]) -> Duration {
        let duration = self.contender.time(trace, outputs);
        if self.planted.passes_before.fetch_sub(1, Ordering::Relaxed) == 0 {
            outputs[3].value += 1;
        }
        duration
    }
}

#[test]
fn a_wrong_value_of_ours_is_noticed_in_every_pass() {
    let file = synthetic_net("small128");
    let (peer, trace) = (peer(&file), small_trace());
    let engines = [Engine::new(1 << 16).expect("there is memory")];
    let in_engine = Conditions {
        engines: &engines,
        ..ONCE
    };
    let measure = |passes_before: usize, conditions| {
        let planted = Planted {
            net: ours(&file),
            passes_before: passes_before.into(),
        };
        race_all_levels(Box::new(planted), &peer, &trace, conditions)
    };
    // One for the reference, then both searches in three passes, twice, on each level.
    let passes = 1 + 2 * 3 * 2 * Level::available().count();
    for conditions in [ONCE, in_engine] {
        for pass in 1..passes {
            let difference = measure(pass, conditions).unwrap_err();
            assert_eq!(difference.found, difference.expected + 1);
            let line = 1 + (pass - 1) % 2;
            assert_eq!((difference.line, difference.number), (line, 4));
            assert!(!difference.by.starts_with("nnue-rs"));
        }
        assert!(measure(passes, conditions).is_ok());
    }
}

#[test]
fn rounds_are_told_and_the_first_of_each_pass_is_not_counted() {
    let file = synthetic_net("small128");
    let told = Mutex::new(Vec::new());
    let engines = [1 << 16; 2].map(|table| Engine::new(table).expect("there is memory"));
    let conditions = Conditions {
        rounds: 3,
        threads: 2,
        engines: &engines,
    };
    let (ours, peer, levels) = (ours(&file), peer(&file), [Level::detect()]);
    let progress = |round| told.lock().expect("no panic").push(round);
    let results = race(ours, &peer, &levels, &small_trace(), conditions, &progress)
        .unwrap_or_else(|difference| panic!("{difference}"));
    let all = conditions.rounds_of(levels.len());
    assert_eq!(all, 12);
    let told = told.into_inner().expect("no panic");
    assert!(told.into_iter().eq(0..=all));
    let mut times = results.levels[0].peer.iter();
    assert!(times.all(|times| times.quantile(1.0) >= times.quantile(0.0)));
}

#[test]
fn every_way_has_its_pass() {
    assert_eq!(
        Way::ALL.map(Way::pass),
        [
            Pass::Incremental,
            Pass::Incremental,
            Pass::Refresh,
            Pass::Forward
        ]
    );
}
