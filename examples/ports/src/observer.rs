//! The board calls an observer for each piece that a move takes or puts, and the evaluation is
//! such an observer. Each NUMA node has a copy of the weights.

pub mod after;
pub mod before;

use cozy_chess::{Board, Move};

use crate::Evaluation;
use crate::board::{Placed, changes};

/// What hears of every change of a board.
pub trait BoardObserver {
    /// A move begins, or a null move.
    fn on_move(&mut self);
    /// The move takes a piece off the board: its own, or a captured one.
    fn on_take(&mut self, piece: Placed);
    /// The move puts a piece on the board.
    fn on_put(&mut self, piece: Placed);
    /// The move is complete.
    fn on_moved(&mut self);
    /// The last move is taken back.
    fn on_undo(&mut self);
    /// Another position takes the place of this one.
    fn on_reset(&mut self, board: &Board);
    /// The value for the side to move.
    fn value(&mut self, board: &Board) -> i32;
}

/// The side of the board: it makes moves, and calls the observer.
pub struct Observed<O>(pub O);

impl<O: BoardObserver> Evaluation for Observed<O> {
    fn reset(&mut self, board: &Board) {
        self.0.on_reset(board);
    }

    fn make(&mut self, before: &Board, mv: Option<Move>, _after: &Board) {
        self.0.on_move();
        let changes = changes(before, mv);
        for piece in changes.taken {
            self.0.on_take(piece);
        }
        for piece in changes.put {
            self.0.on_put(piece);
        }
        self.0.on_moved();
    }

    fn unmake(&mut self) {
        self.0.on_undo();
    }

    fn evaluate(&mut self, board: &Board) -> i32 {
        self.0.value(board)
    }
}
