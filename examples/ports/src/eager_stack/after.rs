//! The same with an `Evaluator`, which has the stack, and computes what is evaluated.

use std::sync::Arc;

use cozy_chess::{Board, Move};
use nnue_runtime::Delta;

use crate::Evaluation;
use crate::net::simple::{Evaluator, Network};

/// The evaluator of a line.
pub struct Eval(Evaluator<Arc<Network>>);

impl Eval {
    /// Follows a search from a position.
    #[must_use]
    pub fn new(net: Arc<Network>, board: &Board) -> Eval {
        Eval(Evaluator::new(net, board))
    }
}

impl Evaluation for Eval {
    fn reset(&mut self, board: &Board) {
        self.0.reset(board);
    }

    fn make(&mut self, before: &Board, mv: Option<Move>, _after: &Board) {
        match mv {
            Some(mv) => self.0.push(&Delta::from_cozy(before, mv)),
            None => self.0.push_null(),
        }
    }

    fn unmake(&mut self) {
        self.0.pop();
    }

    fn evaluate(&mut self, _board: &Board) -> i32 {
        self.0.evaluate().value
    }
}
