//! Edits of a spec that change a part's `one`: the key that has it, and the keys that are tied to
//! it.
//!
//! | part | its key | keys that are tied to it |
//! |---|---|---|
//! | the transformer | `one` of `[transformer]` | `limit`, where the spec says it: clipping stays at the same numbers |
//! | an affine layer | `one` or `weights_one` | `shift` of the activations that read it, which keep their own `one`; `align` of outputs that read it |
//!
//! Whether the changed spec is right is decided by [`nnue_compiler::check()`].

use nnue_compiler::diagnostics::{Span, Spanned};
use nnue_compiler::network::{
    Elementwise, Network, Op, Pooling, Source, TRANSFORMER, TransformerActivation,
};
use nnue_compiler::operation::activation::ShiftedValue;
use nnue_compiler::spec::{self, Align};
use serde::Serialize;

/// A part of a network that can have a `one` of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The accumulator with the biases and the rows of the transformer.
    Transformer,
    /// The sums of the affine layer of this index, with its biases and weights.
    Layer(usize),
}

impl Part {
    /// All parts of a network: the transformer and then the layers, with or without a `one`.
    pub(super) fn all(network: &Network) -> impl Iterator<Item = Part> {
        let layers = (0..network.layers.len()).map(Part::Layer);
        [Part::Transformer].into_iter().chain(layers)
    }

    /// The name of the part: `transformer`, or that of the layer.
    pub(super) fn name(self, network: &Network) -> String {
        match self {
            Part::Transformer => TRANSFORMER.to_string(),
            Part::Layer(layer) => network.layers[layer].name.clone(),
        }
    }
}

/// A change of a key's value in a spec.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The table that has the key, such as `[transformer]` or `[[layer]] fc_0`.
    pub table: String,
    /// The name of the key.
    pub key: &'static str,
    /// The value in the spec, as TOML; `null` if the spec does not have the key.
    pub from: Option<String>,
    /// The proposed value, as TOML.
    pub to: String,
}

/// An edited spec, and the changes that were made.
pub(super) struct Edited {
    pub(super) spec: spec::Spec,
    pub(super) changes: Vec<Change>,
}

/// The part's `one` in the spec; `None` if the spec has several, or none.
pub(super) fn one(spec: &spec::Spec, network: &Network, part: Part) -> Option<i64> {
    match part {
        Part::Transformer => Some(spec.transformer.one.value),
        Part::Layer(layer) => {
            let affine = affine(spec, network, layer)?;
            match (&affine.weights_one, &affine.one) {
                (Some(weights_one), _) => Some(weights_one.value),
                (None, Some(one)) => match one.value.as_slice() {
                    [one] => Some(one.value),
                    _ => None,
                },
                (None, None) => None,
            }
        }
    }
}

/// The largest `one` that the language allows for a part, whatever its weights are.
pub(super) fn largest_one(network: &Network, part: Part) -> i64 {
    let transformer = &network.transformer;
    match (part, transformer.activation, transformer.pooling) {
        (Part::Layer(_), ..) => i32::MAX.into(),
        // Values that are pooled must fit in bytes. Squares are fastest where their roots do.
        (Part::Transformer, TransformerActivation::Screlu { .. }, _) if transformer.one <= 255 => {
            255
        }
        (Part::Transformer, TransformerActivation::Quantmoid4, _) => 127,
        (Part::Transformer, _, Pooling::None) => i16::MAX.into(),
        (Part::Transformer, ..) => 255,
    }
}

/// The spec with another `one` of a part; `None` if a key that is tied to it cannot follow.
pub(super) fn edit(spec: &spec::Spec, network: &Network, part: Part, to: i64) -> Option<Edited> {
    let from = one(spec, network, part)?;
    let mut edited = Edited {
        spec: spec.clone(),
        changes: Vec::new(),
    };
    match part {
        Part::Transformer => edit_transformer(&mut edited, from, to)?,
        Part::Layer(layer) => edit_layer(&mut edited, network, layer, (from, to))?,
    }
    Some(edited)
}

/// The spec with another `one` of a layer, and with `align = "exact"` for outputs and sums that
/// read the layer without an `align`; `None` if there are no such outputs and sums.
pub(super) fn edit_aligned(
    spec: &spec::Spec,
    network: &Network,
    part: Part,
    to: i64,
) -> Option<Edited> {
    let Part::Layer(layer) = part else {
        return None;
    };
    let mut edited = edit(spec, network, part, to)?;
    align_readers(&mut edited, network, layer).then_some(edited)
}

