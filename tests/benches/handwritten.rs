//! This project beside what an engine author writes by hand: `cargo bench -p nnue-benches --bench
//! handwritten`.
//!
//! Networks are (768 -> W)x2 -> 1, as bullet's examples make them, with random weights. The
//! opponent ([`engine`]) has a stack of accumulators, loops of intrinsics that take the rows of a
//! move at once, and a forward pass in one loop. It updates accumulators with each move (`eagerly`)
//! or when a position is evaluated (`lazily`). All run in one process, in turns for each search of
//! the trace, and all values are compared first. What is shown is the sum over searches of the
//! shortest time of nine, in nanoseconds for an evaluation, without the time for reading the trace,
//! and our time divided by that of the faster opponent:
//!
//! * `search`: the recorded search, with one evaluation for five moves;
//! * `engine`: the same moves, with three in four evaluated, as in engines that evaluate most of
//!   their nodes;
//! * `forward`: the forward pass alone, over accumulators in L1.

#![cfg_attr(
    not(target_arch = "x86_64"),
    allow(
        dead_code,
        unused_variables,
        reason = "the opponent is written in intrinsics of x86-64: elsewhere nobody races"
    )
)]

#[cfg(target_arch = "x86_64")]
#[path = "handwritten/avx2.rs"]
mod avx2;
#[cfg(target_arch = "x86_64")]
#[path = "handwritten/avx512.rs"]
mod avx512;
#[path = "handwritten/engine.rs"]
mod engine;
#[cfg(target_arch = "x86_64")]
#[path = "handwritten/loops.rs"]
mod loops;

use std::hint::black_box;
use std::time::{Duration, Instant};

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_interpreter::dummy::net_file::random_net_file;
use nnue_runtime::line::FromPosition;
use nnue_runtime::{
    Accumulator, Board, Delta, Evaluator, Level, Network, Output, Position, SelectedByPieces,
};
use nnue_trace::{Event, Follow, Idle, Move, Search, Trace};

use engine::{Engine, Loops, Updates, Weights};

mod simple {
    nnue_runtime::nnue_net!("../../specs/bullet/simple.toml");
    pub(crate) const SPEC: &str = include_str!("../../specs/bullet/simple.toml");
}

mod output_buckets {
    nnue_runtime::nnue_net!("../../specs/bullet/output_buckets.toml");
    pub(crate) const SPEC: &str = include_str!("../../specs/bullet/output_buckets.toml");
}

/// Networks of 1024 neurons.
macro_rules! nets {
    ($($name:ident $spec:literal)+) => { $(
        mod $name {
            nnue_runtime::nnue_net!(inline = $spec);
            pub(crate) const SPEC: &str = $spec;
        }
    )+ };
}

nets! {
    simple_1024 r#"
        name = "simple_1024"
        features = [{ set = "A" }]
        transformer = { width = 1024, one = 255, activation = "screlu" }
        layer = [{ name = "l1", op = "affine", outputs = 1, weights = "i16", weights_one = 64, divide = 255 }]
        output = { sum = "l1", one = 16320, scale = 400 }
        file = { format = "bullet" }
    "#
    crelu r#"
        name = "crelu"
        features = [{ set = "A" }]
        transformer = { width = 1024, one = 255, activation = "crelu" }
        layer = [{ name = "l1", op = "affine", outputs = 1, weights = "i16", weights_one = 64 }]
        output = { sum = "l1", one = 16320, scale = 400 }
        file = { format = "bullet" }
    "#
    screlu_256 r#"
        name = "screlu_256"
        features = [{ set = "A" }]
        transformer = { width = 1024, one = 256, activation = "screlu" }
        layer = [{ name = "l1", op = "affine", outputs = 1, weights = "i16", weights_one = 64, divide = 256 }]
        output = { sum = "l1", one = 16384, scale = 400 }
        file = { format = "bullet" }
    "#
    screlu_403 r#"
        name = "screlu_403"
        features = [{ set = "A" }]
        transformer = { width = 1024, one = 403, activation = "screlu" }
        layer = [{ name = "l1", op = "affine", outputs = 1, weights = "i16", weights_one = 64, divide = 403 }]
        output = { sum = "l1", one = 25792, scale = 400 }
        file = { format = "bullet" }
    "#
}

/// How often each contender goes over each search.
const ROUNDS: usize = 9;

/// Accumulators of the forward pass that is measured alone: with the weights, they fill L1.
const ACCUMULATORS: usize = 4;

/// The number of forward passes that are timed at once.
const BATCH: u32 = 20_000;

