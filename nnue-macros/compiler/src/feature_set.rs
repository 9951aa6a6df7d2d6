//! Feature sets: which row of the transformer a piece on a square switches on.
//!
//! All sets of the piece-square family are one formula with other parameters. Seen by a perspective,
//!
//! ```text
//! row = king_offset[king ^ o] + plane[piece] + (square ^ o)
//! o   = flip[perspective] ^ (7 if the king's file is in mirror_files else 0)
//! ```
//!
//! `king` is the perspective's own king and `piece` is told apart as own or opponent's.

/// A set of the piece-square family, its formula's tables written out.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureSet {
    /// The name in the spec.
    pub name: &'static str,
    /// How many rows it has.
    pub rows: usize,
    /// What white's and black's squares are exclusive-ored with.
    pub flip: [u8; 2],
    /// Bit `f` is set when a king on file `f` mirrors the board.
    pub mirror_files: u8,
    /// The first row for each square of the (oriented) own king.
    pub king_offset: [u32; 64],
    /// The first row of a piece within the king's rows: own pawn to king, then the opponent's.
    pub plane: [u32; 12],
    /// Whether kings switch on rows too. Otherwise their planes mean nothing.
    pub kings: bool,
    /// How many features can be active at once on a legal board.
    pub max_active: usize,
    /// The word that stands for the set in Stockfish's transformer hash.
    pub hash: u32,
}

/// The names of the sets that a spec can ask for.
pub const NAMES: &[&str] = &["HalfKP", "HalfKAv2", "HalfKAv2_hm"];

/// Rows of a piece: one per square.
const PLANE: u32 = 64;

impl FeatureSet {
    /// The set called `name`, one of [`NAMES`].
    pub fn named(name: &str) -> Option<FeatureSet> {
        match name {
            "HalfKP" => Some(half_kp()),
            "HalfKAv2" => Some(half_ka_v2()),
            "HalfKAv2_hm" => Some(half_ka_v2_hm()),
            _ => None,
        }
    }
}

/// Every piece but the kings, for each square of the own king; black sees the board rotated.
///
/// The planes start at row 1: row 0 of every king square was meant for a piece in hand, in another game, and is
/// never switched on.
fn half_kp() -> FeatureSet {
    const PLANES: u32 = 10;
    let rows_of_king = PLANES * PLANE + 1;
    FeatureSet {
        name: "HalfKP",
        rows: (64 * rows_of_king) as usize,
        flip: [0, 63],
        mirror_files: 0,
        king_offset: std::array::from_fn(|square| square as u32 * rows_of_king),
        plane: [0, 2, 4, 6, 8, 0, 1, 3, 5, 7, 9, 0].map(|index| 1 + index * PLANE),
        kings: false,
        max_active: 30,
        hash: 0x5D69_D5B8,
    }
}

/// The planes of sets in which both kings share one: the own king stands only on squares of its own bucket, where the
/// opponent's cannot.
const MERGED_KING_PLANES: u32 = 11;

fn merged_king_planes() -> [u32; 12] {
    [0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 10].map(|index| index * PLANE)
}

/// Every piece, for each square of the own king; black sees the board upside down.
fn half_ka_v2() -> FeatureSet {
    let rows_of_king = MERGED_KING_PLANES * PLANE;
    FeatureSet {
        name: "HalfKAv2",
        rows: (64 * rows_of_king) as usize,
        flip: [0, 56],
        mirror_files: 0,
        king_offset: std::array::from_fn(|square| square as u32 * rows_of_king),
        plane: merged_king_planes(),
        kings: true,
        max_active: 32,
        hash: 0x5F23_4CB8,
    }
}

/// Every piece, for 32 buckets of the own king, who is mirrored to files e to h.
fn half_ka_v2_hm() -> FeatureSet {
    let rows_of_king = MERGED_KING_PLANES * PLANE;
    let king_offset = std::array::from_fn(|square| {
        let (file, rank) = (square as u32 % 8, square as u32 / 8);
        // Files a to d are where a mirrored king cannot stand; they are filled in by symmetry.
        let files_from_edge = file.min(7 - file);
        rows_of_king * (4 * (7 - rank) + files_from_edge)
    });
    FeatureSet {
        name: "HalfKAv2_hm",
        rows: (32 * rows_of_king) as usize,
        flip: [0, 56],
        mirror_files: 0b0000_1111,
        king_offset,
        plane: merged_king_planes(),
        kings: true,
        max_active: 32,
        hash: 0x7F23_4CB8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the numbers that the set's authors give for single squares.
    #[test]
    fn half_ka_v2_hm_counts_its_king_buckets_from_h8() {
        let set = FeatureSet::named("HalfKAv2_hm").unwrap();
        let bucket = |square: usize| set.king_offset[square] / 704;
        let [e1, h1, h8, e8] = [4, 7, 63, 60];
        assert_eq!(
            [bucket(h8), bucket(e8), bucket(h1), bucket(e1)],
            [0, 3, 28, 31]
        );
        assert_eq!(set.rows, 22528);
        assert_eq!(set.plane[11], 640);
    }
}
