//! Walks over the entries of a list and finds which tensors each of them names, and which sections
//! the file then has.

use nnue_format::Section;

use super::axes::LARGEST_UNIT;
use super::sums::{self, ListedTensor};
use super::tensor::{ListContext, NamedTensor, TensorsOfEntry};
use crate::check::file::fields;
use crate::check::file::kept::KeptNames;
use crate::check::file::tensors::KnownTensor;
use crate::check::value::in_range_or;
use crate::diagnostics::{Diagnostics, Span, Spanned, all, list};
use crate::network::file::Tensor;
use crate::spec::{BulletKind, Content, Entry, TensorEntry};

/// The name that stands for the tensors of all layers.
const LAYERS: &str = "layers";

/// The walk over the entries of a file, which may stand in several lists.
pub(super) struct ListWalk<'a> {
    list: &'a ListContext<'a>,
    /// The names in all entries of the file.
    names: Vec<&'a str>,
    /// The tensors of the entries so far.
    listed: Vec<ListedTensor>,
    /// The names of the numbers so far that the network does not use.
    kept: KeptNames<'a>,
    /// Whether the entries belong to a single stack.
    is_stack: bool,
}

impl<'a> ListWalk<'a> {
    /// A walk over lists of entries, in their order.
    pub(super) fn new(
        list: &'a ListContext<'a>,
        entries: impl IntoIterator<Item = &'a [Entry]>,
    ) -> ListWalk<'a> {
        let names = entries.into_iter().flatten().filter_map(|entry| {
            let Content::Tensor(keys) = &entry.content else {
                return None;
            };
            keys.tensor.as_ref().map(|name| name.value.as_str())
        });
        ListWalk {
            list,
            names: names.collect(),
            listed: Vec::new(),
            kept: KeptNames::default(),
            is_stack: false,
        }
    }

    /// Declares that all further entries are entries of a single stack.
    pub(super) fn enter_stacks(&mut self) -> &mut ListWalk<'a> {
        self.is_stack = true;
        self
    }

    /// The sections of a list of entries.
    pub(super) fn sections(
        &mut self,
        entries: &'a [Entry],
        diagnostics: &mut Diagnostics,
    ) -> Option<Vec<Section<Tensor>>> {
        let entries = entries.iter();
        let sections = all(entries.map(|entry| self.sections_of(entry, diagnostics)))?;
        Some(sections.into_iter().flatten().collect())
    }

    /// Checks what can only be seen of all lists together. If not all entries `are_right`, no
    /// tensor is reported as missing: a wrong entry may have meant it.
    pub(super) fn finish(
        self,
        span: Span,
        are_right: bool,
        diagnostics: &mut Diagnostics,
    ) -> Option<()> {
        let sums = sums::check(&self.listed, diagnostics);
        let tensors = self.list.tensors.iter();
        let missing = tensors.filter(|known| {
            let mut listed = self.listed.iter();
            !listed.any(|listed| listed.known.role == known.role)
        });
        let missing: Vec<&str> = missing.map(|known| known.name.as_str()).collect();
        if are_right && !missing.is_empty() {
            diagnostics
                .error(span, format!("the file has no {}", list(&missing)))
                .help("list every tensor of the network, in the order of the file");
            return None;
        }
        sums
    }

    /// The sections of an entry: its tensors, and what aligns them.
    fn sections_of(
        &mut self,
        entry: &'a Entry,
        diagnostics: &mut Diagnostics,
    ) -> Option<Vec<Section<Tensor>>> {
        let align = entry.align.as_ref();
        let align = in_range_or("align", align, 1..=LARGEST_UNIT, 1, diagnostics);
        let sections = match &entry.content {
            Content::Tensor(keys) => {
                let pad = in_range_or("pad", keys.pad.as_ref(), 1..=LARGEST_UNIT, 1, diagnostics);
                let tensors = self.tensors_of(entry, keys, diagnostics)?;
                let entry = TensorsOfEntry {
                    span: entry.span,
                    keys,
                    pad: pad? as usize,
                    tensors: self.with_axes_of_list(entry, tensors, diagnostics)?,
                };
                let sections = 0..entry.tensors.len();
                all(sections.map(|index| self.tensor(&entry, index, diagnostics)))?
            }
            _ if matches!(self.list.bullet, Some((BulletKind::Weights, _))) => {
                diagnostics
                    .error(entry.span, "found bytes without a name, expected only tensors with `kind = \"weights\"`")
                    .help("everything in `weights.bin` has a name: remove it");
                return None;
            }
            Content::Skipped(field) => vec![fields::skipped(field, diagnostics)?],
            Content::Kept(kept) if self.is_stack => {
                let message = format!("`{}` is in `stack`, expected in `tensors`", kept.name.value);
                diagnostics
                    .error(kept.name.span, message)
                    .help("numbers that the network does not use are there once");
                return None;
            }
            Content::Kept(kept) => {
                vec![self.kept.section(kept, self.list.tensors, diagnostics)?]
            }
            Content::Bytes(field) => vec![fields::section(field, diagnostics)?],
        };
        let align = Some(align? as usize).filter(|align| *align > 1);
        let align = align.map(Section::Align);
        let aligned = sections.into_iter().flat_map(|section| {
            let align = align.clone();
            align.into_iter().chain([section])
        });
        Some(aligned.collect())
    }

    /// The tensors with the axes that they have in the present list: in a list of a stack, the axis
    /// of the stacks is missing.
    fn with_axes_of_list(
        &self,
        entry: &Entry,
        tensors: Vec<&'a KnownTensor>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Vec<KnownTensor>> {
        let here = tensors.into_iter().map(|known| match known.of_a_stack() {
            _ if !self.is_stack => Some(known.clone()),
            Some(own) => Some(own),
            None => {
                let message = format!("`{}` is in `stack`, but no stack has its own", known.name);
                diagnostics
                    .error(entry.span, message)
                    .help("list the tensors of the transformer and of shared layers in `tensors`");
                None
            }
        });
        all(here)
    }

    /// The section of one tensor that an entry names.
    fn tensor(
        &mut self,
        entry: &TensorsOfEntry<'_>,
        index: usize,
        diagnostics: &mut Diagnostics,
    ) -> Option<Section<Tensor>> {
        let known = &entry.tensors[index];
        let named = NamedTensor {
            list: self.list,
            entry,
            known,
        };
        let tensor = named.tensor(diagnostics)?;
        let mut listed = self.listed.iter();
        let first = listed.find(|listed| listed.known.role == known.role);
        let first = first.map(|first| first.span);
        self.listed.push(ListedTensor {
            known: known.clone(),
            span: entry.span,
            quantise: tensor.stored.quantise,
        });
        let Some(first) = first else {
            return Some(Section::Tensor(tensor));
        };
        match self.list.bullet {
            // A tensor that a trainer lists twice is saved twice, with the same values: the second
            // copy is skipped.
            Some((BulletKind::Quantised | BulletKind::Raw, _)) => Some(Section::Skipped {
                name: "".into(),
                len: tensor.stored.raw_len(),
            }),
            _ => {
                diagnostics
                    .error(entry.span, format!("`{}` is listed twice", tensor.name))
                    .related(first, "the first");
                None
            }
        }
    }

    /// The tensors that an entry names.
    fn tensors_of(
        &self,
        entry: &Entry,
        keys: &TensorEntry,
        diagnostics: &mut Diagnostics,
    ) -> Option<Vec<&'a KnownTensor>> {
        let mut tensors = self.list.tensors.iter();
        match (&keys.tensor, &keys.id, self.list.bullet) {
            (Some(name), _, None) => self.tensors_named(name, diagnostics),
            (Some(name), _, Some(_)) => {
                let found = tensors.find(|known| known.name == name.value);
                if found.is_none() {
                    let names = self.list.tensors.iter().map(|known| known.name.as_str());
                    unknown("name", name, names, diagnostics);
                }
                Some(vec![found?])
            }
            (None, Some(id), _) => {
                let found = tensors.find(|known| known.id.as_ref() == Some(&id.value));
                if found.is_none() {
                    self.unusual(id, diagnostics);
                }
                Some(vec![found?])
            }
            (None, None, bullet) => {
                let key = bullet.map_or("tensor", |_| "id");
                diagnostics.error(entry.span, format!("the entry needs `{key}`"));
                None
            }
        }
    }

    /// The tensors that a name stands for: a single tensor, or several. `fc_0` stands for all
    /// tensors of a layer, `layers` for those of all layers. A tensor that another entry names more
    /// precisely belongs to that entry.
    fn tensors_named(
        &self,
        name: &Spanned<String>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Vec<&'a KnownTensor>> {
        let tensors = self.list.tensors.iter();
        let all: Vec<(&KnownTensor, Precision)> = tensors
            .filter_map(|known| Some((known, precision(&name.value, known)?)))
            .collect();
        if all.is_empty() {
            let names = self.list.tensors.iter().map(|known| known.name.as_str());
            let mut groups: Vec<&str> = names
                .clone()
                .filter_map(|name| name.split('.').next())
                .collect();
            groups.dedup();
            let names: Vec<&str> = names.chain(groups).chain([LAYERS]).collect();
            unknown("name", name, names.into_iter(), diagnostics);
            return None;
        }
        let is_elsewhere = |(known, own): &(&KnownTensor, Precision)| {
            let mut names = self.names.iter();
            names.any(|other| precision(other, known) > Some(*own))
        };
        let rest = all.into_iter().filter(|listed| !is_elsewhere(listed));
        let rest: Vec<&KnownTensor> = rest.map(|(known, _)| known).collect();
        if rest.is_empty() {
            diagnostics
                .error(
                    name.span,
                    format!("other entries list all tensors of `{}`", name.value),
                )
                .help("remove it");
            return None;
        }
        Some(rest)
    }

    fn unusual(&self, id: &Spanned<String>, diagnostics: &mut Diagnostics) {
        let ids = self
            .list
            .tensors
            .iter()
            .filter_map(|known| known.id.as_deref());
        let message = format!("`{}` is not a usual id: the entry needs `tensor`", id.value);
        diagnostics
            .error(id.span, message)
            .label(format!("the usual ones are {}", list(ids)))
            .help(format!(
                "say which tensor it is: `{{ id = \"{}\", tensor = \"{}\" }}`",
                id.value,
                self.list
                    .tensors
                    .last()
                    .map_or("", |known| known.name.as_str())
            ));
    }
}

/// How precisely a name says which tensor is meant, from the least to the most precise.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Precision {
    Layers,
    Owner,
    Tensor,
}

/// How precisely `name` means the tensor; `None` if it does not mean it.
fn precision(name: &str, known: &KnownTensor) -> Option<Precision> {
    match known.name.strip_prefix(name) {
        Some("") => Some(Precision::Tensor),
        Some(rest) if rest.starts_with('.') => Some(Precision::Owner),
        _ => (name == LAYERS && known.role.layer().is_some()).then_some(Precision::Layers),
    }
}

pub(super) fn unknown<'n>(
    what: &str,
    found: &Spanned<String>,
    allowed: impl Iterator<Item = &'n str> + Clone,
    diagnostics: &mut Diagnostics,
) {
    let message = format!("there is no tensor with the {what} `{}`", found.value);
    diagnostics.unknown(found.span, message, &found.value, allowed);
}
