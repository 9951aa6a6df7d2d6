//! Checks the transformer: follows the values from the accumulators to the layers' inputs, and
//! computes the range of each step.

use crate::diagnostics::Diagnostics;
use crate::network::{Element, Pooling, Transformer, TransformerActivation, WeightType};
use crate::operation::{neuron, pooling};
use crate::spec::{self, Pairs, PairsKey, Spec};

use super::value::{in_range, place};
use super::{perspectives, psqt, squares};

/// The largest width: several times that of any network in `specs`.
const MAX_WIDTH: i64 = 16384;

pub(super) fn check(spec: &Spec, diagnostics: &mut Diagnostics) -> Option<Transformer> {
    let transformer = &spec.transformer;
    let width = in_range("width", &transformer.width, 1..=MAX_WIDTH, diagnostics);
    let psqt = psqt::check(spec, diagnostics);
    let perspectives = perspectives::check(transformer, diagnostics);
    let is_pooled = pooling::name(transformer) != spec::Pooling::None;
    let one = neuron::check_one(transformer, is_pooled, diagnostics);
    let keys_fit = check_keys(transformer, diagnostics);
    let (one, width) = (one?, width? as usize);
    keys_fit.then_some(())?;
    let activation = neuron::check(transformer, one, diagnostics)?;
    let activated = activation.values(one);
    let pooling = pooling::check(transformer, activated, diagnostics)?;
    let unpooled = check_unpooled(transformer, width, diagnostics)?;
    check_even(transformer, pooling, unpooled, diagnostics);

    let pooled_neurons = width - unpooled;
    let block = check_block(transformer, pooled_neurons, diagnostics)?;
    let half = match pooling {
        Pooling::None => width,
        _ => pooled_neurons / 2,
    };
    let pooled = pooling.values(activated);
    let perspectives = perspectives?;
    let (psqt, psqt_sums) = psqt?;
    let accumulator = TransformerActivation::None;
    let sums = accumulator.tensor(accumulator.values(one), perspectives.count * unpooled);
    let mut output = activation.tensor(pooled, perspectives.count * half);
    // Bytes would have to be widened again.
    if output.element == Element::U8
        && pooling == Pooling::None
        && squares::are_inputs_of_rows(spec, &[WeightType::I16])
    {
        output.element = Element::I16;
    }
    Some(Transformer {
        width,
        one,
        psqt,
        psqt_sums,
        activation,
        activated: activation.tensor(activated, pooled_neurons),
        pooling,
        block,
        perspectives,
        output,
        unpooled: (unpooled > 0).then_some(sums),
        // It is checked when it is known who reads the outputs.
        neuron_order: Vec::new(),
    })
}

/// Whether the activation and the pooling have all keys that the spec gives.
fn check_keys(transformer: &spec::Transformer, diagnostics: &mut Diagnostics) -> bool {
    use spec::TransformerActivation as Name;
    let activation = transformer.activation.value;
    let pooling = pooling::name(transformer);
    let shifted = Name::all(Name::has_shift);
    let rounded = Name::all(Name::has_rounding);
    let limited = Name::all(Name::has_limit);
    let is_pooled = pooling != spec::Pooling::None;
    let owners = [
        (
            place("shift", &transformer.shift),
            activation.has_shift(),
            shifted.as_str(),
            "products are shifted by `product_shift`",
        ),
        (
            place("rounding", &transformer.rounding),
            activation.has_rounding(),
            rounded.as_str(),
            "products are rounded by `product_rounding`",
        ),
        (
            place("limit", &transformer.limit),
            activation.has_limit(),
            limited.as_str(),
            "the other activations are clipped at their one: remove it, or correct `activation`",
        ),
        (
            place("clips_one", &transformer.clips_one),
            activation.has_limit(),
            limited.as_str(),
            "the other activations are clipped at their one: remove it, or correct `activation`",
        ),
        (
            place("product_shift", &transformer.product_shift),
            pooling == spec::Pooling::Product,
            "`pooling = \"product\"`",
            "remove it, or say which pooling is meant",
        ),
        (
            place("product_rounding", &transformer.product_rounding),
            pooling == spec::Pooling::Product,
            "`pooling = \"product\"`",
            "remove it, or say which pooling is meant",
        ),
        (
            transformer
                .pairs
                .as_ref()
                .map(|pairs| ("pairs", pairs.span())),
            is_pooled,
            "a `pooling`",
            "remove it, or say which pooling is meant",
        ),
        (
            place("unpooled", &transformer.unpooled),
            is_pooled,
            "a `pooling`",
            "without one, no neuron is pooled: remove it",
        ),
        (
            place("pooling", &transformer.pooling),
            !is_pooled || activation != Name::None,
            "activated values",
            "say which activation is meant: `activation = \"crelu\"`",
        ),
    ];
    let mut fit = true;
    for (key, is_right, owner, help) in owners {
        if let (Some((key, span)), false) = (key, is_right) {
            diagnostics
                .error(span, format!("`{key}` needs {owner}"))
                .help(help);
            fit = false;
        }
    }
    fit
}

/// The number of a perspective's neurons that are not pooled.
fn check_unpooled(
    transformer: &spec::Transformer,
    width: usize,
    diagnostics: &mut Diagnostics,
) -> Option<usize> {
    let Some(unpooled) = &transformer.unpooled else {
        return Some(0);
    };
    // At least two neurons are pooled.
    if width < 3 {
        let message = format!("`unpooled` is {}, but width is {width}", unpooled.value);
        diagnostics
            .error(unpooled.span, message)
            .help("two neurons at least are pooled");
        return None;
    }
    let most = width as i64 - 2;
    in_range("unpooled", unpooled, 1..=most, diagnostics).map(|unpooled| unpooled as usize)
}

/// Reports an odd number of neurons that would be pooled. No error of a layer follows from it, so
/// layers are checked all the same.
fn check_even(
    transformer: &spec::Transformer,
    pooling: Pooling,
    unpooled: usize,
    diagnostics: &mut Diagnostics,
) {
    let width = &transformer.width;
    let pooled = width.value - unpooled as i64;
    if let Some(unpooled) = &transformer.unpooled
        && pooled % 2 != 0
    {
        let message = format!(
            "{pooled} of {} neurons are pooled, expected an even number",
            width.value
        );
        diagnostics
            .error(unpooled.span, message)
            .related(width.span, "the width")
            .help("pooling makes one value of two");
        return;
    }
    if pooling != Pooling::None && pooled % 2 != 0 {
        diagnostics
            .error(width.span, format!("width {} is odd", width.value))
            .label(format!(
                "{} or {} would fit",
                width.value - 1,
                width.value + 1
            ))
            .help("pooling makes one value of two");
    }
}

/// The number of neurons of a block whose halves are pooled with each other.
fn check_block(
    transformer: &spec::Transformer,
    pooled: usize,
    diagnostics: &mut Diagnostics,
) -> Option<usize> {
    let block = match &transformer.pairs {
        None => return Some(pooled),
        Some(PairsKey::Named(pairs)) => {
            return Some(match pairs.value {
                Pairs::Halves => pooled,
                Pairs::Neighbours => 2,
            });
        }
        Some(PairsKey::Blocks(block)) => block,
    };
    let len = in_range("block", block, 2..=MAX_WIDTH, diagnostics)? as usize;
    if !len.is_multiple_of(2) || !pooled.is_multiple_of(len) {
        let message =
            format!("`block` is {len}, expected an even number that divides {pooled} neurons");
        let error = diagnostics.error(block.span, message);
        error.related(transformer.width.span, "the width");
        return None;
    }
    Some(len)
}
