//! Checks the layers of a stack: which values each layer reads, whether they fit, and which tensor
//! it computes.

use crate::diagnostics::{Diagnostics, Span, Spanned, all};
use crate::network::{
    Element, Layer, MAX_LAYERS, PSQT, Slice, Source, TRANSFORMER, Tensor, Transformer, UNPOOLED,
};
use crate::spec::{self, Reference, Spec};

use super::reader::{Header, Input, Reader};
use super::value::check_length;

/// The largest number of references in `input` of a layer or in a sum.
const MAX_REFERENCES: usize = 256;

/// The largest number of values that a layer reads: twice the largest transformer's output.
const MAX_INPUTS: usize = 65536;

/// The transformer and the layers that were checked so far. A part that has a mistake is `None`.
struct Scope<'a> {
    spec: &'a Spec,
    transformer: Option<&'a Transformer>,
    layers: Vec<Option<Layer>>,
}

/// Checks all layers and reports everything that is wrong with them. A layer that is wrong, or that
/// reads a wrong layer, becomes `None`.
pub(super) fn check(
    spec: &Spec,
    transformer: Option<&Transformer>,
    diagnostics: &mut Diagnostics,
) -> Vec<Option<Layer>> {
    if let Some(excess) = spec.layers.get(MAX_LAYERS) {
        let found = spec.layers.len();
        let message = format!("there are {found} layers, allowed are at most {MAX_LAYERS}");
        diagnostics.error(excess.span, message);
        return vec![None; found];
    }
    check_names(&spec.layers, diagnostics);
    let mut scope = Scope {
        spec,
        transformer,
        layers: Vec::new(),
    };
    for (index, layer) in spec.layers.iter().enumerate() {
        let checked = scope.check_layer(index, layer, diagnostics);
        scope.layers.push(checked);
    }
    scope.layers
}

fn check_names(layers: &[spec::Layer], diagnostics: &mut Diagnostics) {
    for (index, layer) in layers.iter().enumerate() {
        let name = &layer.name;
        if check_length(name, diagnostics).is_none() {
            continue;
        }
        if name.value == TRANSFORMER {
            diagnostics
                .error(name.span, format!("no layer can be called `{TRANSFORMER}`"))
                .label("this name stands for the transformer's output");
        } else if name.value == UNPOOLED {
            diagnostics
                .error(name.span, format!("no layer can be called `{UNPOOLED}`"))
                .label("this name stands for the transformer's neurons that are not pooled");
        } else if name.value == PSQT {
            diagnostics
                .error(name.span, format!("no layer can be called `{PSQT}`"))
                .label("this name stands for the sums of PSQT values");
        } else if !is_good_name(&name.value) {
            let message = format!("`{}` cannot be the name of a layer", name.value);
            let error = diagnostics.error(name.span, message).label(
                "expected lowercase letters and digits, a letter first, joined by single `_`",
            );
            let lowercase = name.value.to_lowercase();
            if is_good_name(&lowercase) {
                error.help(format!("write `{lowercase}`"));
            }
        }
        let mut above = layers[..index].iter();
        if let Some(first) = above.find(|first| first.name.value == name.value) {
            diagnostics
                .error(name.span, format!("two layers are called `{}`", name.value))
                .related(first.name.span, "the first");
        }
    }
}

/// Whether a layer can have this name: references can spell it, and names in generated code that
/// contain it cause no warning.
pub(super) fn is_good_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    ![TRANSFORMER, UNPOOLED, PSQT].contains(&name)
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .split('_')
            .all(|word| !word.is_empty() && word.chars().all(allowed))
}

