//! Where the pieces are, as the evaluator keeps it: one byte per square, so that two placements are compared in a few
//! instructions.

use crate::board::BoardError;
use crate::chess::{Bitboard, Color, Role, Square};
use crate::delta::Delta;
use crate::features::{PieceCode, for_each_piece};
use crate::position::Position;
use crate::simd;

/// A position's pieces.
#[derive(Clone, Copy)]
pub(super) struct Placement {
    squares: PieceCodes,
    kings: [Square; 2],
    pieces: usize,
}

/// The squares of a [`Placement`], a [`PieceCode`] each.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(align(64))]
pub(super) struct PieceCodes([u8; 64]);

impl PieceCodes {
    pub(super) const EMPTY: PieceCodes = PieceCodes([PieceCode::NOTHING.0; 64]);

    /// What stands on a square.
    #[inline]
    pub(super) fn code(&self, square: Square) -> PieceCode {
        PieceCode(self.0[square.index()])
    }

    /// The squares on which two placements differ.
    #[inline]
    pub(super) fn differences(&self, other: &PieceCodes) -> Bitboard {
        Bitboard(simd::differing_bytes(&self.0, &other.0))
    }
}

impl Placement {
    pub(super) const EMPTY: Placement = Placement {
        squares: PieceCodes::EMPTY,
        kings: [Square::A1; 2],
        pieces: 0,
    };

    pub(super) fn of(position: &impl Position) -> Placement {
        let mut placement = Placement {
            kings: Color::ALL.map(|color| position.king(color)),
            ..Placement::EMPTY
        };
        for_each_piece(position, |piece, square| {
            placement.squares.0[square.index()] = PieceCode::of(piece).0;
            placement.pieces += 1;
        });
        placement
    }

    #[inline]
    pub(super) fn squares(&self) -> &PieceCodes {
        &self.squares
    }

    #[inline]
    pub(super) fn king(&self, color: Color) -> Square {
        self.kings[color.index()]
    }

    /// How many pieces there are.
    #[inline]
    pub(super) fn pieces(&self) -> usize {
        self.pieces
    }

    /// Makes a move, and returns the squares where something may have changed.
    #[inline]
    pub(super) fn apply(&mut self, delta: &Delta) -> Bitboard {
        let mut changed = Bitboard::EMPTY;
        for (_, square) in delta.removed() {
            changed.insert(*square);
            self.squares.0[square.index()] = PieceCode::NOTHING.0;
        }
        for (piece, square) in delta.added() {
            changed.insert(*square);
            self.squares.0[square.index()] = PieceCode::of(*piece).0;
            if piece.role == Role::King {
                self.kings[piece.color.index()] = *square;
            }
        }
        self.pieces = self
            .pieces
            .wrapping_add(delta.added().len())
            .wrapping_sub(delta.removed().len());
        changed
    }

    /// Whether a delta fits: it removes pieces that are there, and then adds others to squares that are empty.
    pub(super) fn check(&self, delta: &Delta) -> Result<(), BoardError> {
        let mut squares = self.squares;
        for &(piece, square) in delta.removed() {
            let found = squares.code(square).piece();
            if found != Some(piece) {
                return Err(BoardError::Missing {
                    piece,
                    square,
                    found,
                });
            }
            squares.0[square.index()] = PieceCode::NOTHING.0;
        }
        for &(piece, square) in delta.added() {
            if let Some(found) = squares.code(square).piece() {
                return Err(BoardError::Occupied {
                    piece,
                    square,
                    found,
                });
            }
            squares.0[square.index()] = PieceCode::of(piece).0;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::chess::Piece;

    #[test]
    fn differences_are_found_on_every_square() {
        let start = Placement::of(&Board::start());
        for square in Square::ALL {
            let mut other = start;
            let piece = Piece::new(Color::White, Role::Queen);
            other.squares.0[square.index()] = match start.squares.code(square).piece() {
                Some(_) => PieceCode::NOTHING.0,
                None => PieceCode::of(piece).0,
            };
            assert_eq!(
                start.squares.differences(&other.squares),
                Bitboard::from(square)
            );
        }
        assert_eq!(start.squares.differences(&start.squares), Bitboard::EMPTY);
        let all = PieceCodes([1; 64]).differences(&PieceCodes([12; 64]));
        assert_eq!(all, Bitboard(u64::MAX));
    }
}
