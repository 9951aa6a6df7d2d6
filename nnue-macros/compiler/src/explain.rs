//! Why a net file does not fit its spec: which network it holds instead, in which numbers the two
//! differ, and which change of the spec would make the file fit.
//!
//! The loader says where a file is wrong, what it found and what it expected, and knows nothing of
//! the networks of others. What is more than that is known here, for everybody who has the compiler
//! anyway: the macro, of embedded files, and tools. An engine needs it only while somebody looks for
//! a mistake, so it has it with the feature `explain` of nnue-runtime, and otherwise names the
//! command that explains.

mod cause;
mod change;
mod differences;
mod family;
mod identify;
mod known;
mod message;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::path::Path;

use nnue_format::{
    Element, FileLayout, Format, LoadError, Loaded, START_LEN, Section, Unread, attached, unpack,
};

pub use self::cause::Cause;
use self::cause::{causes, other_tails};
pub use self::change::Change;
use self::change::changes;
pub use self::differences::Difference;
use self::differences::differences;
pub use self::family::{Family, Features, Wiring};
pub use self::identify::{Candidates, Identity, identify, identify_file};
use self::known::CBNF;

/// What a closer look at a file tells of an error of its loader.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Explanation {
    /// What the file is instead, as far as that is known.
    pub identity: Identity,
    /// The numbers in which the file's network differs from the spec's, of a wrong header.
    pub differences: Vec<Difference>,
    /// The networks whose files begin as a file does that was cut, if the spec's is not the only
    /// such network.
    pub alike: Option<Candidates>,
    /// The changes that would explain the length of the file exactly.
    pub causes: Vec<Cause>,
    /// The changes of the spec that would each make the file fit.
    pub changes: Vec<Change>,
}

/// Checks a whole file as loading does, and explains why it is refused.
///
/// # Errors
///
/// The errors of [`nnue_format::check`], explained.
pub fn check(layout: &FileLayout, source: &[u8]) -> Result<Loaded, LoadError> {
    nnue_format::check(layout, source).map_err(|error| explain(layout, source, error))
}

/// Reads a whole file into memory as [`nnue_format::open`] does, and explains a wrong header.
///
/// # Errors
///
/// The errors of [`nnue_format::open`], explained.
pub fn open(layout: &FileLayout, path: &Path) -> Result<Vec<u8>, LoadError> {
    nnue_format::open(layout, path).map_err(|unread| explain_unread(layout, path, unread))
}

/// The error with its explanation in place of its message, where there is something to explain.
/// `source` is the file, or as much of it as was read.
#[must_use]
pub fn explain(layout: &FileLayout, source: &[u8], refused: LoadError) -> LoadError {
    if !refused.may_be_explained() {
        return refused;
    }
    let unpacked = unpack(layout, source);
    let source = unpacked.unwrap_or_else(|_| Cow::Borrowed(attached::detach(source).0));
    explained(layout, &source, identify(&source), refused)
}

/// [`explain`] for a file after reading only its beginning. The whole file tells more about a wrong
/// header, and to look at it again needs no memory.
#[must_use]
pub fn explain_unread(layout: &FileLayout, path: &Path, unread: Unread) -> LoadError {
    let Unread { error, read } = unread;
    let is_of_header = matches!(error, LoadError::Version(_) | LoadError::NetworkHash(_));
    // A pipe can be read only once.
    if is_of_header
        && path.is_file()
        && let Ok(whole) = identify_file(path)
    {
        return explained(layout, &read, whole, error);
    }
    explain(layout, &read, error)
}

fn explained(
    layout: &FileLayout,
    source: &[u8],
    identity: Identity,
    refused: LoadError,
) -> LoadError {
    let explanation = Explanation::of(layout, source, identity, &refused);
    LoadError::Explained {
        message: explanation.message(layout, &refused),
        refused: Box::new(refused),
    }
}

/// The identity of a file that fits the layout, if it belongs to another network: the nets of some
/// networks differ only in which weights are zero.
#[must_use]
pub fn looks_like(layout: &FileLayout, source: &[u8]) -> Option<Identity> {
    let Format::Stockfish { .. } = layout.format else {
        return None;
    };
    let identity = identify(source);
    let inputs = identity.family()?.inputs();
    let tensors = layout.stacks.sections().filter_map(Section::as_tensor);
    let affine = tensors.filter(|tensor| tensor.stored.element == Element::I8);
    let own = affine.map(|tensor| tensor.shape[2]);
    let same = own.eq(inputs.map(|inputs| inputs as usize));
    (!same).then_some(identity)
}

