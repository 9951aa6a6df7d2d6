//! Checks files without a header: those of bullet, and tensors in the order in which the spec lists
//! them.

mod tensor;

use nnue_format::{Format, Quantise, Rounding, Section, Tail};

use self::tensor::{NamedTensor, report_transposed};
use super::tensors::Known;
use crate::check::{in_range, in_range_or, value_or};
use crate::diagnostics::{Diagnostics, Span, Spanned, all, list};
use crate::network::file::{File, Role, Tensor};
use crate::spec::{self, BulletKind, Content, Entry, TailName, TensorEntry, Transposed};

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
    let list = List {
        tensors,
        rounding: value_or(&file.rounding, Rounding::Truncate),
        bullet: Some((kind, file.transposed.as_ref())),
    };
    let sections = list.sections(entries, span, diagnostics)?;
    let default = match kind {
        BulletKind::Quantised => TailName::Bullet,
        BulletKind::Raw | BulletKind::Weights => TailName::None,
    };
    if let (BulletKind::Weights, Some(tail)) = (kind, &file.tail) {
        diagnostics
            .error(tail.span, "`kind = \"weights\"` has no `tail`")
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
    let list = List {
        tensors,
        rounding: value_or(&file.rounding, Rounding::Truncate),
        bullet: None,
    };
    let sections = list.sections(&file.tensors.value, file.tensors.span, diagnostics)?;
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

fn unknown<'n>(
    what: &str,
    found: &Spanned<String>,
    allowed: impl Iterator<Item = &'n str> + Clone,
    diagnostics: &mut Diagnostics,
) {
    let message = format!("there is no tensor with the {what} `{}`", found.value);
    diagnostics.unknown(found.span, message, &found.value, allowed);
}

/// What all entries of a list share.
struct List<'a> {
    tensors: &'a [Known],
    rounding: Rounding,
    /// Which of bullet's files it is, if one, and what is transposed in it.
    bullet: Option<(BulletKind, Option<&'a Spanned<Transposed>>)>,
}

impl List<'_> {
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
                let named = NamedTensor {
                    list: self,
                    keys,
                    known,
                    span: entry.span,
                };
                let tensor = named.tensor(diagnostics)?;
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
                    .error(entry.span, "found bytes without a name, expected only tensors with `kind = \"weights\"`")
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
            let message = format!("`{}` is not a usual id: the entry needs `tensor`", id.value);
            diagnostics
                .error(id.span, message)
                .label(format!("the usual ones are {}", list(ids)))
                .help(format!(
                    "say which tensor it is: `{{ id = \"{}\", tensor = \"{}\" }}`",
                    id.value,
                    self.tensors.last().map_or("", |known| known.name.as_str())
                ));
        }
        found
    }
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
                "`{}` is multiplied by {} and rounded with `{}`",
                self.known.name, quantise.factor, quantise.rounding
            ),
            None => format!("`{}` has integers", self.known.name),
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
                .error(own.span, format!("{}, but {}", own.becomes(), real.becomes()))
                .related(real.span, "its rows and these are added before the sums are rounded")
                .help("give both the same `type`, `one` and `rounding`; or `[[features]]` its `rounding = \"each\"`");
            return None;
        }
    }
    Some(())
}
