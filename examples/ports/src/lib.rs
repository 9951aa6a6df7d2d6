//! Three engines that evaluate in the ways that most engines do, each in two forms: before and
//! after it is moved to `nnue-runtime`. `docs/porting.md` goes through them.
//!
//! * [`eager_stack`]: accumulators in a `Vec`, which are copied and updated at each move.
//! * [`observer`]: the board calls an observer for each piece; each NUMA node has its weights.
//! * [`mapped_file`]: processes share a mapped file; hints say what will be evaluated.
//!
//! Everything but the evaluation is the same for all of them: the [`board`]'s moves, the
//! [`search`], the command [`bench`](mod@bench) and the [`net`]. The network as all of them have it
//! before they are ported is [`handwritten`].

pub mod bench;
pub mod board;
pub mod eager_stack;
pub mod engines;
pub mod handwritten;
pub mod mapped_file;
pub mod net;
pub mod observer;
pub mod search;
pub mod verified;

use cozy_chess::{Board, Move};

/// What evaluates the positions of a search, by following its moves.
pub trait Evaluation {
    /// Starts anew at a position.
    fn reset(&mut self, board: &Board);

    /// Follows a move from one position to the next. Without a move, the side to move passes.
    fn make(&mut self, before: &Board, mv: Option<Move>, after: &Board);

    /// Takes the last move back.
    fn unmake(&mut self);

    /// Says that the current position will be evaluated, or positions after it. The search says so
    /// of every position that it evaluates.
    fn hint(&mut self) {}

    /// The value of the current position for the side to move.
    fn evaluate(&mut self, board: &Board) -> i32;
}
