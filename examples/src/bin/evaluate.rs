//! What a network says of a position: what each piece is worth, the evaluation, and how long one takes.
//! The macro compiles the network's spec, checks its net file and embeds it.
//!
//! `cargo run --release --bin evaluate -- "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"`

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use nnue_runtime::{Board, Color, Delta, Position, Role, Square};

mod primer {
    nnue_runtime::nnue_net!("nets/primer.toml", weights = "nets/primer.nnue");
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let board = match &*words {
        [] => Board::start(),
        words => Board::from_fen(&words.join(" "))?,
    };
    let net = primer::Network::embedded();
    let mut evaluator = primer::Evaluator::new(&net, &board);
    let side = board.side_to_move();
    let value = evaluator.evaluate().value;

    // No network was trained on boards without a king.
    let pieces = Square::ALL.map(|square| board.piece_at(square).filter(|p| p.role != Role::King));
    let removals = Square::ALL.map(|square| {
        let piece = pieces[square.index()]?;
        Delta::from_changes(&[(piece, square)], &[]).ok()
    });
    let mut without = |removal: &Delta| {
        evaluator.push(removal);
        let value = evaluator.evaluate_for(side).value;
        evaluator.pop();
        value
    };
    let of_white = |value: i32| if side == Color::White { value } else { -value };
    let worth = removals.each_ref().map(|removal| {
        let removal = removal.as_ref()?;
        Some(of_white(value - without(removal)))
    });
    print(&board, &worth);
    println!("under each piece: what white's evaluation loses when it is taken off\n");
    println!("evaluation  {} pawns for white", pawns(of_white(value)));

    let removals: Vec<&Delta> = removals.iter().flatten().collect();
    let rounds = (0..200).map(|_| {
        let start = Instant::now();
        for removal in &removals {
            black_box(without(removal));
        }
        start.elapsed().as_nanos() / removals.len().max(1) as u128
    });
    let nanoseconds = rounds.min().unwrap_or_default();
    println!("level       {}", net.level());
    println!("time        {nanoseconds} ns for each change and its evaluation");
    Ok(())
}

/// Writes the board, with a number under each piece that has one.
fn print(board: &Board, worth: &[Option<i32>; 64]) {
    for rank in (0..8u8).rev() {
        let squares = &Square::ALL[8 * usize::from(rank)..][..8];
        print!("\n {} ", rank + 1);
        for square in squares {
            let piece = board.piece_at(*square);
            print!("{:^7}", piece.map_or('.', |piece| piece.to_char()));
        }
        let worth = squares
            .iter()
            .map(|square| worth[square.index()].map_or(String::new(), pawns));
        let worth: String = worth.map(|worth| format!("{worth:^7}")).collect();
        print!("\n   {}", worth.trim_end());
    }
    println!(
        "\n   {}",
        ["a", "b", "c", "d", "e", "f", "g", "h"]
            .map(|file| format!("{file:^7}"))
            .concat()
    );
}

/// Hundredths of a pawn as pawns.
fn pawns(value: i32) -> String {
    format!("{:+.2}", f64::from(value) / 100.0)
}
