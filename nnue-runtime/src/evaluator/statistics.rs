//! Counts of an evaluator's work, for tools that measure how well the cache and the updates do.

/// How much an [`Evaluator`](crate::Evaluator) has computed. Accumulators are those of one
/// perspective.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// Accumulators computed from that of an earlier ply.
    pub updates: u64,
    /// Rows that updates added and removed.
    pub updated_rows: u64,
    /// Accumulators computed from the refresh cache.
    pub refreshes: u64,
    /// Rows that refreshes added and removed.
    pub refreshed_rows: u64,
    /// Refreshes that found nothing in the cache, and began with the biases.
    pub misses: u64,
}

impl Statistics {
    /// Refreshes that found a position with the same view in the cache.
    #[must_use]
    pub fn hits(&self) -> u64 {
        self.refreshes.saturating_sub(self.misses)
    }

    /// All rows that were added and removed.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.updated_rows.saturating_add(self.refreshed_rows)
    }
}

/// Whether an [`Evaluator`](crate::Evaluator) counts its work: `()` does not, and costs nothing;
/// [`Statistics`] does.
pub trait Counter: sealed::Sealed {
    /// An accumulator was computed from that of an earlier ply.
    #[doc(hidden)]
    fn updated(&mut self, rows: usize);
    /// An accumulator was computed from the cache.
    #[doc(hidden)]
    fn refreshed(&mut self, rows: usize);
}

impl Counter for () {
    #[inline]
    fn updated(&mut self, _rows: usize) {}

    #[inline]
    fn refreshed(&mut self, _rows: usize) {}
}

impl Counter for Statistics {
    fn updated(&mut self, rows: usize) {
        self.updates += 1;
        self.updated_rows += rows as u64;
    }

    fn refreshed(&mut self, rows: usize) {
        self.refreshes += 1;
        self.refreshed_rows += rows as u64;
    }
}

mod sealed {
    pub trait Sealed {}

    impl Sealed for () {}
    impl Sealed for super::Statistics {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_contradict_each_other_do_not_overflow() {
        let statistics = Statistics {
            updated_rows: u64::MAX,
            refreshed_rows: 1,
            misses: 1,
            ..Statistics::default()
        };
        assert_eq!((statistics.hits(), statistics.rows()), (0, u64::MAX));
    }
}
