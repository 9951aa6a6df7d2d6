//! Checks products of two layers, as gates are: which values they multiply, and what then stands for
//! 1.0.

use crate::diagnostics::Diagnostics;
use crate::network::{Element, Elementwise, One, Slice, Tensor};
use crate::spec;

use super::activation::{self, LARGEST_ACTIVATION, Shift, Takes, check_amount, check_shift};
use super::elementwise::reads_floats;
use super::in_range;
use super::layers::{Scope, input_span};

/// Checks a product; `None` if it, or what it reads, is wrong.
pub(super) fn check(
    scope: &Scope<'_>,
    layer: &spec::Layer,
    keys: &spec::Elementwise,
    inputs: &[Slice],
    diagnostics: &mut Diagnostics,
) -> Option<(Elementwise, Tensor)> {
    let name = &layer.name.value;
    let [first, second] = inputs else {
        let found = match inputs.len() {
            1 => "one input".to_string(),
            found => format!("{found} inputs"),
        };
        let message = format!("`{name}` reads {found}, expected two");
        diagnostics
            .error(input_span(layer, inputs.len() - 1), message)
            .help("a product has two factors: `input = [\"gate\", \"fc_1\"]`");
        return None;
    };
    if reads_floats(scope, layer, inputs, "multiplies", diagnostics)? {
        let function = Elementwise::Product { shift: 0 };
        return Some((function, Tensor::float(first.len)));
    }
    let a = scope.shared_one(layer, 0, first, diagnostics)?;
    let b = scope.shared_one(layer, 1, second, diagnostics)?;
    let Some([said]) = keys.shift.as_ref().map(|shift| shift.value.as_slice()) else {
        let span = keys.shift.as_ref().map_or(layer.span, |shift| shift.span);
        diagnostics
            .error(span, format!("`{name}` needs one `shift`"))
            .help("write how far products are shifted to the right: `shift = 7`");
        return None;
    };
    let amount = check_amount(said, 0, diagnostics)?;
    let product = u64::from(a) * u64::from(b);
    let one = match &keys.alignment.one {
        Some(one) => in_range("one", one, 1..=LARGEST_ACTIVATION, diagnostics)?,
        None => (product >> amount).clamp(1, LARGEST_ACTIVATION.unsigned_abs()) as u32,
    };
    let [a_name, b_name] = [first, second].map(|slice| scope.name(slice.source));
    let input = activation::Input {
        one: product,
        formula: format!("{a} * {b}"),
        label: format!("1.0 is {a} in `{a_name}`, {b} in `{b_name}` and {one} in their product"),
    };
    let shift = Shift {
        amount,
        span: said.span,
    };
    check_shift(Takes::Square, &input, shift, one, diagnostics)?;
    let shift = amount.unsigned_abs();
    let (a, b) = (
        scope.tensor(first.source)?.range,
        scope.tensor(second.source)?.range,
    );
    let extremes = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1].map(|extreme| extreme >> shift);
    let (least, most) = (i64::from(i32::MIN), i64::from(i32::MAX));
    let range = extremes
        .into_iter()
        .fold((0, 0), |(lowest, highest), extreme| {
            (extreme.min(lowest), extreme.max(highest))
        });
    let output = Tensor {
        len: first.len,
        element: Element::I32,
        one: One::Tensor(one),
        range: (range.0.max(least), range.1.min(most)),
    };
    Some((Elementwise::Product { shift }, output))
}
