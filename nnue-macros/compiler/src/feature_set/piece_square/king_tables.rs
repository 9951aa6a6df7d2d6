//! Tables of king buckets that have names: those of bullet's examples, and of engines.

use super::SQUARES;

/// A table of king buckets with a name, the same on both halves of the board.
pub struct KingTable {
    /// What `king_buckets` calls it.
    pub name: &'static str,
    /// The buckets of the files from a to d, rank by rank from the first.
    pub half: [u8; SQUARES / 2],
}

impl KingTable {
    /// The number of buckets.
    #[must_use]
    pub fn buckets(&self) -> usize {
        self.half
            .iter()
            .max()
            .map_or(0, |last| usize::from(*last) + 1)
    }

    /// The bucket of each square: a1, b1, ... h8.
    #[must_use]
    pub fn squares(&self) -> [u8; SQUARES] {
        std::array::from_fn(|square| {
            let file = square % 8;
            self.half[4 * (square / 8) + file.min(7 - file)]
        })
    }
}

macro_rules! tables {
    ($($name:literal: $([$a:literal $b:literal $c:literal $d:literal])*;)*) => {
        &[$(KingTable { name: $name, half: [$($a, $b, $c, $d),*] }),*]
    };
}

/// All named tables, the fewest buckets first.
pub const KING_TABLES: &[KingTable] = tables![
    "bullet2": [0 0 0 0] [1 1 1 1] [1 1 1 1] [1 1 1 1] [1 1 1 1] [1 1 1 1] [1 1 1 1] [1 1 1 1];
    "akimbo4": [0 0 1 1] [2 2 2 2] [3 3 3 3] [3 3 3 3] [3 3 3 3] [3 3 3 3] [3 3 3 3] [3 3 3 3];
    "clover7": [0 1 2 3] [0 1 2 3] [4 4 5 5] [4 4 5 5] [6 6 6 6] [6 6 6 6] [6 6 6 6] [6 6 6 6];
    "halogen8": [0 1 2 3] [4 4 5 5] [6 6 6 6] [6 6 6 6] [7 7 7 7] [7 7 7 7] [7 7 7 7] [7 7 7 7];
    "arasan9": [0 1 2 3] [4 4 5 5] [6 6 7 7] [6 6 7 7] [8 8 8 8] [8 8 8 8] [8 8 8 8] [8 8 8 8];
    "bullet10": [0 1 2 3] [4 4 5 5] [6 6 6 6] [7 7 7 7] [8 8 8 8] [8 8 8 8] [9 9 9 9] [9 9 9 9];
    "reckless10": [0 1 2 3] [4 5 6 7] [8 8 8 8] [9 9 9 9] [9 9 9 9] [9 9 9 9] [9 9 9 9] [9 9 9 9];
    "integral12": [0 1 2 3] [4 5 6 7] [8 8 9 9] [10 10 10 10] [11 11 11 11] [11 11 11 11] [11 11 11 11] [11 11 11 11];
    "obsidian13": [0 1 2 3] [4 5 6 7] [8 8 9 9] [10 10 10 10] [11 11 11 11] [11 11 11 11] [12 12 12 12] [12 12 12 12];
    "horsie14": [0 1 2 3] [4 5 6 7] [8 9 10 11] [8 9 10 11] [12 12 13 13] [12 12 13 13] [12 12 13 13] [12 12 13 13];
    "alexandria16": [0 1 2 3] [4 5 6 7] [8 9 10 11] [8 9 10 11] [12 12 13 13] [12 12 13 13] [14 14 15 15] [14 14 15 15];
    "hobbes16": [0 1 2 3] [4 5 6 7] [8 8 9 9] [10 10 11 11] [12 12 13 13] [12 12 13 13] [14 14 15 15] [14 14 15 15];
    "squares32": [0 1 2 3] [4 5 6 7] [8 9 10 11] [12 13 14 15] [16 17 18 19] [20 21 22 23] [24 25 26 27] [28 29 30 31];
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_table_is_another_without_gaps() {
        for (index, table) in KING_TABLES.iter().enumerate() {
            let buckets = table.buckets();
            assert!(table.name.ends_with(&buckets.to_string()), "{}", table.name);
            for bucket in 0..buckets {
                assert!(table.half.contains(&(bucket as u8)), "{}", table.name);
            }
            let same = |other: &KingTable| other.half == table.half || other.name == table.name;
            assert!(!KING_TABLES[..index].iter().any(same), "{}", table.name);
        }
    }

    #[test]
    fn both_halves_are_the_same() {
        for table in KING_TABLES {
            let squares = table.squares();
            for square in 0..SQUARES {
                assert_eq!(squares[square], squares[square ^ 7], "{}", table.name);
            }
            assert_eq!(squares[3], table.half[3]);
            assert_eq!(squares[8], table.half[4]);
        }
    }
}
