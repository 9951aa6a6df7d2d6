//! Checks affine layers: whether the weights go with the inputs, which range the sums have, and
//! whether zeros can be skipped.

use crate::diagnostics::{Diagnostics, Span, Spanned, all};
use crate::network::{
    Affine, Divide, Element, FEWEST_COLUMN_OUTPUTS, FEWEST_SPARSE_OUTPUTS, OUTPUT_RUN, One, Scales,
    Slice, Source, Sparse, SparseBy, Sums, Tensor, WeightType, weights_one,
};
use crate::spec::{self, BiasType, Rounding};

use super::layers::{Scope, input_span};
use super::{ONES, in_range, value_or};

/// The largest number of outputs. Layers are meant to be small; only the transformer is large.
const MAX_OUTPUTS: i64 = 4096;

/// Checks an affine layer; `None` if it, or what it reads, is wrong.
pub(super) fn check(
    scope: &Scope<'_>,
    layer: &spec::Layer,
    affine: &spec::Affine,
    inputs: Option<&[Slice]>,
    diagnostics: &mut Diagnostics,
) -> Option<(Affine, Tensor)> {
    let len = in_range("outputs", &affine.outputs, 1..=MAX_OUTPUTS, diagnostics);
    let divide = check_divide(affine, diagnostics);
    let added = check_sums(affine, len, diagnostics);
    let density = check_density(affine, diagnostics);
    let scales = check_scales(affine, diagnostics);
    check_weights_one_key(affine, diagnostics)?;
    let ones = match affine.weights_one {
        None => check_ones(layer, affine, len, diagnostics),
        // They follow from the inputs' one.
        Some(_) => None,
    };
    let inputs = inputs?;
    let (element, inputs_one) =
        common_input(scope, layer, affine.weights.value, inputs, diagnostics)?;
    let sums = range_of_sums(scope, affine, inputs)?;
    let len = len? as usize;
    let shape = Shape {
        element,
        len,
        inputs,
    };
    let sparse = check_sparse(scope, layer, affine, density?, &shape, diagnostics);
    let output_blocks = check_output_blocks(affine, &shape, diagnostics);
    let divide = divide?;
    let (one, to_float) = match &affine.weights_one {
        None => ones?,
        Some(weights_one) => {
            let one = sums_one(layer, weights_one, divide, inputs_one, diagnostics)?;
            let affine = spec::Affine {
                one: Some(one),
                ..affine.clone()
            };
            check_ones(layer, &affine, Some(len as u32), diagnostics)?
        }
    };
    check_weights_one(layer, affine, divide, inputs_one, diagnostics)?;
    let (element, range) = match one {
        Some(_) => {
            let divided = |sum: i64| match divide {
                None => sum,
                Some(Divide {
                    by,
                    rounding: Rounding::Truncate,
                }) => sum / i64::from(by),
                Some(Divide {
                    by,
                    rounding: Rounding::Floor,
                }) => sum.div_euclid(by.into()),
            };
            let range = match affine.scales {
                None => (divided(sums.0), divided(sums.1)),
                // The factors are the net file's.
                Some(_) => (i64::from(i32::MIN), i64::from(i32::MAX)),
            };
            let element = match added? {
                Sums::I64 => Element::I64,
                _ => Element::I32,
            };
            (element, range)
        }
        None => (Element::F32, (0, 0)),
    };
    let checked = Affine {
        weights: affine.weights.value,
        sparse: sparse?,
        output_blocks: output_blocks?,
        divide,
        biases: value_or(&affine.biases, BiasType::I32) != BiasType::None,
        to_float,
        inputs_one,
        sums: added?,
        scales: scales?,
        shared: value_or(&affine.shared, false),
    };
    let output = Tensor {
        len,
        element,
        one: one.unwrap_or(One::Tensor(1)),
        range,
    };
    Some((checked, output))
}

/// What decides which zeros can be skipped.
struct Shape<'a> {
    element: Element,
    len: usize,
    inputs: &'a [Slice],
}

/// Whether `weights_one` is allowed, and alone.
fn check_weights_one_key(affine: &spec::Affine, diagnostics: &mut Diagnostics) -> Option<()> {
    let Some(weights_one) = &affine.weights_one else {
        return Some(());
    };
    let weights = affine.weights.value;
    if matches!(weights, WeightType::F32 | WeightType::Binary) {
        let message = format!("`weights_one` is only for integer weights, not for `{weights}`");
        diagnostics
            .error(weights_one.span, message)
            .related(affine.weights.span, "the weights");
        return None;
    }
    let other = spec::place("one", &affine.one).or(spec::place("scale", &affine.scale));
    if let Some((key, span)) = other {
        let message = format!("`{key}` and `weights_one` say the same in two ways");
        diagnostics
            .error(span, message)
            .related(weights_one.span, "here too")
            .help("what 1.0 is in the sums is the inputs' one times the weights', divided by `divide`");
        return None;
    }
    Some(())
}

