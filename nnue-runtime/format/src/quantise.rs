//! The conversion of floating point to integers, and of integers back to floating point.

use core::fmt;

use crate::Element;

/// Numbers of at least this magnitude have no fractions. `i64` holds all smaller numbers.
const NO_FRACTIONS: f64 = (1i64 << 52) as f64;

/// The conversion of floating point to integers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantise {
    /// The integer that stands for 1.0.
    pub factor: f64,
    /// The treatment of fractions.
    pub rounding: Rounding,
    /// The treatment of integers that do not fit.
    pub overflow: Overflow,
    /// The type of integers that must hold the result.
    pub element: Element,
}

/// The treatment of fractions when floating point becomes integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// Fractions are cut off.
    Truncate,
    /// Numbers become the nearest integer. Halves become the integer that is farther from zero.
    Nearest,
}

/// The treatment of integers that their type does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// The file is refused.
    Refuse,
    /// The integers become the smallest or the largest integer of the type.
    Clamp,
}

/// The integers that memory can hold in the place of a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// The integer that stands for 1.0, for values that are quantised; or the factor of integers.
    pub factor: Option<f64>,
    /// The smallest and the largest integer that are allowed.
    pub allowed: (i32, i32),
}

impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Overflow::Refuse => "refuse",
            Overflow::Clamp => "clamp",
        })
    }
}

impl fmt::Display for Rounding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rounding::Truncate => "truncate",
            Rounding::Nearest => "nearest",
        })
    }
}

impl Quantise {
    /// The integer that a number becomes.
    #[must_use]
    pub fn apply(&self, number: f64) -> f64 {
        rounded(number * self.factor, self.rounding)
    }

    /// A number of the file's type for which [`Self::apply`] gives `value`, if there is such a
    /// number near the quotient.
    pub(crate) fn undo(&self, value: f64, stored: Element) -> f64 {
        let numbers = stored.nearest(value / self.factor);
        let found = numbers
            .into_iter()
            .find(|number| self.apply(*number) == value);
        found.unwrap_or(numbers[0])
    }
}

/// A number as an integer.
pub(crate) fn rounded(number: f64, rounding: Rounding) -> f64 {
    if number.abs() >= NO_FRACTIONS {
        return number;
    }
    let truncated = number as i64 as f64;
    let fraction = number - truncated;
    match rounding {
        Rounding::Nearest if fraction >= 0.5 => truncated + 1.0,
        Rounding::Nearest if fraction <= -0.5 => truncated - 1.0,
        _ => truncated,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: [Rounding; 2] = [Rounding::Truncate, Rounding::Nearest];

    fn quantise(factor: f64, rounding: Rounding) -> Quantise {
        Quantise {
            factor,
            rounding,
            overflow: Overflow::Refuse,
            element: Element::I8,
        }
    }

    #[test]
    fn fractions_are_cut_off_or_rounded_away_from_zero() {
        for (number, truncated, nearest) in [
            (0.5, 0.0, 1.0),
            (-0.5, 0.0, -1.0),
            (0.499_999_999_999_999_94, 0.0, 0.0),
            (-2.5, -2.0, -3.0),
            (126.999, 126.0, 127.0),
            (-127.2, -127.0, -127.0),
            (
                4_503_599_627_370_497.0,
                4_503_599_627_370_497.0,
                4_503_599_627_370_497.0,
            ),
        ] {
            let found = BOTH.map(|rounding| quantise(1.0, rounding).apply(number));
            assert_eq!(found, [truncated, nearest], "{number}");
        }
    }

    #[test]
    fn the_product_is_rounded_not_the_number() {
        let quantise = quantise(64.0, Rounding::Nearest);
        // Single precision would give 65 for the second number.
        assert_eq!(quantise.apply(1.0 / 128.0), 1.0);
        assert_eq!(quantise.apply(f64::from(1.007_812_4f32)), 64.0);
    }

    #[test]
    fn what_is_written_is_quantised_to_the_same() {
        for factor in [255.0, 64.0, 16320.0, 9600.0 / 127.0, 0.3] {
            for rounding in BOTH {
                let quantise = quantise(factor, rounding);
                for value in (-40_000..40_000)
                    .chain([1 << 22, -(1 << 22)])
                    .map(f64::from)
                {
                    assert_eq!(
                        quantise.apply(quantise.undo(value, Element::F32)),
                        value,
                        "{quantise:?}"
                    );
                }
            }
        }
    }
}