impl Scope<'_> {
    fn tensor(&self, source: Source) -> Option<&Tensor> {
        match source {
            Source::Transformer => Some(&self.transformer?.output),
            Source::Unpooled => self.transformer?.unpooled.as_ref(),
            Source::Psqt => self.transformer?.psqt_sums.as_ref(),
            Source::Layer(index) => self.layers[index].as_ref().map(|layer| &layer.output),
        }
    }

    fn name(&self, source: Source) -> &str {
        match source {
            Source::Transformer => TRANSFORMER,
            Source::Unpooled => UNPOOLED,
            Source::Psqt => PSQT,
            Source::Layer(index) => &self.spec.layers[index].name.value,
        }
    }

    fn check_layer(
        &self,
        index: usize,
        layer: &spec::Layer,
        diagnostics: &mut Diagnostics,
    ) -> Option<Layer> {
        let inputs = self.inputs(index, layer, diagnostics);
        let header = Header {
            name: &layer.name.value,
            span: layer.span,
        };
        let reader = inputs.as_deref().and_then(|inputs| {
            Some(Reader {
                layer: header,
                inputs: self.read(layer, inputs)?,
                inputs_span: layer.input.as_ref().map(|input| input.span),
            })
        });
        let (op, output) = layer.op.check(header, reader, diagnostics)?;
        let shared = layer.op.shared().filter(|shared| shared.value);
        if let Some(shared) = shared {
            self.check_shared(shared, diagnostics)?;
        }
        Some(Layer {
            name: layer.name.value.clone(),
            op,
            inputs: inputs?,
            output,
            shared: shared.is_some(),
            factorised: layer.op.is_factorised(),
        })
    }

    /// The values of these slices, as the check of the layer's operation sees them.
    fn read<'s>(&'s self, layer: &spec::Layer, slices: &[Slice]) -> Option<Vec<Input<'s>>> {
        let inputs = slices.iter().enumerate().map(|(index, slice)| {
            let op = match slice.source {
                Source::Layer(index) => Some(&self.spec.layers[index].op),
                Source::Transformer | Source::Unpooled | Source::Psqt => None,
            };
            Some(Input {
                slice: *slice,
                tensor: self.tensor(slice.source)?,
                name: self.name(slice.source),
                span: input_span(layer, index),
                in_whole_vectors: slice.source == Source::Transformer && self.has_whole_vectors(),
                of_affine: matches!(op, Some(spec::Op::Affine(_))),
                of_product: matches!(op, Some(spec::Op::Product(_))),
            })
        });
        inputs.collect()
    }

    /// Whether the transformer's output is bytes that fill whole vectors, one perspective after the
    /// other.
    fn has_whole_vectors(&self) -> bool {
        self.transformer.is_some_and(|transformer| {
            let (count, half) = (transformer.perspectives.count, transformer.half());
            let first_strides = transformer.perspectives.stride(0, half);
            let in_order = count == 1 || first_strides == (0, 1);
            transformer.output.element == Element::U8 && half.is_multiple_of(64) && in_order
        })
    }

    /// Reports `shared` where there are not several stacks that can share a layer.
    fn check_shared(&self, shared: &Spanned<bool>, diagnostics: &mut Diagnostics) -> Option<()> {
        let count = self.spec.stacks.as_ref().map(|stacks| &stacks.count);
        if count.is_some_and(|count| count.value != 1) {
            return Some(());
        }
        let error = diagnostics.error(shared.span, "`shared` with one stack");
        if let Some(count) = count {
            error.related(count.span, "there are no others");
        }
        error.help(
            "it is for what all stacks share: remove it, or say how many there are in `[stacks]`",
        );
        None
    }

    /// The slices that a layer reads: those that it names, or the whole output of the layer above.
    fn inputs(
        &self,
        index: usize,
        layer: &spec::Layer,
        diagnostics: &mut Diagnostics,
    ) -> Option<Vec<Slice>> {
        let Some(references) = &layer.input else {
            let source = index
                .checked_sub(1)
                .map_or(Source::Transformer, Source::Layer);
            let slices = vec![Slice {
                source,
                start: 0,
                len: self.tensor(source)?.len,
            }];
            return self
                .check_narrow(index, &slices, diagnostics)
                .map(|()| slices);
        };
        check_count(references, diagnostics)?;
        let slices = all(references
            .value
            .iter()
            .map(|reference| self.slice(index, reference, diagnostics)))?;
        self.check_narrow(index, &slices, diagnostics)?;
        let found: usize = slices.iter().map(|slice| slice.len).sum();
        if found > MAX_INPUTS {
            let message = format!("these are {found} values, allowed are at most {MAX_INPUTS}");
            diagnostics.error(references.span, message);
            return None;
        }
        Some(slices)
    }

    /// Reports a layer that reads sums of 64 bits.
    fn check_narrow(
        &self,
        index: usize,
        slices: &[Slice],
        diagnostics: &mut Diagnostics,
    ) -> Option<()> {
        let element = |slice: &Slice| self.tensor(slice.source).map(|tensor| tensor.element);
        let wide = slices
            .iter()
            .position(|slice| element(slice) == Some(Element::I64));
        let Some(wide) = wide else {
            return Some(());
        };
        let layer = &self.spec.layers[index];
        let message = format!(
            "`{}` reads `{}`, whose sums have 64 bits",
            layer.name.value,
            self.name(slices[wide].source)
        );
        diagnostics
            .error(input_span(layer, wide), message)
            .help("only the output's `sum` reads them");
        None
    }

    fn slice(
        &self,
        index: usize,
        reference: &Spanned<Reference>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Slice> {
        let name = &reference.value.name;
        if reference.value.negative {
            diagnostics
                .error(reference.span, format!("`-{name}` cannot be an input"))
                .help("only the output's `sum` can subtract");
            return None;
        }
        let source = if name == TRANSFORMER {
            Source::Transformer
        } else if name == UNPOOLED {
            check_unpooled(self.transformer?, reference, diagnostics)?;
            Source::Unpooled
        } else if name == PSQT {
            check_psqt(self.transformer?, reference, diagnostics)?;
            Source::Psqt
        } else {
            match layer_named(self.spec, name) {
                None => {
                    self.unknown_input(index, reference, diagnostics);
                    return None;
                }
                Some(found) if found >= index => {
                    self.late_input(index, found, reference, diagnostics);
                    return None;
                }
                Some(found) => Source::Layer(found),
            }
        };
        let tensor = self.tensor(source)?;
        resolve_range(reference, tensor, diagnostics).map(|(start, len)| Slice {
            source,
            start,
            len,
        })
    }

    fn unknown_input(
        &self,
        index: usize,
        reference: &Spanned<Reference>,
        diagnostics: &mut Diagnostics,
    ) {
        let name = &reference.value.name;
        let layers = &self.spec.layers[..index];
        let known = layers.iter().map(|layer| layer.name.value.as_str());
        let message = format!("there is no layer `{name}`");
        let known = std::iter::once(TRANSFORMER).chain(known);
        diagnostics.unknown(reference.span, message, name, known);
    }

    /// Reports a layer that reads itself or a later layer: this is a cycle, or just the wrong
    /// order.
    fn late_input(
        &self,
        index: usize,
        found: usize,
        reference: &Spanned<Reference>,
        diagnostics: &mut Diagnostics,
    ) {
        let name = |index| self.name(Source::Layer(index));
        let target = &self.spec.layers[found];
        match self.path(found, index, &mut Vec::new()) {
            Some(path) => {
                let cycle: Vec<&str> = std::iter::once(index).chain(path).map(name).collect();
                let message = format!("`{}` is cyclic: {}", name(index), cycle.join(" reads "));
                diagnostics
                    .error(reference.span, message)
                    .label("closes the cycle");
            }
            None => {
                let message = format!(
                    "`{}` comes after `{}`, which reads it",
                    name(found),
                    name(index)
                );
                diagnostics
                    .error(reference.span, message)
                    .related(target.name.span, "defined here")
                    .help(format!(
                        "move the table of `{}` above this one",
                        name(found)
                    ));
            }
        }
    }

    /// The layers on a path from `from` to `to`, both included, in which each layer reads the next
    /// layer.
    fn path(&self, from: usize, to: usize, seen: &mut Vec<usize>) -> Option<Vec<usize>> {
        if from == to {
            return Some(vec![to]);
        }
        if seen.contains(&from) {
            return None;
        }
        seen.push(from);
        self.reads(from).into_iter().find_map(|next| {
            let mut path = self.path(next, to, seen)?;
            path.insert(0, from);
            Some(path)
        })
    }

    /// The indices of the layers that a layer names as inputs, or that of the layer above.
    fn reads(&self, index: usize) -> Vec<usize> {
        match &self.spec.layers[index].input {
            None => index.checked_sub(1).into_iter().collect(),
            Some(references) => {
                let references = references.value.iter();
                references
                    .filter_map(|reference| layer_named(self.spec, &reference.value.name))
                    .collect()
            }
        }
    }
}

