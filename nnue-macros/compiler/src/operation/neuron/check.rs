//! Checks the transformer's activation: the ones before and after it.

use super::{Activation, LARGEST_BYTE, LARGEST_FAST_INPUT, Name};
use crate::check::fixed_point::{CLIPS_ONE, check_clips_one, least_limit};
use crate::check::value::{in_range, in_range_or};
use crate::diagnostics::Diagnostics;
use crate::operation::pooling::rounding;
use crate::spec::Transformer;

/// Checks the integer that stands for 1.0 in the accumulator.
pub(crate) fn check_one(
    transformer: &Transformer,
    is_pooled: bool,
    diagnostics: &mut Diagnostics,
) -> Option<u32> {
    let activation = transformer.activation.value;
    let largest = match activation {
        Name::None => i16::MAX as i64,
        // Pooled values must be bytes. A `crelu` without a limit is clipped at its `one`.
        Name::Crelu if is_pooled && transformer.limit.is_none() => i64::from(LARGEST_BYTE),
        Name::Crelu | Name::Relu => i16::MAX as i64,
        // Larger squares that are shifted are a layer, and so are those that others than rows of
        // words read: `squares::by_layer`.
        Name::Screlu if !is_pooled => i16::MAX as i64,
        Name::Screlu | Name::SqrRelu => i64::from(LARGEST_BYTE),
        Name::Quantmoid4 => i64::from(LARGEST_FAST_INPUT),
    };
    let one = in_range("one", &transformer.one, 1..=largest, diagnostics)?;
    if activation == Name::Quantmoid4 && one != LARGEST_FAST_INPUT {
        let message = format!("`one` is {one}, expected 127");
        diagnostics
            .error(transformer.one.span, message)
            .label("`quantmoid4` is made for it");
        return None;
    }
    Some(one)
}

/// Checks the keys of the activation, where `one` stands for 1.0 in the accumulator.
pub(crate) fn check(
    transformer: &Transformer,
    one: u32,
    diagnostics: &mut Diagnostics,
) -> Option<Activation> {
    let shift = transformer.shift.as_ref();
    let shift = in_range_or("shift", shift, 0..=15, 0, diagnostics)?;
    Some(match transformer.activation.value {
        Name::None => Activation::None,
        Name::Crelu => Activation::Crelu {
            limit: limit(
                transformer,
                (i64::from(i16::MAX), one),
                (one, one),
                diagnostics,
            )?,
        },
        Name::Screlu => {
            let largest = (one * one) >> shift;
            if largest == 0 {
                let message = format!("shift {shift} is too large: {one} * {one} >> {shift} is 0");
                diagnostics.error(transformer.shift.as_ref()?.span, message);
                return None;
            }
            let rounding = rounding(&transformer.rounding, shift, diagnostics)?;
            Activation::Screlu { shift, rounding }
        }
        Name::Relu => {
            if one >> shift == 0 {
                let message = format!("shift {shift} is too large: {one} >> {shift} is 0");
                diagnostics.error(transformer.shift.as_ref()?.span, message);
                return None;
            }
            if !one.is_multiple_of(1 << shift) {
                let exact = f64::from(one) / f64::from(1 << shift);
                let fitting = one.trailing_zeros();
                let message = format!(
                    "shift {shift} contradicts the one: {one} >> {shift} is {exact}, expected a whole number"
                );
                diagnostics
                    .error(transformer.shift.as_ref()?.span, message)
                    .related(transformer.one.span, format!("{one} stands for 1.0"))
                    .help(format!(
                        "shift {fitting} takes {one} to {}, unless `one` is wrong",
                        one >> fitting
                    ));
                return None;
            }
            let limits = (i64::from(i16::MAX), LARGEST_FAST_INPUT);
            let limit = limit(transformer, limits, (one, one >> shift), diagnostics)?;
            Activation::Relu { shift, limit }
        }
        Name::Quantmoid4 => Activation::Quantmoid4,
        Name::SqrRelu => {
            diagnostics
                .error(
                    transformer.activation.span,
                    "`sqr_relu` with a pooling or a `shift`",
                )
                .help("its squares are exact, and what reads them is a layer: remove it");
            return None;
        }
    })
}

/// Checks the largest value of an activation, where `before` stands for 1.0 in its input and
/// `after` in its output. `largest` is the largest value that is allowed.
fn limit(
    transformer: &Transformer,
    (largest, default): (i64, u32),
    (before, after): (u32, u32),
    diagnostics: &mut Diagnostics,
) -> Option<u32> {
    let key = transformer.limit.as_ref();
    let limit = in_range_or("limit", key, 1..=largest, default, diagnostics)?;
    let least = least_limit(after);
    let clips_one = transformer.clips_one.as_ref();
    check_clips_one(clips_one, limit < least, diagnostics)?;
    if limit >= least || clips_one.is_some() {
        return Some(limit);
    }
    let span = key.map_or(transformer.activation.span, |limit| limit.span);
    let message = format!("values are clipped at {limit}, expected at least {least}");
    let error = diagnostics.error(span, message);
    if before == after {
        error
            .related(transformer.one.span, format!("{before} stands for 1.0"))
            .help(format!("a larger `limit` lets 1.0 pass; {CLIPS_ONE}"));
    } else {
        error
            .related(
                transformer.one.span,
                format!("1.0 is {before} before the shift and {after} after it"),
            )
            .help(format!(
                "a larger `limit` lets 1.0 pass, and a larger `shift` makes it smaller; {CLIPS_ONE}"
            ));
    }
    None
}
