//! What can be wrong with a FEN.

use alloc::string::String;
use core::error::Error;
use core::fmt;

use super::FIELDS;
use crate::chess::{Color, Square};

/// Why a text is no position. Offsets count characters from the start of the text, beginning at 0.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FenError {
    /// The text is empty or blank.
    Empty,
    /// A character outside ASCII.
    NotAscii {
        /// Where it is.
        offset: usize,
        /// The character.
        found: char,
    },
    /// Less than two or more than six fields.
    Fields {
        /// How many there are.
        found: usize,
    },
    /// The placement has not eight ranks.
    Ranks {
        /// How many it has.
        found: usize,
    },
    /// A rank has not eight files.
    Files {
        /// The rank as FEN names it, 1 to 8.
        rank: u8,
        /// How many files it has.
        found: usize,
    },
    /// A rank holds what is neither a piece nor a number of empty squares.
    Letter {
        /// Where it is.
        offset: usize,
        /// The rank as FEN names it, 1 to 8.
        rank: u8,
        /// The character.
        found: char,
    },
    /// A run of empty squares is written as two numbers.
    AdjacentDigits {
        /// Where the second number is.
        offset: usize,
        /// The rank as FEN names it, 1 to 8.
        rank: u8,
    },
    /// A pawn stands on the first or the last rank.
    PawnRank {
        /// Where the pawn is in the text.
        offset: usize,
        /// Where the pawn is on the board.
        square: Square,
    },
    /// A player has not exactly one king.
    Kings {
        /// The player.
        color: Color,
        /// How many kings that player has.
        found: usize,
    },
    /// More pieces than the 32 that a game begins with.
    Pieces {
        /// How many there are.
        found: usize,
    },
    /// The side to move is neither `w` nor `b`.
    SideToMove {
        /// Where the field begins.
        offset: usize,
        /// The field.
        found: String,
    },
    /// The castling field has a character that stands for no right.
    Castling {
        /// Where it is.
        offset: usize,
        /// The character.
        found: char,
    },
    /// The castling field gives a right twice.
    RepeatedCastling {
        /// Where it is given for the second time.
        offset: usize,
        /// The letter that stands for it.
        found: char,
    },
    /// The castling field gives a player more than two rights.
    CastlingRights {
        /// The player.
        color: Color,
        /// How many that player is given.
        found: usize,
    },
    /// The en passant field is neither `-` nor a square on the third or the sixth rank.
    EnPassant {
        /// Where the field begins.
        offset: usize,
        /// The field.
        found: String,
    },
    /// The halfmove clock or the fullmove number is no number.
    Number {
        /// The name of the field.
        field: &'static str,
        /// Where the field begins.
        offset: usize,
        /// The field.
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
                found.escape_debug()
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
                found.escape_debug()
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
                found.escape_debug()
            ),
            FenError::Castling { offset, found } => write!(
                f,
                "found `{}` in the castling field at offset {offset}, expected `-` alone or letters of `KQkq`, `A` to `H`, `a` to `h`",
                found.escape_debug()
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
                found.escape_debug()
            ),
            FenError::Number {
                field,
                offset,
                found,
            } => write!(
                f,
                "found {field} `{}` at offset {offset}, expected a number",
                found.escape_debug()
            ),
        }
    }
}

impl Error for FenError {}
