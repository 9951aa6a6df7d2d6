//! Where the pieces are, as the evaluator keeps it: one byte per square, so that two placements are compared in a few
//! instructions.

use crate::board::BoardError;
use crate::chess::{Color, Piece, Role, Square};
use crate::delta::Delta;
use crate::features::for_each_piece;
use crate::position::Position;

/// A byte per square: 0, or one more than the piece's index.
#[derive(Clone)]
pub(super) struct Placement {
    squares: Squares,
    kings: [Square; 2],
    pieces: usize,
}

/// The squares of a [`Placement`].
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(align(64))]
pub(super) struct Squares([u8; 64]);

impl Squares {
    pub(super) const EMPTY: Squares = Squares([0; 64]);

    /// The piece on a square.
    #[inline]
    pub(super) fn piece(&self, square: Square) -> Option<Piece> {
        let code = self.0[square.index()];
        Piece::ALL.get(usize::from(code).wrapping_sub(1)).copied()
    }

    /// The squares on which two placements differ.
    #[inline]
    pub(super) fn differences(&self, other: &Squares) -> crate::chess::Bitboard {
        let mut differences = 0;
        for (index, (a, b)) in self
            .0
            .as_chunks::<8>()
            .0
            .iter()
            .zip(other.0.as_chunks::<8>().0)
            .enumerate()
        {
            // Codes are below 128, so a byte that differs carries into its highest bit; the product brings
            // these bits together.
            let differing = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
            let high = differing.wrapping_add(0x7F7F_7F7F_7F7F_7F7F) & 0x8080_8080_8080_8080;
            differences |= (high >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56 << (8 * index);
        }
        crate::chess::Bitboard(differences)
    }
}

impl Placement {
    pub(super) fn of(position: &impl Position) -> Placement {
        let mut placement = Placement {
            squares: Squares::EMPTY,
            kings: [position.king(Color::White), position.king(Color::Black)],
            pieces: 0,
        };
        for_each_piece(position, |piece, square| {
            placement.squares.0[square.index()] = code(piece);
            placement.pieces += 1;
        });
        placement
    }

    #[inline]
    pub(super) fn squares(&self) -> &Squares {
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

    #[inline]
    pub(super) fn apply(&mut self, delta: &Delta) {
        self.change(delta.removed(), delta.added());
    }

    #[inline]
    pub(super) fn undo(&mut self, delta: &Delta) {
        self.change(delta.added(), delta.removed());
    }

    #[inline]
    fn change(&mut self, removed: &[(Piece, Square)], added: &[(Piece, Square)]) {
        for (_, square) in removed {
            self.squares.0[square.index()] = 0;
        }
        for (piece, square) in added {
            self.squares.0[square.index()] = code(*piece);
            if piece.role == Role::King {
                self.kings[piece.color.index()] = *square;
            }
        }
        self.pieces = self
            .pieces
            .wrapping_add(added.len())
            .wrapping_sub(removed.len());
    }

    /// Whether a delta fits: it removes pieces that are there, and adds others to squares that are then empty.
    pub(super) fn check(&self, delta: &Delta) -> Result<(), BoardError> {
        for &(piece, square) in delta.removed() {
            let found = self.squares.piece(square);
            if found != Some(piece) {
                return Err(BoardError::Missing {
                    piece,
                    square,
                    found,
                });
            }
        }
        for &(piece, square) in delta.added() {
            let vacated = delta.removed().iter().any(|(_, from)| *from == square);
            match self.squares.piece(square) {
                Some(found) if !vacated => {
                    return Err(BoardError::Occupied {
                        piece,
                        square,
                        found,
                    });
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn code(piece: Piece) -> u8 {
    1 + piece.index() as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::chess::Bitboard;

    #[test]
    fn differences_are_found_on_every_square() {
        let start = Placement::of(&Board::start());
        for square in Square::ALL {
            let mut other = start.clone();
            let piece = Piece::new(Color::White, Role::Queen);
            other.squares.0[square.index()] = match start.squares.piece(square) {
                Some(_) => 0,
                None => code(piece),
            };
            assert_eq!(
                start.squares.differences(&other.squares),
                Bitboard::from(square)
            );
        }
        assert_eq!(start.squares.differences(&start.squares), Bitboard::EMPTY);
        let all = Squares([1; 64]).differences(&Squares([12; 64]));
        assert_eq!(all, Bitboard(u64::MAX));
    }
}
