//! What the feature `verify` adds: each evaluation is compared with a refresh.

use std::sync::Arc;

use cozy_chess::{Board, Move};

use crate::Evaluation;
use crate::net::simple::{Accumulator, Network};

/// An evaluation that is checked.
pub struct Verified<E> {
    inner: E,
    net: Arc<Network>,
    /// The moves of the line, with the board after each; the start first.
    line: Vec<(Option<Move>, Board)>,
}

impl<E: Evaluation> Verified<E> {
    /// Checks an evaluation that begins at a position.
    #[must_use]
    pub fn new(inner: E, net: Arc<Network>, board: &Board) -> Verified<E> {
        let line = vec![(None, board.clone())];
        Verified { inner, net, line }
    }

    /// The value of a position that nothing led to.
    fn refreshed(&self, board: &Board) -> i32 {
        let accumulator = Accumulator::new(&self.net, board);
        self.net.evaluate(&accumulator, board).value
    }

    /// Takes moves back until the evaluation is right, and says after which move it was not.
    fn blame(&mut self, board: &Board, found: i32, expected: i32) -> ! {
        let mut wrong = "the start".to_owned();
        while let Some((mv, after)) = self.line.pop() {
            self.inner.hint();
            if self.inner.evaluate(&after) == self.refreshed(&after) {
                break;
            }
            if let Some((_, before)) = self.line.last() {
                let mv = mv.map_or("a null move".to_owned(), |mv| mv.to_string());
                wrong = format!("{mv} in `{before}`");
                self.inner.unmake();
            }
        }
        panic!("found {found}, expected {expected} for `{board}`: wrong since {wrong}");
    }
}

impl<E: Evaluation> Evaluation for Verified<E> {
    fn reset(&mut self, board: &Board) {
        self.inner.reset(board);
        self.line = vec![(None, board.clone())];
    }

    fn make(&mut self, before: &Board, mv: Option<Move>, after: &Board) {
        self.inner.make(before, mv, after);
        self.line.push((mv, after.clone()));
    }

    fn unmake(&mut self) {
        self.inner.unmake();
        self.line.pop();
    }

    fn hint(&mut self) {
        self.inner.hint();
    }

    fn evaluate(&mut self, board: &Board) -> i32 {
        let found = self.inner.evaluate(board);
        let expected = self.refreshed(board);
        if found != expected {
            self.blame(board, found, expected);
        }
        found
    }
}
