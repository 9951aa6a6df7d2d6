//! Reads a file into memory without trusting its length.

use alloc::vec::Vec;
use alloc::{format, string::ToString};
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use crate::split::check_start;
use crate::{FileLayout, LoadError, attached, zstd};

/// The number of first bytes that are read to see whether the header is right. An explanation of a
/// stream that is refused has no others.
const PREFIX_LEN: usize = 64;

/// The buffer grows by at least this number of bytes.
const MIN_STEP: u64 = 64 * 1024;

/// Reads a whole stream into memory, as far as it can be a network of this layout: a wrong header
/// is refused after a few bytes, and an endless stream when it is too long. The buffer grows with
/// the bytes that have been read, by a quarter at most.
///
/// # Errors
///
/// Errors of the header, [`LoadError::TooLong`] and [`LoadError::Io`]; [`unpack`](super::unpack)
/// and [`split`](super::split) find all other errors.
pub fn read_all(layout: &FileLayout, mut reader: impl Read) -> Result<Vec<u8>, Unread> {
    read_sized(layout, &mut reader, 0)
}

/// Why a file was not read to its end, and the bytes that were read, for an explanation.
#[derive(Clone, Debug, PartialEq)]
pub struct Unread {
    /// The error.
    pub error: LoadError,
    /// The first bytes of the file.
    pub read: Vec<u8>,
}

impl From<Unread> for LoadError {
    fn from(unread: Unread) -> LoadError {
        unread.error
    }
}

/// Reads a whole file into memory, as [`read_all`] does, in a buffer of its size.
///
/// # Errors
///
/// The errors of [`read_all`]; messages of [`LoadError::Io`] name the path.
pub fn open(layout: &FileLayout, path: &Path) -> Result<Vec<u8>, Unread> {
    let read = || {
        let mut file = File::open(path)?;
        let metadata = file.metadata()?;
        read_sized(layout, &mut file, metadata.len())
    };
    read().map_err(|Unread { error, read }| Unread {
        error: match error {
            LoadError::Io { kind, message } => LoadError::Io {
                kind,
                message: format!("cannot read `{}`: {message}", path.display()),
            },
            error => error,
        },
        read,
    })
}

impl From<io::Error> for Unread {
    fn from(error: io::Error) -> Unread {
        Unread {
            error: error.into(),
            read: Vec::new(),
        }
    }
}

impl From<io::Error> for LoadError {
    fn from(error: io::Error) -> Self {
        Self::Io {
            kind: error.kind(),
            message: error.to_string(),
        }
    }
}

/// [`read_all`] for a stream that may have `expected_len` bytes.
fn read_sized(
    layout: &FileLayout,
    reader: &mut dyn Read,
    expected_len: u64,
) -> Result<Vec<u8>, Unread> {
    let mut bytes = Vec::new();
    match read_into(layout, reader, expected_len, &mut bytes) {
        Ok(()) => Ok(bytes),
        Err(error) => Err(Unread { error, read: bytes }),
    }
}

