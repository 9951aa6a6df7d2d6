//! The networks of known engines, whose specs are tried with any width.
//!
//! The folder `field` has links to the files in `specs`: a published package of this crate has the
//! files themselves.

use std::borrow::Cow;
use std::sync::LazyLock;

use nnue_compiler::diagnostics::{Diagnostics, SourceFile, Span};
use nnue_compiler::format::{Encoding, FileLayout, Section};
use nnue_compiler::network::Network;
use nnue_compiler::spec::Spec;
use nnue_compiler::{analyse, decode, file_layout, toml_string};

use crate::adopt::fits::PADDED_TO;

macro_rules! field {
    ($($name:literal,)*) => {
        &[$(($name, include_str!(concat!("../../field/", $name, ".toml")))),*]
    };
}

/// The names and the texts of the specs.
pub(crate) const FIELD: &[(&str, &str)] = field![
    "alexandria",
    "arasan",
    "berserk",
    "blackmarlin",
    "bullet_multi_layer",
    "bullet_skip",
    "caissa",
    "casanchess",
    "cinder",
    "clover",
    "devre",
    "devre_august",
    "halogen",
    "hobbes",
    "hobbes_august",
    "horsie",
    "integral",
    "koivisto",
    "minic",
    "monty",
    "obsidian",
    "patricia",
    "pawnocchio",
    "plentychess",
    "pzchessbot",
    "reckless",
    "starzix",
    "stormphrax",
    "velvet",
    "viridithas14",
    "viridithas21",
    "viridithas21_raw",
];

/// Whether a text is no spec but the target of a symbolic link to one. Git writes the target into an
/// ordinary file where it makes no links, as on Windows unless it is told to, and so do programs that
/// unpack archives.
const fn is_target_of_link(text: &str) -> bool {
    matches!(text.as_bytes(), [b'.', b'.', b'/', ..])
}

const _: () = {
    let mut rest = FIELD;
    while let [(_, text), others @ ..] = rest {
        assert!(
            !is_target_of_link(text),
            "nnue-cli/tools/field has files in place of links: set git's core.symlinks to true and \
             check out anew, or unpack the archive with a program that makes links"
        );
        rest = others;
    }
};

/// A spec of the field whose files' size follows from the number of neurons.
struct Sized {
    text: &'static str,
    width: usize,
    /// What the size is a number of.
    unit: Unit,
    /// The size of files with this width, and by how much it grows with each neuron. `None` where
    /// only files of this width load, as headers say how wide they are.
    size: Option<[f64; 2]>,
}

/// What tells the number of neurons.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    /// The bytes of a file.
    Bytes,
    /// The values of a file that is nothing but LEB128, whose bytes tell less.
    Values,
}

impl Unit {
    fn of(layout: &FileLayout) -> Unit {
        let mut sections = layout
            .sections
            .iter()
            .chain(layout.stacks.groups.iter().flat_map(|group| group.iter()));
        let is_bare = sections.all(|section| {
            matches!(section, Section::Tensor(tensor) if tensor.stored.encoding == Encoding::BareLeb128)
        });
        if is_bare { Unit::Values } else { Unit::Bytes }
    }

    /// How large the files of a network are.
    fn of_network(self, layout: &FileLayout) -> f64 {
        match self {
            Unit::Bytes => layout.max_len() as f64,
            Unit::Values => {
                let values = layout.tensors().map(|(_, tensor)| tensor.stored.values);
                values.sum::<usize>() as f64
            }
        }
    }

    /// How large a file is.
    fn of_file(self, bytes: &[u8]) -> f64 {
        let size = match self {
            Unit::Bytes => bytes.len(),
            // The last byte of each value is the one without the highest bit.
            Unit::Values => bytes.iter().filter(|byte| **byte < 0x80).count(),
        };
        size as f64
    }

    /// How much more there may be than the tensors have.
    fn slack(self) -> f64 {
        match self {
            Unit::Bytes => PADDED_TO as f64,
            Unit::Values => 0.0,
        }
    }
}

/// The sizes of all specs of the field, which are looked at once.
static SIZED: LazyLock<Vec<Sized>> = LazyLock::new(|| {
    let sized = FIELD.iter().map(|(_, text)| {
        let width = network(text).map_or(0, |network| network.transformer.width);
        let layout = |width: usize| Some(file_layout(&network(&with_width(text, width))?));
        let own = layout(width);
        let unit = own.as_ref().map_or(Unit::Bytes, Unit::of);
        let size = || {
            let own = unit.of_network(own.as_ref()?);
            let wider = unit.of_network(&layout(2 * width)?);
            Some([own, (wider - own) / width as f64])
        };
        Sized {
            text,
            width,
            unit,
            size: size(),
        }
    });
    sized.collect()
});

/// The texts of the specs of the field, with widths for which their files may have the size of
/// this file.
pub(crate) fn of_size(bytes: &[u8]) -> Vec<Cow<'static, str>> {
    let mut texts = Vec::new();
    for Sized {
        text,
        width,
        unit,
        size,
    } in SIZED.iter()
    {
        let Some([own, step]) = size else {
            texts.push(Cow::Borrowed(*text));
            continue;
        };
        let found = unit.of_file(bytes);
        let len = |width: f64, own_width: f64| own + (width - own_width) * step;
        let own_width = *width as f64;
        let nearest = own_width + (found - own) / step;
        // Files that are compressed as a whole are shorter.
        if found <= *own && 2.0 * found > *own {
            texts.push(Cow::Borrowed(*text));
        }
        let nearest = (nearest / 8.0).round() * 8.0;
        for candidate in [nearest - 8.0, nearest, nearest + 8.0] {
            let is_near = (len(candidate, own_width) - found).abs() <= unit.slack();
            if candidate > 0.0 && candidate != own_width && is_near {
                texts.push(Cow::Owned(with_width(text, candidate as usize)));
            }
        }
    }
    texts
}

/// The network of a text, if the text is right.
pub(crate) fn network(text: &str) -> Option<Network> {
    analyse(&SourceFile::new("guess", text)).ok()
}

/// The same spec with another value of a key, whose place in the text the compiler knows.
fn with(text: &str, place: impl Fn(&Spec) -> Span, value: &str) -> String {
    let mut changed = text.to_string();
    if let Some(spec) = decode(&SourceFile::new("field", text), &mut Diagnostics::default()) {
        let Span { start, end } = place(&spec);
        changed.replace_range(start..end, value);
    }
    changed
}

/// The same spec of the field with another name.
pub(crate) fn with_name(text: &str, name: &str) -> String {
    with(text, |spec| spec.name.span, &toml_string(name))
}

/// The same spec with another number of neurons.
#[must_use]
pub fn with_width(text: &str, width: usize) -> String {
    with(text, |spec| spec.transformer.width.span, &width.to_string())
}
