//! Histograms of magnitudes whose range is not known in advance.

/// The number of bins. The largest magnitude is in the upper half of the bins, so the width of a
/// bin is at most 2 / `BINS` of this magnitude.
pub(super) const BINS: usize = 8192;

/// The width of bins at first: less than the distance of any weight from zero.
const NARROW: f64 = 1.0 / (1u64 << 40) as f64;

/// Magnitudes in bins of the same width, which doubles whenever a magnitude is too large for the
/// bins.
#[derive(Clone, Debug)]
pub(super) struct Histogram {
    /// The sum of the weights of the magnitudes in each bin.
    pub(super) bins: Vec<f64>,
    width: f64,
    /// The largest magnitude, including magnitudes without weight.
    pub(super) largest: f64,
}

impl Histogram {
    pub(super) fn new() -> Histogram {
        Histogram {
            bins: vec![0.0; BINS],
            width: NARROW,
            largest: 0.0,
        }
    }

    /// Adds a finite number with a weight, 0 or more.
    pub(super) fn add(&mut self, number: f64, weight: f64) {
        let magnitude = number.abs();
        self.make_room(magnitude);
        self.largest = self.largest.max(magnitude);
        self.bins[(magnitude / self.width) as usize] += weight;
    }

    /// Adds the contents of another histogram.
    pub(super) fn merge(&mut self, other: &Histogram) {
        self.make_room(other.largest);
        self.largest = self.largest.max(other.largest);
        let mut other = other.clone();
        while other.width < self.width {
            other.widen();
        }
        while self.width < other.width {
            self.widen();
        }
        for (own, more) in self.bins.iter_mut().zip(other.bins) {
            *own += more;
        }
    }

    /// The bins up to that of the largest magnitude.
    pub(super) fn used(&self) -> &[f64] {
        &self.bins[..=(self.largest / self.width) as usize]
    }

    /// The upper end of a bin, but no more than the largest magnitude.
    pub(super) fn end(&self, bin: usize) -> f64 {
        ((bin + 1) as f64 * self.width).min(self.largest)
    }

    /// The smallest end of a bin below which this share of all weight is; the largest magnitude if
    /// no magnitude has weight.
    pub(super) fn percentile(&self, share: f64) -> f64 {
        let all: f64 = self.bins.iter().sum();
        let mut below = 0.0;
        let reaches = |weight: &f64| {
            below += weight;
            // Sums of many weights are rounded.
            below >= (share - 1e-12) * all
        };
        match self.used().iter().position(reaches) {
            Some(bin) if all > 0.0 => self.end(bin),
            _ => self.largest,
        }
    }

    fn make_room(&mut self, magnitude: f64) {
        while magnitude >= self.width * BINS as f64 {
            self.widen();
        }
    }

    fn widen(&mut self) {
        for bin in 0..BINS {
            self.bins[bin] = match self.bins.get(2 * bin..2 * bin + 2) {
                Some(pair) => pair.iter().sum(),
                None => 0.0,
            };
        }
        self.width *= 2.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest relative distance between a percentile and a bin's end.
    const BIN: f64 = 2.0 / BINS as f64;

    #[test]
    fn percentiles_are_those_of_the_numbers() {
        // The numbers 1 to 10,000 with alternating signs, in an order in which the range sometimes
        // grows.
        let mut histogram = Histogram::new();
        for index in 0..10_000u32 {
            let number = f64::from(index * 7919 % 10_000 + 1);
            histogram.add(if index % 2 == 0 { number } else { -number }, 1.0);
        }
        for (share, expected) in [
            (0.5, 5000.0),
            (0.99, 9900.0),
            (0.9999, 9999.0),
            (1.0, 10_000.0),
        ] {
            let found = histogram.percentile(share);
            assert!(
                (found - expected).abs() <= 10_000.0 * BIN,
                "{share}: {found}"
            );
            assert!(found >= expected, "{share}: {found}");
        }
        assert_eq!(histogram.largest, 10_000.0);
    }

    #[test]
    fn weights_count_and_what_has_none_only_widens_the_range() {
        let mut histogram = Histogram::new();
        histogram.add(1.0, 3.0);
        histogram.add(-2.0, 1.0);
        histogram.add(100.0, 0.0);
        assert!((histogram.percentile(0.75) - 1.0).abs() <= 100.0 * BIN);
        assert!((histogram.percentile(0.76) - 2.0).abs() <= 100.0 * BIN);
        assert!((histogram.percentile(1.0) - 2.0).abs() <= 100.0 * BIN);
        assert_eq!(histogram.largest, 100.0);
        let mut nothing = Histogram::new();
        nothing.add(3.0, 0.0);
        assert_eq!(nothing.percentile(0.5), 3.0);
    }

    #[test]
    fn parts_are_added_whatever_their_ranges() {
        let numbers: Vec<f64> = (0..4000u32)
            .map(|n| f64::from(n).powi(2) / 1000.0)
            .collect();
        let of = |numbers: &[f64]| {
            let mut histogram = Histogram::new();
            numbers
                .iter()
                .for_each(|number| histogram.add(*number, 2.0));
            histogram
        };
        let all = of(&numbers);
        for (first, second) in [numbers.split_at(100), numbers.split_at(3900)] {
            for (mut one, other) in [(of(first), of(second)), (of(second), of(first))] {
                one.merge(&other);
                assert_eq!((one.largest, one.width), (all.largest, all.width));
                assert_eq!(one.bins, all.bins);
            }
        }
    }
}
