//! Squares of neurons: the layer that makes large ones, and the `divide` that belongs to them.
//!
//! The transformer squares what fits in bytes. Larger squares have 32 bits, and are made by a layer
//! that the spec does not name.
//!
//! `screlu` makes 255 * 255 of 1.0. Engines divide the sums of these squares by 255, so that what
//! 1.0 is in them is 255 times what it is in the weights, as in the biases. Where an activation is
//! replaced in a spec, its `divide` is easily forgotten; nothing but bad play would show it.

use nnue_format::{Element, Section};

use super::value::place;
use crate::diagnostics::{Diagnostics, Spanned};
use crate::network::file::Role;
use crate::network::{Affine, File, Layer, Op as CheckedOp, TRANSFORMER, WeightType};
use crate::operation::affine::Keys;
use crate::operation::neuron::{LARGEST_BYTE, Name};
use crate::operation::{Op, pooling, product};
use crate::spec::{self, Reference, Spec};

/// Weights of `i16` in which this stands for 1.0 hold less than 4.0.
const LARGE_ONE: u64 = 8192;

/// Biases of `i16` in which more than this stands for 1.0 are less than 1/16.
const LARGEST_ONE_OF_BIASES: u32 = 1 << 19;

/// Other mistakes that may explain squares and a divisor that do not go together.
pub(crate) const OR_THE_ACTIVATION: &str = "or it is the activation that is wrong";

/// The name of the layer that makes squares, if no layer of the spec has it.
const SQUARES: &str = "squares";

/// The spec in which a layer makes the squares that the transformer cannot make: those of `screlu`
/// with a `one` above 255, unless they are not shifted and the layers that read them square while
/// they multiply, and those of `sqr_relu`, which are not clipped. `None` for other specs.
pub(super) fn by_layer(spec: &Spec) -> Option<Spec> {
    let transformer = &spec.transformer;
    let Spanned { value: name, span } = transformer.activation;
    let is_large = transformer.one.value > i64::from(LARGEST_BYTE);
    let (activation, limit) = match name {
        Name::Screlu if is_large => (Name::Crelu, None),
        Name::SqrRelu => (Name::Relu, Some(Spanned::new(i64::from(i16::MAX), span))),
        _ => return None,
    };
    let shift = transformer.shift.as_ref().filter(|shift| shift.value != 0);
    let of_clipped = activation == Name::Crelu;
    // The check of the transformer reports other shifts.
    let fits = |shift: &Spanned<i64>| of_clipped && (0..=15).contains(&shift.value);
    let keys_fit = transformer.limit.is_none() && transformer.shift.as_ref().is_none_or(fits);
    if pooling::name(transformer) != spec::Pooling::None || !keys_fit {
        return None;
    }
    let squares_in_layers = [WeightType::I8, WeightType::I16];
    if of_clipped && shift.is_none() && are_inputs_of_rows(spec, &squares_in_layers) {
        return None;
    }
    let keys = product::Keys {
        shift: Some(Spanned::new(
            vec![shift.cloned().unwrap_or(Spanned::new(0, span))],
            span,
        )),
        one: None,
        rounding: transformer.rounding.clone(),
    };
    let mut spec = spec.clone();
    (spec.transformer.shift, spec.transformer.rounding) = (None, None);
    spec.transformer.activation.value = activation;
    spec.transformer.limit = limit;
    let mut name = String::from(SQUARES);
    while spec.layers.iter().any(|layer| layer.name.value == name) {
        name.push('2');
    }
    let inputs = spec
        .layers
        .iter_mut()
        .filter_map(|layer| layer.input.as_mut());
    let references = inputs.chain(spec.output.unread.as_mut());
    for reference in references.flat_map(|references| &mut references.value) {
        if reference.value.name == TRANSFORMER {
            reference.value.name.clone_from(&name);
        }
    }
    let neurons = Reference {
        name: TRANSFORMER.into(),
        range: (None, None),
        negative: false,
    };
    let factors = [(); 2].map(|()| Spanned::new(neurons.clone(), span));
    let squares = spec::Layer {
        name: Spanned::new(name, span),
        input: Some(Spanned::new(factors.into(), span)),
        op: Op::Product(keys),
        span,
    };
    spec.layers.insert(0, squares);
    Some(spec)
}

/// Whether all layers that read the transformer are affine, and multiply whole rows of weights of
/// these types with its values and no others.
pub(super) fn are_inputs_of_rows(spec: &Spec, weights: &[WeightType]) -> bool {
    let is_neurons = |reference: &Spanned<Reference>| reference.value.name == TRANSFORMER;
    let mut readers = spec.layers.iter().enumerate().filter_map(|(index, layer)| {
        let inputs = layer.input.as_ref();
        match inputs {
            None => (index == 0).then_some((layer, true)),
            Some(Spanned { value: inputs, .. }) => {
                let reads = inputs.iter().any(is_neurons);
                reads.then(|| (layer, inputs.iter().all(is_neurons)))
            }
        }
    });
    readers.all(|(layer, alone)| match &layer.op {
        Op::Affine(keys) => {
            let others = [
                place("sparse", &keys.sparse),
                place("output_blocks", &keys.output_blocks),
                place("shards", &keys.shards),
                place("scales", &keys.scales),
            ];
            alone && weights.contains(&keys.weights.value) && others.iter().all(Option::is_none)
        }
        _ => false,
    })
}