/// The spec with a `one` for each output of an affine layer that has the key `one`. Outputs and
/// sums that read the layer without an `align` get `align = "exact"`.
pub(super) fn edit_channels(
    spec: &spec::Spec,
    network: &Network,
    layer: usize,
    to: &[i64],
) -> Option<Edited> {
    let name = &network.layers[layer].name;
    let mut edited = Edited {
        spec: spec.clone(),
        changes: Vec::new(),
    };
    let spec::Op::Affine(affine) = op_mut(&mut edited.spec, name)? else {
        return None;
    };
    let before = affine.one.as_ref()?;
    let before: Vec<i64> = before.value.iter().map(|one| one.value).collect();
    affine.one = Some(spanned(to.iter().copied().map(spanned).collect()));
    let from = Some(list(&before));
    edited
        .changes
        .push(change(table_of_layer(name), "one", from, format!("{to:?}")));
    align_readers(&mut edited, network, layer);
    Some(edited)
}

/// Adds `align = "exact"` to all outputs and sums that read a layer without an `align`. Returns
/// whether there were any.
fn align_readers(edited: &mut Edited, network: &Network, layer: usize) -> bool {
    let name = &network.layers[layer].name;
    let before = edited.changes.len();
    let sums = network.layers.iter().filter(|reader| {
        let is_sum = matches!(reader.op, Op::Elementwise(Elementwise::Sum(_)));
        let mut inputs = reader.inputs.iter();
        is_sum && inputs.any(|slice| slice.source == Source::Layer(layer))
    });
    let mut read_by: Vec<String> = sums.map(|sum| table_of_layer(&sum.name)).collect();
    let reads = |terms: &Spanned<Vec<Spanned<spec::Reference>>>| {
        terms.value.iter().any(|term| term.value.name == *name)
    };
    if edited.spec.output.heads.iter().any(reads) {
        read_by.push(OUTPUT.to_string());
    }
    let heads = edited.spec.heads.iter().filter(|head| reads(&head.sum));
    read_by.extend(heads.map(|head| table_of_head(&head.name.value)));
    let Edited { spec, changes } = edited;
    for (table, alignment) in alignments(spec) {
        if read_by.contains(&table) && alignment.align.is_none() {
            alignment.align = Some(spanned(Align::Exact));
            changes.push(change(table, "align", None, "\"exact\"".to_string()));
        }
    }
    changes.len() > before
}

/// The spec with another `one` of the transformer, in which the weights of layers that read it keep
/// their `one`: the `one` of these layers' sums follows. `None` if a key cannot follow, or if the
/// layers' inputs have a `one` that is no power of the transformer's.
pub(super) fn edit_followed(spec: &spec::Spec, network: &Network, to: i64) -> Option<Edited> {
    let from = spec.transformer.one.value;
    let transformer = &network.transformer;
    let ratio = match (transformer.activation, transformer.pooling) {
        (TransformerActivation::Quantmoid4, _) => return None,
        (TransformerActivation::Screlu { .. }, Pooling::None) => (from * from, to * to),
        (
            TransformerActivation::None
            | TransformerActivation::Crelu { .. }
            | TransformerActivation::Relu { .. },
            Pooling::None,
        ) => (from, to),
        _ => return None,
    };
    let mut edited = edit(spec, network, Part::Transformer, to)?;
    for (layer, own) in network.layers.iter().enumerate() {
        let mut inputs = own.inputs.iter();
        if !inputs.any(|slice| slice.source == Source::Transformer) {
            continue;
        }
        let Some(spec::Op::Affine(affine)) = op_mut(&mut edited.spec, &own.name) else {
            return None;
        };
        if let Some(ones) = &mut affine.one {
            let before: Vec<i64> = ones.value.iter().map(|one| one.value).collect();
            let scaled = before.iter().map(|one| {
                let scaled = one.checked_mul(ratio.1)?;
                (scaled % ratio.0 == 0).then_some(scaled / ratio.0)
            });
            let after = scaled.collect::<Option<Vec<i64>>>()?;
            ones.value = after.iter().copied().map(spanned).collect();
            let table = table_of_layer(&own.name);
            edited
                .changes
                .push(change(table, "one", Some(list(&before)), list(&after)));
        }
        edit_readers(&mut edited, network, layer, ratio)?;
        align_readers(&mut edited, network, layer);
    }
    Some(edited)
}

