//! The times of passes.

use std::time::Duration;

/// The times of several passes, in nanoseconds per evaluation, in the order of the rounds.
#[derive(Clone, Debug, Default)]
pub struct Times(Vec<f64>);

impl Times {
    /// Adds the time of a pass over `evaluations` evaluations.
    pub fn push(&mut self, duration: Duration, evaluations: usize) {
        self.0.push(duration.as_nanos() as f64 / evaluations as f64);
    }

    /// The difference between each time and that of the same round in `others`. A disturbance of
    /// the machine affects both.
    #[must_use]
    pub fn minus(&self, others: &Times) -> Times {
        let pairs = self.0.iter().zip(&others.0);
        Times(pairs.map(|(time, other)| time - other).collect())
    }

    /// The times, each less this many nanoseconds.
    #[must_use]
    pub fn without(&self, nanoseconds: f64) -> Times {
        let times = self.0.iter().map(|time| time - nanoseconds);
        Times(times.collect())
    }

    /// The times of both lists.
    #[must_use]
    pub fn and(mut self, others: Times) -> Times {
        self.0.extend(others.0);
        self
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    fn sorted(&self) -> Vec<f64> {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted
    }

    /// The median; the mean of the middle two times if their number is even.
    #[must_use]
    pub fn median(&self) -> f64 {
        let sorted = self.sorted();
        let (low, high) = (sorted.len().saturating_sub(1) / 2, sorted.len() / 2);
        match (sorted.get(low), sorted.get(high)) {
            (Some(low), Some(high)) => (low + high) / 2.0,
            _ => f64::NAN,
        }
    }

    /// The time below which this share of the times is, from 0 to 1; NaN if there are no times.
    #[must_use]
    pub fn quantile(&self, share: f64) -> f64 {
        let last = self.0.len().saturating_sub(1) as f64;
        let place = (share.clamp(0.0, 1.0) * last).round() as usize;
        self.sorted().get(place).copied().unwrap_or(f64::NAN)
    }

    /// The shortest time; NaN if there are no times.
    #[must_use]
    pub fn min(&self) -> f64 {
        self.quantile(0.0)
    }

    /// The longest time; NaN if there are no times.
    #[must_use]
    pub fn max(&self) -> f64 {
        self.quantile(1.0)
    }
}

impl FromIterator<f64> for Times {
    fn from_iter<I: IntoIterator<Item = f64>>(times: I) -> Times {
        Times(times.into_iter().collect())
    }
}

/// The times of an engine that follows a trace.
#[derive(Clone, Debug, Default)]
pub struct InEngine {
    /// The times of the engine without an evaluator.
    pub alone: Times,
    /// The times of the engine with an evaluator, measured in turns with the engine alone.
    pub both: Times,
}

impl InEngine {
    /// The times of the evaluator in the engine.
    #[must_use]
    pub fn evaluator(&self) -> Times {
        self.both.minus(&self.alone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_sorted_and_per_evaluation() {
        let mut times = Times::default();
        for nanoseconds in [400, 100, 300, 200] {
            times.push(Duration::from_nanos(nanoseconds), 10);
        }
        assert_eq!(
            (times.min(), times.median(), times.max()),
            (10.0, 25.0, 40.0)
        );
        times.push(Duration::from_nanos(500), 10);
        assert_eq!((times.median(), times.max()), (30.0, 50.0));
        assert_eq!(
            [0.0, 0.25, 0.75, 1.0].map(|share| times.quantile(share)),
            [10.0, 20.0, 40.0, 50.0]
        );
        assert!(Times::default().median().is_nan() && Times::default().quantile(0.5).is_nan());
    }

    #[test]
    fn times_in_the_engine_are_differences_of_neighbours() {
        let mut times = InEngine::default();
        for (alone, both) in [(100, 130), (500, 540), (200, 220)] {
            times.alone.push(Duration::from_nanos(alone), 10);
            times.both.push(Duration::from_nanos(both), 10);
        }
        let evaluator = times.evaluator();
        let found = [evaluator.min(), evaluator.median(), evaluator.max()];
        assert_eq!(found, [2.0, 3.0, 4.0]);
    }
}
