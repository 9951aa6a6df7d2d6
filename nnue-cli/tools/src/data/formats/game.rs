//! Code that the formats with games or bitboards share.

use std::fmt;

use cozy_chess::{Move, Square};
use nnue_runtime::{Bitboard, Color, Piece, Position, Role};

use crate::data::record::Record;
use crate::fen::Rest;

/// A position as a list of pieces and their squares.
pub(super) struct Placed {
    pub(super) bitboards: [Bitboard; 12],
    pub(super) side_to_move: Color,
}

impl Position for Placed {
    fn side_to_move(&self) -> Color {
        self.side_to_move
    }

    fn pieces(&self, piece: Piece) -> Bitboard {
        self.bitboards[piece.index()]
    }
}

/// The roles that a pawn can become, in the order of all formats.
pub(super) const PROMOTIONS: [cozy_chess::Piece; 4] = [
    cozy_chess::Piece::Knight,
    cozy_chess::Piece::Bishop,
    cozy_chess::Piece::Rook,
    cozy_chess::Piece::Queen,
];

/// The occupied squares, each with its half of a byte: that of the first square is the lower half of
/// the first byte.
pub(super) fn occupants(
    mut occupied: u64,
    codes: &[u8],
) -> Result<impl Iterator<Item = (Square, u8)>, String> {
    check_count(occupied)?;
    let halves = codes.iter().flat_map(|byte| [byte & 0xF, byte >> 4]);
    Ok(halves.map_while(move |code| {
        let square = occupied.trailing_zeros() as usize;
        occupied &= occupied.wrapping_sub(1);
        Square::try_index(square).map(|square| (square, code))
    }))
}

/// Checks the number of occupied squares.
pub(super) fn check_count(occupied: u64) -> Result<(), String> {
    let pieces = occupied.count_ones();
    if pieces > 32 {
        Err(format!("found {pieces} pieces, allowed are 2 to 32"))
    } else {
        Ok(())
    }
}

/// The squares of the first rank and of the last.
const PAWNLESS: u64 = 0xFF00_0000_0000_00FF;

/// Checks kings and pawns as the parser of FEN does.
pub(super) fn check_kings_and_pawns(position: &impl Position) -> Result<(), String> {
    for color in Color::ALL {
        let of_color = |role| position.pieces(Piece::new(color, role));
        let kings = of_color(Role::King).len();
        if kings != 1 {
            let name = if color == Color::White {
                "white"
            } else {
                "black"
            };
            return Err(format!("found {kings} kings of {name}, expected 1"));
        }
        if of_color(Role::Pawn).0 & PAWNLESS != 0 {
            return Err("found a pawn on the first rank or the last".into());
        }
    }
    Ok(())
}

/// An error of cozy-chess, whose messages are sentences, as part of another message.
pub(super) fn of_cozy(error: impl fmt::Display) -> String {
    let message = error.to_string();
    message.trim_end_matches('.').to_lowercase()
}

/// The position of a game before a move.
pub(super) fn record(board: &cozy_chess::Board, played: Move) -> Record {
    Record {
        rest: Rest::of(board),
        tactical: Some(is_tactical(board, played)),
        played: Some(played),
        ..Record::new(board)
    }
}

/// Whether a move captures a piece or promotes a pawn.
pub(super) fn is_tactical(board: &cozy_chess::Board, played: Move) -> bool {
    let takes = board.color_on(played.to) == Some(!board.side_to_move());
    // A pawn changes its file only when it captures.
    let is_pawns = board.piece_on(played.from) == Some(cozy_chess::Piece::Pawn);
    takes || played.promotion.is_some() || is_pawns && played.from.file() != played.to.file()
}
