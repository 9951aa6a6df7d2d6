//! Networks of which only the running program knows the architecture.

use nnue_runtime::{
    Accumulator, Board, Color, Level, Network, Output, Position, Report, SelectedByPieces,
};

use crate::reorder::Reorder;
use crate::replay::Replay;

/// A loaded network of any architecture that chooses its bucket by the number of pieces.
///
/// Engines know their network and need none of this: calls through it allocate. It is for tools
/// that are told at run time which network to load.
pub trait AnyNetwork: Replay + Reorder {
    /// The name that the spec gives it.
    fn name(&self) -> &'static str;

    /// The instruction set in use.
    fn level(&self) -> Level;

    /// What the net file says of itself: text by convention, but any bytes.
    fn description(&self) -> &[u8];

    /// The ranges that follow from the weights, with warnings.
    fn report(&self) -> Report;

    /// The number of layer stacks.
    fn buckets(&self) -> usize;

    /// The bucket of positions with so many pieces.
    fn bucket(&self, pieces: usize) -> usize;

    /// Evaluates a position with every bucket.
    fn evaluate(&self, board: &Board) -> Evaluation;
}

/// What a network says of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluation {
    /// The player from whose view all values are.
    pub side_to_move: Color,
    /// The outputs of all layer stacks, by bucket.
    pub outputs: Vec<Output>,
    /// The bucket that the network chooses for this position.
    pub bucket: usize,
}

impl Evaluation {
    /// The value of the position for the side to move, in the engine's units.
    pub fn value(&self) -> i32 {
        self.outputs[self.bucket].value
    }

    /// The value of the position for white, in the engine's units.
    pub fn white_value(&self) -> i32 {
        match self.side_to_move {
            Color::White => self.value(),
            Color::Black => -self.value(),
        }
    }
}

impl<A: SelectedByPieces<Output = Output>> AnyNetwork for Network<A> {
    fn name(&self) -> &'static str {
        A::NAME
    }

    fn level(&self) -> Level {
        self.level()
    }

    fn description(&self) -> &[u8] {
        self.description()
    }

    fn report(&self) -> Report {
        self.report()
    }

    fn buckets(&self) -> usize {
        <A as nnue_runtime::Architecture>::BUCKETS
    }

    fn bucket(&self, pieces: usize) -> usize {
        Network::<A>::bucket(pieces)
    }

    fn evaluate(&self, board: &Board) -> Evaluation {
        let side_to_move = board.side_to_move();
        let accumulator = Accumulator::new(self, board);
        let outputs = (0..AnyNetwork::buckets(self))
            .map(|bucket| self.evaluate_bucket(&accumulator, side_to_move, bucket))
            .collect();
        Evaluation {
            side_to_move,
            outputs,
            bucket: Network::<A>::bucket(board.occupied().len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::specs;

    #[test]
    fn white_sees_what_black_sees_with_the_opposite_sign() {
        let net = specs::built_in(Level::detect());
        let mut board = Board::start();
        assert_eq!(net.evaluate(&board).white_value(), 251);
        board.set_side_to_move(Color::Black);
        let evaluation = net.evaluate(&board);
        assert_eq!(evaluation.value(), 251);
        assert_eq!(evaluation.white_value(), -251);
    }
}
