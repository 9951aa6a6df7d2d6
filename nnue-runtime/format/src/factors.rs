//! Factorised sets: a file has virtual rows besides a set's own rows, and each real row is the sum
//! of its own row and its virtual rows.

use alloc::vec::Vec;

use crate::piece_square::distinct;
use crate::{List, PieceSquare};

/// The virtual rows that a file has for a piece-square set.
#[derive(Clone, Debug, PartialEq)]
pub struct Factors {
    /// The real feature set, to whose rows the virtual rows are added. Virtual rows do not depend
    /// on material.
    pub set: PieceSquare,
    /// The virtual sets, whose rows follow each other.
    pub sets: List<VirtualSet>,
    /// Whether rows of floating point are rounded before they are added. Otherwise their sum is
    /// rounded.
    pub round_each: bool,
}

/// The fact that a virtual feature stands for. A real feature combines several of these facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VirtualSet {
    /// A piece on a square in any bucket, or a threatened piece there. The planes are in the set's
    /// order, but kings that share a plane have planes of their own.
    Pieces,
    /// The own king's bucket.
    King,
    /// A piece at a number of files and ranks from the own king.
    RelativePieces,
}

/// The number of rows of a piece.
const SQUARES: usize = 64;

/// The number of kinds of pieces with planes: own pieces, pawn to king, then the opponent's, then
/// own threatened pieces, and the opponent's threatened pieces.
const KINDS: usize = 14;

/// The numbers of the own king and of the opponent's king among the kinds.
const KINGS: [usize; 2] = [5, 11];

/// The number of the first kind of threatened pieces.
const THREATENED: usize = 12;

/// The number of distances in files, or in ranks, from a square to another: -7 to 7.
const RELATIVE: usize = 15;

