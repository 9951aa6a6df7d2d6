//! Checks of fixed point: whether a shift takes what stands for 1.0 in some values to what stands for
//! it in others, and whether a limit lets 1.0 pass. A shift that does not fit is the most common
//! mistake in a spec and makes a net play badly without any other sign, so it is an error.

use crate::diagnostics::{Diagnostics, Span, Spanned};

/// The largest result of an activation or of a product. What stands for 1.0 may be exceeded by one
/// part in 64, and 32 bits hold that too.
pub(crate) const LARGEST_RESULT: i64 = 1 << 30;

/// How far values are shifted to the right at most, and to the left.
const MOST_RIGHT: i32 = 31;
pub(crate) const MOST_LEFT: i32 = 16;

/// What errors of a small limit say of the key that allows it.
pub(crate) const CLIPS_ONE: &str = "`clips_one = true` says that it is meant";

/// Whether the spec says `clips_one` only where values are clipped below 1.0.
pub(crate) fn check_clips_one(
    said: Option<&Spanned<bool>>,
    clips_one: bool,
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    let problem = match said {
        Some(said) if !said.value => "`clips_one` is false, expected true",
        Some(_) if !clips_one => "`clips_one` where 1.0 is not clipped",
        _ => return Some(()),
    };
    diagnostics
        .error(said?.span, problem)
        .help("it is for a `limit` below 63/64 of what 1.0 is: remove it");
    None
}

/// The smallest limit of values whose 1.0 is `one`.
pub(crate) fn least_limit(one: u32) -> u32 {
    one - one / TOLERANCE
}

/// What is off by less than one part in so many is accepted where engines are off too.
const TOLERANCE: u32 = 64;

/// The kind of number that is shifted.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Operand {
    /// A value of a layer.
    Value,
    /// A value that is clipped at its one, because the spec gives no other limit.
    ClippedValue,
    /// A square, or another product.
    Square,
}

/// The number that is shifted.
pub(crate) struct Input {
    /// What 1.0 is in it.
    pub(crate) one: u64,
    /// How that is computed.
    pub(crate) formula: String,
    /// What errors say of it.
    pub(crate) label: String,
}

/// How far values are shifted to the right, and where the spec says so. To the left if negative.
#[derive(Clone, Copy)]
pub(crate) struct Shift {
    pub(crate) amount: i32,
    pub(crate) span: Span,
}

/// A shift to the right, or as far as allowed to the left.
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

/// What a shift makes of a number.
pub(crate) fn shifted(number: u64, amount: i32) -> u64 {
    match amount {
        0.. => number >> amount,
        _ => number << -amount,
    }
}

/// Whether a shift takes the sums' one to the activation's.
///
/// A value must do so exactly. A square may miss by one part in 64, as in known nets: 8128 * 8128
/// >> 19 is 126 and stands for 127.
pub(crate) fn check_shift(
    operand: Operand,
    input: &Input,
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
        // Both as they are before a shift to the right, or after one to the left.
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
        error.help(format!("shift {fitting} takes {formula} to {to}"));
        return None;
    }
    // A one just above what it is clipped at.
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
