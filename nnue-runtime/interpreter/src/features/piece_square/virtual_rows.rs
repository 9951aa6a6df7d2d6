//! Factorised sets: the virtual rows of a file that are added to a real row.
//!
//! A virtual row stands for a part of the meaning of a real row, such as a piece on a square in any
//! bucket of the own king.

use nnue_compiler::feature_set::piece_square::{BucketsBy, Parameters};
use nnue_format::VirtualSet;
use nnue_runtime::{Color, Piece, Role};

use super::super::orientation::mirrored;
use super::{buckets, numbered, plane, plane_of_its_own, roles, row};

/// The kind that follows the king: the threatened pieces of a player.
const THREATENED: usize = 6;

/// A row of a set, and the virtual rows that are added to it. Both are counted among the rows of
/// the set.
pub(crate) struct Sum {
    pub(crate) row: usize,
    /// The virtual rows in the order of the spec, a row for each of the set's virtual sets.
    pub(crate) virtual_rows: Vec<usize>,
}

/// All rows of a set that have virtual rows. The first rows of a bucket, which no piece makes
/// active, have no virtual rows.
pub(crate) fn sums(parameters: &Parameters, sets: &[VirtualSet]) -> Vec<Sum> {
    let mut sums = Vec::new();
    for bucket in 0..parameters.buckets() {
        let planes = Piece::ALL.into_iter().filter_map(|piece| {
            let plane = plane(parameters, piece, Color::White)?;
            Some((plane, piece.color, piece.role.index()))
        });
        let threatened = Color::ALL.into_iter().map(|color| {
            let plane = plane_of_its_own(parameters, THREATENED, color, Color::White);
            (plane, color, THREATENED)
        });
        let has_threatened = roles(parameters) > THREATENED;
        for (plane, color, role) in planes.chain(threatened.filter(|_| has_threatened)) {
            for square in 0..64 {
                let feature = Feature {
                    parameters,
                    bucket,
                    color,
                    role,
                    square,
                };
                if feature.has_the_row() {
                    sums.push(Sum {
                        row: row(parameters, bucket, plane, square),
                        virtual_rows: feature.virtual_rows(sets),
                    });
                }
            }
        }
    }
    sums
}

/// A piece on a square, as white sees it, or a threatened piece there.
struct Feature<'a> {
    parameters: &'a Parameters,
    /// The bucket of the own king and of all other pieces that choose it.
    bucket: usize,
    color: Color,
    /// The kind of the piece: 0 to 5 for a pawn to a king, and [`THREATENED`].
    role: usize,
    square: usize,
}

impl Feature<'_> {
    /// Whether the feature's row is its own. Where kings share a plane, the rows on the squares of
    /// the bucket are the own king's, and those on all other squares are the opponent's.
    fn has_the_row(&self) -> bool {
        let kings = Color::ALL.map(|color| Piece::new(color, Role::King));
        let planes = kings.map(|king| plane(self.parameters, king, Color::White));
        if self.role != Role::King.index() || planes[0] != planes[1] {
            return true;
        }
        (self.color == Color::White) == self.kings().any(|square| square == self.square)
    }

    /// The squares of the own king's bucket.
    fn kings(&self) -> impl Iterator<Item = usize> {
        (0..64).filter(|square| {
            !mirrored(self.parameters.mirror, *square)
                && usize::from(self.parameters.king_buckets[*square]) == self.own_kings_bucket()
        })
    }

    /// The bucket of the own king, which each bucket of other pieces has.
    fn own_kings_bucket(&self) -> usize {
        let by = self.parameters.buckets_by.iter().rev();
        let inner = by.map_while(BucketsBy::material).map(buckets);
        let inner: usize = inner.product();
        self.bucket / inner % own_kings_buckets(self.parameters)
    }

    /// The virtual rows of all virtual sets, one set after the other.
    fn virtual_rows(&self, sets: &[VirtualSet]) -> Vec<usize> {
        let mut first = 0;
        let rows = sets.iter().map(|set| {
            let row = first + self.virtual_row(*set);
            first += rows_of(*set, self.parameters);
            row
        });
        rows.collect()
    }

    fn virtual_row(&self, set: VirtualSet) -> usize {
        let plane = plane_of_its_own(self.parameters, self.role, self.color, Color::White);
        let square = numbered(self.parameters, self.square);
        match set {
            VirtualSet::Pieces => 64 * plane + square,
            VirtualSet::King => self.own_kings_bucket(),
            VirtualSet::RelativePieces => {
                // This virtual set needs a bucket for each square of the own king.
                let king = numbered(self.parameters, self.kings().next().unwrap_or(0));
                let files = 7 + square % 8 - king % 8;
                let ranks = 7 + square / 8 - king / 8;
                225 * plane + 15 * files + ranks
            }
        }
    }
}