impl Factors {
    /// The number of virtual rows in all sets.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.sets.iter().map(|set| self.rows_of(*set)).sum()
    }

    fn rows_of(&self, set: VirtualSet) -> usize {
        let kinds = 0..KINDS;
        let planes = kinds.filter(|kind| self.has_rows(*kind)).count();
        match set {
            VirtualSet::Pieces => planes * SQUARES,
            VirtualSet::King => self.bucket_offsets().len(),
            VirtualSet::RelativePieces => planes * RELATIVE * RELATIVE,
        }
    }

    /// The first row of each of the own king's buckets, in the order of their numbers, where no
    /// material skips rows.
    fn bucket_offsets(&self) -> Vec<u32> {
        distinct(&self.set.king_offset)
    }

    /// Visits every real row that has virtual rows, with these virtual rows. Rows that are never
    /// active have none.
    pub(crate) fn for_each_row(&self, visit: &mut dyn FnMut(usize, &[usize])) {
        let mut virtual_rows = Vec::with_capacity(self.sets.len());
        let skipped = self.set.skipped_rows();
        for (bucket, offset) in self.bucket_offsets().into_iter().enumerate() {
            for kind in (0..KINDS).filter(|kind| self.has_rows(*kind)) {
                for square in 0..SQUARES {
                    if !self.stands_for(offset, kind, square) {
                        continue;
                    }
                    virtual_rows.clear();
                    let mut first = 0;
                    for set in self.sets.iter() {
                        let row = self.virtual_row(*set, bucket, offset, kind, square);
                        virtual_rows.push(first + row);
                        first += self.rows_of(*set);
                    }
                    for skipped in &skipped {
                        let row = (offset + skipped + self.first_row(kind)) as usize + square;
                        visit(row, &virtual_rows);
                    }
                }
            }
        }
    }

    /// Whether a bucket's row for a kind and a square belongs to that kind. Where kings share a
    /// plane, its rows on the squares of the bucket are the own king's, and its other rows are the
    /// opponent's king's.
    fn stands_for(&self, offset: u32, kind: usize, square: usize) -> bool {
        if !KINGS.contains(&kind) || !self.kings_share() {
            return true;
        }
        self.can_be_own_king(offset, square) == (kind == KINGS[0])
    }

    fn kings_share(&self) -> bool {
        self.first_row(KINGS[0]) == self.first_row(KINGS[1])
    }

    /// Whether the set has rows for a kind.
    fn has_rows(&self, kind: usize) -> bool {
        self.first_row(kind) != PieceSquare::NO_PLANE
    }

    /// The first row of a kind among the rows of a bucket, in white's perspective: own pieces are
    /// white's.
    fn first_row(&self, kind: usize) -> u32 {
        match kind.checked_sub(THREATENED) {
            Some(owner) => self.set.threatened[0][owner],
            None => self.set.planes[0][1 + kind],
        }
    }

    /// Whether the own king, as the perspective sees it, can be on a square of the bucket.
    fn can_be_own_king(&self, offset: u32, square: usize) -> bool {
        let seen = self.set.mirror_files >> (square % 8) & 1 == 0;
        seen && self.set.king_offset[square] == offset
    }

    fn virtual_row(
        &self,
        set: VirtualSet,
        bucket: usize,
        offset: u32,
        kind: usize,
        square: usize,
    ) -> usize {
        match set {
            VirtualSet::Pieces => self.plane(kind) * SQUARES + square,
            VirtualSet::King => bucket,
            VirtualSet::RelativePieces => {
                let mut squares = 0..SQUARES;
                let king = squares.find(|square| self.can_be_own_king(offset, *square));
                let king = king.unwrap_or_default();
                let (file, rank) = (7 + square % 8 - king % 8, 7 + square / 8 - king / 8);
                (self.plane(kind) * RELATIVE + file) * RELATIVE + rank
            }
        }
    }

    /// The number of a kind's plane if no two kinds shared a plane.
    fn plane(&self, kind: usize) -> usize {
        let pawns = [0, 6].map(|pawn| self.first_row(pawn));
        // A pawn comes first in every order. Where kings share a plane, it is the plane of that
        // pawn's player, and the plane of the other player's king would be the last plane.
        let last = if pawns[0] < pawns[1] { 11 } else { 5 };
        if kind == last && self.kings_share() {
            return 11;
        }
        (self.first_row(kind) - pawns[0].min(pawns[1])) as usize / SQUARES
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::{Material, MaterialValue};

    const NONE: u32 = PieceSquare::NO_PLANE;

    /// The planes of white's perspective, which are all that matters here.
    fn planes(offset: u32, planes: [u32; 12]) -> [[u32; 16]; 2] {
        let mut rows = [NONE; 16];
        for (row, plane) in rows[1..].iter_mut().zip(planes) {
            *row = if plane == NONE {
                NONE
            } else {
                offset + 64 * plane
            };
        }
        [rows; 2]
    }

    /// A bucket of `rows` rows for each square.
    fn each_square(rows: u32) -> [u32; 64] {
        core::array::from_fn(|square| square as u32 * rows)
    }

    const EMPTY: PieceSquare = PieceSquare {
        flip: [0, 56],
        mirror_files: 0,
        king_offset: [0; 64],
        materials: Material::list([]),
        threatened: PieceSquare::NO_THREATENED,
        planes: [[NONE; 16]; 2],
    };

    fn half_kp(sets: &'static [VirtualSet]) -> Factors {
        let set = PieceSquare {
            king_offset: each_square(641),
            planes: planes(1, [0, 2, 4, 6, 8, NONE, 1, 3, 5, 7, 9, NONE]),
            ..EMPTY
        };
        Factors {
            set,
            sets: crate::list(sets),
            round_each: false,
        }
    }

    fn half_ka_v2_hm() -> Factors {
        let bucket = |square: usize| 4 * (7 - square / 8) + (square % 8).min(7 - square % 8);
        let set = PieceSquare {
            mirror_files: 0b0000_1111,
            king_offset: core::array::from_fn(|square| 704 * bucket(square) as u32),
            planes: planes(0, [0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 10]),
            ..EMPTY
        };
        Factors {
            set,
            sets: crate::list(&[VirtualSet::Pieces]),
            round_each: false,
        }
    }

    /// With the opponent's planes first, the own king's virtual plane is the last plane.
    #[test]
    fn an_own_king_that_uses_the_opponents_plane_has_the_last_virtual_one() {
        let set = PieceSquare {
            planes: planes(0, [6, 7, 8, 9, 10, 5, 0, 1, 2, 3, 4, 5]),
            ..half_ka_v2_hm().set
        };
        let factors = Factors {
            set,
            ..half_ka_v2_hm()
        };
        for (row, found) in table(&factors, 22528).into_iter().enumerate() {
            let (bucket, plane, square) = (row / 704, row % 704 / 64, row % 64);
            let (file, rank) = (square % 8, square / 8);
            let is_own_kings = file >= 4 && bucket == 4 * (7 - rank) + 7 - file;
            let expected = match plane {
                5 if is_own_kings => 11 * 64 + square,
                _ => row % 704,
            };
            assert_eq!(found, [expected], "row {row}");
        }
    }

    /// Whatever the material, a row has the same virtual rows: the row of the own king's bucket,
    /// and a row of one of 14 planes. Two of these planes are for threatened pieces.
    #[test]
    fn threatened_pieces_have_virtual_planes_and_material_does_not_matter() {
        let bucket_rows = 14 * 64;
        let outer = Material {
            kinds: 1 << 10,
            value: MaterialValue::Quadrant,
            first_bit: 0,
            rows: [0, 1, 2, 3, 4, 0, 0, 0].map(|value| value * 6 * bucket_rows),
        };
        let inner = Material {
            kinds: 1 << 3,
            value: MaterialValue::Count([1, 2, 255, 255, 255, 255, 255]),
            first_bit: 3,
            rows: [0, 1, 2, 0, 0, 0, 0, 0].map(|value| value * bucket_rows),
        };
        let set = PieceSquare {
            king_offset: core::array::from_fn(|square| square as u32 / 32 * 3 * bucket_rows),
            materials: Material::list([outer, inner]),
            threatened: [[6 * 64, 13 * 64], [13 * 64, 6 * 64]],
            planes: planes(0, [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12]),
            ..EMPTY
        };
        let factors = Factors {
            set,
            sets: crate::list(&[VirtualSet::King, VirtualSet::Pieces]),
            round_each: false,
        };
        assert_eq!(factors.rows(), 2 + 896);
        for (row, found) in table(&factors, 5 * 2 * 3 * 896).into_iter().enumerate() {
            assert_eq!(found, [row / 896 / 3 % 2, 2 + row % 896], "row {row}");
        }
    }

    /// The virtual rows of each real row.
    fn table(factors: &Factors, rows: usize) -> Vec<Vec<usize>> {
        let mut table = vec![Vec::new(); rows];
        let count = factors.rows();
        factors.for_each_row(&mut |row, virtual_rows| {
            assert!(table[row].is_empty(), "visited once");
            assert!(virtual_rows.iter().all(|row| *row < count));
            table[row] = virtual_rows.to_vec();
        });
        table
    }

    /// As in trainers: bucket `k` and input `p = row % 641 - 1` have the factors `k` and, behind
    /// the buckets, `p`.
    #[test]
    fn half_kp_has_a_factor_for_the_king_and_one_for_the_piece() {
        let factors = half_kp(&[VirtualSet::King, VirtualSet::Pieces]);
        for (row, found) in table(&factors, 41024).into_iter().enumerate() {
            match (row / 641, row % 641) {
                (_, 0) => assert!(found.is_empty(), "a row that nothing switches on"),
                (king, piece) => assert_eq!(found, [king, 64 + piece - 1]),
            }
        }
    }

    /// `piece * 225 + (7 + file - king's file) * 15 + (7 + rank - king's rank)`.
    #[test]
    fn half_relative_kp_counts_files_and_ranks_from_the_king() {
        let factors = half_kp(&[VirtualSet::RelativePieces]);
        let table = table(&factors, 41024);
        // King e1, the opponent's knight (plane 3) on b8.
        assert_eq!(table[4 * 641 + 1 + 64 * 3 + 57], [3 * 225 + 4 * 15 + 14]);
        // King h8, an own pawn on a1.
        assert_eq!(table[63 * 641 + 1], [0]);
        // King a1, the opponent's queen on h8.
        assert_eq!(table[1 + 64 * 9 + 63], [2249]);
    }

    /// As in trainers: a row of the shared plane is the own king's where its square is the
    /// bucket's, and otherwise it is 64 rows later.
    #[test]
    fn kings_that_share_a_plane_have_virtual_planes_of_their_own() {
        let factors = half_ka_v2_hm();
        for (row, found) in table(&factors, 22528).into_iter().enumerate() {
            let (bucket, piece, square) = (row / 704, row % 704 / 64, row % 64);
            let (file, rank) = (square % 8, square / 8);
            let is_own_kings = file >= 4 && bucket == 4 * (7 - rank) + 7 - file;
            let expected = match piece {
                10 if !is_own_kings => row % 704 + 64,
                _ => row % 704,
            };
            assert_eq!(found, [expected], "row {row}");
        }
    }
}
