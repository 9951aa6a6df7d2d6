//! Networks of which only the running program knows the architecture.

use nnue_runtime::{
    Accumulator, Architecture, Board, Level, Network, Output, Position, SelectedByPieces, Warning,
};

use crate::evaluation::{Answer, BucketOutput, Evaluate, Evaluation};
use crate::reorder::Reorder;
use crate::replay::Replay;

/// A loaded network of any architecture that was compiled in.
///
/// Engines know their network and need none of this: calls through it allocate. It is for tools
/// that are told at run time which network to load.
pub trait AnyNetwork: Evaluate + Replay + Reorder + Sync {}

impl<A: SelectedByPieces<Output = Output>> AnyNetwork for Network<A> {}

impl<A: SelectedByPieces<Output = Output>> Evaluate for Network<A> {
    fn name(&self) -> &str {
        A::NAME
    }

    fn computed_by(&self) -> &'static str {
        Level::name(self.level())
    }

    fn description(&self) -> &[u8] {
        self.description()
    }

    fn warnings(&self) -> Vec<Warning> {
        self.report().warnings
    }

    fn buckets(&self) -> usize {
        <A as Architecture>::BUCKETS
    }

    fn bucket(&self, pieces: usize) -> Option<usize> {
        Some(Network::<A>::bucket(pieces))
    }

    fn has_one_value(&self) -> bool {
        true
    }

    fn evaluate(&self, board: &Board) -> Evaluation {
        let side_to_move = board.side_to_move();
        let accumulator = Accumulator::new(self, board);
        let outputs = (0..self.buckets())
            .map(|bucket| BucketOutput {
                answer: Answer::Value(
                    self.evaluate_bucket(&accumulator, side_to_move, bucket)
                        .into(),
                ),
                heads: Vec::new(),
            })
            .collect();
        Evaluation {
            side_to_move,
            bucket: Evaluate::bucket(self, board.occupied().len()),
            outputs,
        }
    }
}

#[cfg(test)]
mod tests {
    use nnue_runtime::Color;

    use super::*;
    use crate::compiled;
    use crate::evaluation::Value;

    #[test]
    fn white_sees_what_black_sees_with_the_opposite_sign() {
        let net = compiled::built_in(Level::detect());
        let mut board = Board::start();
        assert_eq!(net.evaluate(&board).white_value(), Some(251));
        board.set_side_to_move(Color::Black);
        let evaluation = net.evaluate(&board);
        assert_eq!(evaluation.value(), Some(Value::One(251)));
        assert_eq!(evaluation.white_value(), Some(-251));
    }
}
