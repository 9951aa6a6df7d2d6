//! Where the pieces are, in one byte per square, so that two placements are compared in a few
//! instructions.

use crate::board::error::BoardError;
use crate::chess::{Bitboard, Color, Piece, PieceCode, Role, Square};
use crate::delta::{Changes, Delta};
use crate::level::Level;
use crate::position::Position;
use crate::simd;

/// The pieces of a position, and the squares of both kings.
#[derive(Clone, Copy)]
pub(crate) struct Placement {
    squares: PieceCodes,
    kings: [Square; 2],
}

/// The squares of a [`Placement`], a [`PieceCode`] each.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(align(64))]
pub(crate) struct PieceCodes([u8; 64]);

impl PieceCodes {
    pub(crate) const EMPTY: PieceCodes = PieceCodes([PieceCode::NOTHING.0; 64]);

    /// The code of each square.
    #[inline]
    pub(crate) fn bytes(&self) -> &[u8; 64] {
        &self.0
    }

    /// The content of a square.
    #[inline]
    pub(crate) fn code(&self, square: Square) -> PieceCode {
        PieceCode(self.0[square.index()])
    }

    #[inline]
    fn set(&mut self, square: Square, code: PieceCode) {
        self.0[square.index()] = code.0;
    }

    /// Takes pieces off the board, then puts others on it. Returns the squares of all of them.
    #[inline]
    pub(crate) fn replace(&mut self, removed: Changes, added: Changes) -> Bitboard {
        self.remove(removed) | self.add(added)
    }

    /// Takes pieces off the board, and returns their squares.
    #[inline]
    pub(crate) fn remove(&mut self, pieces: Changes) -> Bitboard {
        let mut changed = Bitboard::EMPTY;
        for (_, square) in pieces.codes() {
            changed.insert(square);
            self.set(square, PieceCode::NOTHING);
        }
        changed
    }

    /// Puts pieces on the board, and returns their squares.
    #[inline]
    pub(crate) fn add(&mut self, pieces: Changes) -> Bitboard {
        let mut changed = Bitboard::EMPTY;
        for (code, square) in pieces.codes() {
            changed.insert(square);
            self.set(square, code);
        }
        changed
    }

    /// The squares of a piece.
    #[inline]
    pub(crate) fn of(&self, piece: Piece) -> Bitboard {
        let everywhere = PieceCodes([PieceCode::of(piece).0; 64]);
        !self.differences(&everywhere)
    }

    /// How many pieces there are.
    pub(crate) fn count(&self) -> usize {
        self.0.iter().filter(|code| **code != 0).count()
    }

    /// The squares on which two placements differ.
    #[inline]
    pub(crate) fn differences(&self, other: &PieceCodes) -> Bitboard {
        Bitboard(simd::differing_bytes(&self.0, &other.0))
    }
}

impl Placement {
    pub(crate) const EMPTY: Placement = Placement {
        squares: PieceCodes::EMPTY,
        kings: [Square::A1; 2],
    };

    /// The placement of a position, by the instructions of a level.
    pub(crate) fn of(level: Level, position: &impl Position) -> Placement {
        let (mut role_bits, mut black, mut occupied) = ([0; 3], 0, 0);
        for role in Role::ALL {
            let black_ones = position.pieces(Piece::new(Color::Black, role)).0;
            let both = position.pieces(Piece::new(Color::White, role)).0 | black_ones;
            for (bit, set) in role_bits.iter_mut().enumerate() {
                if role.index() >> bit & 1 != 0 {
                    *set |= both;
                }
            }
            black |= black_ones;
            occupied |= both;
        }
        let [first, second, third] = role_bits;
        let sets = [occupied, first, second, third, black];
        /// What each of them is in the sum that `PieceCode::of` is. Overlapping sets, which
        /// positions must not have, can make up codes that no piece has.
        const VALUES: [u8; 5] = [1, 1, 2, 4, 6];
        Placement {
            squares: PieceCodes(simd::sums_of_bits(level, &sets, &VALUES)),
            kings: Color::ALL.map(|color| position.king(color)),
        }
    }

    #[inline]
    pub(crate) fn squares(&self) -> &PieceCodes {
        &self.squares
    }

    /// The squares of white's king and of black's.
    #[inline]
    pub(crate) fn kings(&self) -> [Square; 2] {
        self.kings
    }

    /// Makes a move, and returns the squares where something may have changed.
    #[inline]
    pub(crate) fn apply(&mut self, delta: &Delta) -> Bitboard {
        let [removed, added] = delta.changes();
        self.kings = delta.kings_after(self.kings);
        self.squares.replace(removed, added)
    }

    /// Whether a delta fits: it removes pieces that are there, then adds others to squares that are
    /// empty.
    pub(crate) fn check(&self, delta: &Delta) -> Result<(), BoardError> {
        let mut squares = self.squares;
        for (piece, square) in delta.removed() {
            let found = squares.code(square).piece();
            if found != Some(piece) {
                return Err(BoardError::Missing {
                    piece,
                    square,
                    found,
                });
            }
            squares.set(square, PieceCode::NOTHING);
        }
        for (piece, square) in delta.added() {
            if let Some(found) = squares.code(square).piece() {
                return Err(BoardError::Occupied {
                    piece,
                    square,
                    found,
                });
            }
            squares.set(square, PieceCode::of(piece));
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
        let start = Placement::of(Level::detect(), &Board::start());
        for square in Square::ALL {
            let mut other = start;
            let piece = Piece::new(Color::White, Role::Queen);
            let code = match start.squares.code(square).piece() {
                Some(_) => PieceCode::NOTHING,
                None => PieceCode::of(piece),
            };
            other.squares.set(square, code);
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
