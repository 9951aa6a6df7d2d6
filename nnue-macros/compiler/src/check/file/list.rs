//! Checks files without a header: those of bullet, and tensors in the order in which the spec lists
//! them.

use nnue_format::{Element, Format, Quantise, Rounding, Section, Tail};

use super::tensors::{Known, Values};
use crate::check::{in_range, in_range_or, value_or};
use crate::diagnostics::{Diagnostics, Span, Spanned, list, nearest};
use crate::network::file::{Axis, File, Role, Tensor, section_len};
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
    let all;
    let (entries, span) = match &file.entries {
        Some(entries) => (&entries.value, entries.span),
        None => {
            all = default_entries(file, kind, tensors, diagnostics)?;
            (&all, file.span)
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
    if kind != BulletKind::Weights && tensors.iter().any(|known| known.is_virtual) {
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
        let message = format!("`transposed` and `kind = \"{kind}\"`");
        diagnostics
            .error(transposed.span, message)
            .help("bullet applies no transforms to this file: remove it");
        return None;
    }
    let Transposed::Ids(ids) = &transposed.value else {
        return Some(());
    };
    let mut listed: Vec<&str> = tensors
        .iter()
        .filter_map(|known| known.id.as_deref())
        .collect();
    if let Some(entries) = &file.entries {
        listed.extend(
            entries
                .value
                .iter()
                .filter_map(|entry| match &entry.content {
                    Content::Tensor(entry) => entry.id.as_ref().map(|id| id.value.as_str()),
                    _ => None,
                }),
        );
    }
    let mut known = true;
    for id in ids {
        if !listed.contains(&id.value.as_str()) {
            unknown("id", id, &listed, diagnostics);
            known = false;
        }
    }
    known.then_some(())
}

fn unknown(what: &str, found: &Spanned<String>, allowed: &[&str], diagnostics: &mut Diagnostics) {
    let mut names = allowed.to_vec();
    names.dedup();
    let message = format!("there is no tensor with the {what} `{}`", found.value);
    let error = diagnostics
        .error(found.span, message)
        .label(format!("allowed: {}", list(&names)));
    if let Some(near) = nearest(&found.value, names) {
        error.help(format!("did you mean `{near}`?"));
    }
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
        let mut sections = Some(Vec::new());
        let mut seen: Vec<(Role, Span)> = Vec::new();
        let mut parts_of_sums: Vec<PartOfSums<'_>> = Vec::new();
        let named = matches!(self.bullet, Some((BulletKind::Weights, _)));
        for entry in entries {
            let read = match &entry.content {
                Content::Tensor(tensor) => {
                    let known = self.known(entry, tensor, diagnostics);
                    let read =
                        known.and_then(|known| self.tensor(entry, tensor, known, diagnostics));
                    let first = known.and_then(|known| {
                        let first = seen.iter().find(|(role, _)| *role == known.role);
                        let first = first.map(|(_, span)| *span);
                        seen.push((known.role, entry.span));
                        first
                    });
                    let part = known
                        .zip(read.as_deref())
                        .and_then(|(known, read)| PartOfSums::of(known, read, entry.span));
                    parts_of_sums.extend(part);
                    match (read, first) {
                        (Some(read), Some(first)) => self.again(entry, read, first, diagnostics),
                        (read, _) => read,
                    }
                }
                Content::Skipped(len) => {
                    let len = in_range("bytes", len, 1..=LONGEST_SKIPPED, diagnostics);
                    len.map(|len| vec![Section::Skipped(len as usize)])
                }
                Content::Bytes(bytes) => Some(vec![Section::Bytes(bytes.clone().into())]),
            };
            if let (true, Some([Section::Skipped(_) | Section::Bytes(_)])) =
                (named, read.as_deref())
            {
                diagnostics
                    .error(entry.span, "bytes in a file of `kind = \"weights\"`")
                    .help("everything in `weights.bin` has a name: remove it");
                sections = None;
            }
            let align = entry.align.as_ref();
            let align = in_range_or("align", align, 1..=LARGEST_UNIT, 1, diagnostics);
            sections = sections
                .zip(read)
                .zip(align)
                .map(|((mut sections, read), align)| {
                    sections.extend((align > 1).then_some(Section::Align(align as usize)));
                    sections.extend(read);
                    sections
                });
        }
        let missing = self.tensors.iter().filter(|known| {
            let mut roles = seen.iter().map(|(role, _)| *role);
            !roles.any(|role| role == known.role)
        });
        let missing: Vec<&str> = missing.map(|known| known.name.as_str()).collect();
        // Where an entry is wrong, it may be the one.
        if !missing.is_empty() && sections.is_some() {
            diagnostics
                .error(span, format!("the file has no {}", list(&missing)))
                .help("list every tensor of the network, in the order of the file");
            return None;
        }
        check_sums(&parts_of_sums, diagnostics)?;
        sections
    }

    /// A tensor that was listed before.
    fn again(
        &self,
        entry: &Entry,
        sections: Vec<Section<Tensor>>,
        first: Span,
        diagnostics: &mut Diagnostics,
    ) -> Option<Vec<Section<Tensor>>> {
        let name = sections.iter().find_map(Section::as_tensor)?.name.clone();
        match self.bullet {
            // What trainers list twice is saved twice, and the first is as good as the second.
            Some((BulletKind::Quantised | BulletKind::Raw, _)) => Some(
                sections
                    .iter()
                    .filter_map(section_len)
                    .map(Section::Skipped)
                    .collect(),
            ),
            _ => {
                diagnostics
                    .error(entry.span, format!("`{name}` is listed twice"))
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
                let names: Vec<&str> = self
                    .tensors
                    .iter()
                    .map(|known| known.name.as_str())
                    .collect();
                unknown("name", name, &names, diagnostics);
            }
            return found;
        }
        let Some(id) = &tensor.id else {
            let key = if self.bullet.is_some() {
                "id"
            } else {
                "tensor"
            };
            diagnostics.error(entry.span, format!("the entry needs `{key}`"));
            return None;
        };
        let found = tensors.find(|known| known.id.as_ref() == Some(&id.value));
        if found.is_none() {
            let ids: Vec<&str> = self
                .tensors
                .iter()
                .filter_map(|known| known.id.as_deref())
                .collect();
            let message = format!("`{}` is no usual id: the entry needs `tensor`", id.value);
            diagnostics
                .error(id.span, message)
                .label(format!("usual are {}", list(&ids)))
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
    ) -> Option<Vec<Section<Tensor>>> {
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
            let message = format!("`transposed` and `kind = \"{kind}\"`");
            diagnostics
                .error(transposed.span, message)
                .help("bullet applies no transforms to this file: remove it");
            return None;
        }
        let pad = match &keys.pad {
            Some(pad) => {
                in_range("pad", pad, 1..=LARGEST_UNIT, diagnostics).map(|pad| pad as usize)
            }
            None => Some(1),
        };
        let element = element?;
        let quantise = self.quantise(entry, keys, known, element, diagnostics)?;
        let (axes, pad) = (axes?, pad?);
        let id = keys.id.as_ref().map(|id| id.value.clone());
        let tensor = Tensor {
            id: id.unwrap_or_default(),
            element,
            padded: axes.last().map_or(1, |(_, len)| len.next_multiple_of(pad)),
            axes,
            quantise,
            ..known.tensor()
        };
        Some(vec![Section::Tensor(tensor)])
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
                Values::Integers(own) => element.is_float() || element.size() <= own.size(),
                Values::Float => element.is_float(),
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
            return self.needless(keys, known, diagnostics);
        };
        let own = match known.role {
            // Memory holds words where virtual rows are added to rows of bytes.
            Role::Weights(_) if known.is_factorised => Element::I16,
            _ => own,
        };
        if !element.is_float() {
            return self.needless(keys, known, diagnostics);
        }
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
        let rounding = keys.rounding.as_ref();
        Some(Some(Quantise {
            factor,
            rounding: rounding.map_or(self.rounding, |rounding| rounding.value),
            element: own,
        }))
    }

    /// Refuses keys of tensors that are quantised.
    fn needless(
        &self,
        keys: &TensorEntry,
        known: &Known,
        diagnostics: &mut Diagnostics,
    ) -> Option<Option<Quantise>> {
        let one = keys.one.as_ref().map(|key| ("one", key.span));
        let rounding = keys.rounding.as_ref().map(|key| ("rounding", key.span));
        let Some((key, span)) = one.or(rounding) else {
            return Some(None);
        };
        let message = format!("`{key}` belongs to floating point that becomes integers");
        diagnostics
            .error(span, message)
            .label(format!("`{}` is taken as it is", known.name))
            .help("remove it");
        None
    }
}

