//! The values that a layer reads, as the check of its operation sees them.

use nnue_format::Element;

use crate::diagnostics::{Diagnostics, Span};
use crate::network::tensor::{One, Slice, Source, Tensor};

/// The name of a layer, and the place of its header in the spec.
#[derive(Clone, Copy)]
pub(crate) struct Header<'a> {
    pub(crate) name: &'a str,
    pub(crate) span: Span,
}

/// Values that a layer reads.
pub(crate) struct Input<'a> {
    pub(crate) slice: Slice,
    /// The tensor that the values are a part of.
    pub(crate) tensor: &'a Tensor,
    /// The name of the tensor in the spec.
    pub(crate) name: &'a str,
    /// The place of the reference in the spec.
    pub(crate) span: Span,
    /// Whether the values are sums of an affine layer.
    pub(crate) of_affine: bool,
    /// Whether the values are bytes of the transformer's output. Memory has those of each
    /// perspective one after the other, in whole vectors.
    pub(crate) in_whole_vectors: bool,
    /// Whether the values are products of layers.
    pub(crate) of_product: bool,
}

impl Input<'_> {
    /// The integers that stand for 1.0 in the values.
    pub(crate) fn one(&self) -> One {
        self.tensor.one.slice(self.slice.start, self.slice.len)
    }
}

/// A layer, and the values that it reads.
pub(crate) struct Reader<'a> {
    pub(crate) layer: Header<'a>,
    pub(crate) inputs: Vec<Input<'a>>,
    /// The place of the key `input`, if the spec gives it.
    pub(crate) inputs_span: Option<Span>,
}

impl<'a> Reader<'a> {
    /// The integer that stands for 1.0 in an input. Reports an input in which different integers
    /// stand for 1.0.
    pub(crate) fn shared_one(
        &self,
        input: &Input<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Option<u32> {
        let one = input.one();
        if one.shared().is_none() {
            let message = format!(
                "`{}` reads channels with different ones from `{}`",
                self.layer.name, input.name
            );
            diagnostics
                .error(input.span, message)
                .help("make them the same: a layer with `op = \"sum\"`, `one` and `align`");
        }
        one.shared()
    }

    /// The only input of the layer. Reports a layer with several inputs.
    pub(crate) fn only_input(&self, diagnostics: &mut Diagnostics) -> Option<&Input<'a>> {
        let [input] = self.inputs.as_slice() else {
            let message = format!(
                "`{}` reads {} inputs, expected one",
                self.layer.name,
                self.inputs.len()
            );
            diagnostics
                .error(self.inputs[1].span, message)
                .help("give each a layer of its own, and list these in an affine layer");
            return None;
        };
        Some(input)
    }

    /// Whether the layer reads all of the transformer's output and nothing else.
    pub(crate) fn reads_whole_transformer(&self) -> bool {
        matches!(
            self.inputs.as_slice(),
            [input] if input.slice.source == Source::Transformer
                && input.slice.len == input.tensor.len
        )
    }

    /// Whether a layer that combines its inputs value by value reads `f32`. Reports inputs of
    /// different lengths or types; `verb` says in messages what the layer does, as in "adds".
    pub(crate) fn reads_floats(&self, verb: &str, diagnostics: &mut Diagnostics) -> Option<bool> {
        let name = self.layer.name;
        let first = self.inputs.first()?;
        for input in &self.inputs {
            let (slice, element, span) = (input.slice, input.tensor.element, input.span);
            let of_transformer = match slice.source {
                // The order of the transformer's bytes depends on the instruction set.
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
            let expected = first.slice.len;
            if slice.len != expected {
                let message = format!("`{name}` {verb} {expected} values and {}", slice.len);
                diagnostics
                    .error(span, message)
                    .related(first.span, format!("{expected} values"));
                return None;
            }
        }
        let inputs = self.inputs.iter();
        let (floats, others): (Vec<_>, Vec<_>) =
            inputs.partition(|input| input.tensor.element == Element::F32);
        match (floats.as_slice(), others.as_slice()) {
            ([], _) => Some(false),
            (_, []) => Some(true),
            (_, [other, ..]) => {
                let message = format!("`{name}` {verb} `{}` and `f32`", other.tensor.element);
                diagnostics
                    .error(other.span, message)
                    .help("a layer with `op = \"float\"` makes `f32` of integers");
                None
            }
        }
    }

    /// Reports keys for integers in a layer that computes `f32`.
    pub(crate) fn refuse_keys_of_integers(
        &self,
        mut keys: impl Iterator<Item = (&'static str, Span)>,
        diagnostics: &mut Diagnostics,
    ) -> Option<()> {
        let Some((key, span)) = keys.next() else {
            return Some(());
        };
        let name = self.layer.name;
        let message = format!("`{key}` is only for integers, but `{name}` reads `f32`");
        diagnostics
            .error(span, message)
            .help("in `f32`, 1.0 is 1.0: remove it");
        None
    }
}
