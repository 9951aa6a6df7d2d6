//! Why a change or a position does not fit on a board.

use core::error::Error;
use core::fmt;

use crate::chess::{Piece, Square};

/// Why a change or a position does not fit on a [`Board`](crate::Board).
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BoardError {
    /// A piece to remove is not there.
    Missing {
        /// The piece to remove.
        piece: Piece,
        /// Where it should be.
        square: Square,
        /// The piece that is there instead, if any.
        found: Option<Piece>,
    },
    /// A square to put a piece on is occupied.
    Occupied {
        /// The piece to put there.
        piece: Piece,
        /// Where it would be put.
        square: Square,
        /// The piece that stands there already.
        found: Piece,
    },
}

impl fmt::Display for BoardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BoardError::Missing {
                piece,
                square,
                found: Some(found),
            } => write!(
                f,
                "found `{found}` on {square}, expected `{piece}` to remove"
            ),
            BoardError::Missing {
                piece,
                square,
                found: None,
            } => write!(
                f,
                "found no piece on {square}, expected `{piece}` to remove"
            ),
            BoardError::Occupied {
                piece,
                square,
                found,
            } => write!(
                f,
                "found `{found}` on {square}, expected an empty square for `{piece}`"
            ),
        }
    }
}

nnue_format::debug_is_message!(BoardError);

impl Error for BoardError {}
