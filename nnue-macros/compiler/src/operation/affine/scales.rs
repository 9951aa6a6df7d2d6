//! Checks the divisors and the factors of sums: a single number for all outputs, or a number for
//! each output.

use crate::diagnostics::{Diagnostics, Span};
use crate::spec::scaling::Rounding;

use super::{BiasType, Divide, Keys, Scales, ScalesKey, WeightType};

use crate::check::value::{ONES, in_range, place, value_or};

pub(super) fn check_divide(affine: &Keys, diagnostics: &mut Diagnostics) -> Option<Option<Divide>> {
    let weights = affine.weights.value;
    if let Some(rounding) = &affine.rounding
        && affine.divide.is_none()
    {
        diagnostics
            .error(rounding.span, "`rounding` needs `divide`")
            .help("remove it, or say what the sums are divided by");
        return None;
    }
    let Some(divide) = &affine.divide else {
        return Some(None);
    };
    if weights == WeightType::F32 {
        diagnostics
            .error(divide.span, "`divide` is only for integer weights")
            .related(affine.weights.span, "the weights");
        return None;
    }
    let by = in_range("divide", divide, ONES, diagnostics)?;
    Some(Some(Divide {
        by: by as i32,
        rounding: value_or(&affine.rounding, Rounding::Truncate),
    }))
}

/// Checks the factors of binary sums. Reports keys that do not go with factors of any kind.
pub(super) fn check_scales(affine: &Keys, diagnostics: &mut Diagnostics) -> Option<Option<Scales>> {
    let Some(scales) = &affine.scales else {
        return Some(None);
    };
    let weights = affine.weights.value;
    match &scales.value {
        ScalesKey::Integers { shift, inputs } if weights == WeightType::Binary => {
            let shift = in_range("shift", shift, 0..=31, diagnostics)?;
            let inputs = *inputs;
            return Some(Some(Scales { shift, inputs }));
        }
        ScalesKey::Floats(_) if !matches!(weights, WeightType::Binary | WeightType::F32) => {
            return check_float_scales(affine, scales.span, diagnostics).map(|()| None);
        }
        ScalesKey::Integers { .. } => diagnostics
            .error(
                scales.span,
                "a table of `scales` is only for binary weights",
            )
            .help("a factor of `f32` for each output is `scales = \"f32\"`"),
        ScalesKey::Floats(_) => diagnostics.error(
            scales.span,
            format!("`scales = \"f32\"` is only for integer weights, not for `{weights}`"),
        ),
    }
    .related(affine.weights.span, "the weights");
    None
}

/// Reports keys that do not go with factors in floating point.
fn check_float_scales(affine: &Keys, span: Span, diagnostics: &mut Diagnostics) -> Option<()> {
    let same = place("one", &affine.one)
        .or(place("weights_one", &affine.weights_one))
        .or(place("scale", &affine.scale));
    if let Some((key, place)) = same {
        diagnostics
            .error(
                place,
                format!("`{key}` and `scales` say the same in two ways"),
            )
            .related(span, "here too")
            .help("sums are multiplied by the factors of the file: remove it");
        return None;
    }
    let biases = affine.biases.as_ref();
    if let Some(biases) = biases.filter(|biases| biases.value == BiasType::I32) {
        diagnostics
            .error(biases.span, "`biases` is `i32`, but `scales` is `f32`")
            .related(span, "the scales");
        return None;
    }
    Some(())
}

/// Whether the net file has factors that turn integer sums into floating point.
pub(super) fn has_float_scales(affine: &Keys) -> bool {
    let scales = affine.scales.as_ref();
    scales.is_some_and(|scales| matches!(scales.value, ScalesKey::Floats(_)))
}
