//! The tensor of an entry: which type, axes and padding it has in the file.

use nnue_format::{Element, Quantise};

use super::{LARGEST_UNIT, List};
use crate::check::file::tensors::{Known, Values};
use crate::check::{in_range_or, value_or};
use crate::diagnostics::{Diagnostics, Span, Spanned, list};
use crate::network::file::{Axis, Role, Tensor};
use crate::spec::{self, BulletKind, Named as _, TensorEntry, Transposed};

/// An entry, and the tensor that it names.
pub(super) struct NamedTensor<'a> {
    pub(super) list: &'a List<'a>,
    pub(super) keys: &'a TensorEntry,
    pub(super) known: &'a Known,
    pub(super) span: Span,
}

impl NamedTensor<'_> {
    /// The tensor as the file has it.
    pub(super) fn tensor(&self, diagnostics: &mut Diagnostics) -> Option<Tensor> {
        let NamedTensor { keys, known, .. } = self;
        let element = self.element(diagnostics);
        let axes = match (&keys.axes, self.list.bullet) {
            (Some(axes), _) => self.check_axes(axes, diagnostics),
            (None, Some((_, transposed))) => Some(self.bullet_axes(transposed)),
            (None, None) => Some(known.axes.clone()),
        };
        if let (Some((kind, _)), Some(transposed)) = (self.list.bullet, &keys.transposed)
            && transposed.value
            && kind != BulletKind::Quantised
        {
            report_transposed(kind, transposed.span, diagnostics);
            return None;
        }
        let pad = in_range_or("pad", keys.pad.as_ref(), 1..=LARGEST_UNIT, 1, diagnostics);
        let element = element?;
        let quantise = self.quantise(element, diagnostics)?;
        let (axes, pad) = (axes?, pad? as usize);
        let id = keys.id.as_ref().map(|id| id.value.clone());
        Some(Tensor {
            id: id.unwrap_or_default(),
            element,
            padded: axes.last().map_or(1, |(_, len)| len.next_multiple_of(pad)),
            axes,
            quantise,
            ..known.tensor()
        })
    }

    /// Whether the file has the tensor transposed: its entry says so, or `listed`, which is the key
    /// of `[file]`.
    fn is_transposed(&self, listed: Option<&Spanned<Transposed>>) -> bool {
        if let Some(transposed) = &self.keys.transposed {
            return transposed.value;
        }
        match listed.map(|listed| &listed.value) {
            None => false,
            Some(Transposed::All(all)) => *all && matches!(self.known.role, Role::LayerWeights(_)),
            Some(Transposed::Ids(ids)) => {
                let id = self.keys.id.as_ref().map(|id| &id.value);
                ids.iter().any(|listed| Some(&listed.value) == id)
            }
        }
    }

    /// The type in the file, which memory's must hold.
    fn element(&self, diagnostics: &mut Diagnostics) -> Option<Element> {
        let NamedTensor { keys, known, .. } = self;
        let default = match self.list.bullet {
            Some((BulletKind::Raw | BulletKind::Weights, _)) => Element::F32,
            Some((BulletKind::Quantised, _)) => self.quantised_element(),
            None => known.element(),
        };
        let Some(element) = &keys.element else {
            return Some(default);
        };
        if let Some((kind @ (BulletKind::Raw | BulletKind::Weights), _)) = self.list.bullet
            && element.value != Element::F32
        {
            let message = format!("`type` is `{}`, expected `f32` for `{kind}`", element.value);
            diagnostics
                .error(element.span, message)
                .help("all values of this file are `f32`: remove it");
            return None;
        }
        let allowed: Vec<Element> = Element::NAMES
            .iter()
            .map(|(_, element)| *element)
            .filter(|element| match known.values {
                Values::Integers(own) => element.is_float() || element.fits_in(own),
                Values::Float => element.fits_in(Element::F32),
                Values::Signs => true,
            })
            .collect();
        if !allowed.contains(&element.value) {
            let message = format!("`{}` cannot have the type `{}`", known.name, element.value);
            diagnostics
                .error(element.span, message)
                .label(format!("allowed: {}", list(&allowed)))
                .help("the network's type must hold every value of the file's type");
            return None;
        }
        Some(element.value)
    }

    /// The type that bullet's examples give a tensor: where weights are `i16`, biases are too.
    fn quantised_element(&self) -> Element {
        let known = self.known;
        let Role::LayerBiases(layer) = known.role else {
            return known.element();
        };
        let mut tensors = self.list.tensors.iter();
        let weights = tensors.find(|other| other.role == Role::LayerWeights(layer));
        match weights.map(|weights| weights.values) {
            Some(Values::Integers(Element::I16)) if known.values != Values::Float => Element::I16,
            _ => known.element(),
        }
    }

    /// How floating point becomes the network's integers. The outer `None` is an error.
    fn quantise(
        &self,
        element: Element,
        diagnostics: &mut Diagnostics,
    ) -> Option<Option<Quantise>> {
        let NamedTensor {
            keys, known, span, ..
        } = self;
        let is_summed = known.sums.is_factorised && matches!(known.role, Role::Weights(_));
        let own = match known.values {
            // Memory holds words where virtual rows are added to rows of bytes.
            Values::Integers(_) if element.is_float() && is_summed => Element::I16,
            Values::Integers(own) if element.is_float() => own,
            _ => return self.refuse_quantising(diagnostics).map(|()| None),
        };
        let factor = match &keys.one {
            Some(one) if one.value > 0.0 => one.value,
            Some(one) => {
                let message = format!("`one` is {}, expected a number above 0", one.value);
                diagnostics.error(one.span, message);
                return None;
            }
            None => match known.one {
                Some(one) => one,
                None => {
                    diagnostics
                        .error(*span, format!("`{}` needs `one`", known.name))
                        .label("what stands for 1.0 in it does not follow from the network")
                        .help("list the file's tensors, and in this one say what its values are multiplied by");
                    return None;
                }
            },
        };
        Some(Some(Quantise {
            factor,
            rounding: value_or(&keys.rounding, self.list.rounding),
            element: own,
        }))
    }

    /// Refuses keys of tensors that are quantised.
    fn refuse_quantising(&self, diagnostics: &mut Diagnostics) -> Option<()> {
        let NamedTensor { keys, known, .. } = self;
        let needless = spec::place("one", &keys.one).or(spec::place("rounding", &keys.rounding));
        let Some((key, span)) = needless else {
            return Some(());
        };
        let message = format!("`{key}` is only for floating point that becomes integers");
        diagnostics
            .error(span, message)
            .label(format!("the values of `{}` are not converted", known.name))
            .help("remove it");
        None
    }

    /// The axes of a tensor in bullet's files. bullet's matrices are column-major, so the weights
    /// of one input follow one another, those of all stacks together.
    fn bullet_axes(&self, listed: Option<&Spanned<Transposed>>) -> Vec<(Axis, usize)> {
        let mut axes = self.known.axes.clone();
        let transposed = self.is_transposed(listed);
        match self.known.role {
            Role::LayerWeights(_) if !transposed => axes.rotate_right(1),
            Role::Weights(_) | Role::Psqt(_) if transposed => axes.reverse(),
            _ => {}
        }
        axes
    }

    /// The axes that a spec lists: all of the tensor's, but those of length 1 may be left out.
    fn check_axes(
        &self,
        listed: &Spanned<Vec<Spanned<Axis>>>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Vec<(Axis, usize)>> {
        let known = self.known;
        let names: Vec<String> = known
            .axes
            .iter()
            .map(|(axis, _)| format!("`{axis}`"))
            .collect();
        let expected = || format!("its axes are {}", names.join(", "));
        let mut axes: Vec<(Axis, usize)> = Vec::new();
        for axis in &listed.value {
            let own = known.axes.iter().find(|(own, _)| *own == axis.value);
            let twice = axes.iter().any(|(seen, _)| *seen == axis.value);
            match own {
                Some(own) if !twice => axes.push(*own),
                found => {
                    let problem = if found.is_some() { "twice" } else { "not" };
                    let message =
                        format!("`{}` is {problem} an axis of `{}`", axis.value, known.name);
                    diagnostics.error(axis.span, message).label(expected());
                    return None;
                }
            }
        }
        let missing = known
            .axes
            .iter()
            .find(|(axis, len)| *len > 1 && !axes.iter().any(|(seen, _)| seen == axis));
        if let Some((axis, len)) = missing {
            let message = format!("`axes` of `{}` does not list `{axis}`", known.name);
            diagnostics
                .error(listed.span, message)
                .label(expected())
                .help(format!(
                    "its length is {len}; only axes of length 1 may be left out"
                ));
            return None;
        }
        Some(axes)
    }
}

/// Reports what only files of integers have.
pub(super) fn report_transposed(kind: BulletKind, span: Span, diagnostics: &mut Diagnostics) {
    diagnostics
        .error(span, format!("`kind = \"{kind}\"` has no `transposed`"))
        .help("bullet applies no transforms to this file: remove it");
}
