//! Errors of files of positions.

use std::fmt;
use std::io;

use nnue_compiler::format::foreign;

/// A record that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRecord {
    /// The file, and the place in it: a line, a record or a game, counted from 1.
    pub place: String,
    /// What was found, and what is allowed.
    pub wrong: String,
}

impl fmt::Display for BadRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.wrong)
    }
}

/// Why there are no more positions.
pub enum DataError {
    /// A file cannot be read.
    Unreadable {
        /// The name of the file.
        name: String,
        /// What the system says.
        error: io::Error,
    },
    /// A file is not of a format that is read.
    Format {
        /// The name of the file.
        name: String,
        /// What was found, and what is allowed.
        wrong: String,
    },
    /// A record cannot be used, and bad records are not skipped.
    Bad(BadRecord),
    /// There are files, but no positions to use in them.
    Empty {
        /// What became of the records.
        reason: String,
    },
    /// A file cannot be written, or must not be because it is read.
    File(nnue_files::Error),
    /// A record lacks what the format in which it is written needs.
    Unsuitable {
        /// The name of the file that is written.
        name: String,
        /// The position as FEN.
        record: String,
        /// What was found, and what is needed.
        wrong: String,
    },
    /// The output that the caller gave accepts no more bytes.
    Output(io::Error),
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DataError::Unreadable { name, error } => {
                write!(f, "cannot read `{}`: {error}", foreign(name))
            }
            DataError::Format { name, wrong } => write!(f, "`{}`: {wrong}", foreign(name)),
            DataError::Bad(record) => record.fmt(f),
            DataError::Empty { reason } => write!(f, "no positions are left: {reason}"),
            DataError::File(error) => error.fmt(f),
            DataError::Unsuitable {
                name,
                record,
                wrong,
            } => write!(f, "cannot write `{record}` to `{}`: {wrong}", foreign(name)),
            DataError::Output(error) => write!(f, "cannot write: {error}"),
        }
    }
}

nnue_compiler::format::debug_is_message!(DataError);

impl std::error::Error for DataError {}

impl From<nnue_files::Error> for DataError {
    fn from(error: nnue_files::Error) -> DataError {
        DataError::File(error)
    }
}