/// The place in the spec of a layer's input with this index. For a layer without `input`, which
/// reads the layer above, it is the place of its header.
fn input_span(layer: &spec::Layer, index: usize) -> Span {
    match &layer.input {
        Some(inputs) => inputs.value[index].span,
        None => layer.span,
    }
}

/// Reports a reference to unpooled neurons where all neurons are pooled.
pub(super) fn check_unpooled(
    transformer: &Transformer,
    reference: &Spanned<Reference>,
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    if transformer.unpooled.is_some() {
        return Some(());
    }
    let message = format!("`{UNPOOLED}` are neurons that are not pooled, but there are none");
    diagnostics
        .error(reference.span, message)
        .help("say how many there are: `unpooled = 32` in `[transformer]`");
    None
}

/// Reports a reference to PSQT sums that layers cannot read.
pub(super) fn check_psqt(
    transformer: &Transformer,
    reference: &Spanned<Reference>,
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    if transformer.psqt_sums.is_some() {
        return Some(());
    }
    let message = match transformer.psqt {
        0 => format!("`{PSQT}` are sums of PSQT values, but there are none"),
        _ => format!("`{PSQT}` is part of the output, and no layer reads it"),
    };
    diagnostics
        .error(reference.span, message)
        .help("for layers, say how many each feature has and what 1.0 is: `psqt = { values = 3, one = 16384 }` in `[transformer]`");
    None
}

