//! Network files: reading, checking and writing them.
//!
//! Three formats, all little-endian. Files of Stockfish's format have no index; where a tensor lies follows from the sizes
//! of everything before it:
//!
//! | bytes | what |
//! |---|---|
//! | 4 | version of the format |
//! | 4 | network hash: transformer hash ^ stack hash |
//! | 4 + n | length of the description, description (any bytes, at most [`DESCRIPTION_LIMIT`]) |
//! | 4 | transformer hash |
//! | ... | tensors of the transformer |
//! | 4 | stack hash, then the tensors of the stack; all this once per stack |
//!
//! A tensor is either raw or a LEB128 block: the 17 bytes `COMPRESSED_LEB128`, a `u32` number of bytes, and that many
//! bytes of signed LEB128 values. After the last stack the file ends.
//!
//! [`Format::Sequence`] has nothing but sections, one after the other, and something that pads the file: bullet's
//! `quantised.bin` and `raw.bin`, and whatever a list of tensors describes. Its length is all that tells a wrong file; so the
//! loader finds out what would explain another one, and what the values themselves say against the order.
//! [`Format::Named`] is bullet's `weights.bin`: before each tensor are its name and the number of its values.
//!
//! The code here is not generic: a [`FileLayout`], which the generated code holds as a constant, says what the file
//! must contain and where each tensor goes in memory, which is seen as plain bytes of the machine's own endianness. Types,
//! orders of axes and padding may differ between the two.
//!
//! Reading has two steps, so that a wrong or hostile file costs no memory: [`split`] checks everything but the values
//! (version, hashes, block sizes, total length), and [`Parts::load`] fills the weights. Nothing in a file is taken on
//! trust and no integer is lost: a file is either refused, or [`store`] gives back each of its bytes. Only floating point
//! that was made into integers and weights that were reduced to their signs come back as other numbers of the same meaning.
//!
//! [`identify`] needs no layout: it says which network a file holds, and what spec it needs.

mod cause;
mod coalesce;
mod error;
mod family;
mod form;
#[cfg(test)]
mod headerless;
mod identify;
mod known;
mod layout;
mod leb128;
mod load;
mod quantise;
#[cfg(feature = "std")]
mod read;
mod store;
mod transposed;

pub use cause::Cause;
pub use coalesce::Coalesced;
pub use error::LoadError;
pub use family::{Family, Features, Wiring};
pub(crate) use form::reorder;
pub use form::{Form, Placed, Segment, relevel};
#[cfg(feature = "std")]
pub use identify::identify_file;
pub use identify::{Identity, identify};
pub use layout::{
    DESCRIPTION_LIMIT, Element, Encoding, Extent, FileLayout, Format, Place, Quantise, Rounding,
    Section, Stacks, Stored, Tail, Tensor,
};
pub use load::{Loaded, Parts, split};
#[cfg(feature = "std")]
pub use read::{open, read_all};
pub use store::store;

#[cfg(test)]
mod tests {
    //! A network small enough to try every byte of its file.

    use alloc::vec;
    use alloc::vec::Vec;
    use core::convert::Infallible;

    use super::*;

    /// The packed orders of all levels.
    pub(super) const ORDERS: [&[usize]; 3] = [&[0], &[0, 2, 1, 3], &[0, 4, 1, 5, 2, 6, 3, 7]];

    pub(super) const RAW: FileLayout = layout(&transformer::<false>());
    pub(super) const COMPRESSED: FileLayout = layout(&transformer::<true>());

    /// Bytes of the weights in memory.
    pub(super) const MEMORY_LEN: usize = STACKS_AT + 2 * STRIDE;
    const STACKS_AT: usize = 96;
    const STRIDE: usize = 576;
    pub(super) const VERSION: u32 = 0x7AF3_2F20;
    pub(super) const HASH: u32 = 0x1C10_2EF2;

    /// Where things lie in a raw file.
    pub(super) const BODY: usize = 16;
    pub(super) const WEIGHTS: usize = BODY + 4 + 8;
    pub(super) const STACK: usize = WEIGHTS + 40 + 9 + 24;
    pub(super) const STACK_LEN: usize = 4 + 12 + 3 * 128 + 8 + 2 * 32;
    pub(super) const FC_0: usize = STACK + 4 + 12;
    pub(super) const FC_1: usize = FC_0 + 3 * 128 + 8;

