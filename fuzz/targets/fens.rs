//! Any text as a position. What cozy-chess reads too must be the same position.

#![no_main]

use libfuzzer_sys::fuzz_target;
use nnue_runtime::{Board, Position, Square};

fuzz_target!(|text: &str| {
    let board = match Board::from_fen(text) {
        Ok(board) => board,
        Err(error) => {
            let message = error.to_string();
            assert!(message.len() < 1000, "{message}");
            // Legal positions are read.
            assert!(
                text.parse::<cozy_chess::Board>().is_err(),
                "refused: {message}"
            );
            return;
        }
    };
    let again = Board::of(&board).expect("boards keep the contract");
    assert_eq!(again, board);
    assert!(
        Square::ALL
            .into_iter()
            .filter_map(|square| board.piece_at(square))
            .count()
            <= 32
    );
    if let Ok(cozy) = text.parse::<cozy_chess::Board>() {
        assert_eq!(Board::from(&cozy), board);
        assert_eq!(Position::side_to_move(&cozy), board.side_to_move());
    }
});
