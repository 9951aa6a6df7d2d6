//! Checks `neuron_order`: that it has each output once, and that no layer notices the order.

use nnue_format::OrderError;

use crate::diagnostics::{Diagnostics, Spanned};
use crate::network::Network;

/// The order as numbers, empty where it changes nothing. The network is complete except for the
/// order.
pub(crate) fn check(
    order: &Spanned<Vec<Spanned<i64>>>,
    network: &Network,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<usize>> {
    if !network.transformer.neuron_order.is_empty() {
        let message = "found a second order of neurons, for the spec has `neuron_order` too";
        diagnostics
            .error(order.span, message)
            .help("keep one of the two");
        return None;
    }
    let outputs = network.outputs();
    let allowed = format!("expected each number from 0 to {} once", outputs.count - 1);
    // A number below 0 is not the number of an output, as no number above all outputs is.
    let number = |entry: &Spanned<i64>| usize::try_from(entry.value).unwrap_or(usize::MAX);
    let numbers: Vec<usize> = order.value.iter().map(number).collect();
    let Err(error) = outputs.check(&numbers) else {
        let is_same = numbers.iter().copied().eq(0..outputs.count);
        return Some(if is_same { Vec::new() } else { numbers });
    };
    let place_of = |output: usize| numbers.iter().position(|number| *number == output);
    let (index, help) = match error {
        OrderError::Len { found, expected } => {
            let message = format!(
                "`neuron_order` has {found} entries, expected {expected}: one for each value of a \
                 perspective that the layers read"
            );
            diagnostics.error(order.span, message);
            return None;
        }
        OrderError::Entry { index, .. } => {
            let entry = &order.value[index];
            let first = place_of(numbers[index]).filter(|first| *first < index);
            match first {
                Some(first) => diagnostics
                    .error(
                        entry.span,
                        format!("`neuron_order` has {} twice", entry.value),
                    )
                    .label(allowed)
                    .related(order.value[first].span, "here too"),
                None => {
                    let message = format!("`neuron_order[{index}]` is {}", entry.value);
                    diagnostics.error(entry.span, message).label(allowed)
                }
            };
            return None;
        }
        OrderError::ReadApart { place, .. } => (
            place,
            "two outputs may change places where each layer reads both of them or neither",
        ),
        OrderError::Kept { output, .. } => (
            place_of(output).unwrap_or_default(),
            "readers of that layer know the outputs by their places: leave it where it is",
        ),
        _ => (0, "no layer may notice the order"),
    };
    let error = diagnostics.error(order.value[index].span, error.to_string());
    error.help(help);
    None
}
