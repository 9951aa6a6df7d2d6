//! Any text as a position. What cozy-chess reads too must be the same position.

#![no_main]

use libfuzzer_sys::fuzz_target;
use nnue_runtime::{Board, Position};

fuzz_target!(|text: &str| {
    // Legal positions are read, in the form in which others write them.
    if let Ok(cozy) = text.parse::<cozy_chess::Board>() {
        let board = Board::from_fen(&cozy.to_string()).expect("a legal position");
        assert_eq!(board, Board::from(&cozy));
        assert_eq!(Position::side_to_move(&cozy), board.side_to_move());
    }
    let board = match Board::from_fen(text) {
        Ok(board) => board,
        Err(error) => {
            let message = error.to_string();
            assert!(!message.is_empty() && message.len() < 1000, "{message}");
            return;
        }
    };
    let again = Board::of(&board).expect("boards keep the contract");
    assert_eq!(again, board);
    if let Ok(cozy) = text.parse::<cozy_chess::Board>() {
        assert_eq!(Board::from(&cozy), board);
    }
});