/// A tensor with rows whose sums are rounded: real ones or virtual ones.
struct PartOfSums<'a> {
    known: &'a Known,
    /// How its values become integers, unless they are.
    quantise: Option<Quantise>,
    entry: Span,
}

impl PartOfSums<'_> {
    fn of<'a>(
        known: &'a Known,
        sections: &[Section<Tensor>],
        entry: Span,
    ) -> Option<PartOfSums<'a>> {
        let tensor = sections.iter().find_map(Section::as_tensor)?;
        known.rounds_sums.then_some(PartOfSums {
            known,
            quantise: tensor.quantise,
            entry,
        })
    }

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
fn check_sums(parts: &[PartOfSums<'_>], diagnostics: &mut Diagnostics) -> Option<()> {
    let (virtuals, reals): (Vec<_>, Vec<_>) = parts.iter().partition(|part| part.known.is_virtual);
    for (own, real) in virtuals
        .iter()
        .flat_map(|own| reals.iter().map(move |real| (own, real)))
    {
        let same_kind =
            matches!(own.known.role, Role::Psqt(_)) == matches!(real.known.role, Role::Psqt(_));
        let how = |part: &PartOfSums<'_>| {
            part.quantise
                .map(|quantise| (quantise.factor, quantise.rounding))
        };
        if same_kind && how(own) != how(real) {
            diagnostics
                .error(own.entry, format!("{}, and {}", own.becomes(), real.becomes()))
                .related(real.entry, "its rows are added to these before they are rounded")
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
