//! Loads a large file without having it in memory: small sections are read first, and large tensors
//! piece by piece while the weights are filled.
//!
//! All files that are accepted here are accepted by [`split`](crate::split) and
//! [`Parts::load`](crate::Parts::load), with the same result. These read the whole file, and they
//! explain what is wrong with any other file.

use std::fs::{self, File, Metadata};
use std::path::Path;

use crate::part::Bytes;
use crate::split::split_bytes;
use crate::{FileLayout, Format, Loaded, Parts, Tensor, attached, coalesce};

/// Smaller files are read as a whole.
const LARGE: u64 = 4 << 20;

/// A large file in which everything has been checked except single values.
#[derive(Debug)]
pub struct Stream<'l> {
    layout: &'l FileLayout,
    file: File,
    /// The number of bytes of the file, without a spec behind the net.
    len: usize,
}

/// Opens a file that can be loaded while it is read: a large file on the disk that fits the layout.
/// `None` says nothing about a file, which must then be [opened](crate::open) as a whole.
#[must_use]
pub fn stream<'l>(layout: &'l FileLayout, path: &Path) -> Option<Stream<'l>> {
    let is_large = |metadata: &Metadata| metadata.is_file() && metadata.len() >= LARGE;
    // A pipe can be opened only once.
    fs::metadata(path).ok().filter(is_large)?;
    let file = File::open(path).ok()?;
    let metadata = file.metadata().ok().filter(is_large)?;
    Stream::of(layout, file, metadata.len())
}

impl<'l> Stream<'l> {
    fn of(layout: &'l FileLayout, file: File, file_len: u64) -> Option<Stream<'l>> {
        let len = attached::net_len_of(&file, file_len).try_into().ok()?;
        let stream = Stream { layout, file, len };
        stream.parts().map(drop)?;
        Some(stream)
    }

    /// The tensors of the file, which are read later.
    fn parts(&self) -> Option<Parts<'_>> {
        let is_summed = |(_, tensor): (usize, &Tensor)| coalesce::is_summed(self.layout, tensor);
        // Files with names have to be searched.
        if self.layout.format == Format::Named || self.layout.tensors().any(is_summed) {
            return None;
        }
        let bytes = Bytes::InFile {
            file: &self.file,
            offset: 0,
            len: self.len,
        };
        split_bytes(self.layout, bytes).ok()
    }

    /// Fills the weights, as [`Parts::load`](crate::Parts::load) does. `None` if the file cannot be
    /// read or if some value is wrong; the file must then be opened as a whole.
    ///
    /// # Panics
    ///
    /// If `weights` is shorter than the layout says.
    #[must_use]
    pub fn load(self, packed: &[usize], weights: &mut [u8]) -> Option<Loaded> {
        self.parts()?.load(packed, weights).ok()
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;
    use alloc::{format, vec};

    use super::*;
    use crate::tests::{COMPRESSED, MEMORY_LEN, ORDERS, RAW, file, load};
    use crate::{Element, Encoding, Placed, Role, Section, Stacks, Stored, Tail, Text, list};

    /// Writes a file and loads it while it is read.
    fn streamed(layout: &FileLayout, order: &[usize], source: &[u8]) -> Option<(Vec<u8>, Loaded)> {
        let thread = std::thread::current();
        let name = thread.name().unwrap_or("").replace(':', "-");
        let path = std::env::temp_dir().join(format!("nnue-{}-{name}", std::process::id()));
        std::fs::write(&path, source).unwrap();
        let stream = Stream::of(layout, File::open(&path).unwrap(), source.len() as u64);
        let mut weights = vec![0xAA; MEMORY_LEN];
        let loaded = stream.and_then(|stream| stream.load(order, &mut weights));
        std::fs::remove_file(&path).unwrap();
        loaded.map(|loaded| (weights, loaded))
    }

    fn assert_same(layout: &FileLayout, source: &[u8]) -> bool {
        let whole = load(layout, ORDERS[1], source).ok();
        let is_loaded = whole.is_some();
        assert_eq!(streamed(layout, ORDERS[1], source), whole);
        is_loaded
    }

    /// A layout for files without marks, whose tail is a text.
    fn sequence() -> FileLayout {
        FileLayout {
            format: Format::Sequence,
            sections: list(
                const {
                    &[
                        Section::Skipped {
                            name: Text::Borrowed("skipped"),
                            len: 3,
                        },
                        Section::Align(8),
                        Section::same(
                            Role::Weights(0),
                            "first",
                            Element::I16,
                            Encoding::Raw,
                            0,
                            [2, 5],
                        ),
                        Section::tensor(
                            Role::Weights(0),
                            "second",
                            [1, 2, 5],
                            Stored::new(Element::I8, [0, 8, 1], 16),
                            Placed::rows(Element::I8, 64, [2, 5]),
                        ),
                    ]
                },
            ),
            stacks: Stacks::NONE,
            tail: Tail {
                text: b"tail",
                multiple: 64,
            },
            ..RAW
        }
    }

    #[test]
    fn a_spec_behind_is_left_out() {
        let with = attached::attach(&file(&RAW), "name = \"a\"").unwrap();
        assert!(assert_same(&RAW, &with));
    }

    #[test]
    fn tails_are_checked_as_in_the_whole() {
        let layout = sequence();
        let mut source = crate::tests::random_bytes(&mut fastrand::Rng::with_seed(4), 8 + 20 + 16);
        source.extend(layout.tail.bytes(source.len()));
        assert!(assert_same(&layout, &source));
        for len in 0..source.len() {
            assert!(!assert_same(&layout, &source[..len]));
        }
        for bit in 0..8 * source.len() {
            source[bit / 8] ^= 1 << (bit % 8);
            assert_same(&layout, &source);
            source[bit / 8] ^= 1 << (bit % 8);
        }
        // A file whose tail begins earlier belongs to another layout.
        source[40..44].copy_from_slice(b"tail");
        assert!(!assert_same(&layout, &source));
        source.extend([0; 64]);
        assert!(!assert_same(&layout, &source));
    }

    #[test]
    fn what_is_read_in_pieces_loads_as_the_whole_does() {
        for layout in [RAW, COMPRESSED] {
            let mut source = file(&layout);
            assert!(assert_same(&layout, &source));
            for len in 0..source.len() {
                assert!(!assert_same(&layout, &source[..len]));
            }
            source.push(0);
            assert!(!assert_same(&layout, &source));
        }
    }

    #[test]
    fn damage_is_refused_where_the_whole_is() {
        for layout in [RAW, COMPRESSED] {
            let mut source = file(&layout);
            let mut refused = 0;
            // Each round changes another bit of a byte.
            for bit in (0..8 * source.len()).step_by(5) {
                source[bit / 8] ^= 1 << (bit % 8);
                refused += usize::from(!assert_same(&layout, &source));
                source[bit / 8] ^= 1 << (bit % 8);
            }
            assert!(refused > 30, "{refused}");
        }
    }

    #[test]
    fn only_large_files_are_streamed() {
        let path = std::env::temp_dir().join(format!("nnue-small-{}", std::process::id()));
        let is_streamed = |path: &Path| stream(&RAW, path).is_some();
        std::fs::write(&path, file(&RAW)).unwrap();
        let is_small_streamed = is_streamed(&path);
        std::fs::remove_file(&path).unwrap();
        assert!(!is_small_streamed);
        assert!(!is_streamed(&path));
        assert!(!is_streamed(&std::env::temp_dir()));
    }
}
