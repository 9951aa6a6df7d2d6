//! What a position is worth: by the network, along the moves of a search, or by its material.

use std::sync::Arc;

use cozy_chess::{Board, Color, Move, Piece};
use nnue_runtime::{Architecture, Delta, Evaluated, Order, Output, Wdl};

pub(crate) use self::network::Network;

/// The network that `build.rs` chose.
mod network {
    include!(concat!(env!("OUT_DIR"), "/network.rs"));
}

/// A mate in no moves, in centipawns.
pub(crate) const MATE: i32 = 30_000;
/// Scores beyond it are mates; evaluations stay within.
pub(crate) const DECIDED: i32 = MATE - 1_000;

/// What evaluates; shared by all threads.
#[derive(Clone)]
pub(crate) enum Judge {
    Network(Arc<Network>),
    Material,
}

impl Judge {
    /// The embedded network, or material where none is embedded.
    pub(crate) fn embedded() -> Judge {
        match network::embedded() {
            Some(network) => Judge::Network(Arc::new(network)),
            None => Judge::Material,
        }
    }

    /// The judge that the option EvalFile names: a net file of the network that the engine was
    /// built for, `<material>`, or `<empty>` for the embedded one.
    pub(crate) fn named(name: &str) -> Result<Judge, String> {
        match name {
            "" | "<empty>" => Ok(Judge::embedded()),
            "<material>" => Ok(Judge::Material),
            path => match Network::open(path) {
                Ok(network) => Ok(Judge::Network(Arc::new(network))),
                Err(error) => Err(format!("cannot load `{path}`: {error}")),
            },
        }
    }
}

/// Evaluates the positions of one thread's search: it is told of every move and of its end.
pub(crate) struct Evaluation {
    evaluator: Option<network::Evaluator<Arc<Network>>>,
    /// With the feature `verify`, the boards of the line, each with the move that led to it.
    line: Vec<(Board, Option<Move>)>,
}

impl Evaluation {
    pub(crate) fn new(judge: &Judge, board: &Board) -> Evaluation {
        let evaluator = match judge {
            Judge::Network(network) => Some(network::Evaluator::new(network.clone(), board)),
            Judge::Material => None,
        };
        let mut evaluation = Evaluation {
            evaluator,
            line: Vec::new(),
        };
        evaluation.reset(board);
        evaluation
    }

    pub(crate) fn reset(&mut self, board: &Board) {
        if let Some(evaluator) = &mut self.evaluator {
            evaluator.reset(board);
        }
        self.line = vec![(board.clone(), None)];
    }

    /// Follows a move from one board to the next; none is a null move.
    pub(crate) fn push(&mut self, board: &Board, mv: Option<Move>, next: &Board) {
        let delta = mv.map_or(Delta::null(), |mv| Delta::from_cozy(board, mv));
        if let Some(evaluator) = &mut self.evaluator {
            evaluator.push(&delta);
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
        let output = evaluator.evaluate();
        if cfg!(feature = "verify") {
            self.verify();
        }
        let units = i64::from(output.evaluation().units());
        let from_white = matches!(network::Net::ORDER, Order::WhiteFirst);
        let units = match from_white && board.side_to_move() == Color::Black {
            true => -units,
            false => units,
        };
        let limit = i64::from(DECIDED - 1);
        (units * 100 / i64::from(network::PAWN)).clamp(-limit, limit) as i32
    }

    /// # Panics
    ///
    /// If the value of the line's last position is not that of a refresh. The message has the
    /// earliest move of the line from which on they differ.
    fn verify(&mut self) {
        let Some(evaluator) = &mut self.evaluator else {
            return;
        };
        let net = evaluator.network();
        let refreshed = |board| net.evaluate(&network::Accumulator::new(net, board), board);
        let mut walk = evaluator.clone();
        let mut wrong = None;
        for (ply, (board, _)) in self.line.iter().enumerate().rev() {
            let (found, expected) = (walk.evaluate(), refreshed(board));
            if found == expected {
                break;
            }
            wrong = Some((ply, found, expected));
            walk.pop();
        }
        if let Some((ply, found, expected)) = wrong {
            let name = |mv: Option<Move>| mv.map_or("0000".to_owned(), |mv| mv.to_string());
            let moves: Vec<String> = self.line.iter().skip(1).map(|&(_, mv)| name(mv)).collect();
            panic!(
                "the evaluation differs from a refresh since move {ply}, {}: {found:?} instead of \
                 {expected:?} in `{}`, along {} from `{}`",
                name(self.line[ply].1),
                self.line[ply].0,
                moves.join(" "),
                self.line[0].0
            );
        }
    }
}

/// Outputs as one number, for the side to move, in the network's units.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn after(board: &Board, mv: &str) -> Board {
        let mut next = board.clone();
        next.play(mv.parse().unwrap());
        next
    }

    #[test]
    fn material_is_for_the_side_to_move() {
        let board: Board = "4k3/8/8/8/8/8/8/Q3K2r b - - 0 1".parse().unwrap();
        assert_eq!(material(&board), -400);
    }

    /// An evaluator that is told of another pawn's move than the one that was played.
    #[test]
    #[should_panic(expected = "since move 2, e7e5:")]
    fn a_planted_bug_is_found_at_its_move() {
        let start = Board::default();
        let mut evaluation = Evaluation::new(&Judge::embedded(), &start);
        let mut board = start;
        for (mv, told) in [("e2e4", "e2e4"), ("e7e5", "e7e6"), ("g1f3", "g1f3")] {
            let next = after(&board, mv);
            let told = Delta::from_cozy(&board, told.parse().unwrap());
            evaluation
                .evaluator
                .as_mut()
                .expect("a network")
                .push(&told);
            evaluation.line.push((next.clone(), mv.parse().ok()));
            board = next;
        }
        evaluation.verify();
    }
}
