//! Files that are read, as a whole or piece by piece.

use std::fs::{self, File, FileType};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use crate::files::inputs::check_printed;
use crate::files::{Error, is_standard, registry};

/// Opens an input, or standard input if the path is `-`, for reading piece by piece. The file may be
/// of any length, or a pipe or a device. It is not written from now on.
///
/// # Errors
///
/// [`Error::Overwritten`] if an output or printed text goes into the same file,
/// [`Error::Unreadable`] if the system does not let the file be read.
pub fn open(path: &Path) -> Result<Box<dyn Read + Send>, Error> {
    check_printed(path)?;
    registry::read(path)?;
    if is_standard(path) {
        return Ok(Box::new(io::stdin()));
    }
    let file = File::open(path).map_err(|error| Error::unreadable(path, error))?;
    Ok(Box::new(file))
}

/// Reads an input, or standard input if the path is `-`, of at most `limit` bytes. It is not written
/// from now on.
///
/// # Errors
///
/// [`Error::NoFile`] for a path that is no regular file, and may have no end; [`Error::TooLong`];
/// [`Error::Overwritten`] if an output or printed text goes into the same file;
/// [`Error::Unreadable`].
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, Error> {
    check_printed(path)?;
    registry::read(path)?;
    if is_standard(path) {
        read_from(io::stdin(), path, 0, limit)
    } else {
        read_file(path, limit)
    }
}

/// Reads a regular file of at most `limit` bytes.
pub(super) fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, Error> {
    let file = open_file(path)?;
    let metadata = file.metadata();
    let metadata = metadata.map_err(|error| Error::unreadable(path, error))?;
    read_from(file, path, metadata.len(), limit)
}

/// Opens a regular file, which has an end.
pub(super) fn open_file(path: &Path) -> Result<File, Error> {
    let unreadable = |error| Error::unreadable(path, error);
    // Opening a pipe would wait for a program that writes to it.
    let found = fs::metadata(path).map_err(unreadable)?.file_type();
    if found.is_file() {
        File::open(path).map_err(unreadable)
    } else {
        Err(Error::NoFile {
            path: path.into(),
            kind: kind(found),
        })
    }
}

/// Reads a stream that probably has `len` bytes.
fn read_from(stream: impl Read, path: &Path, len: u64, limit: u64) -> Result<Vec<u8>, Error> {
    let too_long = || Error::TooLong {
        path: path.into(),
        limit,
    };
    if len > limit {
        return Err(too_long());
    }
    let unreadable = |error| Error::unreadable(path, error);
    let mut bytes = Vec::new();
    bytes
        .try_reserve_exact(len as usize)
        .map_err(|_| unreadable(ErrorKind::OutOfMemory.into()))?;
    // The stream is read up to a byte more than the limit, to see whether it is longer.
    let mut stream = stream.take(limit.saturating_add(1));
    stream.read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > limit {
        Err(too_long())
    } else {
        Ok(bytes)
    }
}

fn kind(file: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;

        if file.is_fifo() {
            return "a pipe";
        }
        if file.is_char_device() || file.is_block_device() {
            return "a device";
        }
        if file.is_socket() {
            return "a socket";
        }
    }
    if file.is_dir() {
        "a folder"
    } else {
        "something else"
    }
}
