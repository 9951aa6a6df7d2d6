//! Temporary files beside the files that they will replace.
//!
//! Such a file is locked as long as its writer lives, in whatever way that ends. So the next writer
//! of the same file knows what a killed program has left, and removes it.

use std::ffi::{OsStr, OsString};
#[cfg(unix)]
use std::fs::Permissions;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind};
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

use crate::files::output::folder;

/// The most bytes of a file's name that its temporary file's name repeats: systems allow 255 in
/// all.
const LONGEST: usize = 200;

/// How many programs may write the same file at the same time.
const MOST: usize = 1000;

/// A temporary file in the folder of the file that it will replace: `net.nnue` has
/// `net.nnue.nnue-0.part`, or the next number if a living program writes to that one.
pub(super) fn beside(target: &Path) -> io::Result<NamedTempFile> {
    let name = target.file_name().ok_or(ErrorKind::IsADirectory)?;
    let name = match name.len() {
        ..=LONGEST => name,
        _ => OsStr::new("file"),
    };
    for number in 0..MOST {
        let mut part = OsString::from(name);
        part.push(format!(".nnue-{number}"));
        while let Some(file) = begun(folder(target), &part)? {
            if let Some(file) = locked(file)? {
                return Ok(file);
            }
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// Begins a file of that name, and `.part`; `None` if a living program has it. A file without one
/// is removed first.
fn begun(folder: &Path, name: &OsStr) -> io::Result<Option<NamedTempFile>> {
    let mut builder = Builder::new();
    builder.prefix(name).suffix(".part").rand_bytes(0);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;

        // The permissions of a new file, less what the user's mask takes away.
        builder.permissions(Permissions::from_mode(0o666));
    }
    let begin = || match builder.tempfile_in(folder) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(None),
        begun => begun.map(Some),
    };
    if let Some(file) = begin()? {
        return Ok(Some(file));
    }
    let mut path = OsString::from(name);
    path.push(".part");
    if is_left(&folder.join(path)) {
        begin()
    } else {
        Ok(None)
    }
}

/// Locks a file that was just begun. `None` if another program took it for one that was left, and
/// removed it before it was locked.
fn locked(file: NamedTempFile) -> io::Result<Option<NamedTempFile>> {
    // Where a system has no locks, nobody removes what others have left.
    let _ = file.as_file().lock();
    if is_at(&file.as_file().metadata()?, file.path()) {
        Ok(Some(file))
    } else {
        // What has the name now is of the other program.
        let (_, path) = file.into_parts();
        let _ = path.keep();
        Ok(None)
    }
}

/// Whether a temporary file is there no more, because no living program has locked it and it was
/// removed.
fn is_left(path: &Path) -> bool {
    // Opening a pipe would wait for a program that writes to it.
    if !fs::symlink_metadata(path).is_ok_and(|found| found.is_file()) {
        return false;
    }
    let Ok(file) = File::options().read(true).write(true).open(path) else {
        return false;
    };
    if file.try_lock().is_err() {
        return false;
    }
    // Its writer may have given it the name of the whole file before it ended.
    let is_it = file.metadata().is_ok_and(|found| is_at(&found, path));
    is_it && fs::remove_file(path).is_ok()
}

/// Whether an open file is the file at a path.
#[cfg(unix)]
pub(super) fn is_at(file: &Metadata, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let found = fs::metadata(path);
    found.is_ok_and(|found| (found.dev(), found.ino()) == (file.dev(), file.ino()))
}

/// On other systems, no path leads to a file without a name.
#[cfg(not(unix))]
pub(super) fn is_at(_: &Metadata, path: &Path) -> bool {
    path.exists()
}
