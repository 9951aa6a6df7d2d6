//! With the feature `verify`, every evaluation is compared with a refresh.

use cozy_chess::{Board, Move};

use crate::evaluation::NetworkEvaluator;
use crate::evaluation::network::Accumulator;

/// The boards of a line, each with the move that led to it; none is a null move.
pub(crate) struct Line(Vec<(Board, Option<Move>)>);

impl Line {
    pub(crate) fn new(board: &Board) -> Line {
        Line(vec![(board.clone(), None)])
    }

    pub(crate) fn push(&mut self, board: &Board, mv: Option<Move>) {
        if cfg!(any(feature = "verify", test)) {
            self.0.push((board.clone(), mv));
        }
    }

    pub(crate) fn pop(&mut self) {
        if cfg!(any(feature = "verify", test)) {
            self.0.pop();
        }
    }

    /// Compares the value of the last position with a refresh's.
    ///
    /// # Panics
    ///
    /// If they differ, with the first move of the line since which they do.
    pub(crate) fn check(&self, evaluator: &NetworkEvaluator) {
        if cfg!(not(any(feature = "verify", test))) {
            return;
        }
        let mut evaluator = evaluator.clone();
        let spell = |mv: Option<Move>| mv.map_or("0000".to_owned(), |mv| mv.to_string());
        let mut wrong = None;
        for (ply, (board, mv)) in self.0.iter().enumerate().rev() {
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
            let moves: Vec<_> = self.0.iter().skip(1).map(|&(_, mv)| spell(mv)).collect();
            let (start, line) = (&self.0[0].0, moves.join(" "));
            panic!("not a refresh's value since move {wrong}, along {line} from `{start}`");
        }
    }
}
