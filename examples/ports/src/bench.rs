//! The command `bench`: positions that are searched to a fixed depth. The number of nodes tells two
//! builds apart that evaluate anything differently.

use std::sync::Arc;
use std::time::{Duration, Instant};

use cozy_chess::Board;

use crate::Evaluation;
use crate::net::simple::Network;
use crate::search::Search;
use crate::verified::Verified;

/// Openings, middle games with castling on both sides, promotions, en passant, and endings.
const POSITIONS: [&str; 10] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k1n1/5pb1/n1p3pr/3B2P1/P3Np1p/3PP2P/P1P2K2/7Q b - - 1 41",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "2rq1rk1/pb1nbppp/1p2pn2/3p4/3P4/1PN1PN2/PB1QBPPP/2R2RK1 w - - 4 13",
    "r4rk1/1bq1bppp/p2ppn2/1p6/3NP3/P1N1BP2/1PPQ2PP/2KR3R w - - 2 15",
    "4rrk1/pp1n3p/3q2pQ/2p1pb2/2PP4/2P3N1/P2B2PP/4RRK1 b - - 7 19",
    "8/5pk1/6p1/1R5p/4r2P/5PP1/6K1/8 w - - 5 45",
    "8/1p3k2/p2b1p2/2pP2p1/P1P1p1Pp/1P2K2P/3B4/8 w - - 2 38",
];

/// What was searched, and how long it took.
pub struct Searched {
    /// The positions that were searched: the same on each run and on each machine.
    pub nodes: u64,
    /// The time that all searches took together.
    pub time: Duration,
}

/// Searches all positions. `evaluation` makes what evaluates; with a network to verify by, each of
/// its evaluations is compared with a refresh.
pub fn bench<E: Evaluation>(
    depth: i32,
    verify: Option<&Arc<Network>>,
    mut evaluation: impl FnMut(&Board) -> E,
) -> Searched {
    let start = Instant::now();
    let mut nodes = 0;
    for fen in POSITIONS {
        let board: Board = fen.parse().expect("our own positions");
        let evaluation = evaluation(&board);
        nodes += match verify {
            Some(net) => search(
                Verified::new(evaluation, net.clone(), &board),
                &board,
                depth,
            ),
            None => search(evaluation, &board, depth),
        };
    }
    let time = start.elapsed();
    Searched { nodes, time }
}

fn search(evaluation: impl Evaluation, board: &Board, depth: i32) -> u64 {
    let mut search = Search::new(evaluation);
    search.run(board, depth);
    search.nodes
}
