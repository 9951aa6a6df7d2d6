//! What a search must find, whatever evaluates.

mod session;

use session::Session;

/// The best move of a position and the last line about it, once with a network and once with
/// material.
fn search(position: &str, go: &str) -> [(String, String); 2] {
    ["<empty>", "<material>"].map(|evaluation| {
        let mut session = Session::engine();
        let refused = session.ask(&format!("setoption name EvalFile value {evaluation}"));
        assert!(refused.is_empty(), "{refused:?}");
        session.best(position, go)
    })
}

#[test]
fn mates_are_found_and_counted() {
    for (fen, mate) in [
        ("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "mate 1"),
        ("7k/8/8/8/8/1r6/r7/6K1 b - - 0 1", "mate 1"),
        ("7k/8/5K2/8/8/8/8/R7 w - - 0 1", "mate 2"),
        ("k7/8/8/8/8/1r6/r7/7K w - - 0 1", "mate -1"),
    ] {
        for (_, info) in search(&format!("fen {fen}"), "go depth 6") {
            assert!(info.contains(&format!(" score {mate} ")), "{fen}: {info}");
        }
    }
}

#[test]
fn a_game_that_is_over_has_no_move() {
    let stalemate = "k7/2Q5/1K6/8/8/8/8/8 b - - 0 1";
    let mate = "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1";
    for fen in [stalemate, mate] {
        for found in search(&format!("fen {fen}"), "go depth 5") {
            assert_eq!(found, ("0000".to_owned(), String::new()), "{fen}");
        }
    }
}

/// Whether the score of a position is that of a draw.
fn is_even(position: &str) -> [bool; 2] {
    search(position, "go depth 6").map(|(_, info)| info.contains(" score cp 0 "))
}

#[test]
fn stalemates_are_draws() {
    // The king takes the pawn, unless white protects it, which is stalemate.
    assert_eq!(is_even("fen k7/P7/8/1K6/8/8/8/8 w - - 0 1"), [true; 2]);
    // Here the king is not in the corner yet.
    assert_eq!(is_even("fen 2k5/P7/8/1K6/8/8/8/8 w - - 0 1"), [false; 2]);
}

#[test]
fn third_repetitions_are_draws() {
    let start = "fen 1r5k/8/8/8/8/8/K7/8 b - - 0 1 moves h8g8 a2a1 g8h8";
    // Of white's king one move is left, to where it was before: the second time, or the third.
    assert_eq!(is_even(start), [false; 2]);
    let again = format!("{start} a1a2 h8g8 a2a1 g8h8");
    assert_eq!(is_even(&again), [true; 2]);
}

#[test]
fn fifty_moves_are_a_draw_unless_the_last_is_mate() {
    let rook = |clock| is_even(&format!("fen 1r5k/8/8/8/8/8/K7/8 w - - {clock} 80"));
    assert_eq!((rook(0), rook(99)), ([false; 2], [true; 2]));
    let mate = "fen 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 99 80";
    for (best, info) in search(mate, "go depth 4") {
        assert!(best == "a1a8" && info.contains(" score mate 1 "), "{info}");
    }
}

#[test]
fn threads_search_one_tree() {
    let mut session = Session::engine();
    session.ask("setoption name Threads value 4");
    let (_, info) = session.best("fen 7k/8/5K2/8/8/8/8/R7 w - - 0 1", "go depth 12");
    assert!(info.contains(" score mate 2 "), "{info}");
}
