//! Nanoseconds per evaluation, for each network and level: `cargo bench -p nnue-tests`.
//!
//! A sample runs once over all positions, so that the median is that of whole passes, and what is shown is the time
//! for one position:
//!
//! * `refresh`: both perspectives' accumulators of a position from nothing;
//! * `evaluate`: the forward pass alone;
//! * `refresh_evaluate`: both;
//! * `update_evaluate`: a move's accumulators from those before, copied to the next ply as a search does, and the
//!   forward pass.

use std::sync::LazyLock;

use cozy_chess::util::parse_uci_move;
use divan::{Bencher, black_box};
use nnue_runtime::{Accumulator, Board, Delta, Level, Network, SelectedByPieces};
use nnue_tests::golden::{golden_lines, golden_positions};
use nnue_tests::nets;
use nnue_tests::networks;
use nnue_tests::synthetic::synthetic_net;

fn main() {
    println!("small128: the released nn-37f18f62d772");
    match nets::cached(RELEASED_SFNNV5) {
        Some(_) => println!("sfnnv5: the released {RELEASED_SFNNV5}"),
        None => println!("sfnnv5: the synthetic net, for {RELEASED_SFNNV5} has not been fetched"),
    }
    divan::main();
}

const RELEASED_SFNNV5: &str = "nn-ad9b42354671";

/// Positions of `golden/synthetic`: all of them, and the first plies of the lines.
const POSITIONS: u32 = 400;

static BOARDS: LazyLock<Vec<Board>> = LazyLock::new(|| {
    let goldens = golden_positions("synthetic/v5").expect("goldens are well-formed");
    let boards: Vec<_> = goldens
        .iter()
        .map(|golden| Board::from_fen(&golden.fen).expect("goldens are valid"))
        .collect();
    assert_eq!(boards.len(), POSITIONS as usize);
    boards
});

/// A ply of a line.
struct Ply {
    before: cozy_chess::Board,
    delta: Delta,
    after: cozy_chess::Board,
}

static PLIES: LazyLock<Vec<Ply>> = LazyLock::new(|| {
    let lines = golden_lines("synthetic").expect("lines are well-formed");
    let mut plies = Vec::new();
    for line in lines {
        let mut board = cozy_chess::Board::from_fen(&line.fen, false).expect("lines are legal");
        for uci in &line.moves {
            let before = board.clone();
            let played = parse_uci_move(&board, uci).expect("lines are legal");
            board.play(played);
            plies.push(Ply {
                delta: Delta::from_cozy(&before, played),
                before,
                after: board.clone(),
            });
        }
    }
    plies.truncate(POSITIONS as usize);
    assert_eq!(plies.len(), POSITIONS as usize);
    plies
});

/// Runs `work` on one number below [`POSITIONS`] after the other.
fn bench(bencher: Bencher, mut work: impl FnMut(usize) -> i32) {
    let mut next = 0;
    bencher
        .with_inputs(|| {
            let index = next;
            next = (next + 1) % POSITIONS as usize;
            index
        })
        .bench_local_values(|index| work(black_box(index)));
}

fn refresh<A: SelectedByPieces>(bencher: Bencher, net: &Network<A>) {
    let mut accumulator = Accumulator::new(net, &BOARDS[0]);
    bench(bencher, |index| {
        accumulator.refresh(net, &BOARDS[index]);
        i32::from(accumulator.values(nnue_runtime::Color::White)[0])
    });
}

fn evaluate<A: SelectedByPieces>(bencher: Bencher, net: &Network<A>) {
    let accumulators: Vec<_> = BOARDS
        .iter()
        .map(|board| Accumulator::new(net, board))
        .collect();
    bench(bencher, |index| {
        net.evaluate(&accumulators[index], &BOARDS[index]).value
    });
}

fn refresh_evaluate<A: SelectedByPieces>(bencher: Bencher, net: &Network<A>) {
    let mut accumulator = Accumulator::new(net, &BOARDS[0]);
    bench(bencher, |index| {
        accumulator.refresh(net, &BOARDS[index]);
        net.evaluate(&accumulator, &BOARDS[index]).value
    });
}

fn update_evaluate<A: SelectedByPieces>(bencher: Bencher, net: &Network<A>) {
    let accumulators: Vec<_> = PLIES
        .iter()
        .map(|ply| Accumulator::new(net, &ply.before))
        .collect();
    let mut accumulator = accumulators[0].clone();
    bench(bencher, |index| {
        let ply = &PLIES[index];
        accumulator.update(net, &accumulators[index], &ply.delta, &ply.after);
        net.evaluate(&accumulator, &ply.after).value
    });
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

            $(
                #[divan::bench(args = Level::available().map(Level::name), sample_size = POSITIONS)]
                fn $function(bencher: Bencher, level: &str) {
                    super::$function(bencher, &net(level));
                }
            )*
        }
    };
}

benches!(
    sfnnv5,
    nets::load(RELEASED_SFNNV5).unwrap_or_else(|_| synthetic_net("v5")),
    [refresh, evaluate, refresh_evaluate, update_evaluate]
);
benches!(
    small128,
    nets::load("nn-37f18f62d772").expect("the net is part of the project"),
    [refresh, evaluate, refresh_evaluate, update_evaluate]
);
