//! The layers of a stack: what they read, whether it fits, and what comes out.

use crate::diagnostics::{Diagnostics, Spanned, list, nearest};
use crate::network::{Element, Layer, Op, Slice, Source, Tensor};
use crate::spec::{self, OpName, Reference, Spec};

use super::in_range;

/// What the spec calls the transformer's output.
const TRANSFORMER: &str = "transformer";

/// What 1.0 is in activations, unless the spec says otherwise: seven bits, so that no instruction set's byte
/// products can saturate.
const ACTIVATION_ONE: u32 = 127;

/// Checks all layers, or reports everything that is wrong with them and returns `None`.
pub(super) fn check(
    spec: &Spec,
    transformer: &Tensor,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Layer>> {
    let names_are_good = check_names(&spec.layers, diagnostics);
    let mut scope = Scope {
        spec,
        transformer,
        layers: Vec::new(),
    };
    for (index, layer) in spec.layers.iter().enumerate() {
        let checked = scope.check_layer(index, layer, diagnostics);
        scope.layers.push(checked);
    }
    let layers = scope.layers.into_iter().collect::<Option<Vec<_>>>()?;
    names_are_good.then_some(layers)
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
        if !read && !summed {
            diagnostics
                .error(
                    spec.layers[index].name.span,
                    format!("nothing reads layer `{}`", layer.name),
                )
                .help("name it in another layer's `input` or in the output's `sum`, or remove it");
        }
    }
}

/// Words that generated code needs for itself.
const RESERVED: &[&str] = &[
    "as",
    "async",
    "await",
    "box",
    "break",
    "const",
    "continue",
    "crate",
    "do",
    "dyn",
    "else",
    "enum",
    "extern",
    "false",
    "final",
    "fn",
    "for",
    "gen",
    "if",
    "impl",
    "in",
    "let",
    "loop",
    "macro",
    "match",
    "mod",
    "move",
    "mut",
    "override",
    "priv",
    "pub",
    "ref",
    "return",
    "self",
    "static",
    "struct",
    "super",
    "trait",
    "transformer",
    "true",
    "try",
    "type",
    "typeof",
    "unsafe",
    "unsized",
    "use",
    "virtual",
    "where",
    "while",
    "yield",
];

fn check_names(layers: &[spec::Layer], diagnostics: &mut Diagnostics) -> bool {
    let mut good = true;
    for (index, layer) in layers.iter().enumerate() {
        let name = &layer.name;
        let mut chars = name.value.chars();
        let identifier = chars.next().is_some_and(|c| c.is_ascii_lowercase())
            && chars.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        if !identifier {
            diagnostics
                .error(
                    name.span,
                    format!("`{}` is no name for a layer", name.value),
                )
                .label("a lowercase letter, then lowercase letters, digits and `_`");
            good = false;
        } else if RESERVED.contains(&name.value.as_str()) {
            diagnostics.error(name.span, format!("the name `{}` is reserved", name.value));
            good = false;
        }
        if let Some(first) = layers[..index]
            .iter()
            .find(|first| first.name.value == name.value)
        {
            diagnostics
                .error(name.span, format!("two layers are called `{}`", name.value))
                .related(first.name.span, "the first");
            good = false;
        }
    }
    good
}

/// The layers seen so far. One that was wrong is `None`: what reads it is not judged, for the errors would
/// only repeat the cause.
struct Scope<'a> {
    spec: &'a Spec,
    transformer: &'a Tensor,
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
                let len = in_range("outputs", outputs, 1..=4096, diagnostics);
                let one = in_range("one", one, 1..=i64::from(i32::MAX), diagnostics);
                let inputs = inputs.as_ref()?;
                let range = self.affine_range(layer, inputs, diagnostics);
                let sparse_fits = !sparse || self.check_sparse(layer, inputs, outputs, diagnostics);
                let output = Tensor {
                    len: len? as usize,
                    element: Element::I32,
                    one: one?,
                    range: range?,
                };
                let op = Op::Affine {
                    weights: weights.value,
                    sparse: *sparse,
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
            Source::Transformer => Some(self.transformer),
            Source::Layer(index) => self.layers[index].as_ref().map(|layer| &layer.output),
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
        let name = |index: usize| self.spec.layers[index].name.value.as_str();
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
        let span = layer.input.as_ref().map_or(layer.span, |input| input.span);
        let mut largest_sum = 0;
        for slice in inputs {
            let tensor = self.tensor(slice.source)?;
            if tensor.element != Element::U8 {
                diagnostics
                    .error(
                        span,
                        format!("affine layer `{}` reads sums", layer.name.value),
                    )
                    .label(format!(
                        "{} values of type {}, expected u8",
                        slice.len, tensor.element
                    ))
                    .help("put an activation such as `crelu` between two affine layers");
                return None;
            }
            largest_sum += tensor.range.1 * slice.len as i64;
        }
        let range = (-128 * largest_sum, 127 * largest_sum);
        if range.0 < i64::from(i32::MIN) {
            diagnostics.error(
                span,
                format!(
                    "the sums of `{}` reach {}, which does not fit in 32 bits",
                    layer.name.value, range.0
                ),
            );
            return None;
        }
        Some(range)
    }

    fn check_sparse(
        &self,
        layer: &spec::Layer,
        inputs: &[Slice],
        outputs: &Spanned<i64>,
        diagnostics: &mut Diagnostics,
    ) -> bool {
        let whole = [Slice {
            source: Source::Transformer,
            start: 0,
            len: self.transformer.len,
        }];
        let name = &layer.name.value;
        if inputs != whole {
            diagnostics
                .error(
                    layer.span,
                    format!("`{name}` is sparse and does not read the whole transformer"),
                )
                .help("only the transformer's output is large and zero enough; remove `sparse`");
            return false;
        }
        if outputs.value < 8 {
            diagnostics
                .error(
                    outputs.span,
                    format!(
                        "`{name}` is sparse with {} outputs, allowed are 8 and more",
                        outputs.value
                    ),
                )
                .help("remove `sparse`: such a layer is computed row by row");
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
        let span = layer.input.as_ref().map_or(layer.span, |input| input.span);
        let [input] = inputs else {
            diagnostics
                .error(
                    span,
                    format!("`{name}` reads {} inputs, expected one", inputs.len()),
                )
                .help("concatenate after the activation: affine layers read lists");
            return None;
        };
        let tensor = self.tensor(input.source)?;
        if tensor.element != Element::I32 {
            diagnostics
                .error(
                    span,
                    format!(
                        "`{name}` reads {} values, expected sums of an affine layer",
                        tensor.element
                    ),
                )
                .label(format!("type {}", tensor.element));
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
        diagnostics
            .error(
                reference.span,
                format!("`{name}` has no elements {start}..{end}"),
            )
            .label(format!("allowed: parts of 0..{}", tensor.len));
        return None;
    }
    Some((start, end - start))
}
