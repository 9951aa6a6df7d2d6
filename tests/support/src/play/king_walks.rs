//! Kings that cross every border between two views.

use crate::seed::seeded;
use nnue_runtime::line::StartsAt;
use nnue_runtime::{
    Accumulator, Board, Color, Delta, Evaluator, Network, Piece, Role, SelectedByPieces, Square,
};

/// A king walks over every square, among other pieces, so that it crosses every border between two
/// views in both directions.
///
/// # Panics
///
/// If an evaluation differs from a refresh's.
pub fn check_king_walks<A: SelectedByPieces<Line: StartsAt<Board>>>(net: &Network<A>) {
    let mut random = seeded(7);
    let mut evaluator = Evaluator::new(net, &Board::start());
    let mut empty = Board::start();
    for square in Square::ALL {
        empty = empty.without(square);
    }
    let mut crossings = 0;
    for color in Color::ALL {
        for from in Square::ALL {
            for to in Square::ALL {
                let distance = |a: Square, b: Square| {
                    let (files, ranks) = (a.file().abs_diff(b.file()), a.rank().abs_diff(b.rank()));
                    files.max(ranks)
                };
                let far =
                    |square: &&Square| [from, to].iter().all(|king| distance(*king, **square) > 1);
                let (true, Some(other)) = (distance(from, to) == 1, Square::ALL.iter().find(far))
                else {
                    continue;
                };
                let king = Piece::new(color, Role::King);
                let mut board = empty.clone();
                let kings = [(king, from), (Piece::new(!color, Role::King), *other)];
                let kings = Delta::from_changes(&[], &kings).expect("two pieces");
                board.apply(&kings).expect("empty squares");
                for _ in 0..random.usize(..16) {
                    let (square, piece) = (
                        Square::ALL[random.usize(..64)],
                        Piece::ALL[random.usize(..12)],
                    );
                    let is_free =
                        ![from, to, *other].contains(&square) && board.piece_at(square).is_none();
                    let can_stand = piece.role != Role::Pawn || (1..7).contains(&square.rank());
                    if is_free && can_stand && piece.role != Role::King {
                        let added = Delta::from_changes(&[], &[(piece, square)]);
                        board
                            .apply(&added.expect("one piece"))
                            .expect("an empty square");
                    }
                }
                evaluator.reset(&board);
                evaluator.evaluate();
                let delta = Delta::quiet(king, from, to);
                evaluator.push(&delta);
                board.apply(&delta).expect("the king was there");
                let expected = net.evaluate(&Accumulator::new(net, &board), &board);
                assert_eq!(
                    evaluator.evaluate(),
                    expected,
                    "{} at {}: {color} king {from} to {to}",
                    A::NAME,
                    net.level()
                );
                crossings += 1;
            }
        }
    }
    assert!(crossings > 800);
}
