//! Why the length of a file may be wrong: which single difference would explain it.

use alloc::vec::Vec;
use core::fmt;

use super::layout::{Element, FileLayout, Place, Section, Tail};

/// What would explain the length of a file. As text, words that follow "as if".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// A tensor is not there.
    Missing(Place),
    /// A tensor is there twice.
    Twice(Place),
    /// The values of a tensor have another size in bytes.
    OtherSize {
        /// Which tensor.
        place: Place,
        /// The size that would explain the length.
        found: usize,
        /// The size that they should have.
        expected: usize,
    },
    /// All values are `f32`, as in bullet's `raw.bin`.
    AllFloat,
    /// The network has another number of neurons, features or stacks.
    OtherExtent {
        /// What it is a number of.
        name: &'static str,
        /// The number that would explain the length.
        found: usize,
        /// The number that it should be.
        expected: usize,
    },
    /// All tensors are there and nothing behind them.
    NoTail,
}

/// The differences that explain the length of a file exactly, and what it ends with. One of them is probably what is
/// wrong; more than one only fit by accident.
pub(crate) fn causes(layout: &FileLayout, source: &[u8]) -> Vec<Cause> {
    let expected = layout.data_len();
    let Tail { text, .. } = layout.tail;
    let explains = |data: usize| {
        let Some((data, tail)) = source.split_at_checked(data) else {
            return false;
        };
        // Where the text stands once more before it, the tail begins earlier; zeros may as well be weights.
        let earlier = text.len() > 1 && data.ends_with(text);
        !earlier && tail.iter().copied().eq(layout.tail.bytes(data.len()))
    };
    let mut causes = Vec::new();
    if source.len() == expected && !explains(expected) {
        causes.push(Cause::NoTail);
    }
    let tensors = layout.entries().filter_map(|entry| match entry.section {
        Section::Tensor(tensor) => Some((entry.place, tensor)),
        _ => None,
    });
    let mut float = expected;
    for (place, tensor) in tensors {
        let len = tensor.raw_len();
        let size = tensor.stored.element.size();
        if explains(expected - len) {
            causes.push(Cause::Missing(place));
        }
        if explains(expected + len) {
            causes.push(Cause::Twice(place));
        }
        let others = [1, 2, 4].into_iter().filter(|other| *other != size);
        causes.extend(others.filter_map(|other| {
            let data = expected - len + len / size * other;
            explains(data).then_some(Cause::OtherSize {
                place,
                found: other,
                expected: size,
            })
        }));
        float += tensor.stored.values * Element::F32.size() - len;
    }
    if float != expected && explains(float) {
        causes.push(Cause::AllFloat);
    }
    for extent in layout.extents {
        let fixed = expected - extent.count * extent.bytes;
        let most = source.len().saturating_sub(fixed) / extent.bytes.max(1);
        let least = most
            .saturating_sub(layout.tail.multiple / extent.bytes.max(1))
            .max(1);
        let fits = |count: &usize| *count != extent.count && explains(fixed + count * extent.bytes);
        causes.extend((least..=most).find(fits).map(|found| Cause::OtherExtent {
            name: extent.name,
            found,
            expected: extent.count,
        }));
    }
    causes
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Missing(place) => write!(f, "`{place}` were missing"),
            Cause::Twice(place) => write!(f, "`{place}` were there twice"),
            Cause::OtherSize {
                place,
                found,
                expected,
            } => write!(
                f,
                "the values of `{place}` had {found} bytes each instead of {expected}"
            ),
            Cause::AllFloat => f.write_str("all values were f32, as in bullet's `raw.bin`"),
            Cause::OtherExtent {
                name,
                found,
                expected,
            } => write!(f, "there were {found} {name} instead of {expected}"),
            Cause::NoTail => f.write_str("what pads it behind the last tensor were missing"),
        }
    }
}
