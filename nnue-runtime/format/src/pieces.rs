//! Loads large tensors on several threads. Tensors whose values are the same in memory as in the
//! file are cut into pieces, which threads take one after the other.
//!
//! LEB128 can be cut behind any value. The number of values in a piece, which decides the place of
//! the next piece, is counted many bytes at a time, much faster than the values are decoded.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, Ordering};
use std::fs::File;
use std::io;
use std::sync::Mutex;

use crate::element::swap_on_big_endian;
use crate::leb128;
use crate::part::{Bytes, Part};
use crate::threads::{self, locked};
use crate::{Encoding, Tensor};

/// The number of bytes of a piece in the file: so few that the piece and its values fit in a core's
/// cache. Pieces of raw values must be whole values.
const PIECE: usize = 128 * 1024;

/// A tensor of a file, and the part of memory for its values. The values [are the
/// same](Tensor::is_same) there.
pub(crate) struct PlainTensor<'a> {
    pub(crate) tensor: &'a Tensor,
    /// The offset of that memory, in bytes from the start of the weights.
    pub(crate) start: usize,
    pub(crate) bytes: Bytes<'a>,
}

/// The memory for values.
enum Memory<'a> {
    Weights(&'a mut [u8]),
    /// No memory, only the number of bytes that there would be: values are checked and not kept.
    Nowhere(usize),
}

/// A tensor that is being filled: the rest of its bytes, and the rest of the memory for them.
struct RemainingTensor<'a> {
    tensor: &'a Tensor,
    bytes: Bytes<'a>,
    memory: Memory<'a>,
}

/// The bytes of some values, and the memory for them.
struct Piece<'a> {
    tensor: &'a Tensor,
    bytes: Bytes<'a>,
    memory: Memory<'a>,
}

/// The buffers that a thread keeps from piece to piece.
#[derive(Default)]
struct Buffers {
    /// Bytes that are read from a file.
    read: Vec<u8>,
    /// Values that are checked and not kept.
    values: Vec<u8>,
}

/// A piece cannot be read, cut or decoded. The first fault of the file is found later, without
/// threads.
#[derive(Debug, PartialEq)]
pub(crate) struct PieceFault;

/// Fills the memory of tensors, on as many threads as save time.
///
/// # Errors
///
/// If values are wrong. The memory is then partly filled.
pub(crate) fn fill(tensors: Vec<PlainTensor<'_>>, weights: &mut [u8]) -> Result<(), PieceFault> {
    let rests = apart(tensors, weights)?;
    fill_with(threads_for(&rests), PIECE, rests)
}

/// Checks the values of tensors, as [`fill`] does, without memory for them.
pub(crate) fn check(tensors: Vec<PlainTensor<'_>>) -> Result<(), PieceFault> {
    let mut rests = Vec::new();
    for same in tensors {
        // Any raw value is valid.
        if same.tensor.stored.encoding != Encoding::Raw {
            rests.push(RemainingTensor {
                tensor: same.tensor,
                bytes: same.bytes,
                memory: Memory::Nowhere(same.tensor.placed.len()),
            });
        }
    }
    fill_with(threads_for(&rests), PIECE, rests)
}

/// Raw values in memory are not worth a thread: a single copy is as fast as memory is.
fn threads_for(rests: &[RemainingTensor<'_>]) -> usize {
    let is_in_file = |rest: &RemainingTensor<'_>| matches!(rest.bytes, Bytes::InFile { .. });
    if rests.iter().any(is_in_file) && !cfg!(unix) {
        return 1;
    }
    let mut work = 0;
    for rest in rests {
        if is_in_file(rest) || rest.tensor.stored.encoding != Encoding::Raw {
            work += rest.bytes.len();
        }
    }
    threads::for_bytes(work)
}

/// Reads the bytes from `offset` on. Only Unix has files that several threads can read at the same
/// time.
///
/// # Errors
///
/// The errors of reading, and an end before the buffer is full.
pub fn read_at(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset);
    #[cfg(not(unix))]
    {
        use std::io::{Read, Seek, SeekFrom};
        let mut file = file;
        file.seek(SeekFrom::Start(offset))?;
        file.read_exact(buffer)
    }
}

