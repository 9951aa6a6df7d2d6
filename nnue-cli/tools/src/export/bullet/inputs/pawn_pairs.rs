//! A row for each two pawns that stand near each other, in programs for bullet. They contain the
//! text of this file.

use super::board::Board;

/// Rows for each two pawns that are at most so many files apart.
#[derive(Debug)]
pub struct PawnPairs {
    /// The files from which the own king is mirrored to the other half, a bit for each.
    pub mirror_files: u8,
    /// How many files the pawns of a pair can be apart.
    pub file_distance: usize,
}

impl PawnPairs {
    /// Visits the active rows of the player who sees the board so.
    pub fn find(&self, board: &Board, mut found: impl FnMut(usize)) {
        let board = board.mirrored(self.mirror_files);
        // Own pawns from 0 on a2 to 47 on h7, then the opponent's.
        let numbers = [0, 1].into_iter().flat_map(|owner| {
            let pawns = (8..56).filter(move |square| board.pieces[*square] == Some((owner, 0)));
            pawns.map(move |square| 48 * owner + square - 8)
        });
        let numbers: Vec<usize> = numbers.collect();
        for (index, high) in numbers.iter().enumerate() {
            for low in &numbers[..index] {
                if (high % 8).abs_diff(low % 8) <= self.file_distance {
                    found(high * (high - 1) / 2 + low);
                }
            }
        }
    }
}
