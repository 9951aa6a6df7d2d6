//! The engine's own accumulators.

use cozy_chess::{Board, Move};

use crate::Evaluation;
use crate::board::changes;
use crate::handwritten::{Accumulator, Weights};

/// The accumulators of a line.
pub struct Eval {
    weights: Weights,
    stack: Vec<Accumulator>,
}

impl Eval {
    /// Follows a search from a position.
    #[must_use]
    pub fn new(weights: Weights, board: &Board) -> Eval {
        let stack = vec![Accumulator::new(&weights, board)];
        Eval { weights, stack }
    }

    fn top(&self) -> &Accumulator {
        self.stack.last().expect("an accumulator for the start")
    }
}

impl Evaluation for Eval {
    fn reset(&mut self, board: &Board) {
        self.stack.clear();
        self.stack.push(Accumulator::new(&self.weights, board));
    }

    fn make(&mut self, before: &Board, mv: Option<Move>, _after: &Board) {
        let mut next = *self.top();
        let changes = changes(before, mv);
        for piece in changes.taken {
            next.remove(&self.weights, piece);
        }
        for piece in changes.put {
            next.add(&self.weights, piece);
        }
        self.stack.push(next);
    }

    fn unmake(&mut self) {
        self.stack.pop();
    }

    fn evaluate(&mut self, board: &Board) -> i32 {
        self.weights.evaluate(self.top(), board.side_to_move())
    }
}
