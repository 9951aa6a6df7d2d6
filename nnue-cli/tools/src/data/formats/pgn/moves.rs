//! Moves as programs and people write them.

use cozy_chess::util::parse_san_move;
use cozy_chess::{Board, Move};
use nnue_compiler::format::foreign;

/// How null moves are written.
const NULL_MOVES: [&str; 7] = ["--", "Z0", "0000", "@@@@", "<>", "null", "pass"];

/// How a capture en passant is marked, behind the move or as a word of its own.
const EN_PASSANT: [&str; 2] = ["e.p.", "ep"];

/// Whether a word behind a move says nothing that the move does not say.
pub(super) fn is_mark(word: &str) -> bool {
    EN_PASSANT.contains(&word) || word.bytes().all(|byte| b"!?+#".contains(&byte))
}

/// The move that a word names.
///
/// # Errors
///
/// A message if it is no legal move.
pub(super) fn read(board: &Board, word: &str) -> Result<Move, String> {
    if NULL_MOVES.contains(&word) {
        return Err(format!(
            "found the null move `{word}`: no game reaches the positions behind it"
        ));
    }
    parse_san_move(board, &usual(word)).map_err(|_| {
        format!(
            "found `{}`, expected a legal move in `{board}`",
            foreign(word)
        )
    })
}

/// The move as the standard of PGN writes it, from `e2-e4`, `exd6e.p.`, `a8=q`, `a8(Q)`, `a8/Q`,
/// `0-0` and `Qh5++!`.
fn usual(word: &str) -> String {
    let marks = ['!', '?', '+', '#'];
    let mut bare = word.trim_end_matches(marks);
    for mark in EN_PASSANT {
        bare = bare.strip_suffix(mark).unwrap_or(bare);
    }
    let bare = bare.trim_end_matches(marks);
    if bare.starts_with("0-0") || bare.starts_with("O-O") {
        return bare.replace('0', "O");
    }
    let mut letters: String = bare.replace(['-', '(', ')', '/'], "");
    // A small letter behind the rank is the pawn's new role.
    let ends = letters.as_bytes();
    if let [.., b'1' | b'8' | b'=', b'q' | b'r' | b'b' | b'n'] = ends {
        let promotion = letters.pop().map(|letter| letter.to_ascii_uppercase());
        letters.extend(promotion);
    }
    letters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_in_many_forms() {
        for (fen, words, expected) in [
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                &["e4", "e2-e4", "e2e4", "e4!?", "e4+!"][..],
                "e2e4",
            ),
            (
                "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
                &["exd6", "exd6e.p.", "exd6ep", "e5xd6", "exd6e.p.+"],
                "e5d6",
            ),
            (
                "8/P3k3/8/8/8/8/8/4K3 w - - 0 1",
                &[
                    "a8=Q", "a8Q", "a8=q", "a8q", "a8(Q)", "a8/Q", "a8=Q++", "a7-a8=Q",
                ],
                "a7a8q",
            ),
            (
                "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
                &["O-O", "0-0", "O-O+", "0-0!"],
                "e1h1",
            ),
        ] {
            let board: Board = fen.parse().unwrap();
            for word in words {
                let found = read(&board, word).map(|played| played.to_string());
                assert_eq!(found.as_deref(), Ok(expected), "{word}");
            }
        }
    }

    #[test]
    fn what_is_no_move_is_named() {
        let board = Board::default();
        for (word, words) in [
            ("--", "found the null move `--`: "),
            ("Z0", "found the null move `Z0`: "),
            ("e5", "found `e5`, expected a legal move in `rnbqkbnr/"),
            ("q", "found `q`, expected a legal move"),
            ("é", "found `é`, expected a legal move"),
        ] {
            let wrong = read(&board, word).unwrap_err();
            assert!(wrong.starts_with(words), "{wrong}");
        }
        assert!(is_mark("e.p.") && is_mark("!?") && is_mark("++") && !is_mark("e4"));
    }
}
