//! Why a file is not read or written.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use nnue_format::foreign;

use crate::is_standard;

/// Why a file is not read or written. All messages name the file.
pub enum Error {
    /// The system does not let a file be read.
    Unreadable {
        /// The file; `-` is standard input.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A path leads to a folder, a device or a pipe, where only files are read.
    NoFile {
        /// The path that is no file.
        path: PathBuf,
        /// The kind of what is at the path: "a folder", "a device".
        kind: &'static str,
    },
    /// A file is longer than what may be read.
    TooLong {
        /// The file; `-` is standard input.
        path: PathBuf,
        /// The most bytes that are read.
        limit: u64,
    },
    /// The system does not let a file be written.
    Unwritable {
        /// The file; `-` is standard output.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// An output would be written over an input.
    Overwritten {
        /// The output; `-` is standard output.
        path: PathBuf,
        /// The input, as it was named; `-` is standard input.
        input: PathBuf,
    },
    /// Two outputs are the same file.
    WrittenTwice {
        /// The first output.
        first: PathBuf,
        /// The second output, which is another name of the first.
        second: PathBuf,
    },
    /// A file is there that must not be replaced.
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Another program works in a folder.
    Locked {
        /// The folder.
        folder: PathBuf,
    },
}

impl Error {
    /// Whether the error is that a file to be read is not there.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(self, Error::Unreadable { error, .. } if error.kind() == io::ErrorKind::NotFound)
    }

    /// The error for a file that cannot be read.
    #[must_use]
    pub fn unreadable(path: &Path, error: io::Error) -> Error {
        let path = path.into();
        Error::Unreadable { path, error }
    }

    /// The error for a file or a folder that cannot be written.
    #[must_use]
    pub fn unwritable(path: &Path, error: io::Error) -> Error {
        let path = path.into();
        Error::Unwritable { path, error }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Unreadable { path, error } => write!(f, "cannot read {}: {error}", input(path)),
            Error::NoFile { path, kind } => write!(
                f,
                "cannot read {}: found {kind}, expected a file; `-` reads standard input",
                input(path)
            ),
            Error::TooLong { path, limit } => write!(
                f,
                "cannot read {}: it has more than {limit} bytes, which is the most that it can be",
                input(path)
            ),
            Error::Unwritable { path, error } => {
                write!(f, "cannot write {}: {error}", output(path))
            }
            Error::Overwritten { path, input: read } => write!(
                f,
                "cannot write {}: it is the same file as {}, which is read; name another file",
                output(path),
                input(read)
            ),
            Error::WrittenTwice { first, second } => write!(
                f,
                "cannot write {}: it is the same file as {}, which is written too; name another file",
                output(second),
                output(first)
            ),
            Error::Exists { path } => write!(
                f,
                "{} is there already: remove it, or name another file",
                output(path)
            ),
            Error::Locked { folder } => write!(
                f,
                "`{}` is in use by another program: wait until it ends, or name another folder",
                foreign(folder.display())
            ),
        }
    }
}

nnue_format::debug_is_message!(Error);

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Unreadable { error, .. } | Error::Unwritable { error, .. } => Some(error),
            _ => None,
        }
    }
}

fn input(path: &Path) -> String {
    name(path, "standard input")
}

fn output(path: &Path) -> String {
    name(path, "standard output")
}

fn name(path: &Path, standard: &str) -> String {
    match is_standard(path) {
        true => standard.into(),
        false => format!("`{}`", foreign(path.display())),
    }
}