fn fill_with(
    threads: usize,
    piece: usize,
    mut rests: Vec<RemainingTensor<'_>>,
) -> Result<(), PieceFault> {
    // The last tensor is the first to be taken.
    rests.reverse();
    let rests = Mutex::new(rests);
    let is_faulty = AtomicBool::new(false);
    threads::on_each(threads, &|| {
        let mut buffers = Buffers::default();
        while !is_faulty.load(Ordering::Relaxed) {
            let next = next(&mut locked(&rests), piece, &mut buffers.read);
            let filled = match next {
                None => return,
                Some(piece) => piece.and_then(|piece| piece.fill(&mut buffers)),
            };
            if filled.is_err() {
                is_faulty.store(true, Ordering::Relaxed);
            }
        }
    });
    if is_faulty.into_inner() {
        Err(PieceFault)
    } else {
        Ok(())
    }
}

/// The memory of each tensor.
fn apart<'a>(
    mut tensors: Vec<PlainTensor<'a>>,
    weights: &'a mut [u8],
) -> Result<Vec<RemainingTensor<'a>>, PieceFault> {
    // They are few, and mostly in order; to compile the sort of the standard library takes longer.
    for end in 1..tensors.len() {
        let mut place = end;
        while place > 0 && tensors[place - 1].start > tensors[place].start {
            tensors.swap(place - 1, place);
            place -= 1;
        }
    }
    let (mut offset, mut behind) = (0, weights);
    let mut rests = Vec::with_capacity(tensors.len());
    for same in tensors {
        let skipped = same.start.checked_sub(offset).ok_or(PieceFault)?;
        let (_, memory) = core::mem::take(&mut behind)
            .split_at_mut_checked(skipped)
            .ok_or(PieceFault)?;
        let memory = memory.split_at_mut_checked(same.tensor.placed.len());
        let (memory, rest) = memory.ok_or(PieceFault)?;
        (offset, behind) = (same.start + memory.len(), rest);
        rests.push(RemainingTensor {
            tensor: same.tensor,
            bytes: same.bytes,
            memory: Memory::Weights(memory),
        });
    }
    Ok(rests)
}

/// Cuts the next piece of the last tensor. Compressed bytes of a file are read into the buffer.
fn next<'a>(
    rests: &mut Vec<RemainingTensor<'a>>,
    piece: usize,
    buffer: &mut Vec<u8>,
) -> Option<Result<Piece<'a>, PieceFault>> {
    while let Some(rest) = rests.last_mut() {
        if rest.bytes.len() > 0 {
            return Some(rest.cut(piece, buffer));
        }
        if rest.memory.len() > 0 {
            return Some(Err(PieceFault));
        }
        rests.pop();
    }
    None
}

impl<'a> RemainingTensor<'a> {
    fn cut(&mut self, piece: usize, buffer: &mut Vec<u8>) -> Result<Piece<'a>, PieceFault> {
        let len = self.bytes.len().min(piece);
        let (used, filled) = match self.tensor.stored.encoding {
            Encoding::Raw if matches!(self.bytes, Bytes::Here(_)) => {
                (self.bytes.len(), self.bytes.len())
            }
            Encoding::Raw => (len, len),
            Encoding::Leb128 | Encoding::BareLeb128 => {
                let bytes = self.bytes.read_into(len, buffer).ok_or(PieceFault)?;
                let last = bytes
                    .iter()
                    .rposition(|byte| *byte < 0x80)
                    .ok_or(PieceFault)?;
                let values = leb128::count(&bytes[..=last]).ok_or(PieceFault)?;
                (last + 1, values * self.tensor.stored.element.size())
            }
        };
        let (bytes, rest) = self.bytes.split_at(used);
        self.bytes = rest;
        Ok(Piece {
            tensor: self.tensor,
            bytes,
            memory: self.memory.take(filled)?,
        })
    }
}

