//! The reasons why there is no shared memory, and no map of a file that is filled.

use std::fmt;
use std::io;

/// The reason why there is no segment.
#[derive(Debug)]
pub enum ShareError<E> {
    /// The function that fills the segment has failed.
    Fill(E),
    /// The system has no shared memory, or another process is filling the segment and has not ended
    /// in time ([`TimedOut`](io::ErrorKind::TimedOut)).
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
