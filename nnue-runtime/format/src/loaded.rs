//! The content of a file besides its weights.

use alloc::vec;
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
    #[inline(never)]
    pub(crate) fn ignore(&mut self, section: usize, offset: usize, padding: &[u8]) {
        for (index, byte) in padding.iter().enumerate() {
            if *byte != 0 {
                self.ignored.push(Ignored {
                    section,
                    offset: offset + index,
                    byte: *byte,
                });
            }
        }
    }

    /// Brings the bytes that were ignored into the order of the sections. Those of a section stay in
    /// their order.
    pub(crate) fn order_ignored(&mut self) {
        let mut sections = self.ignored.windows(2);
        if sections.all(|two| two[0].section <= two[1].section) {
            return;
        }
        // Hostile files have many such bytes, so each of them is moved once.
        let last = self.ignored.iter().map(|ignored| ignored.section).max();
        let mut places = vec![0; last.unwrap_or(0) + 2];
        for ignored in &self.ignored {
            places[ignored.section + 1] += 1;
        }
        for section in 1..places.len() {
            places[section] += places[section - 1];
        }
        let unordered = self.ignored.clone();
        for ignored in unordered {
            let place = &mut places[ignored.section];
            self.ignored[*place] = ignored;
            *place += 1;
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_bytes_are_ordered_by_section_and_otherwise_as_they_were() {
        let mut random = fastrand::Rng::with_seed(1);
        for count in 0..40 {
            let ignored = (0..count).map(|offset| Ignored {
                section: random.usize(..5),
                offset,
                byte: 1,
            });
            let mut loaded = Loaded {
                ignored: ignored.collect(),
                ..Loaded::default()
            };
            let mut expected = loaded.ignored.clone();
            expected.sort_by_key(|ignored| ignored.section);
            loaded.order_ignored();
            assert_eq!(loaded.ignored, expected);
        }
    }
}