impl Piece<'_> {
    /// Fills the memory. The buffers have the bytes, if these are compressed and in a file.
    fn fill(self, buffers: &mut Buffers) -> Result<(), PieceFault> {
        let tensor = self.tensor;
        let memory = match self.memory {
            Memory::Weights(memory) => memory,
            Memory::Nowhere(len) => {
                buffers.values.resize(len.max(buffers.values.len()), 0);
                &mut buffers.values[..len]
            }
        };
        let element = tensor.stored.element;
        if tensor.stored.encoding == Encoding::Raw {
            self.bytes.copy(memory)?;
            swap_on_big_endian(memory, element);
            return Ok(());
        }
        let bytes = match self.bytes {
            Bytes::Here(bytes) => bytes,
            Bytes::InFile { len, .. } => &buffers.read[..len],
        };
        match leb128::decode_as(element, bytes, memory) {
            Ok(used) if used == bytes.len() => Ok(()),
            _ => Err(PieceFault),
        }
    }
}

impl<'a> Memory<'a> {
    fn len(&self) -> usize {
        match self {
            Memory::Weights(memory) => memory.len(),
            Memory::Nowhere(len) => *len,
        }
    }

    /// Takes the first `len` bytes off.
    fn take(&mut self, len: usize) -> Result<Memory<'a>, PieceFault> {
        match self {
            Memory::Weights(memory) => {
                let split = core::mem::take(memory).split_at_mut_checked(len);
                let (first, rest) = split.ok_or(PieceFault)?;
                *memory = rest;
                Ok(Memory::Weights(first))
            }
            Memory::Nowhere(left) => {
                *left = left.checked_sub(len).ok_or(PieceFault)?;
                Ok(Memory::Nowhere(len))
            }
        }
    }
}

impl<'a> Bytes<'a> {
    /// The first bytes, for which the buffer has room if they have to be read.
    fn read_into<'b>(&self, len: usize, buffer: &'b mut Vec<u8>) -> Option<&'b [u8]>
    where
        'a: 'b,
    {
        match *self {
            Bytes::Here(bytes) => bytes.get(..len),
            Bytes::InFile { file, offset, .. } => {
                buffer.resize(len.max(buffer.len()), 0);
                let room = &mut buffer[..len];
                read_at(file, offset, room).ok()?;
                Some(room)
            }
        }
    }

    /// Copies the bytes to memory of the same length.
    fn copy(&self, memory: &mut [u8]) -> Result<(), PieceFault> {
        match *self {
            Bytes::Here(bytes) => {
                memory.copy_from_slice(bytes);
                Ok(())
            }
            Bytes::InFile { file, offset, .. } => {
                read_at(file, offset, memory).map_err(|_| PieceFault)
            }
        }
    }
}

