//! The difference between two distributions: the Kullback-Leibler divergence of their histograms.
//!
//! A histogram counts values in bins of the same width `w`. There are at most `most` bins: 128, but
//! no more than a sixteenth of the number of values, because histograms of few values differ by
//! chance. Bin `i` has the values `x` with
//!
//! ```text
//! i = floor((x - lowest) / w)
//! ```
//!
//! where `lowest` and `highest` are the ends of the range of both distributions together. Integers
//! have only whole values. So that their distribution does not differ merely because bins are finer
//! than integers, each bin has `w` whole values: `lowest` and `highest` are rounded down, `w` is
//! `ceil((highest - lowest + 1) / most)`, and a value between two integers is in the bin of the
//! lower integer, to which shifts round it. In floating point, `w` is `(highest - lowest) / most`,
//! and the highest value is in the last bin.
//!
//! With counts `P[i]` and `Q[i]` in `n` bins, half an occurrence is added to each count, so that no
//! bin is empty (Krichevsky and Trofimov's estimate). The divergence is, in nats:
//!
//! ```text
//! p[i] = (P[i] + 1/2) / (sum of P + n/2)         q[i] likewise
//! D(p || q) = the sum of p[i] * ln(p[i] / q[i])
//! ```
//!
//! The divergence is 0 for equal histograms and positive for all others, and at most about the
//! logarithm of twice the number of values.

/// The most bins, however many values there are.
const MOST_BINS: usize = 128;

/// The least mean number of values in a bin.
const FEWEST_VALUES: usize = 16;

/// The bins into which a range of values is divided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bins {
    pub(super) lowest: f64,
    /// The width of a bin; 0 if all values are the same.
    pub(super) width: f64,
    pub(super) count: usize,
}

impl Bins {
    /// The bins for `values` values of a range. They have whole numbers if a distribution has no
    /// other values.
    pub(super) fn of((lowest, highest): (f64, f64), are_whole: bool, values: usize) -> Bins {
        let most_bins = (values / FEWEST_VALUES).clamp(1, MOST_BINS);
        let most = most_bins as f64;
        if are_whole {
            let (lowest, highest) = (lowest.floor(), highest.floor());
            let integers = highest - lowest + 1.0;
            let width = (integers / most).ceil();
            return Bins {
                lowest,
                width,
                count: (integers / width).ceil() as usize,
            };
        }
        Bins {
            lowest,
            width: (highest - lowest) / most,
            count: if lowest < highest { most_bins } else { 1 },
        }
    }

    /// The bin of a value of the range.
    pub(super) fn bin(&self, value: f64) -> usize {
        // NaN is in the first bin.
        let bin = ((value - self.lowest) / self.width).floor();
        (bin.max(0.0) as usize).min(self.count - 1)
    }
}

/// The divergence of the second distribution from the first, whose counts are in the same bins.
pub(super) fn divergence(first: &[u64], second: &[u64]) -> f64 {
    let share = |counts: &[u64]| {
        let all = counts.iter().sum::<u64>() as f64 + counts.len() as f64 / 2.0;
        let shares = counts.iter().map(|count| (*count as f64 + 0.5) / all);
        shares.collect::<Vec<f64>>()
    };
    let (first, second) = (share(first), share(second));
    let terms = first.iter().zip(&second).map(|(p, q)| p * (p / q).ln());
    // Rounding can make a sum of zeros negative.
    terms.sum::<f64>().max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_bins_of_whole_numbers() {
        // The range 0 to 127 has a bin for each integer.
        let bins = Bins::of((0.0, 127.0), true, 2048);
        let expected = Bins {
            lowest: 0.0,
            width: 1.0,
            count: 128,
        };
        assert_eq!(bins, expected);
        assert_eq!(
            [0.0, 0.9, 1.0, 126.99, 127.0].map(|x| bins.bin(x)),
            [0, 0, 1, 126, 127]
        );
        // The range -2 to 256 has 259 integers: three in each bin, and one integer in the last bin.
        let bins = Bins::of((-1.5, 256.7), true, 9999);
        let expected = Bins {
            lowest: -2.0,
            width: 3.0,
            count: 87,
        };
        assert_eq!(bins, expected);
        assert_eq!([-1.5, 0.99, 1.0, 256.7].map(|x| bins.bin(x)), [0, 0, 1, 86]);
    }

    #[test]
    fn few_values_have_few_bins() {
        // A sixteenth of 2047 is 127: two whole numbers in each of 64 bins.
        let bins = Bins::of((0.0, 127.0), true, 2047);
        assert_eq!((bins.width, bins.count), (2.0, 64));
        let bins = Bins::of((0.0, 127.0), true, 5);
        assert_eq!((bins.width, bins.count), (128.0, 1));
        let bins = Bins::of((0.0, 1.0), false, 64);
        assert_eq!((bins.width, bins.count), (0.25, 4));
    }

    #[test]
    fn floating_point_has_128_bins() {
        let bins = Bins::of((-1.0, 1.0), false, 2048);
        assert_eq!((bins.width, bins.count), (1.0 / 64.0, 128));
        assert_eq!(
            [-1.0, 0.0, 1.0, f64::NAN].map(|x| bins.bin(x)),
            [0, 64, 127, 0]
        );
        let one_value = Bins::of((0.5, 0.5), false, 2048);
        assert_eq!((one_value.count, one_value.bin(0.5)), (1, 0));
    }

    /// With 3 and 1 of four values, p = (7/10, 3/10); with 1 and 3, q = (3/10, 7/10).
    #[test]
    fn divergences_are_those_of_the_formula() {
        let by_hand = 0.7 * (0.7f64 / 0.3).ln() + 0.3 * (0.3f64 / 0.7).ln();
        assert!((divergence(&[3, 1], &[1, 3]) - by_hand).abs() < 1e-15);
        assert!((by_hand - 0.338_919).abs() < 1e-6);
        // The divergence is not symmetric: p = (9/10, 1/10), q = (1/2, 1/2).
        let by_hand = 0.9 * 1.8f64.ln() + 0.1 * 0.2f64.ln();
        assert!((divergence(&[4, 0], &[2, 2]) - by_hand).abs() < 1e-15);
        // Counts with other sums: p = (1/2, 1/2), q = (5/6, 1/6).
        let by_hand = 0.5 * 0.6f64.ln() + 0.5 * 3f64.ln();
        assert!((divergence(&[1, 1], &[2, 0]) - by_hand).abs() < 1e-15);
        assert_eq!(divergence(&[5, 0, 9], &[5, 0, 9]), 0.0);
    }
}