    const STACK_SECTIONS: &[Section] = &[
        Section::Hash {
            name: "stack hash",
            expected: 0x6333_6A4A,
        },
        same("fc_0.biases", Element::I32, false, STACKS_AT, 3),
        affine(
            "fc_0.weights",
            [3, 128],
            Placed {
                rows: 4,
                slots: 128,
                segments: &[segment(0, 0, 64, true), segment(64, 64, 64, true)],
                ..rows(Form::Blocks, STACKS_AT + 16)
            },
        ),
        same("fc_1.biases", Element::I32, false, STACKS_AT + 528, 2),
        affine(
            "fc_1.weights",
            [2, 7],
            Placed {
                rows: 2,
                slots: 12,
                segments: &[segment(0, 0, 3, false), segment(3, 4, 4, false)],
                ..rows(Form::Rows, STACKS_AT + 544)
            },
        ),
    ];

    /// SplitMix64.
    pub(super) struct Random(pub(super) u64);

    const fn layout(sections: &'static [Section]) -> FileLayout {
        FileLayout {
            name: "Tiny",
            format: Format::Stockfish {
                version: VERSION,
                hash: HASH,
            },
            sections,
            stacks: Stacks {
                count: 2,
                stride: STRIDE,
                sections: STACK_SECTIONS,
            },
            tail: Tail::NONE,
            extents: &[],
            coalesced: &[],
        }
    }

    const fn transformer<const COMPRESSED: bool>() -> [Section; 5] {
        [
            Section::Hash {
                name: "transformer hash",
                expected: 0x7F23_44B8,
            },
            same("biases", Element::I16, COMPRESSED, 0, 4),
            same("weights", Element::I16, COMPRESSED, 8, 20),
            same("threats", Element::I8, false, 48, 9),
            same("psqt", Element::I32, COMPRESSED, 60, 6),
        ]
    }

    const fn same(
        name: &'static str,
        element: Element,
        compressed: bool,
        offset: usize,
        count: usize,
    ) -> Section {
        let encoding = if compressed {
            Encoding::Leb128
        } else {
            Encoding::Raw
        };
        Section::same(name, element, encoding, offset, [1, count])
    }

    const fn affine(name: &'static str, [rows, columns]: [usize; 2], placed: Placed) -> Section {
        let padded = columns.next_multiple_of(32);
        Section::Tensor(Tensor {
            name,
            shape: [1, rows, columns],
            stored: Stored {
                id: "",
                element: Element::I8,
                encoding: Encoding::Raw,
                values: rows * padded,
                strides: [0, padded, 1],
                quantise: None,
            },
            placed,
        })
    }

    const fn rows(form: Form, offset: usize) -> Placed {
        Placed {
            element: Element::I8,
            offset,
            stride: 0,
            form,
            rows: 0,
            slots: 0,
            segments: &[],
        }
    }

    const fn segment(input: usize, slot: usize, len: usize, packed: bool) -> Segment {
        Segment {
            input,
            step: 1,
            len,
            slot,
            at: 0,
            packed,
        }
    }

    impl Random {
        pub(super) fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            z ^ (z >> 31)
        }

        pub(super) fn below(&mut self, end: u64) -> u64 {
            self.next() % end
        }

