//! What a net says of a position: the net is embedded in the program, and checked while compiling.
//!
//! `cargo run --release --bin fen -- "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"`

use std::error::Error;

use nnue_runtime::Board;

mod small128 {
    nnue_runtime::nnue_net!(
        "../specs/small128.toml",
        weights = "nets/nn-37f18f62d772.nnue"
    );
}

fn main() -> Result<(), Box<dyn Error>> {
    let net = small128::Network::embedded();
    let board = match std::env::args().nth(1) {
        Some(fen) => Board::from_fen(&fen)?,
        None => Board::start(),
    };
    let accumulator = small128::Accumulator::new(&net, &board);
    let output = net.evaluate(&accumulator, &board);
    println!(
        "{} for the side to move, in the engine's units; in the network's own, PSQT {} and layers {}",
        output.value, output.psqt, output.positional
    );
    Ok(())
}
