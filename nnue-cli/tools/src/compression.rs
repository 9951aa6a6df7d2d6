//! Files of positions that are compressed, as they are archived: read unpacked.

use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read};

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// How many bytes are read at once.
pub(crate) const BLOCK: usize = 1 << 18;

/// The number of bytes at the start of a file that tell how it is compressed.
const START: usize = 24;

/// The endings of names that say how a file is compressed.
const ENDINGS: [&str; 4] = [".gz", ".bz2", ".zst", ".zstd"];

/// The name of a file without the ending of its compression, and whether it had one.
pub(crate) fn unpacked_name(name: &str) -> (&str, bool) {
    let mut stripped = ENDINGS
        .iter()
        .filter_map(|ending| name.strip_suffix(ending));
    match stripped.next() {
        Some(name) => (name, true),
        None => (name, false),
    }
}

/// The bytes of a file, unpacked if gzip, bzip2 or zstd have compressed them. Whether they have is
/// seen at the first bytes, whatever the name of the file.
///
/// # Errors
///
/// The error of the system, or an error for a file that another program has compressed.
pub(crate) fn unpacked(file: impl Read + Send + 'static) -> io::Result<Box<dyn BufRead + Send>> {
    let mut file = BufReader::with_capacity(BLOCK, file);
    let mut start = Vec::new();
    // A pipe may give fewer bytes at first.
    file.by_ref().take(START as u64).read_to_end(&mut start)?;
    let packing = Packing::of(&start);
    let file = Cursor::new(start).chain(file);
    Ok(match packing {
        None => Box::new(file),
        Some(Packing::Gzip) => buffered(MultiGzDecoder::new(file)),
        Some(Packing::Bzip2) => buffered(MultiBzDecoder::new(file)),
        Some(Packing::Zstd) => buffered(Frames::new(file)),
        Some(Packing::Unread(name)) => {
            let message = format!(
                "it is compressed with {name}, which is not read: gzip, bzip2 and zstd are"
            );
            return Err(io::Error::new(ErrorKind::Unsupported, message));
        }
    })
}

fn buffered(unpacked: impl Read + Send + 'static) -> Box<dyn BufRead + Send> {
    Box::new(BufReader::with_capacity(BLOCK, unpacked))
}

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    Gzip,
    Bzip2,
    Zstd,
    /// By a program with this name, in a way that is not read.
    Unread(&'static str),
}

impl Packing {
    /// How a file is compressed that begins with these bytes, if it is.
    fn of(start: &[u8]) -> Option<Packing> {
        match start {
            // Bulletformat and viriformat may begin with gzip's first four bytes too: there these
            // are the occupied squares, with a1 and b1 among them. The ninth byte then has the
            // pieces on these squares, the piece on b1 in its upper half. In gzip this half is 0,
            // which would be a white pawn on b1.
            [0x1F, 0x8B, 8, flags, _, _, _, _, extra, ..]
                if flags & 0xE0 == 0 && extra >> 4 == 0 =>
            {
                Some(Packing::Gzip)
            }
            // The first block begins with the digits of pi, and the end with those of its root.
            [
                b'B',
                b'Z',
                b'h',
                b'1'..=b'9',
                0x31,
                0x41,
                0x59,
                0x26,
                0x53,
                0x59,
                ..,
            ]
            | [
                b'B',
                b'Z',
                b'h',
                b'1'..=b'9',
                0x17,
                0x72,
                0x45,
                0x38,
                0x50,
                0x90,
                ..,
            ] => Some(Packing::Bzip2),
            [0xFD, b'7', b'z', b'X', b'Z', 0, ..] => Some(Packing::Unread("xz")),
            [b'7', b'z', 0xBC, 0xAF, 0x27, 0x1C, ..] => Some(Packing::Unread("7-Zip")),
            [0x28, 0xB5, 0x2F, 0xFD, ..] if !is_board(start) => Some(Packing::Zstd),
            [b'P', b'K', 3, 4, ..] if !is_board(start) => Some(Packing::Unread("zip")),
            _ => None,
        }
    }
}

/// Whether bytes can be the board of bulletformat or viriformat: eight bytes for the occupied
/// squares, then half a byte for the piece on each of them, and zeros.
fn is_board(start: &[u8]) -> bool {
    let Some((occupied, pieces)) = start.split_first_chunk::<8>() else {
        return false;
    };
    let Some((pieces, _)) = pieces.split_first_chunk::<16>() else {
        return false;
    };
    let count = u64::from_le_bytes(*occupied).count_ones() as usize;
    let halves = pieces.iter().flat_map(|byte| [byte & 0xF, byte >> 4]);
    let mut kinds = halves.enumerate();
    let is_kind = |index: usize, half: u8| {
        if index < count {
            half & 7 <= 6
        } else {
            half == 0
        }
    };
    count <= 32 && kinds.all(|(index, half)| is_kind(index, half))
}

