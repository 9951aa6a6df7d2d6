//! The files that standard input and output are, if they were redirected.

#[cfg(unix)]
mod system {
    use std::fs::File;
    use std::io;
    use std::os::fd::{AsFd, BorrowedFd};
    use std::os::unix::fs::MetadataExt;

    use file_id::FileId;

    /// The regular file that standard input was redirected from.
    pub(crate) fn input() -> Option<FileId> {
        file(io::stdin().as_fd())
    }

    /// The regular file that standard output was redirected to.
    pub(crate) fn output() -> Option<FileId> {
        file(io::stdout().as_fd())
    }

    fn file(stream: BorrowedFd<'_>) -> Option<FileId> {
        let file = File::from(stream.try_clone_to_owned().ok()?);
        let metadata = file.metadata().ok().filter(|metadata| metadata.is_file())?;
        Some(FileId::new_inode(metadata.dev(), metadata.ino()))
    }
}

/// Where the system does not say what a stream is.
#[cfg(not(unix))]
mod system {
    use file_id::FileId;

    pub(crate) fn input() -> Option<FileId> {
        None
    }

    pub(crate) fn output() -> Option<FileId> {
        None
    }
}

pub(crate) use self::system::{input, output};
