//! Memory that processes share.
//!
//! Many processes of the same engine can run on a machine: in a match of a hundred games, a test
//! farm, or a server. Each would hold its own copy of the same hundred megabytes, and caches would
//! hold as many copies. So a single process fills a segment, and the others map it.
//!
//! On Linux, the segment is a memfd: memory that has no name. That was chosen over
//!
//! * `/dev/shm`, whose files have names that stay when a process is killed. They take memory until
//!   the machine restarts, containers give that folder 64 MB, and when it is full, a process that
//!   writes into it is ended with `SIGBUS`. It has cost a well-known engine a release.
//! * A file in a folder for caches. It takes disk space, must be written there and be removed some
//!   day, and its owner may change it at any time.
//! * A process or thread that serves others, which an engine should not have to run.
//!
//! A memfd ends with its last user, in whatever way that process ends. It can also be sealed: the
//! kernel then refuses all writes and changes of its length for ever, even by its owner, so that a
//! `&[u8]` over it is sound. A memfd that is not sealed is never used.
//!
//! A memfd is found by a name in the abstract namespace of sockets, which also ends with the
//! process.

#[cfg(unix)]
mod folder;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(any(unix, windows))]
mod request;
#[cfg(windows)]
mod windows;

use std::fmt;
use std::io;
use std::path::Path;
use std::time::Duration;

use crate::mapping::check_part;
use crate::{Key, Mapping, ShareError};

#[cfg(any(unix, windows))]
use self::request::Request;

/// Memory that processes share. Its bytes are final.
///
/// Other processes find the segment as long as some process has a value of this type, so this value
/// must be held as long as they shall find it. [`Mapping`]s stay without it.
pub struct Segment {
    source: Source,
    len: u64,
    is_first: bool,
}

enum Source {
    #[cfg(target_os = "linux")]
    Memory(linux::Memory),
    #[cfg(unix)]
    File(std::fs::File),
    #[cfg(windows)]
    Section(windows::Section),
}

impl Segment {
    /// The length in bytes with which the segment was requested.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "no segment is empty")]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether this call of [`share()`] filled the segment.
    #[must_use]
    pub fn is_first(&self) -> bool {
        self.is_first
    }

