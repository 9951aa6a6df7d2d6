//! Choices that follow from a seed.

use std::ops::RangeInclusive;

use nnue_compiler::spec::Named;

use fastrand::Rng;

/// A sequence of choices.
#[derive(Clone, Debug)]
pub(super) struct Dice(Rng);

impl Dice {
    pub(super) fn new(seed: u64) -> Dice {
        Dice(Rng::with_seed(seed))
    }

    /// True once in `times` times.
    pub(super) fn once_in(&mut self, times: usize) -> bool {
        self.0.usize(..times) == 0
    }

    pub(super) fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.0.usize(..from.len())].clone()
    }

    pub(super) fn within(&mut self, range: RangeInclusive<usize>) -> usize {
        range.start() + self.0.usize(..range.end() - range.start() + 1)
    }

    /// Choices of their own for a word, which leave those that follow as they are. So a word that
    /// is drawn by them changes only the networks that have it, and not what all other seeds draw.
    pub(super) fn aside_for(&self, word: &str) -> Dice {
        let mixed = word.bytes().fold(self.0.clone().u64(..), |mixed, byte| {
            (mixed ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3)
        });
        Dice::new(mixed)
    }

    /// One of the names of a key.
    pub(super) fn name<T: Named>(&mut self) -> &'static str {
        self.pick(T::NAMES).0
    }

    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        self.0.shuffle(items);
    }

    /// A run of `len` elements: its start and end.
    pub(super) fn part(&mut self, len: usize) -> (usize, usize) {
        let start = self.0.usize(..len);
        (start, self.within(start + 1..=len))
    }

    pub(super) fn word(&mut self) -> u32 {
        self.0.u32(..)
    }
}
