//! Unit tests of `evaluation.rs`.

use cozy_chess::Board;

use super::{Evaluation, judge, material};

#[test]
fn material_is_for_the_side_to_move() {
    let board: Board = "4k2r/8/8/8/8/8/8/Q3K3 b - - 0 1".parse().unwrap();
    assert_eq!(material(&board), -400);
}

/// Follows a game in which the evaluator is told of some other moves than those that are played.
fn follow(moves: &[(&str, &str)]) {
    let mut board = Board::default();
    let mut evaluation = Evaluation::new(&judge("", true).unwrap(), &board);
    for (mv, told) in moves {
        let mut next = board.clone();
        next.play(mv.parse().unwrap());
        evaluation.push(&board, told.parse().ok(), &next);
        board = next;
    }
}

#[test]
fn right_moves_are_verified() {
    follow(&[("e2e4", "e2e4"), ("e7e5", "e7e5"), ("g1f3", "g1f3")]);
}

#[test]
#[should_panic(expected = "since move 2, e7e6, ")]
fn a_planted_bug_is_found_at_its_move() {
    follow(&[("e2e4", "e2e4"), ("e7e5", "e7e6"), ("g1f3", "g1f3")]);
}
