//! Files that are compressed with zstd, either as a whole or behind the fields of their header.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::{FileLayout, Format, LoadError, Section, attached};

/// The first bytes of a zstd frame.
const MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// The unpacked content of a file. A file that is not compressed stays as it is.
///
/// # Errors
///
/// [`LoadError::Zstd`] for damaged data, [`LoadError::TooLong`] for more data than a file of the
/// layout can have, and [`LoadError::ZstdNotEnabled`] without the feature `zstd`.
pub fn unpack<'a>(layout: &FileLayout, source: &'a [u8]) -> Result<Cow<'a, [u8]>, LoadError> {
    let (source, _) = attached::detach(source);
    match start(layout, source) {
        Some(start) => decompress(layout, source, start),
        None => Ok(Cow::Borrowed(source)),
    }
}

/// A file that is tried with several layouts, and unpacked as seldom as possible: once, if the
/// layout of the longest file comes first.
pub struct Unpacked<'a> {
    source: &'a [u8],
    last: Option<Last>,
}

/// What was unpacked last.
struct Last {
    start: usize,
    limit: u64,
    content: Result<Vec<u8>, LoadError>,
}

impl<'a> Unpacked<'a> {
    /// A file of which nothing is unpacked.
    #[must_use]
    pub fn new(source: &'a [u8]) -> Unpacked<'a> {
        Unpacked {
            source: attached::detach(source).0,
            last: None,
        }
    }

    /// What [`unpack`] returns for a layout.
    ///
    /// # Errors
    ///
    /// Those of [`unpack`].
    pub fn of(&mut self, layout: &FileLayout) -> Result<&[u8], LoadError> {
        let Some(start) = start(layout, self.source) else {
            return Ok(self.source);
        };
        let limit = layout.longest_read();
        let serves = |last: &Last| last.start == start && last.limit >= limit;
        let last = match self.last.take().filter(serves) {
            Some(last) => last,
            None => Last {
                start,
                limit,
                content: decompress(layout, self.source, start).map(Cow::into_owned),
            },
        };
        match &self.last.insert(last).content {
            Ok(content) if content.len() as u64 > limit => Err(LoadError::TooLong { limit }),
            Ok(content) => Ok(content),
            Err(error) => Err(error.clone()),
        }
    }
}

/// Whether a file is compressed, so that [`unpack`] has something to do.
#[must_use]
pub fn is_packed(layout: &FileLayout, source: &[u8]) -> bool {
    let (source, _) = attached::detach(source);
    start(layout, source).is_some()
}

/// The start of the zstd data of a file, given the file or its beginning; `None` if there are none.
pub(crate) fn start(layout: &FileLayout, source: &[u8]) -> Option<usize> {
    // A file that is not compressed can happen to begin with the magic number.
    let is_right = match layout.format {
        Format::Stockfish { version, .. } => version.to_le_bytes() == MAGIC,
        Format::Sequence | Format::Named => {
            layout.has_fixed_len() && source.len() as u64 == layout.max_len()
        }
    };
    let mut starts = [0, header_len(layout)].into_iter();
    let begins = |start: &usize| {
        source
            .get(*start..)
            .is_some_and(|data| data.starts_with(&MAGIC))
    };
    starts.find(begins).filter(|_| !is_right)
}

/// The number of bytes before the first tensor, in a format without a header of its own.
fn header_len(layout: &FileLayout) -> usize {
    let mut len = 0usize;
    for section in layout.sections.iter() {
        if let Section::Hash { .. } | Section::Tensor(_) = section {
            break;
        }
        len = section.end(len).unwrap_or(len);
    }
    len
}

#[cfg(not(feature = "zstd"))]
fn decompress<'a>(_: &FileLayout, _: &'a [u8], start: usize) -> Result<Cow<'a, [u8]>, LoadError> {
    Err(LoadError::ZstdNotEnabled {
        offset: start as u64,
    })
}

