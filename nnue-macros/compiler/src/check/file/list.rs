//! Checks files without a header: those of bullet, and tensors in the order in which the spec lists
//! them.

use nnue_format::{Element, Format, Quantise, Rounding, Section, Tail};

use super::tensors::{Known, Values};
use crate::check::{in_range, in_range_or, value_or};
use crate::diagnostics::{Diagnostics, Span, Spanned, all, list};
use crate::network::file::{Axis, File, Role, Tensor};
use crate::spec::{self, BulletKind, Content, Entry, Named, TailName, TensorEntry, Transposed};

/// The largest number of bytes that one entry can skip.
const LONGEST_SKIPPED: i64 = 1 << 30;

/// The largest unit, in values or bytes, that offsets and lengths can be multiples of.
const LARGEST_UNIT: i64 = 4096;

/// What files with a tail are padded to.
const TAIL_UNIT: usize = 64;

/// Checks the keys of bullet's formats, and lists the sections of the file.
pub(super) fn bullet(
    file: &spec::Bullet,
    tensors: &[Known],
    diagnostics: &mut Diagnostics,
) -> Option<File> {
    let kind = value_or(&file.kind, BulletKind::Quantised);
    if let Some(transposed) = &file.transposed {
        check_transposed(transposed, kind, file, tensors, diagnostics)?;
    }
    let usual;
    let (entries, span) = match &file.entries {
        Some(entries) => (&entries.value, entries.span),
        None => {
            usual = default_entries(file, kind, tensors, diagnostics)?;
            (&usual, file.span)
        }
    };
    let reader = Reader {
        tensors,
        rounding: value_or(&file.rounding, Rounding::Truncate),
        bullet: Some((kind, file.transposed.as_ref())),
    };
    let sections = reader.sections(entries, span, diagnostics)?;
    let default = match kind {
        BulletKind::Quantised => TailName::Bullet,
        BulletKind::Raw | BulletKind::Weights => TailName::None,
    };
    if let (BulletKind::Weights, Some(tail)) = (kind, &file.tail) {
        diagnostics
            .error(tail.span, "`tail` and `kind = \"weights\"`")
            .help("`weights.bin` ends with its last tensor: remove it");
        return None;
    }
    Some(File {
        format: match kind {
            BulletKind::Weights => Format::Named,
            _ => Format::Sequence,
        },
        sections,
        stack_sections: Vec::new(),
        tail: tail(file.tail.as_ref(), default),
    })
}

/// Checks lists of tensors.
pub(super) fn tensors(
    file: &spec::Tensors,
    tensors: &[Known],
    diagnostics: &mut Diagnostics,
) -> Option<File> {
    let reader = Reader {
        tensors,
        rounding: value_or(&file.rounding, Rounding::Truncate),
        bullet: None,
    };
    let sections = reader.sections(&file.tensors.value, file.tensors.span, diagnostics)?;
    Some(File {
        format: Format::Sequence,
        sections,
        stack_sections: Vec::new(),
        tail: tail(file.tail.as_ref(), TailName::None),
    })
}

fn tail(key: Option<&Spanned<TailName>>, default: TailName) -> Tail {
    match key.map_or(default, |tail| tail.value) {
        TailName::Bullet => Tail {
            text: b"bullet",
            multiple: TAIL_UNIT,
        },
        TailName::Zeros => Tail {
            text: b"\0",
            multiple: TAIL_UNIT,
        },
        TailName::None => Tail::NONE,
    }
}

