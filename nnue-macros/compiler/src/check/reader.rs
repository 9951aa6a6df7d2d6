//! The values that a layer reads, as the check of its operation sees them.

use crate::diagnostics::{Diagnostics, Span};
use crate::network::{
    Element, Layer, One, PSQT, Slice, Source, TRANSFORMER, Tensor, Transformer, UNPOOLED,
};
use crate::spec::{self, Spec};

/// The transformer and the layers that were checked so far. A part that has a mistake is `None`.
pub(super) struct Scope<'a> {
    pub(super) spec: &'a Spec,
    pub(super) transformer: Option<&'a Transformer>,
    pub(super) layers: Vec<Option<Layer>>,
}

impl Scope<'_> {
    pub(super) fn tensor(&self, source: Source) -> Option<&Tensor> {
        match source {
            Source::Transformer => Some(&self.transformer?.output),
            Source::Unpooled => self.transformer?.unpooled.as_ref(),
            Source::Psqt => self.transformer?.psqt_sums.as_ref(),
            Source::Layer(index) => self.layers[index].as_ref().map(|layer| &layer.output),
        }
    }

    pub(super) fn name(&self, source: Source) -> &str {
        match source {
            Source::Transformer => TRANSFORMER,
            Source::Unpooled => UNPOOLED,
            Source::Psqt => PSQT,
            Source::Layer(index) => &self.spec.layers[index].name.value,
        }
    }
}

/// A layer, and the values that it reads.
pub(crate) struct Reader<'a> {
    pub(super) scope: &'a Scope<'a>,
    pub(crate) layer: &'a spec::Layer,
    pub(crate) inputs: &'a [Slice],
}

impl<'a> Reader<'a> {
    /// The name of the layer in the spec.
    pub(crate) fn name(&self) -> &'a str {
        &self.layer.name.value
    }

    /// The place in the spec of the input with this index.
    pub(crate) fn input_span(&self, index: usize) -> Span {
        input_span(self.layer, index)
    }

    /// The name in the spec of the tensor that the input with this index is a part of.
    pub(crate) fn input_name(&self, index: usize) -> &'a str {
        self.scope.name(self.inputs[index].source)
    }

    /// The tensor that the input with this index is a part of.
    pub(crate) fn tensor(&self, index: usize) -> Option<&'a Tensor> {
        self.scope.tensor(self.inputs[index].source)
    }

    /// The integers that stand for 1.0 in the values of the input with this index.
    pub(crate) fn one(&self, index: usize) -> Option<One> {
        let slice = self.inputs[index];
        Some(self.tensor(index)?.one.slice(slice.start, slice.len))
    }

    /// The integer that stands for 1.0 in the input with this index. Reports an input whose values
    /// do not all have the same.
    pub(crate) fn shared_one(&self, index: usize, diagnostics: &mut Diagnostics) -> Option<u32> {
        let one = self.one(index)?;
        if one.shared().is_none() {
            let message = format!(
                "`{}` reads channels with different ones from `{}`",
                self.name(),
                self.input_name(index)
            );
            diagnostics
                .error(self.input_span(index), message)
                .help("make them the same: a layer with `op = \"sum\"`, `one` and `align`");
        }
        one.shared()
    }

    /// The only input of the layer, and its tensor. Reports a layer with several inputs.
    pub(crate) fn only_input(&self, diagnostics: &mut Diagnostics) -> Option<(Slice, &'a Tensor)> {
        let [input] = self.inputs else {
            let message = format!(
                "`{}` reads {} inputs, expected one",
                self.name(),
                self.inputs.len()
            );
            diagnostics
                .error(self.input_span(1), message)
                .help("give each a layer of its own, and list these in an affine layer");
            return None;
        };
        Some((*input, self.tensor(0)?))
    }

    /// Whether the input with this index is sums of an affine layer.
    pub(crate) fn reads_affine(&self, index: usize) -> bool {
        match self.inputs[index].source {
            Source::Transformer | Source::Unpooled | Source::Psqt => false,
            Source::Layer(index) => matches!(self.scope.spec.layers[index].op, spec::Op::Affine(_)),
        }
    }

    /// Whether the layer reads all of the transformer's output and nothing else.
    pub(crate) fn reads_whole_transformer(&self) -> bool {
        matches!(
            self.inputs,
            [slice] if slice.source == Source::Transformer
                && self.tensor(0).is_some_and(|transformer| slice.len == transformer.len)
        )
    }

    /// Whether a layer that combines its inputs value by value reads `f32`. Reports inputs of
    /// different lengths or types; `verb` says in messages what the layer does, as in "adds".
    pub(crate) fn reads_floats(&self, verb: &str, diagnostics: &mut Diagnostics) -> Option<bool> {
        let name = self.name();
        let first = self.inputs.first()?;
        let mut elements = Vec::new();
        for (index, slice) in self.inputs.iter().enumerate() {
            let element = self.tensor(index)?.element;
            let span = self.input_span(index);
            let of_transformer = match slice.source {
                // Each instruction set has its own order of bytes.
                Source::Transformer if element != Element::I16 => Some((
                    format!("`{element}` of the transformer's output, expected `i16`"),
                    "only affine layers read the others",
                )),
                Source::Unpooled => Some((
                    "values of the transformer's sums".to_string(),
                    "a layer with `op = \"float\"` makes `f32` of them",
                )),
                Source::Transformer | Source::Psqt | Source::Layer(_) => None,
            };
            if let Some((values, help)) = of_transformer {
                let message = format!("`{name}` {verb} {values}");
                diagnostics.error(span, message).help(help);
                return None;
            }
            if slice.len != first.len {
                let message = format!("`{name}` {verb} {} values and {}", first.len, slice.len);
                diagnostics
                    .error(span, message)
                    .related(self.input_span(0), format!("{} values", first.len));
                return None;
            }
            elements.push(element);
        }
        if !elements.contains(&Element::F32) {
            return Some(false);
        }
        if let Some(index) = elements.iter().position(|element| *element != Element::F32) {
            let message = format!("`{name}` {verb} `{}` and `f32`", elements[index]);
            diagnostics
                .error(self.input_span(index), message)
                .help("a layer with `op = \"float\"` makes `f32` of integers");
            return None;
        }
        Some(true)
    }

    /// Reports keys that are only for integers, of a layer that computes `f32`.
    pub(crate) fn refuse_keys_of_integers(
        &self,
        mut keys: impl Iterator<Item = (&'static str, Span)>,
        diagnostics: &mut Diagnostics,
    ) -> Option<()> {
        let Some((key, span)) = keys.next() else {
            return Some(());
        };
        let name = self.name();
        let message = format!("`{key}` is only for integers, but `{name}` reads `f32`");
        diagnostics
            .error(span, message)
            .help("in `f32`, 1.0 is 1.0: remove it");
        None
    }
}

/// The place in the spec of a layer's input with this index. For a layer without `input`, which
/// reads the layer above, it is the place of its header.
pub(super) fn input_span(layer: &spec::Layer, index: usize) -> Span {
    match &layer.input {
        Some(inputs) => inputs.value[index].span,
        None => layer.span,
    }
}