/// The index of the layer with this name.
pub(super) fn layer_named(spec: &Spec, name: &str) -> Option<usize> {
    let mut layers = spec.layers.iter();
    layers.position(|layer| layer.name.value == name)
}

/// Reports a list with too many inputs or terms.
pub(super) fn check_count(
    references: &Spanned<Vec<Spanned<Reference>>>,
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    let found = references.value.len();
    if found > MAX_REFERENCES {
        let message = format!("{found} layers are listed, allowed are at most {MAX_REFERENCES}");
        diagnostics.error(references.span, message);
        return None;
    }
    Some(())
}

/// The part of a tensor that a reference means, as its start and its length.
pub(super) fn resolve_range(
    reference: &Spanned<Reference>,
    tensor: &Tensor,
    diagnostics: &mut Diagnostics,
) -> Option<(usize, usize)> {
    let Reference { name, range, .. } = &reference.value;
    let start = range.0.unwrap_or(0);
    let end = range.1.unwrap_or(tensor.len);
    if start >= end || end > tensor.len {
        let elements = match end.checked_sub(start) {
            Some(1) => format!("element {start}"),
            _ => format!("elements {start}..{end}"),
        };
        diagnostics
            .error(reference.span, format!("`{name}` has no {elements}"))
            .label(format!("its elements are 0..{}", tensor.len));
        return None;
    }
    Some((start, end - start))
}