/// Unpacks all frames from `start` on, and puts them behind the bytes before. It takes memory for
/// the unpacked data and for a window of them. Neither is longer than a file of the layout can be,
/// except for a window of at most [`SMALL_WINDOW`].
#[cfg(feature = "zstd")]
fn decompress<'a>(
    layout: &FileLayout,
    source: &'a [u8],
    start: usize,
) -> Result<Cow<'a, [u8]>, LoadError> {
    use alloc::string::ToString;

    use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
    use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

    /// The window of a stream whose length zstd was not told, at the usual levels.
    const SMALL_WINDOW: u64 = 8 << 20;

    let limit = layout.longest_read();
    let damaged = |message: &dyn ToString| LoadError::Zstd {
        offset: start as u64,
        message: message.to_string(),
    };
    let (header, mut rest) = source.split_at(start);
    let mut unpacked = header.to_vec();
    let mut decoder = FrameDecoder::new();
    decoder.set_max_window_size(limit.next_power_of_two().max(SMALL_WINDOW));
    while !rest.is_empty() {
        match decoder.reset(&mut rest) {
            Ok(()) => {}
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => {
                rest = rest
                    .get(length as usize..)
                    .ok_or_else(|| damaged(&"a frame to skip ends early"))?;
                continue;
            }
            Err(error) => return Err(damaged(&error)),
        }
        while !decoder.is_finished() {
            decoder
                .decode_blocks(&mut rest, BlockDecodingStrategy::UptoBlocks(1))
                .map_err(|error| damaged(&error))?;
            let Some(piece) = decoder.collect() else {
                continue;
            };
            if (unpacked.len() + piece.len()) as u64 > limit {
                return Err(LoadError::TooLong { limit });
            }
            unpacked.extend_from_slice(&piece);
        }
        let stored = decoder.get_checksum_from_data();
        if stored.is_some() && stored != decoder.get_calculated_checksum() {
            return Err(damaged(&"its checksum is another"));
        }
    }
    Ok(Cow::Owned(unpacked))
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::tests::{RAW, file};
    use crate::{Element, Encoding, FieldForm, Role, Stacks, Tail, list};

    /// What `zstd -19` makes of 400 times the byte 7, with a checksum.
    #[cfg(feature = "zstd")]
    const SEVENS: &[u8] = &[
        0x28, 0xB5, 0x2F, 0xFD, 0x04, 0x68, 0x45, 0x00, 0x00, 0x08, 0x07, 0x01, 0x00, 0x8C, 0x2A,
        0x10, 0x02, 0xF7, 0xC8, 0x9D, 0x67,
    ];

    /// A header of 6 bytes, and 400 values of a byte.
    const SEQUENCE: FileLayout = FileLayout {
        name: Cow::Borrowed("Sevens"),
        format: Format::Sequence,
        sections: list(
            const {
                &[
                    Section::Bytes {
                        name: Cow::Borrowed("magic"),
                        form: FieldForm::Text,
                        expected: list(b"ABC"),
                    },
                    Section::Skipped {
                        name: Cow::Borrowed("name"),
                        len: 3,
                    },
                    Section::same(
                        Role::Weights(0),
                        "sevens",
                        Element::I8,
                        Encoding::Raw,
                        0,
                        [1, 400],
                    ),
                ]
            },
        ),
        stacks: Stacks::NONE,
        tail: Tail::NONE,
        extents: list(&[]),
        coalesced: list(&[]),
        paired: list(&[]),
    };

    #[test]
    fn only_what_cannot_be_raw_is_compressed() {
        let frame = [&MAGIC[..], &[0; 20]].concat();
        assert_eq!(start(&RAW, &frame), Some(0));
        assert_eq!(start(&RAW, &file(&RAW)), None);
        assert_eq!(start(&SEQUENCE, &frame), Some(0));
        assert_eq!(start(&SEQUENCE, &[b"ABC...", &frame[..]].concat()), Some(6));
        assert_eq!(start(&SEQUENCE, &[b"ABC..", &frame[..]].concat()), None);
        assert_eq!(start(&SEQUENCE, &frame[..3]), None);
        // A file of the right length is not compressed, whatever its numbers are.
        let mut raw = vec![0; 406];
        raw[..4].copy_from_slice(&MAGIC);
        assert_eq!(start(&SEQUENCE, &raw), None);
        let odd = FileLayout {
            format: Format::Stockfish {
                version: u32::from_le_bytes(MAGIC),
                hash: 0,
            },
            ..RAW
        };
        assert_eq!(start(&odd, &frame), None);
    }

    #[cfg(not(feature = "zstd"))]
    #[test]
    fn without_the_feature_the_error_names_it() {
        use alloc::string::ToString;

        let error = unpack(&RAW, &MAGIC).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the file is compressed with zstd from offset 0 on: enable the feature `zstd` of `nnue-runtime`, or unpack it"
        );
        let raw: Vec<u8> = file(&RAW);
        assert!(matches!(unpack(&RAW, &raw), Ok(Cow::Borrowed(_))));
    }

    #[cfg(feature = "zstd")]
    #[test]
    fn frames_of_the_original_program_are_unpacked() {
        let expected = vec![7; 400];
        let skipped = [0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3];
        let layout = FileLayout {
            tail: Tail {
                text: b"\0",
                multiple: 4096,
            },
            ..SEQUENCE
        };
        // Layouts of other lengths and starts, tried before it, change nothing.
        let others = [SEQUENCE, RAW, layout.clone()];
        let unpacked = |file: &[u8]| {
            let alone = unpack(&layout, file).map(Cow::into_owned);
            let mut several = Unpacked::new(file);
            for other in &others {
                let expected = unpack(other, file);
                assert_eq!(several.of(other), expected.as_deref().map_err(Clone::clone));
            }
            assert_eq!(several.of(&layout).map(Vec::from), alone);
            alone
        };
        assert_eq!(unpacked(SEVENS), Ok(expected.clone()));
        let twice = [SEVENS, &skipped, SEVENS].concat();
        assert_eq!(unpacked(&twice), Ok(vec![7; 800]));
        let behind = [b"ABCxyz", SEVENS].concat();
        let whole = [b"ABCxyz", &expected[..]].concat();
        assert_eq!(unpacked(&behind), Ok(whole));
        let mut cut = SEVENS.len();
        while cut > 4 {
            cut -= 1;
            assert!(
                matches!(unpacked(&SEVENS[..cut]), Err(LoadError::Zstd { .. })),
                "{cut}"
            );
        }
        let mut damaged = SEVENS.to_vec();
        *damaged.last_mut().unwrap() ^= 1;
        assert_eq!(
            unpacked(&damaged),
            Err(LoadError::Zstd {
                offset: 0,
                message: "its checksum is another".into()
            })
        );
        assert!(unpacked(&[SEVENS, b"more"].concat()).is_err());
    }

    #[cfg(feature = "zstd")]
    #[test]
    fn what_grows_beyond_all_files_is_refused() {
        // A window of `log` bits, then blocks of one repeated byte, each of 128 KiB.
        let bomb = |log: u8, blocks: usize| -> Vec<u8> {
            let head = [&MAGIC[..], &[0, (log - 10) << 3]].concat();
            let block = (128u32 << 10) << 3 | 1 << 1;
            let block = [&block.to_le_bytes()[..3], &[7]].concat();
            [head, block.repeat(blocks)].concat()
        };
        let limit = SEQUENCE.longest_read();
        assert_eq!(
            unpack(&SEQUENCE, &bomb(17, 1_000_000)),
            Err(LoadError::TooLong { limit })
        );
        // A window that no file needs is refused before memory is allocated for it.
        let Err(LoadError::Zstd { message, .. }) = unpack(&SEQUENCE, &bomb(31, 1)) else {
            panic!()
        };
        assert!(message.contains("window_size"), "{message}");
    }

    #[cfg(feature = "zstd")]
    #[test]
    fn damaged_data_never_panics() {
        use fastrand::Rng;
        use ruzstd::encoding::{CompressionLevel, compress_to_vec};

        let raw = file(&RAW);
        let packed = compress_to_vec(&raw[..], CompressionLevel::Fastest);
        assert_eq!(unpack(&RAW, &packed).as_deref(), Ok(&raw[..]));
        let mut random = Rng::with_seed(9);
        let mut refused = 0;
        for _ in 0..20_000 {
            let mut damaged = packed.clone();
            for _ in 0..1 + random.u64(..4) {
                let at = 4 + random.u64(..packed.len() as u64 - 4) as usize;
                damaged[at] = random.u8(..);
            }
            refused += usize::from(unpack(&RAW, &damaged).is_err());
        }
        assert!(refused > 1000, "{refused}");
    }
}
