//! What decides how a perspective sees the board.

use nnue_format::{Material, MaterialValue};

use crate::architecture::Architecture;
use crate::chess::{Bitboard, Color, Piece, Role, Square};
use crate::delta::Delta;
use crate::feature_set::{Family, FeatureSet};
use crate::placement::Placement;
use crate::position::Position;

/// What a perspective's rows depend on, besides the pieces that they stand for. While it stays the
/// same, every piece keeps its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Viewpoint {
    /// The square of the perspective's own king.
    pub(super) king: Square,
    /// The values of all [materials](Material) of the network's sets, with squares as they are on
    /// the board; 0 in networks without materials.
    materials: u8,
}

/// The number of an entry of the refresh cache for each viewpoint: [`Entries`].
pub trait EntryNumbers: Clone + Send + Sync + 'static {
    /// How many viewpoints there are: 64 squares of the own king, for each number that the bits of
    /// all materials can write.
    const VIEWPOINTS: usize;
    /// Each viewpoint has the entry 0.
    const ZERO: Self;

    /// The entry of each viewpoint of a perspective.
    fn of(&self, perspective: Color) -> &[u16];
    /// The entry of each viewpoint of a perspective, to be changed.
    fn of_mut(&mut self, perspective: Color) -> &mut [u16];
}

/// The entries of white's viewpoints, and those of black's. They lie in the evaluator itself: a
/// refresh would wait for another line of memory.
#[derive(Clone)]
pub struct Entries<const VIEWPOINTS: usize>([[u16; VIEWPOINTS]; 2]);

impl<const VIEWPOINTS: usize> EntryNumbers for Entries<VIEWPOINTS> {
    const VIEWPOINTS: usize = VIEWPOINTS;
    const ZERO: Self = Entries([[0; VIEWPOINTS]; 2]);

    #[inline]
    fn of(&self, perspective: Color) -> &[u16] {
        &self.0[perspective.index()]
    }

    #[inline]
    fn of_mut(&mut self, perspective: Color) -> &mut [u16] {
        &mut self.0[perspective.index()]
    }
}

impl Viewpoint {
    /// The viewpoint of a perspective in a position.
    #[inline]
    pub(crate) fn of<A: Architecture>(position: &impl Position, perspective: Color) -> Viewpoint {
        let king = position.king(perspective);
        Viewpoint::new::<A>(perspective, king, |piece| position.pieces(piece))
    }

    /// The viewpoint of a perspective in a placement.
    #[inline]
    pub(crate) fn in_placement<A: Architecture>(
        placement: &Placement,
        perspective: Color,
    ) -> Viewpoint {
        let king = placement.kings()[perspective.index()];
        Viewpoint::new::<A>(perspective, king, |piece| placement.squares().of(piece))
    }

    /// The viewpoint with the own king on a square and each piece on these squares, which only
    /// networks with materials ask for.
    #[inline]
    pub(crate) fn new<A: Architecture>(
        perspective: Color,
        king: Square,
        squares_of: impl Fn(Piece) -> Bitboard,
    ) -> Viewpoint {
        let materials = if const { A::Entries::VIEWPOINTS == 64 } {
            0
        } else {
            values(A::FEATURES, perspective, squares_of)
        };
        Viewpoint { king, materials }
    }

    /// The viewpoint of a perspective in a position for sets that are known only at run time.
    pub(super) fn of_sets(
        sets: &[FeatureSet],
        position: &impl Position,
        perspective: Color,
    ) -> Viewpoint {
        Viewpoint {
            king: position.king(perspective),
            materials: values(sets, perspective, |piece| position.pieces(piece)),
        }
    }

