//! The program of a network that evaluates positions.

use std::error::Error;
use std::io::{BufRead, Write};
use std::marker::PhantomData;

use nnue_runtime::__private::file::foreign;
use nnue_runtime::line::StartsAt;
use nnue_runtime::{Accumulator, Architecture, Board, Delta, Evaluator, Network, Position};

use crate::answer::{Answer, Values};
use crate::contenders::Evaluate;

/// The number of moves after which an evaluator starts anew: as many as in deep searches, and
/// within the memory that an evaluator reserves.
const LONGEST_LINE: usize = 128;

/// Reads a FEN from each line, and writes an [`Answer`] for each.
pub(super) fn answer<A, E>(
    net: &Network<A>,
    fens: impl BufRead,
    mut out: impl Write,
) -> Result<(), Box<dyn Error>>
where
    A: Architecture<Line: StartsAt<Board>>,
    E: Evaluate<A, Value = A::Output>,
{
    let mut line = PositionList::<A, E>::new(net);
    for fen in fens.lines() {
        let fen = fen?;
        let board =
            Board::from_fen(&fen).map_err(|error| format!("FEN `{}`: {error}", foreign(&fen)))?;
        let refreshed = E::alone(net, &Accumulator::new(net, &board), &board);
        let answer = Answer {
            refreshed: Values::of(&refreshed),
            along: line.evaluate(&board),
        };
        writeln!(out, "{answer}")?;
    }
    Ok(out.flush()?)
}

/// An evaluator that follows a list of positions as if it were a game.
struct PositionList<'n, A: Architecture<Line: StartsAt<Board>>, E> {
    evaluator: Evaluator<A, &'n Network<A>>,
    before: Option<Board>,
    evaluate: PhantomData<E>,
}

impl<'n, A, E> PositionList<'n, A, E>
where
    A: Architecture<Line: StartsAt<Board>>,
    E: Evaluate<A, Value = A::Output>,
{
    fn new(net: &'n Network<A>) -> Self {
        PositionList {
            evaluator: Evaluator::new(net, &Board::start()),
            before: None,
            evaluate: PhantomData,
        }
    }

    /// The values of the next position, if an update leads there from the position before.
    fn evaluate(&mut self, board: &Board) -> Option<Values> {
        let before = self.before.replace(board.clone());
        let delta = before.and_then(|before| Delta::between(&before, board).ok());
        match delta {
            Some(delta) if self.evaluator.ply() < LONGEST_LINE => {
                self.evaluator.push(&delta);
                self.evaluator.set_side_to_move(board.side_to_move());
                self.evaluator.take_clock_of(board);
            }
            _ => {
                self.evaluator.reset(board);
                // This evaluation gives the next position an accumulator from which an update can
                // start.
                E::along(&mut self.evaluator);
                return None;
            }
        }
        Some(Values::of(&E::along(&mut self.evaluator)))
    }
}
