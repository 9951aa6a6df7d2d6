//! Why a file is no trace.

use nnue_runtime::__private::file::foreign;
use std::fmt;

/// Why a trace cannot be read.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum TraceError {
    /// The file begins like a file compressed by gzip, but cannot be decompressed.
    #[error("cannot decompress: {}", foreign(.message))]
    Gzip {
        /// The message of the decompression.
        message: String,
    },
    /// The file is longer than a trace can be.
    #[error("found more than {limit} bytes of text, which is the most")]
    TooLong {
        /// The most bytes that a trace can have, uncompressed.
        limit: u64,
    },
    /// A line is not as the format says.
    #[error("line {line}: {error}")]
    Line {
        /// The number of the line, counted from 1.
        line: usize,
        /// The mistake in the line.
        error: LineError,
    },
}

/// A mistake in a line of a trace.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// The line is not UTF-8.
    #[error("found bytes that are not UTF-8, expected text")]
    NotText,
    /// The line has no `;` after a FEN.
    #[error("found no `;`, expected the FEN of a position, `;`, and tokens")]
    NoRoot,
    /// The line begins with something else than the FEN of a legal position.
    #[error(
        "found `{}`, expected the FEN of a legal position: {}",
        foreign(.fen),
        foreign(.message)
    )]
    Root {
        /// The text with which the line begins.
        fen: String,
        /// The mistake in that text.
        message: String,
    },
    /// A token of the line does not fit in its place.
    #[error("token {number}: found `{}`, expected {expected}", foreign(.token))]
    Token {
        /// The number of the token after the `;`, counted from 1.
        number: usize,
        /// The token in the line.
        token: String,
        /// The kind of token that is allowed there.
        expected: Expected,
    },
}

/// The kind of token that a place in a trace allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Any token of the format.
    Token,
    /// A legal move; in check, a null move is not legal.
    LegalMove,
    /// A move or an evaluation, because no move is left to take back.
    SomethingMade,
    /// `-`, because the last step is a move.
    Unmake,
    /// `~`, because the last step is a null move.
    UnmakeNull,
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Expected::Token => "a move such as `e2e4` or `e7e8q`, or `-`, `0`, `~` or `=`",
            Expected::LegalMove => "a legal move",
            Expected::SomethingMade => "a move or `0` before it: all that was made is taken back",
            Expected::Unmake => "`-`: the last that was made is a move",
            Expected::UnmakeNull => "`~`: the last that was made is a null move",
        })
    }
}

nnue_runtime::__private::file::debug_is_message!(TraceError, LineError);
