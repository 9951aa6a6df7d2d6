//! The ways to choose the threshold of a range: the magnitude beyond which numbers are clipped.
//!
//! The divergence is that of Kullback and Leibler between the distributions before and after
//! quantisation. TensorRT and MXNet choose ranges by it. For a range of the first `n` bins, `P` is
//! the histogram of these bins, and its last bin also has all magnitudes beyond the range, as
//! clipping moves them there. `Q` is what the integers can represent of it. The bins of the range,
//! without the magnitudes beyond it, are divided into `levels` groups of the same length, as many
//! as there are integers. All bins of a group that are not empty in `P` get the same share of the
//! group's sum. `P` and `Q` are divided by their sums, and
//!
//! ```text
//! D(P || Q) = the sum of P[i] * ln(P[i] / Q[i]) over all i with P[i] > 0
//! ```
//!
//! where an empty `Q[i]` counts as one millionth. The range with the smallest divergence is chosen,
//! and the largest of several with the same divergence. Few levels for a wide range are coarse near
//! zero, so the divergence weighs errors of rounding against errors of clipping.

use std::fmt;

use super::histogram::Histogram;

/// The probability that stands for an empty bin of `Q`.
pub(super) const EMPTY: f64 = 1e-6;

/// How many thresholds are tried.
const ENDS: usize = 128;

/// A way to choose a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Method {
    /// The range of all numbers: nothing is clipped.
    MinMax,
    /// The smallest range that has this share of the numbers.
    Percentile(f64),
    /// The range with the smallest divergence.
    Divergence,
}

impl Method {
    pub(super) const ALL: [Method; 5] = [
        Method::MinMax,
        Method::Percentile(0.9999),
        Method::Percentile(0.999),
        Method::Percentile(0.99),
        Method::Divergence,
    ];

    /// The threshold of the range, for integers with `levels` levels from 0 up.
    pub(super) fn threshold(self, histogram: &Histogram, levels: usize) -> f64 {
        match self {
            Method::MinMax => histogram.largest,
            Method::Percentile(share) => histogram.percentile(share),
            Method::Divergence => of_least_divergence(histogram, levels),
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Method::MinMax => f.write_str("min-max"),
            // Rounding removes the digits in which a binary fraction differs from the share.
            Method::Percentile(share) => write!(f, "{} %", (share * 1e6).round() / 1e4),
            Method::Divergence => f.write_str("divergence"),
        }
    }
}

fn of_least_divergence(histogram: &Histogram, levels: usize) -> f64 {
    let used = histogram.used();
    let all: f64 = used.iter().sum();
    // If levels are as fine as the bins, clipping would only lose numbers.
    if levels >= used.len() || all <= 0.0 {
        return histogram.largest;
    }
    let step = (used.len() - levels).div_ceil(ENDS);
    // The largest range comes first: the first of equal divergences is chosen.
    let ends = (levels..=used.len()).rev().step_by(step);
    let divergences = ends.map(|end| (divergence(used, end, levels), end));
    let least = divergences.reduce(|best, next| if next.0 < best.0 { next } else { best });
    least.map_or(histogram.largest, |(_, end)| histogram.end(end - 1))
}

/// The divergence of the range of the first `end` bins, for this many levels.
fn divergence(bins: &[f64], end: usize, levels: usize) -> f64 {
    let (within, beyond) = bins.split_at(end);
    let mut p = within.to_vec();
    p[end - 1] += beyond.iter().sum::<f64>();
    let mut q = vec![0.0; end];
    for level in 0..levels {
        let group = level * end / levels..(level + 1) * end / levels;
        let sum: f64 = within[group.clone()].iter().sum();
        let filled = p[group.clone()]
            .iter()
            .filter(|share| **share > 0.0)
            .count();
        for bin in group.filter(|bin| p[*bin] > 0.0) {
            q[bin] = sum / filled as f64;
        }
    }
    let [of_p, of_q] = [&p, &q].map(|shares| shares.iter().sum::<f64>());
    let terms = p.iter().zip(&q).filter(|(p, _)| **p > 0.0).map(|(p, q)| {
        let (p, q) = (p / of_p, q / of_q.max(f64::MIN_POSITIVE));
        p * (p / q.max(EMPTY)).ln()
    });
    terms.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(numbers: impl Iterator<Item = (f64, f64)>) -> Histogram {
        let mut histogram = Histogram::new();
        numbers.for_each(|(number, weight)| histogram.add(number, weight));
        histogram
    }

    #[test]
    fn divergences_are_those_of_the_formula() {
        // Two levels of two bins: (3 1) (4 0) becomes (2 2) (4 0).
        let by_hand = 3.0 / 8.0 * 1.5f64.ln() + 1.0 / 8.0 * 0.5f64.ln();
        assert!((divergence(&[3.0, 1.0, 4.0, 0.0], 4, 2) - by_hand).abs() < 1e-15);
        // Four numbers are clipped: P is (3 5) / 8, and Q (3 1) / 4.
        let by_hand = 3.0 / 8.0 * 0.5f64.ln() + 5.0 / 8.0 * 2.5f64.ln();
        assert!((divergence(&[3.0, 1.0, 4.0, 0.0], 2, 2) - by_hand).abs() < 1e-15);
        // The clipped numbers fall into an empty bin: Q counts as a millionth there.
        let by_hand = 0.5 * 0.5f64.ln() + 0.5 * (0.5f64 / EMPTY).ln();
        assert!((divergence(&[4.0, 0.0, 4.0], 2, 2) - by_hand).abs() < 1e-12);
    }

    /// Evenly distributed numbers lose nothing by levels of the same width, and all by clipping.
    #[test]
    fn an_even_distribution_is_not_clipped() {
        let even = histogram((0..100_000).map(|n| (f64::from(n) / 1e5, 1.0)));
        let threshold = Method::Divergence.threshold(&even, 128);
        assert!(threshold > 0.99, "{threshold}");
    }

    /// In a bell with few numbers far outside, most levels would serve these few numbers.
    #[test]
    fn what_is_far_outside_is_clipped() {
        let bell = (-4000..=4000).map(|n| f64::from(n) / 1000.0);
        let bell = bell.map(|x| (x, (-x * x / 2.0).exp()));
        let with_outliers = histogram(bell.chain([(200.0, 1e-3), (-150.0, 1e-3)]));
        let threshold = Method::Divergence.threshold(&with_outliers, 128);
        assert!((2.0..=20.0).contains(&threshold), "{threshold}");
        assert_eq!(Method::MinMax.threshold(&with_outliers, 128), 200.0);
        // Integers that are finer than the bins clip nothing.
        assert_eq!(Method::Divergence.threshold(&with_outliers, 32768), 200.0);
    }

    #[test]
    fn names_are_those_of_the_table() {
        let names = Method::ALL.map(|method| method.to_string());
        assert_eq!(
            names,
            ["min-max", "99.99 %", "99.9 %", "99 %", "divergence"]
        );
    }
}
