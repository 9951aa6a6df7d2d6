//! Checks affine layers: whether the weights fit the inputs, which range the sums have, and whether
//! zeros can be skipped.

use nnue_format::Element;

use super::scales::{check_divide, check_scales, has_float_scales};
use super::shards::check_shards;
use super::sparse::{check_density, check_output_blocks, check_sparse};
use super::{
    Affine, BiasType, Divide, FEWEST_COLUMN_OUTPUTS, Keys, Scale, Sums, WeightType, weights_one,
};
use crate::check::reader::{Header, Input, Reader};
use crate::check::squares::{self, root};
use crate::check::value::{ONES, check_scale, in_range, place, value_or};
use crate::diagnostics::{Diagnostics, Span, Spanned, all, list};
use crate::network::tensor::{One, Source, Tensor};
use crate::spec::named::Named;

/// The largest number of outputs of a layer. Layers are meant to be small; only the transformer is
/// large.
const MAX_OUTPUTS: i64 = 4096;

/// The kind of a layer's sums.
enum SumsKind {
    /// Integers, with the integers that stand for 1.0 in them.
    Integers(One),
    /// Sums of products of `f32`.
    Floats,
    /// Integers that become `f32`, multiplied by a factor.
    Converted(Scale),
}

impl Keys {
    /// Checks an affine layer; `None` if the layer or a value that it reads is wrong. In the latter
    /// case there is no `reader`.
    pub(in crate::operation) fn check(
        &self,
        layer: Header<'_>,
        reader: Option<Reader<'_>>,
        diagnostics: &mut Diagnostics,
    ) -> Option<(Affine, Tensor)> {
        let len = in_range("outputs", &self.outputs, 1..=MAX_OUTPUTS, diagnostics);
        let divide = check_divide(self, diagnostics);
        let added = check_sums(self, len, diagnostics);
        let density = check_density(self, diagnostics);
        let scales = check_scales(self, diagnostics);
        let summands = check_factorised(self, diagnostics);
        check_weights_one_key(self, diagnostics)?;
        let outputs = match self.weights_one {
            None => check_outputs(layer, self, len, diagnostics),
            // The `one` of the sums follows from the `one` of the inputs.
            Some(_) => None,
        };
        let reader = reader?;
        let (element, inputs_one) = common_input(&reader, self.weights.value, diagnostics)?;
        let sums = range_of_sums(&reader, self);
        let len = len? as usize;
        let sparse = check_sparse(&reader, self, density?, (element, len), diagnostics);
        let output_blocks = check_output_blocks(self, len, diagnostics);
        let shards = check_shards(&reader, self, len, diagnostics);
        let divide = divide?;
        let outputs = match &self.weights_one {
            None => outputs?,
            Some(weights_one) => {
                let one = sums_one(layer, weights_one, divide, inputs_one, diagnostics)?;
                let keys = Keys {
                    one: Some(one),
                    ..self.clone()
                };
                check_outputs(layer, &keys, Some(len as u32), diagnostics)?
            }
        };
        check_weights_one(&reader, self, divide, inputs_one, diagnostics)?;
        summands?;
        let (scales, added) = (scales?, added?);
        let (output, to_float) = match outputs {
            SumsKind::Floats => (Tensor::float(len), None),
            SumsKind::Converted(scale) => (Tensor::float(len), Some(scale)),
            SumsKind::Integers(one) => {
                let divided = |sum| divide.map_or(sum, |divide| divide.quotient(sum));
                let range = match scales {
                    None => (divided(sums.0), divided(sums.1)),
                    // The factors are in the net file, so they are not known here.
                    Some(_) => (i64::from(i32::MIN), i64::from(i32::MAX)),
                };
                let output = Tensor {
                    len,
                    element: match added {
                        Sums::I64 => Element::I64,
                        _ => Element::I32,
                    },
                    one,
                    range,
                };
                (output, None)
            }
        };
        // Squares of neurons are multiplied as their roots, twice.
        let are_squares = reader.inputs[0].slice.source == Source::Transformer;
        let (weights, stored) = match (self.weights.value, element) {
            (weights, _) if are_squares => (weights, None),
            (WeightType::I8, Element::I32) => (WeightType::I32, Some(Element::I8)),
            (WeightType::I16, Element::I32) => (WeightType::I32, Some(Element::I16)),
            (weights, _) => (weights, None),
        };
        let checked = Affine {
            weights,
            stored,
            sparse: sparse?,
            output_blocks: output_blocks?,
            shards: shards?,
            divide,
            biases: value_or(&self.biases, BiasType::I32) != BiasType::None,
            to_float,
            inputs_one,
            sums: added,
            scales,
        };
        Some((checked, output))
    }
}

