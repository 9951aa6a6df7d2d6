//! The files to which standard input, standard output and standard error were redirected.

use std::path::Path;

use crate::files::registry::FileNumber;

/// The regular files to which printed text goes, each with a name for messages.
pub(super) fn outputs() -> impl Iterator<Item = (FileNumber, &'static str)> {
    let [output, error] = [output(), error()];
    let output = output.map(|file| (file, "-"));
    output
        .into_iter()
        .chain(error.map(|file| (file, "/dev/stderr")))
}

/// Whether an output at this path comes out where standard output does. The path is then `-`,
/// `/dev/stdout`, or the file or the pipe to which standard output was redirected.
pub(super) fn is_output(path: &Path) -> bool {
    crate::files::is_standard(path) || system::is_output(path)
}

#[cfg(unix)]
mod system {
    use std::fs::{self, File, Metadata};
    use std::io;
    use std::os::fd::{AsFd, BorrowedFd};
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    use file_id::FileId;

    use crate::files::registry::FileNumber;

    /// The regular file from which standard input was redirected.
    pub(in crate::files) fn input() -> Option<FileNumber> {
        file(io::stdin().as_fd())
    }

    /// The regular file to which standard output was redirected.
    pub(in crate::files) fn output() -> Option<FileNumber> {
        file(io::stdout().as_fd())
    }

    /// The regular file to which standard error was redirected.
    pub(super) fn error() -> Option<FileNumber> {
        file(io::stderr().as_fd())
    }

    pub(super) fn is_output(path: &Path) -> bool {
        let file = |metadata: Metadata| (metadata.dev(), metadata.ino());
        let output = metadata(io::stdout().as_fd()).map(file);
        output.is_some() && fs::metadata(path).ok().map(file) == output
    }

    fn file(stream: BorrowedFd<'_>) -> Option<FileNumber> {
        let metadata = metadata(stream).filter(Metadata::is_file)?;
        Some(FileNumber {
            id: FileId::new_inode(metadata.dev(), metadata.ino()),
            made: metadata.created().ok(),
        })
    }

    fn metadata(stream: BorrowedFd<'_>) -> Option<Metadata> {
        let file = File::from(stream.try_clone_to_owned().ok()?);
        file.metadata().ok()
    }
}

/// A module for systems that do not say what a stream is.
#[cfg(not(unix))]
mod system {
    use std::path::Path;

    use crate::files::registry::FileNumber;

    pub(in crate::files) fn input() -> Option<FileNumber> {
        None
    }

    pub(in crate::files) fn output() -> Option<FileNumber> {
        None
    }

    pub(super) fn error() -> Option<FileNumber> {
        None
    }

    pub(super) fn is_output(_: &Path) -> bool {
        false
    }
}

use self::system::error;
pub(super) use self::system::{input, output};
