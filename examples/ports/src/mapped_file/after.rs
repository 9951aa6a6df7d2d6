//! The same with an `Evaluator`: a hint is `prepare`, and an evaluation of what is prepared is
//! `peek`.

use std::path::Path;
use std::sync::Arc;

use cozy_chess::{Board, Move};
use nnue_runtime::Delta;

use crate::Evaluation;
use crate::net::simple::{Evaluator, Network};

/// Maps a net file, or shares its weights where net files cannot be mapped as they are.
///
/// # Errors
///
/// What is wrong with the file.
///
/// # Safety
///
/// Nobody may write into the file while the network is there.
pub unsafe fn map(path: &Path) -> Result<Network, Box<dyn std::error::Error>> {
    if cfg!(unix) {
        // SAFETY: the caller's promise.
        return Ok(unsafe { Network::map(path) }?);
    }
    Ok(Network::open_shared(path)?)
}

/// The evaluator of a line.
pub struct Eval(Evaluator<Arc<Network>>);

impl Eval {
    /// Follows a search from a position.
    #[must_use]
    pub fn new(net: Arc<Network>, board: &Board) -> Eval {
        Eval(Evaluator::new(net, board))
    }

    /// The value of the current position, after a hint.
    ///
    /// # Panics
    ///
    /// If there was none.
    #[must_use]
    pub fn value(&self) -> i32 {
        self.0.peek().expect("a hint").value
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

    fn hint(&mut self) {
        self.0.prepare();
    }

    fn evaluate(&mut self, _board: &Board) -> i32 {
        self.value()
    }
}
