//! How long a search may take.

use std::time::{Duration, Instant};

/// What ends a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) depth: i32,
    /// Nodes of one thread.
    pub(crate) nodes: u64,
    pub(crate) started: Instant,
    /// No iteration is begun after so long.
    pub(crate) soft: Option<Duration>,
    /// The search is given up after so long.
    pub(crate) hard: Option<Duration>,
    /// The search goes on until it is told to stop, even if there is nothing left to search.
    pub(crate) infinite: bool,
}

/// The depth at which every search ends.
pub(crate) const DEEPEST: i32 = 100;

/// What a move loses between engine and opponent.
const OVERHEAD: Duration = Duration::from_millis(10);

impl Limits {
    pub(crate) fn none() -> Limits {
        Limits {
            depth: DEEPEST,
            nodes: u64::MAX,
            started: Instant::now(),
            soft: None,
            hard: None,
            infinite: false,
        }
    }

    pub(crate) fn nodes(nodes: u64) -> Limits {
        Limits {
            nodes,
            ..Limits::none()
        }
    }

    pub(crate) fn depth(depth: i32) -> Limits {
        Limits {
            depth,
            ..Limits::none()
        }
    }

    /// Thinks for as long as it is told, less what may get lost.
    pub(crate) fn movetime(self, time: Duration) -> Limits {
        let hard = time.saturating_sub(OVERHEAD / 2).max(OVERHEAD / 10);
        Limits {
            hard: Some(hard),
            ..self
        }
    }

    /// Shares what is left on a clock among the moves to come.
    pub(crate) fn clock(self, left: Duration, increment: Duration, moves: Option<u32>) -> Limits {
        let left = left.saturating_sub(OVERHEAD).max(OVERHEAD / 10);
        let moves = moves.unwrap_or(25).clamp(1, 40);
        let share = left / moves + increment * 3 / 4;
        let most = match moves {
            1 => left * 9 / 10,
            _ => left / 2,
        };
        Limits {
            soft: Some((share * 6 / 10).min(most)),
            hard: Some((share * 3).min(most)),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_never_overdrawn() {
        for left in [0, 1, 20, 1_000, 600_000] {
            for increment in [0, 10, 10_000] {
                for moves in [None, Some(0), Some(1), Some(40), Some(u32::MAX)] {
                    let time = Duration::from_millis;
                    let limits = Limits::none().clock(time(left), time(increment), moves);
                    let hard = limits.hard.unwrap();
                    assert!(hard <= time(left.max(1)), "{left} {increment} {moves:?}");
                    assert!(limits.soft.unwrap() <= hard);
                }
            }
        }
    }
}
