//! The layers of a stack: what they read, whether it fits, and what comes out.

use crate::diagnostics::{Diagnostics, Span, Spanned, list, nearest};
use crate::layout::FEWEST_BLOCKED_OUTPUTS;
use crate::network::{Element, Layer, Op, Slice, Source, Tensor, Transformer};
use crate::spec::{self, OpName, Reference, Spec};

use super::in_range;

/// What the spec calls the transformer's output.
pub(super) const TRANSFORMER: &str = "transformer";

/// What 1.0 is in activations, unless the spec says otherwise: seven bits, so that no instruction set's byte
/// products can saturate.
const ACTIVATION_ONE: u32 = 127;

/// Layers up to this size are compiled; they are meant to be small, the transformer is large.
const MAX_OUTPUTS: i64 = 4096;

/// More layers than any network of the field has, and few enough to search them without care for time and stack.
const MAX_LAYERS: usize = 64;

/// Checks all layers and reports everything that is wrong with them; a layer that is wrong, or reads one that is,
/// becomes `None`.
pub(super) fn check(
    spec: &Spec,
    transformer: Option<&Transformer>,
    diagnostics: &mut Diagnostics,
) -> Vec<Option<Layer>> {
    if let Some(excess) = spec.layers.get(MAX_LAYERS) {
        let found = spec.layers.len();
        diagnostics.error(
            excess.span,
            format!("there are {found} layers, allowed are at most {MAX_LAYERS}"),
        );
        return vec![None; found];
    }
    check_names(&spec.layers, diagnostics);
    let mut scope = Scope {
        spec,
        transformer: transformer.map(|transformer| &transformer.output),
        layers: Vec::new(),
    };
    for (index, layer) in spec.layers.iter().enumerate() {
        let checked = scope.check_layer(index, layer, diagnostics);
        scope.layers.push(checked);
    }
    scope.layers
}

/// Reports layers that nothing reads.
pub(super) fn check_all_used(spec: &Spec, layers: &[Layer], diagnostics: &mut Diagnostics) {
    for (index, layer) in layers.iter().enumerate() {
        let read = layers
            .iter()
            .flat_map(|layer| &layer.inputs)
            .any(|input| input.source == Source::Layer(index));
        let summed = spec
            .output
            .sum
            .value
            .iter()
            .any(|term| term.value.name == layer.name);
        if !read && !summed && is_good_name(&layer.name) {
            diagnostics
                .error(
                    spec.layers[index].name.span,
                    format!("nothing reads layer `{}`", layer.name),
                )
                .help("name it in another layer's `input` or in the output's `sum`, or remove it");
        }
    }
}

fn check_names(layers: &[spec::Layer], diagnostics: &mut Diagnostics) {
    for (index, layer) in layers.iter().enumerate() {
        let name = &layer.name;
        if name.value == TRANSFORMER {
            diagnostics
                .error(name.span, format!("no layer can be called `{TRANSFORMER}`"))
                .label("inputs mean the transformer's output by that name");
        } else if !is_good_name(&name.value) {
            diagnostics
                .error(
                    name.span,
                    format!("`{}` is no name for a layer", name.value),
                )
                .label(
                    "expected lowercase letters and digits, a letter first, joined by single `_`",
                );
        }
        let mut above = layers[..index].iter();
        if let Some(first) = above.find(|first| first.name.value == name.value) {
            diagnostics
                .error(name.span, format!("two layers are called `{}`", name.value))
                .related(first.name.span, "the first");
        }
    }
}

/// Whether inputs can mean a layer by this name, and generated code can use it in its own names without a warning.
fn is_good_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    name != TRANSFORMER
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .split('_')
            .all(|word| !word.is_empty() && word.chars().all(allowed))
}

/// The transformer and the layers seen so far; what was wrong is `None`.
struct Scope<'a> {
    spec: &'a Spec,
    transformer: Option<&'a Tensor>,
    layers: Vec<Option<Layer>>,
}