    /// A perspective's viewpoints before a move and after it. `after` is the position after it.
    #[inline]
    pub(crate) fn around<A: Architecture>(
        perspective: Color,
        delta: &Delta,
        after: &impl Position,
    ) -> [Viewpoint; 2] {
        let own_king = Piece::new(perspective, Role::King);
        let mut king = after.king(perspective);
        if delta.moves_king(perspective) {
            let before = delta.removed().find(|(piece, _)| *piece == own_king);
            // Positions without a king have it on a1.
            king = before.map_or(Square::A1, |(_, square)| square);
        }
        let before = Viewpoint::new::<A>(perspective, king, |piece| {
            let mut squares = after.pieces(piece);
            let is_asked = |change: &(Piece, Square)| change.0 == piece;
            for (_, square) in delta.added().filter(is_asked) {
                squares.remove(square);
            }
            for (_, square) in delta.removed().filter(is_asked) {
                squares.insert(square);
            }
            squares
        });
        [before, Viewpoint::of::<A>(after, perspective)]
    }

    /// All viewpoints that there are in a network, and some that there are not.
    pub(crate) fn all<A: Architecture>() -> impl Iterator<Item = Viewpoint> {
        let materials = 0..(A::Entries::VIEWPOINTS / 64) as u8;
        materials.flat_map(|materials| Square::ALL.map(|king| Viewpoint { king, materials }))
    }

    /// The number that squares are exclusive-ored with for a perspective that sees the board flipped
    /// by `flip`, and mirrored if its own king then stands on one of `mirror_files`, a bit for each.
    #[inline]
    pub(super) fn orientation(self, flip: u8, mirror_files: u8) -> u8 {
        let file = (self.king.index() as u8 ^ flip) % 8;
        let mirrored = mirror_files >> file & 1 != 0;
        flip ^ if mirrored { 7 } else { 0 }
    }

    /// The number of the viewpoint, below [`EntryNumbers::VIEWPOINTS`].
    #[inline]
    pub(crate) fn number(self) -> usize {
        64 * usize::from(self.materials) + self.king.index()
    }

    /// The value of a material of the network, as squares are seen that are exclusive-ored with
    /// `orientation`.
    #[inline]
    pub(super) fn value(self, material: &Material, orientation: u8) -> usize {
        let value = usize::from(self.materials) >> material.first_bit;
        let value = value & ((1 << material.bits()) - 1);
        match (material.value, value) {
            // The two bits of a quadrant are the highest ones of a file and of a rank.
            (MaterialValue::Quadrant, 1..=4) => {
                let turned = usize::from(orientation);
                1 + ((value - 1) ^ (turned >> 2 & 1 | turned >> 4 & 2))
            }
            _ => value,
        }
    }
}

/// The values of all materials of some sets, as one number.
#[inline]
fn values(sets: &[FeatureSet], perspective: Color, squares_of: impl Fn(Piece) -> Bitboard) -> u8 {
    let mut values = 0;
    // By index, as in `architecture::sets`.
    for set in (0..sets.len()).map(|index| &sets[index]) {
        if let Family::PieceSquare(tables) = &set.family {
            for material in tables.materials() {
                values |= value(material, perspective, &squares_of) << material.first_bit;
            }
        }
    }
    values
}

/// The value of a material, with squares as they are on the board.
#[inline]
fn value(material: &Material, perspective: Color, squares_of: impl Fn(Piece) -> Bitboard) -> u8 {
    let mut squares = Bitboard::EMPTY;
    let mut kinds = material.kinds;
    while kinds != 0 {
        let kind = kinds.trailing_zeros() as usize;
        kinds &= kinds - 1;
        // White's pieces come first in the list of pieces, own pieces in that of kinds.
        squares |= squares_of(Piece::ALL[(kind + 6 * perspective.index()) % 12]);
    }
    let count = squares.0.count_ones() as u8;
    match (material.value, count) {
        (MaterialValue::Count(numbers), _) => {
            let reached = numbers.into_iter().map(|number| u8::from(number <= count));
            reached.sum()
        }
        (MaterialValue::Quadrant, 0) => 0,
        (MaterialValue::Quadrant, 1) => {
            let square = squares.0.trailing_zeros() as u8;
            1 + (square >> 2 & 1 | square >> 4 & 2)
        }
        (MaterialValue::Quadrant, _) => 5,
    }
}

#[cfg(test)]
mod tests {
    use nnue_format::PieceSquare;

    use super::*;
    use crate::board::Board;

    const OWN_ROOK: u16 = 1 << 3;
    const OPPONENTS_QUEEN: u16 = 1 << 10;

