//! Checks products of two layers, as gates are: which values they multiply, and what then stands
//! for 1.0.

use crate::diagnostics::Diagnostics;
use crate::network::{Element, Elementwise, One, Tensor};
use crate::spec;

use super::activation::{self, LARGEST_ACTIVATION, Shift, Takes, check_amount, check_shift};
use super::elementwise::reads_floats;
use super::in_range;
use super::layers::Reader;

/// Checks a product; `None` if it, or what it reads, is wrong.
pub(super) fn check(
    reader: &Reader<'_>,
    keys: &spec::Elementwise,
    diagnostics: &mut Diagnostics,
) -> Option<(Elementwise, Tensor)> {
    let name = reader.name();
    let [first, _] = reader.inputs else {
        let found = match reader.inputs.len() {
            1 => "one input".to_string(),
            found => format!("{found} inputs"),
        };
        let message = format!("`{name}` reads {found}, expected two");
        diagnostics
            .error(reader.input_span(reader.inputs.len() - 1), message)
            .help("a product has two factors: `input = [\"gate\", \"fc_1\"]`");
        return None;
    };
    if reads_floats(reader, "multiplies", diagnostics)? {
        let function = Elementwise::Product { shift: 0 };
        return Some((function, Tensor::float(first.len)));
    }
    let a = reader.shared_one(0, diagnostics)?;
    let b = reader.shared_one(1, diagnostics)?;
    let Some([said]) = keys.shift.as_ref().map(|shift| shift.value.as_slice()) else {
        let said = keys.shift.as_ref();
        let span = said.map_or(reader.layer.span, |shift| shift.span);
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
    let [a_name, b_name] = [0, 1].map(|index| reader.input_name(index));
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
    let (a, b) = (reader.tensor(0)?.range, reader.tensor(1)?.range);
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