/// The entries of bullet's examples: the transformer, then every affine layer.
fn default_entries(
    file: &spec::Bullet,
    kind: BulletKind,
    tensors: &[Known],
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Entry>> {
    if kind != BulletKind::Weights && tensors.iter().any(|known| known.sums.is_virtual) {
        diagnostics
            .error(file.span, format!("bullet has no usual place for virtual rows in files of `kind = \"{kind}\"`"))
            .help(match kind {
                BulletKind::Quantised => {
                    "bullet's examples add `l0f` to `l0w` when they save this file: remove `factorised`; or list what the file has: \
                     `entries = [\"l0w\", \"l0f\", \"l0b\", ...]`"
                }
                _ => {
                    "`raw.bin` has `l0f` if the trainer's save format lists it: list what the file has: \
                     `entries = [\"l0w\", \"l0f\", \"l0b\", ...]`; or load `kind = \"weights\"`, which has everything"
                }
            });
        return None;
    }
    let entries = tensors.iter().map(|known| match &known.id {
        Some(id) => Some(Entry {
            span: file.span,
            align: None,
            content: Content::Tensor(Box::new(TensorEntry {
                id: Some(Spanned::new(id.clone(), file.span)),
                ..TensorEntry::default()
            })),
        }),
        None => {
            let message = format!("bullet has no usual place for `{}`", known.name);
            diagnostics.error(file.span, message)
                .help(format!(
                    "list what the file has: `entries = [\"l0w\", \"l0b\", {{ id = \"pst\", tensor = \"{}\" }}, ...]`",
                    known.name
                ));
            None
        }
    });
    entries.collect()
}

fn check_transposed(
    transposed: &Spanned<Transposed>,
    kind: BulletKind,
    file: &spec::Bullet,
    tensors: &[Known],
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    if kind != BulletKind::Quantised && transposed.value != Transposed::All(false) {
        report_transposed(kind, transposed.span, diagnostics);
        return None;
    }
    let Transposed::Ids(ids) = &transposed.value else {
        return Some(());
    };
    let usual = tensors.iter().filter_map(|known| known.id.as_deref());
    let entries = file.entries.iter().flat_map(|entries| &entries.value);
    let ids_of_entries = entries.filter_map(|entry| match &entry.content {
        Content::Tensor(entry) => entry.id.as_ref().map(|id| id.value.as_str()),
        _ => None,
    });
    let mut listed: Vec<&str> = usual.chain(ids_of_entries).collect();
    listed.dedup();
    let mut known = true;
    for id in ids {
        if !listed.contains(&id.value.as_str()) {
            unknown("id", id, listed.iter().copied(), diagnostics);
            known = false;
        }
    }
    known.then_some(())
}

fn report_transposed(kind: BulletKind, span: Span, diagnostics: &mut Diagnostics) {
    diagnostics
        .error(span, format!("`transposed` and `kind = \"{kind}\"`"))
        .help("bullet applies no transforms to this file: remove it");
}

fn unknown<'n>(
    what: &str,
    found: &Spanned<String>,
    allowed: impl Iterator<Item = &'n str> + Clone,
    diagnostics: &mut Diagnostics,
) {
    let message = format!("there is no tensor with the {what} `{}`", found.value);
    diagnostics.unknown(found.span, message, &found.value, allowed);
}

/// Makes sections of entries.
struct Reader<'a> {
    tensors: &'a [Known],
    rounding: Rounding,
    /// Which of bullet's files it is, if one, and what is transposed in it.
    bullet: Option<(BulletKind, Option<&'a Spanned<Transposed>>)>,
}

