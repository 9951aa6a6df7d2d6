//! Checks of single values, which can be in any table.

use std::ops::RangeInclusive;

use crate::diagnostics::{Diagnostics, LONGEST_NAME, Span, Spanned, all};

/// The integers that can stand for 1.0 in sums.
pub(crate) const ONES: RangeInclusive<i64> = 1..=i32::MAX as i64;

/// Reports a name that is too long to be an identifier, or to stand in a table.
pub(crate) fn check_length(name: &Spanned<String>, diagnostics: &mut Diagnostics) -> Option<()> {
    match allowed_length(&name.value) {
        Ok(()) => Some(()),
        Err(message) => {
            diagnostics.error(name.span, message);
            None
        }
    }
}

/// Refuses the names that [`check_length`] reports.
pub(crate) fn allowed_length(name: &str) -> Result<(), String> {
    match name.chars().count() {
        0..=LONGEST_NAME => Ok(()),
        found => Err(format!(
            "`name` has {found} characters, allowed are at most {LONGEST_NAME}"
        )),
    }
}

/// The value as a number of the range. Reports a value outside of it.
pub(crate) fn in_range(
    key: &str,
    value: &Spanned<i64>,
    allowed: RangeInclusive<i64>,
    diagnostics: &mut Diagnostics,
) -> Option<u32> {
    let value = in_wide_range(key, value, allowed, diagnostics)?;
    u32::try_from(value).ok()
}

/// [`in_range`] for numbers of more than 32 bits.
pub(crate) fn in_wide_range(
    key: &str,
    value: &Spanned<i64>,
    allowed: RangeInclusive<i64>,
    diagnostics: &mut Diagnostics,
) -> Option<i64> {
    if allowed.contains(&value.value) {
        return Some(value.value);
    }
    let (low, high) = (allowed.start(), allowed.end());
    let message = format!("`{key}` is {}, allowed are {low} to {high}", value.value);
    diagnostics.error(value.span, message);
    None
}

/// [`in_range`] for a key that may be left out, which then has the value `default`.
pub(crate) fn in_range_or(
    key: &str,
    value: Option<&Spanned<i64>>,
    allowed: RangeInclusive<i64>,
    default: u32,
    diagnostics: &mut Diagnostics,
) -> Option<u32> {
    value.map_or(Some(default), |value| {
        in_range(key, value, allowed, diagnostics)
    })
}

/// The value in the spec, or `default` if the spec leaves the key out.
pub(crate) fn value_or<T: Copy>(value: &Option<Spanned<T>>, default: T) -> T {
    value.as_ref().map_or(default, |spanned| spanned.value)
}

/// The factor as an `f32`. Reports a factor that `f32` cannot hold.
pub(crate) fn check_scale(scale: &Spanned<f64>, diagnostics: &mut Diagnostics) -> Option<f32> {
    let rounded = scale.value as f32;
    if !rounded.is_normal() {
        let message = format!(
            "`scale` is {}, expected a number that `f32` holds and that is not 0",
            scale.value
        );
        diagnostics.error(scale.span, message);
        return None;
    }
    Some(rounded)
}

/// The entries of a list of buckets as numbers. Reports entries that are not between 0 and
/// `largest`.
pub(crate) fn check_buckets(
    key: &str,
    entries: &[Spanned<i64>],
    largest: i64,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<u8>> {
    all(entries.iter().enumerate().map(|(index, entry)| {
        let bucket = in_range(&format!("{key}[{index}]"), entry, 0..=largest, diagnostics);
        bucket.map(|bucket| bucket as u8)
    }))
}

/// A key with its place, if the spec gives it.
pub(crate) fn place<T>(
    key: &'static str,
    value: &Option<Spanned<T>>,
) -> Option<(&'static str, Span)> {
    value.as_ref().map(|spanned| (key, spanned.span))
}
