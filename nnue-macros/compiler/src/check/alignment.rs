//! Brings values in which different integers stand for 1.0 to the same fixed point, in sums of
//! layers and in the output's sums.

use crate::diagnostics::{Diagnostic, Diagnostics, Span, Spanned};
use crate::network::{Align, One};
use crate::spec;

use super::value::{ONES, in_range, in_range_or, place};

/// The default number of bits of a multiplier, which is that of the weights.
const MULTIPLIER_BITS: u32 = 8;

/// The default of a multiplier's largest relative error: half of the multiplier's last bit.
const LARGEST_ERROR: f64 = 1.0 / 256.0;

/// An alignment that was checked: the `one` to which it brings values, and how it does so.
pub(crate) struct Method {
    pub(crate) one: u32,
    align: Option<Spanned<spec::Align>>,
    bits: u32,
    error: f64,
    /// The place of `one` in the spec, for messages.
    one_span: Span,
}

impl Method {
    /// Checks the keys of an alignment; `default_one` is the `one` of a spec that gives none, and
    /// `of_term` that of one of the terms.
    pub(crate) fn check(
        keys: &spec::Alignment,
        default_one: Option<u32>,
        of_term: Option<u32>,
        owner: (Span, &str),
        diagnostics: &mut Diagnostics,
    ) -> Option<Method> {
        let one = match (&keys.one, default_one) {
            (Some(one), _) => in_range("one", one, ONES, diagnostics)?,
            (None, Some(one)) => one,
            (None, None) => {
                diagnostics
                    .error(owner.0, format!("{} needs `one`", owner.1))
                    .help(match of_term {
                        Some(one) => format!("write what 1.0 is in the sum: `one = {one}`"),
                        None => "write what 1.0 is in the sum".into(),
                    });
                return None;
            }
        };
        let by_shift = matches!(&keys.align, Some(align) if align.value == spec::Align::Shift);
        let mut needless = keys
            .keys()
            .filter(|(key, _)| ["bits", "error"].contains(key));
        if let (false, Some((key, span))) = (by_shift, needless.next()) {
            diagnostics
                .error(span, format!("`{key}` needs `align = \"shift\"`"))
                .help("remove it, or say how the terms are aligned");
            return None;
        }
        let bits = keys.bits.as_ref();
        let bits = in_range_or("bits", bits, 1..=24, MULTIPLIER_BITS, diagnostics)?;
        let error = match &keys.error {
            Some(error) if !(0.0..1.0).contains(&error.value) => {
                let message = format!("`error` is {}, allowed are 0 to 1", error.value);
                diagnostics.error(error.span, message);
                return None;
            }
            Some(error) => error.value,
            None => LARGEST_ERROR,
        };
        Some(Method {
            one,
            align: keys.align.clone(),
            bits,
            error,
            one_span: keys.one.as_ref().map_or(owner.0, |one| one.span),
        })
    }

    /// How values with these `ones` are brought to [`Method::one`]. Reports `ones` that differ from
    /// it where the spec does not say how the values are aligned.
    pub(crate) fn align(
        &self,
        ones: &One,
        term: (Span, &str),
        diagnostics: &mut Diagnostics,
    ) -> Option<Align> {
        let ones = match ones {
            One::Tensor(one) if *one == self.one => return Some(Align::None),
            One::Tensor(one) => vec![*one],
            One::Channels(ones) => ones.clone(),
        };
        let factors: Vec<_> = ones.iter().map(|one| reduced(self.one, *one)).collect();
        match &self.align {
            None => {
                let (align, factor) = (spec::Align::Exact, fraction(factors[0]));
                self.report_different(&ones, term, diagnostics).help(format!(
                    "`align = \"{align}\"` multiplies by {factor} in 64 bits and rounds towards zero"
                ));
                None
            }
            Some(align) => match align.value {
                spec::Align::Exact => Some(Align::Exact(factors)),
                spec::Align::Shift => self.by_shift(&factors, align.span, diagnostics),
            },
        }
    }

    /// Whether the spec says how terms with other ones are aligned.
    pub(crate) fn is_aligned(&self) -> bool {
        self.align.is_some()
    }