impl Reader<'_> {
    fn sections(
        &self,
        entries: &[Entry],
        span: Span,
        diagnostics: &mut Diagnostics,
    ) -> Option<Vec<Section<Tensor>>> {
        let mut listed = Vec::new();
        let entries = entries.iter();
        let sections = all(entries.map(|entry| self.sections_of(entry, &mut listed, diagnostics)));
        let sums = check_sums(&listed, diagnostics);
        // Where an entry is wrong, it may be the one that is missing.
        let sections = sections?;
        let missing = self.tensors.iter().filter(|known| {
            let mut roles = listed.iter().map(|listed| listed.known.role);
            !roles.any(|role| role == known.role)
        });
        let missing: Vec<&str> = missing.map(|known| known.name.as_str()).collect();
        if !missing.is_empty() {
            diagnostics
                .error(span, format!("the file has no {}", list(&missing)))
                .help("list every tensor of the network, in the order of the file");
            return None;
        }
        sums.map(|()| sections.into_iter().flatten().collect())
    }

    /// An entry, and what aligns it; tensors are added to those that were listed so far.
    fn sections_of<'t>(
        &'t self,
        entry: &Entry,
        listed: &mut Vec<Listed<'t>>,
        diagnostics: &mut Diagnostics,
    ) -> Option<impl Iterator<Item = Section<Tensor>> + use<>> {
        let align = entry.align.as_ref();
        let align = in_range_or("align", align, 1..=LARGEST_UNIT, 1, diagnostics);
        let section = match &entry.content {
            Content::Tensor(keys) => {
                let known = self.known(entry, keys, diagnostics)?;
                let tensor = self.tensor(entry, keys, known, diagnostics)?;
                let mut above = listed.iter();
                let first = above.find(|listed| listed.known.role == known.role);
                let first = first.map(|first| first.span);
                listed.push(Listed {
                    known,
                    span: entry.span,
                    quantise: tensor.quantise,
                });
                match first {
                    Some(first) => self.again(entry, tensor, first, diagnostics)?,
                    None => Section::Tensor(tensor),
                }
            }
            _ if matches!(self.bullet, Some((BulletKind::Weights, _))) => {
                diagnostics
                    .error(entry.span, "bytes in a file of `kind = \"weights\"`")
                    .help("everything in `weights.bin` has a name: remove it");
                return None;
            }
            Content::Skipped(len) => {
                let len = in_range("bytes", len, 1..=LONGEST_SKIPPED, diagnostics)?;
                Section::Skipped(len as usize)
            }
            Content::Bytes(bytes) => Section::Bytes(bytes.clone().into()),
        };
        let align = Some(align? as usize).filter(|align| *align > 1);
        let align = align.map(Section::Align);
        Some(align.into_iter().chain([section]))
    }

    /// A tensor that was listed before.
    fn again(
        &self,
        entry: &Entry,
        tensor: Tensor,
        first: Span,
        diagnostics: &mut Diagnostics,
    ) -> Option<Section<Tensor>> {
        match self.bullet {
            // What trainers list twice is saved twice, and the first is as good as the second.
            Some((BulletKind::Quantised | BulletKind::Raw, _)) => {
                Some(Section::Skipped(tensor.raw_len()))
            }
            _ => {
                diagnostics
                    .error(entry.span, format!("`{}` is listed twice", tensor.name))
                    .related(first, "the first");
                None
            }
        }
    }

    /// Which tensor an entry is.
    fn known(
        &self,
        entry: &Entry,
        tensor: &TensorEntry,
        diagnostics: &mut Diagnostics,
    ) -> Option<&Known> {
        let mut tensors = self.tensors.iter();
        if let Some(name) = &tensor.tensor {
            let found = tensors.find(|known| known.name == name.value);
            if found.is_none() {
                let names = self.tensors.iter().map(|known| known.name.as_str());
                unknown("name", name, names, diagnostics);
            }
            return found;
        }
        let Some(id) = &tensor.id else {
            let key = self.bullet.map_or("tensor", |_| "id");
            diagnostics.error(entry.span, format!("the entry needs `{key}`"));
            return None;
        };
        let found = tensors.find(|known| known.id.as_ref() == Some(&id.value));
        if found.is_none() {
            let ids = self.tensors.iter().filter_map(|known| known.id.as_deref());
            let message = format!("`{}` is no usual id: the entry needs `tensor`", id.value);
            diagnostics
                .error(id.span, message)
                .label(format!("usual are {}", list(ids)))
                .help(format!(
                    "say which tensor it is: `{{ id = \"{}\", tensor = \"{}\" }}`",
                    id.value,
                    self.tensors.last().map_or("", |known| known.name.as_str())
                ));
        }
        found
    }

    /// A tensor.
    fn tensor(
        &self,
        entry: &Entry,
        keys: &TensorEntry,
        known: &Known,
        diagnostics: &mut Diagnostics,
    ) -> Option<Tensor> {
        let element = self.element(keys, known, diagnostics);
        let axes = match (&keys.axes, self.bullet) {
            (Some(axes), _) => check_axes(axes, known, diagnostics),
            (None, Some((_, transposed))) => Some(bullet_axes(
                known,
                self.is_transposed(keys, known, transposed),
            )),
            (None, None) => Some(known.axes.clone()),
        };
        if let (Some((kind, _)), Some(transposed)) = (self.bullet, &keys.transposed)
            && transposed.value
            && kind != BulletKind::Quantised
        {
            report_transposed(kind, transposed.span, diagnostics);
            return None;
        }
        let pad = in_range_or("pad", keys.pad.as_ref(), 1..=LARGEST_UNIT, 1, diagnostics);
        let element = element?;
        let quantise = self.quantise(entry, keys, known, element, diagnostics)?;
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

    fn is_transposed(
        &self,
        keys: &TensorEntry,
        known: &Known,
        all: Option<&Spanned<Transposed>>,
    ) -> bool {
        if let Some(transposed) = &keys.transposed {
            return transposed.value;
        }
        match all.map(|all| &all.value) {
            None => false,
            Some(Transposed::All(all)) => *all && matches!(known.role, Role::LayerWeights(_)),
            Some(Transposed::Ids(ids)) => {
                let id = keys.id.as_ref().map(|id| &id.value);
                ids.iter().any(|listed| Some(&listed.value) == id)
            }
        }
    }

    /// The type in the file, which memory's must hold.
    fn element(
        &self,
        keys: &TensorEntry,
        known: &Known,
        diagnostics: &mut Diagnostics,
    ) -> Option<Element> {
        let default = match self.bullet {
            Some((BulletKind::Raw | BulletKind::Weights, _)) => Element::F32,
            Some((BulletKind::Quantised, _)) => self.quantised_element(known),
            None => known.element(),
        };
        let Some(element) = &keys.element else {
            return Some(default);
        };
        if let Some((kind @ (BulletKind::Raw | BulletKind::Weights), _)) = self.bullet
            && element.value != Element::F32
        {
            let message = format!("`type` is `{}` and `kind` is `{kind}`", element.value);
            diagnostics
                .error(element.span, message)
                .help("everything in this file is `f32`: remove it");
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
            let message = format!("`type` of `{}` is `{}`", known.name, element.value);
            diagnostics
                .error(element.span, message)
                .label(format!("allowed: {}", list(&allowed)))
                .help("the layers' types are those of the network: a file's must fit into them");
            return None;
        }
        Some(element.value)
    }

    /// The type that bullet's examples give a tensor: where weights are `i16`, biases are too.
    fn quantised_element(&self, known: &Known) -> Element {
        let Role::LayerBiases(layer) = known.role else {
            return known.element();
        };
        let weights = self
            .tensors
            .iter()
            .find(|other| other.role == Role::LayerWeights(layer));
        match weights.map(|weights| weights.values) {
            Some(Values::Integers(Element::I16)) if known.values != Values::Float => Element::I16,
            _ => known.element(),
        }
    }

    /// How floating point becomes the network's integers. The outer `None` is an error.
    fn quantise(
        &self,
        entry: &Entry,
        keys: &TensorEntry,
        known: &Known,
        element: Element,
        diagnostics: &mut Diagnostics,
    ) -> Option<Option<Quantise>> {
        let Values::Integers(own) = known.values else {
            return needless(keys, known, diagnostics);
        };
        if !element.is_float() {
            return needless(keys, known, diagnostics);
        }
        let own = match known.role {
            // Memory holds words where virtual rows are added to rows of bytes.
            Role::Weights(_) if known.sums.is_factorised => Element::I16,
            _ => own,
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
                        .error(entry.span, format!("`{}` needs `one`", known.name))
                        .label("what stands for 1.0 in it does not follow from the network")
                        .help("list the file's tensors, and in this one say what its values are multiplied by");
                    return None;
                }
            },
        };
        Some(Some(Quantise {
            factor,
            rounding: value_or(&keys.rounding, self.rounding),
            element: own,
        }))
    }
}