/// The tables of the spec that have the key `align`.
pub(super) fn aligned_tables(spec: &spec::Spec) -> Vec<String> {
    let mut spec = spec.clone();
    let tables = alignments(&mut spec).into_iter();
    let tables = tables.filter(|(_, alignment)| alignment.align.is_some());
    tables.map(|(table, _)| table).collect()
}

/// The spec with another alignment in a table: by multipliers with `bits` bits, or exact. `None` if
/// nothing changes, or if a key would have to be removed.
pub(super) fn edit_alignment(spec: &spec::Spec, table: &str, bits: Option<i64>) -> Option<Edited> {
    let mut edited = Edited {
        spec: spec.clone(),
        changes: Vec::new(),
    };
    let Edited { spec, changes } = &mut edited;
    let mut all = alignments(spec).into_iter();
    let (_, alignment) = all.find(|(own, _)| own == table)?;
    let to = match bits {
        Some(_) => Align::Shift,
        None if alignment.bits.is_some() || alignment.error.is_some() => return None,
        None => Align::Exact,
    };
    let word = |align: Align| match align {
        Align::Exact => "\"exact\"".to_string(),
        Align::Shift => "\"shift\"".to_string(),
    };
    let from = alignment.align.as_ref().map(|align| align.value);
    if from != Some(to) {
        changes.push(change(table.into(), "align", from.map(word), word(to)));
        alignment.align = Some(spanned(to));
    }
    if let Some(bits) = bits {
        let before = alignment.bits.as_ref().map(|bits| bits.value);
        if before != Some(bits) {
            let from = before.map(|bits| bits.to_string());
            changes.push(change(table.into(), "bits", from, bits.to_string()));
            alignment.bits = Some(spanned(bits));
        }
    }
    (!edited.changes.is_empty()).then_some(edited)
}

const OUTPUT: &str = "[output]";

fn table_of_head(name: &str) -> String {
    format!("[[head]] {name}")
}

/// All alignments of a spec with their tables: those of sums, of the output and of further heads.
fn alignments(spec: &mut spec::Spec) -> Vec<(String, &mut spec::Alignment)> {
    let mut found = Vec::new();
    for layer in &mut spec.layers {
        let table = table_of_layer(&layer.name.value);
        if let spec::Op::Sum(sum) = &mut layer.op {
            found.push((table, &mut sum.alignment));
        }
    }
    found.push((OUTPUT.to_string(), &mut spec.output.scaling.alignment));
    for head in &mut spec.heads {
        let table = table_of_head(&head.name.value);
        found.push((table, &mut head.scaling.alignment));
    }
    found
}

/// A single number, or several numbers as a list in TOML.
fn list(numbers: &[i64]) -> String {
    match numbers {
        [number] => number.to_string(),
        numbers => format!("{numbers:?}"),
    }
}

fn edit_transformer(edited: &mut Edited, from: i64, to: i64) -> Option<()> {
    let transformer = &mut edited.spec.transformer;
    let table = || "[transformer]".to_string();
    transformer.one.value = to;
    edited.changes.push(change(
        table(),
        "one",
        Some(from.to_string()),
        to.to_string(),
    ));
    let has_limit = transformer.activation.value != spec::TransformerActivation::Relu;
    match &mut transformer.limit {
        Some(limit) => {
            let scaled = limit.value.checked_mul(to)?;
            if scaled % from != 0 {
                return None;
            }
            let scaled = scaled / from;
            let before = Some(limit.value.to_string());
            edited
                .changes
                .push(change(table(), "limit", before, scaled.to_string()));
            limit.value = scaled;
        }
        // The default limit is 127, whatever `one` is.
        None if !has_limit => return None,
        None => {}
    }
    Some(())
}