fn main() {
    let trace = Trace::bundled().expect("the trace is well-formed");
    let workloads = Workloads {
        engine: of_engines(&trace).by_search(),
        search: trace.by_search(),
    };
    println!(
        "{:<16}{:<11}{:<9}{:>8}{:>9}{:>9}{:>9}",
        "network", "level", "", "ours", "eagerly", "lazily", "ratio"
    );
    race::<simple::Net, 128, 1, 255, true>("simple", simple::SPEC, &workloads);
    race::<output_buckets::Net, 512, 8, 255, true>(
        "output_buckets",
        output_buckets::SPEC,
        &workloads,
    );
    race::<simple_1024::Net, 1024, 1, 255, true>("simple_1024", simple_1024::SPEC, &workloads);
    race::<crelu::Net, 1024, 1, 255, false>("crelu", crelu::SPEC, &workloads);
    race::<screlu_256::Net, 1024, 1, 256, true>("screlu_256", screlu_256::SPEC, &workloads);
    race::<screlu_403::Net, 1024, 1, 403, true>("screlu_403", screlu_403::SPEC, &workloads);
}

/// Traces by search.
struct Workloads {
    search: Vec<Trace>,
    engine: Vec<Trace>,
}

/// The moves of a trace, after which three positions of four are evaluated.
fn of_engines(trace: &Trace) -> Trace {
    let mut made = 0;
    let mut more = |search: &Search| {
        let mut events = Vec::with_capacity(2 * search.events.len());
        for event in &search.events {
            if *event == Event::Evaluate {
                continue;
            }
            events.push(*event);
            if matches!(event, Event::Make(_) | Event::MakeNull) {
                made += 1;
                if made % 4 != 0 {
                    events.push(Event::Evaluate);
                }
            }
        }
        Search {
            events,
            evaluated: Vec::new(),
            ..search.clone()
        }
    };
    Trace {
        searches: trace.searches.iter().map(&mut more).collect(),
    }
}

/// Races this project's network, on each level, against the opponent with vectors of the same size.
fn race<
    A: SelectedByPieces<Line = FromPosition, Output = Output>,
    const W: usize,
    const B: usize,
    const ONE: i16,
    const SQUARED: bool,
>(
    name: &str,
    spec: &str,
    workloads: &Workloads,
) {
    let network = analyse(&SourceFile::new(name, spec)).expect("the spec is right");
    let file = random_net_file(&network, 1);
    let weights = Weights::<W, B>::of(&file);
    for level in Level::available() {
        let net = Network::<A>::from_bytes(&file).expect("the file fits");
        let net = net.with_level(level);
        match level.name() {
            #[cfg(target_arch = "x86_64")]
            "avx2" | "avxvnni" => {
                let loops = avx2::Avx2::<ONE, SQUARED>::detect().expect("the level needs it");
                compare(name, &net, loops, &weights, workloads);
            }
            #[cfg(target_arch = "x86_64")]
            "avx512" | "avx512icl" => {
                let loops = avx512::Avx512::<ONE, SQUARED>::detect().expect("the level needs it");
                compare(name, &net, loops, &weights, workloads);
            }
            _ => {}
        }
    }
}

/// Prints a network's lines of the table for one level.
fn compare<
    A: SelectedByPieces<Line = FromPosition, Output = Output>,
    L: Loops,
    const W: usize,
    const B: usize,
>(
    name: &str,
    net: &Network<A>,
    loops: L,
    weights: &Weights<W, B>,
    workloads: &Workloads,
) {
    let root = Board::start();
    for (workload, searches) in [("search", &workloads.search), ("engine", &workloads.engine)] {
        let mut ours = Ours(Evaluator::new(net, &root));
        let mut eager = Engine::new(loops, weights, Updates::Eager);
        let mut lazy = Engine::new(loops, weights, Updates::Lazy);
        let mut contenders: [&mut dyn Contender; 4] = [&mut ours, &mut eager, &mut lazy, &mut Idle];
        let evaluations = assert_equal(searches, &mut contenders);
        let mut shortest = [Duration::ZERO; 4];
        for search in searches {
            let mut of_search = [Duration::MAX; 4];
            for _ in 0..ROUNDS {
                for (time, contender) in of_search.iter_mut().zip(&mut contenders) {
                    *time = (*time).min(contender.time(search));
                }
            }
            for (sum, time) in shortest.iter_mut().zip(of_search) {
                *sum += time;
            }
        }
        let [times @ .., reading] = shortest;
        let times = times.map(|time| (time - reading).as_secs_f64() * 1e9 / evaluations as f64);
        print_line(name, net.level(), workload, times);
    }
    let forward = forward(net, loops, weights, &workloads.search);
    print_line(
        name,
        net.level(),
        "forward",
        [forward[0], forward[1], forward[1]],
    );
}

