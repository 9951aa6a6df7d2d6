//! The reasons why laid-out weights are refused.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;
use std::io;
use std::path::Path;

use nnue_format::{LoadError, Text, debug_is_message, foreign};

/// The reason why laid-out weights cannot be used.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum MapError {
    /// The file cannot be read or mapped.
    Io {
        /// The kind of the system's error.
        kind: io::ErrorKind,
        /// The message of the system's error.
        message: String,
    },
    /// The file has no laid-out weights. It may be a net file of a network whose files cannot be
    /// mapped as they are.
    NotLaidOut {
        /// What the file is instead, in words that follow "found", if somebody has looked.
        found: Option<String>,
    },
    /// The file has no laid-out weights, and the network's net files cannot be mapped: the spec has
    /// another order of neurons than these.
    Reordered {
        /// What the file is instead, in words that follow "found", if somebody has looked.
        found: Option<String>,
    },
    /// The file has no laid-out weights, and it cannot be mapped as the network's net file either,
    /// which begins with the network's rows.
    Load(LoadError),
    /// The file was laid out by another version.
    Version {
        /// The version of the file.
        found: u32,
        /// The version that this build reads.
        expected: u32,
    },
    /// The file was laid out for machines with another byte order.
    ByteOrder,
    /// The weights belong to another network, or lie in another way than this build reads them.
    OtherLayout {
        /// The name of the file's network.
        found: String,
        /// The name of the network that was asked for.
        expected: Text,
    },
    /// The file is shorter or longer than its weights.
    Length {
        /// The number of bytes that the file should have.
        expected: u64,
        /// The number of bytes that the file has.
        found: u64,
    },
    /// The header has changed since it was written.
    DamagedHeader,
    /// The weights have changed since they were written.
    DamagedWeights,
    /// The weights cannot be checked, because there is no hash: the program that laid them out has
    /// not computed it, or the file is a net file.
    NoHash,
    /// The content of the net file besides its weights is longer than a header can be.
    HeaderTooLong {
        /// The number of bytes that the header would take.
        len: u64,
        /// The largest number of bytes of a header.
        limit: u64,
    },
}

impl From<io::Error> for MapError {
    fn from(error: io::Error) -> Self {
        MapError::Io {
            kind: error.kind(),
            message: error.to_string(),
        }
    }
}

impl From<LoadError> for MapError {
    fn from(error: LoadError) -> Self {
        MapError::Load(error)
    }
}

impl MapError {
    /// The same error with the file's path in the message of a system's error.
    #[must_use]
    pub fn of_file(self, path: &Path) -> MapError {
        match self {
            MapError::Io { kind, message } => MapError::Io {
                kind,
                message: format!("cannot map `{}`: {message}", path.display()),
            },
            other => other,
        }
    }
}

/// The message about a file that has no laid-out weights.
fn instead(found: &Option<String>) -> &str {
    found.as_deref().unwrap_or("another file")
}

impl fmt::Display for MapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MapError::Io { message, .. } => f.write_str(message),
            MapError::NotLaidOut { found } => write!(
                f,
                "found {}, expected weights that `nnue convert --layout` has laid out, or a net of this network that begins with its rows",
                instead(found)
            ),
            MapError::Reordered { found } => write!(
                f,
                "found {}, expected weights that `nnue convert --layout` has laid out: a net file does not have the neurons in the order of the spec",
                instead(found)
            ),
            MapError::Load(error) => error.fmt(f),
            MapError::Version { found, expected } => write!(
                f,
                "found version {found} of laid-out weights, expected {expected}: lay the net out with the `nnue` of this version"
            ),
            MapError::ByteOrder => f.write_str(
                "the weights are laid out for machines with another byte order: lay the net out on this one",
            ),
            MapError::OtherLayout { found, expected } if *found == **expected => write!(
                f,
                "the weights of {expected} are laid out in another way: lay the net out with the `nnue` of this version and with this spec"
            ),
            MapError::OtherLayout { found, expected } => {
                write!(f, "found weights of {}, expected {expected}", foreign(found))
            }
            MapError::Length { expected, found } => {
                write!(f, "found {found} bytes, expected {expected}: the file was cut, or something was added")
            }
            MapError::DamagedHeader => f.write_str("the header of the laid-out weights is damaged"),
            MapError::DamagedWeights => {
                f.write_str("the laid-out weights are damaged: their hash is not the header's")
            }
            MapError::NoHash => f.write_str(
                "the weights cannot be checked, for the file has no hash of them; without a check it can be used",
            ),
            MapError::HeaderTooLong { len, limit } => write!(
                f,
                "the net file has so much besides its weights that the header takes {len} bytes, allowed are {limit}"
            ),
        }
    }
}

debug_is_message!(MapError);

impl core::error::Error for MapError {}