/// Refuses keys of tensors that are quantised.
fn needless(
    keys: &TensorEntry,
    known: &Known,
    diagnostics: &mut Diagnostics,
) -> Option<Option<Quantise>> {
    let needless = spec::place("one", &keys.one).or(spec::place("rounding", &keys.rounding));
    let Some((key, span)) = needless else {
        return Some(None);
    };
    let message = format!("`{key}` belongs to floating point that becomes integers");
    diagnostics
        .error(span, message)
        .label(format!("`{}` is taken as it is", known.name))
        .help("remove it");
    None
}

/// A tensor that the file has.
struct Listed<'a> {
    known: &'a Known,
    /// The place of its entry.
    span: Span,
    /// How its values become integers, unless they are.
    quantise: Option<Quantise>,
}

impl Listed<'_> {
    fn becomes(&self) -> String {
        match &self.quantise {
            Some(quantise) => format!(
                "`{}` is multiplied by {} and rounded by `{}`",
                self.known.name, quantise.factor, quantise.rounding
            ),
            None => format!("`{}` is integers", self.known.name),
        }
    }
}

/// Reports real and virtual rows that are added before their sum is rounded, but are not scaled and
/// rounded in the same way.
fn check_sums(listed: &[Listed<'_>], diagnostics: &mut Diagnostics) -> Option<()> {
    let rounded = listed.iter().filter(|listed| listed.known.sums.rounds_sums);
    let (virtuals, reals): (Vec<_>, Vec<_>) =
        rounded.partition(|listed| listed.known.sums.is_virtual);
    let pairs = virtuals
        .iter()
        .flat_map(|own| reals.iter().map(move |real| (own, real)));
    for (own, real) in pairs {
        let is_psqt = |listed: &Listed<'_>| matches!(listed.known.role, Role::Psqt(_));
        let how = |listed: &Listed<'_>| {
            let quantise = listed.quantise;
            quantise.map(|quantise| (quantise.factor, quantise.rounding))
        };
        if is_psqt(own) == is_psqt(real) && how(own) != how(real) {
            diagnostics
                .error(own.span, format!("{}, and {}", own.becomes(), real.becomes()))
                .related(real.span, "its rows are added to these before they are rounded")
                .help("give both the same `type`, `one` and `rounding`; or `[[features]]` its `rounding = \"each\"`");
            return None;
        }
    }
    Some(())
}

