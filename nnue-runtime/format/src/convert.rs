//! Converts the numbers of a file to those of memory, and back.
//!
//! Numbers are passed as `f64`, which holds each `i32` and each `f32` exactly.

use crate::quantise::rounded;
use crate::{Form, Limits, Overflow, Rounding, Tensor};

/// The reason why a value cannot be loaded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Misfit {
    /// The value is infinite or not a number.
    NotFinite,
    /// The type in memory does not hold the value.
    OutOfRange,
}

impl Tensor {
    /// A value of the file, as memory has it.
    pub(crate) fn to_memory(&self, stored: f64) -> Result<f64, Misfit> {
        if !stored.is_finite() {
            return Err(Misfit::NotFinite);
        }
        let value = match &self.stored.quantise {
            Some(quantise) => quantise.apply(stored),
            None => stored / self.stored.divisor.unwrap_or(1.0),
        };
        let value = value * f64::from(self.stored.times);
        let Some((low, high)) = self.limits() else {
            return Ok(value);
        };
        let fitting = value.clamp(low.into(), high.into());
        match self.clamps() {
            false if value != fitting => Err(Misfit::OutOfRange),
            _ => Ok(fitting),
        }
    }

    /// Whether values that do not fit become the nearest values that do. Otherwise they are
    /// refused.
    pub(crate) fn clamps(&self) -> bool {
        let quantise = self.stored.quantise;
        quantise.is_some_and(|quantise| quantise.overflow == Overflow::Clamp)
    }

    /// Whether a value of the file became another value because it did not fit.
    pub(crate) fn is_clamped(&self, stored: f64) -> bool {
        let quantised = self.stored.quantise.map(|quantise| quantise.apply(stored));
        let value = quantised.map(|quantised| quantised * f64::from(self.stored.times));
        self.clamps() && value != self.to_memory(stored).ok()
    }

    /// The smallest and the largest integer that a value may become. Memory holds both, whatever
    /// the file is quantised to. `None` if memory holds any value.
    pub(crate) fn limits(&self) -> Option<(i32, i32)> {
        if self.placed.form == Form::Bits {
            return None;
        }
        let memory = self.placed.element.limits();
        let quantised = self
            .stored
            .quantise
            .and_then(|quantise| quantise.element.limits())
            .map(|(low, high)| {
                // No type has more than 31 bits besides its sign.
                let times = |end: i32| end.saturating_mul(self.stored.times as i32);
                (times(low), times(high))
            });
        match (quantised, memory) {
            (Some((low, high)), Some((least, most))) => Some((low.max(least), high.min(most))),
            (Some(limits), None) | (None, Some(limits)) => Some(limits),
            (None, None) => None,
        }
    }

    /// [`Self::limits`] for messages, with the integer that stands for 1.0.
    pub(crate) fn limits_of_values(&self) -> Limits {
        Limits {
            factor: match self.stored.quantise {
                Some(quantise) => Some(quantise.factor),
                None => (self.stored.times > 1).then(|| self.stored.times.into()),
            },
            allowed: self.limits().unwrap_or_default(),
        }
    }

    /// A value of memory, as the file may have had it. For quantised tensors, this is a number that
    /// becomes the value. Integers that became floating point are found again, although the
    /// quotient was rounded to `f32`. No file has a value that is no multiple of the tensor's
    /// factor: its quotient is rounded.
    pub(crate) fn to_stored(&self, value: f64) -> f64 {
        let value = match self.stored.times {
            1 => value,
            times => rounded(value / f64::from(times), Rounding::Nearest),
        };
        match &self.stored.quantise {
            Some(quantise) => quantise.undo(value, self.stored.element),
            None => match self.stored.divisor {
                Some(divisor) => rounded(value * divisor, Rounding::Nearest),
                None => value,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Element, Encoding, Quantise, Role, Section};

    fn quantise(factor: f64, rounding: Rounding) -> Quantise {
        Quantise {
            factor,
            rounding,
            overflow: Overflow::Refuse,
            element: Element::I8,
        }
    }

    fn to_i8(quantise: Option<Quantise>) -> Tensor {
        let Section::Tensor(mut tensor) = Section::same(
            Role::Weights(0),
            "weights",
            Element::I8,
            Encoding::Raw,
            0,
            [1, 1],
        ) else {
            unreachable!()
        };
        tensor.stored.quantise = quantise;
        tensor
    }

    #[test]
    fn values_beyond_the_type_are_refused() {
        let truncate = to_i8(Some(quantise(64.0, Rounding::Truncate)));
        let nearest = to_i8(Some(quantise(64.0, Rounding::Nearest)));
        assert_eq!(truncate.to_memory(1.999), Ok(127.0));
        assert_eq!(nearest.to_memory(1.999), Err(Misfit::OutOfRange));
        assert_eq!(truncate.to_memory(-2.015), Ok(-128.0));
        assert_eq!(nearest.to_memory(-2.015), Err(Misfit::OutOfRange));
        assert_eq!(to_i8(None).to_memory(128.0), Err(Misfit::OutOfRange));
        // The type in memory limits the values too, where the type of the file is wider.
        let wider = to_i8(Some(Quantise {
            element: Element::I16,
            ..quantise(64.0, Rounding::Truncate)
        }));
        assert_eq!(wider.to_memory(1.999), Ok(127.0));
        assert_eq!(wider.to_memory(2.0), Err(Misfit::OutOfRange));
        for number in [f64::NAN, f64::INFINITY] {
            assert_eq!(nearest.to_memory(number), Err(Misfit::NotFinite));
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
        // The type in memory limits the values where the other type is wider.
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
            assert_eq!(tensor.to_memory(f64::INFINITY), Err(Misfit::NotFinite));
        }
    }

    #[test]
    fn integers_that_the_network_has_several_times_must_fit_in_it() {
        let mut tensor = to_i8(None);
        tensor.stored = tensor.stored.times(3);
        for (stored, memory) in [(42.0, 126.0), (-42.0, -126.0), (0.0, 0.0)] {
            assert_eq!(tensor.to_memory(stored), Ok(memory));
            assert_eq!(tensor.to_stored(memory), stored);
        }
        for stored in [43.0, -43.0, 127.0] {
            assert_eq!(tensor.to_memory(stored), Err(Misfit::OutOfRange));
        }
        assert!(!tensor.is_same() && to_i8(None).is_same());
        let limits = tensor.limits_of_values();
        assert_eq!((limits.factor, limits.allowed), (Some(3.0), (-128, 127)));
    }

    #[test]
    fn integers_are_found_again_in_rounded_quotients() {
        let Section::Tensor(mut tensor) = Section::same(
            Role::Biases(0),
            "biases",
            Element::F32,
            Encoding::Raw,
            0,
            [1, 1],
        ) else {
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
