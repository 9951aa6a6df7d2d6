//! Files that are written as a whole or not at all.

#[cfg(unix)]
use std::fs::Permissions;
use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::files::registry::{self, Writing};
use crate::files::{Error, part, standard};

/// A file that is being written. Until [`finish`](Output::finish) its path keeps the old file, or
/// none: the bytes go to a file in the same folder whose name ends in `.part`. That file is removed
/// if the output is dropped.
///
/// Standard output, by the name `-` or another, is written directly, and so is everything that
/// exists and is no regular file.
///
/// An output is no input of this run, and no other output: both is looked for when it begins, and
/// once more before it takes its place.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    place: Place,
    replaces: bool,
    /// What keeps others from reading and writing the file; nothing for the program's own files,
    /// which it reads and writes again.
    writing: Option<Writing>,
}

#[derive(Debug)]
enum Place {
    /// A device, a pipe or standard output.
    Direct(BufWriter<File>),
    /// A temporary file that will replace `target`.
    Beside {
        file: BufWriter<NamedTempFile>,
        target: PathBuf,
    },
}

/// Writes a file as a whole or not at all.
///
/// # Errors
///
/// [`Error::Overwritten`] for an input, [`Error::WrittenTwice`] for an output of this run,
/// [`Error::Unwritable`] if the system does not let the file be written.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Error> {
    let mut output = Output::create(path)?;
    output.add(bytes.as_ref())?;
    output.finish()
}

impl Output {
    /// Begins a file that replaces the file at its path. All who could read and write the old file
    /// can read and write the new file, but it does not run with the rights of its owner.
    ///
    /// # Errors
    ///
    /// [`Error::Overwritten`] for an input, [`Error::WrittenTwice`] for an output of this run,
    /// [`Error::Unwritable`] if the system does not let the file be written, or not the old file.
    pub fn create(path: &Path) -> Result<Output, Error> {
        Output::begin(path, true, Some(Writing::new(path)?))
    }

    /// Begins a file that must not replace another file.
    ///
    /// # Errors
    ///
    /// [`Error::Exists`] if there is a file, and those of [`create`](Output::create).
    pub fn create_new(path: &Path) -> Result<Output, Error> {
        Output::begin(path, false, Some(Writing::new(path)?))
    }

    /// Begins a file of the program's own.
    pub(super) fn own(path: &Path, replaces: bool) -> Result<Output, Error> {
        registry::check(path)?;
        Output::begin(path, replaces, None)
    }

    fn begin(path: &Path, replaces: bool, writing: Option<Writing>) -> Result<Output, Error> {
        let place = Place::of(path).map_err(|error| Error::unwritable(path, error))?;
        if let Place::Beside { target, .. } = &place
            && !replaces
            && target.exists()
        {
            return Err(Error::Exists { path: path.into() });
        }
        Ok(Output {
            path: path.into(),
            place,
            replaces,
            writing,
        })
    }

    /// Adds bytes to the file. Unlike those of [`Write::write_all`], the errors name the file.
    ///
    /// # Errors
    ///
    /// [`Error::Unwritable`] if the system does not let the bytes be written.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let written = self.write_all(bytes);
        written.map_err(|error| Error::unwritable(&self.path, error))
    }

    /// Brings all bytes to the disk, and then the file to its place.
    ///
    /// # Errors
    ///
    /// [`Error::Unwritable`], and the old file is unchanged; [`Error::Exists`] if another program
    /// has made a file that must not be replaced; [`Error::Overwritten`] if an input was put into
    /// the file's place.
    pub fn finish(self) -> Result<(), Error> {
        let Output {
            path,
            place,
            replaces,
            writing,
        } = self;
        registry::check(&path)?;
        place.finish(replaces).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => Error::Exists { path },
            _ => Error::Unwritable { path, error },
        })?;
        if let Some(writing) = writing {
            writing.finished();
        }
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.place {
            Place::Direct(file) => file.write(bytes),
            Place::Beside { file, .. } => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.place {
            Place::Direct(file) => file.flush(),
            Place::Beside { file, .. } => file.flush(),
        }
    }
}

impl Place {
    fn of(path: &Path) -> io::Result<Place> {
        if standard::is_output(path) {
            // A shell may go on writing after this program, so the file is not replaced.
            return Ok(Place::Direct(BufWriter::new(standard_output()?)));
        }
        let target = target(path);
        // Opening a file checks whether it may be written, and changes nothing.
        let old = match File::options().write(true).open(path) {
            Ok(file) => {
                let metadata = file.metadata()?;
                if !metadata.is_file() {
                    return Ok(Place::Direct(BufWriter::new(file)));
                }
                if !part::is_at(&metadata, &target) {
                    // The file has no name any more, and is open in some program.
                    file.set_len(0)?;
                    return Ok(Place::Direct(BufWriter::new(file)));
                }
                Some(metadata)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let file = part::beside(&target)?;
        if let Some(old) = old {
            keep_access(file.as_file(), &old)?;
        }
        Ok(Place::Beside {
            file: BufWriter::new(file),
            target,
        })
    }

    fn finish(self, replaces: bool) -> io::Result<()> {
        match self {
            Place::Direct(mut file) => file.flush(),
            Place::Beside { file, target } => {
                let file = file.into_inner().map_err(|error| error.into_error())?;
                file.as_file().sync_all()?;
                if replaces {
                    file.persist(&target)?
                } else {
                    file.persist_noclobber(&target)?
                };
                sync_folder(folder(&target));
                Ok(())
            }
        }
    }
}

/// Lets all who can read and write the old file read and write the new file.
#[cfg(unix)]
fn keep_access(file: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};

    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        // Only root can give a file away; others can choose among their groups.
        let _ = fchown(file, Some(old.uid()), Some(old.gid()))
            .or_else(|_| fchown(file, None, Some(old.gid())));
    }
    // The bits that run a program as its owner are dropped, for new code and a new owner.
    file.set_permissions(Permissions::from_mode(old.permissions().mode() & 0o777))
}

#[cfg(not(unix))]
fn keep_access(file: &File, old: &Metadata) -> io::Result<()> {
    file.set_permissions(old.permissions())
}

/// The folder that a file is in; `.` for a name alone.
#[must_use]
pub fn folder(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    folder.unwrap_or(".".as_ref())
}

/// How many symbolic links are followed, as many as in Linux.
const LINKS: usize = 40;

/// The file to which symbolic links lead, whether it exists or not.
pub(crate) fn target(path: &Path) -> PathBuf {
    let mut target = path.to_path_buf();
    for _ in 0..LINKS {
        match fs::read_link(&target) {
            Ok(link) => target = folder(&target).join(link),
            Err(_) => break,
        }
    }
    target
}

/// Standard output without the buffer of `std`, which writes line by line.
#[cfg(any(unix, windows))]
fn standard_output() -> io::Result<File> {
    #[cfg(unix)]
    use std::os::fd::AsFd as _;
    #[cfg(windows)]
    use std::os::windows::io::AsHandle as _;

    let output = io::stdout();
    #[cfg(unix)]
    let owned = output.as_fd().try_clone_to_owned()?;
    #[cfg(windows)]
    let owned = output.as_handle().try_clone_to_owned()?;
    Ok(owned.into())
}

/// A browser has none.
#[cfg(not(any(unix, windows)))]
fn standard_output() -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Brings the new name to the disk too. Not all systems can do it; the file itself is there in any
/// case.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}
