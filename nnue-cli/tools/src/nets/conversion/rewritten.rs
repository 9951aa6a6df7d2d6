//! From a net file to the file of another spec of the same network.

use std::convert::Infallible;

use nnue_compiler::description::Description;
use nnue_compiler::file_layout;
use nnue_compiler::format::{self, Encoding, FileLayout, Format, Loaded, Section};
use nnue_compiler::network::Network;
use serde_json::Value;

use super::coalesced::{self, is_factorised};
use super::{ConversionError, Converted};
use crate::nets::Error;
use crate::nets::net_file::NetFile;

/// Loads a file and stores it as a file of another spec of the same network, with all values
/// unchanged. If the file has virtual rows, or weights that stacks share, and the other spec has
/// none, the new file has the sums.
///
/// # Errors
///
/// The networks differ, or a file of the other spec has no place for a value.
pub fn convert(from: NetFile, to: &Network) -> Result<Converted, Error> {
    let (converted, weights) = rewrite(from, to)?;
    confirm(&file_layout(to), &converted.bytes, &weights)?;
    Ok(converted)
}

/// Converts like [`convert`], but does not check that all values are unchanged. If the file has
/// integers that become floating point, the new file has the nearest integers.
///
/// # Errors
///
/// The errors of [`convert`], except for numbers that change.
pub fn convert_to_nearest(from: NetFile, to: &Network) -> Result<Converted, Error> {
    rewrite(from, to).map(|(converted, _)| converted)
}

/// The file of another spec, and the weights from which it was made.
fn rewrite(from: NetFile, to: &Network) -> Result<(Converted, Vec<u8>), Error> {
    let adds = check_same(&from.network, to)?;
    let (source, target) = (&from.layout, file_layout(to));
    let weights = if adds {
        coalesced::memory(to, &target, from.net()?.weights())?
    } else {
        check_memory(source, &target)?;
        let mut weights = vec![0; source.memory_len()];
        let parts = format::split(source, &from.bytes)?;
        parts.load(&[0], &mut weights)?;
        weights
    };
    check_kept(source, &target)?;
    let lost = lost(source, &target, &from.loaded);
    let bytes = store(&target, &weights, &beside(source, &target, from.loaded));
    Ok((Converted { bytes, lost }, weights))
}

/// Stores weights as a file of the layout.
pub(super) fn store(layout: &FileLayout, weights: &[u8], loaded: &Loaded) -> Vec<u8> {
    let mut file = Vec::new();
    let stored = format::store(layout, &[0], weights, loaded, &mut |piece| {
        file.extend_from_slice(piece);
        Ok::<(), Infallible>(())
    });
    match stored {
        Ok(()) => file,
        Err(never) => match never {},
    }
}

/// Checks that a file has the weights from which it was made.
fn confirm(layout: &FileLayout, file: &[u8], weights: &[u8]) -> Result<(), ConversionError> {
    let mut again = vec![0; layout.memory_len()];
    let parts = format::split(layout, file).map_err(ConversionError::Numbers)?;
    let loaded = parts.load(&[0], &mut again);
    loaded.map_err(ConversionError::Numbers)?;
    if again == weights {
        Ok(())
    } else {
        Err(ConversionError::Changed)
    }
}

/// Checks that two specs describe the same network; names and files may differ. Returns whether
/// summands of the first file are added for the second file.
fn check_same(from: &Network, to: &Network) -> Result<bool, ConversionError> {
    let [of_from, of_to] = [from, to].map(is_factorised);
    if of_to && !of_from {
        return Err(ConversionError::NotFactorised);
    }
    let adds = of_from && !of_to;
    let value = |network: &Network| {
        // A description has text and numbers, and its keys are text, so it is always JSON.
        let mut value = serde_json::to_value(Description::of(network)).unwrap_or_default();
        if let Some(keys) = value.as_object_mut() {
            keys.retain(|key, _| !["name", "tensors", "file"].contains(&&**key));
        }
        value
    };
    let first = if adds {
        value(&coalesced::without_summands(from))
    } else {
        value(from)
    };
    match difference(&first, &value(to), String::new()) {
        None => Ok(adds),
        Some((place, first, second)) => Err(ConversionError::OtherNetwork {
            place,
            first,
            second,
        }),
    }
}

/// Checks that both layouts have the weights at the same places of memory, as layouts of the same
/// network have.
fn check_memory(source: &FileLayout, target: &FileLayout) -> Result<(), ConversionError> {
    // A file whose tensors have all stacks in them has no groups, and its layout says no stride.
    let has_groups = |layout: &FileLayout| !layout.stacks.groups.is_empty();
    let both_say_it = has_groups(source) && has_groups(target);
    let same = source.memory_len() == target.memory_len()
        && (!both_say_it || source.stacks.stride == target.stacks.stride)
        && source.paired == target.paired
        && source.coalesced.is_empty() == target.coalesced.is_empty();
    if same {
        Ok(())
    } else {
        Err(ConversionError::OtherMemory)
    }
}

/// The first place at which two values differ, with both values there.
fn difference(first: &Value, second: &Value, place: String) -> Option<(String, String, String)> {
    let inside = |key: &dyn std::fmt::Display| {
        if place.is_empty() {
            key.to_string()
        } else {
            format!("{place}/{key}")
        }
    };
    match (first, second) {
        (Value::Object(one), Value::Object(other)) if one.keys().eq(other.keys()) => {
            let mut keys = one.iter().zip(other.values());
            keys.find_map(|((key, one), other)| difference(one, other, inside(key)))
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let mut items = one.iter().zip(other).enumerate();
            items.find_map(|(index, (one, other))| difference(one, other, inside(&index)))
        }
        (Value::Array(one), Value::Array(other)) => {
            let lens = [one, other].map(|items| format!("{} items", items.len()));
            let [first, second] = lens;
            Some((place, first, second))
        }
        _ if first == second => None,
        _ => Some((place, first.to_string(), second.to_string())),
    }
}

