//! The same with an `Evaluator`: the observer collects what a move changes, and pushes it once. The
//! weights of the nodes are `NodeCopies`.

use std::sync::Arc;

use arrayvec::ArrayVec;
use cozy_chess::Board;
use nnue_runtime::{Delta, Piece, Square};

use super::BoardObserver;
use crate::board::Placed;
use crate::net::simple::{Evaluator, Network};

/// The evaluator of a board, and what the move that is being made has changed so far.
pub struct Eval {
    evaluator: Evaluator<Arc<Network>>,
    taken: ArrayVec<(Piece, Square), 4>,
    put: ArrayVec<(Piece, Square), 4>,
}

impl Eval {
    /// Follows a board from a position. The network is that of the thread's node:
    /// `NodeCopies::here`.
    #[must_use]
    pub fn new(net: Arc<Network>, board: &Board) -> Eval {
        Eval {
            evaluator: Evaluator::new(net, board),
            taken: ArrayVec::new(),
            put: ArrayVec::new(),
        }
    }
}

/// The board's words in those of nnue-runtime.
fn named((color, piece, square): Placed) -> (Piece, Square) {
    (Piece::new(color.into(), piece.into()), square.into())
}

impl BoardObserver for Eval {
    fn on_move(&mut self) {
        self.taken.clear();
        self.put.clear();
    }

    fn on_take(&mut self, piece: Placed) {
        self.taken.push(named(piece));
    }

    fn on_put(&mut self, piece: Placed) {
        self.put.push(named(piece));
    }

    fn on_moved(&mut self) {
        let delta = Delta::from_changes(&self.taken, &self.put);
        let delta = delta.expect("the changes of one move");
        self.evaluator.push(&delta);
    }

    fn on_undo(&mut self) {
        self.evaluator.pop();
    }

    fn on_reset(&mut self, board: &Board) {
        self.evaluator.reset(board);
    }

    fn value(&mut self, _board: &Board) -> i32 {
        self.evaluator.evaluate().value
    }
}
