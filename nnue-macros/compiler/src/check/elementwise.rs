//! Checks layers without weights: what each kind may read, and which tensor it computes.

use crate::diagnostics::{Diagnostics, Spanned};
use crate::network::{Align, Element, Elementwise, One, Slice, Source, Tensor};
use crate::spec::{self, OpName};

use super::affine::check_scale;
use super::alignment::Method;
use super::layers::{Scope, input_span};
use super::{activation, product};

/// Checks a layer without weights; `None` if it, or what it reads, is wrong.
pub(super) fn check(
    scope: &Scope<'_>,
    layer: &spec::Layer,
    keys: &spec::Elementwise,
    inputs: &[Slice],
    diagnostics: &mut Diagnostics,
) -> Option<(Elementwise, Tensor)> {
    let (function, output) = match keys.functions[0].value {
        OpName::Sum => sum(scope, layer, keys, inputs, diagnostics)?,
        OpName::Product => product::check(scope, layer, keys, inputs, diagnostics)?,
        OpName::RmsNorm => rms_norm(scope, layer, keys, inputs, diagnostics)?,
        OpName::Float => float(scope, layer, keys, inputs, diagnostics)?,
        _ => {
            let (functions, output) = activation::check(scope, layer, keys, inputs, diagnostics)?;
            (Elementwise::Activations(functions), output)
        }
    };
    if output.element == Element::F32
        && let Some((key, span)) = keys.keys_of_integers().next()
    {
        let name = &layer.name.value;
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
    scope: &Scope<'_>,
    layer: &spec::Layer,
    keys: &spec::Elementwise,
    inputs: &[Slice],
    diagnostics: &mut Diagnostics,
) -> Option<(Elementwise, Tensor)> {
    let name = &layer.name.value;
    let first = inputs.first()?;
    if reads_floats(scope, layer, inputs, "adds", diagnostics)? {
        let aligns = vec![Align::None; inputs.len()];
        return Some((Elementwise::Sum { aligns }, Tensor::float(first.len)));
    }
    let ones: Vec<One> = inputs
        .iter()
        .map(|slice| scope.one(slice))
        .collect::<Option<_>>()?;
    let all_same = ones.iter().all(|one| *one == ones[0]);
    let default = ones[0].shared().filter(|_| all_same);
    let owner = format!("`{name}`");
    let method = Method::check(&keys.alignment, default, (layer.span, &owner), diagnostics)?;
    let mut aligns = Vec::new();
    let (mut lowest, mut highest) = (0i64, 0i64);
    for (index, (slice, one)) in inputs.iter().zip(&ones).enumerate() {
        let term = (input_span(layer, index), scope.name(slice.source));
        let align = method.align(one, term, diagnostics)?;
        let range = scope.tensor(slice.source)?.range;
        lowest = lowest.saturating_add(extreme(&align, range.0.min(0)));
        highest = highest.saturating_add(extreme(&align, range.1.max(0)));
        aligns.push(align);
    }
    let output = Tensor {
        len: first.len,
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
    scope: &Scope<'_>,
    layer: &spec::Layer,
    inputs: &[Slice],
    verb: &str,
    diagnostics: &mut Diagnostics,
) -> Option<bool> {
    let name = &layer.name.value;
    let first = inputs.first()?;
    let mut elements = Vec::new();
    for (index, slice) in inputs.iter().enumerate() {
        let element = scope.tensor(slice.source)?.element;
        let span = input_span(layer, index);
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
            Source::Transformer | Source::Layer(_) => None,
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
                .related(input_span(layer, 0), format!("{} values", first.len));
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
            .error(input_span(layer, index), message)
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
    scope: &Scope<'_>,
    layer: &spec::Layer,
    keys: &spec::Elementwise,
    inputs: &[Slice],
    diagnostics: &mut Diagnostics,
) -> Option<(Elementwise, Tensor)> {
    let epsilon = match &keys.epsilon {
        Some(epsilon) => check_epsilon(epsilon, diagnostics)?,
        None => EPSILON,
    };
    let (input, tensor) = scope.only_input(layer, inputs, diagnostics)?;
    if tensor.element != Element::F32 {
        let message = format!(
            "`{}` reads `{}`, expected `f32`",
            layer.name.value, tensor.element
        );
        diagnostics
            .error(input_span(layer, 0), message)
            .help("a layer with `op = \"float\"` makes `f32` of integers");
        return None;
    }
    Some((Elementwise::RmsNorm { epsilon }, Tensor::float(input.len)))
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
    scope: &Scope<'_>,
    layer: &spec::Layer,
    keys: &spec::Elementwise,
    inputs: &[Slice],
    diagnostics: &mut Diagnostics,
) -> Option<(Elementwise, Tensor)> {
    let name = &layer.name.value;
    let (input, tensor) = scope.only_input(layer, inputs, diagnostics)?;
    // Bytes lie in an order of the instruction set's own.
    if input.source == Source::Transformer && tensor.element != Element::I16 {
        let message = format!(
            "`{name}` converts `{}` of the transformer's output, expected `i16`",
            tensor.element
        );
        diagnostics.error(input_span(layer, 0), message).help(
            "read it by an affine layer with `biases = \"f32\"`, or convert the values of `activation = \"none\"`",
        );
        return None;
    }
    if matches!(tensor.element, Element::F32) {
        let message = format!("`{name}` reads `f32`, expected integers");
        diagnostics.error(input_span(layer, 0), message);
        return None;
    }
    let one = scope.shared_one(layer, 0, input, diagnostics)?;
    let scale = match &keys.scale {
        Some(scale) => check_scale(scale, diagnostics)?,
        None => (1.0 / f64::from(one)) as f32,
    };
    Some((Elementwise::Float { scale }, Tensor::float(input.len)))
}
