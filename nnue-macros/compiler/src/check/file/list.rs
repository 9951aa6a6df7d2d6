//! Checks files without a header: the files of bullet, and tensors in the order in which the spec
//! lists them.

mod axes;
mod listing;
mod sums;
mod tensor;

use nnue_format::{Format, Overflow, Rounding, Tail};

use self::listing::{ListWalk, unknown};
use self::tensor::{ListContext, report_transposed};
use super::tensors::KnownTensor;
use crate::check::value::value_or;
use crate::diagnostics::{Diagnostics, Spanned, all};
use crate::network::file::File;
use crate::spec::{self, BulletKind, Content, Entry, TailName, TensorEntry, Transposed};

/// Checks the keys of bullet's formats, and lists the sections of the file.
pub(super) fn bullet(
    file: &spec::Bullet,
    tensors: &[KnownTensor],
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
    let list = ListContext {
        tensors,
        rounding: value_or(&file.rounding, Rounding::Truncate),
        overflow: value_or(&file.overflow, Overflow::Refuse),
        bullet: Some((kind, file.transposed.as_ref())),
    };
    let mut listing = ListWalk::new(&list, [entries.as_slice()]);
    let sections = listing.sections(entries, diagnostics);
    listing.finish(span, sections.is_some(), diagnostics)?;
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
        sections: sections?,
        stack_groups: Vec::new(),
        tail: tail(file.tail.as_ref(), default),
    })
}

/// Checks the keys of the format `tensors`, and lists the sections of the file.
pub(super) fn tensors(
    file: &spec::Tensors,
    tensors: &[KnownTensor],
    diagnostics: &mut Diagnostics,
) -> Option<File> {
    let list = ListContext {
        tensors,
        rounding: value_or(&file.rounding, Rounding::Truncate),
        overflow: value_or(&file.overflow, Overflow::Refuse),
        bullet: None,
    };
    let lists_of_stacks = file.stack.as_deref().unwrap_or_default();
    let lists = std::iter::once(&file.tensors.value).chain(lists_of_stacks);
    let mut listing = ListWalk::new(&list, lists.map(Vec::as_slice));
    let sections = listing.sections(&file.tensors.value, diagnostics);
    let listing_of_stacks = listing.enter_stacks();
    let groups = lists_of_stacks
        .iter()
        .map(|list| listing_of_stacks.sections(list, diagnostics));
    let groups = all(groups);
    let are_right = sections.is_some() && groups.is_some();
    listing.finish(file.tensors.span, are_right, diagnostics)?;
    Some(File {
        format: Format::Sequence,
        sections: sections?,
        stack_groups: groups?,
        tail: tail(file.tail.as_ref(), TailName::None),
    })
}

fn tail(key: Option<&Spanned<TailName>>, default: TailName) -> Tail {
    match key.map_or(default, |tail| tail.value) {
        TailName::Bullet => Tail::BULLET,
        TailName::Zeros => Tail::ZEROS,
        TailName::None => Tail::NONE,
    }
}

/// Whether a tensor holds virtual rows of the transformer.
fn has_virtual_rows(known: &KnownTensor) -> bool {
    known.sums.is_virtual && known.role.layer().is_none()
}

/// The entries of bullet's examples: the transformer, then every affine layer.
fn default_entries(
    file: &spec::Bullet,
    kind: BulletKind,
    tensors: &[KnownTensor],
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Entry>> {
    if kind != BulletKind::Weights && tensors.iter().any(has_virtual_rows) {
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
    tensors: &[KnownTensor],
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
