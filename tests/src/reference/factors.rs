//! Which virtual features a piece on a square switches on besides its real one, feature set by feature set.
//!
//! A row is what memory makes of the file: the sum of real and virtual rows. Here nothing is summed up beforehand; virtual
//! features are features.

use nnue_compiler::feature_set::{Factors, PieceSquare};
use nnue_compiler::spec::VirtualSet;
use nnue_runtime::{Color, Piece, Role};

/// A piece as a perspective sees it, beside its own king.
pub(super) struct Seen {
    pub(super) perspective: Color,
    pub(super) piece: Piece,
    /// Where it is on the board that was turned and mirrored.
    pub(super) square: usize,
    /// Where the own king is on that board.
    pub(super) king: usize,
}

/// Their numbers among the set's virtual features.
pub(super) fn virtual_rows(set: &PieceSquare, factors: &Factors, seen: &Seen) -> Vec<usize> {
    let mut rows = Vec::new();
    let mut first = 0;
    for &(virtual_set, count) in &factors.sets {
        let row = match virtual_set {
            VirtualSet::A | VirtualSet::P => 64 * kind(set, seen) + seen.square,
            VirtualSet::K => buckets(set)
                .position(|rows| rows == set.king_offset[seen.king])
                .expect("the king's bucket is among all"),
            VirtualSet::HalfRelativeKP => {
                let files = 7 + seen.square % 8 - seen.king % 8;
                let ranks = 7 + seen.square / 8 - seen.king / 8;
                225 * kind(set, seen) + 15 * files + ranks
            }
        };
        assert!(row < count, "row {row} of {count} in {virtual_set}");
        rows.push(first + row);
        first += count;
    }
    rows
}

/// Every bucket's first row, in ascending order.
fn buckets(set: &PieceSquare) -> impl Iterator<Item = u32> {
    let rows: std::collections::BTreeSet<u32> = set.king_offset.iter().copied().collect();
    rows.into_iter()
}

/// The number of the kind of piece, in the order that the set has planes in. The opponent's king comes last.
fn kind(set: &PieceSquare, seen: &Seen) -> usize {
    let (own_pawns, own_knights) = (set.plane[0], set.plane[1]);
    let by_colour = own_knights == own_pawns + 64;
    let own = match seen.piece.role {
        Role::King => is_own_king(set, seen),
        _ => seen.piece.color == seen.perspective,
    };
    let (role, roles) = (seen.piece.role.index(), if set.kings { 6 } else { 5 });
    match (seen.piece.role, by_colour, own) {
        (Role::King, _, false) => 11,
        (_, true, true) => role,
        (_, true, false) => roles + role,
        (_, false, true) => 2 * role,
        (_, false, false) => 2 * role + 1,
    }
}

/// Kings that share a plane are told apart by their squares: on those of the own king's bucket, it is the own king.
fn is_own_king(set: &PieceSquare, seen: &Seen) -> bool {
    let share_a_plane = set.plane[5] == set.plane[11];
    let out_of_reach = set.mirror_files & 1 << (seen.square % 8) != 0;
    let in_bucket = set.king_offset[seen.square] == set.king_offset[seen.king];
    match share_a_plane {
        true => in_bucket && !out_of_reach,
        false => seen.piece.color == seen.perspective,
    }
}