/// The axes of a tensor in bullet's files. bullet's matrices are column-major, so the weights of
/// one input follow one another, those of all stacks together.
fn bullet_axes(known: &Known, transposed: bool) -> Vec<(Axis, usize)> {
    let mut axes = known.axes.clone();
    match known.role {
        Role::LayerWeights(_) if !transposed => axes.rotate_right(1),
        Role::Weights(_) | Role::Psqt(_) if transposed => axes.reverse(),
        _ => {}
    }
    axes
}

/// The axes that a spec lists: all of the tensor's, but those of length 1 may be left out.
fn check_axes(
    listed: &Spanned<Vec<Spanned<Axis>>>,
    known: &Known,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<(Axis, usize)>> {
    let expected = || {
        let names: Vec<String> = known
            .axes
            .iter()
            .map(|(axis, _)| format!("`{axis}`"))
            .collect();
        format!("its axes: {}", names.join(", "))
    };
    let mut axes: Vec<(Axis, usize)> = Vec::new();
    for axis in &listed.value {
        let own = known.axes.iter().find(|(own, _)| *own == axis.value);
        let twice = axes.iter().any(|(seen, _)| *seen == axis.value);
        match own {
            Some(own) if !twice => axes.push(*own),
            found => {
                let problem = if found.is_some() { "twice" } else { "not" };
                let message = format!("`{}` is {problem} an axis of `{}`", axis.value, known.name);
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
        let message = format!("`axes` of `{}` lack `{axis}`", known.name);
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
