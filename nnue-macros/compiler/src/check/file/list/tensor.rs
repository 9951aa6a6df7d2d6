//! The tensor of an entry: the type, the axes and the padding that it has in the file.

use nnue_format::{Element, Encoding, Overflow, Quantise, Rounding, Stored};

use crate::check::file::tensors::{KnownTensor, LoadedValues};
use crate::check::value::{in_range, place, value_or};
use crate::diagnostics::{Diagnostics, Span, Spanned, list};
use crate::network::file::{Role, Tensor};
use crate::spec::{BulletKind, Named as _, TensorEntry, Transposed};

/// The context of an entry, which is the same for all entries of a file.
pub(super) struct ListContext<'a> {
    pub(super) tensors: &'a [KnownTensor],
    pub(super) rounding: Rounding,
    pub(super) overflow: Overflow,
    /// The kind of a bullet file, and the key `transposed`; `None` for other files.
    pub(super) bullet: Option<(BulletKind, Option<&'a Spanned<Transposed>>)>,
}

/// An entry that names tensors.
pub(super) struct TensorsOfEntry<'a> {
    /// The place of the entry in the spec.
    pub(super) span: Span,
    pub(super) keys: &'a TensorEntry,
    /// The innermost axis is padded to a multiple of this many values.
    pub(super) pad: usize,
    /// The tensors that the entry names, with the axes that they have in its list.
    pub(super) tensors: Vec<KnownTensor>,
}

/// An entry, and a tensor that it names.
pub(super) struct NamedTensor<'a> {
    pub(super) list: &'a ListContext<'a>,
    pub(super) entry: &'a TensorsOfEntry<'a>,
    pub(super) known: &'a KnownTensor,
}

