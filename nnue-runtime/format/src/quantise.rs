//! From the numbers of a file to those of memory, and back.
//!
//! Values travel as `f64`, which holds each `i32` and each `f32` exactly.

use core::fmt;

use crate::{Element, Form, Limits, Tensor};

/// Numbers from here on are integers; `i64` holds those below.
const NO_FRACTIONS: f64 = (1i64 << 52) as f64;

/// How floating point becomes integers.
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
    /// They are cut off.
    Truncate,
    /// To the nearest integer, halves away from zero.
    Nearest,
}

/// The treatment of integers that their type does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// The file is refused.
    Refuse,
    /// They become the smallest or the largest that the type holds.
    Clamp,
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

/// Why a value cannot be loaded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Unfit {
    /// It is infinite or no number.
    NotFinite,
    /// Memory's type does not hold it.
    OutOfRange,
}

impl Tensor {
    /// A value of the file, as memory has it.
    pub(crate) fn to_memory(&self, stored: f64) -> Result<f64, Unfit> {
        if !stored.is_finite() {
            return Err(Unfit::NotFinite);
        }
        let value = match &self.stored.quantise {
            Some(quantise) => quantise.apply(stored),
            None => stored / self.stored.divisor,
        };
        let Some((low, high)) = self.limits() else {
            return Ok(value);
        };
        let fitting = value.clamp(low.into(), high.into());
        match self.clamps() {
            false if value != fitting => Err(Unfit::OutOfRange),
            _ => Ok(fitting),
        }
    }

    /// Whether values that do not fit become the nearest that do.
    pub(crate) fn clamps(&self) -> bool {
        let quantise = self.stored.quantise;
        quantise.is_some_and(|quantise| quantise.overflow == Overflow::Clamp)
    }

    /// Whether a value of the file became another one because it did not fit.
    pub(crate) fn is_clamped(&self, stored: f64) -> bool {
        let quantised = self.stored.quantise.map(|quantise| quantise.apply(stored));
        self.clamps() && quantised != self.to_memory(stored).ok()
    }

    /// The smallest and the largest integer that a value may become, which memory holds whatever
    /// the file is quantised to; `None` where memory has room for any.
    pub(crate) fn limits(&self) -> Option<(i32, i32)> {
        if self.placed.form == Form::Bits {
            return None;
        }
        let memory = self.placed.element.limits();
        let quantised = self
            .stored
            .quantise
            .and_then(|quantise| quantise.element.limits());
        match (quantised, memory) {
            (Some((low, high)), Some((least, most))) => Some((low.max(least), high.min(most))),
            (Some(limits), None) | (None, Some(limits)) => Some(limits),
            (None, None) => None,
        }
    }

    /// The same for messages, with what stands for 1.0.
    pub(crate) fn limits_of_values(&self) -> Limits {
        Limits {
            factor: self.stored.quantise.map(|quantise| quantise.factor),
            allowed: self.limits().unwrap_or_default(),
        }
    }

    /// A value of memory, as the file may have had it: for quantised tensors, some number that
    /// becomes the value. Integers that became floating point are found again, although the
    /// quotient was rounded to `f32`.
    pub(crate) fn to_stored(&self, value: f64) -> f64 {
        match &self.stored.quantise {
            Some(quantise) => quantise.undo(value, self.stored.element),
            None if self.stored.divisor == 1.0 => value,
            None => rounded(value * self.stored.divisor, Rounding::Nearest),
        }
    }
}

impl Quantise {
    /// The integer for a number.
    #[must_use]
    pub fn apply(&self, number: f64) -> f64 {
        rounded(number * self.factor, self.rounding)
    }

    /// A number of a file's type for which [`Self::apply`] gives `value`, if there is one near the
    /// quotient.
    fn undo(&self, value: f64, stored: Element) -> f64 {
        let numbers = stored.nearest(value / self.factor);
        let found = numbers
            .into_iter()
            .find(|number| self.apply(*number) == value);
        found.unwrap_or(numbers[0])
    }
}

