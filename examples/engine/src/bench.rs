//! A fixed amount of work: its number of nodes tells builds apart, its speed machines.

use std::sync::Arc;
use std::time::Instant;

use cozy_chess::Board;

use crate::evaluation::Judge;
use crate::search::{Control, Game, Searcher, search};
use crate::table::Table;
use crate::time::Limits;

const POSITIONS: [&str; 16] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k1n1/5pb1/n1p3pr/3B2P1/P3Np1p/3PP2P/P1P2K2/7Q b - - 1 41",
    "r1bqkb1r/pp1n1ppp/2p1pn2/3p4/2PP4/2N1PN2/PP3PPP/R1BQKB1R w KQkq - 0 6",
    "rnbq1rk1/pp2ppbp/3p1np1/2pP4/2P1P3/2N2N2/PP2BPPP/R1BQK2R b KQ - 0 7",
    "r1bq1rk1/2p1bppp/p1np1n2/1p2p3/4P3/1BP2N1P/PP1P1PP1/RNBQR1K1 b - - 0 9",
    "2rq1rk1/pb1nbppp/1p2pn2/3p4/3P4/1PN1PN2/PB1QBPPP/2R2RK1 w - - 4 13",
    "r4rk1/1bq1bppp/p2ppn2/1p6/3NP3/P1N1BP2/1PPQ2PP/2KR3R w - - 2 15",
    "3r2k1/1p3ppp/p1p2n2/8/2P1P3/1P3P2/P2r2PP/R3NRK1 b - - 3 24",
    "4rrk1/pp1n3p/3q2pQ/2p1pb2/2PP4/2P3N1/P2B2PP/4RRK1 b - - 7 19",
    "8/5pk1/6p1/1R5p/4r2P/5PP1/6K1/8 w - - 5 45",
    "8/1p3k2/p2b1p2/2pP2p1/P1P1p1Pp/1P2K2P/3B4/8 w - - 2 38",
    "5k2/5p2/4pPp1/3pP1P1/p1pP4/P1P1K3/1P6/8 w - - 0 40",
    "1r4k1/2q2pp1/4p2p/3pP3/p2Q1P2/P1P4P/6P1/1R5K b - - 1 33",
    "6k1/3R4/5K2/8/8/8/r7/8 w - - 20 70",
];

/// The depth at which nobody waits long.
pub(crate) const DEPTH: i32 = 11;

/// Searches each of the positions with one thread that knows nothing, and returns the number of
/// nodes and of nodes a second.
pub(crate) fn bench(judge: &Judge, depth: i32) -> (u64, u64) {
    let started = Instant::now();
    let mut nodes = 0;
    for fen in POSITIONS {
        let board: Board = fen.parse().unwrap_or_default();
        let mut threads = [Searcher::new(judge, &Arc::new(Table::new(16)))];
        let game = Game::new(board);
        let limits = Limits::depth(depth);
        nodes += search(
            &mut threads,
            &game,
            limits,
            &Arc::new(Control::default()),
            &mut |_| {},
        )
        .nodes;
    }
    let speed = nodes as f64 / started.elapsed().as_secs_f64().max(1e-3);
    (nodes, speed as u64)
}
