//! Checks layers that compute value by value: what each kind may read, and the tensor it computes.

use crate::diagnostics::{Diagnostics, Spanned};
use crate::network::{Align, Element, Elementwise, One, Source, Tensor};
use crate::spec::{self, OpName};

use super::affine::check_scale;
use super::alignment::Method;
use super::layers::Reader;
use super::{activation, product};

/// Checks a layer that computes value by value; `None` if it, or what it reads, is wrong.
pub(super) fn check(
    reader: &Reader<'_>,
    keys: &spec::Elementwise,
    diagnostics: &mut Diagnostics,
) -> Option<(Elementwise, Tensor)> {
    let (function, output) = match keys.functions[0].value {
        OpName::Sum => sum(reader, keys, diagnostics)?,
        OpName::Product => product::check(reader, keys, diagnostics)?,
        OpName::RmsNorm => rms_norm(reader, keys, diagnostics)?,
        OpName::Float => float(reader, keys, diagnostics)?,
        _ => {
            let (functions, output) = activation::check(reader, keys, diagnostics)?;
            (Elementwise::Activations(functions), output)
        }
    };
    if output.element == Element::F32
        && let Some((key, span)) = keys.keys_of_integers().next()
    {
        let name = reader.name();
        let message = format!("`{key}` is only for integers, but `{name}` reads `f32`");
        diagnostics
            .error(span, message)
            .help("in `f32`, 1.0 is 1.0: remove it");
        return None;
    }
    Some((function, output))
}

/// Checks a sum of layers, or the alignment of one.
fn sum(
    reader: &Reader<'_>,
    keys: &spec::Elementwise,
    diagnostics: &mut Diagnostics,
) -> Option<(Elementwise, Tensor)> {
    let (inputs, len) = (0..reader.inputs.len(), reader.inputs.first()?.len);
    if reads_floats(reader, "adds", diagnostics)? {
        let aligns = inputs.map(|_| Align::None).collect();
        return Some((Elementwise::Sum { aligns }, Tensor::float(len)));
    }
    let ones = inputs.map(|index| reader.one(index));
    let ones: Vec<One> = ones.collect::<Option<_>>()?;
    let all_same = ones.iter().all(|one| *one == ones[0]);
    let default = ones[0].shared().filter(|_| all_same);
    let owner = format!("`{}`", reader.name());
    let owner = (reader.layer.span, owner.as_str());
    let method = Method::check(&keys.alignment, default, owner, diagnostics)?;
    let mut aligns = Vec::new();
    let (mut lowest, mut highest) = (0i64, 0i64);
    for (index, one) in ones.iter().enumerate() {
        let term = (reader.input_span(index), reader.input_name(index));
        let align = method.align(one, term, diagnostics)?;
        let range = reader.tensor(index)?.range;
        lowest = lowest.saturating_add(extreme(&align, range.0.min(0)));
        highest = highest.saturating_add(extreme(&align, range.1.max(0)));
        aligns.push(align);
    }
    let output = Tensor {
        len,
        element: Element::I32,
        one: One::Tensor(method.one),
        range: (
            lowest.max(i64::from(i32::MIN)),
            highest.min(i64::from(i32::MAX)),
        ),
    };
    Some((Elementwise::Sum { aligns }, output))
}

/// Whether a layer that brings its inputs together value by value reads `f32`. Reports inputs of
/// different lengths or types; `verb` is what it does, as in "adds".
pub(super) fn reads_floats(
    reader: &Reader<'_>,
    verb: &str,
    diagnostics: &mut Diagnostics,
) -> Option<bool> {
    let name = reader.name();
    let first = reader.inputs.first()?;
    let mut elements = Vec::new();
    for (index, slice) in reader.inputs.iter().enumerate() {
        let element = reader.tensor(index)?.element;
        let span = reader.input_span(index);
        let of_transformer = match slice.source {
            // Bytes lie in an order of the instruction set's own.
            Source::Transformer if element != Element::I16 => Some((
                format!("`{element}` of the transformer's output, expected `i16`"),
                "only affine layers read the others",
            )),
            Source::Unpooled => Some((
                "values of the transformer's sums".to_string(),
                "a layer with `op = \"float\"` makes `f32` of them",
            )),
            Source::Transformer | Source::Psqt | Source::Layer(_) => None,
        };
        if let Some((values, help)) = of_transformer {
            let message = format!("`{name}` {verb} {values}");
            diagnostics.error(span, message).help(help);
            return None;
        }
        if slice.len != first.len {
            let message = format!("`{name}` {verb} {} values and {}", first.len, slice.len);
            diagnostics
                .error(span, message)
                .related(reader.input_span(0), format!("{} values", first.len));
            return None;
        }
        elements.push(element);
    }
    if !elements.contains(&Element::F32) {
        return Some(false);
    }
    if let Some(index) = elements.iter().position(|element| *element != Element::F32) {
        let message = format!("`{name}` {verb} `{}` and `f32`", elements[index]);
        diagnostics
            .error(reader.input_span(index), message)
            .help("a layer with `op = \"float\"` makes `f32` of integers");
        return None;
    }
    Some(true)
}

