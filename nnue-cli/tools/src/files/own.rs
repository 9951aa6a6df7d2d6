//! The program's own files, which it reads and writes again: states of matches, records of loops,
//! caches. A command that uses these functions says that a file is its own. They refuse files that
//! are inputs of this run too, but what they read does not become one.

use std::fs::{self, File};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::files::inputs::check_printed;
use crate::files::output::Output;
use crate::files::read::{open_file, read_file};
use crate::files::{Error, part, registry};

/// Reads a file of at most `limit` bytes.
///
/// # Errors
///
/// [`Error::NoFile`] for a path that is no regular file, [`Error::TooLong`],
/// [`Error::Overwritten`] if printed text goes into the same file, [`Error::Unreadable`].
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, Error> {
    check_printed(path)?;
    read_file(path, limit)
}

/// Opens a file for reading piece by piece.
///
/// # Errors
///
/// [`Error::NoFile`] for a path that is no regular file, [`Error::Overwritten`] if printed text goes
/// into the same file, [`Error::Unreadable`].
pub fn open(path: &Path) -> Result<File, Error> {
    check_printed(path)?;
    open_file(path)
}

/// Opens a file that is there, to read it and to write at its end.
///
/// # Errors
///
/// [`Error::Overwritten`] for an input, [`Error::Unwritable`].
pub fn append(path: &Path) -> Result<File, Error> {
    registry::check(path)?;
    let opened = File::options().read(true).append(true).open(path);
    opened.map_err(|error| Error::unwritable(path, error))
}

/// Begins a file that must not replace another file.
///
/// # Errors
///
/// [`Error::Exists`] if there is a file, [`Error::Overwritten`] for an input,
/// [`Error::Unwritable`].
pub fn create_new(path: &Path) -> Result<Output, Error> {
    Output::own(path, false)
}

/// Writes a file as a whole or not at all.
///
/// # Errors
///
/// [`Error::Overwritten`] for an input, [`Error::Unwritable`].
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Error> {
    let mut output = Output::own(path, true)?;
    output.add(bytes.as_ref())?;
    output.finish()
}

/// A temporary file beside a file that will be written, for bytes that are no part of it yet.
///
/// # Errors
///
/// [`Error::Unwritable`] if the system does not let the file be written.
pub fn scratch(path: &Path) -> Result<NamedTempFile, Error> {
    part::beside(path).map_err(|error| Error::unwritable(path, error))
}

/// Removes a file, or a folder with all that is in it. What is not there is no error.
///
/// # Errors
///
/// [`Error::Overwritten`] for an input or a folder of it, [`Error::Unwritable`].
pub fn remove(path: &Path) -> Result<(), Error> {
    registry::check_all_within(path)?;
    let removed = match path.is_dir() {
        true => fs::remove_dir_all(path),
        false if path.exists() => fs::remove_file(path),
        false => Ok(()),
    };
    removed.map_err(|error| Error::unwritable(path, error))
}

/// Gives a file or a folder another name.
///
/// # Errors
///
/// [`Error::Overwritten`] for an input or a folder of it, [`Error::Unwritable`].
pub fn rename(path: &Path, new: &Path) -> Result<(), Error> {
    registry::check_all_within(path)?;
    registry::check(new)?;
    fs::rename(path, new).map_err(|error| Error::unwritable(path, error))
}
