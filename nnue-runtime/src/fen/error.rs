//! The errors that a FEN can have.

use alloc::string::String;
use core::error::Error;
use core::fmt;
use nnue_format::foreign;

use super::FIELDS;
use crate::chess::{Color, Square};

/// Why a text is no position.
///
/// In all variants, `found` is what the text has: a character, a whole field, or how many there
/// are. `offset` is where that begins, in characters from the start of the text, from 0. `rank` is
/// 1 to 8, as FEN counts ranks.
#[allow(
    missing_docs,
    reason = "the type says what the fields of all variants mean"
)]
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FenError {
    /// The text is empty or blank.
    Empty,
    /// A character is not ASCII.
    NotAscii { offset: usize, found: char },
    /// The text has fewer than two fields or more than six.
    Fields { found: usize },
    /// The placement has fewer than eight ranks, or more.
    Ranks { found: usize },
    /// A rank has fewer than eight files, or more.
    Files { rank: u8, found: usize },
    /// A character in a rank is neither a piece nor a number of empty squares.
    Letter {
        offset: usize,
        rank: u8,
        found: char,
    },
    /// A run of empty squares is written as two numbers; `offset` is that of the second.
    AdjacentDigits { offset: usize, rank: u8 },
    /// A pawn stands on the first or the last rank, on `square`.
    PawnRank { offset: usize, square: Square },
    /// A player has no king, or several.
    Kings { color: Color, found: usize },
    /// There are more than the 32 pieces that a game begins with.
    Pieces { found: usize },
    /// The side to move is neither `w` nor `b`.
    SideToMove { offset: usize, found: String },
    /// A character in the castling field stands for no castling right.
    Castling { offset: usize, found: char },
    /// The castling field gives a right twice; `offset` is that of the second time.
    RepeatedCastling { offset: usize, found: char },
    /// The castling field gives a player more than two rights.
    CastlingRights { color: Color, found: usize },
    /// The en passant field is neither `-` nor a square on the third or the sixth rank.
    EnPassant { offset: usize, found: String },
    /// The halfmove clock or the fullmove number is no number; `field` is its name.
    Number {
        field: &'static str,
        offset: usize,
        found: String,
    },
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FenError::Empty => {
                f.write_str("found an empty text, expected at least placement and side to move")
            }
            FenError::NotAscii { offset, found } => write!(
                f,
                "found `{}` at offset {offset}, expected ASCII only",
                foreign(found)
            ),
            FenError::Fields { found } => {
                let fields = if *found == 1 { "field" } else { "fields" };
                write!(f, "found {found} {fields}, expected 2 to 6: ")?;
                f.write_str(FIELDS[0])?;
                FIELDS[1..]
                    .iter()
                    .try_for_each(|name| write!(f, ", {name}"))
            }
            FenError::Ranks { found } => write!(
                f,
                "found {found} ranks in the placement, expected 8 separated by `/`"
            ),
            FenError::Files { rank, found } => {
                write!(f, "found {found} files in rank {rank}, expected 8")
            }
            FenError::Letter {
                offset,
                rank,
                found,
            } => write!(
                f,
                "found `{}` in rank {rank} at offset {offset}, expected one of `PNBRQKpnbrqk` or a digit from 1 to 8",
                foreign(found)
            ),
            FenError::AdjacentDigits { offset, rank } => write!(
                f,
                "found adjacent digits in rank {rank} at offset {offset}, expected one digit for each run of empty squares"
            ),
            FenError::PawnRank { offset, square } => write!(
                f,
                "found a pawn on {square} at offset {offset}, expected pawns on ranks 2 to 7 only"
            ),
            FenError::Kings { color, found } => {
                write!(f, "found {found} {color} kings, expected 1")
            }
            FenError::Pieces { found } => write!(f, "found {found} pieces, expected at most 32"),
            FenError::SideToMove { offset, found } => write!(
                f,
                "found side to move `{}` at offset {offset}, expected `w` or `b`",
                foreign(found)
            ),
            FenError::Castling { offset, found } => write!(
                f,
                "found `{}` in the castling field at offset {offset}, expected `-` alone or letters of `KQkq`, `A` to `H`, `a` to `h`",
                foreign(found)
            ),
            FenError::RepeatedCastling { offset, found } => write!(
                f,
                "found `{found}` again in the castling field at offset {offset}, expected each right once"
            ),
            FenError::CastlingRights { color, found } => write!(
                f,
                "found {found} castling rights of {color}, expected at most 2"
            ),
            FenError::EnPassant { offset, found } => write!(
                f,
                "found en passant square `{}` at offset {offset}, expected `-` or a square on rank 3 or 6",
                foreign(found)
            ),
            FenError::Number {
                field,
                offset,
                found,
            } => write!(
                f,
                "found {field} `{}` at offset {offset}, expected a number",
                foreign(found)
            ),
        }
    }
}

impl Error for FenError {}
