//! A lock on a file that is removed with the lock, so that no lock files are left.

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

/// A lock that no other process or thread has while this value is there. The system ends the lock
/// with the process, in whatever way the process ends.
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
            // The contents of the file do not matter, because it is empty.
            options.write(true).create(true).truncate(false);
            let file = options.open(path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
            // The process that had the lock may have removed the file after it was opened here.
            // Then another process may have the lock of a new file with that name, and this lock is
            // worthless.
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
        // The file belongs to this lock, because nobody removes it without the lock. If it cannot
        // be removed, an empty file stays, which the next process locks.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;
    use std::time::{Duration, Instant};

    use super::Lock;

    #[test]
    fn one_has_the_lock_though_its_file_goes_and_comes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let (holders, times) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let begin = Instant::now();
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    while begin.elapsed() < Duration::from_millis(500) {
                        let Some(lock) = Lock::attempt(&path).unwrap() else {
                            continue;
                        };
                        assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0);
                        times.fetch_add(1, Ordering::Relaxed);
                        thread::yield_now();
                        holders.fetch_sub(1, Ordering::SeqCst);
                        drop(lock);
                    }
                });
            }
        });
        assert!(times.into_inner() > 8);
        assert!(!path.exists());
    }
}
