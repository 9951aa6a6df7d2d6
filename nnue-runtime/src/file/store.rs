//! From weights back to the file.

use alloc::vec;
use alloc::vec::Vec;

use super::layout::{Affine, Element, Encoding, FileLayout, Order, Section};
use super::leb128;
use super::load::Loaded;

/// The most bytes that are given to a sink at once.
const BUFFER_LEN: usize = 64 * 1024;

/// Collects what is written into pieces worth a call of the sink.
struct Writer<'a, E> {
    sink: &'a mut dyn FnMut(&[u8]) -> Result<(), E>,
    buffer: Vec<u8>,
    /// Bytes that the sink has taken.
    flushed: u64,
}

/// Writes a network file to `sink`, in pieces of at most 64 KiB: the bytes that were loaded, if `weights` and `loaded`
/// are as [`Parts::load`](super::Parts::load) left them with the same `packed`.
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
    let mut writer = Writer {
        sink,
        buffer: Vec::with_capacity(BUFFER_LEN),
        flushed: 0,
    };
    writer.put(&layout.version.to_le_bytes())?;
    writer.put(&layout.hash.to_le_bytes())?;
    writer.put(&(loaded.description.len() as u32).to_le_bytes())?;
    writer.put(&loaded.description)?;
    let body = writer.offset();

    for entry in layout.entries() {
        let tensor = match entry.section {
            Section::Hash { expected, .. } => {
                writer.put(&expected.to_le_bytes())?;
                continue;
            }
            Section::Tensor(tensor) => tensor,
        };
        let memory = &weights[entry.base + tensor.offset..][..tensor.memory_len()];
        match (&tensor.order, tensor.encoding, tensor.element) {
            (Order::Same { .. }, Encoding::Raw, element) => writer.raw(memory, element.size())?,
            (Order::Same { .. }, Encoding::Leb128, Element::I8) => writer.block::<1>(memory)?,
            (Order::Same { .. }, Encoding::Leb128, Element::I16) => writer.block::<2>(memory)?,
            (Order::Same { .. }, Encoding::Leb128, Element::I32) => writer.block::<4>(memory)?,
            (Order::Affine(affine), ..) => {
                let offset = writer.offset() - body;
                writer.put(&gather(affine, packed, memory, offset, &loaded.ignored))?;
            }
        }
    }
    writer.flush()
}

impl<E> Writer<'_, E> {
    fn put(&mut self, bytes: &[u8]) -> Result<(), E> {
        for piece in bytes.chunks(BUFFER_LEN) {
            self.make_room(piece.len())?;
            self.buffer.extend_from_slice(piece);
        }
        Ok(())
    }

    fn raw(&mut self, memory: &[u8], size: usize) -> Result<(), E> {
        if cfg!(target_endian = "little") {
            return self.put(memory);
        }
        for value in memory.chunks_exact(size) {
            self.make_room(size)?;
            self.buffer.extend(value.iter().rev());
        }
        Ok(())
    }

    fn block<const SIZE: usize>(&mut self, memory: &[u8]) -> Result<(), E> {
        let values = memory.as_chunks::<SIZE>().0;
        let byte_count: usize = values
            .iter()
            .map(|&value| leb128::encoded_len(leb128::widen(value)))
            .sum();
        self.put(leb128::MAGIC)?;
        self.put(&(byte_count as u32).to_le_bytes())?;
        for &value in values {
            self.make_room(const { leb128::longest(SIZE) })?;
            leb128::encode(leb128::widen(value), &mut self.buffer);
        }
        Ok(())
    }

    fn make_room(&mut self, needed: usize) -> Result<(), E> {
        if self.buffer.len() + needed > BUFFER_LEN {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), E> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        (self.sink)(&self.buffer)?;
        self.flushed += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// Where the next byte goes in the file.
    fn offset(&self) -> u64 {
        self.flushed + self.buffer.len() as u64
    }
}

/// The rows of an affine layer, which begin `offset` bytes after the description, with the padding that was ignored.
fn gather(
    affine: &Affine,
    packed: &[usize],
    memory: &[u8],
    offset: u64,
    ignored: &[(u64, u8)],
) -> Vec<u8> {
    let mut rows = vec![0; affine.outputs * affine.padded_inputs];
    let slots = affine.slots_of_inputs(packed);
    for (output, row) in rows.chunks_exact_mut(affine.padded_inputs).enumerate() {
        for (weight, &slot) in row.iter_mut().zip(&slots) {
            *weight = memory[affine.index(output, slot)];
        }
    }
    let first = ignored.partition_point(|&(at, _)| at < offset);
    for &(at, byte) in &ignored[first..] {
        match rows.get_mut(at.wrapping_sub(offset) as usize) {
            Some(padding) => *padding = byte,
            None => break,
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::super::split;
    use super::super::tests::{COMPRESSED, RAW, Random, file, load, stored};
    use super::super::{Stacks, Tensor};
    use super::*;

    /// More than a buffer of values.
    const COUNT: usize = 100_000;

    const fn large(encoding: Encoding) -> Section {
        Section::Tensor(Tensor {
            name: "weights",
            element: Element::I16,
            encoding,
            offset: 0,
            order: Order::Same { count: COUNT },
        })
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
        let weights = Random(5).bytes(2 * COUNT);
        for sections in sections {
            let layout = FileLayout {
                sections,
                stacks,
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
