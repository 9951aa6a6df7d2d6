//! Nanoseconds per evaluation, for each network and level: `cargo bench -p nnue-benches`.
//!
//! The positions are those of a real search, in its order (`trace/`). A sample runs once over all
//! 97,226 of them, so that the median is that of whole passes, and what is shown is the time for
//! one evaluation:
//!
//! * `refresh`: both perspectives' accumulators of a position from nothing;
//! * `evaluate`: the forward pass alone, over accumulators that are in the processor's cache;
//! * `refresh_evaluate`: refresh and forward pass of each position;
//! * `incremental`: the search itself, made, unmade and evaluated by an `Evaluator`;
//! * `interpret`, `interpret_fen`: the interpreter, which compiles nothing, for the first of the
//!   positions, as boards and as text.

mod times;

use std::hint::black_box;
use std::sync::LazyLock;

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::recognise::recognise;
use nnue_further_tests as networks;
use nnue_interpreter::Net;
use nnue_runtime::line::FromPosition;
use nnue_runtime::{
    Accumulator, Board, Color, Evaluator, Level, Network, Position, SelectedByPieces,
};
use nnue_test_support::nets;
use nnue_test_support::synthetic::synthetic_net;
use nnue_trace::{Event, Search, Trace};

use times::Bench;

fn main() {
    println!("small128: the released nn-37f18f62d772");
    match nets::cached(RELEASED_SFNNV5) {
        Some(_) => println!("sfnnv5: the released {RELEASED_SFNNV5}"),
        None => println!("sfnnv5: the synthetic net, for {RELEASED_SFNNV5} has not been fetched"),
    }
    times::heading();
    sfnnv5::run();
    small128::run();
}

const RELEASED_SFNNV5: &str = "nn-ad9b42354671";

/// Evaluations of the trace.
const EVALUATIONS: u32 = 97_226;

const SAMPLES: usize = 9;

static SEARCHES: LazyLock<Vec<Search>> = LazyLock::new(|| {
    let trace = Trace::bundled().expect("the trace is well-formed");
    trace.searches
});

static BOARDS: LazyLock<Vec<Board>> = LazyLock::new(|| {
    let boards: Vec<Board> = SEARCHES
        .iter()
        .flat_map(|search| search.evaluated.iter().cloned())
        .collect();
    assert_eq!(boards.len(), EVALUATIONS as usize);
    boards
});

/// Runs `work` on one number below `count` after the other.
fn each(bench: Bench, count: usize, mut work: impl FnMut(usize) -> i32) {
    let mut next = 0;
    bench.run(SAMPLES, EVALUATIONS, || {
        let index = next;
        next = if index + 1 == count { 0 } else { index + 1 };
        work(black_box(index))
    });
}

fn refresh<A: SelectedByPieces<Line = FromPosition, Output = nnue_runtime::Output>>(
    bench: Bench,
    net: &Network<A>,
) {
    let boards = &**BOARDS;
    let mut accumulator = Accumulator::new(net, &boards[0]);
    each(bench, boards.len(), |index| {
        accumulator.refresh(net, &boards[index]);
        i32::from(accumulator.values(Color::White)[0])
    });
}

fn evaluate<A: SelectedByPieces<Line = FromPosition, Output = nnue_runtime::Output>>(
    bench: Bench,
    net: &Network<A>,
) {
    let boards: Vec<&Board> = BOARDS.iter().step_by(800).collect();
    let accumulators: Vec<_> = boards
        .iter()
        .map(|board| Accumulator::new(net, *board))
        .collect();
    each(bench, boards.len(), |index| {
        net.evaluate(&accumulators[index], boards[index]).value
    });
}

fn refresh_evaluate<A: SelectedByPieces<Line = FromPosition, Output = nnue_runtime::Output>>(
    bench: Bench,
    net: &Network<A>,
) {
    let boards = &**BOARDS;
    let mut accumulator = Accumulator::new(net, &boards[0]);
    each(bench, boards.len(), |index| {
        accumulator.refresh(net, &boards[index]);
        net.evaluate(&accumulator, &boards[index]).value
    });
}

fn incremental<A: SelectedByPieces<Line = FromPosition, Output = nnue_runtime::Output>>(
    bench: Bench,
    net: &Network<A>,
) {
    let mut evaluator = Evaluator::new(net, &SEARCHES[0].root);
    let mut search = SEARCHES.iter().cycle();
    let mut events = [].iter();
    bench.run(SAMPLES, EVALUATIONS, || {
        loop {
            match events.next() {
                Some(Event::Make(delta)) => evaluator.push(delta),
                Some(Event::MakeNull) => evaluator.push_null(),
                Some(Event::Unmake) => evaluator.pop(),
                Some(Event::Evaluate) => return evaluator.evaluate().value,
                None => {
                    if let Some(search) = search.next() {
                        evaluator.reset(&search.root);
                        events = search.events.iter();
                    }
                }
            }
        }
    });
}

/// The interpreter has no levels, and each evaluation is a refresh.
fn interpret(module: &str, file: &[u8]) {
    const POSITIONS: u32 = 2_000;
    let spec = recognise(file, module).expect("a net of Stockfish").spec;
    let network = analyse(&SourceFile::new(module, spec)).expect("a spec without errors");
    let net = Net::from_bytes(&network, file).expect("it fits the spec");
    let boards = BOARDS.iter().cycle();
    if let Some(bench) = Bench::named(format!("{module}::interpret")) {
        let mut boards = boards.clone().take(POSITIONS as usize).cycle();
        bench.run(SAMPLES, POSITIONS, || {
            let board = boards.next()?;
            Some(net.evaluate(board, net.bucket(board.occupied().len())?))
        });
    }
    if let Some(bench) = Bench::named(format!("{module}::interpret_fen")) {
        let fens: Vec<String> = boards
            .take(POSITIONS as usize)
            .map(Board::to_string)
            .collect();
        let mut fens = fens.iter().cycle();
        bench.run(SAMPLES, POSITIONS, || net.evaluate_fen(fens.next()?).ok());
    }
}

/// The benchmarks of a network.
macro_rules! benches {
    ($module:ident, $file:expr, [$($function:ident),*]) => {
        mod $module {
            use super::*;

            static FILE: LazyLock<Vec<u8>> = LazyLock::new(|| $file);

            fn net(level: &str) -> networks::$module::Network {
                let level = level.parse().expect("only available levels are run");
                let net = networks::$module::Network::from_bytes(&FILE);
                net.unwrap_or_else(|error| panic!("{error}")).with_level(level)
            }

            pub(super) fn run() {
                $(
                    for level in Level::available().map(Level::name) {
                        let parts = [stringify!($module), stringify!($function), level];
                        if let Some(bench) = Bench::named(parts.join("::")) {
                            $function(bench, &net(level));
                        }
                    }
                )*
                interpret(stringify!($module), &FILE);
            }
        }
    };
}

benches!(
    sfnnv5,
    nets::load(RELEASED_SFNNV5).unwrap_or_else(|_| synthetic_net("v5")),
    [refresh, evaluate, refresh_evaluate, incremental]
);
benches!(
    small128,
    nets::load("nn-37f18f62d772").expect("the net is part of the project"),
    [refresh, evaluate, refresh_evaluate, incremental]
);