/// The content of a target file besides its weights.
fn beside(source: &FileLayout, target: &FileLayout, loaded: Loaded) -> Loaded {
    let sections = target.sections.len() + {
        let groups = target.stacks.groups.iter();
        target.stacks.count * groups.map(|group| group.len()).sum::<usize>()
    };
    Loaded {
        skipped: skipped(source, target, &loaded.skipped),
        ignored: if have_same_padding(source, target) {
            loaded.ignored
        } else {
            Vec::new()
        },
        order: match (source.format, target.format) {
            (Format::Named, Format::Named) => loaded.order,
            _ => (0..sections).collect(),
        },
        ..loaded
    }
}

/// The content of a file for which files of the target have no place.
fn lost(source: &FileLayout, target: &FileLayout, loaded: &Loaded) -> Vec<&'static str> {
    let mut lost = Vec::new();
    let has_description = matches!(target.format, Format::Stockfish { .. });
    if !loaded.description.is_empty() && !has_description {
        lost.push("the description");
    }
    let free = skipped_pieces(source, &loaded.skipped).filter(|(section, _)| !is_kept(section));
    let is_zero = free
        .clone()
        .all(|(_, bytes)| bytes.iter().all(|byte| *byte == 0));
    if free_len(source) != free_len(target) && !is_zero {
        lost.push("the bytes of the header whose content is free");
    }
    let has_place = |kept: &Section| sections(target).any(|section| section == kept);
    if sections(source).any(|section| is_kept(section) && !has_place(section)) {
        lost.push("numbers that the network does not use");
    }
    if !loaded.ignored.is_empty() && !have_same_padding(source, target) {
        lost.push("bytes other than zero in padding");
    }
    lost
}

/// Checks that a file has all numbers that files of the target have and the network does not use.
fn check_kept(source: &FileLayout, target: &FileLayout) -> Result<(), ConversionError> {
    let missing = sections(target)
        .find(|kept| is_kept(kept) && !sections(source).any(|section| section == *kept));
    match missing {
        Some(Section::Kept { name, .. }) => Err(ConversionError::NotKept {
            name: name.to_string(),
        }),
        _ => Ok(()),
    }
}

/// The bytes of the target's sections whose content is free, and of those that the network does not
/// use. Bytes without a name keep their content where both files have as many of them.
fn skipped(source: &FileLayout, target: &FileLayout, skipped: &[u8]) -> Vec<u8> {
    let pieces = || skipped_pieces(source, skipped);
    let free = pieces().filter(|(section, _)| !is_kept(section));
    let free: Vec<u8> = free.flat_map(|(_, bytes)| bytes).copied().collect();
    let mut free = if free.len() == free_len(target) {
        free.as_slice()
    } else {
        &[]
    };
    let mut bytes = Vec::new();
    for section in sections(target) {
        let end = bytes.len() + section.skipped_len();
        let same = pieces().find(|(own, _)| is_kept(section) && *own == section);
        let own = match same {
            Some((_, own)) => own,
            None => {
                let (own, rest) = free.split_at(section.skipped_len().min(free.len()));
                free = rest;
                own
            }
        };
        bytes.extend_from_slice(own);
        bytes.resize(end, 0);
    }
    bytes
}

/// The sections that the weights do not have, each with its bytes.
fn skipped_pieces<'s>(
    layout: &'s FileLayout,
    skipped: &'s [u8],
) -> impl Iterator<Item = (&'s Section, &'s [u8])> + Clone {
    sections(layout).scan(skipped, |rest, section| {
        let (own, after) = rest.split_at(section.skipped_len().min(rest.len()));
        *rest = after;
        Some((section, own))
    })
}

/// The number of bytes of all sections whose content is free.
fn free_len(layout: &FileLayout) -> usize {
    let free = sections(layout).filter(|section| !is_kept(section));
    free.map(Section::skipped_len).sum()
}

fn is_kept(section: &Section) -> bool {
    matches!(section, Section::Kept { .. })
}

/// All sections in the order of the file; those of the stacks are repeated.
fn sections(layout: &FileLayout) -> impl Iterator<Item = &Section> + Clone {
    let groups = layout.stacks.groups.iter();
    let of_stacks = groups.flat_map(|group| (0..layout.stacks.count).flat_map(|_| group.iter()));
    layout.sections.iter().chain(of_stacks)
}

/// Whether both layouts have the same sections with the same padding, so that they differ only in
/// the compression of tensors.
fn have_same_padding(source: &FileLayout, target: &FileLayout) -> bool {
    let raw = |sections: &[Section]| {
        let sections = sections.iter().map(|section| {
            section.map(|tensor| {
                let mut tensor = tensor.clone();
                tensor.stored.encoding = Encoding::Raw;
                tensor
            })
        });
        sections.collect::<Vec<_>>()
    };
    let groups = |layout: &FileLayout| {
        let groups = layout.stacks.groups.iter().map(|group| raw(group));
        groups.collect::<Vec<_>>()
    };
    raw(&source.sections) == raw(&target.sections) && groups(source) == groups(target)
}
