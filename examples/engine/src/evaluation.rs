//! What a position is worth: by the network, along the moves of a search, or by its material.

use std::sync::Arc;

use cozy_chess::{Board, Color, Move, Piece};
use nnue_runtime::{Architecture, Delta, Evaluated, Order, Output, Wdl};

use crate::words::say;

use self::network::{Accumulator, Evaluator, Net, Network, PAWN};

/// The network that `build.rs` chose.
pub(crate) mod network {
    include!(concat!(env!("OUT_DIR"), "/network.rs"));
}

#[cfg(test)]
#[path = "../tests/unit/evaluation.rs"]
mod tests;

/// A mate in no moves, in centipawns.
pub const MATE: i32 = 30_000;
/// Scores from here on are mates; evaluations are less.
pub const DECIDED: i32 = MATE - 1_000;

/// What evaluates: a network that all threads share, or material.
pub type Judge = Option<Arc<Network>>;

/// The judge that the option EvalFile names: a net file of the network that the engine was built
/// for, `<material>`, or `<empty>` for the embedded net. Where none is embedded, that is material.
/// All engines of the user may share the network's weights.
pub fn judge(name: &str, shared: bool) -> Result<Judge, String> {
    let refuse = |error| format!("cannot load `{name}`: {error}");
    let network = match name {
        "" | "<empty>" => network::embedded(shared),
        "<material>" => None,
        path if shared => Some(Network::open_shared(path).map_err(refuse)?),
        path => Some(Network::open(path).map_err(refuse)?),
    };
    if let Some(reason) = network.as_ref().and_then(Network::not_shared) {
        say(&format!("info string weights are not shared: {reason}"));
    }
    Ok(network.map(Arc::new))
}

/// Evaluates the positions of one thread's search, by following its moves.
pub(crate) struct Evaluation(Option<Evaluator<Arc<Network>>>);

impl Evaluation {
    pub(crate) fn new(judge: &Judge, board: &Board) -> Evaluation {
        let evaluator = |network| Evaluator::new(network, board);
        Evaluation(judge.clone().map(evaluator))
    }

    pub(crate) fn reset(&mut self, board: &Board) {
        if let Some(evaluator) = &mut self.0 {
            evaluator.reset(board);
            verify(evaluator, None, board);
        }
    }

    /// Follows a move, or a null move, from one board to the next.
    pub(crate) fn push(&mut self, board: &Board, mv: Option<Move>, next: &Board) {
        if let Some(evaluator) = &mut self.0 {
            evaluator.push(&mv.map_or(Delta::null(), |mv| Delta::from_cozy(board, mv)));
            verify(evaluator, mv, next);
        }
    }

    pub(crate) fn pop(&mut self) {
        if let Some(evaluator) = &mut self.0 {
            evaluator.pop();
        }
    }

    /// The value for the side to move, in centipawns.
    pub(crate) fn value(&mut self, board: &Board) -> i32 {
        let Some(evaluator) = &mut self.0 else {
            return material(board);
        };
        let units = i64::from(evaluator.evaluate().evaluation().units());
        let is_white_s = Net::ORDER == Order::WhiteFirst && board.side_to_move() == Color::Black;
        let units = if is_white_s { -units } else { units };
        let limit = i64::from(DECIDED - 1);
        (units * 100 / PAWN).clamp(-limit, limit) as i32
    }
}

/// With the feature `verify`, compares what is evaluated after a move with a refresh.
///
/// # Panics
///
/// If they differ. This is the first move of the line since which they do.
fn verify(evaluator: &Evaluator<Arc<Network>>, mv: Option<Move>, board: &Board) {
    if cfg!(any(feature = "verify", test)) {
        let network = evaluator.network();
        let expected = network.evaluate(&Accumulator::new(network, board), board);
        // The search's own goes on with moves that it has not followed yet.
        let found = evaluator.clone().evaluate();
        let mv = mv.map_or("no move".to_owned(), |mv| mv.to_string());
        let ply = evaluator.ply();
        assert_eq!(found, expected, "since move {ply}, {mv}, to `{board}`");
    }
}

/// An output as one number, in the network's units.
trait Units {
    fn units(self) -> i32;
}

impl Units for Output {
    fn units(self) -> i32 {
        self.value
    }
}

impl Units for Wdl {
    fn units(self) -> i32 {
        self.win.value.saturating_sub(self.loss.value)
    }
}

/// What a piece is worth, in centipawns.
pub(crate) fn worth(piece: Piece) -> i32 {
    [100, 300, 320, 500, 900, 0][piece as usize]
}

/// The pieces of the side to move, less those of its opponent.
fn material(board: &Board) -> i32 {
    let side = board.side_to_move();
    let count = |color, piece| board.colored_pieces(color, piece).len() as i32;
    let difference = |&piece: &Piece| worth(piece) * (count(side, piece) - count(!side, piece));
    Piece::ALL.iter().map(difference).sum()
}
