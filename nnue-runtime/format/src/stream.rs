//! Loads a large file without having it in memory: small sections are read first, and large tensors
//! piece by piece while the weights are filled.
//!
//! All files that are accepted here are accepted by [`split`](crate::split) and
//! [`Parts::load`](crate::Parts::load), with the same result. These read the whole file, and they
//! explain what is wrong with any other file.

use alloc::vec;
use alloc::vec::Vec;
use std::fs::{self, File, Metadata};
use std::path::Path;

use crate::layout::{Entry, START_LEN};
use crate::part::Part;
use crate::pieces::{self, Bytes, PlainTensor, read_at};
use crate::split::check_start;
use crate::{
    DESCRIPTION_LIMIT, Encoding, FileLayout, Format, Loaded, Section, Tensor, attached, coalesce,
    leb128, paired,
};

/// Smaller files are read as a whole.
const LARGE: u64 = 4 << 20;

/// A large file in which everything has been checked except single values.
#[derive(Debug)]
pub struct Stream<'l> {
    layout: &'l FileLayout,
    file: File,
    /// The offset of the next byte that is read.
    offset: u64,
    len: u64,
    tensors: Vec<StreamedTensor<'l>>,
    loaded: Loaded,
}

/// A tensor of the file.
#[derive(Debug)]
struct StreamedTensor<'l> {
    section: usize,
    entry: Entry<'l>,
    tensor: &'l Tensor,
    offset: u64,
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
    walk(layout, file, metadata.len())
}

fn walk(layout: &FileLayout, file: File, file_len: u64) -> Option<Stream<'_>> {
    let is_summed = |(_, tensor): (usize, &Tensor)| coalesce::is_summed(layout, tensor);
    if layout.tensors().any(is_summed) {
        return None;
    }
    let mut stream = Stream {
        layout,
        len: attached::net_len_of(&file, file_len),
        file,
        offset: 0,
        tensors: Vec::new(),
        loaded: Loaded::default(),
    };
    match layout.format {
        Format::Stockfish { .. } => {
            let start = stream.take(START_LEN)?;
            check_start(layout, &start).ok()?;
            let description_len = u32::from_le_bytes(*start.last_chunk()?);
            if description_len > DESCRIPTION_LIMIT {
                return None;
            }
            stream.loaded.description = stream.take(description_len as usize)?;
        }
        Format::Sequence => {}
        Format::Named => return None,
    }
    for (section, entry) in layout.entries().enumerate() {
        stream.section(section, entry)?;
    }
    stream.ends().then_some(stream)
}

impl<'l> Stream<'l> {
    fn section(&mut self, section: usize, entry: Entry<'l>) -> Option<()> {
        match entry.section {
            Section::Hash { expected, .. } => {
                (self.take(4)? == expected.to_le_bytes()).then_some(())
            }
            Section::Bytes { expected, .. } => {
                (self.take(expected.len())? == **expected).then_some(())
            }
            Section::Skipped { .. } | Section::Kept(_) => {
                let bytes = self.take(entry.section.skipped_len())?;
                self.loaded.skipped.extend(bytes);
                Some(())
            }
            Section::Align(to) => {
                let end = self.offset.next_multiple_of(*to as u64);
                let padding = self.take((end - self.offset) as usize)?;
                self.loaded.ignore(section, 0, &padding);
                Some(())
            }
            Section::Tensor(tensor) => {
                let len = match tensor.stored.encoding {
                    Encoding::Raw if !self.is_block() => tensor.raw_len(),
                    Encoding::Leb128 => self.block_len(tensor)?,
                    // The end of such a tensor would have to be searched for.
                    Encoding::Raw | Encoding::BareLeb128 => return None,
                };
                let offset = self.offset;
                self.offset = offset.checked_add(len as u64)?;
                self.tensors.push(StreamedTensor {
                    section,
                    entry,
                    tensor,
                    offset,
                    len,
                });
                (self.offset <= self.len).then_some(())
            }
        }
    }

