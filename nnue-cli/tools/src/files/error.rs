//! Why a file is not read or written.

use std::io;
use std::path::{Path, PathBuf};

use nnue_compiler::format::foreign;

use crate::files::is_standard;

/// Why a file is not read or written. All messages name the file.
#[derive(thiserror::Error)]
pub enum Error {
    /// The system does not let the file be read.
    #[error("cannot read {}: {error}", name_of_input(.path))]
    Unreadable {
        /// The file; `-` is standard input.
        path: PathBuf,
        /// The error of the system.
        #[source]
        error: io::Error,
    },
    /// A path leads to a folder, a device or a pipe, where only files are read.
    #[error(
        "cannot read {}: found {kind}, expected a file; `-` reads standard input",
        name_of_input(.path)
    )]
    NoFile {
        /// The path that is no file.
        path: PathBuf,
        /// The kind of what is at the path: "a folder", "a device".
        kind: &'static str,
    },
    /// A file is longer than what may be read.
    #[error(
        "cannot read {}: it has more than {limit} bytes, which is the most that it can be",
        name_of_input(.path)
    )]
    TooLong {
        /// The file; `-` is standard input.
        path: PathBuf,
        /// The most bytes that are read.
        limit: u64,
    },
    /// The system does not let the file be written.
    #[error("cannot write {}: {error}", name_of_output(.path))]
    Unwritable {
        /// The file; `-` is standard output.
        path: PathBuf,
        /// The error of the system.
        #[source]
        error: io::Error,
    },
    /// An output would be written over an input.
    #[error(
        "cannot write {}: it is the same file as {}, which is read; name another file",
        name_of_output(.path),
        name_of_input(.input)
    )]
    Overwritten {
        /// The output; `-` is standard output.
        path: PathBuf,
        /// The input, as it was named; `-` is standard input.
        input: PathBuf,
    },
    /// Two outputs are the same file.
    #[error(
        "cannot write {}: it is the same file as {}, which is written too; name another file",
        name_of_output(.second),
        name_of_output(.first)
    )]
    WrittenTwice {
        /// The first output.
        first: PathBuf,
        /// The second output, which is another name of the first.
        second: PathBuf,
    },
    /// A file exists that must not be replaced.
    #[error("{} is there already: remove it, or name another file", name_of_output(.path))]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Another program works in the folder.
    #[error(
        "`{}` is in use by another program: wait until it ends, or name another folder",
        foreign(.folder.display())
    )]
    Locked {
        /// The folder.
        folder: PathBuf,
    },
}

impl Error {
    /// Whether the error is that a file to be read does not exist.
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

nnue_compiler::format::debug_is_message!(Error);

fn name_of_input(path: &Path) -> String {
    name(path, "standard input")
}

fn name_of_output(path: &Path) -> String {
    name(path, "standard output")
}

fn name(path: &Path, standard: &str) -> String {
    if is_standard(path) {
        standard.into()
    } else {
        format!("`{}`", foreign(path.display()))
    }
}
