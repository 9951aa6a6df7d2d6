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
    /// How many features can be active at once on a legal board.
    pub max_active: usize,
    /// The word that stands for the set in Stockfish's transformer hash.
    pub hash: u32,
}

/// The names of the sets that a spec can ask for.
pub const NAMES: &[&str] = &["HalfKAv2_hm"];

impl FeatureSet {
    /// The set called `name`, one of [`NAMES`].
    pub fn named(name: &str) -> Option<FeatureSet> {
        match name {
            "HalfKAv2_hm" => Some(half_ka_v2_hm()),
            _ => None,
        }
    }
}

/// Every piece, for 32 buckets of the own king, who is mirrored to files e to h.
///
/// Both kings share a plane: the own king stands only on squares of its own bucket, where the opponent's
/// cannot.
fn half_ka_v2_hm() -> FeatureSet {
    const PLANE: u32 = 64;
    const PLANES: u32 = 11;
    let plane = [0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 10].map(|index| index * PLANE);
    let king_offset = std::array::from_fn(|square| {
        let (file, rank) = (square as u32 % 8, square as u32 / 8);
        // Files a to d are where a mirrored king cannot stand; they are filled in by symmetry.
        let files_from_edge = file.min(7 - file);
        PLANES * PLANE * (4 * (7 - rank) + files_from_edge)
    });
    FeatureSet {
        name: "HalfKAv2_hm",
        rows: (32 * PLANES * PLANE) as usize,
        flip: [0, 56],
        mirror_files: 0b0000_1111,
        king_offset,
        plane,
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