        pub(super) fn bytes(&mut self, len: usize) -> Vec<u8> {
            (0..len).map(|_| self.next() as u8).collect()
        }
    }

    /// A valid file of [`RAW`] or [`COMPRESSED`], with extreme values and with padding that is not zero.
    pub(super) fn file(layout: &FileLayout) -> Vec<u8> {
        let compressed = layout.max_len() != RAW.max_len();
        let mut random = Random(7);
        let mut bytes = Vec::new();
        let word = |bytes: &mut Vec<u8>, word: u32| bytes.extend(word.to_le_bytes());
        word(&mut bytes, VERSION);
        word(&mut bytes, HASH);
        word(&mut bytes, 4);
        bytes.extend(b"tiny");
        word(&mut bytes, 0x7F23_44B8);

        let values = |bytes: &mut Vec<u8>, size: usize, values: &[i32]| {
            if compressed {
                let mut block = Vec::new();
                values
                    .iter()
                    .for_each(|&value| leb128::encode(value, &mut block));
                bytes.extend(b"COMPRESSED_LEB128");
                word(bytes, block.len() as u32);
                bytes.extend(block);
            } else {
                values
                    .iter()
                    .for_each(|value| bytes.extend(&value.to_le_bytes()[..size]));
            }
        };
        values(&mut bytes, 2, &[32767, -32768, 0, -1]);
        let weights: Vec<i32> = (0..20)
            .map(|_| i32::from(random.next() as i16) >> random.below(16))
            .collect();
        values(&mut bytes, 2, &weights);
        bytes.extend(random.bytes(9));
        values(&mut bytes, 4, &[i32::MAX, i32::MIN, -64, 64, 63, 1 << 20]);

        for _ in 0..2 {
            word(&mut bytes, 0x6333_6A4A);
            bytes.extend(random.bytes(12 + 3 * 128 + 8));
            for _ in 0..2 {
                bytes.extend(random.bytes(7));
                bytes.extend([0; 22]);
                bytes.extend([0, 42, 0x80]);
            }
        }
        bytes
    }

    pub(super) fn load(
        layout: &FileLayout,
        packed: &[usize],
        source: &[u8],
    ) -> Result<(Vec<u8>, Loaded), LoadError> {
        // Not zeroed: loading must not depend on what was there.
        let mut weights = vec![0xAA; MEMORY_LEN];
        let loaded = split(layout, source)?.load(packed, &mut weights)?;
        Ok((weights, loaded))
    }

    pub(super) fn stored(
        layout: &FileLayout,
        packed: &[usize],
        weights: &[u8],
        loaded: &Loaded,
    ) -> Vec<u8> {
        let mut file = Vec::new();
        let Ok(()) = store::<Infallible>(layout, packed, weights, loaded, &mut |piece| {
            file.extend_from_slice(piece);
            Ok(())
        });
        file
    }

    /// Whether the source is refused; if not, it must come back byte for byte.
    fn is_refused(layout: &FileLayout, source: &[u8]) -> bool {
        ORDERS.map(|order| match load(layout, order, source) {
            Ok((weights, loaded)) => {
                assert_eq!(stored(layout, order, &weights, &loaded), source);
                false
            }
            Err(_) => true,
        }) != [false; 3]
    }

    #[test]
    fn every_byte_comes_back() {
        for layout in [RAW, COMPRESSED] {
            assert!(!is_refused(&layout, &file(&layout)));
        }
        assert_eq!(file(&RAW).len(), STACK + 2 * STACK_LEN);
    }

    #[test]
    fn every_truncation_is_called_one() {
        for layout in [RAW, COMPRESSED] {
            let source = file(&layout);
            for len in 0..source.len() {
                let error = split(&layout, &source[..len]).err();
                let Some(LoadError::Truncated {
                    offset,
                    needed,
                    available,
                    ..
                }) = error
                else {
                    panic!("{error:?} at {len}")
                };
                assert_eq!(offset + available, len as u64);
                assert!(needed > available);
            }
        }
    }

    #[test]
    fn every_flipped_bit_is_refused_or_comes_back() {
        for layout in [RAW, COMPRESSED] {
            let mut source = file(&layout);
            let mut refused = 0;
            for bit in 0..8 * source.len() {
                source[bit / 8] ^= 1 << (bit % 8);
                refused += usize::from(is_refused(&layout, &source));
                source[bit / 8] ^= 1 << (bit % 8);
            }
            // Version, network hash, length, three hashes, and, in compressed files, three block headers.
            let headers =
                3 * 32 + 3 * 32 + usize::from(layout.max_len() != RAW.max_len()) * 3 * 21 * 8;
            assert!(refused >= headers, "{refused} of at least {headers}");
        }
    }

    #[test]
    fn bytes_at_random_are_refused() {
        let mut random = Random(3);
        for layout in [RAW, COMPRESSED] {
            let valid = file(&layout);
            for _ in 0..2000 {
                let len = random.below(2 * valid.len() as u64) as usize;
                let mut source = random.bytes(len);
                assert!(is_refused(&layout, &source));
                // The same behind a valid beginning, so that all sections are reached.
                let kept = random.below(valid.len() as u64) as usize;
                source.splice(..kept.min(len), valid[..kept].iter().copied());
                is_refused(&layout, &source);
            }
        }
    }
}
