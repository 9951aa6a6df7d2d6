//! What sums are multiplied or divided by: the same number for all outputs, or one for each.

use crate::diagnostics::{Diagnostics, Span, Spanned};
use crate::network::{Divide, Scales, WeightType};
use crate::spec::{self, BiasType, Rounding};

use super::super::{ONES, in_range, value_or};

/// A factor that `f32` holds.
pub(in crate::check) fn check_scale(
    scale: &Spanned<f64>,
    diagnostics: &mut Diagnostics,
) -> Option<f32> {
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

pub(super) fn check_divide(
    affine: &spec::Affine,
    diagnostics: &mut Diagnostics,
) -> Option<Option<Divide>> {
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

/// The factors of binary sums. Reports what cannot stand beside factors of any sums.
pub(super) fn check_scales(
    affine: &spec::Affine,
    diagnostics: &mut Diagnostics,
) -> Option<Option<Scales>> {
    let Some(scales) = &affine.scales else {
        return Some(None);
    };
    let weights = affine.weights.value;
    match &scales.value {
        spec::Scales::Integers { shift, inputs } if weights == WeightType::Binary => {
            let shift = in_range("shift", shift, 0..=31, diagnostics)?;
            let inputs = *inputs;
            return Some(Some(Scales { shift, inputs }));
        }
        spec::Scales::Floats(_) if !matches!(weights, WeightType::Binary | WeightType::F32) => {
            return check_float_scales(affine, scales.span, diagnostics).map(|()| None);
        }
        spec::Scales::Integers { .. } => diagnostics
            .error(
                scales.span,
                "a table of `scales` is only for binary weights",
            )
            .help("a factor of `f32` for each output is `scales = \"f32\"`"),
        spec::Scales::Floats(_) => diagnostics.error(
            scales.span,
            format!("`scales = \"f32\"` is only for integer weights, not for `{weights}`"),
        ),
    }
    .related(affine.weights.span, "the weights");
    None
}

/// Reports what cannot stand beside factors of floating point.
fn check_float_scales(
    affine: &spec::Affine,
    span: Span,
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    let same = spec::place("one", &affine.one)
        .or(spec::place("weights_one", &affine.weights_one))
        .or(spec::place("scale", &affine.scale));
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

/// Whether the net file has factors that make floating point of integer sums.
pub(super) fn has_float_scales(affine: &spec::Affine) -> bool {
    let scales = affine.scales.as_ref();
    scales.is_some_and(|scales| matches!(scales.value, spec::Scales::Floats(_)))
}
