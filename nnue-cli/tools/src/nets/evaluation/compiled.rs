//! Networks that `nnue_net!` has compiled.

use nnue_runtime::{
    Accumulator, Architecture, Board, Level, Network, Output, Position, SelectedByPieces, Warning,
};

use super::{Answer, BucketOutput, Evaluate, Evaluation};

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