/// The integer that stands for 1.0 before squaring, if squares stand in `one`.
pub(crate) fn root(one: u32) -> Option<u32> {
    let root = one.isqrt();
    (root > 1 && root * root == one).then_some(root)
}

/// What to do about the `divide` of a layer in whose sums 1.0 is `found`, where 1.0 is `expected`
/// in what reads them; `None` if `divide` does not explain the difference.
pub(super) fn advice(
    layer: &spec::Layer,
    checked: &Layer,
    found: u32,
    expected: u32,
) -> Option<String> {
    let (Op::Affine(keys), CheckedOp::Affine(affine)) = (&layer.op, &checked.op) else {
        return None;
    };
    let name = &layer.name.value;
    let advice = match affine.divide {
        Some(divide) => {
            let by = divide.by.unsigned_abs();
            let is_left_over = by == affine.inputs_one && found.checked_mul(by) == Some(expected);
            is_left_over.then(|| format!("`{name}` reads no squares: remove `divide = {by}`"))
        }
        None => {
            let root = root(affine.inputs_one)?;
            let is_missing = expected.checked_mul(root) == Some(found);
            is_missing.then(|| missing(name, root))
        }
    }?;
    let one = match &keys.one {
        Some(_) => format!(" and write `one = {expected}` there"),
        None => String::new(),
    };
    Some(format!("{advice}{one}, {OR_THE_ACTIVATION}"))
}

/// The advice for a layer that reads squares without dividing their sums.
pub(crate) fn missing(name: &str, root: u32) -> String {
    format!("`{name}` reads squares, in which 1.0 is {root} * {root}: add `divide = {root}` to it")
}

/// Reports a `divide` of a file of bullet that is left over: weights of `i16` would have a `one`
/// that no trainer gives them.
pub(super) fn check_bullet(spec: &Spec, layers: &[Layer], diagnostics: &mut Diagnostics) {
    for (layer, checked) in spec.layers.iter().zip(layers) {
        if let (Op::Affine(keys), CheckedOp::Affine(affine)) = (&layer.op, &checked.op)
            && (affine.weights == WeightType::I16 || affine.stored == Some(Element::I16))
            && let Some(one) = checked.output.one.shared()
        {
            check_left_over(&layer.name.value, keys, affine, one, diagnostics);
        }
    }
}

/// Reports a layer of a file of bullet whose biases would be next to nothing as the `i16` that the
/// file has: where squares are not divided, 1.0 is far more than that in their sums.
pub(super) fn check_biases(
    spec: &Spec,
    layers: &[Layer],
    file: &File,
    diagnostics: &mut Diagnostics,
) {
    let tensors = file.sections.iter().filter_map(Section::as_tensor);
    for tensor in tensors.filter(|tensor| tensor.stored.element == Element::I16) {
        let Role::LayerBiases(index) = tensor.role else {
            continue;
        };
        let (Op::Affine(keys), CheckedOp::Affine(affine)) =
            (&spec.layers[index].op, &layers[index].op)
        else {
            continue;
        };
        let one = layers[index].output.one.shared();
        let Some(one) = one.filter(|one| *one > LARGEST_ONE_OF_BIASES) else {
            continue;
        };
        let name = &spec.layers[index].name.value;
        let most = f64::from(i16::MAX) / f64::from(one);
        let key = keys.one.as_ref().map(|one| one.span);
        let key = key.or(keys.weights_one.as_ref().map(|one| one.span));
        let root = root(affine.inputs_one).filter(|_| affine.divide.is_none());
        let help = match root {
            Some(root) => {
                let sums = match &keys.one {
                    Some(_) => format!(" and write `one = {}` there", one / root),
                    None => String::new(),
                };
                format!("{}{sums}, {OR_THE_ACTIVATION}", missing(name, root))
            }
            None => "the entry of biases that the file has in 32 bits has `type = \"i32\"`".into(),
        };
        let message = format!(
            "1.0 is {one} in the biases of `{name}`, which would be at most {most:.3} as `i16`"
        );
        let span = key.unwrap_or(spec.layers[index].span);
        diagnostics.error(span, message).help(help);
    }
}

fn check_left_over(
    name: &str,
    keys: &Keys,
    affine: &Affine,
    one: u32,
    diagnostics: &mut Diagnostics,
) {
    let (Some(divide), Some(key)) = (affine.divide, &keys.divide) else {
        return;
    };
    let by = divide.by.unsigned_abs();
    if by != affine.inputs_one {
        return;
    }
    // Ones of weights are powers of two.
    let has_factor = !by.is_power_of_two() && one > by && one.is_multiple_of(by);
    if !has_factor && u64::from(one) < LARGE_ONE {
        return;
    }
    let most = f64::from(i16::MAX) / f64::from(one);
    let message = format!(
        "1.0 is {one} in the weights of `{name}`, which would be at most {most:.1} as `i16`"
    );
    diagnostics
        .error(key.span, message)
        .label(format!("1.0 is {by} in its inputs, which are no squares"))
        .help(format!("remove `divide = {by}`, {OR_THE_ACTIVATION}"));
}
