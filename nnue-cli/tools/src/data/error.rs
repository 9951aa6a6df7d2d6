//! Errors of files of positions.

use std::io;

use nnue_compiler::format::foreign;

/// A record that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {wrong}")]
pub struct BadRecord {
    /// The file, and the place in it: a line, a record or a game, counted from 1.
    pub place: String,
    /// The message, which says what was found and what is allowed.
    pub wrong: String,
}

/// Why there are no more positions.
#[derive(thiserror::Error)]
pub enum DataError {
    /// A file cannot be read.
    #[error("cannot read `{}`: {error}", foreign(.name))]
    Unreadable {
        /// The name of the file.
        name: String,
        /// The error of the system.
        error: io::Error,
    },
    /// The format of a file is not one that can be read, or lacks something that the options need.
    #[error("`{}`: {wrong}", foreign(.name))]
    Format {
        /// The name of the file.
        name: String,
        /// The message, which says what was found and what is allowed.
        wrong: String,
    },
    /// A record cannot be used, and bad records are not skipped.
    #[error("{0}")]
    Bad(BadRecord),
    /// There are files, but no positions to use in them.
    #[error("no positions are left: {reason}")]
    Empty {
        /// The message, which says why no record is used.
        reason: String,
    },
    /// A file cannot be written, or must not be because it is read.
    #[error("{0}")]
    File(#[from] crate::files::Error),
    /// A record lacks something that the written format needs.
    #[error("cannot write `{record}` to `{}`: {wrong}", foreign(.name))]
    Unsuitable {
        /// The name of the file that is written.
        name: String,
        /// The position as FEN.
        record: String,
        /// The message, which says what was found and what is needed.
        wrong: String,
    },
    /// The output that the caller gave accepts no more bytes.
    #[error("cannot write: {0}")]
    Output(io::Error),
}

nnue_compiler::format::debug_is_message!(DataError);
