//! Files that are written as a whole or not at all.

use std::ffi::OsStr;
#[cfg(unix)]
use std::fs::Permissions;
use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use crate::{Error, standard};

/// A file that is written. Nothing is at its path before [`finish`](Output::finish) but what was
/// there before: what is written goes to a file beside it, whose name ends in `.part`, and which is
/// removed if the output is dropped.
///
/// What exists and is no regular file is written directly, and so is standard output, by the name
/// `-` or another.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    place: Place,
    replaces: bool,
}

#[derive(Debug)]
enum Place {
    /// A device, a pipe, standard output.
    Direct(BufWriter<File>),
    /// A file that will be at `target`.
    Beside {
        file: BufWriter<NamedTempFile>,
        target: PathBuf,
    },
}

/// Writes a file as a whole or not at all, as [`Output`] does.
///
/// # Errors
///
/// [`Error::Unwritable`].
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Error> {
    let mut output = Output::create(path)?;
    output.add(bytes.as_ref())?;
    output.finish()
}

impl Output {
    /// Begins a file that takes the place of what is at its path. Whoever could read and write an
    /// old file still can; that it runs with the rights of its owner is not kept.
    ///
    /// # Errors
    ///
    /// [`Error::Unwritable`], also if an old file must not be written.
    pub fn create(path: &Path) -> Result<Output, Error> {
        Output::begin(path, true)
    }

    /// Begins a file that takes no other's place.
    ///
    /// # Errors
    ///
    /// [`Error::Exists`] if there is a file, [`Error::Unwritable`].
    pub fn create_new(path: &Path) -> Result<Output, Error> {
        Output::begin(path, false)
    }

    fn begin(path: &Path, replaces: bool) -> Result<Output, Error> {
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
        })
    }

    /// Adds bytes, as [`Write::write_all`] does, whose errors do not name the file.
    ///
    /// # Errors
    ///
    /// [`Error::Unwritable`].
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let written = self.write_all(bytes);
        written.map_err(|error| Error::unwritable(&self.path, error))
    }

    /// Brings all bytes to the disk, and then puts the file in its place.
    ///
    /// # Errors
    ///
    /// [`Error::Unwritable`]; then what was there before is as it was. [`Error::Exists`] if another
    /// program has made a file that must not be replaced.
    pub fn finish(self) -> Result<(), Error> {
        let Output {
            path,
            place,
            replaces,
        } = self;
        place.finish(replaces).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => Error::Exists { path },
            _ => Error::Unwritable { path, error },
        })
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
            // A shell may go on where this program ends, so the file is not replaced.
            return Ok(Place::Direct(BufWriter::new(standard_output()?)));
        }
        let target = target(path);
        // To open it asks the system whether it may be written, and changes nothing.
        let old = match File::options().write(true).open(path) {
            Ok(file) => {
                let metadata = file.metadata()?;
                if !metadata.is_file() {
                    return Ok(Place::Direct(BufWriter::new(file)));
                }
                if !is_at(&metadata, &target) {
                    // It has no name any more, and is open in some program.
                    file.set_len(0)?;
                    return Ok(Place::Direct(BufWriter::new(file)));
                }
                Some(metadata)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let file = beside(&target, old.as_ref())?;
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
                match replaces {
                    true => file.persist(&target)?,
                    false => file.persist_noclobber(&target)?,
                };
                sync_folder(folder(&target));
                Ok(())
            }
        }
    }
}

/// The longest name that the temporary file's name begins with, in bytes: systems allow 255 in all.
const LONGEST: usize = 200;

/// A temporary file in the folder of the file whose place it takes.
fn beside(target: &Path, old: Option<&Metadata>) -> io::Result<NamedTempFile> {
    let name = target.file_name().ok_or(ErrorKind::IsADirectory)?;
    let mut prefix = match name.len() {
        ..=LONGEST => name,
        _ => OsStr::new("nnue"),
    }
    .to_owned();
    prefix.push(".");
    let mut builder = Builder::new();
    builder.prefix(&prefix).suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;

        // What new files have, less what the user's mask takes away.
        builder.permissions(Permissions::from_mode(0o666));
    }
    let file = builder.tempfile_in(folder(target))?;
    if let Some(old) = old {
        keep_access(file.as_file(), old)?;
    }
    Ok(file)
}

/// Lets those read and write a new file who can read and write the old one.
#[cfg(unix)]
fn keep_access(file: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};

    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        // Only root can give a file away; others can choose among their groups.
        let _ = fchown(file, Some(old.uid()), Some(old.gid()))
            .or_else(|_| fchown(file, None, Some(old.gid())));
    }
    // A program that runs as its owner would get new code, and perhaps another owner.
    file.set_permissions(Permissions::from_mode(old.permissions().mode() & 0o777))
}

#[cfg(not(unix))]
fn keep_access(file: &File, old: &Metadata) -> io::Result<()> {
    file.set_permissions(old.permissions())
}

/// Whether an open file is the file at a path.
#[cfg(unix)]
fn is_at(file: &Metadata, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let found = fs::metadata(path);
    found.is_ok_and(|found| (found.dev(), found.ino()) == (file.dev(), file.ino()))
}

/// Elsewhere no path leads to a file that has none.
#[cfg(not(unix))]
fn is_at(_: &Metadata, _: &Path) -> bool {
    true
}

/// The folder that a file is in; `.` for a name alone.
#[must_use]
pub fn folder(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    folder.unwrap_or(".".as_ref())
}

/// How many symbolic links are followed, as Linux does.
const LINKS: usize = 40;

/// The file to which symbolic links lead, whether it is there or not.
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

/// Standard output without the buffer that breaks what is written into lines.
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

/// Brings the new name to the disk too. Not all systems can; the file itself is there in any case.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}