/// Reports `weights_one` where it is not allowed, or where `one` is given too.
fn check_weights_one_key(affine: &Keys, diagnostics: &mut Diagnostics) -> Option<()> {
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
    let other = place("one", &affine.one).or(place("scale", &affine.scale));
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

/// The `one` of the sums that follows from `weights_one`.
fn sums_one(
    layer: Header<'_>,
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
            layer.name,
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

/// The kind of the sums: integers with their `one`, or floating point with the factor that makes
/// it.
fn check_outputs(
    layer: Header<'_>,
    affine: &Keys,
    len: Option<u32>,
    diagnostics: &mut Diagnostics,
) -> Option<SumsKind> {
    let biases = affine.biases.as_ref();
    if has_float_scales(affine) {
        return Some(SumsKind::Converted(Scale::OfFile));
    }
    if affine.weights.value == WeightType::F32 {
        if let Some(biases) = biases.filter(|biases| biases.value == BiasType::I32) {
            diagnostics
                .error(biases.span, "`biases` is `i32`, but `weights` is `f32`")
                .related(affine.weights.span, "the weights");
            return None;
        }
        let needless = place("one", &affine.one).or(place("scale", &affine.scale));
        if let Some((key, span)) = needless {
            diagnostics
                .error(span, format!("`{key}` is only for integer weights"))
                .help("in `f32`, 1.0 is 1.0: remove it");
            return None;
        }
        return Some(SumsKind::Floats);
    }
    if let Some(biases) = biases.filter(|biases| biases.value == BiasType::F32) {
        return converted_sums(layer, affine, biases.span, diagnostics);
    }
    if let Some(scale) = &affine.scale {
        let message = "`scale` is only for layers whose biases are `f32`";
        diagnostics
            .error(scale.span, message)
            .help("integer layers say what 1.0 is in their sums: `one`");
        return None;
    }
    integer_sums(layer, affine, len, diagnostics)
}

/// The kind of sums of integers that become floating point. `biases` is the place of the key that
/// says so.
fn converted_sums(
    layer: Header<'_>,
    affine: &Keys,
    biases: Span,
    diagnostics: &mut Diagnostics,
) -> Option<SumsKind> {
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
            let name = layer.name;
            let message = format!("`{name}` needs `one`, `weights_one` or `scale`, {problem}");
            diagnostics
                .error(layer.span, message)
                .related(biases, "its biases are `f32`")
                .help("sums are multiplied by `scale`, which is 1 / `one` when absent");
            return None;
        }
    };
    Some(SumsKind::Converted(Scale::Shared(scale)))
}