/// The furthest that an aligned value gets from an extreme one, on the same side of zero.
fn extreme(align: &Align, value: i64) -> i64 {
    let furthest = |scaled: &mut dyn Iterator<Item = i64>| {
        if value < 0 {
            scaled.min().unwrap_or(value)
        } else {
            scaled.max().unwrap_or(value)
        }
    };
    match align {
        Align::None => value,
        Align::Exact(factors) => {
            furthest(&mut factors.iter().map(|(n, d)| value.saturating_mul(*n) / d))
        }
        Align::Shift { multipliers, shift } => furthest(
            &mut multipliers
                .iter()
                .map(|multiplier| value.saturating_mul(*multiplier) >> shift),
        ),
    }
}

/// What a normalisation adds to the mean square unless the spec says it.
const EPSILON: f32 = 1e-5;

/// Checks a normalisation by the mean square.
fn rms_norm(
    reader: &Reader<'_>,
    keys: &spec::Elementwise,
    diagnostics: &mut Diagnostics,
) -> Option<(Elementwise, Tensor)> {
    let epsilon = match &keys.epsilon {
        Some(epsilon) => check_epsilon(epsilon, diagnostics)?,
        None => EPSILON,
    };
    if let (Some(shared), None) = (&keys.shared, &keys.gain) {
        diagnostics
            .error(shared.span, "`shared` needs `gain`")
            .help("without gains the layer has nothing that stacks could share: remove it");
        return None;
    }
    let (input, tensor) = reader.only_input(diagnostics)?;
    if tensor.element != Element::F32 {
        let message = format!(
            "`{}` reads `{}`, expected `f32`",
            reader.name(),
            tensor.element
        );
        diagnostics
            .error(reader.input_span(0), message)
            .help("a layer with `op = \"float\"` makes `f32` of integers");
        return None;
    }
    let gain = keys.gain.as_ref().map(|gain| gain.value);
    let function = Elementwise::RmsNorm { epsilon, gain };
    Some((function, Tensor::float(input.len)))
}

/// A positive number: the root of zero has no inverse.
fn check_epsilon(epsilon: &Spanned<f64>, diagnostics: &mut Diagnostics) -> Option<f32> {
    let rounded = epsilon.value as f32;
    if !(rounded.is_normal() && rounded > 0.0) {
        let message = format!(
            "`epsilon` is {}, expected a positive number that `f32` holds",
            epsilon.value
        );
        diagnostics.error(epsilon.span, message);
        return None;
    }
    Some(rounded)
}

/// Checks a conversion of integers to floating point.
fn float(
    reader: &Reader<'_>,
    keys: &spec::Elementwise,
    diagnostics: &mut Diagnostics,
) -> Option<(Elementwise, Tensor)> {
    let name = reader.name();
    let (input, tensor) = reader.only_input(diagnostics)?;
    // Bytes lie in an order of the instruction set's own.
    if input.source == Source::Transformer && tensor.element != Element::I16 {
        let message = format!(
            "`{name}` converts `{}` of the transformer's output, expected `i16`",
            tensor.element
        );
        diagnostics.error(reader.input_span(0), message).help(
            "read it by an affine layer with `biases = \"f32\"`, or convert the values of `activation = \"none\"`",
        );
        return None;
    }
    if matches!(tensor.element, Element::F32) {
        let message = format!("`{name}` reads `f32`, expected integers");
        diagnostics.error(reader.input_span(0), message);
        return None;
    }
    let one = reader.shared_one(0, diagnostics)?;
    let scale = match &keys.scale {
        Some(scale) => check_scale(scale, diagnostics)?,
        None => (1.0 / f64::from(one)) as f32,
    };
    Some((Elementwise::Float { scale }, Tensor::float(input.len)))
}