/// Data that zstd has compressed, in any number of frames.
struct Frames<R> {
    source: R,
    decoder: FrameDecoder,
    /// Whether a frame has begun and was not read to its end.
    in_frame: bool,
}

impl<R: BufRead> Frames<R> {
    fn new(source: R) -> Frames<R> {
        Frames {
            source,
            decoder: FrameDecoder::new(),
            in_frame: false,
        }
    }

    /// Begins the next frame that has content; `false` at the end.
    fn begin(&mut self) -> io::Result<bool> {
        while !self.source.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.source) {
                Ok(()) => {
                    self.in_frame = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let mut skipped = self.source.by_ref().take(length.into());
                    let count = io::copy(&mut skipped, &mut io::sink())?;
                    if count < length.into() {
                        return Err(ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(damaged(error)),
            }
        }
        Ok(false)
    }

    /// Ends a frame whose content was read.
    fn end(&mut self) -> io::Result<()> {
        self.in_frame = false;
        let stored = self.decoder.get_checksum_from_data();
        if stored.is_some() && stored != self.decoder.get_calculated_checksum() {
            Err(damaged("the checksum is another"))
        } else {
            Ok(())
        }
    }
}

fn damaged(error: impl ToString) -> io::Error {
    io::Error::new(
        ErrorKind::InvalidData,
        format!("zstd: {}", error.to_string()),
    )
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.in_frame && !self.begin()? {
                return Ok(0);
            }
            if self.decoder.can_collect() > 0 {
                return self.decoder.read(bytes);
            }
            if self.decoder.is_finished() {
                self.end()?;
                continue;
            }
            let one = BlockDecodingStrategy::UptoBlocks(1);
            let decoded = self.decoder.decode_blocks(&mut self.source, one);
            decoded.map_err(damaged)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    fn read(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        unpacked(Cursor::new(bytes.to_vec()))?.read_to_end(&mut all)?;
        Ok(all)
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(bytes).unwrap();
        packed.finish().unwrap()
    }

    fn bzip2(bytes: &[u8]) -> Vec<u8> {
        let mut packed = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        packed.write_all(bytes).unwrap();
        packed.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        compress_to_vec(bytes, CompressionLevel::Fastest)
    }

    /// Longer than a block of any of them, and than what is read at once.
    fn long() -> Vec<u8> {
        (0..400_000u32)
            .flat_map(|n| n.wrapping_mul(n).to_le_bytes())
            .collect()
    }

    #[test]
    fn what_was_compressed_comes_out() {
        for content in [b"".to_vec(), b"startpos\n".to_vec(), long()] {
            assert!(read(&content).unwrap() == content);
            for packed in [gzip(&content), bzip2(&content), zstd(&content)] {
                assert!(read(&packed).unwrap() == content, "{:?}", &packed[..4]);
                // Parts that were compressed apart from each other and put together.
                let twice = [&packed[..], &packed].concat();
                assert!(read(&twice).unwrap() == [&content[..], &content].concat());
            }
        }
    }

    #[test]
    fn frames_of_zstd_without_content_are_skipped() {
        let skipped = [&[0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
        let packed = [&zstd(b"one")[..], &skipped, &zstd(b"two")].concat();
        assert_eq!(read(&packed).unwrap(), b"onetwo");
        let torn = [&zstd(b"one")[..], &skipped[..9]].concat();
        assert!(read(&torn).is_err());
    }

    #[test]
    fn files_that_are_torn_or_damaged_are_errors() {
        for packed in [gzip(&long()), bzip2(&long()), zstd(&long())] {
            assert!(read(&packed[..packed.len() / 2]).is_err());
            let mut damaged = packed.clone();
            damaged[packed.len() / 2] ^= 0x55;
            assert!(read(&damaged).is_err(), "{:?}", &packed[..4]);
        }
    }

    #[test]
    fn other_compressions_are_named() {
        for (start, name) in [
            (&b"\xFD7zXZ\0\0\x04"[..], "xz"),
            (b"PK\x03\x04\x14\0\0\0", "zip"),
            (b"7z\xBC\xAF\x27\x1C\0\x04", "7-Zip"),
        ] {
            let message = read(start).unwrap_err().to_string();
            assert!(
                message.contains(&format!("compressed with {name},")),
                "{message}"
            );
        }
    }

    /// Squares and pieces that begin as zstd or zip do.
    #[test]
    fn boards_are_not_taken_for_compressed_files() {
        let mut board = [0; 32];
        board[..4].copy_from_slice(&[0x28, 0xB5, 0x2F, 0xFD]);
        board[8] = 0xD5;
        assert_eq!(Packing::of(&board), None);
        board[23] = 1;
        assert_eq!(Packing::of(&board), Some(Packing::Zstd));
    }

    #[test]
    fn endings_of_names() {
        assert_eq!(unpacked_name("games.pgn.bz2"), ("games.pgn", true));
        assert_eq!(unpacked_name("games.pgn"), ("games.pgn", false));
    }
}
