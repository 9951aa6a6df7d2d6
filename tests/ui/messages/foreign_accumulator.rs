//! The accumulator of one network does not fit another.
use nnue_runtime::Board;

mod sfnnv5 {
    nnue_runtime::nnue_net!("sfnnv5.toml");
}
mod small128 {
    nnue_runtime::nnue_net!("small128.toml");
}

fn evaluate(large: &sfnnv5::Network, small: &small128::Network) {
    let board = Board::start();
    let accumulator = sfnnv5::Accumulator::new(large, &board);
    println!("{}", small.evaluate(&accumulator, &board).value);
}

fn main() {}
