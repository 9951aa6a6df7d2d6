//! Evaluation of positions whose accumulators are known.

use crate::accumulator::Accumulator;
use crate::architecture::{Architecture, SelectedByPieces};
use crate::chess::Color;
use crate::network::Network;
use crate::position::Position;

impl<A: Architecture> Network<A> {
    /// Evaluates with the layers of one bucket. If there is no such bucket, the last is used.
    #[inline]
    #[must_use]
    pub fn evaluate_bucket(
        &self,
        accumulator: &Accumulator<A>,
        side_to_move: Color,
        bucket: usize,
    ) -> A::Output {
        let halves = Color::ALL.map(|perspective| accumulator.half(perspective));
        A::propagate(
            self.level(),
            self.stacks(),
            A::ORDER.of(halves, side_to_move),
            bucket,
            self.proved(bucket),
        )
    }
}

// The bound is that of the methods and not of the block, as that of `Network::embedded` is.
impl<A: Architecture> Network<A> {
    /// Evaluates a position whose accumulator is given, with the bucket for its number of pieces.
    #[inline]
    #[must_use]
    pub fn evaluate(&self, accumulator: &Accumulator<A>, position: &impl Position) -> A::Output
    where
        A: SelectedByPieces,
    {
        let bucket = Self::bucket(position.occupied().len());
        self.evaluate_bucket(accumulator, position.side_to_move(), bucket)
    }

    /// The bucket of positions with this number of pieces. For more than 32 it is the bucket of 32
    /// pieces.
    #[inline]
    #[must_use]
    pub fn bucket(pieces: usize) -> usize
    where
        A: SelectedByPieces,
    {
        let table = <A as SelectedByPieces>::BUCKETS;
        usize::from(table[pieces.min(table.len() - 1)])
    }
}
