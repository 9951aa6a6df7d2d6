//! Writes weights back to a file.

use alloc::borrow::Cow;
use alloc::vec;
use alloc::vec::Vec;

use crate::element::swap_on_big_endian;
use crate::layout::Entry;
use crate::placed::Bucket;
use crate::{
    Encoding, FileLayout, Format, Ignored, Loaded, Section, Tensor, coalesce, leb128, paired,
};

/// The largest number of bytes that are given to a sink at once.
const BUFFER_LEN: usize = 64 * 1024;

/// The sink has failed.
struct SinkError;

/// How values of `SIZE` bytes become LEB128.
struct Leb128<const SIZE: usize> {
    len: fn([u8; SIZE]) -> usize,
    encode: fn([u8; SIZE], &mut Vec<u8>),
}

const fn integers<const SIZE: usize>() -> Leb128<SIZE> {
    Leb128 {
        len: |value| leb128::encoded_len(leb128::widen(value)),
        encode: |value, sink| leb128::encode(leb128::widen(value), sink),
    }
}

/// The encoding of floating point as the integer with the same bits.
const BITS: Leb128<4> = Leb128 {
    len: |value| leb128::encoded_bits_len(u32::from_ne_bytes(value)),
    encode: |value, sink| leb128::encode_bits(u32::from_ne_bytes(value), sink),
};

/// Collects the bytes of a file into pieces that are worth a call of the sink.
struct Writer<'a> {
    layout: &'a FileLayout,
    sink: &'a mut dyn FnMut(&[u8]) -> Result<(), SinkError>,
    buffer: Vec<u8>,
    /// The number of bytes that the sink has taken.
    flushed: u64,
}

/// Writes a network file to `sink`, in pieces of at most 64 KiB. These are the bytes that were
/// loaded, if `weights` and `loaded` are as [`Parts::load`](super::Parts::load) left them with the
/// same `packed`.
///
/// Loading does not keep everything. For floating point that became integers, numbers are written
/// that become the same integers; for weights that became signs, -1 and 1 are written.
///
/// # Errors
///
/// The first error of the sink.
///
/// # Panics
///
/// If `weights` is shorter than the layout says.
pub fn store<E>(
    layout: &FileLayout,
    packed: &[usize],
    weights: &[u8],
    loaded: &Loaded,
    sink: &mut dyn FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    // Generic code is compiled in each crate that writes files, and optimised as that crate is.
    let mut result = Ok(());
    let _ = write(layout, packed, weights, loaded, &mut |bytes| {
        result = sink(bytes);
        result.as_ref().map_err(|_| SinkError).copied()
    });
    result
}

fn write(
    layout: &FileLayout,
    packed: &[usize],
    weights: &[u8],
    loaded: &Loaded,
    sink: &mut dyn FnMut(&[u8]) -> Result<(), SinkError>,
) -> Result<(), SinkError> {
    let weights = &*without_additions(layout, weights);
    let mut writer = Writer {
        layout,
        sink,
        buffer: Vec::with_capacity(BUFFER_LEN),
        flushed: 0,
    };
    match layout.format {
        Format::Stockfish { version, hash } => {
            writer.put(&version.to_le_bytes())?;
            writer.put(&hash.to_le_bytes())?;
            writer.put(&(loaded.description.len() as u32).to_le_bytes())?;
            writer.put(&loaded.description)?;
            writer.sections(packed, weights, loaded)?;
        }
        Format::Sequence => writer.sections(packed, weights, loaded)?,
        Format::Named => writer.entries(packed, weights, loaded)?,
    }
    let tail: Vec<u8> = layout.tail.bytes(writer.offset() as usize).collect();
    writer.put(&tail)?;
    writer.flush()
}

/// The weights as they were before loading added and paired their values.
pub(crate) fn without_additions<'w>(layout: &FileLayout, weights: &'w [u8]) -> Cow<'w, [u8]> {
    let weights = paired::without_pairs(&layout.paired, weights);
    match coalesce::subtract(layout, &weights) {
        Some(without) => Cow::Owned(without),
        None => weights,
    }
}

