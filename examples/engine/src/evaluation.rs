//! What a position is worth: by the network, along the moves of a search, or by its material.

use std::sync::Arc;

use cozy_chess::{Board, Color, Move, Piece};
use nnue_runtime::{Architecture, Delta, Evaluated, Order, Output, Wdl};

use self::network::{Evaluator, Net, Network, PAWN};
use crate::tools::verify::Line;

/// The network that `build.rs` chose.
pub(crate) mod network {
    include!(concat!(env!("OUT_DIR"), "/network.rs"));
}

#[cfg(test)]
#[path = "../tests/unit/evaluation.rs"]
mod tests;

/// A mate in no moves, in centipawns.
pub(crate) const MATE: i32 = 30_000;
/// Scores from here on are mates; evaluations are less.
pub(crate) const DECIDED: i32 = MATE - 1_000;

/// What evaluates: a network that all threads share, or material.
pub(crate) type Judge = Option<Arc<Network>>;

/// The judge that the option EvalFile names: a net file of the network that the engine was built
/// for, `<material>`, or `<empty>` for the embedded net. Where none is embedded, that is material.
pub(crate) fn judge(name: &str) -> Result<Judge, String> {
    let refuse = |error| format!("cannot load `{name}`: {error}");
    let network = match name {
        "" | "<empty>" => network::embedded(),
        "<material>" => None,
        path => Some(Network::open(path).map_err(refuse)?),
    };
    Ok(network.map(Arc::new))
}

/// What evaluates along the line of one thread's search.
pub(crate) type NetworkEvaluator = Evaluator<Arc<Network>>;

/// Evaluates the positions of one thread's search, by following its moves.
pub(crate) struct Evaluation {
    evaluator: Option<NetworkEvaluator>,
    line: Line,
}

impl Evaluation {
    pub(crate) fn new(judge: &Judge, board: &Board) -> Evaluation {
        let evaluator = judge.clone().map(|network| Evaluator::new(network, board));
        let line = Line::new(board);
        Evaluation { evaluator, line }
    }

    pub(crate) fn reset(&mut self, board: &Board) {
        self.line = Line::new(board);
        if let Some(evaluator) = &mut self.evaluator {
            evaluator.reset(board);
        }
    }

    /// Follows a move, or a null move, from one board to the next.
    pub(crate) fn push(&mut self, board: &Board, mv: Option<Move>, next: &Board) {
        self.line.push(next, mv);
        if let Some(evaluator) = &mut self.evaluator {
            evaluator.push(&mv.map_or(Delta::null(), |mv| Delta::from_cozy(board, mv)));
        }
    }

    pub(crate) fn pop(&mut self) {
        self.line.pop();
        if let Some(evaluator) = &mut self.evaluator {
            evaluator.pop();
        }
    }

    /// The value for the side to move, in centipawns.
    pub(crate) fn value(&mut self, board: &Board) -> i32 {
        let Some(evaluator) = &mut self.evaluator else {
            return material(board);
        };
        let units = i64::from(evaluator.evaluate().evaluation().units());
        self.line.check(evaluator);
        let is_white_s = Net::ORDER == Order::WhiteFirst && board.side_to_move() == Color::Black;
        let units = if is_white_s { -units } else { units };
        let limit = i64::from(DECIDED - 1);
        (units * 100 / PAWN).clamp(-limit, limit) as i32
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
