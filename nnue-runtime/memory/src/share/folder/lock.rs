//! A lock on a file that is removed with the lock, so that none are left.

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

/// A lock that no other process or thread has while this value is there. The system ends it with
/// the process, however that ends.
pub(super) struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    /// Takes the lock if nobody has it.
    pub(super) fn attempt(path: &Path) -> io::Result<Option<Lock>> {
        loop {
            let mut options = File::options();
            let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
            options.custom_flags(flags.bits().cast_signed()).mode(0o600);
            // What is in the file does not matter, as nothing is.
            options.write(true).create(true).truncate(false);
            let file = options.open(path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
            // Who had the lock may have removed the file after it was opened here. Then others may
            // have the lock of a new one of that name, and this one is worth nothing.
            if is_at(&file, path)? {
                let path = path.to_owned();
                return Ok(Some(Lock { path, _file: file }));
            }
        }
    }
}

fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let locked = file.metadata()?;
    match fs::symlink_metadata(path) {
        Ok(found) => Ok((found.dev(), found.ino()) == (locked.dev(), locked.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // It is this lock's file, since nobody removes it without the lock. If it cannot be
        // removed, an empty file stays, which the next one locks.
        let _ = fs::remove_file(&self.path);
    }
}
