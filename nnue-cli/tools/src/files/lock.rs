//! Folders in which one program works at a time.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::process::Stdio;

use crate::files::Error;

/// The name of the locked file in a folder. The file is never removed: a program that removed it
/// might remove the lock of another program.
const NAME: &str = ".nnue-lock";

/// A locked folder: no other program can lock it while this value exists. The system ends the lock
/// when the program ends, in whatever way.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Lock {
    /// Locks a folder, which must be there.
    ///
    /// # Errors
    ///
    /// [`Error::Locked`] if another program has locked the folder, [`Error::Unwritable`] if the
    /// system does not allow a lock.
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

    /// Whether this library has ever locked a folder.
    #[must_use]
    pub fn is_known_in(folder: &Path) -> bool {
        folder.join(NAME).is_file()
    }

    /// A handle for the standard input of another program. The folder stays locked as long as
    /// either program runs.
    ///
    /// # Errors
    ///
    /// An error of the system, which may have no more handles.
    pub fn share(&self) -> io::Result<Stdio> {
        self.file.try_clone().map(Stdio::from)
    }

    /// Locks a folder as soon as no other program locks it. `waits` is called before a wait begins,
    /// so that the user can be told.
    ///
    /// # Errors
    ///
    /// [`Error::Unwritable`] if the system does not allow a lock.
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
    // Another program reads the file as its standard input, and finds it empty.
    let opened = options.read(true).append(true).create(true).open(&path);
    opened.map_err(|error| Error::unwritable(&path, error))
}