fn edit_layer(
    edited: &mut Edited,
    network: &Network,
    layer: usize,
    (from, to): (i64, i64),
) -> Option<()> {
    let name = &network.layers[layer].name;
    let spec::Op::Affine(affine) = op_mut(&mut edited.spec, name)? else {
        return None;
    };
    let key = match &mut affine.weights_one {
        Some(weights_one) => {
            weights_one.value = to;
            "weights_one"
        }
        None => {
            affine.one = Some(spanned(vec![spanned(to)]));
            "one"
        }
    };
    let table = table_of_layer(name);
    edited
        .changes
        .push(change(table, key, Some(from.to_string()), to.to_string()));
    edit_readers(edited, network, layer, (from, to))
}

/// Changes the shifts of the activations that read a layer, so that these keep their `one`.
fn edit_readers(
    edited: &mut Edited,
    network: &Network,
    layer: usize,
    (from, to): (i64, i64),
) -> Option<()> {
    let readers = network.layers.iter().filter(|reader| {
        let is_activation = matches!(reader.op, Op::Elementwise(Elementwise::Activations(_)));
        let mut inputs = reader.inputs.iter();
        is_activation && inputs.any(|slice| slice.source == Source::Layer(layer))
    });
    for reader in readers.filter(|reader| !reader.output.element.is_float()) {
        edit_shifts(edited, &reader.name, (from, to))?;
    }
    Some(())
}

/// Changes the shifts of an activation whose input has another `one`, so that its own stays.
fn edit_shifts(edited: &mut Edited, layer: &str, (from, to): (i64, i64)) -> Option<()> {
    let spec::Op::Activations(activations) = op_mut(&mut edited.spec, layer)? else {
        return None;
    };
    let shift = activations.shift.as_mut()?;
    let before: Vec<i64> = shift.value.iter().map(|shift| shift.value).collect();
    let doublings = (to as f64 / from as f64).log2();
    let functions = activations.functions.iter().enumerate();
    let after = functions.map(|(index, function)| {
        let shift = *before.get(index).or(before.first())?;
        let more = match function.value.shifted()? {
            ShiftedValue::Value if doublings.fract() == 0.0 => doublings,
            ShiftedValue::Square => (2.0 * doublings).round(),
            ShiftedValue::Value | ShiftedValue::WrappedSquare => return None,
        };
        Some(shift + more as i64)
    });
    let mut after = after.collect::<Option<Vec<i64>>>()?;
    if after.iter().all(|shift| *shift == after[0]) && before.len() == 1 {
        after.truncate(1);
    }
    if after == before {
        return Some(());
    }
    shift.value = after.iter().copied().map(spanned).collect();
    let [before, after] = [before, after].map(|shifts| list(&shifts));
    edited
        .changes
        .push(change(table_of_layer(layer), "shift", Some(before), after));
    Some(())
}

/// The operation of the layer with this name.
fn op_mut<'s>(spec: &'s mut spec::Spec, name: &str) -> Option<&'s mut spec::Op> {
    let mut layers = spec.layers.iter_mut();
    let own = layers.find(|own| own.name.value == *name)?;
    Some(&mut own.op)
}

fn affine<'s>(spec: &'s spec::Spec, network: &Network, layer: usize) -> Option<&'s spec::Affine> {
    let name = &network.layers[layer].name;
    let own = spec.layers.iter().find(|own| own.name.value == *name)?;
    match &own.op {
        spec::Op::Affine(affine) => Some(affine),
        _ => None,
    }
}

fn table_of_layer(name: &str) -> String {
    format!("[[layer]] {name}")
}

fn change(table: String, key: &'static str, from: Option<String>, to: String) -> Change {
    Change {
        table,
        key,
        from,
        to,
    }
}

/// A value without a place in the text of a spec.
fn spanned<T>(value: T) -> Spanned<T> {
    Spanned {
        value,
        span: Span::default(),
    }
}

#[cfg(test)]
mod tests {
    use nnue_compiler::operation::test_operation;

    use super::*;

    #[test]
    fn a_shift_follows_as_its_operation_says() {
        let (spec, network) = test_operation::network();
        let edited = edit(&spec, &network, Part::Layer(0), 2 * 8128).expect("its shift follows");
        let shift = change(
            "[[layer]] ac_0".into(),
            "shift",
            Some("6".into()),
            "7".into(),
        );
        assert!(edited.changes.contains(&shift), "{:?}", edited.changes);
        assert!(edit(&spec, &network, Part::Layer(0), 3 * 8128).is_none());
    }
}