/// A line of the table: our nanoseconds, and those of the opponent eagerly and lazily.
fn print_line(name: &str, level: Level, workload: &str, [ours, eager, lazy]: [f64; 3]) {
    let ratio = ours / eager.min(lazy);
    let level = level.name();
    println!("{name:<16}{level:<11}{workload:<9}{ours:>8.1}{eager:>9.1}{lazy:>9.1}{ratio:>9.2}");
}

/// Nanoseconds of the forward pass alone, ours and the opponent's.
fn forward<
    A: SelectedByPieces<Line = FromPosition, Output = Output>,
    L: Loops,
    const W: usize,
    const B: usize,
>(
    net: &Network<A>,
    loops: L,
    weights: &Weights<W, B>,
    searches: &[Trace],
) -> [f64; 2] {
    let boards: Vec<&Board> = searches
        .iter()
        .map(|trace| &trace.searches[0].root)
        .collect();
    let boards = &boards[..ACCUMULATORS];
    let accumulators: Vec<_> = boards
        .iter()
        .map(|board| Accumulator::new(net, *board))
        .collect();
    // The opponent has counted the pieces too.
    let positions = boards.iter().map(|board| {
        let bucket = Network::<A>::bucket(board.occupied().len());
        (board.side_to_move(), bucket)
    });
    let positions: Vec<_> = positions.collect();
    let engines: Vec<_> = searches[..ACCUMULATORS]
        .iter()
        .map(|trace| {
            let mut engine = Engine::new(loops, weights, Updates::Eager);
            engine.reset(&trace.searches[0]);
            engine
        })
        .collect();
    let timed = |evaluate: &dyn Fn(usize)| {
        let started = Instant::now();
        for index in 0..BATCH as usize {
            evaluate(index % ACCUMULATORS);
        }
        started.elapsed()
    };
    let mut shortest = [Duration::MAX; 2];
    for _ in 0..5 * ROUNDS {
        let ours = timed(&|index| {
            let (side_to_move, bucket) = positions[index];
            black_box(net.evaluate_bucket(black_box(&accumulators[index]), side_to_move, bucket));
        });
        let theirs = timed(&|index| {
            black_box(black_box(&engines[index]).forward());
        });
        shortest = [shortest[0].min(ours), shortest[1].min(theirs)];
    }
    shortest.map(|time| time.as_secs_f64() * 1e9 / f64::from(BATCH))
}

/// Something that goes over a search.
trait Contender {
    /// The values of its evaluations; none if it evaluates nothing.
    fn values(&mut self, search: &Trace, evaluations: usize) -> Vec<i32>;
    /// How long it takes.
    fn time(&mut self, search: &Trace) -> Duration;
}

impl<F: Follow<Value: Evaluation>> Contender for F {
    fn values(&mut self, search: &Trace, evaluations: usize) -> Vec<i32> {
        let mut values = vec![F::Value::default(); evaluations];
        search.replay(self, &mut values);
        values.into_iter().filter_map(Evaluation::value).collect()
    }

    fn time(&mut self, search: &Trace) -> Duration {
        search.replay(self, &mut [])
    }
}

/// The value of a [`Follow`].
trait Evaluation: Copy + Default {
    fn value(self) -> Option<i32>;
}

impl Evaluation for i32 {
    fn value(self) -> Option<i32> {
        Some(self)
    }
}

impl Evaluation for () {
    fn value(self) -> Option<i32> {
        None
    }
}

/// Compares the values of all contenders, and counts them.
fn assert_equal(searches: &[Trace], contenders: &mut [&mut dyn Contender]) -> usize {
    let mut all = 0;
    for search in searches {
        let events = search.searches.iter().flat_map(|search| &search.events);
        let evaluations = events.filter(|event| **event == Event::Evaluate).count();
        let mut values = contenders
            .iter_mut()
            .map(|contender| contender.values(search, evaluations));
        let ours = values.next().expect("we are one of them");
        for theirs in values.filter(|values| !values.is_empty()) {
            assert_eq!(
                ours, theirs,
                "in the search of line {}",
                search.searches[0].line
            );
        }
        all += evaluations;
    }
    all
}

/// This project's evaluator.
struct Ours<'n, A: SelectedByPieces<Line = FromPosition>>(Evaluator<A, &'n Network<A>>);

impl<A: SelectedByPieces<Line = FromPosition, Output = Output>> Follow for Ours<'_, A> {
    type Value = i32;

    fn reset(&mut self, search: &Search) {
        self.0.reset(&search.root);
    }

    #[inline]
    fn make(&mut self, _: Move, delta: &Delta) {
        self.0.push(delta);
    }

    #[inline]
    fn make_null(&mut self) {
        self.0.push_null();
    }

    #[inline]
    fn unmake(&mut self) {
        self.0.pop();
    }

    #[inline]
    fn evaluate(&mut self) -> i32 {
        self.0.evaluate().value
    }
}
