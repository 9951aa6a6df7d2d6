//! Unit tests of `time.rs`.

use std::time::Duration;

use super::Limits;

#[test]
fn a_clock_is_never_overdrawn() {
    let time = Duration::from_millis;
    for left in [0, 1, 20, 1_000, 600_000] {
        for increment in [0, 10, 10_000] {
            for moves in [None, Some(0), Some(1), Some(40), Some(u32::MAX)] {
                let mut limits = Limits::none();
                limits.set_clock(time(left), time(increment), moves);
                assert!(
                    limits.hard <= time(left.max(1)),
                    "{left} {increment} {moves:?}"
                );
                assert!(limits.soft <= limits.hard, "{left} {increment} {moves:?}");
            }
        }
    }
}