/// What 1.0 is in sums, where the spec says what it is in the weights.
fn sums_one(
    layer: &spec::Layer,
    weights_one: &Spanned<i64>,
    divide: Option<Divide>,
    inputs_one: u32,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<Vec<Spanned<i64>>>> {
    let one = in_range("weights_one", weights_one, ONES, diagnostics)?;
    let by = divide.map_or(1, |divide| i64::from(divide.by));
    let product = i64::from(one) * i64::from(inputs_one);
    if product % by != 0 || !ONES.contains(&(product / by)) {
        let sums_one = product as f64 / by as f64;
        let message = format!(
            "1.0 is {sums_one} in the sums of `{}`, allowed are whole numbers from 1 to {}",
            layer.name.value,
            ONES.end()
        );
        let divided = if by == 1 { "" } else { ", divided by `divide`" };
        diagnostics.error(weights_one.span, message).label(format!(
            "times {inputs_one}, which 1.0 is in the inputs{divided}"
        ));
        return None;
    }
    let span = weights_one.span;
    let one = Spanned {
        value: product / by,
        span,
    };
    Some(Spanned {
        value: vec![one],
        span,
    })
}

/// The ones of the sums; or, for floating point, none and what integer sums are multiplied by.
fn check_ones(
    layer: &spec::Layer,
    affine: &spec::Affine,
    len: Option<u32>,
    diagnostics: &mut Diagnostics,
) -> Option<(Option<One>, Option<f32>)> {
    let name = &layer.name.value;
    let weights = affine.weights.value;
    let biases = affine.biases.as_ref();
    if weights == WeightType::F32 {
        if let Some(biases) = biases.filter(|biases| biases.value == BiasType::I32) {
            diagnostics
                .error(biases.span, "`biases` is `i32`, but `weights` is `f32`")
                .related(affine.weights.span, "the weights");
            return None;
        }
        let needless = spec::place("one", &affine.one).or(spec::place("scale", &affine.scale));
        if let Some((key, span)) = needless {
            diagnostics
                .error(span, format!("`{key}` is only for integer weights"))
                .help("in `f32`, 1.0 is 1.0: remove it");
            return None;
        }
        return Some((None, None));
    }
    if let Some(biases) = biases.filter(|biases| biases.value == BiasType::F32) {
        let scale = match (&affine.scale, &affine.one) {
            (Some(scale), None) => check_scale(scale, diagnostics)?,
            (None, Some(Spanned { value: ones, span })) => {
                let [one] = ones.as_slice() else {
                    diagnostics
                        .error(*span, "`one` is a list, but `biases` is `f32`")
                        .help("write one number for all outputs, or `scale`");
                    return None;
                };
                let one = in_range("one", one, ONES, diagnostics)?;
                (1.0 / f64::from(one)) as f32
            }
            (found, _) => {
                let problem = match found {
                    Some(_) => "found both",
                    None => "found neither",
                };
                let message = format!("`{name}` needs `one`, `weights_one` or `scale`, {problem}");
                diagnostics
                    .error(layer.span, message)
                    .related(biases.span, "its biases are `f32`")
                    .help("sums are multiplied by `scale`, which is 1 / `one` when absent");
                return None;
            }
        };
        return Some((None, Some(scale)));
    }
    if let Some(scale) = &affine.scale {
        let message = "`scale` is only for layers whose biases are `f32`";
        diagnostics
            .error(scale.span, message)
            .help("integer layers say what 1.0 is in their sums: `one`");
        return None;
    }
    let Some(ones) = &affine.one else {
        diagnostics
            .error(layer.span, format!("`{name}` needs `one`"))
            .help("write what 1.0 is in its sums, `one = 8128`, or in its weights, `weights_one = 64`");
        return None;
    };
    let checked = all(ones
        .value
        .iter()
        .map(|one| in_range("one", one, ONES, diagnostics)))?;
    if let [one] = checked.as_slice() {
        return Some((Some(One::Tensor(*one)), None));
    }
    if checked.len() != len? as usize {
        let message = format!(
            "`one` has {} entries, expected 1 or {}",
            checked.len(),
            len?
        );
        diagnostics
            .error(ones.span, message)
            .related(affine.outputs.span, "one for all outputs, or one for each");
        return None;
    }
    Some((Some(One::of(checked)), None))
}

/// Reports sums whose one is so small that the weights' one, which follows from it, is less than 1.
fn check_weights_one(
    layer: &spec::Layer,
    affine: &spec::Affine,
    divide: Option<Divide>,
    inputs_one: u32,
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    if affine.weights.value == WeightType::Binary {
        return Some(());
    }
    let mut ones = affine.one.iter().flat_map(|ones| &ones.value);
    let small = ones.find_map(|one| {
        let sums_one = u32::try_from(one.value).ok()?;
        let (weights_one, inputs_one) = weights_one(sums_one, divide, inputs_one);
        (weights_one < inputs_one).then_some((one.span, weights_one))
    });
    let Some((span, one)) = small else {
        return Some(());
    };
    let name = &layer.name.value;
    let message =
        format!("1.0 is {one} / {inputs_one} in the weights of `{name}`, expected at least 1");
    let inputs = format!("1.0 is {inputs_one} in its inputs");
    diagnostics
        .error(span, message)
        .related(input_span(layer, 0), inputs)
        .help("`one` is that of the inputs times that of the weights, divided by `divide`");
    None
}

/// A factor that `f32` holds.
pub(super) fn check_scale(scale: &Spanned<f64>, diagnostics: &mut Diagnostics) -> Option<f32> {
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

fn check_divide(affine: &spec::Affine, diagnostics: &mut Diagnostics) -> Option<Option<Divide>> {
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

/// The factors of binary sums.
fn check_scales(affine: &spec::Affine, diagnostics: &mut Diagnostics) -> Option<Option<Scales>> {
    let Some(scales) = &affine.scales else {
        return Some(None);
    };
    if affine.weights.value != WeightType::Binary {
        diagnostics
            .error(scales.span, "`scales` is only for binary weights")
            .related(affine.weights.span, "the weights");
        return None;
    }
    let shift = in_range("shift", &scales.shift, 0..=31, diagnostics)?;
    Some(Some(Scales {
        shift,
        inputs: scales.inputs,
    }))
}

/// How products are added: the order matters to floating point alone, and only sums of `i32` weights
/// can have more than 32 bits.
fn check_sums(
    affine: &spec::Affine,
    len: Option<u32>,
    diagnostics: &mut Diagnostics,
) -> Option<Sums> {
    let weights = affine.weights.value;
    let Some(sums) = &affine.sums else {
        return Some(match weights {
            WeightType::F32 if len? as usize >= FEWEST_COLUMN_OUTPUTS => Sums::Columns,
            WeightType::F32 => Sums::Lanes,
            _ => Sums::I32,
        });
    };
    let is_order = matches!(sums.value, Sums::Columns | Sums::Lanes);
    match weights {
        WeightType::F32 if !is_order => {
            let message = format!("`sums` is `{}`, but `weights` is `f32`", sums.value);
            diagnostics
                .error(sums.span, message)
                .label("allowed: `columns` or `lanes`")
                .related(affine.weights.span, "the weights");
            None
        }
        WeightType::I32 if is_order => {
            let message = format!("`sums` is `{}`, but `weights` is `i32`", sums.value);
            diagnostics
                .error(sums.span, message)
                .label("allowed: `i32` or `i64`")
                .related(affine.weights.span, "the weights")
                .help("sums of integers do not depend on their order");
            None
        }
        WeightType::F32 | WeightType::I32 => check_wide_sums(affine, sums, diagnostics),
        _ => {
            diagnostics
                .error(sums.span, "`sums` is only for `f32` and `i32` weights")
                .help("sums of integers do not depend on their order: remove it");
            None
        }
    }
}

/// Sums of 64 bits are for the end of a network: nothing is done to them before the output.
fn check_wide_sums(
    affine: &spec::Affine,
    sums: &Spanned<Sums>,
    diagnostics: &mut Diagnostics,
) -> Option<Sums> {
    if sums.value != Sums::I64 {
        return Some(sums.value);
    }
    let biases = affine.biases.as_ref();
    let biases = biases.filter(|biases| biases.value == BiasType::F32);
    let other = spec::place("divide", &affine.divide)
        .or(biases.map(|biases| ("biases = \"f32\"", biases.span)));
    let Some((key, span)) = other else {
        return Some(sums.value);
    };
    diagnostics
        .error(
            span,
            format!("`{key}` is not allowed with `sums = \"i64\"`"),
        )
        .related(sums.span, "sums of 64 bits")
        .help("only the output reads them, and it divides by `divide` or `scale`");
    None
}

/// The type and the one that a layer's inputs have in common. They must go with its weights.
fn common_input(
    scope: &Scope<'_>,
    layer: &spec::Layer,
    weights: WeightType,
    inputs: &[Slice],
    diagnostics: &mut Diagnostics,
) -> Option<(Element, u32)> {
    let name = &layer.name.value;
    let mut common = None;
    let mut first_one = None;
    for (index, slice) in inputs.iter().enumerate() {
        let element = scope.tensor(slice.source)?.element;
        let input = scope.name(slice.source);
        let span = input_span(layer, index);
        let fits = match weights {
            WeightType::I8 | WeightType::I16 => {
                matches!(element, Element::U8 | Element::U16 | Element::I16)
            }
            WeightType::I32 => matches!(element, Element::U8 | Element::I16 | Element::I32),
            WeightType::F32 => element == Element::F32,
            WeightType::Binary => matches!(element, Element::I16 | Element::I32),
        };
        if !fits {
            let message =
                format!("`{name}` has `{weights}` weights and reads `{element}` from `{input}`");
            let error = diagnostics.error(span, message);
            match (weights, element) {
                (WeightType::F32, _) if slice.source == Source::Transformer => error.help(
                    "a layer of integer weights with `biases = \"f32\"` makes `f32` of the transformer's output",
                ),
                (WeightType::F32, _) => {
                    error.help("a layer with `op = \"float\"` makes `f32` of integers")
                }
                (WeightType::Binary, Element::F32) => error.help("binary layers read integers"),
                (WeightType::Binary, _) => error
                    .label("no value is negative: all signs are the same")
                    .help("binary layers read sums, or a transformer with `activation = \"none\"`"),
                (WeightType::I8 | WeightType::I16, Element::I32) => match scope.is_affine(slice) {
                    true => error.help("put an activation such as `crelu` between two affine layers"),
                    false => error.help("values of 32 bits are read by `weights = \"i32\"`"),
                },
                (WeightType::I32, Element::U16) => {
                    error.help("exact squares are read by `i8` or `i16` weights")
                }
                _ => error.help("give the layer `weights = \"f32\"`"),
            };
            return None;
        }
        common = Some(match (common, element) {
            (None, element) => element,
            (Some(first), element) if first == element => element,
            (Some(Element::U8 | Element::I16), Element::U8 | Element::I16) => Element::I16,
            _ if weights == WeightType::I32 => Element::I32,
            (Some(first), element) => {
                diagnostics
                    .error(span, format!("`{name}` reads `{first}` and `{element}`"))
                    .help("read them in layers of their own, or make them the same type");
                return None;
            }
        });
        let one = scope.shared_one(layer, index, slice, diagnostics)?;
        let first = *first_one.get_or_insert(one);
        // Of binary inputs only the signs count.
        if one != first && weights != WeightType::Binary {
            report_different_ones(scope, layer, inputs, (index, one, first), diagnostics);
            return None;
        }
    }
    common.zip(first_one)
}

/// Reports a layer that reads inputs of different ones, for which its weights cannot have one of
/// their own.
fn report_different_ones(
    scope: &Scope<'_>,
    layer: &spec::Layer,
    inputs: &[Slice],
    (index, one, first): (usize, u32, u32),
    diagnostics: &mut Diagnostics,
) {
    let (name, input) = (&layer.name.value, scope.name(inputs[index].source));
    let message = format!("`{name}` reads inputs with different ones: 1.0 is {one} in `{input}`");
    diagnostics
        .error(input_span(layer, index), message)
        .related(
            input_span(layer, 0),
            format!("1.0 is {first} in `{}`", scope.name(inputs[0].source)),
        )
        .help("all inputs of a layer need the same one: change their `shift` and `one`");
}

/// The range of the sums, biases left aside. Where it leaves `i32`, the weights of a net decide
/// whether sums wrap.
fn range_of_sums(scope: &Scope<'_>, affine: &spec::Affine, inputs: &[Slice]) -> Option<(i64, i64)> {
    let weights = affine.weights.value;
    let (lowest_weight, highest_weight) = match weights {
        WeightType::I8 => (i64::from(i8::MIN), i64::from(i8::MAX)),
        WeightType::I16 => (i64::from(i16::MIN), i64::from(i16::MAX)),
        WeightType::I32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
        WeightType::Binary => (-1, 1),
        WeightType::F32 => (0, 0),
    };
    let (mut lowest, mut highest) = (0i64, 0i64);
    for slice in inputs {
        let range = match weights {
            WeightType::Binary => (-1, 1),
            _ => scope.tensor(slice.source)?.range,
        };
        let products = [
            range.0 * lowest_weight,
            range.0 * highest_weight,
            range.1 * lowest_weight,
            range.1 * highest_weight,
        ];
        let len = slice.len as i64;
        lowest = lowest.saturating_add(products.into_iter().fold(0, i64::min).saturating_mul(len));
        highest =
            highest.saturating_add(products.into_iter().fold(0, i64::max).saturating_mul(len));
    }
    if value_or(&affine.sums, Sums::I32) == Sums::I64 {
        return Some((lowest, highest));
    }
    let (least, most) = (i64::from(i32::MIN), i64::from(i32::MAX));
    Some((lowest.max(least), highest.min(most)))
}

/// The share of inputs that are not zero.
fn check_density(affine: &spec::Affine, diagnostics: &mut Diagnostics) -> Option<Option<f64>> {
    let Some(density) = &affine.density else {
        return Some(None);
    };
    if affine.sparse.is_none() {
        diagnostics
            .error(density.span, "`density` is only for sparse layers")
            .help("add `sparse = true`, or remove it");
        return None;
    }
    if !(0.0..=1.0).contains(&density.value) {
        let message = format!("`density` is {}, allowed are 0 to 1", density.value);
        diagnostics.error(density.span, message);
        return None;
    }
    Some(Some(density.value))
}

fn check_sparse(
    scope: &Scope<'_>,
    layer: &spec::Layer,
    affine: &spec::Affine,
    density: Option<f64>,
    shape: &Shape<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Option<Sparse>> {
    let Some(sparse) = &affine.sparse else {
        return Some(None);
    };
    let name = &layer.name.value;
    let reads_all = matches!(
        shape.inputs,
        [slice] if slice.source == Source::Transformer
            && scope.transformer.is_some_and(|transformer| slice.len == transformer.output.len)
    );
    if !reads_all {
        let message = format!("`{name}` is sparse, but does not read the whole transformer");
        let error = diagnostics.error(sparse.span, message);
        if let Some(input) = &layer.input {
            error.related(input.span, "what it reads");
        }
        error.help("only the transformer's output is large and has many zeros: remove `sparse`");
        return None;
    }
    if shape.len < FEWEST_SPARSE_OUTPUTS {
        let outputs = shape.len;
        let message = format!(
            "`{name}` is sparse with {outputs} outputs, expected at least {FEWEST_SPARSE_OUTPUTS}"
        );
        diagnostics
            .error(sparse.span, message)
            .help("layers with fewer are computed row by row: remove `sparse`");
        return None;
    }
    check_sparse_types(
        affine,
        sparse.value,
        shape.element,
        sparse.span,
        diagnostics,
    )?;
    Some(Some(Sparse {
        by: sparse.value,
        density,
    }))
}

/// Whether zeros of these inputs can be skipped, and in this way.
fn check_sparse_types(
    affine: &spec::Affine,
    by: SparseBy,
    element: Element,
    span: Span,
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    let weights = affine.weights.value;
    let bytes = element == Element::U8;
    let integers = matches!(weights, WeightType::I8 | WeightType::I16);
    let fits = match by {
        SparseBy::Blocks => bytes && weights == WeightType::I8,
        SparseBy::Auto | SparseBy::Inputs => integers && element != Element::U16,
    };
    if fits {
        return Some(());
    }
    let message = format!("`{element}` inputs with `{weights}` weights cannot be sparse this way");
    let error = diagnostics.error(span, message);
    error.label("by `blocks`: `u8` and `i8`; by `inputs`: `u8` or `i16`, and `i8` or `i16`");
    error.related(affine.weights.span, "the weights");
    None
}

fn check_output_blocks(
    affine: &spec::Affine,
    shape: &Shape<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Option<usize>> {
    let Some(blocks) = &affine.output_blocks else {
        return Some(None);
    };
    let by_inputs = affine
        .sparse
        .as_ref()
        .is_some_and(|sparse| sparse.value != SparseBy::Blocks);
    if !by_inputs {
        let message = "`output_blocks` is only for layers that are sparse by inputs";
        diagnostics
            .error(blocks.span, message)
            .help("add `sparse = \"inputs\"`");
        return None;
    }
    if !shape.len.is_multiple_of(OUTPUT_RUN) {
        let message = format!("{} outputs are not a multiple of {OUTPUT_RUN}", shape.len);
        diagnostics
            .error(affine.outputs.span, message)
            .related(blocks.span, "blocks of 16 outputs");
        return None;
    }
    let most = (shape.len / OUTPUT_RUN) as i64;
    let blocks = in_range("output_blocks", blocks, 1..=most, diagnostics)?;
    Some(Some(blocks as usize))
}