/// The kind of sums that stay integers, with what 1.0 is in all of them or in each.
fn integer_sums(
    layer: Header<'_>,
    affine: &Keys,
    len: Option<u32>,
    diagnostics: &mut Diagnostics,
) -> Option<SumsKind> {
    let Some(ones) = &affine.one else {
        let message = format!("`{}` needs `one`", layer.name);
        diagnostics
            .error(layer.span, message)
            .help("write what 1.0 is in its sums, `one`, or in its weights, for example `weights_one = 64`");
        return None;
    };
    let checked = all(ones
        .value
        .iter()
        .map(|one| in_range("one", one, ONES, diagnostics)))?;
    if let [one] = checked.as_slice() {
        return Some(SumsKind::Integers(One::Tensor(*one)));
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
    Some(SumsKind::Integers(One::of(checked)))
}

/// Reports sums whose `one` is so small that the `one` of the weights, which follows from it, is
/// less than 1.
fn check_weights_one(
    reader: &Reader<'_>,
    affine: &Keys,
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
    let name = reader.layer.name;
    let message =
        format!("1.0 is {one} / {inputs_one} in the weights of `{name}`, expected at least 1");
    let inputs = format!("1.0 is {inputs_one} in its inputs");
    let missing = match affine.divide {
        None => root(inputs_one)
            .filter(|root| (one * u64::from(*root)).is_multiple_of(u64::from(inputs_one))),
        Some(_) => None,
    };
    let help = match missing {
        Some(root) => format!(
            "{}, {}",
            squares::missing(name, root),
            squares::OR_THE_ACTIVATION
        ),
        None => "`one` is that of the inputs times that of the weights, divided by `divide`".into(),
    };
    diagnostics
        .error(span, message)
        .related(reader.inputs[0].span, inputs)
        .help(help);
    None
}

/// Reports `factorised` of a layer whose weights cannot be sums.
fn check_factorised(affine: &Keys, diagnostics: &mut Diagnostics) -> Option<()> {
    let factorised = affine.factorised.as_ref();
    let Some(factorised) = factorised.filter(|factorised| factorised.value) else {
        return Some(());
    };
    let shared = affine.shared.as_ref().filter(|shared| shared.value);
    if let Some(shared) = shared {
        diagnostics
            .error(factorised.span, "the layer is `factorised` and `shared`")
            .related(shared.span, "no stack has weights of its own")
            .help("files of a factorised layer have both: remove `shared`");
        return None;
    }
    if affine.weights.value == WeightType::Binary {
        diagnostics
            .error(factorised.span, "`factorised` is not for binary weights")
            .related(affine.weights.span, "sums of signs are no signs");
        return None;
    }
    if let Some(blocks) = &affine.output_blocks {
        diagnostics
            .error(
                factorised.span,
                "`factorised` is not for weights with `output_blocks`",
            )
            .related(blocks.span, "a sum reaches the outputs of both summands");
        return None;
    }
    Some(())
}

/// Checks how products are added. The order matters only for floating point, and only sums of `i32`
/// weights can have more than 32 bits.
fn check_sums(affine: &Keys, len: Option<u32>, diagnostics: &mut Diagnostics) -> Option<Sums> {
    let weights = affine.weights.value;
    let Some(sums) = &affine.sums else {
        return Some(match weights {
            WeightType::F32 if len? as usize >= FEWEST_COLUMN_OUTPUTS => Sums::Columns,
            WeightType::F32 => Sums::Lanes,
            _ => Sums::I32,
        });
    };
    let is_order = sums.value.is_order();
    let allowed = |are_orders: bool| {
        let names = Sums::NAMES.iter();
        let names = names.filter(|(_, own)| own.is_order() == are_orders);
        format!("allowed: {}", list(names.map(|(name, _)| name)))
    };
    match weights {
        WeightType::F32 if !is_order => {
            let message = format!("`sums` is `{}`, but `weights` is `f32`", sums.value);
            diagnostics
                .error(sums.span, message)
                .label(allowed(true))
                .related(affine.weights.span, "the weights");
            None
        }
        WeightType::I32 if is_order => {
            let message = format!("`sums` is `{}`, but `weights` is `i32`", sums.value);
            diagnostics
                .error(sums.span, message)
                .label(allowed(false))
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

/// Reports keys that do not go with sums of 64 bits. Nothing but the output reads such sums, so
/// nothing else is done to them.
fn check_wide_sums(
    affine: &Keys,
    sums: &Spanned<Sums>,
    diagnostics: &mut Diagnostics,
) -> Option<Sums> {
    if sums.value != Sums::I64 {
        return Some(sums.value);
    }
    let biases = affine.biases.as_ref();
    let biases = biases.filter(|biases| biases.value == BiasType::F32);
    let other = place("divide", &affine.divide)
        .or(place("scales", &affine.scales))
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

/// The type and the `one` that all inputs of a layer have. Reports inputs that differ, or that do
/// not fit the weights.
fn common_input(
    reader: &Reader<'_>,
    weights: WeightType,
    diagnostics: &mut Diagnostics,
) -> Option<(Element, u32)> {
    let name = reader.layer.name;
    let mut common = None;
    let mut first_one = None;
    for input in &reader.inputs {
        let (element, span) = (input.tensor.element, input.span);
        let fits = match weights {
            WeightType::I8 | WeightType::I16 => match element {
                Element::U8 | Element::U16 | Element::I16 => true,
                // Large squares, as of activated neurons.
                Element::I32 => input.of_product || input.slice.source == Source::Transformer,
                _ => false,
            },
            WeightType::I32 => matches!(element, Element::U8 | Element::I16 | Element::I32),
            WeightType::F32 => element == Element::F32,
            WeightType::Binary => matches!(element, Element::I16 | Element::I32),
        };
        if !fits {
            let message = format!(
                "`{name}` has `{weights}` weights and reads `{element}` from `{}`",
                input.name
            );
            let error = diagnostics.error(span, message);
            match (weights, element) {
                (WeightType::F32, _) if input.slice.source == Source::Transformer => error.help(
                    "a layer of integer weights with `biases = \"f32\"` makes `f32` of the transformer's output",
                ),
                (WeightType::F32, _) => {
                    error.help("a layer with `op = \"float\"` makes `f32` of integers")
                }
                (WeightType::Binary, Element::F32) => error.help("binary layers read integers"),
                (WeightType::Binary, _) => error
                    .label("no value is negative: all signs are the same")
                    .help("binary layers read sums, or a transformer with `activation = \"none\"`"),
                (WeightType::I8 | WeightType::I16, Element::I32) => match input.of_affine {
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
            (Some(Element::U8 | Element::I16 | Element::I32), Element::I32)
            | (Some(Element::I32), Element::U8 | Element::I16) => Element::I32,
            (Some(first), element) => {
                diagnostics
                    .error(span, format!("`{name}` reads `{first}` and `{element}`"))
                    .help("read them in layers of their own, or make them the same type");
                return None;
            }
        });
        let one = reader.shared_one(input, diagnostics)?;
        let first = *first_one.get_or_insert(one);
        // For binary weights, only the signs of inputs count.
        if one != first && weights != WeightType::Binary {
            report_different_ones(reader, input, (one, first), diagnostics);
            return None;
        }
    }
    common.zip(first_one)
}

/// Reports a layer whose inputs have different `one`s: its weights would need a `one` for each.
fn report_different_ones(
    reader: &Reader<'_>,
    input: &Input<'_>,
    (one, first): (u32, u32),
    diagnostics: &mut Diagnostics,
) {
    let message = format!(
        "`{}` reads inputs with different ones: 1.0 is {one} in `{}`",
        reader.layer.name, input.name
    );
    diagnostics
        .error(input.span, message)
        .related(
            reader.inputs[0].span,
            format!("1.0 is {first} in `{}`", reader.inputs[0].name),
        )
        .help("all inputs of a layer need the same one: change their `shift` and `one`");
}

/// The range of the sums without biases. Where it is larger than that of `i32`, the weights of a
/// net decide whether sums wrap around.
fn range_of_sums(reader: &Reader<'_>, affine: &Keys) -> (i64, i64) {
    let weights = affine.weights.value;
    let (lowest_weight, highest_weight) = match weights {
        WeightType::I8 => (i64::from(i8::MIN), i64::from(i8::MAX)),
        WeightType::I16 => (i64::from(i16::MIN), i64::from(i16::MAX)),
        WeightType::I32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
        WeightType::Binary => (-1, 1),
        WeightType::F32 => (0, 0),
    };
    let (mut lowest, mut highest) = (0i64, 0i64);
    for input in &reader.inputs {
        let range = match weights {
            WeightType::Binary => (-1, 1),
            _ => input.tensor.range,
        };
        let products = [
            range.0 * lowest_weight,
            range.0 * highest_weight,
            range.1 * lowest_weight,
            range.1 * highest_weight,
        ];
        let len = input.slice.len as i64;
        lowest = lowest.saturating_add(products.into_iter().fold(0, i64::min).saturating_mul(len));
        highest =
            highest.saturating_add(products.into_iter().fold(0, i64::max).saturating_mul(len));
    }
    if value_or(&affine.sums, Sums::I32) == Sums::I64 {
        return (lowest, highest);
    }
    let (least, most) = (i64::from(i32::MIN), i64::from(i32::MAX));
    (lowest.max(least), highest.min(most))
}
