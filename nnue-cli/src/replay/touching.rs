//! The memory that an engine reads between two evaluations.

use std::hint::black_box;

use nnue_runtime::{Board, Delta};
use nnue_trace::Follow;

/// Follows a search, and reads other memory before each evaluation, as an engine reads its tables:
/// a few lines of the processor's cache further on each time, and from the beginning again after
/// the end. Rows and accumulators then have less of the cache to themselves.
pub struct Touching<F> {
    follower: F,
    memory: Vec<CacheLine>,
    next: usize,
}

/// As much as a processor loads at once.
#[derive(Clone)]
#[repr(align(64))]
struct CacheLine(u8);

/// How many of them are read before an evaluation: 4 KB.
const LINES: usize = 64;

impl<F> Touching<F> {
    /// Reads so many bytes in turn; none for 0.
    #[must_use]
    pub fn new(follower: F, bytes: usize) -> Touching<F> {
        Touching {
            follower,
            // Zeros that nobody wrote would all be the same page of memory.
            memory: vec![CacheLine(1); bytes / size_of::<CacheLine>()],
            next: 0,
        }
    }

    /// What follows the search.
    pub fn follower_mut(&mut self) -> &mut F {
        &mut self.follower
    }

    #[inline]
    fn touch(&mut self) {
        for _ in 0..LINES.min(self.memory.len()) {
            black_box(self.memory[self.next].0);
            self.next = (self.next + 1) % self.memory.len();
        }
    }
}

impl<F: Follow> Follow for Touching<F> {
    type Value = F::Value;

    #[inline]
    fn reset(&mut self, root: &Board) {
        self.follower.reset(root);
    }

    #[inline]
    fn make(&mut self, delta: &Delta) {
        self.follower.make(delta);
    }

    #[inline]
    fn make_null(&mut self) {
        self.follower.make_null();
    }

    #[inline]
    fn unmake(&mut self) {
        self.follower.unmake();
    }

    #[inline]
    fn evaluate(&mut self) -> F::Value {
        self.touch();
        self.follower.evaluate()
    }
}

#[cfg(test)]
mod tests {
    use nnue_trace::Idle;

    use super::*;

    #[test]
    fn memory_is_read_in_turn() {
        let mut touching = Touching::new(Idle, 100 * 64);
        let places = [0; 4].map(|_| {
            touching.evaluate();
            touching.next
        });
        assert_eq!(places, [64, 28, 92, 56]);
    }

    #[test]
    fn memory_may_be_smaller_than_what_is_read_at_once() {
        for (bytes, lines) in [(0, 0), (63, 0), (130, 2)] {
            let mut touching = Touching::new(Idle, bytes);
            touching.evaluate();
            assert_eq!((touching.memory.len(), touching.next), (lines, 0));
        }
    }
}