    const QUADRANT: Material = Material {
        kinds: OPPONENTS_QUEEN,
        value: MaterialValue::Quadrant,
        first_bit: 2,
        rows: [0, 1, 2, 3, 4, 5, 0, 0],
    };

    const ROOKS: Material = Material {
        kinds: OWN_ROOK,
        value: MaterialValue::Count([1, 2, 9, u8::MAX, u8::MAX, u8::MAX, u8::MAX]),
        first_bit: 0,
        rows: [0, 6, 12, 18, 0, 0, 0, 0],
    };

    fn set(materials: [Material; Material::MOST]) -> FeatureSet {
        FeatureSet {
            table: 0,
            first_row: [0; 2],
            rows: 24,
            shift: 0,
            max_active: 32,
            family: Family::PieceSquare(PieceSquare {
                flip: [0, 56],
                mirror_files: 0,
                king_offset: [0; 64],
                materials,
                threatened: PieceSquare::NO_THREATENED,
                planes: PieceSquare::planes([[0; 12]; 2]),
            }),
        }
    }

    /// The value of the queens' quadrant where each square of the bitboard has a queen.
    fn quadrant(queens: Bitboard) -> u8 {
        value(&QUADRANT, Color::White, |piece| {
            assert_eq!(piece, Piece::new(Color::Black, Role::Queen));
            queens
        })
    }

    /// The first square of each quadrant, and where a1 to d4 goes when the board is turned.
    #[test]
    fn quadrants_turn_with_the_board() {
        let of = |square: Square| quadrant(Bitboard::from(square));
        let corners = [Square::A1, Square::E1, Square::A5, Square::E5];
        assert_eq!(corners.map(of), [1, 2, 3, 4]);
        assert_eq!([Square::D4, Square::H8].map(of), [1, 4]);
        for square in Square::ALL {
            for orientation in [0, 7, 56, 63] {
                let viewpoint = Viewpoint {
                    king: Square::A1,
                    materials: of(square) << QUADRANT.first_bit | 3,
                };
                let seen = Square::ALL[square.index() ^ usize::from(orientation)];
                let expected = usize::from(of(seen));
                assert_eq!(viewpoint.value(&QUADRANT, orientation), expected);
            }
        }
    }

    #[test]
    fn several_queens_are_in_no_quadrant() {
        assert_eq!(quadrant(Bitboard::EMPTY), 0);
        assert_eq!(quadrant(Bitboard(0b11)), 5);
        assert_eq!(quadrant(Bitboard(u64::MAX)), 5);
        let several = Viewpoint {
            king: Square::A1,
            materials: 5 << QUADRANT.first_bit,
        };
        assert_eq!(several.value(&QUADRANT, 63), 5);
    }

    #[test]
    fn a_count_is_how_many_numbers_it_reaches() {
        let of = |rooks: u32| value(&ROOKS, Color::Black, |_| Bitboard((1 << rooks) - 1));
        assert_eq!([0, 1, 2, 8, 9, 20].map(of), [0, 1, 2, 2, 3, 3]);
        let all = value(&ROOKS, Color::Black, |_| Bitboard(u64::MAX));
        assert_eq!(all, 3);
    }

    /// Each perspective counts its own pieces and those of its opponent. Sets that tell the same
    /// apart share bits.
    #[test]
    fn values_of_all_sets_are_one_number() {
        let sets = [
            set(Material::list([QUADRANT])),
            set(Material::list([])),
            set(Material::list([ROOKS, QUADRANT])),
        ];
        assert_eq!((QUADRANT.bits(), ROOKS.bits()), (3, 2));
        let board: Board = "4k3/8/8/8/8/1q6/8/R3K2R w KQ - 0 1".parse().unwrap();
        let [white, black] = Color::ALL.map(|color| Viewpoint::of_sets(&sets, &board, color));
        assert_eq!((white.king, white.materials), (Square::E1, 0b0_0110));
        assert_eq!((black.king, black.materials), (Square::E8, 0));
        assert_eq!((white.value(&ROOKS, 63), white.value(&QUADRANT, 7)), (2, 2));
    }
}