/// Puts the ignored bytes of a section back among its bytes.
fn put_back(ignored: &[Ignored], bytes: &mut [u8]) {
    for ignored in ignored {
        if let Some(byte) = bytes.get_mut(ignored.offset) {
            *byte = ignored.byte;
        }
    }
}

impl Writer<'_> {
    fn put(&mut self, bytes: &[u8]) -> Result<(), SinkError> {
        for piece in bytes.chunks(BUFFER_LEN) {
            self.make_room(piece.len())?;
            self.buffer.extend_from_slice(piece);
        }
        Ok(())
    }

    /// Writes the sections one after the other.
    fn sections(
        &mut self,
        packed: &[usize],
        weights: &[u8],
        loaded: &Loaded,
    ) -> Result<(), SinkError> {
        let mut skipped = loaded.skipped.as_slice();
        for (number, entry) in self.layout.entries().enumerate() {
            let ignored = loaded.ignored_in(number);
            match entry.section {
                Section::Hash { expected, .. } => self.put(&expected.to_le_bytes())?,
                Section::Bytes { expected, .. } => self.put(expected)?,
                Section::Skipped { .. } | Section::Kept { .. } => {
                    let len = entry.section.skipped_len().min(skipped.len());
                    let (these, rest) = skipped.split_at(len);
                    self.put(these)?;
                    skipped = rest;
                }
                Section::Align(to) => {
                    let offset = self.offset();
                    let len = offset.next_multiple_of(*to as u64) - offset;
                    let mut padding = vec![0; len as usize];
                    put_back(ignored, &mut padding);
                    self.put(&padding)?;
                }
                Section::Tensor(tensor) => {
                    self.tensor(tensor, &entry, packed, weights, ignored)?;
                }
            }
        }
        Ok(())
    }

    /// Writes the tensors in the order that they had in the file, each behind its id and its
    /// length.
    fn entries(
        &mut self,
        packed: &[usize],
        weights: &[u8],
        loaded: &Loaded,
    ) -> Result<(), SinkError> {
        for index in &loaded.order {
            if let Some(entry) = self.layout.entries().nth(*index)
                && let Section::Tensor(tensor) = entry.section
            {
                self.put(tensor.id.as_bytes())?;
                self.put(b"\n")?;
                self.put(&(tensor.stored.values as u64).to_le_bytes())?;
                let ignored = loaded.ignored_in(*index);
                self.tensor(tensor, &entry, packed, weights, ignored)?;
            }
        }
        Ok(())
    }

    /// Writes a tensor, with the padding that was ignored.
    fn tensor(
        &mut self,
        tensor: &Tensor,
        entry: &Entry,
        packed: &[usize],
        weights: &[u8],
        ignored: &[Ignored],
    ) -> Result<(), SinkError> {
        let size = tensor.stored.element.size();
        let mut values;
        let native = if tensor.is_same() && !coalesce::is_summed(self.layout, tensor) {
            &weights[entry.base + tensor.placed.offset..][..tensor.placed.len()]
        } else {
            values = of_file(self.layout, tensor, entry.base, packed, weights);
            put_back(ignored, &mut values);
            swap_on_big_endian(&mut values, tensor.stored.element);
            &values
        };
        let has_header = match tensor.stored.encoding {
            Encoding::Raw => return self.raw(native, size),
            Encoding::Leb128 => true,
            Encoding::BareLeb128 => false,
        };
        match size {
            _ if tensor.stored.element.is_float() => self.leb128(native, has_header, &BITS),
            1 => self.leb128(native, has_header, &integers::<1>()),
            2 => self.leb128(native, has_header, &integers::<2>()),
            _ => self.leb128(native, has_header, &integers::<4>()),
        }
    }

    fn raw(&mut self, memory: &[u8], size: usize) -> Result<(), SinkError> {
        if cfg!(target_endian = "little") {
            return self.put(memory);
        }
        for value in memory.chunks_exact(size) {
            self.make_room(size)?;
            self.buffer.extend(value.iter().rev());
        }
        Ok(())
    }

    /// Writes LEB128 values, behind the header of a block or alone.
    fn leb128<const SIZE: usize>(
        &mut self,
        memory: &[u8],
        has_header: bool,
        form: &Leb128<SIZE>,
    ) -> Result<(), SinkError> {
        let values = memory.as_chunks::<SIZE>().0;
        if has_header {
            let byte_count: usize = values.iter().map(|&value| (form.len)(value)).sum();
            self.put(leb128::MAGIC)?;
            self.put(&(byte_count as u32).to_le_bytes())?;
        }
        for &value in values {
            self.make_room(const { leb128::longest(SIZE) })?;
            (form.encode)(value, &mut self.buffer);
        }
        Ok(())
    }

    fn make_room(&mut self, needed: usize) -> Result<(), SinkError> {
        if self.buffer.len() + needed > BUFFER_LEN {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        (self.sink)(&self.buffer)?;
        self.flushed += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// The offset of the next byte in the file.
    fn offset(&self) -> u64 {
        self.flushed + self.buffer.len() as u64
    }
}

/// The values that the file has of a tensor, in its order, little-endian. `weights` are
/// [without additions](without_additions).
pub(crate) fn of_file(
    layout: &FileLayout,
    tensor: &Tensor,
    base: usize,
    packed: &[usize],
    weights: &[u8],
) -> Vec<u8> {
    let mut values = gathered(tensor, base, packed, weights);
    coalesce::subtract_from_file(layout, tensor, weights, &mut values);
    values
}

/// The values of a tensor in the order of the file, little-endian.
pub(crate) fn gathered(tensor: &Tensor, base: usize, packed: &[usize], weights: &[u8]) -> Vec<u8> {
    let [buckets, rows, columns] = tensor.shape;
    let slots = tensor.placed.slots_of(columns, packed);
    let mut values = vec![0; tensor.stored.raw_len()];
    for bucket in 0..buckets {
        let memory = Bucket::of(&tensor.placed, weights, base, bucket);
        for row in 0..rows {
            for (column, slot) in slots.iter().enumerate() {
                let index = tensor.stored.index([bucket, row, column]);
                let value = tensor.to_stored(memory.get(row, *slot));
                tensor.stored.write(&mut values, index, value);
            }
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;
    use crate::tests::{COMPRESSED, RAW, file, load, random_bytes, stored};
    use crate::{Element, Role, Stacks, list, split};

    /// More values than a buffer holds.
    const COUNT: usize = 100_000;

    const fn large(encoding: Encoding) -> Section {
        Section::same(
            Role::Weights(0),
            "weights",
            Element::I16,
            encoding,
            0,
            [1, COUNT],
        )
    }

    #[test]
    fn large_tensors_are_written_in_pieces() {
        let sections: [&'static [Section]; 2] = [
            const { &[large(Encoding::Raw)] },
            const { &[large(Encoding::Leb128)] },
        ];
        let stacks = Stacks {
            count: 0,
            ..RAW.stacks
        };
        let weights = random_bytes(&mut Rng::with_seed(5), 2 * COUNT);
        for sections in sections {
            let layout = FileLayout {
                sections: list(sections),
                stacks: stacks.clone(),
                ..RAW
            };
            let mut source = Vec::new();
            let written = store::<()>(&layout, &[0], &weights, &Loaded::default(), &mut |piece| {
                assert!(!piece.is_empty() && piece.len() <= BUFFER_LEN);
                source.extend_from_slice(piece);
                Ok(())
            });
            assert_eq!(written, Ok(()));
            let mut loaded = vec![0; weights.len()];
            split(&layout, &source)
                .unwrap()
                .load(&[0], &mut loaded)
                .unwrap();
            assert!(loaded == weights);
        }
    }

    #[test]
    fn an_error_of_the_sink_ends_the_writing() {
        let (weights, loaded) = load(&RAW, &[0], &file(&RAW)).unwrap();
        let mut calls = 0;
        let result = store(&RAW, &[0], &weights, &loaded, &mut |_| {
            calls += 1;
            Err("full")
        });
        assert_eq!((result, calls), (Err("full"), 1));
    }

    #[test]
    fn the_description_can_be_changed() {
        for layout in [RAW, COMPRESSED] {
            let (weights, mut loaded) = load(&layout, &[0], &file(&layout)).unwrap();
            loaded.description = b"something longer".to_vec();
            let file = stored(&layout, &[0], &weights, &loaded);
            assert!(load(&layout, &[0], &file) == Ok((weights, loaded)));
        }
    }
}
