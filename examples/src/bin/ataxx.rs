//! A net for another game: the engine says which features of the spec are active, and which ones a
//! move changes. Here a net of Ataxx evaluates the start of a game and the position after a move.
//!
//! `cargo run --release --bin ataxx -- NET`, where `NET` is a net file of the spec

use std::error::Error;

use nnue_runtime::line::Features;
use nnue_runtime::{Color, FeatureChanges};

mod ataxx {
    nnue_runtime::nnue_net!("../specs/games/ataxx.toml");
}

/// Who has a stone on each of the 49 squares.
type Squares = [Option<Color>; 49];

/// The spec's number of a square with what is on it, as a player sees it.
fn feature(player: Color, square: usize, stone: Option<Color>) -> u32 {
    let first = match stone {
        Some(owner) if owner == player => 0,
        Some(_) => 49,
        None => 98,
    };
    (first + square) as u32
}

fn active(player: Color, squares: &Squares) -> Vec<u32> {
    let numbered = squares.iter().enumerate();
    let features = numbered.map(|(square, stone)| feature(player, square, *stone));
    features.collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: ataxx NET")?;
    let net = ataxx::Network::open(path)?;

    let mut start: Squares = [None; 49];
    (start[6], start[42]) = (Some(Color::White), Some(Color::White));
    (start[0], start[48]) = (Some(Color::Black), Some(Color::Black));
    let [white, black] = Color::ALL.map(|player| active(player, &start));
    let mut evaluator = ataxx::Evaluator::new(&net, Features(Color::White, [&white, &black]));
    println!("{:>6} for white at the start", evaluator.evaluate().value);

    // White sets a stone on an empty square. The evaluator needs only what changes.
    let square = 5;
    let added = Color::ALL.map(|player| [feature(player, square, Some(Color::White))]);
    let removed = Color::ALL.map(|player| [feature(player, square, None)]);
    let changes = [0, 1].map(|player| FeatureChanges {
        added: &added[player],
        removed: &removed[player],
    });
    evaluator.push(changes);
    println!("{:>6} for black after it", evaluator.evaluate().value);
    Ok(())
}
