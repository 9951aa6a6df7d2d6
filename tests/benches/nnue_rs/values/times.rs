//! Figures of times.

use std::time::Duration;

use crate::times::Times;

#[test]
fn times_are_sorted_and_per_evaluation() {
    let mut times = Times::default();
    for nanoseconds in [400, 100, 300, 200] {
        times.push(Duration::from_nanos(nanoseconds), 10);
    }
    assert_eq!(times.median(), 25.0);
    times.push(Duration::from_nanos(500), 10);
    assert_eq!(times.median(), 30.0);
    assert_eq!(
        [0.0, 0.25, 0.75, 1.0].map(|share| times.quantile(share)),
        [10.0, 20.0, 40.0, 50.0]
    );
    assert!(Times::default().median().is_nan() && Times::default().quantile(0.5).is_nan());
}

#[test]
fn differences_are_those_of_the_same_round() {
    let [mut both, mut alone] = [Times::default(), Times::default()];
    for (own, other) in [(130, 100), (540, 500), (220, 200)] {
        both.push(Duration::from_nanos(own), 10);
        alone.push(Duration::from_nanos(other), 10);
    }
    let found = both.minus(&alone);
    assert_eq!(
        [0.0, 0.5, 1.0].map(|share| found.quantile(share)),
        [2.0, 3.0, 4.0]
    );
}
