//! Segments that are files of a folder.
//!
//! | File | What it is |
//! |---|---|
//! | `<key>.weights` | A whole segment, read-only. When it was last used is its time of modification. |
//! | `<key>.part` | What is written by who has the lock. If that was killed, the next writes it anew. |
//! | `<key>.lock` | Empty, and locked while a segment is made. |

mod lock;
mod old;

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use rustix::fs::OFlags;
use rustix::process::geteuid;

use self::lock::Lock;
use super::request::{Request, check_file_size};
use crate::ShareError;
use crate::mapping::Region;

/// The time that a process sleeps before it looks again whether another has finished. No system
/// lets a process wait for a lock with a time limit.
const PAUSE: Duration = Duration::from_millis(2);

/// The file of a segment, and whether this call made it.
pub(super) fn share<E>(
    folder: &Path,
    request: &Request,
    fill: &mut dyn FnMut(&mut [u8]) -> Result<(), E>,
) -> Result<(File, bool), ShareError<E>> {
    prepare(folder)?;
    let paths = Paths::new(folder, &request.key);
    let lock = loop {
        if let Some(file) = find(&paths, request) {
            return Ok((file, false));
        }
        if let Some(lock) = Lock::attempt(&paths.lock)? {
            break lock;
        }
        sleep(PAUSE.min(request.patience_left()?));
    };
    // Between the search and the lock, another process may have made the segment.
    if let Some(file) = find(&paths, request) {
        return Ok((file, false));
    }
    let file = make(&paths, request, fill)?;
    drop(lock);
    old::remove(folder);
    Ok((file, true))
}

/// The folder `nnue` of the user's caches.
#[cfg(not(target_os = "linux"))]
pub(super) fn of_user() -> io::Result<PathBuf> {
    let absolute = |name| {
        let path = PathBuf::from(std::env::var_os(name)?);
        path.is_absolute().then_some(path)
    };
    let caches = if cfg!(target_vendor = "apple") {
        absolute("HOME").map(|home| home.join("Library/Caches"))
    } else {
        absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))
    };
    let missing = || io::Error::new(ErrorKind::NotFound, "HOME names no folder for caches");
    Ok(caches.ok_or_else(missing)?.join("nnue"))
}

/// Makes the folder if it does not exist, and fails if others may have put something into it.
fn prepare(folder: &Path) -> io::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    let metadata = fs::metadata(folder)?;
    let (owner, mode) = (metadata.uid(), metadata.mode() & 0o7777);
    let name = folder.display();
    let refuse = |message| Err(io::Error::new(ErrorKind::PermissionDenied, message));
    let user = geteuid().as_raw();
    if owner != user {
        return refuse(format!(
            "folder {name} belongs to user {owner}, and must belong to {user}"
        ));
    }
    if mode & OTHERS_WRITE != 0 {
        return refuse(format!(
            "folder {name} has mode {mode:o}, and only its owner may write into it"
        ));
    }
    Ok(())
}

/// The bits of a mode that let users other than the owner write.
const OTHERS_WRITE: u32 = 0o022;

struct Paths {
    weights: PathBuf,
    part: PathBuf,
    lock: PathBuf,
}

impl Paths {
    fn new(folder: &Path, key: &str) -> Paths {
        Paths {
            weights: folder.join(format!("{key}.weights")),
            part: folder.join(format!("{key}.part")),
            lock: folder.join(format!("{key}.lock")),
        }
    }
}

/// The file of a whole segment. A file that cannot be used or opened counts as missing, and is
/// replaced.
fn find(paths: &Paths, request: &Request) -> Option<File> {
    // A pipe in place of the file would make the process wait.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let mut options = File::options();
    options.read(true).custom_flags(flags.bits().cast_signed());
    let file = options.open(&paths.weights).ok()?;
    if !is_right(&file.metadata().ok()?, request) {
        return None;
    }
    // Where files cannot be touched, no files are removed either.
    let _ = file.set_modified(SystemTime::now());
    Some(file)
}

fn is_right(metadata: &Metadata, request: &Request) -> bool {
    metadata.is_file()
        && metadata.len() == request.len
        && metadata.uid() == geteuid().as_raw()
        && metadata.mode() & OTHERS_WRITE == 0
}

/// Makes a segment while the lock is held.
fn make<E>(
    paths: &Paths,
    request: &Request,
    fill: &mut dyn FnMut(&mut [u8]) -> Result<(), E>,
) -> Result<File, ShareError<E>> {
    check_file_size(request.len)?;
    let made = write(paths, request, fill);
    if made.is_err() {
        // If the rest of the file cannot be removed, it is overwritten next time.
        let _ = fs::remove_file(&paths.part);
    }
    made
}

fn write<E>(
    paths: &Paths,
    request: &Request,
    fill: &mut dyn FnMut(&mut [u8]) -> Result<(), E>,
) -> Result<File, ShareError<E>> {
    let mut part = open_part(&paths.part)?;
    reserve(&part, request.len)?;
    // The bytes are written, not mapped, so that a disk that is full nevertheless is an error and
    // does not end the process: some file systems need room for what they have reserved.
    let mut zeros = Region::zeros(request.bytes)?;
    // SAFETY: the region was made by `zeros`, and nobody else knows it.
    let bytes = unsafe { zeros.bytes_mut() };
    fill(bytes).map_err(ShareError::Fill)?;
    part.write_all(bytes)?;
    drop(zeros);
    part.set_permissions(Permissions::from_mode(0o400))?;
    // A file whose name reached the disk before its bytes would be found without them.
    part.sync_all()?;
    fs::rename(&paths.part, &paths.weights)?;
    // From here on, no open file can be written.
    drop(part);
    find(paths, request).ok_or_else(|| {
        let message = format!("file {} is not what was written", paths.weights.display());
        ShareError::System(io::Error::other(message))
    })
}

fn open_part(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .custom_flags(flags.bits().cast_signed());
    // A file that a killed process has left may have any state, so it is removed first.
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    options.open(path)
}

/// Reserves room on the disk, so that a full disk is known before anything is filled. File systems
/// that cannot reserve room find out when the file is written.
#[cfg(any(
    target_os = "linux",
    target_os = "android",
    target_os = "freebsd",
    target_vendor = "apple"
))]
fn reserve(file: &File, len: u64) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    use rustix::io::{Errno, retry_on_intr};

    match retry_on_intr(|| fallocate(file, FallocateFlags::empty(), 0, len)) {
        Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(any(
    target_os = "linux",
    target_os = "android",
    target_os = "freebsd",
    target_vendor = "apple"
)))]
fn reserve(_: &File, _: u64) -> io::Result<()> {
    Ok(())
}
