//! The content of a file besides its weights, as bytes.

use alloc::borrow::ToOwned;
use alloc::vec::Vec;

use crate::{FileLayout, Ignored, Loaded};

impl Loaded {
    /// The content as bytes, which [`Self::decode`] reads: each list follows its length, and
    /// numbers are little-endian `u64`.
    #[must_use]
    pub fn encode(&self, layout: &FileLayout) -> Vec<u8> {
        let mut bytes = Vec::new();
        let Loaded {
            description,
            ignored,
            skipped,
            order,
            clamped,
        } = self;
        put_bytes(&mut bytes, description);
        put(&mut bytes, ignored.len());
        for ignored in ignored {
            put(&mut bytes, ignored.section);
            put(&mut bytes, ignored.offset);
            bytes.push(ignored.byte);
        }
        put_bytes(&mut bytes, skipped);
        put(&mut bytes, order.len());
        order.iter().for_each(|number| put(&mut bytes, *number));
        put(&mut bytes, clamped.len());
        for (place, count) in clamped {
            let section = layout.entries().position(|entry| entry.place == *place);
            put(&mut bytes, section.unwrap_or(usize::MAX));
            put(&mut bytes, *count);
        }
        bytes
    }

    /// The content that [`Self::encode`] has written for the same layout; `None` for any other
    /// bytes.
    #[must_use]
    pub fn decode(layout: &FileLayout, bytes: &[u8]) -> Option<Loaded> {
        let mut rest = Reader(bytes);
        let sections = layout.entries().count();
        let mut loaded = Loaded {
            description: rest.take_bytes()?.to_owned(),
            ..Loaded::default()
        };
        for _ in 0..rest.take_number()? {
            loaded.ignored.push(Ignored {
                section: rest.take_number()?,
                offset: rest.take_number()?,
                byte: rest.take(1)?[0],
            });
        }
        loaded.skipped = rest.take_bytes()?.to_owned();
        for _ in 0..rest.take_number()? {
            let number = rest.take_number()?;
            loaded.order.push((number < sections).then_some(number)?);
        }
        for _ in 0..rest.take_number()? {
            let section = rest.take_number()?;
            let place = layout.entries().nth(section)?.place;
            loaded.clamped.push((place, rest.take_number()?));
        }
        rest.0.is_empty().then_some(loaded)
    }
}

/// Appends a number.
pub fn put(bytes: &mut Vec<u8>, number: usize) {
    bytes.extend((number as u64).to_le_bytes());
}

/// Appends the number of bytes, and then the bytes.
pub fn put_bytes(bytes: &mut Vec<u8>, these: &[u8]) {
    put(bytes, these.len());
    bytes.extend_from_slice(these);
}

/// Bytes that have not been read yet.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'b>(pub &'b [u8]);

impl<'b> Reader<'b> {
    /// The next bytes; `None` if there are fewer.
    pub fn take(&mut self, len: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    /// The next `N` bytes.
    pub fn take_array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.first_chunk().copied()
    }

    /// A number that [`put`] has written.
    pub fn take_number(&mut self) -> Option<usize> {
        let number = u64::from_le_bytes(self.take_array()?);
        usize::try_from(number).ok()
    }

    /// Bytes that [`put_bytes`] has written.
    pub fn take_bytes(&mut self) -> Option<&'b [u8]> {
        let len = self.take_number()?;
        self.take(len)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::tests::RAW;

    #[test]
    fn what_is_kept_comes_back_and_nothing_else_is_read() {
        let layout = RAW;
        let last = layout.entries().last().unwrap().place;
        let loaded = Loaded {
            description: b"any bytes \xFF".to_vec(),
            ignored: vec![
                Ignored {
                    section: 1,
                    offset: 70_000,
                    byte: 9,
                },
                Ignored {
                    section: 3,
                    offset: 0,
                    byte: 255,
                },
            ],
            skipped: vec![1, 2, 3],
            order: vec![2, 0, 1],
            clamped: vec![(last, 17)],
        };
        let bytes = loaded.encode(&layout);
        assert_eq!(Loaded::decode(&layout, &bytes), Some(loaded));
        for len in 0..bytes.len() {
            assert_eq!(Loaded::decode(&layout, &bytes[..len]), None, "{len}");
        }
        assert_eq!(Loaded::decode(&layout, &[&bytes[..], &[0]].concat()), None);
        // Some bytes become lengths that no memory has, and sections that the layout does not have.
        for place in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[place] = 0xFF;
            if let Some(loaded) = Loaded::decode(&layout, &damaged) {
                let sections = layout.entries().count();
                assert!(loaded.order.iter().all(|number| *number < sections));
            }
        }
    }
}
