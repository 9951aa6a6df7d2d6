//! The family of pawn pairs: a row for each two pawns that stand near each other.

use super::prefetch;
use super::threats::changes::BoardChanges;
use super::threats::view::View;
use super::viewpoint::Viewpoint;
use crate::architecture::Architecture;
use crate::chess::{Bitboard, Color, Square};
use crate::feature_set::{FeatureSet, PawnPairs};
use crate::network::Network;
use crate::rows::changes::RowChanges;
use crate::rows::{RowList, RowLists};

/// White's pawns and black's.
pub(super) type Pawns = [u64; 2];

impl PawnPairs {
    /// The files that a pawn on a file makes pairs with.
    #[inline]
    fn files(self, file: usize) -> u64 {
        let distance = u32::from(self.file_distance);
        let first = (file as u32).saturating_sub(distance);
        let last = (file as u32 + distance).min(7);
        let files = (0xFF >> (7 - last)) & (0xFF << first) & 0xFF;
        files * 0x0101_0101_0101_0101
    }
}

/// The number of the pawn on a square as a perspective sees it.
#[inline]
fn number(view: View, [_, black]: Pawns, square: Square) -> u32 {
    let square = square.index() as u8;
    let is_black = black >> square & 1 != 0;
    // Pawns stand on no square before a2.
    48 * u32::from(view.is_opponents(is_black)) + (view.square(square) as u32).saturating_sub(8)
}

/// Lists the rows of the pairs that a perspective's sums gain or lose.
#[inline]
pub(super) fn list_changes<A: Architecture>(
    set: &FeatureSet,
    pairs: PawnPairs,
    net: &Network<A>,
    perspective: Color,
    from: Viewpoint,
    board: &BoardChanges,
    changes: &mut RowChanges<A>,
) {
    let [before, after] = board.pawns;
    if before == after {
        return;
    }
    let view = View::of(pairs.mirror_files, perspective, from);
    let first_row = set.first_row[perspective.index()];
    let RowChanges { added, removed } = changes;
    let mut removed = removed.of(set.table);
    list_rows(pairs, view, first_row, before, after, &mut removed);
    let mut added = added.of(set.table);
    let listed = added.len();
    list_rows(pairs, view, first_row, after, before, &mut added);
    prefetch::<A>(net.weights(), set.table, added.from(listed));
}

/// Lists the rows of all pairs of pawns of `all` with a pawn that is not in `others`.
#[inline(never)]
pub(super) fn list_rows(
    pairs: PawnPairs,
    view: View,
    first_row: u32,
    all: Pawns,
    others: Pawns,
    list: &mut RowList<'_>,
) {
    let mut rest = all[0] | all[1];
    let changed = all[0] & !others[0] | all[1] & !others[1];
    for pawn in Bitboard(changed) {
        rest &= !Bitboard::from(pawn).0;
        let own = number(view, all, pawn);
        for partner in Bitboard(rest & pairs.files(pawn.index() % 8)) {
            let other = number(view, all, partner);
            let (high, low) = (own.max(other), own.min(other));
            list.push_if(true, first_row + high * high.saturating_sub(1) / 2 + low);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_of_near_files() {
        let files = |file_distance, file| {
            let set = PawnPairs {
                mirror_files: 0,
                file_distance,
            };
            set.files(file) & 0xFF
        };
        assert_eq!([files(0, 0), files(0, 7)], [0b1, 0b1000_0000]);
        assert_eq!(
            [files(1, 0), files(1, 3), files(1, 7)],
            [0b11, 0b1_1100, 0b1100_0000]
        );
        assert_eq!([files(7, 0), files(7, 4), files(6, 7)], [0xFF, 0xFF, 0xFE]);
    }
}