/// The number of buckets of the own king.
fn own_kings_buckets(parameters: &Parameters) -> usize {
    let buckets = parameters.king_buckets.into_iter().max();
    buckets.map_or(1, |last| usize::from(last) + 1)
}

/// The number of rows of a virtual set.
fn rows_of(set: VirtualSet, parameters: &Parameters) -> usize {
    let planes = 2 * roles(parameters);
    match set {
        VirtualSet::Pieces => 64 * planes,
        VirtualSet::King => own_kings_buckets(parameters),
        VirtualSet::RelativePieces => 225 * planes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Parameters {
        Parameters::named(name).unwrap_or_else(|| panic!("{name}"))
    }

    fn of(parameters: &Parameters, sets: &[VirtualSet]) -> Vec<Vec<usize>> {
        let rows: usize = sets.iter().map(|set| rows_of(*set, parameters)).sum();
        let mut table = vec![Vec::new(); parameters.rows()];
        for Sum { row, virtual_rows } in sums(parameters, sets) {
            assert!(table[row].is_empty(), "row {row} has two meanings");
            assert!(virtual_rows.iter().all(|row| *row < rows));
            table[row] = virtual_rows;
        }
        table
    }

    /// As in nnue-pytorch: bucket `k` and piece `p = row % 641 - 1` have the factors `k` and,
    /// behind the buckets, `p`.
    #[test]
    fn half_kp_has_a_row_for_the_king_and_one_for_the_piece() {
        let table = of(&named("HalfKP"), &[VirtualSet::King, VirtualSet::Pieces]);
        for (row, found) in table.into_iter().enumerate() {
            match (row / 641, row % 641) {
                (_, 0) => assert!(found.is_empty(), "nothing switches on row {row}"),
                (king, piece) => assert_eq!(found, [king, 64 + piece - 1]),
            }
        }
    }

    /// As in nnue-pytorch: a row of the shared plane is the own king's on the bucket's square, and
    /// otherwise it is 64 rows later.
    #[test]
    fn kings_that_share_a_plane_have_virtual_planes_of_their_own() {
        let table = of(&named("HalfKAv2_hm"), &[VirtualSet::Pieces]);
        for (row, found) in table.into_iter().enumerate() {
            let (bucket, piece, square) = (row / 704, row % 704 / 64, row % 64);
            let (file, rank) = (square % 8, square / 8);
            let is_own_kings = file >= 4 && bucket == 4 * (7 - rank) + 7 - file;
            let opponents = usize::from(piece == 10 && !is_own_kings);
            assert_eq!(found, [row % 704 + 64 * opponents], "row {row}");
        }
    }

    /// As in the NNUE document: king e1 and the opponent's knight on b8, king h8 and an own pawn on
    /// a1.
    #[test]
    fn half_relative_kp_counts_files_and_ranks_from_the_king() {
        let table = of(&named("HalfKP"), &[VirtualSet::RelativePieces]);
        assert_eq!(table[4 * 641 + 1 + 64 * 3 + 57], [3 * 225 + 4 * 15 + 14]);
        assert_eq!(table[63 * 641 + 1], [0]);
    }
}
