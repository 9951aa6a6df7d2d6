//! The segment that a process requests, and how long it waits for others that are filling it.

use std::io::{self, ErrorKind};
use std::time::Duration;

use crate::Key;

/// The segment that a process requests.
pub(super) struct Request {
    /// The key in hexadecimal digits.
    pub(super) key: String,
    /// The length in bytes.
    pub(super) len: u64,
    /// The length as a number of the address space.
    pub(super) bytes: usize,
    pub(super) patience: Duration,
    #[cfg(unix)]
    begin: std::time::Instant,
}

impl Request {
    pub(super) fn new(key: &Key, len: u64, patience: Duration) -> io::Result<Request> {
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

    /// The rest of the patience, if any is left.
    #[cfg(unix)]
    pub(super) fn patience_left(&self) -> io::Result<Duration> {
        let left = self.patience.saturating_sub(self.begin.elapsed());
        if left.is_zero() {
            return Err(self.timed_out());
        }
        Ok(left)
    }

    pub(super) fn timed_out(&self) -> io::Error {
        let (key, patience) = (&self.key[..8], self.patience);
        let message =
            format!("another process has been filling segment {key} for more than {patience:?}");
        io::Error::new(ErrorKind::TimedOut, message)
    }
}

/// Fails if the process may not make a file or a memfd of this length: if it tried, the kernel
/// would end it with `SIGXFSZ`.
#[cfg(unix)]
pub(super) fn check_file_size(len: u64) -> io::Result<()> {
    use rustix::process::{Resource, getrlimit};

    match getrlimit(Resource::Fsize).current {
        Some(limit) if limit < len => {
            let message = format!("{len} bytes are shared, of {limit} that a file may have");
            Err(io::Error::new(ErrorKind::FileTooLarge, message))
        }
        _ => Ok(()),
    }
}