/// Whether the files of a layout begin with the mark of Stormphrax's container.
fn begins_with_mark(layout: &FileLayout) -> bool {
    let first = layout.sections.first();
    matches!(first, Some(Section::Bytes { expected, .. }) if **expected == *b"CBNF")
}

impl Explanation {
    /// Looks for what explains an error. `source` is the file, not compressed and without a spec
    /// behind it, or its beginning; `identity` is what it [is](identify).
    #[must_use]
    pub fn of(
        layout: &FileLayout,
        source: &[u8],
        identity: Identity,
        refused: &LoadError,
    ) -> Explanation {
        // A spec of the same container says more than its name.
        let identity = match identity {
            Identity::Other(CBNF) if begins_with_mark(layout) => Identity::Unknown,
            identity => identity,
        };
        let mut found = Explanation {
            identity: Identity::Unknown,
            differences: Vec::new(),
            alike: None,
            causes: Vec::new(),
            changes: Vec::new(),
        };
        let has_header = matches!(layout.format, Format::Stockfish { .. });
        match refused.refused() {
            LoadError::Version(_) | LoadError::Bytes(_) | LoadError::UnknownEntry { .. } => {
                found.identity = identity;
            }
            LoadError::NetworkHash(_) => {
                found.identity = identity;
                found.differences = common_differences(layout, identity);
            }
            // The header is the layout's, so it tells nothing new.
            LoadError::SectionHash { .. } | LoadError::NotCompressed { .. } => {
                let is_another = identity.family().is_some() && !identity.is_only(&layout.name);
                if has_header && (is_another || identity.excludes(&layout.name)) {
                    found.identity = identity;
                }
            }
            LoadError::Truncated { place, offset, .. } => {
                let is_behind_header = *offset >= START_LEN as u64
                    && (place.stack.is_some() || place.name != "description");
                if has_header && is_behind_header {
                    found.alike = identity.doubts(&layout.name);
                }
            }
            LoadError::Size { .. } => {
                found.identity = identity;
                found.causes = causes(layout, source);
            }
            LoadError::Tail { offset, .. } => {
                found.causes = causes(layout, source);
                // Where values are compressed, only the way through the file tells where they end.
                if !layout.has_fixed_len() {
                    let tails = other_tails(layout, source, *offset as usize);
                    found.causes.extend(tails.map(Cause::OtherTail));
                }
            }
            LoadError::TrailingBytes { offset, .. } => {
                let tails = other_tails(layout, source, *offset as usize);
                found.changes = tails.map(Change::Tail).collect();
            }
            _ => {}
        }
        let may_fit_another_spec = matches!(
            refused.refused(),
            LoadError::Truncated { .. }
                | LoadError::SectionHash { .. }
                | LoadError::NotCompressed { .. }
                | LoadError::UnexpectedlyCompressed { .. }
                | LoadError::Leb128ByteCount { .. }
                | LoadError::TrailingBytes { .. }
        );
        if may_fit_another_spec && found.changes.is_empty() {
            found.changes = changes(layout, source);
            // A change that fits explains more than a network that is only like the file's.
            let says_more = matches!(found.identity, Identity::Spec { .. })
                && !found.identity.is_only(&layout.name);
            if !found.changes.is_empty() && !says_more {
                found.identity = Identity::Unknown;
            }
        }
        found
    }
}

/// What a layout and a file of that identity differ in. Networks that share a header differ from the
/// layout in several ways; only what is true for all of them is known.
fn common_differences(layout: &FileLayout, identity: Identity) -> Vec<Difference> {
    let whole = identity.family().is_some();
    let mut families = identity.probable_families();
    let Some(first) = families.next() else {
        return Vec::new();
    };
    let mut common = differences(&first, layout, whole);
    for family in families {
        let others = differences(&family, layout, whole);
        common.retain(|difference| others.contains(difference));
    }
    common
}
