//! How long a search may take.

use std::time::{Duration, Instant};

#[cfg(test)]
#[path = "../tests/unit/time.rs"]
mod tests;

/// What ends a search.
#[derive(Clone, Copy)]
pub struct Limits {
    /// When it began.
    pub started: Instant,
    /// No iteration is deeper.
    pub depth: i32,
    /// Nodes of one thread.
    pub nodes: u64,
    /// No iteration is begun after so long.
    pub soft: Duration,
    /// The search is given up after so long.
    pub hard: Duration,
    /// The result is not told before somebody stops the search.
    pub infinite: bool,
}

/// The depth at which every search ends.
pub(crate) const DEEPEST: i32 = 100;

/// What may get lost of a move's time between the engine and its opponent.
const OVERHEAD: Duration = Duration::from_millis(10);

impl Limits {
    /// A search that begins now and ends at the deepest iteration.
    pub fn none() -> Limits {
        Limits {
            started: Instant::now(),
            depth: DEEPEST,
            nodes: u64::MAX,
            soft: Duration::MAX,
            hard: Duration::MAX,
            infinite: false,
        }
    }

    /// Thinks for as long as it is told.
    pub(crate) fn set_time(&mut self, time: Duration) {
        self.hard = time.saturating_sub(OVERHEAD / 2).max(OVERHEAD / 10);
    }

    /// Shares what is left on a clock among the moves to come.
    pub(crate) fn set_clock(&mut self, left: Duration, increment: Duration, moves: Option<u32>) {
        let left = left.saturating_sub(OVERHEAD).max(OVERHEAD / 10);
        let moves = moves.unwrap_or(25).clamp(1, 40);
        let share = left / moves + increment * 3 / 4;
        let most = left * 9 / if moves == 1 { 10 } else { 20 };
        self.soft = (share * 6 / 10).min(most);
        self.hard = (share * 3).min(most);
    }
}