impl Scope<'_> {
    fn check_layer(
        &self,
        index: usize,
        layer: &spec::Layer,
        diagnostics: &mut Diagnostics,
    ) -> Option<Layer> {
        let inputs = self.inputs(index, layer, diagnostics);
        let (op, output) = match &layer.op {
            spec::Op::Affine {
                outputs,
                weights,
                one,
                sparse,
            } => {
                let len = in_range("outputs", outputs, 1..=MAX_OUTPUTS, diagnostics);
                let one = in_range("one", one, 1..=i64::from(i32::MAX), diagnostics);
                let inputs = inputs.as_ref()?;
                let range = self.affine_range(layer, inputs, diagnostics);
                let len = len? as usize;
                let sparse_fits = sparse
                    .is_none_or(|span| self.check_sparse(span, layer, inputs, len, diagnostics));
                let output = Tensor {
                    len,
                    element: Element::I32,
                    one: one?,
                    range: range?,
                };
                let op = Op::Affine {
                    weights: weights.value,
                    sparse: sparse.is_some(),
                };
                sparse_fits.then_some((op, output))?
            }
            spec::Op::Activation {
                function,
                shift,
                one,
            } => self.activation(
                layer,
                inputs.as_deref()?,
                *function,
                shift,
                one.as_ref(),
                diagnostics,
            )?,
        };
        Some(Layer {
            name: layer.name.value.clone(),
            op,
            inputs: inputs?,
            output,
        })
    }

    /// The slices that a layer reads: those it names, or the whole of the layer above.
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
            let len = self.tensor(source)?.len;
            return Some(vec![Slice {
                source,
                start: 0,
                len,
            }]);
        };
        let slices: Vec<_> = references
            .value
            .iter()
            .map(|reference| self.slice(index, reference, diagnostics))
            .collect();
        slices.into_iter().collect()
    }

    fn tensor(&self, source: Source) -> Option<&Tensor> {
        match source {
            Source::Transformer => self.transformer,
            Source::Layer(index) => self.layers[index].as_ref().map(|layer| &layer.output),
        }
    }

    fn name(&self, source: Source) -> &str {
        match source {
            Source::Transformer => TRANSFORMER,
            Source::Layer(index) => &self.spec.layers[index].name.value,
        }
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
                .error(reference.span, format!("`-{name}` is no input"))
                .help("only the output's `sum` can subtract");
            return None;
        }
        let source = if name == TRANSFORMER {
            Source::Transformer
        } else {
            match self
                .spec
                .layers
                .iter()
                .position(|layer| layer.name.value == *name)
            {
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
        let known: Vec<&str> = std::iter::once(TRANSFORMER)
            .chain(
                self.spec.layers[..index]
                    .iter()
                    .map(|layer| layer.name.value.as_str()),
            )
            .collect();
        let error = diagnostics
            .error(reference.span, format!("there is no layer `{name}`"))
            .label(format!("allowed: {}", list(&known)));
        if let Some(near) = nearest(name, known) {
            error.help(format!("did you mean `{near}`?"));
        }
    }

    /// A layer that reads itself or a later one: a cycle, or just the wrong order.
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
                diagnostics
                    .error(
                        reference.span,
                        format!("`{}` is cyclic: {}", name(index), cycle.join(" reads ")),
                    )
                    .label("closes the cycle");
            }
            None => {
                diagnostics
                    .error(
                        reference.span,
                        format!(
                            "`{}` comes after `{}`, which reads it",
                            name(found),
                            name(index)
                        ),
                    )
                    .related(target.name.span, "defined here")
                    .help(format!(
                        "move the table of `{}` above this one",
                        name(found)
                    ));
            }
        }
    }

    /// How `from` reads `to`, directly or through others: the layers on the way, both ends included.
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

    /// The layers that a layer of the spec names, or the one above.
    fn reads(&self, index: usize) -> Vec<usize> {
        match &self.spec.layers[index].input {
            None => index.checked_sub(1).into_iter().collect(),
            Some(references) => references
                .value
                .iter()
                .filter_map(|reference| {
                    self.spec
                        .layers
                        .iter()
                        .position(|layer| layer.name.value == reference.value.name)
                })
                .collect(),
        }
    }

    /// The range of an affine layer's sums, biases left aside.
    fn affine_range(
        &self,
        layer: &spec::Layer,
        inputs: &[Slice],
        diagnostics: &mut Diagnostics,
    ) -> Option<(i64, i64)> {
        let name = &layer.name.value;
        let mut largest_sum = 0;
        for (index, slice) in inputs.iter().enumerate() {
            let tensor = self.tensor(slice.source)?;
            if tensor.element != Element::U8 {
                let input = self.name(slice.source);
                diagnostics
                    .error(
                        input_span(layer, index),
                        format!("`{name}` reads the sums of `{input}`, expected an activation"),
                    )
                    .help("put an activation such as `crelu` between two affine layers");
                return None;
            }
            largest_sum += tensor.range.1 * slice.len as i64;
        }
        let range = (-128 * largest_sum, 127 * largest_sum);
        if range.0 < i64::from(i32::MIN) {
            let span = layer.input.as_ref().map_or(layer.span, |input| input.span);
            diagnostics.error(
                span,
                format!(
                    "the sums of `{name}` reach {}, which does not fit in 32 bits",
                    range.0
                ),
            );
            return None;
        }
        Some(range)
    }

    fn check_sparse(
        &self,
        span: Span,
        layer: &spec::Layer,
        inputs: &[Slice],
        outputs: usize,
        diagnostics: &mut Diagnostics,
    ) -> bool {
        let name = &layer.name.value;
        let reads_all = matches!(
            inputs,
            [slice] if slice.source == Source::Transformer
                && self.transformer.is_some_and(|transformer| slice.len == transformer.len)
        );
        if !reads_all {
            let error = diagnostics.error(
                span,
                format!("`{name}` is sparse and does not read the whole transformer"),
            );
            if let Some(input) = &layer.input {
                error.related(input.span, "what it reads");
            }
            error.help("only the transformer's output is large and zero enough: remove `sparse`");
            return false;
        }
        if outputs < FEWEST_BLOCKED_OUTPUTS {
            diagnostics
                .error(
                    span,
                    format!("`{name}` is sparse with {outputs} outputs, allowed are {FEWEST_BLOCKED_OUTPUTS} and more"),
                )
                .help("layers with fewer are computed row by row: remove `sparse`");
            return false;
        }
        true
    }

    fn activation(
        &self,
        layer: &spec::Layer,
        inputs: &[Slice],
        function: OpName,
        shift: &Spanned<i64>,
        one: Option<&Spanned<i64>>,
        diagnostics: &mut Diagnostics,
    ) -> Option<(Op, Tensor)> {
        let name = &layer.name.value;
        let [input] = inputs else {
            diagnostics
                .error(
                    input_span(layer, 1),
                    format!("`{name}` reads {} inputs, expected one", inputs.len()),
                )
                .help("concatenate after the activation: affine layers read lists");
            return None;
        };
        let tensor = self.tensor(input.source)?;
        if tensor.element != Element::I32 {
            let input = self.name(input.source);
            diagnostics.error(
                input_span(layer, 0),
                format!(
                    "`{name}` reads the activations of `{input}`, expected sums of an affine layer"
                ),
            );
            return None;
        }
        let target = match one {
            Some(one) => in_range("one", one, 1..=i64::from(ACTIVATION_ONE), diagnostics)?,
            None => ACTIVATION_ONE,
        };
        let amount = in_range("shift", shift, 0..=31, diagnostics)?;
        let op = match function {
            OpName::SqrCrelu => Op::SqrCrelu { shift: amount },
            _ => Op::Crelu { shift: amount },
        };
        check_shift(layer, &op, shift, tensor.one, target, diagnostics)?;
        let range = (0, i64::from(target));
        let output = Tensor {
            len: input.len,
            element: Element::U8,
            one: target,
            range,
        };
        Some((op, output))
    }
}

