//! What a position is worth: by the network, along the moves of a search, or by its material.

use std::sync::Arc;

use cozy_chess::{Board, Color, Move, Piece};
use nnue_runtime::{Architecture, Delta, Evaluated, Order, Output, Wdl};

use self::network::{Accumulator, Evaluator, Net, Network, PAWN};

/// The network that `build.rs` chose.
mod network {
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
    let network = match name {
        "" | "<empty>" => network::embedded(),
        "<material>" => None,
        path => {
            Some(Network::open(path).map_err(|error| format!("cannot load `{path}`: {error}"))?)
        }
    };
    Ok(network.map(Arc::new))
}

/// Evaluates the positions of one thread's search, by following its moves.
pub(crate) struct Evaluation {
    evaluator: Option<Evaluator<Arc<Network>>>,
    /// With the feature `verify`, the boards of the line, each with the move that led to it.
    line: Vec<(Board, Option<Move>)>,
}

impl Evaluation {
    pub(crate) fn new(judge: &Judge, board: &Board) -> Evaluation {
        let evaluator = judge.clone().map(|network| Evaluator::new(network, board));
        let line = vec![(board.clone(), None)];
        Evaluation { evaluator, line }
    }

    pub(crate) fn reset(&mut self, board: &Board) {
        self.line = vec![(board.clone(), None)];
        if let Some(evaluator) = &mut self.evaluator {
            evaluator.reset(board);
        }
    }

    /// Follows a move, or a null move, from one board to the next.
    pub(crate) fn push(&mut self, board: &Board, mv: Option<Move>, next: &Board) {
        if let Some(evaluator) = &mut self.evaluator {
            evaluator.push(&mv.map_or(Delta::null(), |mv| Delta::from_cozy(board, mv)));
        }
        if cfg!(feature = "verify") {
            self.line.push((next.clone(), mv));
        }
    }

    pub(crate) fn pop(&mut self) {
        if let Some(evaluator) = &mut self.evaluator {
            evaluator.pop();
        }
        if cfg!(feature = "verify") {
            self.line.pop();
        }
    }

    /// The value for the side to move, in centipawns.
    pub(crate) fn value(&mut self, board: &Board) -> i32 {
        let Some(evaluator) = &mut self.evaluator else {
            return material(board);
        };
        let units = i64::from(evaluator.evaluate().evaluation().units());
        if cfg!(feature = "verify") {
            self.verify();
        }
        let is_white_s = Net::ORDER == Order::WhiteFirst && board.side_to_move() == Color::Black;
        let units = if is_white_s { -units } else { units };
        let limit = i64::from(DECIDED - 1);
        (units * 100 / PAWN).clamp(-limit, limit) as i32
    }

    /// Compares the last position's value with a refresh's.
    ///
    /// # Panics
    ///
    /// If they differ, with the first move of the line since which they do.
    fn verify(&mut self) {
        let Some(mut evaluator) = self.evaluator.clone() else {
            return;
        };
        let spell = |mv: Option<Move>| mv.map_or("0000".to_owned(), |mv| mv.to_string());
        let mut wrong = None;
        for (ply, (board, mv)) in self.line.iter().enumerate().rev() {
            let net = evaluator.network();
            let expected = net.evaluate(&Accumulator::new(net, board), board);
            let found = evaluator.evaluate();
            if found == expected {
                break;
            }
            let mv = spell(*mv);
            wrong = Some(format!(
                "{ply}, {mv}: {found:?} instead of {expected:?} in `{board}`"
            ));
            evaluator.pop();
        }
        if let Some(wrong) = wrong {
            let line: Vec<_> = self.line.iter().skip(1).map(|&(_, mv)| spell(mv)).collect();
            let (start, line) = (&self.line[0].0, line.join(" "));
            panic!("not a refresh's value since move {wrong}, along {line} from `{start}`");
        }
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