    /// Maps `len` bytes from an offset that is a multiple of [`ALIGNMENT`](crate::ALIGNMENT).
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::InvalidInput`] if the offset is no multiple of
    /// [`ALIGNMENT`](crate::ALIGNMENT), [`io::ErrorKind::UnexpectedEof`] if the segment is shorter,
    /// and the errors of the system.
    pub fn map(&self, offset: u64, len: usize) -> io::Result<Mapping> {
        check_part(self.len, offset, len)?;
        match self.source {
            #[cfg(target_os = "linux")]
            Source::Memory(ref memory) => memory.map(offset, len),
            // SAFETY: the caller of `share_in_folder` promises that the file does not change.
            #[cfg(unix)]
            Source::File(ref file) => unsafe { Mapping::of_file(file, offset, len) },
            #[cfg(windows)]
            Source::Section(ref section) => section.map(offset, len),
        }
    }
}

impl fmt::Debug for Segment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = formatter.debug_struct("Segment");
        debug.field("len", &self.len);
        debug.field("is_first", &self.is_first);
        debug.finish_non_exhaustive()
    }
}

/// The segment with a key and a length in bytes: the segment of another process of the same user,
/// or a new segment, which `fill` fills. `fill` gets zeros.
///
/// If another process is filling the same segment, this call waits for it, at most for `patience`.
/// If that process ends without a segment, this process fills it. Segments belong to a user: other
/// users can neither find them nor make this user find theirs. The bytes that a process of the same
/// user has filled are trusted.
///
/// Where the system allows, memory lies in huge pages, and `fill` writes into them.
///
/// | System | Where it lies | Who finds it | Ends with |
/// |---|---|---|---|
/// | Linux | a sealed memfd | the user's processes in the same network and process namespaces | the last process |
/// | other Unix | a file, as with [`share_in_folder`] in the folder `nnue` of the user's caches | the user's processes | 30 days without use |
/// | Windows | a named section | processes of the same session | the last process |
/// | others | nowhere: [`io::ErrorKind::Unsupported`] | | |
///
/// A program of the same user can still cut or change a read-only file, if it makes the file
/// writable first. A process cannot protect itself against that, as it cannot against a debugger of
/// the same user, which writes into its memory. On Linux, seals exclude both.
///
/// # Errors
///
/// [`ShareError::Fill`] with the error of `fill`, [`ShareError::System`] with
/// [`io::ErrorKind::TimedOut`] when `patience` is over, [`io::ErrorKind::InvalidInput`] for a
/// length of 0, and the errors of the system. It is no error if a segment is filled but others
/// cannot find it.
pub fn share<E>(
    key: &Key,
    len: u64,
    patience: Duration,
    fill: &mut dyn FnMut(&mut [u8]) -> Result<(), E>,
) -> Result<Segment, ShareError<E>> {
    #[cfg(any(target_os = "linux", windows))]
    {
        #[cfg(target_os = "linux")]
        use self::linux::share;
        #[cfg(windows)]
        use self::windows::share;

        let (source, is_first) = share(&Request::new(key, len, patience)?, fill)?;
        #[cfg(target_os = "linux")]
        let source = Source::Memory(source);
        #[cfg(windows)]
        let source = Source::Section(source);
        Ok(Segment {
            source,
            len,
            is_first,
        })
    }
    #[cfg(all(unix, not(target_os = "linux")))]
    {
        let folder = folder::of_user()?;
        // SAFETY: the folder is this library's own, its files are read-only and the user's alone,
        // and this library neither changes nor cuts them. The case that this function documents
        // remains: a program of the same user that first makes such a file writable.
        unsafe { share_in_folder(&folder, key, len, patience, fill) }
    }
    #[cfg(not(any(unix, windows)))]
    {
        let _ = (key, len, patience, fill);
        Err(ShareError::System(io::ErrorKind::Unsupported.into()))
    }
}

/// [`share()`] with a file in a folder, on Unix: for systems whose memory cannot be shared
/// otherwise, and for processes that do not run at the same time.
///
/// If the folder does not exist, it is created for the user alone. It must belong to the user, and
/// others must not be able to write into it. When a file is added, files that were not used for 30
/// days are removed, and so are the files that killed processes have left.
///
/// A file is written beside its place, brought to the disk, made read-only and renamed, so a file
/// that is found is whole. A file is not used but replaced if it has another length or owner, if
/// others may write it, or if it is no regular file.
///
/// # Safety
///
/// Nobody may change a file of the folder, or make it shorter, while the segment or a [`Mapping`]
/// of it is there, as with [`Mapping::of_file`]: a process that reads bytes that were cut off is
/// ended (`SIGBUS`), and Rust assumes that mapped bytes stay as they are. Removing a file is safe.
/// The system keeps other users away from the files, and this library neither changes nor cuts
/// them; only the user's own programs can, if they make a file writable first.
///
/// # Errors
///
/// The errors of [`share()`]: [`io::ErrorKind::PermissionDenied`] also for a folder that belongs to
/// another user or that others may write, [`io::ErrorKind::StorageFull`] for a full disk, and
/// [`io::ErrorKind::Unsupported`] on systems other than Unix.
pub unsafe fn share_in_folder<E>(
    folder: &Path,
    key: &Key,
    len: u64,
    patience: Duration,
    fill: &mut dyn FnMut(&mut [u8]) -> Result<(), E>,
) -> Result<Segment, ShareError<E>> {
    #[cfg(unix)]
    {
        let (file, is_first) = folder::share(folder, &Request::new(key, len, patience)?, fill)?;
        Ok(Segment {
            source: Source::File(file),
            len,
            is_first,
        })
    }
    #[cfg(not(unix))]
    {
        let _ = (folder, key, len, patience, fill);
        Err(ShareError::System(io::ErrorKind::Unsupported.into()))
    }
}
