//! An evaluator that follows the moves of a board of cozy-chess: what the net says after each.
//!
//! `cargo run --release --bin moves -- e2e4 e7e5 g1f3`

use std::error::Error;

use cozy_chess::Board;
use cozy_chess::util::parse_uci_move;
use nnue_runtime::Delta;

mod primer {
    nnue_runtime::nnue_net!("nets/primer.toml");
}

const NET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/nets/primer.nnue");

fn main() -> Result<(), Box<dyn Error>> {
    let net = primer::Network::open(NET)?;
    let mut board = Board::default();
    let mut evaluator = primer::Evaluator::new(&net, &board);
    println!("{:>6} at the start", evaluator.evaluate().value);

    let mut made = 0;
    for text in std::env::args().skip(1) {
        // Castling is written as UCI has it, `e1g1`, and as cozy-chess does, `e1h1`.
        let next = parse_uci_move(&board, &text).map_err(|_| format!("`{text}` is no move"))?;
        // The evaluator needs the pieces that a move adds and removes, from the board before it.
        let legal = board.is_legal(next);
        if !legal {
            return Err(format!("`{text}` is not legal in `{board}`").into());
        }
        evaluator.push(&Delta::from_cozy(&board, next));
        board.play_unchecked(next);
        made += 1;
        println!(
            "{:>6} for the side to move after {text}",
            evaluator.evaluate().value
        );
    }

    // A search takes its moves back: accumulators of earlier positions are still there.
    for _ in 0..made {
        evaluator.pop();
    }
    println!("{:>6} at the start again", evaluator.evaluate().value);
    Ok(())
}