    /// Whether the file ends at the offset, with its tail.
    fn ends(&self) -> bool {
        let tail = self.layout.tail;
        let before = self.offset.min(tail.text.len() as u64);
        let tail_len = self.len - self.offset;
        if tail_len >= tail.multiple as u64 {
            return false;
        }
        let len = (before + tail_len) as usize;
        let bytes = read(&self.file, self.len, self.offset - before, len);
        bytes.is_some_and(|bytes| {
            let (data, rest) = bytes.split_at(before as usize);
            tail.is_between(data, rest, self.offset as usize)
        })
    }

    /// Whether a LEB128 block begins at the offset.
    fn is_block(&self) -> bool {
        let mut start = [0; leb128::MAGIC.len()];
        read_at(&self.file, self.offset, &mut start).is_ok() && start == *leb128::MAGIC
    }

    /// The length of the LEB128 block that begins at the offset, which then moves behind the
    /// header.
    fn block_len(&mut self, tensor: &Tensor) -> Option<usize> {
        if self.take(leb128::MAGIC.len())? != leb128::MAGIC {
            return None;
        }
        let len = u32::from_le_bytes(*self.take(4)?.first_chunk()?);
        let is_allowed = tensor.leb128_len().contains(&u64::from(len));
        is_allowed.then_some(len as usize)
    }

    /// The next `len` bytes. The file must have them.
    fn take(&mut self, len: usize) -> Option<Vec<u8>> {
        let bytes = read(&self.file, self.len, self.offset, len)?;
        self.offset += len as u64;
        Some(bytes)
    }

    /// Fills the weights, as [`Parts::load`](crate::Parts::load) does. `None` if the file cannot be
    /// read or if some value is wrong; the file must then be opened as a whole.
    ///
    /// # Panics
    ///
    /// If `weights` is shorter than the layout says.
    #[must_use]
    pub fn load(self, packed: &[usize], weights: &mut [u8]) -> Option<Loaded> {
        let (layout, mut loaded) = (self.layout, self.loaded);
        let (same, others): (Vec<_>, Vec<_>) =
            { self.tensors.into_iter() }.partition(|found| found.tensor.is_same());
        let same = same.iter().map(|found| PlainTensor {
            tensor: found.tensor,
            start: found.entry.base + found.tensor.placed.offset,
            bytes: Bytes::InFile {
                file: &self.file,
                offset: found.offset,
                len: found.len,
            },
        });
        pieces::fill(same.collect(), weights).ok()?;
        for found in others {
            let bytes = read(&self.file, self.len, found.offset, found.len)?;
            let part = Part {
                section: found.section,
                place: found.entry.place,
                tensor: found.tensor,
                base: found.entry.base,
                offset: found.offset as usize,
                bytes: &bytes,
            };
            part.put(&part.raw().ok()?, packed, weights, &mut loaded)
                .ok()?;
        }
        coalesce::add(layout, weights).ok()?;
        paired::pair_all(&layout.paired, weights);
        loaded.order_ignored();
        Some(loaded)
    }
}

/// Reads `len` bytes of a file that has `file_len` bytes.
fn read(file: &File, file_len: u64, offset: u64, len: usize) -> Option<Vec<u8>> {
    if offset.checked_add(len as u64)? > file_len {
        return None;
    }
    let mut bytes = vec![0; len];
    read_at(file, offset, &mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;
    use crate::tests::{COMPRESSED, MEMORY_LEN, ORDERS, RAW, file, load};
    use crate::{Element, Placed, Stacks, Stored, Tail, Text, list};

    /// Writes a file and loads it while it is read.
    fn streamed(layout: &FileLayout, order: &[usize], source: &[u8]) -> Option<(Vec<u8>, Loaded)> {
        let thread = std::thread::current();
        let name = thread.name().unwrap_or("").replace(':', "-");
        let path = std::env::temp_dir().join(format!("nnue-{}-{name}", std::process::id()));
        std::fs::write(&path, source).unwrap();
        let stream = walk(layout, File::open(&path).unwrap(), source.len() as u64);
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
                        Section::same("first", Element::I16, Encoding::Raw, 0, [2, 5]),
                        Section::tensor(
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
