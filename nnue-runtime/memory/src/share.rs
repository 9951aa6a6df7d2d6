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
//! It is found by a name in the abstract namespace of sockets, which ends with the process as well.

#[cfg(unix)]
mod folder;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(windows)]
mod windows;

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::Duration;

use crate::Mapping;
use crate::mapping::check_part;

/// What segments are found by: a hash of all that decides their bytes.
pub type Key = [u8; 32];

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
    /// Its length in bytes, which is that it was asked for with.
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
    /// [`ErrorKind::InvalidInput`] if the offset is no multiple of it,
    /// [`ErrorKind::UnexpectedEof`] if the segment is shorter, and those of the system.
    pub fn map(&self, offset: u64, len: usize) -> io::Result<Mapping> {
        check_part(self.len, offset, len)?;
        match self.source {
            #[cfg(target_os = "linux")]
            Source::Memory(ref memory) => memory.map(offset, len),
            // SAFETY: files of the folder are written under other names and are read-only. The
            // documentation of `share_in_folder` says what their user must not do.
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

/// Why there is no segment.
#[derive(Debug)]
pub enum ShareError<E> {
    /// What was to fill it failed.
    Fill(E),
    /// The system has none, or another process is filling it and has not ended in time
    /// ([`ErrorKind::TimedOut`]).
    System(io::Error),
}

impl<E> From<io::Error> for ShareError<E> {
    fn from(error: io::Error) -> ShareError<E> {
        ShareError::System(error)
    }
}

impl<E: fmt::Display> fmt::Display for ShareError<E> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShareError::Fill(error) => write!(formatter, "cannot fill shared memory: {error}"),
            ShareError::System(error) => write!(formatter, "cannot share memory: {error}"),
        }
    }
}

impl<E: std::error::Error + 'static> std::error::Error for ShareError<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ShareError::Fill(error) => Some(error),
            ShareError::System(error) => Some(error),
        }
    }
}

/// The segment with a key and a length in bytes: that of another process of the same user, or a new
/// one, which `fill` fills. It gets zeros.
///
/// A process that is filling the same segment is waited for, at most for `patience`, and if it ends
/// without a segment, this one fills it. What is shared is the user's: others neither find it nor
/// can pass theirs off as it. What a process of the same user has filled is trusted.
///
/// Where the system allows, memory lies in huge pages, and `fill` writes into them.
///
/// | System | Where it lies | Who finds it | Ends with |
/// |---|---|---|---|
/// | Linux | a sealed memfd | the user's processes in the same network and process namespaces | the last process |
/// | other Unix | a file, as with [`share_in_folder`] in the folder `nnue` of the user's caches | the user's processes | 30 days without use |
/// | Windows | a named section | processes of the same session | the last process |
/// | others | nowhere: [`ErrorKind::Unsupported`] | | |
///
/// # Errors
///
/// [`ShareError::Fill`] with what `fill` returned, [`ShareError::System`] with
/// [`ErrorKind::TimedOut`] when `patience` is over, [`ErrorKind::InvalidInput`] for a length of 0,
/// and what the system says. A segment that is filled, but that others cannot find, is no error.
pub fn share<E>(
    key: &Key,
    len: u64,
    patience: Duration,
    fill: &mut dyn FnMut(&mut [u8]) -> Result<(), E>,
) -> Result<Segment, ShareError<E>> {
    #[cfg(target_os = "linux")]
    return linux::share(&Request::new(key, len, patience)?, fill);
    #[cfg(all(unix, not(target_os = "linux")))]
    return share_in_folder(&folder::of_user()?, key, len, patience, fill);
    #[cfg(windows)]
    return windows::share(&Request::new(key, len, patience)?, fill);
    #[cfg(not(any(unix, windows)))]
    {
        let _ = (key, len, patience, fill);
        Err(ShareError::System(ErrorKind::Unsupported.into()))
    }
}

/// The same as [`share()`] by a file in a folder, on Unix. For systems whose memory cannot be
/// shared otherwise, and for processes that do not run at the same time.
///
/// The folder is created for the user alone if it is not there. It must belong to the user, and
/// others must not be able to write into it. Files that were not used for 30 days are removed from
/// it when one is added, and so is what a killed process has left.
///
/// A file is written beside its place, brought to the disk, made read-only and renamed, so that
/// what is found is whole. One that has another length or owner, that others may write, or that is
/// no regular file is not used but replaced.
///
/// What stays is a danger that the user's own programs are: who makes such a file shorter while it
/// is mapped ends the processes that read it (`SIGBUS`), and who changes it changes bytes that Rust
/// assumes to stay, which is undefined behaviour. Only [`share()`] on Linux excludes both.
///
/// # Errors
///
/// Those of [`share()`]: [`ErrorKind::PermissionDenied`] also for a folder that belongs to another
/// user or that others may write, [`ErrorKind::StorageFull`] for a full disk, and
/// [`ErrorKind::Unsupported`] on systems other than Unix.
pub fn share_in_folder<E>(
    folder: &Path,
    key: &Key,
    len: u64,
    patience: Duration,
    fill: &mut dyn FnMut(&mut [u8]) -> Result<(), E>,
) -> Result<Segment, ShareError<E>> {
    #[cfg(unix)]
    return folder::share(folder, &Request::new(key, len, patience)?, fill);
    #[cfg(not(unix))]
    {
        let _ = (folder, key, len, patience, fill);
        Err(ShareError::System(ErrorKind::Unsupported.into()))
    }
}

/// What is asked for.
#[cfg(any(unix, windows))]
struct Request {
    /// The key in hexadecimal digits.
    key: String,
    len: u64,
    /// The same as an address space has it.
    bytes: usize,
    patience: Duration,
    #[cfg(unix)]
    begin: std::time::Instant,
}

#[cfg(any(unix, windows))]
impl Request {
    fn new(key: &Key, len: u64, patience: Duration) -> io::Result<Request> {
        let bytes = match usize::try_from(len) {
            Ok(bytes) if bytes > 0 && isize::try_from(bytes).is_ok() => bytes,
            _ => {
                let message = format!("a segment has 1 to {} bytes, not {len}", isize::MAX);
                return Err(io::Error::new(ErrorKind::InvalidInput, message));
            }
        };
        Ok(Request {
            key: key.iter().map(|byte| format!("{byte:02x}")).collect(),
            len,
            bytes,
            patience,
            #[cfg(unix)]
            begin: std::time::Instant::now(),
        })
    }

    /// How much longer another process is waited for, which is more than nothing.
    #[cfg(unix)]
    fn patience_left(&self) -> io::Result<Duration> {
        let left = self.patience.saturating_sub(self.begin.elapsed());
        if left.is_zero() {
            return Err(self.timed_out());
        }
        Ok(left)
    }

    fn timed_out(&self) -> io::Error {
        let (key, patience) = (&self.key[..8], self.patience);
        let message =
            format!("another process has been filling segment {key} for more than {patience:?}");
        io::Error::new(ErrorKind::TimedOut, message)
    }
}

/// Fails if the process may not make a file or a memfd of a length, for whose tries the kernel
/// would end it with `SIGXFSZ`.
#[cfg(unix)]
fn check_file_size(len: u64) -> io::Result<()> {
    use rustix::process::{Resource, getrlimit};

    match getrlimit(Resource::Fsize).current {
        Some(limit) if limit < len => {
            let message = format!("{len} bytes are shared, of {limit} that a file may have");
            Err(io::Error::new(ErrorKind::FileTooLarge, message))
        }
        _ => Ok(()),
    }
}
