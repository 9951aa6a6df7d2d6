//! Makes a [`Network`] of a [`Spec`]: checks shapes, the integers that stand for 1.0, ranges and
//! references. All mistakes are reported at once, and no later stage can fail. What depends on a
//! mistake is not checked, because a further error would only repeat the cause.

pub(crate) mod alignment;
mod features;
mod file;
pub(crate) mod fixed_point;
mod layers;
mod neuron_order;
mod output;
mod perspectives;
mod psqt;
pub(crate) mod reader;
pub(crate) mod squares;
pub(crate) mod stacks;
mod transformer;
mod unread;
pub(crate) mod value;

pub(crate) use neuron_order::check as check_neuron_order;
pub(crate) use output::EVALUATION;

use crate::decode::table::check_seen;
use crate::diagnostics::{Diagnostics, Spanned, all};
use crate::network::Network;
use crate::spec::{self, Spec};
use value::allowed_length;

/// Checks a spec, or reports everything that is wrong with it and returns `None`.
pub fn check(spec: &Spec, diagnostics: &mut Diagnostics) -> Option<Network> {
    let with_squares = squares::by_layer(spec);
    let spec = with_squares.as_ref().unwrap_or(spec);
    let name = name_of(&spec.name, diagnostics);
    let features = features::check(spec, diagnostics);
    let stacks = stacks::check(spec.stacks.as_ref(), diagnostics);
    let transformer = transformer::check(spec, diagnostics);
    let layers = layers::check(spec, transformer.as_ref(), diagnostics);
    let output = output::check(spec, &layers, diagnostics);
    let layers = all(layers.into_iter());
    if let (Some(transformer), Some(layers), Some(output)) = (&transformer, &layers, &output) {
        unread::check(spec, transformer, layers, output, diagnostics);
        if let spec::File::Bullet(_) = spec.file {
            squares::check_bullet(spec, layers, diagnostics);
        }
    }
    let parts = file::Parts {
        features: features.as_deref(),
        transformer: transformer.as_ref(),
        stacks: stacks.as_ref(),
        layers: layers.as_deref(),
        output: output.as_ref(),
    };
    let file = file::check(&spec.file, parts, diagnostics);
    if let (spec::File::Bullet(_), Some(file), Some(layers)) = (&spec.file, &file, &layers) {
        squares::check_biases(spec, layers, file, diagnostics);
    }
    let mut network = Network {
        name: name?,
        features: features?,
        transformer: transformer?,
        stacks: stacks?,
        layers: layers?,
        output: output?,
        file: file?,
    };
    if let Some(order) = &spec.transformer.neuron_order {
        network.transformer.neuron_order = check_neuron_order(order, &network, diagnostics)?;
    }
    Some(network)
}

fn name_of(name: &Spanned<String>, diagnostics: &mut Diagnostics) -> Option<String> {
    match check_name(&name.value) {
        Ok(()) => Some(name.value.clone()),
        Err(message) => {
            diagnostics.error(name.span, message);
            None
        }
    }
}

/// Checks a name before a spec with it is written.
///
/// # Errors
///
/// Why no network can have this name, in the words of the error for a spec.
pub fn check_name(name: &str) -> Result<(), String> {
    if name.trim().is_empty() {
        return Err("`name` is empty, expected what the network is called".into());
    }
    check_seen("name", name)?;
    allowed_length(name)
}
