//! Why a match cannot be played.

use std::fmt;
use std::io;
use std::path::PathBuf;

use nnue_format::foreign;

use crate::engine::Fault;

/// Why a match cannot be played, or not be kept.
pub enum Error {
    /// An engine cannot be started or set up, so that no game can be played.
    Engine(Fault),
    /// Random moves give too few openings.
    FewMoves {
        /// How many moves an opening has.
        plies: u8,
        /// How many openings were found.
        found: usize,
        /// How many are needed.
        needed: usize,
    },
    /// A list has too few openings.
    ShortList {
        /// What the list is called.
        source: String,
        /// How many different openings it has.
        found: usize,
        /// How many are needed.
        needed: usize,
    },
    /// The file of a state cannot be read or written.
    File(nnue_files::Error),
    /// The system does not let a file be used as a state.
    Unusable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// What is at a path is no state of a match.
    NoState {
        /// The path.
        path: PathBuf,
        /// What is expected there, if it is no file.
        expected: Option<&'static str>,
    },
    /// A line of a state is no pair of games.
    NoPair {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        error: serde_json::Error,
    },
    /// A state has another form than this version reads.
    Version {
        /// The file.
        path: PathBuf,
        /// The version of the state's form.
        found: u32,
        /// The version that this program reads.
        read: u32,
    },
    /// A state is that of another match.
    OtherMatch {
        /// The file.
        path: PathBuf,
        /// The settings in which the matches differ.
        differences: Vec<String>,
    },
    /// Another match has a state open.
    InUse {
        /// The file.
        path: PathBuf,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Engine(fault) => fault.fmt(f),
            Error::FewMoves {
                plies,
                found,
                needed,
            } => write!(
                f,
                "{plies} random moves give only {found} different openings, and {needed} pairs \
                 need one each"
            ),
            Error::ShortList {
                source,
                found,
                needed,
            } => write!(
                f,
                "{source} has {found} different positions, and {needed} pairs need one each"
            ),
            Error::File(error) => error.fmt(f),
            Error::Unusable { path, error } => {
                write!(f, "cannot use `{}`: {error}", foreign(path.display()))
            }
            Error::NoState { path, expected } => {
                write!(f, "`{}` is no state of a match", foreign(path.display()))?;
                match expected {
                    Some(expected) => write!(f, ": expected {expected}"),
                    None => Ok(()),
                }
            }
            Error::NoPair { path, line, error } => write!(
                f,
                "line {line} of `{}` is no pair: {}",
                foreign(path.display()),
                foreign(error)
            ),
            Error::Version { path, found, read } => write!(
                f,
                "`{}` has version {found} of its form, and this program reads {read}",
                foreign(path.display())
            ),
            Error::OtherMatch { path, differences } => write!(
                f,
                "`{}` is the state of another match: {}",
                foreign(path.display()),
                differences.join("; ")
            ),
            Error::InUse { path } => write!(
                f,
                "`{}` is in use by another match",
                foreign(path.display())
            ),
        }
    }
}

nnue_format::debug_is_message!(Error);

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Engine(fault) => Some(fault),
            Error::File(error) => Some(error),
            Error::Unusable { error, .. } => Some(error),
            Error::NoPair { error, .. } => Some(error),
            _ => None,
        }
    }
}

impl From<nnue_files::Error> for Error {
    fn from(error: nnue_files::Error) -> Error {
        Error::File(error)
    }
}
