use nnue_runtime::Board;
use nnue_networks::{sfnnv5, small128};

fn main() {
    let board = Board::start();
    let big = sfnnv5::Network::open("big.nnue").unwrap();
    let small = small128::Network::open("small.nnue").unwrap();
    let accumulator = sfnnv5::Accumulator::new(&big, &board);
    println!("{}", small.evaluate(&accumulator, &board).value);
}
