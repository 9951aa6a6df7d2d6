//! Estimates of the difference in strength between two players, and their texts.

use std::fmt;

/// An estimate of a difference in Elo, logistic or normalised.
///
/// The text is that of `short`, with the ends of the interval if there is an interval:
/// `+85.0 ± 35.7 (+50.2 to +121.7)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The estimate itself; infinite if all games were won, or all were lost.
    pub value: f64,
    /// The ends of the interval that contains the true value with a probability of 95 %; `None` if
    /// all pairs had the same score, which tells nothing about the variance. An end without a bound
    /// is infinite.
    pub interval: Option<[f64; 2]>,
}

impl Estimate {
    /// The estimate of a quantity that increases with this estimate.
    pub(crate) fn map(self, of: impl Fn(f64) -> f64) -> Estimate {
        Estimate {
            value: of(self.value),
            interval: self.interval.map(|ends| ends.map(of)),
        }
    }

    /// The estimate with half the width of its interval, such as `+85.0 ± 35.7`. An infinite
    /// estimate has no interval in its text.
    pub(crate) fn short(&self) -> String {
        let value = number(self.value);
        if self.value.is_infinite() {
            value
        } else {
            format!("{value} ± {}", margin(self.interval))
        }
    }
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.short())?;
        match self.interval {
            Some([low, high]) if self.value.is_finite() => {
                write!(f, " ({} to {})", number(low), number(high))
            }
            _ => Ok(()),
        }
    }
}

/// The text of half an interval's width, or a note that there is no interval.
fn margin(interval: Option<[f64; 2]>) -> String {
    interval.map_or("?".into(), |[low, high]| {
        number((high - low) / 2.0).trim_start_matches('+').into()
    })
}

fn number(value: f64) -> String {
    match value {
        f64::INFINITY => "+∞".into(),
        f64::NEG_INFINITY => "-∞".into(),
        // A number that is rounded to zero has no minus, like zero itself.
        _ if value <= 0.0 && value > -0.05 => "+0.0".into(),
        _ => format!("{value:+.1}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matches::statistics::elo;

    #[test]
    fn estimates_have_their_interval_if_there_is_one() {
        let text = |pentanomial| elo(&pentanomial).unwrap().to_string();
        let lopsided = text([3, 10, 40, 30, 17]);
        assert_eq!(lopsided, "+85.0 ± 35.7 (+50.2 to +121.7)");
        assert_eq!(text([0, 0, 1, 0, 9]), "+511.5 ± ∞ (+311.1 to +∞)");
        assert_eq!(text([7, 0, 0, 0, 0]), "-∞");
        assert_eq!(text([0, 0, 7, 0, 0]), "+0.0 ± ?");
        assert_eq!(text([0, 0, 0, 1, 0]), "+190.8 ± ?");
    }

    #[test]
    fn nothing_is_below_zero_by_nothing() {
        for value in [0.0, -0.0, -0.04, 0.04, -1e-300] {
            assert_eq!(number(value), "+0.0", "{value}");
        }
        assert_eq!(
            (number(-0.06), number(0.06)),
            ("-0.1".into(), "+0.1".into())
        );
        let even = elo(&[1, 0, 2, 0, 1]).unwrap();
        assert!(even.value.is_sign_positive(), "JSON would have -0.0");
    }
}
