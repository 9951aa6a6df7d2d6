//! The reasons for which a file is not a trace.

use nnue_runtime::__private::file::foreign;
use std::error::Error;
use std::fmt;

/// Why a trace cannot be read.
#[derive(Clone, PartialEq, Eq)]
pub enum TraceError {
    /// The file begins like a file compressed by gzip, but cannot be decompressed.
    Gzip {
        /// The message of the decompression.
        message: String,
    },
    /// The file is longer than a trace can be.
    TooLong {
        /// The most bytes that a trace can have, uncompressed.
        limit: u64,
    },
    /// A line is not as the format says.
    Line {
        /// The number of the line, counted from 1.
        line: usize,
        /// What is wrong with the line.
        error: LineError,
    },
}

/// What is wrong with a line of a trace.
#[derive(Clone, PartialEq, Eq)]
pub enum LineError {
    /// The line is not UTF-8.
    NotText,
    /// The line has no `;` after a FEN.
    NoRoot,
    /// The line begins with something else than the FEN of a legal position.
    Root {
        /// The text with which the line begins.
        fen: String,
        /// What is wrong with that text.
        message: String,
    },
    /// A token of the line does not fit in its place.
    Token {
        /// The number of the token after the `;`, counted from 1.
        number: usize,
        /// The token that was found.
        token: String,
        /// The kind of token that is allowed there.
        expected: Expected,
    },
}

/// What a token of a trace should have been.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Any token of the format.
    Token,
    /// A legal move; in check, a null move is not legal.
    LegalMove,
    /// A move or an evaluation, because no move is left to take back.
    SomethingMade,
    /// `-`, for the last that was made is a move.
    Unmake,
    /// `~`, for the last that was made is a null move.
    UnmakeNull,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TraceError::Gzip { message } => write!(f, "cannot decompress: {}", foreign(message)),
            TraceError::TooLong { limit } => {
                write!(
                    f,
                    "found more than {limit} bytes of text, which is the most"
                )
            }
            TraceError::Line { line, error } => write!(f, "line {line}: {error}"),
        }
    }
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LineError::NotText => f.write_str("found bytes that are not UTF-8, expected text"),
            LineError::NoRoot => {
                f.write_str("found no `;`, expected the FEN of a position, `;`, and tokens")
            }
            LineError::Root { fen, message } => {
                write!(
                    f,
                    "found `{}`, expected the FEN of a legal position: {}",
                    foreign(fen),
                    foreign(message)
                )
            }
            LineError::Token {
                number,
                token,
                expected,
            } => write!(
                f,
                "token {number}: found `{}`, expected {expected}",
                foreign(token)
            ),
        }
    }
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

impl Error for TraceError {}
impl Error for LineError {}
