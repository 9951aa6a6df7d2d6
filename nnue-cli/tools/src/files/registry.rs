//! What this run has read and what it writes: no file is both.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use file_id::FileId;

use crate::files::output::{folder, target};
use crate::files::{Error, is_standard, standard};

/// The files of this run, since [`protect_inputs`] was called.
static FILES: Mutex<Option<Registry>> = Mutex::new(None);

/// The system's number for a file, which all its links have. The number of a file that was removed
/// may be given to a new file, which was made later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FileNumber {
    pub(super) id: FileId,
    pub(super) made: Option<SystemTime>,
}

/// By what a file is known: its number, and its place, where another program may have put another
/// file since.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Identity {
    File(FileNumber),
    Place(PathBuf),
}

/// The files that were read and those that are or were written, each with the name that the user
/// gave it.
#[derive(Default)]
struct Registry {
    read: HashMap<Identity, PathBuf>,
    written: HashMap<Identity, PathBuf>,
}

/// From now on, no file that this process has read as an input is written, and no file that it
/// writes is read as an input. A program calls this once, before it opens any file. Without it,
/// nothing is remembered: tests read and write the same files in one process.
pub fn protect_inputs() {
    files().get_or_insert_default();
}

fn files() -> MutexGuard<'static, Option<Registry>> {
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Remembers an input, which must not be written from now on. What is no regular file is not
/// remembered: nothing is lost if a terminal is read and written.
///
/// # Errors
///
/// [`Error::Overwritten`] for a file that is being written, or was written by this run.
pub(super) fn read(path: &Path) -> Result<(), Error> {
    let mut files = files();
    let Some(registry) = &mut *files else {
        return Ok(());
    };
    let identities = of_input(path);
    if let Some(output) = first(&registry.written, &identities) {
        return Err(overwritten(output, path));
    }
    for identity in identities {
        registry.read.entry(identity).or_insert_with(|| path.into());
    }
    Ok(())
}

/// Refuses to change a file that is an input.
///
/// # Errors
///
/// [`Error::Overwritten`] for such a file.
pub(super) fn check(path: &Path) -> Result<(), Error> {
    match &*files() {
        Some(registry) => registry.check(path, &of_output(path)),
        None => Ok(()),
    }
}

/// Refuses to remove or rename what is an input, or a folder with inputs in it.
///
/// # Errors
///
/// [`Error::Overwritten`] for such a file or folder.
pub(super) fn check_all_within(path: &Path) -> Result<(), Error> {
    check(path)?;
    let files = files();
    let (Some(registry), Ok(folder)) = (&*files, fs::canonicalize(path)) else {
        return Ok(());
    };
    let mut inputs = registry.read.iter();
    let found = inputs.find(|(identity, _)| match identity {
        Identity::Place(place) => place.starts_with(&folder),
        Identity::File(_) => false,
    });
    found.map_or(Ok(()), |(_, input)| Err(overwritten(path, input)))
}

fn overwritten(path: &Path, input: &Path) -> Error {
    let (path, input) = (path.into(), input.into());
    Error::Overwritten { path, input }
}

impl Registry {
    fn check(&self, path: &Path, identities: &[Identity]) -> Result<(), Error> {
        let input = first(&self.read, identities);
        input.map_or(Ok(()), |input| Err(overwritten(path, input)))
    }
}

/// An output that is being written. Its file is no input as long as this value exists, nor after
/// [`finished`](Writing::finished).
#[derive(Debug)]
pub(super) struct Writing {
    path: PathBuf,
    identities: Vec<Identity>,
}

impl Writing {
    /// Begins to write a file.
    ///
    /// # Errors
    ///
    /// [`Error::Overwritten`] for an input, [`Error::WrittenTwice`] for an output of this run.
    pub(super) fn new(path: &Path) -> Result<Writing, Error> {
        let mut writing = Writing {
            path: path.into(),
            identities: Vec::new(),
        };
        let mut files = files();
        let Some(registry) = &mut *files else {
            return Ok(writing);
        };
        let identities = of_output(path);
        registry.check(path, &identities)?;
        if let Some(earlier) = first(&registry.written, &identities) {
            let (first, second) = (earlier.clone(), path.into());
            return Err(Error::WrittenTwice { first, second });
        }
        let named = identities
            .iter()
            .map(|identity| (identity.clone(), path.into()));
        registry.written.extend(named);
        writing.identities = identities;
        Ok(writing)
    }

    /// Remembers the file that is in its place now.
    pub(super) fn finished(mut self) {
        let mut files = files();
        if let Some(registry) = &mut *files {
            for identity in self.identities.drain(..) {
                registry.written.remove(&identity);
            }
            let identities = of_output(&self.path).into_iter();
            let path = &self.path;
            registry
                .written
                .extend(identities.map(|identity| (identity, path.clone())));
        }
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        if self.identities.is_empty() {
            return;
        }
        if let Some(registry) = &mut *files() {
            for identity in &self.identities {
                registry.written.remove(identity);
            }
        }
    }
}

fn first<'m>(
    known: &'m HashMap<Identity, PathBuf>,
    identities: &[Identity],
) -> Option<&'m PathBuf> {
    identities.iter().find_map(|identity| known.get(identity))
}

/// By what an input is known, if it is a regular file; `-` is standard input.
fn of_input(path: &Path) -> Vec<Identity> {
    if is_standard(path) {
        return standard::input().map(Identity::File).into_iter().collect();
    }
    match file(path) {
        Some(file) => vec![Identity::File(file), Identity::Place(place(path))],
        None => Vec::new(),
    }
}

/// By what an output is known, unless it can be written without loss, as a terminal can.
fn of_output(path: &Path) -> Vec<Identity> {
    if standard::is_output(path) {
        // Several outputs may go there, one after the other.
        return Vec::new();
    }
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => Vec::new(),
        Ok(_) => of_input(path),
        Err(_) => vec![Identity::Place(place(path))],
    }
}

/// The path of a file, whether it exists or not, in the only form that its folder has.
pub(super) fn place(path: &Path) -> PathBuf {
    let target = target(path);
    match (fs::canonicalize(folder(&target)), target.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => target,
    }
}

/// The regular file at a path.
#[cfg(any(unix, windows))]
pub(super) fn file(path: &Path) -> Option<FileNumber> {
    let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    Some(FileNumber {
        id: file_id::get_file_id(path).ok()?,
        made: metadata.created().ok(),
    })
}

/// A browser has no files.
#[cfg(not(any(unix, windows)))]
pub(super) fn file(_: &Path) -> Option<FileNumber> {
    None
}
