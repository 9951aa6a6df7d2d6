//! Moves that fit no position, and those that do: an evaluator takes whatever it is told, and is
//! right where it was told what fits.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use nnue_fuzz::small128::{Accumulator, Evaluator, NETS};
use nnue_runtime::{Board, Color, Delta, Piece, Position, Role, Square};

#[derive(Arbitrary, Debug)]
enum Step {
    /// Pieces from squares and to squares, by their numbers.
    Move {
        removed: Vec<(u8, u8)>,
        added: Vec<(u8, u8)>,
    },
    /// The piece that stands on a square goes to another.
    Slide {
        from: u8,
        to: u8,
    },
    Null,
    Pop,
    Evaluate,
    Prepare,
    For(bool),
    Reset,
}

fn changes(list: &[(u8, u8)]) -> Vec<(Piece, Square)> {
    let piece = |index: u8| Piece::ALL[usize::from(index) % Piece::ALL.len()];
    list.iter()
        .take(6)
        .map(|(index, square)| (piece(*index), Square::wrapping(*square)))
        .collect()
}

fn has_kings(board: &Board) -> bool {
    let king = |color| board.pieces(Piece::new(color, Role::King)).len() == 1;
    Color::ALL.into_iter().all(king)
}

fuzz_target!(|input: (u8, Vec<Step>)| {
    let (which, steps) = input;
    let net = &NETS[usize::from(which) % NETS.len()];
    let mut line = vec![Board::start()];
    // Whether all that was pushed fits.
    let mut fits = true;
    let mut evaluator = Evaluator::new(net, &line[0]);
    for step in steps.iter().take(64) {
        let board = line[line.len() - 1].clone();
        let delta = match step {
            Step::Move { removed, added } => {
                let delta = Delta::from_changes(&changes(removed), &changes(added));
                match delta {
                    Ok(delta) => delta,
                    Err(error) => {
                        assert!(!error.to_string().is_empty());
                        continue;
                    }
                }
            }
            Step::Slide { from, to } => {
                let [from, to] = [from, to].map(|square| Square::wrapping(*square));
                let Some(piece) = board.piece_at(from) else {
                    continue;
                };
                match board.piece_at(to) {
                    _ if from == to => Delta::null(),
                    None => Delta::quiet(piece, from, to),
                    Some(captured) => Delta::capture(piece, from, to, captured, to),
                }
            }
            Step::Null => Delta::null(),
            Step::Pop => {
                evaluator.pop();
                if line.len() > 1 {
                    line.pop();
                }
                continue;
            }
            Step::Evaluate | Step::Prepare | Step::For(_) => {
                let value = match step {
                    Step::Evaluate => Some(evaluator.evaluate()),
                    Step::For(white) => {
                        let side = if *white { Color::White } else { Color::Black };
                        evaluator.evaluate_for(side);
                        None
                    }
                    _ => {
                        evaluator.prepare();
                        evaluator.peek()
                    }
                };
                if let (true, Some(value)) = (fits, value) {
                    let fresh = Accumulator::new(net, &board);
                    assert_eq!(value, net.evaluate(&fresh, &board), "{board:?}");
                }
                continue;
            }
            Step::Reset => {
                evaluator.reset(&board);
                line.drain(..line.len() - 1);
                fits = has_kings(&board);
                continue;
            }
        };
        let mut after = board.clone();
        let applied = after.apply(&delta);
        if fits {
            assert_eq!(evaluator.try_push(&delta).is_ok(), applied.is_ok());
            if applied.is_err() {
                // What does not fit is told all the same: nothing worse than wrong numbers follows.
                evaluator.push(&delta);
                fits = false;
                after = board;
                after.set_side_to_move(!evaluator.side_to_move());
            }
            // Without a king of each colour, an evaluation means nothing either.
            fits &= has_kings(&after);
        } else {
            evaluator.push(&delta);
        }
        line.push(after);
    }
});
