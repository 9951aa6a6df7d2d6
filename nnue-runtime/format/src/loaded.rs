//! The content of a file besides its weights.

use alloc::vec::Vec;

use crate::Place;

/// The content of a file besides its weights.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loaded {
    /// The description in the header. It is usually text, but any bytes are allowed.
    pub description: Vec<u8>,
    /// The bytes other than zero in padding, in the order of the layout. Some nets have a few such
    /// bytes, which give the file a chosen hash.
    pub ignored: Vec<Ignored>,
    /// The bytes of all [`Section::Skipped`](crate::Section::Skipped) and
    /// [`Section::Kept`](crate::Section::Kept), one after the other.
    pub skipped: Vec<u8>,
    /// The order in which a file of [`Format::Named`](crate::Format::Named) has the layout's
    /// sections; empty for other formats.
    pub order: Vec<usize>,
    /// The tensors with values that did not fit and became the nearest values that do, each with
    /// the number of these values.
    pub clamped: Vec<(Place, usize)>,
}

/// A byte other than zero in padding, which no evaluation reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// The number of the byte's section in the layout, from 0. The sections of every stack are
    /// counted.
    pub section: usize,
    /// The byte's offset in the section; in a tensor, its offset among the bytes of the values
    /// after LEB128 is decoded.
    pub offset: usize,
    /// The value of the byte.
    pub byte: u8,
}

impl Loaded {
    /// Keeps the bytes other than zero of a section's padding, which begins at `offset` in the
    /// section.
    pub(crate) fn ignore(&mut self, section: usize, offset: usize, padding: &[u8]) {
        let ignored = (offset..)
            .zip(padding)
            .map(|(offset, byte)| Ignored {
                section,
                offset,
                byte: *byte,
            })
            .filter(|ignored| ignored.byte != 0);
        self.ignored.extend(ignored);
    }

    /// The bytes that were ignored in a section.
    pub(crate) fn ignored_in(&self, section: usize) -> &[Ignored] {
        let before = |end: usize| {
            self.ignored
                .partition_point(|ignored| ignored.section < end)
        };
        &self.ignored[before(section)..before(section + 1)]
    }
}