fn read_into(
    layout: &FileLayout,
    reader: &mut dyn Read,
    expected_len: u64,
    bytes: &mut Vec<u8>,
) -> Result<(), LoadError> {
    Read::take(&mut *reader, PREFIX_LEN as u64).read_to_end(bytes)?;
    if zstd::start(layout, bytes).is_none() {
        check_start(layout, bytes)?;
    }

    let too_long = LoadError::TooLong {
        limit: layout.max_len(),
    };
    let limit = layout.longest_read() + attached::LONGEST_WITH_END;
    if expected_len > limit {
        return Err(too_long);
    }
    let mut step = expected_len.max(MIN_STEP);
    loop {
        // The limit is exceeded by a byte, to see whether the stream is too long.
        step = step.min(limit + 1 - bytes.len() as u64);
        bytes
            .try_reserve_exact(step as usize)
            .map_err(|_| io::Error::from(ErrorKind::OutOfMemory))?;
        let read = Read::take(&mut *reader, step).read_to_end(bytes)? as u64;
        if bytes.len() as u64 > limit {
            return Err(too_long);
        }
        if read < step {
            return Ok(());
        }
        step = (bytes.len() as u64 / 4).max(MIN_STEP);
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::tests::{BODY, COMPRESSED, RAW, file};
    use crate::{DESCRIPTION_LIMIT, Element, Encoding, Role, Section, list, split};

    /// A reader that gives a single byte at a time, and counts the bytes.
    struct Slow<'a> {
        source: &'a [u8],
        read: usize,
    }

    impl Read for &mut Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let Some(&byte) = self.source.get(self.read) else {
                return Ok(0);
            };
            self.read += 1;
            buffer[0] = byte;
            Ok(1)
        }
    }

    #[test]
    fn streams_are_read_to_their_end() {
        for layout in [RAW, COMPRESSED] {
            let source = file(&layout);
            let mut slow = Slow {
                source: &source,
                read: 0,
            };
            assert_eq!(read_all(&layout, &mut slow), Ok(source.clone()));
            for len in 0..source.len() {
                // A missing byte is found here if it is in the header, and by `split` otherwise.
                assert_eq!(read_all(&layout, &source[..len]).is_ok(), len >= 12);
            }
        }
    }

    #[test]
    fn wrong_streams_are_refused_early() {
        let mut source = file(&RAW);
        source[4] ^= 1;
        let mut slow = Slow {
            source: &source,
            read: 0,
        };
        assert!(matches!(
            read_all(&RAW, &mut slow).map_err(LoadError::from),
            Err(LoadError::NetworkHash(..))
        ));
        assert!(slow.read <= 64, "{}", slow.read);
    }

    #[test]
    fn streams_stop_at_the_longest_valid_file() {
        let limit = RAW.max_len();
        // A description of the largest allowed length.
        let longest = |layout: &FileLayout| {
            let mut source = file(layout);
            source[8..12].copy_from_slice(&DESCRIPTION_LIMIT.to_le_bytes());
            source.splice(BODY..BODY, vec![b' '; DESCRIPTION_LIMIT as usize - 4]);
            source
        };
        let source = longest(&RAW);
        assert_eq!(source.len() as u64, limit);
        let read = read_all(&RAW, &source[..]).unwrap();
        assert!(split(&RAW, &read).is_ok());
        assert!(longest(&COMPRESSED).len() as u64 <= COMPRESSED.max_len());

        let source = file(&RAW);
        let endless = source.chain(io::repeat(0));
        let error = read_all(&RAW, endless).unwrap_err().error;
        assert_eq!(error, LoadError::TooLong { limit });
    }

    #[test]
    fn buffers_are_little_longer_than_what_they_hold() {
        let layout = FileLayout {
            sections: list(
                const {
                    &[Section::same(
                        Role::Weights(0),
                        "weights",
                        Element::I16,
                        Encoding::Leb128,
                        0,
                        [1, 4_000_000],
                    )]
                },
            ),
            ..RAW
        };
        let source = file(&RAW);
        let start = &source[..12];
        for len in [100_000, 3_000_000, 9_000_000] {
            let stream = start.chain(io::repeat(1).take(len));
            let read = read_all(&layout, stream).unwrap();
            assert!(read.capacity() <= read.len() / 4 * 5 + 64 * 1024, "{len}");
        }
    }

    #[test]
    fn files_are_read_and_checked_by_size() {
        let path = std::env::temp_dir().join(format!("nnue-format-{}", std::process::id()));
        let source = file(&RAW);
        std::fs::write(&path, &source).unwrap();
        let opened = open(&RAW, &path).unwrap();
        let too_long = {
            let file = File::options().write(true).open(&path).unwrap();
            file.set_len(1 << 40).map(|()| open(&RAW, &path))
        };
        std::fs::remove_file(&path).unwrap();
        assert_eq!(opened, source);
        // Some file systems have no sparse files.
        if let Ok(result) = too_long {
            let limit = RAW.max_len();
            let error = result.unwrap_err().error;
            assert_eq!(error, LoadError::TooLong { limit });
        }
    }

    #[test]
    fn failures_to_read_name_the_file() {
        let error = open(&RAW, Path::new("no such/net.nnue")).unwrap_err().error;
        let LoadError::Io { kind, message } = error else {
            panic!("{error}")
        };
        assert_eq!(kind, ErrorKind::NotFound);
        assert!(
            message.starts_with("cannot read `no such/net.nnue`: "),
            "{message}"
        );
    }
}
