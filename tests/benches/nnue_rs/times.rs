//! The times of passes.

use std::time::Duration;

/// The times of several passes, in nanoseconds per evaluation, in the order of the rounds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times(pub(crate) Vec<f64>);

impl Times {
    /// Adds the time of a pass over `evaluations` evaluations.
    pub(crate) fn push(&mut self, duration: Duration, evaluations: usize) {
        self.0.push(duration.as_nanos() as f64 / evaluations as f64);
    }

    /// The difference between each time and that of the same round in `others`. A disturbance of
    /// the machine affects both.
    #[must_use]
    pub(crate) fn minus(&self, others: &Times) -> Times {
        let pairs = self.0.iter().zip(&others.0);
        Times(pairs.map(|(time, other)| time - other).collect())
    }

    fn sorted(&self) -> Vec<f64> {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted
    }

    /// The median; the mean of the middle two times if their number is even.
    #[must_use]
    pub(crate) fn median(&self) -> f64 {
        let sorted = self.sorted();
        let (low, high) = (sorted.len().saturating_sub(1) / 2, sorted.len() / 2);
        match (sorted.get(low), sorted.get(high)) {
            (Some(low), Some(high)) => (low + high) / 2.0,
            _ => f64::NAN,
        }
    }

    /// The time below which this share of the times is, from 0 to 1; NaN if there are no times.
    #[must_use]
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        let last = self.0.len().saturating_sub(1) as f64;
        let place = (share.clamp(0.0, 1.0) * last).round() as usize;
        self.sorted().get(place).copied().unwrap_or(f64::NAN)
    }
}
