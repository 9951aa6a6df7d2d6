//! The statistics of pairs of games between two players.
//!
//! The two games of a pair have the same opening, so they are not independent, and pairs are
//! counted. The formulas follow M. Van den Bergh, "Comments on normalized Elo" and "The generalized
//! sequential probability ratio test", as in OpenBench and fastchess.

use std::f64::consts::LN_10;

use serde::{Deserialize, Serialize};

use crate::matches::estimate::Estimate;

/// The number of pairs with each score: 0, ½, 1, 1½ and 2 points of the first player.
pub type Pentanomial = [u64; 5];

/// The number of standard deviations around the mean that contain 95 % of a normal distribution.
const DEVIATIONS: f64 = 1.959_963_984_540_054;

/// A probability for each share of the points that a pair can give: 0, ¼, ½, ¾, 1.
type Shares = [f64; 5];

fn share(outcome: usize) -> f64 {
    outcome as f64 / 4.0
}

fn pairs(counts: &Pentanomial) -> f64 {
    counts.iter().sum::<u64>() as f64
}

/// Mean and variance of a pair's share of the points.
fn moments(probabilities: &Shares) -> (f64, f64) {
    let expected = |of: &dyn Fn(f64) -> f64| -> f64 {
        let terms = probabilities.iter().enumerate();
        terms.map(|(outcome, p)| p * of(share(outcome))).sum()
    };
    let mean = expected(&|x| x);
    (mean, expected(&|x| (x - mean) * (x - mean)))
}

/// The mean share of points with its interval, and the variance of a pair's share; `None` if there
/// are no pairs.
fn points(counts: &Pentanomial) -> Option<(Estimate, f64)> {
    let all = pairs(counts);
    if all == 0.0 {
        return None;
    }
    let (value, variance) = moments(&counts.map(|count| count as f64 / all));
    let margin = DEVIATIONS * (variance / all).sqrt();
    let estimate = Estimate {
        value,
        interval: (variance > 0.0).then_some([value - margin, value + margin]),
    };
    Some((estimate, variance))
}

/// The Elo difference that gives an expected share of the points.
fn elo_of(points: f64) -> f64 {
    let points = points.clamp(0.0, 1.0);
    // For equal players this is zero, and not the negative zero of floating point.
    400.0 * (points / (1.0 - points)).log10()
}

/// The expected share of the points for an Elo difference.
fn points_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10.0_f64.powf(-elo / 400.0))
}

/// How many Elo the first player is stronger; `None` if there are no pairs.
#[must_use]
pub fn elo(counts: &Pentanomial) -> Option<Estimate> {
    let (points, _) = points(counts)?;
    Some(points.map(elo_of))
}

/// Normalised Elo for each standard deviation of a game's result.
const NORMALISED: f64 = 800.0 / LN_10;

/// The difference in normalised Elo; `None` if all pairs had the same score. Its unit is the
/// standard deviation of a game's result, so it tells how many games are needed to measure the
/// difference.
#[must_use]
pub fn normalised_elo(counts: &Pentanomial) -> Option<Estimate> {
    let (points, variance) = points(counts)?;
    if variance == 0.0 {
        return None;
    }
    // The mean of two games has half of the variance of a game.
    Some(points.map(|points| (points - 0.5) / (2.0 * variance).sqrt() * NORMALISED))
}

/// The unit in which the two hypotheses of a test are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Model {
    /// Normalised Elo, the model of OpenBench.
    Normalised,
    /// Logistic Elo.
    Logistic,
}

/// A sequential test of the hypothesis that the first player is `elo1` stronger against the
/// hypothesis that it is `elo0` stronger.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sprt {
    /// The smaller of the two differences.
    pub elo0: f64,
    /// The larger of the two differences.
    pub elo1: f64,
    /// The probability of accepting `elo1` though `elo0` is true.
    pub alpha: f64,
    /// The probability of accepting `elo0` though `elo1` is true.
    pub beta: f64,
    /// The unit of both differences.
    pub model: Model,
}

/// The hypothesis that a test has accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The hypothesis that the first player is only `elo0` stronger.
    Elo0,
    /// The hypothesis that the first player is `elo1` stronger.
    Elo1,
}

