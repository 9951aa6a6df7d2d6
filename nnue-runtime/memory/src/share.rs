//! Memory that processes share.
//!
//! Many processes of one engine run on a machine at once: a match of a hundred games, a test farm,
//! a server. Each would hold its own copy of the same hundred megabytes, and caches would hold them
//! as often. So one process fills a segment, and the others map it.
//!
//! On Linux, the segment is a memfd: memory that has no name. That was chosen over
//!
//! * `/dev/shm`, whose files have names that stay when a process is killed. They are memory until
//!   the machine restarts, containers give that folder 64 MB, and what is full ends whoever writes
//!   into it, with `SIGBUS`. It has cost a well-known engine a release.
//! * A file in a folder for caches. It takes disk, must be written there and be removed some day,
//!   and its owner may change it at any time.
//! * A process or thread that serves others, which an engine should not have to run.
//!
//! A memfd ends with its last user, however that ends. It can also be sealed: the kernel then
//! refuses all writes and changes of its length, to its owner too and for ever, so that a `&[u8]`
//! over it is sound. What is not sealed is never used.
//!
//! A memfd is found by a name in the abstract namespace of sockets, which ends with the process as
//! well.

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
/// Others find it as long as one process has a value of this type: it must be held for as long as
/// they shall. [`Mapping`]s live on without it.
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
    /// The length in bytes that the segment was asked for with.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "no segment is empty")]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether this call of [`share()`] filled it.
    #[must_use]
    pub fn is_first(&self) -> bool {
        self.is_first
    }

    /// Maps `len` bytes from an offset that is a multiple of [`ALIGNMENT`](crate::ALIGNMENT).
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::InvalidInput`] if the offset is no multiple of that,
    /// [`io::ErrorKind::UnexpectedEof`] if the segment is shorter, and those of the system.
    pub fn map(&self, offset: u64, len: usize) -> io::Result<Mapping> {
        check_part(self.len, offset, len)?;
        match self.source {
            #[cfg(target_os = "linux")]
            Source::Memory(ref memory) => memory.map(offset, len),
            // SAFETY: who called `share_in_folder` promises that the file stays as it is.
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

/// The segment with a key and a length in bytes: that of another process of the same user, or a new
/// segment, which `fill` fills. `fill` gets zeros.
///
/// A process that is filling the same segment is waited for, at most for `patience`, and if it ends
/// without a segment, this process fills it. Segments are the user's: other users neither find them
/// nor can pass theirs off as such. What a process of the same user has filled is trusted.
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
/// A file that is read-only can still be cut or changed by a program of the same user that makes it
/// writable first. A process can guard itself against that as little as against a debugger of the
/// same user, which writes into its memory. Linux excludes both by seals.
///
/// # Errors
///
/// [`ShareError::Fill`] with what `fill` returned, [`ShareError::System`] with
/// [`io::ErrorKind::TimedOut`] when `patience` is over, [`io::ErrorKind::InvalidInput`] for a
/// length of 0, and what the system says. A segment that is filled, but that others cannot find, is
/// no error.
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
        // and this library neither changes nor cuts them. What this function documents is left: a
        // program of the same user that first makes such a file writable, for no other purpose.
        unsafe { share_in_folder(&folder, key, len, patience, fill) }
    }
    #[cfg(not(any(unix, windows)))]
    {
        let _ = (key, len, patience, fill);
        Err(ShareError::System(io::ErrorKind::Unsupported.into()))
    }
}

/// [`share()`] by a file in a folder, on Unix: for systems whose memory cannot be shared otherwise,
/// and for processes that do not run at the same time.
///
/// The folder is created for the user alone if it is not there. It must belong to the user, and
/// others must not be able to write into it. Files that were not used for 30 days are removed from
/// it when a file is added, and so is what a killed process has left.
///
/// A file is written beside its place, brought to the disk, made read-only and renamed, so that
/// what is found is whole. One that has another length or owner, that others may write, or that is
/// no regular file is not used but replaced.
///
/// # Safety
///
/// Nobody may change a file of the folder, or make it shorter, while the segment or a [`Mapping`]
/// of it is there, as with [`Mapping::of_file`]: a process that reads what was cut is ended
/// (`SIGBUS`), and Rust assumes that mapped bytes stay as they are. To remove a file is no danger.
/// The system keeps other users away from the files, and this library does neither; what is left
/// are the user's own programs, if they make a file writable first.
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
