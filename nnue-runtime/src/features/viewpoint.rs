//! The squares that decide how a perspective sees the board.

use nnue_format::PieceSquare;

use crate::architecture::Architecture;
use crate::chess::{Bitboard, Color, Piece, Role, Square};
use crate::delta::Delta;
use crate::feature_set::{Family, FeatureSet};
use crate::placement::Placement;
use crate::position::Position;

/// The squares that a perspective's rows depend on, besides the pieces that they stand for. While
/// it stays the same, every piece keeps its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Viewpoint {
    /// The square of the perspective's own king.
    pub(super) king: Square,
    /// The index of the opponent's queens in [`PieceSquare::queen_offset`], with squares as they
    /// are on the board; 0 in networks where no set asks for them.
    queens: u8,
}

impl Viewpoint {
    /// How many [numbers](Self::number) of viewpoints there are.
    pub(crate) const COUNT: usize = 64 * PieceSquare::QUEENS;

    /// The viewpoint of a perspective in a position.
    #[inline]
    pub(crate) fn of<A: Architecture>(position: &impl Position, perspective: Color) -> Viewpoint {
        let queen = Piece::new(!perspective, Role::Queen);
        Viewpoint::new::<A>(position.king(perspective), || position.pieces(queen))
    }

    /// The viewpoint of a perspective in a placement.
    #[inline]
    pub(crate) fn in_placement<A: Architecture>(
        placement: &Placement,
        perspective: Color,
    ) -> Viewpoint {
        let queen = Piece::new(!perspective, Role::Queen);
        let king = placement.kings()[perspective.index()];
        Viewpoint::new::<A>(king, || placement.squares().of(queen))
    }

    /// The viewpoint with the own king on a square and these queens of the opponent's, which only
    /// networks with sets that depend on them ask for.
    #[inline]
    pub(crate) fn new<A: Architecture>(
        king: Square,
        queens: impl FnOnce() -> Bitboard,
    ) -> Viewpoint {
        let queens = if const { depend_on_queens(A::FEATURES) } {
            index(queens())
        } else {
            0
        };
        Viewpoint { king, queens }
    }

    /// The viewpoint of a perspective in a position for sets that are known only at run time, which
    /// may depend on queens.
    pub(super) fn with_queens(position: &impl Position, perspective: Color) -> Viewpoint {
        let queens = position.pieces(Piece::new(!perspective, Role::Queen));
        Viewpoint {
            king: position.king(perspective),
            queens: index(queens),
        }
    }

    /// A perspective's viewpoints before a move and after it. `after` is the position after it.
    #[inline]
    pub(crate) fn around<A: Architecture>(
        perspective: Color,
        delta: &Delta,
        after: &impl Position,
    ) -> [Viewpoint; 2] {
        let (own_king, queen) = (
            Piece::new(perspective, Role::King),
            Piece::new(!perspective, Role::Queen),
        );
        let mut king = after.king(perspective);
        if delta.moves_king(perspective) {
            let before = delta.removed().find(|(piece, _)| *piece == own_king);
            // Positions without a king have it on a1.
            king = before.map_or(Square::A1, |(_, square)| square);
        }
        let before = Viewpoint::new::<A>(king, || {
            let mut queens = after.pieces(queen);
            let is_queen = |change: &(Piece, Square)| change.0 == queen;
            for (_, square) in delta.added().filter(is_queen) {
                queens.remove(square);
            }
            for (_, square) in delta.removed().filter(is_queen) {
                queens.insert(square);
            }
            queens
        });
        [before, Viewpoint::of::<A>(after, perspective)]
    }

    /// All viewpoints that there are in a network.
    pub(crate) fn all<A: Architecture>() -> impl Iterator<Item = Viewpoint> {
        let queens = if const { depend_on_queens(A::FEATURES) } {
            PieceSquare::QUEENS as u8
        } else {
            1
        };
        let kings = move |queens| Square::ALL.map(|king| Viewpoint { king, queens });
        (0..queens).flat_map(kings)
    }

    /// The number that squares are exclusive-ored with for a perspective that sees the board flipped
    /// by `flip`, and mirrored if its own king then stands on one of `mirror_files`, a bit for each.
    #[inline]
    pub(super) fn orientation(self, flip: u8, mirror_files: u8) -> u8 {
        let file = (self.king.index() as u8 ^ flip) % 8;
        let mirrored = mirror_files >> file & 1 != 0;
        flip ^ if mirrored { 7 } else { 0 }
    }

    /// The number of the viewpoint, below [`Self::COUNT`].
    #[inline]
    pub(crate) fn number(self) -> usize {
        64 * usize::from(self.queens) + self.king.index()
    }

    /// The index of the opponent's queens in [`PieceSquare::queen_offset`], as squares are seen
    /// that are exclusive-ored with `orientation`.
    #[inline]
    pub(super) fn queens_seen(self, orientation: u8) -> usize {
        let queens = usize::from(self.queens);
        match queens {
            // The two bits of a quadrant are the highest ones of a file and of a rank.
            1..=4 => {
                let turned = usize::from(orientation);
                1 + ((queens - 1) ^ (turned >> 2 & 1 | turned >> 4 & 2))
            }
            _ => queens,
        }
    }
}

/// The index of some queens in [`PieceSquare::queen_offset`].
#[inline]
fn index(queens: Bitboard) -> u8 {
    match queens.0.count_ones() {
        0 => 0,
        1 => {
            let square = queens.0.trailing_zeros() as u8;
            1 + (square >> 2 & 1 | square >> 4 & 2)
        }
        _ => 5,
    }
}

/// Whether the rows of some set depend on the opponent's queens.
const fn depend_on_queens(sets: &[FeatureSet]) -> bool {
    match sets {
        [first, others @ ..] => {
            let depends = match &first.family {
                Family::PieceSquare(tables) => tables.depends_on_queens(),
                Family::Threats(_)
                | Family::PawnPairs(_)
                | Family::Clock(_)
                | Family::Custom { .. } => false,
            };
            depends || depend_on_queens(others)
        }
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first square of each quadrant, and where a1 to d4 goes when the board is turned.
    #[test]
    fn quadrants_turn_with_the_board() {
        let of = |square: Square| index(Bitboard::from(square));
        let corners = [Square::A1, Square::E1, Square::A5, Square::E5];
        assert_eq!(corners.map(of), [1, 2, 3, 4]);
        assert_eq!([Square::D4, Square::H8].map(of), [1, 4]);
        for square in Square::ALL {
            for orientation in [0, 7, 56, 63] {
                let viewpoint = Viewpoint {
                    king: Square::A1,
                    queens: of(square),
                };
                let seen = Square::ALL[square.index() ^ usize::from(orientation)];
                let expected = usize::from(of(seen));
                assert_eq!(viewpoint.queens_seen(orientation), expected);
            }
        }
    }

    #[test]
    fn several_queens_are_in_no_quadrant() {
        assert_eq!(index(Bitboard::EMPTY), 0);
        assert_eq!(index(Bitboard(0b11)), 5);
        assert_eq!(index(Bitboard(u64::MAX)), 5);
        let several = Viewpoint {
            king: Square::A1,
            queens: 5,
        };
        assert_eq!(several.queens_seen(63), 5);
    }
}