impl Sprt {
    /// The log-likelihood ratios at which `elo0` and `elo1` are accepted.
    #[must_use]
    pub fn bounds(&self) -> [f64; 2] {
        let Sprt { alpha, beta, .. } = self;
        [(beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln()]
    }

    /// The generalised log-likelihood ratio of these pairs; 0 if there are no pairs.
    #[must_use]
    pub fn llr(&self, counts: &Pentanomial) -> f64 {
        if pairs(counts) == 0.0 {
            return 0.0;
        }
        // A score that has not occurred is not impossible.
        let counts = counts.map(|count| (count as f64).max(1e-3));
        let all: f64 = counts.iter().sum();
        let seen = counts.map(|count| count / all);
        let [under0, under1] = [self.elo0, self.elo1].map(|elo| match self.model {
            Model::Logistic => most_likely_with_mean(&seen, points_of(elo)),
            Model::Normalised => {
                most_likely_with_deviations(&seen, elo / NORMALISED * 2.0_f64.sqrt())
            }
        });
        let terms = seen.iter().zip(under0.iter().zip(&under1));
        all * terms.map(|(p, (p0, p1))| p * (p1 / p0).ln()).sum::<f64>()
    }

    /// The hypothesis that these pairs accept; `None` if the test goes on.
    #[must_use]
    pub fn verdict(&self, counts: &Pentanomial) -> Option<Verdict> {
        let llr = self.llr(counts);
        let [low, high] = self.bounds();
        match llr {
            _ if llr <= low => Some(Verdict::Elo0),
            _ if llr >= high => Some(Verdict::Elo1),
            _ => None,
        }
    }
}

/// The distribution with this mean under which `seen` is most likely.
fn most_likely_with_mean(seen: &Shares, mean: f64) -> Shares {
    most_likely(seen, &std::array::from_fn(|i| share(i) - mean))
}

/// The distribution under which `seen` is most likely, among those whose mean is `deviations` of
/// their standard deviations above one half.
///
/// The constraint is not linear in the probabilities, so it is replaced by its tangent at the last
/// estimate, until the estimate does not change any more.
fn most_likely_with_deviations(seen: &Shares, deviations: f64) -> Shares {
    const ROUNDS: usize = 50;

    let mut estimate = [0.2; 5];
    for _ in 0..ROUNDS {
        let (mean, variance) = moments(&estimate);
        let deviation = variance.sqrt();
        let tangent = std::array::from_fn(|i| {
            let distance = (share(i) - mean) / deviation;
            share(i) - 0.5 - deviations * deviation * (1.0 + distance * distance) / 2.0
        });
        let next = most_likely(seen, &tangent);
        let moved = next.iter().zip(&estimate).map(|(a, b)| (a - b).abs());
        let is_settled = moved.fold(0.0, f64::max) < 1e-12;
        estimate = next;
        if is_settled {
            break;
        }
    }
    estimate
}

/// The distribution p under which `seen` is most likely, among those with Σ pᵢ·cᵢ = 0.
///
/// By Lagrange's method it is seenᵢ / (1 + x·cᵢ), where x is the root of Σ seenᵢ·cᵢ / (1 + x·cᵢ).
/// This sum falls everywhere between the poles on both sides of 0.
fn most_likely(seen: &Shares, constraint: &[f64; 5]) -> Shares {
    let least = constraint.iter().copied().fold(f64::INFINITY, f64::min);
    let most = constraint.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if least >= 0.0 || most <= 0.0 {
        // This happens only for hypotheses thousands of Elo away, which no distribution of scores
        // fulfils.
        return *seen;
    }
    let [mut low, mut high] = [-1.0 / most, -1.0 / least];
    for _ in 0..100 {
        let x = low.midpoint(high);
        let terms = seen.iter().zip(constraint);
        let slope: f64 = terms.map(|(p, c)| p * c / (1.0 + x * c)).sum();
        if slope > 0.0 { low = x } else { high = x }
    }
    let x = low.midpoint(high);
    std::array::from_fn(|i| seen[i] / (1.0 + x * constraint[i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BALANCED: Pentanomial = [10, 50, 120, 70, 14];
    const LOPSIDED: Pentanomial = [3, 10, 40, 30, 17];
    const MANY: Pentanomial = [400, 2400, 5000, 2500, 420];
    const ONLY_GOOD: Pentanomial = [0, 0, 5, 10, 5];

    #[track_caller]
    fn assert_close(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() < tolerance, "{found}, {expected}");
    }

    /// The expected numbers were computed in numpy from the definition: mean and variance of the
    /// shares, ± 1.959964 √(v/n), then -400 log₁₀(1/x - 1), or (x - ½)/√(2v) · 800/ln 10.
    #[test]
    fn elo_has_the_interval_of_its_definition() {
        for (counts, logistic, normalised) in [
            (
                BALANCED,
                [18.4419149, -0.3992664, 37.3921980],
                [29.0064564, -0.6285775, 58.6414903],
            ),
            (
                LOPSIDED,
                [85.0432372, 50.2045386, 121.6500901],
                [119.7579172, 71.6066868, 167.9091479],
            ),
            (
                MANY,
                [2.2687348, -0.6035711, 5.1413508],
                [3.6733460, -0.9772649, 8.3239568],
            ),
        ] {
            for (found, expected) in [
                (elo(&counts).unwrap(), logistic),
                (normalised_elo(&counts).unwrap(), normalised),
            ] {
                let Estimate { value, interval } = found;
                let [low, high] = interval.unwrap();
                for (found, expected) in [value, low, high].into_iter().zip(expected) {
                    assert_close(found, expected, 1e-6);
                }
            }
        }
    }

    #[test]
    fn few_pairs_have_no_bounds_and_no_pairs_have_no_elo() {
        assert_eq!(elo(&[0; 5]), None);
        assert_eq!(normalised_elo(&[0; 5]), None);
        assert_eq!(normalised_elo(&[0, 0, 7, 0, 0]), None);
        let all_won = elo(&[0, 0, 0, 0, 9]).unwrap();
        assert_eq!((all_won.value, all_won.interval), (f64::INFINITY, None));
        let [low, high] = elo(&[0, 0, 1, 0, 1]).unwrap().interval.unwrap();
        assert!(low.is_finite() && high == f64::INFINITY, "{low}, {high}");
    }

    #[test]
    fn pairs_of_one_score_have_no_interval() {
        for counts in [[0, 0, 0, 1, 0], [0, 9, 0, 0, 0], [0, 0, 7, 0, 0]] {
            let found = elo(&counts).unwrap();
            assert!(found.value.is_finite());
            assert_eq!(found.interval, None, "{counts:?}");
        }
    }

    /// The expected numbers were computed by maximising Σ nᵢ ln pᵢ numerically under each
    /// hypothesis (SLSQP of scipy, six starts), which shares neither the Lagrangian nor the
    /// tangents with the code.
    #[test]
    fn likelihood_ratios_are_those_of_a_numerical_maximum() {
        use Model::{Logistic, Normalised};

        for (counts, elo0, elo1, model, expected) in [
            (BALANCED, 0.0, 5.0, Normalised, 0.573108),
            (BALANCED, 0.0, 5.0, Logistic, 0.847773),
            (BALANCED, -5.0, 0.0, Normalised, 0.681750),
            (BALANCED, 0.0, 50.0, Logistic, -3.439537),
            (LOPSIDED, 0.0, 10.0, Normalised, 1.661320),
            (LOPSIDED, 0.0, 50.0, Normalised, 6.797495),
            (LOPSIDED, 0.0, 50.0, Logistic, 8.344648),
            (MANY, 0.0, 10.0, Normalised, -2.355311),
            (MANY, 0.0, 50.0, Normalised, -188.988000),
            (MANY, -5.0, 0.0, Logistic, 11.085573),
            (ONLY_GOOD, 0.0, 50.0, Normalised, 2.493568),
            (ONLY_GOOD, 0.0, 5.0, Logistic, 0.285731),
        ] {
            let test = sprt(elo0, elo1, model);
            assert_close(test.llr(&counts), expected, 2e-5 * expected.abs().max(1.0));
        }
    }

    fn sprt(elo0: f64, elo1: f64, model: Model) -> Sprt {
        Sprt {
            elo0,
            elo1,
            alpha: 0.05,
            beta: 0.05,
            model,
        }
    }

    #[test]
    fn a_test_decides_at_its_bounds() {
        let test = sprt(0.0, 10.0, Model::Normalised);
        // The bound is ln 19.
        assert_close(test.bounds()[1], 2.944439, 1e-6);
        assert_close(test.bounds()[0], -2.944439, 1e-6);
        assert_eq!(test.llr(&[0; 5]), 0.0);
        assert_eq!(test.verdict(&BALANCED), None);
        assert_eq!(
            test.verdict(&LOPSIDED.map(|count| 3 * count)),
            Some(Verdict::Elo1)
        );
        assert_eq!(
            test.verdict(&MANY.map(|count| 2 * count)),
            Some(Verdict::Elo0)
        );
        let uneven = Sprt {
            alpha: 0.01,
            beta: 0.2,
            ..test
        };
        // The bounds are ln(0.2 / 0.99) and ln(0.8 / 0.01).
        assert_close(uneven.bounds()[0], -1.599388, 1e-6);
        assert_close(uneven.bounds()[1], 4.382027, 1e-6);
    }

    #[test]
    fn the_other_player_has_the_negative() {
        let mut mirrored = LOPSIDED;
        mirrored.reverse();
        for model in [Model::Normalised, Model::Logistic] {
            let ours = sprt(-3.0, 8.0, model).llr(&LOPSIDED);
            let theirs = sprt(3.0, -8.0, model).llr(&mirrored);
            assert_close(ours, theirs, 1e-9);
        }
        let [[low, _], [_, high]] =
            [LOPSIDED, mirrored].map(|counts| elo(&counts).unwrap().interval.unwrap());
        assert_close(low, -high, 1e-9);
    }

    #[test]
    fn hypotheses_beyond_any_score_are_numbers_too() {
        for model in [Model::Normalised, Model::Logistic] {
            assert!(!sprt(0.0, 1e6, model).llr(&LOPSIDED).is_nan());
        }
    }
}