impl NamedTensor<'_> {
    /// The tensor as the file has it.
    pub(super) fn tensor(&self, diagnostics: &mut Diagnostics) -> Option<Tensor> {
        let (keys, known) = (self.entry.keys, self.known);
        let element = self.element(diagnostics);
        let axes = match (&keys.axes, self.list.bullet) {
            (Some(axes), _) => self.check_axes(axes, diagnostics),
            (None, Some((_, transposed))) => Some(self.bullet_axes(transposed)),
            (None, None) => Some(known.whole_axes()),
        };
        if let (Some((kind, _)), Some(transposed)) = (self.list.bullet, &keys.transposed)
            && transposed.value
            && kind != BulletKind::Quantised
        {
            report_transposed(kind, transposed.span, diagnostics);
            return None;
        }
        let element = element?;
        let quantise = self.quantise(element, diagnostics)?;
        let divisor = self.divisor(element, diagnostics)?;
        let times = self.times(element, diagnostics)?;
        let axes = axes?;
        let id = keys.id.as_ref().map(|id| id.value.clone());
        let tensor = known.tensor(element, &axes, self.entry.pad);
        Some(Tensor {
            id: id.unwrap_or_default().into(),
            stored: Stored {
                encoding: value_or(&keys.encoding, Encoding::Raw),
                quantise,
                divisor,
                times,
                ..tensor.stored
            },
            ..tensor
        })
    }

    /// Whether the tensor is transposed in the file: its entry says so, or `listed`, which is the
    /// key of `[file]`.
    pub(super) fn is_transposed(&self, listed: Option<&Spanned<Transposed>>) -> bool {
        if let Some(transposed) = &self.entry.keys.transposed {
            return transposed.value;
        }
        match listed.map(|listed| &listed.value) {
            None => false,
            Some(Transposed::All(all)) => *all && self.known.role.matrix().is_some(),
            Some(Transposed::Ids(ids)) => {
                let id = self.entry.keys.id.as_ref().map(|id| &id.value);
                ids.iter().any(|listed| Some(&listed.value) == id)
            }
        }
    }

    /// The type of the values in the file. The type in memory must hold all of its values.
    fn element(&self, diagnostics: &mut Diagnostics) -> Option<Element> {
        let (keys, known) = (self.entry.keys, self.known);
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
        let is_summand_of_layer = known.sums.is_factorised && known.role.layer().is_some();
        let allowed: Vec<Element> = Element::NAMES
            .iter()
            .map(|(_, element)| *element)
            .filter(|element| match known.values {
                // Values that are added in the file's type need room for the sum.
                _ if is_summand_of_layer => element.is_float() || *element == known.element(),
                LoadedValues::Integers(own) => element.is_float() || element.fits_in(own),
                // After the division, an `f32` still tells apart all integers of 16 bits.
                LoadedValues::Float => element.is_float() || element.fits_in(Element::I16),
                LoadedValues::Signs => true,
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

    /// The type that bullet's examples give a tensor: where weights are `i16`, biases are `i16`
    /// too.
    fn quantised_element(&self) -> Element {
        let known = self.known;
        let (Role::LayerBiases(layer) | Role::SharedBiases(layer)) = known.role else {
            return known.element();
        };
        let mut tensors = self.list.tensors.iter();
        let weights = tensors.find(|other| other.role == Role::LayerWeights(layer));
        match weights.map(KnownTensor::element) {
            Some(Element::I16) if known.values != LoadedValues::Float => Element::I16,
            _ => known.element(),
        }
    }

    /// How floating point in the file becomes the network's integers. The outer `None` is an error.
    fn quantise(
        &self,
        element: Element,
        diagnostics: &mut Diagnostics,
    ) -> Option<Option<Quantise>> {
        let (keys, known) = (self.entry.keys, self.known);
        let is_summed = known.sums.is_factorised && matches!(known.role, Role::Weights(_));
        let own = match known.values {
            // Where virtual rows are added to rows of bytes, memory holds words.
            LoadedValues::Integers(_) if element.is_float() && is_summed => Element::I16,
            LoadedValues::Integers(own) if element.is_float() => own,
            _ => return self.refuse_quantising(element, diagnostics).map(|()| None),
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
                        .error(self.entry.span, format!("`{}` needs `one`", known.name))
                        .label("what stands for 1.0 in it does not follow from the network")
                        .help("list the file's tensors, and in this one say what its values are multiplied by");
                    return None;
                }
            },
        };
        Some(Some(Quantise {
            factor,
            rounding: value_or(&keys.rounding, self.list.rounding),
            overflow: value_or(&keys.overflow, self.list.overflow),
            element: own,
        }))
    }

    /// The divisor that makes the network's floating point of the file's integers. The outer `None`
    /// is an error.
    fn divisor(&self, element: Element, diagnostics: &mut Diagnostics) -> Option<Option<f64>> {
        const MOST: f64 = i32::MAX as f64;
        if element.is_float() || self.known.values != LoadedValues::Float {
            return Some(None);
        }
        let Some(one) = &self.entry.keys.one else {
            let name = &self.known.name;
            diagnostics
                .error(self.entry.span, format!("`{name}` needs `one`"))
                .label(format!("the file has `{element}`, which become `f32`"))
                .help("say what stands for 1.0 in them: they are divided by it");
            return None;
        };
        if !(1.0..=MOST).contains(&one.value) {
            let message = format!("`one` is {}, allowed are 1 to {MOST}", one.value);
            diagnostics
                .error(one.span, message)
                .label("the file's integers are divided by it");
            return None;
        }
        Some(Some(one.value))
    }

    /// The factor of the file's integers in the network, where both have integers.
    fn times(&self, element: Element, diagnostics: &mut Diagnostics) -> Option<u32> {
        const MOST: i64 = 1 << 16;
        let (known, Some(times)) = (self.known, &self.entry.keys.times) else {
            return Some(1);
        };
        let problem = match known.values {
            _ if known.sums.is_factorised || known.sums.is_virtual => {
                "its values are summands, of which both need the same one"
            }
            LoadedValues::Float => "the network has floating point: `one` divides integers",
            LoadedValues::Signs => "of binary weights only the signs count",
            LoadedValues::Integers(_) if element.is_float() => {
                "the file has floating point: `one` is its factor"
            }
            LoadedValues::Integers(_) => return in_range("times", times, 1..=MOST, diagnostics),
        };
        let message = format!("`{}` cannot have `times`", known.name);
        diagnostics
            .error(times.span, message)
            .label(problem)
            .help("`times` is the factor of integers that stay integers");
        None
    }

    /// Refuses the keys of quantised tensors, unless the entry names another tensor that is
    /// quantised. `one` is allowed where integers become floating point.
    fn refuse_quantising(&self, element: Element, diagnostics: &mut Diagnostics) -> Option<()> {
        let (keys, known) = (self.entry.keys, self.known);
        let mut of_entry = self.entry.tensors.iter();
        let divides =
            !element.is_float() && of_entry.any(|other| other.values == LoadedValues::Float);
        let needless = place("one", &keys.one)
            .filter(|_| !divides)
            .or(place("rounding", &keys.rounding))
            .or(place("overflow", &keys.overflow));
        let Some((key, span)) = needless else {
            return Some(());
        };
        let element = keys.element.as_ref().map(|element| element.value);
        let mut tensors = self.entry.tensors.iter();
        if element == Some(Element::F32)
            && tensors.any(|other| matches!(other.values, LoadedValues::Integers(_)))
        {
            return Some(());
        }
        let message = match key {
            "one" => {
                "`one` is only for floating point that becomes integers, or the other way round"
                    .to_string()
            }
            key => format!("`{key}` is only for floating point that becomes integers"),
        };
        diagnostics
            .error(span, message)
            .label(format!("the values of `{}` are not converted", known.name))
            .help("remove it, or say that the file has floating point: `type = \"f32\"`, or for bullet `kind = \"raw\"`");
        None
    }
}

/// Reports `transposed` of a kind of file that does not have it: only files of integers do.
pub(super) fn report_transposed(kind: BulletKind, span: Span, diagnostics: &mut Diagnostics) {
    diagnostics
        .error(span, format!("`kind = \"{kind}\"` has no `transposed`"))
        .help("bullet applies no transforms to this file: remove it");
}