fn rounded(number: f64, rounding: Rounding) -> f64 {
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
    use crate::{Encoding, Section};

    const BOTH: [Rounding; 2] = [Rounding::Truncate, Rounding::Nearest];

    fn quantise(factor: f64, rounding: Rounding) -> Quantise {
        Quantise {
            factor,
            rounding,
            overflow: Overflow::Refuse,
            element: Element::I8,
        }
    }

    fn to_i8(quantise: Option<Quantise>) -> Tensor {
        let Section::Tensor(mut tensor) =
            Section::same("weights", Element::I8, Encoding::Raw, 0, [1, 1])
        else {
            unreachable!()
        };
        tensor.stored.quantise = quantise;
        tensor
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
        // Single precision would give 65 for the second.
        assert_eq!(quantise.apply(1.0 / 128.0), 1.0);
        assert_eq!(quantise.apply(f64::from(1.007_812_4f32)), 64.0);
    }

    #[test]
    fn values_beyond_the_type_are_refused() {
        let truncate = to_i8(Some(quantise(64.0, Rounding::Truncate)));
        let nearest = to_i8(Some(quantise(64.0, Rounding::Nearest)));
        assert_eq!(truncate.to_memory(1.999), Ok(127.0));
        assert_eq!(nearest.to_memory(1.999), Err(Unfit::OutOfRange));
        assert_eq!(truncate.to_memory(-2.015), Ok(-128.0));
        assert_eq!(nearest.to_memory(-2.015), Err(Unfit::OutOfRange));
        assert_eq!(to_i8(None).to_memory(128.0), Err(Unfit::OutOfRange));
        // Memory's type counts too, where the other is wider.
        let wider = to_i8(Some(Quantise {
            element: Element::I16,
            ..quantise(64.0, Rounding::Truncate)
        }));
        assert_eq!(wider.to_memory(1.999), Ok(127.0));
        assert_eq!(wider.to_memory(2.0), Err(Unfit::OutOfRange));
        for number in [f64::NAN, f64::INFINITY] {
            assert_eq!(nearest.to_memory(number), Err(Unfit::NotFinite));
        }
    }

    #[test]
    fn values_beyond_the_type_are_clamped_where_that_is_said() {
        let clamp = |element| {
            to_i8(Some(Quantise {
                overflow: Overflow::Clamp,
                element,
                ..quantise(64.0, Rounding::Nearest)
            }))
        };
        // Memory's type counts where the other is wider.
        for tensor in [clamp(Element::I8), clamp(Element::I16)] {
            for (number, memory, clamped) in [
                (1.984_375, 127.0, false),
                (1.992, 127.0, false),
                (1.993, 127.0, true),
                (-2.0, -128.0, false),
                (-1e30, -128.0, true),
            ] {
                assert_eq!(tensor.to_memory(number), Ok(memory), "{number}");
                assert_eq!(tensor.is_clamped(number), clamped, "{number}");
            }
            assert_eq!(tensor.to_memory(f64::INFINITY), Err(Unfit::NotFinite));
        }
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

    #[test]
    fn integers_are_found_again_in_rounded_quotients() {
        let Section::Tensor(mut tensor) =
            Section::same("biases", Element::F32, Encoding::Raw, 0, [1, 1])
        else {
            unreachable!()
        };
        tensor.stored.element = Element::I16;
        for divisor in [1.0, 3.0, 75.5, 1024.0, 8128.0, 2_147_483_647.0] {
            tensor.stored = tensor.stored.divided_by(divisor);
            for integer in i16::MIN..=i16::MAX {
                let value = tensor.to_memory(integer.into());
                let rounded = value.map(|value| f64::from(value as f32));
                assert_eq!(
                    rounded,
                    Ok(f64::from((f64::from(integer) / divisor) as f32))
                );
                let stored = rounded.map(|value| tensor.to_stored(value));
                assert_eq!(stored, Ok(integer.into()), "{integer} / {divisor}");
            }
        }
    }
}
