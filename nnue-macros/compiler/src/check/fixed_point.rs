//! Checks of fixed point: whether a shift takes the integer that stands for 1.0 before it to the
//! integer that stands for 1.0 after it, and whether a limit lets 1.0 pass. A shift that does not
//! fit is the most common mistake in a spec. Nothing but bad play shows it, so it is an error.

use crate::diagnostics::{Diagnostics, Span, Spanned};

/// The largest result of an activation or of a product. Values may exceed the integer that stands
/// for 1.0 by one part in 64, and 32 bits hold them too.
pub(crate) const LARGEST_RESULT: i64 = 1 << 30;

/// The largest shifts of values to the right and to the left, in bits.
const MOST_RIGHT: i32 = 31;
pub(crate) const MOST_LEFT: i32 = 16;

/// How errors about a small limit name the key that allows it.
pub(crate) const CLIPS_ONE: &str = "`clips_one = true` says that it is meant";

/// Reports `clips_one` of a spec whose values are not clipped below 1.0.
pub(crate) fn check_clips_one(
    key: Option<&Spanned<bool>>,
    clips_one: bool,
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    let problem = match key {
        Some(key) if !key.value => "`clips_one` is false, expected true",
        Some(_) if !clips_one => "`clips_one` where 1.0 is not clipped",
        _ => return Some(()),
    };
    diagnostics
        .error(key?.span, problem)
        .help("it is for a `limit` below 63/64 of what 1.0 is: remove it");
    None
}

/// The smallest limit that lets 1.0 pass, where the integer `one` stands for it.
pub(crate) fn least_limit(one: u32) -> u32 {
    one - one / TOLERANCE
}

/// A value may be wrong by less than one part in this number, because values in real engines are
/// wrong by as much.
const TOLERANCE: u32 = 64;

/// The kind of number that is shifted.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Operand {
    /// A value of a layer.
    Value,
    /// A value that is clipped at the integer that stands for 1.0, because the spec gives no other
    /// limit.
    ClippedValue,
    /// A square, or another product.
    Square,
}

/// The number to which a shift is applied.
pub(crate) struct ShiftedNumber {
    /// The integer that stands for 1.0 in the number.
    pub(crate) one: u64,
    /// The formula of that integer, for errors.
    pub(crate) formula: String,
    /// The label of errors at the place of that integer.
    pub(crate) label: String,
}

/// The shift of values to the right in bits, or to the left if it is negative, with its place in
/// the spec.
#[derive(Clone, Copy)]
pub(crate) struct Shift {
    pub(crate) amount: i32,
    pub(crate) span: Span,
}

/// Checks the number of bits of a shift to the right; a negative number, at least `-to_the_left`,
/// is a shift to the left.
pub(crate) fn check_amount(
    shift: &Spanned<i64>,
    to_the_left: i32,
    diagnostics: &mut Diagnostics,
) -> Option<i32> {
    let allowed = -to_the_left..=MOST_RIGHT;
    match i32::try_from(shift.value) {
        Ok(amount) if allowed.contains(&amount) => Some(amount),
        _ => {
            let message = format!(
                "`shift` is {}, allowed are {} to {MOST_RIGHT}",
                shift.value, -to_the_left
            );
            diagnostics.error(shift.span, message);
            None
        }
    }
}

/// The number shifted by `amount` bits to the right, or to the left if it is negative.
pub(crate) fn shifted(number: u64, amount: i32) -> u64 {
    match amount {
        0.. => number >> amount,
        _ => number << -amount,
    }
}

/// Checks that a shift takes the `one` of sums to the `one` of an activation.
///
/// For a value, the result must be exact. For a square, it may differ by one part in 64, as in
/// known nets: 8128 * 8128 >> 19 is 126 and stands for 127.
pub(crate) fn check_shift(
    operand: Operand,
    input: &ShiftedNumber,
    shift: Shift,
    to: u32,
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    let (from, formula, to_64) = (input.one, &input.formula, u64::from(to));
    let tolerance = match operand {
        Operand::Square => u64::from(TOLERANCE),
        Operand::Value | Operand::ClippedValue => u64::MAX,
    };
    let fits = |amount: i32| {
        // Both numbers are compared as they are before a shift to the right, or after a shift to
        // the left.
        let reached = shifted(from, amount.min(0));
        let target = shifted(to_64, -amount.max(0));
        reached.abs_diff(target) <= target / tolerance
    };
    let Shift { amount, span } = shift;
    if fits(amount) {
        return Some(());
    }
    let value = from as f64 / f64::from(amount).exp2();
    let arrow = match amount {
        0.. => ">>",
        _ => "<<",
    };
    let message = format!(
        "shift {amount} contradicts the ones: {formula} {arrow} {} is {value}, expected {to}",
        amount.abs()
    );
    let error = diagnostics.error(span, message).label(&input.label);
    let to_the_left = match operand {
        Operand::Square => 0,
        Operand::Value | Operand::ClippedValue => MOST_LEFT,
    };
    let mut amounts = (0..=MOST_RIGHT).chain((-to_the_left..0).rev());
    if let Some(fitting) = amounts.find(|amount| fits(*amount)) {
        error.help(format!(
            "shift {fitting} takes {formula} to {to}, unless the operation or one of the ones is wrong"
        ));
        return None;
    }
    // The integer that stands for 1.0 may be just above the limit.
    let clipped = (0..=MOST_RIGHT)
        .map(|amount| (amount, from >> amount))
        .find(|(amount, one)| {
            one << amount == from && *one > to_64 && to_64 >= one - one / u64::from(TOLERANCE)
        });
    error.help(match (operand, clipped) {
        (Operand::Square, _) => format!("no shift takes {formula} to {to}: one of the ones is wrong"),
        (Operand::ClippedValue, Some((amount, one))) => format!(
            "shift {amount} takes {from} to {one}: if that is 1.0 and clipped at {to}, write `one = {one}` and `limit = {to}`"
        ),
        (Operand::Value, Some((amount, one))) => {
            format!("shift {amount} takes {from} to {one}: if that is 1.0, write `one = {one}`")
        }
        _ if amount < 0 => format!("no shift takes {from} to {to}: one of the ones is wrong"),
        _ => format!(
            "no shift takes {from} to {to}: one of the ones is wrong; shift {amount} takes {} to {to}",
            to_64 << amount
        ),
    });
    None
}
