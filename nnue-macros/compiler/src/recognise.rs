//! The spec of a net file that nobody names: a known spec, or one that is written for its header.

use std::borrow::Cow;
use std::cmp::Reverse;

use nnue_format::{FileLayout, Unpacked};

use crate::diagnostics::SourceFile;
use crate::network::Network;
use crate::schema::with_schema;
use crate::{analyse, explain, file_layout, known_specs, spec_of};

/// The spec that the bytes of a net file tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recognised {
    /// The text of the spec.
    pub spec: Cow<'static, str>,
    /// Whether the spec was [written](spec_of) for the file. Otherwise it is a known one, possibly
    /// with another encoding.
    pub is_written: bool,
}

/// Finds the spec that the bytes of a net file tell; `None` if they tell none. `name` is the
/// network's name if a spec has to be written.
///
/// The beginning of a file that was cut or damaged may still tell its network: loading says what is
/// wrong.
#[must_use]
pub fn recognise(bytes: &[u8], name: &str) -> Option<Recognised> {
    let identity = explain::identify(bytes);
    let known = identity.specs().find_map(|name| {
        let mut all = known_specs();
        all.find(|(known, _)| known.eq_ignore_ascii_case(name))
    });
    if let Some((_, text)) = known {
        return Some(Recognised::known(text.into()));
    }
    match identity.family() {
        Some(family) => Some(match encoded(bytes) {
            Some(spec) => Recognised::known(spec.into()),
            None => Recognised {
                spec: spec_of(&family, name).into(),
                is_written: true,
            },
        }),
        // The file may be compressed.
        None => {
            let (_, text) = fitting(bytes, known_specs()).into_iter().next()?;
            Some(Recognised::known(text.into()))
        }
    }
}

impl Recognised {
    fn known(spec: Cow<'static, str>) -> Recognised {
        Recognised {
            spec: with_schema(&spec).into(),
            is_written: false,
        }
    }
}

/// Those specs, of some names and texts, that a file fits. Specs for which its weights look right
/// come first.
#[must_use]
pub fn fitting(
    bytes: &[u8],
    specs: impl Iterator<Item = (&'static str, &'static str)>,
) -> Vec<(&'static str, &'static str)> {
    let analysed = specs.filter_map(|spec| Some((network(spec.1)?, spec)));
    fits(bytes, analysed)
}

/// Whether a text of TOML is meant as a spec. Others stand beside nets too, such as what they were
/// trained with.
#[must_use]
pub fn is_spec(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim_start);
    lines.any(|line| {
        let is_like = |rest: &str| rest.trim_start().starts_with('=');
        line.starts_with("[[features]]")
            || line.starts_with("[transformer]")
            || line.strip_prefix("like").is_some_and(is_like)
    })
}

/// A known spec with another encoding, if a file fits it. A file may have another encoding because
/// `nnue convert` wrote it, or because it was not compressed.
fn encoded(bytes: &[u8]) -> Option<String> {
    let texts = known_specs().flat_map(|(name, _)| {
        ["raw", "leb128"].map(|encoding| {
            format!("name = \"{name}\"\nlike = \"{name}\"\nfile.encoding = \"{encoding}\"\n")
        })
    });
    // Some known specs have no key `encoding`.
    let analysed = texts.filter_map(|text| Some((network(&text)?, text)));
    fits(bytes, analysed).into_iter().next()
}

fn network(spec: &str) -> Option<Network> {
    analyse(&SourceFile::new("a known spec", spec)).ok()
}

/// The values that belong to networks which a file fits. Networks for which its weights look right
/// come first.
fn fits<T>(bytes: &[u8], networks: impl Iterator<Item = (Network, T)>) -> Vec<T> {
    let layouts = networks.map(|(network, with)| (file_layout(&network), with));
    let mut layouts: Vec<(usize, (FileLayout, T))> = layouts.enumerate().collect();
    layouts.sort_by_key(|(_, (layout, _))| Reverse(layout.longest_read()));
    let mut unpacked = Unpacked::new(bytes);
    let loaded = layouts.into_iter().filter_map(|(index, (layout, with))| {
        let bytes = unpacked.of(&layout).ok()?;
        nnue_format::check(&layout, bytes).ok()?;
        let doubted = explain::looks_like(&layout, bytes).is_some();
        Some((doubted, index, with))
    });
    let mut found: Vec<(bool, usize, T)> = loaded.collect();
    found.sort_by_key(|(doubted, index, _)| (*doubted, *index));
    found.into_iter().map(|(.., with)| with).collect()
}
