//! A net of bullet's in an engine: the start of a game, a move, and back. The spec, `bullet.toml`,
//! has five lines; `nnue adopt` writes such specs for a `quantised.bin`.
//!
//! `cargo run --release --bin bullet`

use nnue_runtime::{Board, Color, Delta, Piece, Role, Square};

mod net {
    nnue_runtime::nnue_net!("nets/bullet.toml", weights = "nets/bullet.bin");
}

fn main() {
    // A board of the engine's own has the trait `Position`.
    let board = Board::start();
    let network = net::Network::embedded();
    let mut evaluator = net::Evaluator::new(&network, &board);
    println!("{} for white", evaluator.evaluate().value);

    let pawn = Piece::new(Color::White, Role::Pawn);
    evaluator.push(&Delta::quiet(pawn, Square::E2, Square::E4));
    println!("{} for black after e2e4", evaluator.evaluate().value);

    evaluator.pop();
    println!("{} again", evaluator.evaluate().value);
}