    /// Reports a term in which other integers stand for 1.0 than in the sum.
    pub(crate) fn report_different<'d>(
        &self,
        ones: &[u32],
        (span, name): (Span, &str),
        diagnostics: &'d mut Diagnostics,
    ) -> &'d mut Diagnostic {
        let one = self.one;
        let factor = ones.first().map(|first| fraction(reduced(one, *first)));
        let found = match ones {
            [one] => format!("{one}"),
            [first, ..] => format!("{first} and others"),
            [] => String::new(),
        };
        let message =
            format!("terms with different ones: 1.0 is {found} in `{name}` and {one} in the sum");
        diagnostics
            .error(span, message)
            .label(format!(
                "the factor between them is {}",
                factor.unwrap_or_default()
            ))
            .related(self.one_span, format!("{one} stands for 1.0"))
    }

    /// The alignment by multipliers of few bits, all with the same shift: `x * multiplier >>
    /// shift`.
    fn by_shift(
        &self,
        factors: &[(i64, i64)],
        span: Span,
        diagnostics: &mut Diagnostics,
    ) -> Option<Align> {
        let approximations: Vec<_> = factors
            .iter()
            .map(|factor| approximation(*factor, self.bits))
            .collect();
        for (factor, (multiplier, shift)) in factors.iter().zip(&approximations) {
            let exact = factor.0 as f64 / factor.1 as f64;
            let error = (*multiplier as f64 / 2f64.powi(*shift) / exact - 1.0).abs();
            if error > self.error {
                let (numerator, denominator) = factor;
                let message = format!(
                    "{multiplier} / 2^{shift} misses {numerator}/{denominator} by one part in {:.0}, allowed is one in {:.0}",
                    1.0 / error,
                    1.0 / self.error
                );
                diagnostics
                    .error(span, message)
                    .help("allow more `bits` or a larger `error`, or write `align = \"exact\"`");
                return None;
            }
        }
        let shift = approximations.iter().map(|(_, shift)| *shift).max()?.max(0);
        let multipliers: Vec<i64> = approximations
            .iter()
            .map(|(multiplier, own)| multiplier << (shift - own))
            .collect();
        // `x` has 32 bits and the product must fit in 64. The `one`s of real nets are far from this
        // limit.
        if shift > 62 || multipliers.iter().any(|multiplier| *multiplier > 1 << 31) {
            let message = "the ones are too far apart to align them by a multiplier and a shift";
            diagnostics.error(span, message);
            return None;
        }
        Some(Align::Shift {
            multipliers,
            shift: shift as u32,
        })
    }
}

/// The `multiplier / 2^shift` nearest to a factor, where the multiplier has at most `bits` bits and
/// is odd or 1.
fn approximation((numerator, denominator): (i64, i64), bits: u32) -> (i64, i32) {
    // Both numbers have 32 bits and a multiplier has at most 24, so everything here fits in 128
    // bits.
    let (numerator, denominator) = (i128::from(numerator), i128::from(denominator));
    let limit = 1i128 << bits;
    let scaled = |shift: i32| {
        let (n, d) = if shift >= 0 {
            (numerator << shift, denominator)
        } else {
            (numerator, denominator << -shift)
        };
        (2 * n + d) / (2 * d)
    };
    let mut shift = 62;
    while scaled(shift) >= limit {
        shift -= 1;
    }
    let mut multiplier = scaled(shift).max(1);
    while multiplier % 2 == 0 {
        multiplier /= 2;
        shift -= 1;
    }
    (multiplier as i64, shift)
}

/// A fraction in lowest terms as messages write it.
fn fraction(factor: (i64, i64)) -> String {
    match factor {
        (numerator, 1) => numerator.to_string(),
        (numerator, denominator) => format!("{numerator}/{denominator}"),
    }
}

/// The fraction `numerator / denominator` in lowest terms.
pub(crate) fn reduced(numerator: u32, denominator: u32) -> (i64, i64) {
    let (mut a, mut b) = (numerator, denominator);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    (i64::from(numerator / a), i64::from(denominator / a))
}

impl spec::Alignment {
    /// The keys of the alignment that the spec gives, each with its place in the spec.
    pub(crate) fn keys(&self) -> impl Iterator<Item = (&'static str, Span)> {
        let keys = [
            place("one", &self.one),
            place("align", &self.align),
            place("bits", &self.bits),
            place("error", &self.error),
        ];
        keys.into_iter().flatten()
    }
}