impl<'a> Part<'a> {
    /// The part as a tensor whose values are the same in memory as in the file.
    pub(crate) fn same(&self) -> PlainTensor<'a> {
        PlainTensor {
            tensor: self.tensor,
            start: self.base + self.tensor.placed.offset,
            bytes: self.bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use fastrand::Rng;

    use super::*;
    use crate::tests::{COMPRESSED, MEMORY_LEN, RAW, file, random_bytes};
    use crate::{
        Element, FileLayout, Format, LoadError, Place, Role, Section, Stacks, ValueFault, list,
        split,
    };

    /// The weights that threads fill, which cut the tensors of a file into pieces of this many
    /// bytes.
    fn filled(
        layout: &FileLayout,
        source: &[u8],
        threads: usize,
        piece: usize,
    ) -> Result<Vec<u8>, PieceFault> {
        let parts = split(layout, source).unwrap();
        let same = || {
            let parts = parts.tensors.iter();
            parts.filter(|part| part.tensor.is_same()).map(Part::same)
        };
        let mut weights = vec![0xAA; MEMORY_LEN];
        let result = fill_with(threads, piece, apart(same().collect(), &mut weights)?);
        assert_eq!(check(same().collect()), result);
        result.map(|()| weights)
    }

    /// The weights that are filled tensor by tensor.
    fn copied(layout: &FileLayout, source: &[u8]) -> Result<Vec<u8>, LoadError> {
        let parts = split(layout, source).unwrap();
        let mut weights = vec![0xAA; MEMORY_LEN];
        for part in parts.tensors.iter().filter(|part| part.tensor.is_same()) {
            let mut values = part.raw()?.into_owned();
            swap_on_big_endian(&mut values, part.tensor.stored.element);
            weights[part.same().start..][..values.len()].copy_from_slice(&values);
        }
        Ok(weights)
    }

    #[test]
    fn every_cut_gives_the_same_weights() {
        for (layout, step) in [(RAW, 4), (COMPRESSED, 1)] {
            let source = file(&layout);
            let expected = copied(&layout, &source).unwrap();
            for threads in 1..4 {
                for piece in (8..80).step_by(step) {
                    let found = filled(&layout, &source, threads, piece);
                    assert_eq!(found.as_ref(), Ok(&expected), "pieces of {piece}");
                }
            }
        }
    }

    #[test]
    fn damage_is_found_wherever_cuts_are() {
        let mut source = file(&COMPRESSED);
        let mut faults = 0;
        // Each round changes another bit of a byte.
        for bit in (0..8 * source.len()).step_by(5) {
            source[bit / 8] ^= 1 << (bit % 8);
            if split(&COMPRESSED, &source).is_ok() {
                let expected = copied(&COMPRESSED, &source).ok();
                faults += usize::from(expected.is_none());
                for piece in [5, 8, 40] {
                    let found = filled(&COMPRESSED, &source, 2, piece).ok();
                    assert_eq!(found, expected, "bit {bit}");
                }
            }
            source[bit / 8] ^= 1 << (bit % 8);
        }
        assert!(faults > 10, "{faults}");
    }

    #[test]
    fn tensors_that_share_memory_are_refused() {
        let (layout, source) = (RAW, file(&RAW));
        let parts = split(&layout, &source).unwrap();
        let twice = [&parts.tensors[0], &parts.tensors[0]];
        let mut weights = vec![0; MEMORY_LEN];
        let same = || twice.map(Part::same).into_iter().collect();
        assert_eq!(fill(same(), &mut weights), Err(PieceFault));
        assert_eq!(
            fill(vec![parts.tensors[0].same()], &mut []),
            Err(PieceFault)
        );
    }

    /// A file that is worth several threads.
    #[test]
    fn faults_of_large_files_are_the_first_ones() {
        const COUNT: usize = 5_000_000;
        let sections = const {
            &[
                Section::same(
                    Role::Weights(0),
                    "first",
                    Element::I16,
                    Encoding::BareLeb128,
                    0,
                    [1, COUNT],
                ),
                Section::same(
                    Role::Weights(0),
                    "second",
                    Element::I8,
                    Encoding::Raw,
                    2 * COUNT,
                    [1, 64],
                ),
            ]
        };
        let layout = FileLayout {
            format: Format::Sequence,
            sections: list(sections),
            stacks: Stacks::NONE,
            ..RAW
        };
        let mut random = Rng::with_seed(5);
        let mut source = Vec::new();
        let mut offsets = Vec::new();
        for _ in 0..COUNT {
            offsets.push(source.len());
            leb128::encode(random.u64(..150) as i32 - 75, &mut source);
        }
        source.extend(random_bytes(&mut random, 64));
        let load = |source: &[u8]| {
            let mut weights = vec![0; layout.memory_len()];
            let loaded = split(&layout, source)?.load(&[0], &mut weights);
            assert_eq!(crate::check(&layout, source), loaded);
            loaded.map(|_| weights)
        };
        let weights = load(&source).unwrap();
        let mut values = vec![[0; 2]; COUNT];
        leb128::decode(&source, &mut values).unwrap();
        assert!(weights[..2 * COUNT] == *values.as_flattened());
        assert!(weights[2 * COUNT..] == source[source.len() - 64..]);

        // Two-byte encodings of values that need only one byte, behind three quarters and at the
        // end.
        let two_bytes = |from: usize| {
            let mut indices = from..;
            let is_long = |index: &usize| offsets[index + 1] - offsets[*index] == 2;
            indices.find(is_long).unwrap()
        };
        let [first, second] = [COUNT / 4 * 3, COUNT - 1000].map(two_bytes);
        for index in [second, first] {
            source[offsets[index]] = 0x80;
            source[offsets[index] + 1] = 0;
            let error = LoadError::Value {
                place: Place {
                    stack: None,
                    name: "first".into(),
                },
                index: index as u64,
                fault: ValueFault::Overlong {
                    offset: offsets[index] as u64,
                    longest: 3,
                },
            };
            assert_eq!(load(&source), Err(error));
        }
    }
}