/// Where a layer names its input of this index: its header when it reads the layer above without a word.
fn input_span(layer: &spec::Layer, index: usize) -> Span {
    match &layer.input {
        Some(inputs) => inputs.value[index].span,
        None => layer.span,
    }
}

/// Whether a shift takes the sums' one to the activation's.
///
/// A `crelu` must do so exactly. A square may miss by one part in 64, as the field's nets do:
/// 8128 * 8128 >> 19 is 126 and stands for 127.
fn check_shift(
    layer: &spec::Layer,
    op: &Op,
    shift: &Spanned<i64>,
    from: u32,
    to: u32,
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    let (from_64, to_64) = (u64::from(from), u64::from(to));
    let (reached, formula) = match op {
        Op::SqrCrelu { .. } => (from_64 * from_64, format!("{from} * {from}")),
        _ => (from_64, from.to_string()),
    };
    let tolerance = if matches!(op, Op::SqrCrelu { .. }) {
        64
    } else {
        u64::MAX
    };
    let fits = |amount: u32| {
        let target = to_64 << amount;
        reached.abs_diff(target) <= target / tolerance
    };
    let amount = shift.value as u32;
    if fits(amount) {
        return Some(());
    }
    let value = reached as f64 / (1u64 << amount) as f64;
    let error = diagnostics
        .error(
            shift.span,
            format!("shift {amount} contradicts the ones: {formula} >> {amount} is {value}, expected {to}"),
        )
        .label(format!("1.0 is {from} in the input of `{}` and {to} in its output", layer.name.value));
    match (0..32).find(|amount| fits(*amount)) {
        Some(fitting) => error.help(format!("shift {fitting} takes {formula} to {to}")),
        None => error.help(format!(
            "no shift takes {formula} to {to}: one of the ones is wrong"
        )),
    };
    None
}

/// The part of a tensor that a reference means: its start and length.
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
            .label(format!("allowed: parts of 0..{}", tensor.len));
        return None;
    }
    Some((start, end - start))
}
