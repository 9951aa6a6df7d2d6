//! Folders in which one program works at a time.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::process::Stdio;

use crate::Error;

/// The locked file in the folder. It stays: a program that removed it might remove another's lock.
const NAME: &str = ".nnue-lock";

/// A folder that no other program locks while this value is there. The system ends the lock with the
/// program, however that ends.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Lock {
    /// Locks a folder, which must be there.
    ///
    /// # Errors
    ///
    /// [`Error::Locked`] if another program has locked it, [`Error::Unwritable`].
    pub fn folder(folder: &Path) -> Result<Lock, Error> {
        let file = open(folder)?;
        match file.try_lock() {
            Ok(()) => Ok(Lock { file }),
            Err(TryLockError::WouldBlock) => Err(Error::Locked {
                folder: folder.into(),
            }),
            Err(TryLockError::Error(error)) => Err(Error::unwritable(&folder.join(NAME), error)),
        }
    }

    /// Whether a program has ever locked a folder, which is then one of this library's users.
    #[must_use]
    pub fn is_known_in(folder: &Path) -> bool {
        folder.join(NAME).is_file()
    }

    /// A handle for the standard input of another program: the folder stays locked as long as either
    /// program runs.
    ///
    /// # Errors
    ///
    /// The errors of the system, which may have no more handles.
    pub fn share(&self) -> io::Result<Stdio> {
        self.file.try_clone().map(Stdio::from)
    }

    /// Locks a folder as soon as no other program has locked it. If that is not at once, `waits` is
    /// called first, to say so.
    ///
    /// # Errors
    ///
    /// [`Error::Unwritable`].
    pub fn wait_for_folder(folder: &Path, waits: impl FnOnce()) -> Result<Lock, Error> {
        match Lock::folder(folder) {
            Err(Error::Locked { .. }) => {}
            found => return found,
        }
        waits();
        let file = open(folder)?;
        match file.lock() {
            Ok(()) => Ok(Lock { file }),
            Err(error) => Err(Error::unwritable(&folder.join(NAME), error)),
        }
    }
}

fn open(folder: &Path) -> Result<File, Error> {
    let path = folder.join(NAME);
    let mut options = File::options();
    // As standard input it can be read, and is empty.
    let opened = options.read(true).append(true).create(true).open(&path);
    opened.map_err(|error| Error::unwritable(&path, error))
}
