//! A row for each piece on the board, in programs for bullet. They contain the text of this file.

use super::board::Board;

/// Rows for each piece on each square, which depend on the own king:
/// `bucket * rows of a bucket + first row of the piece + (square ^ turn)`.
#[derive(Debug)]
pub struct PieceSquare {
    /// Whether the opponent sees the board from the other side, so that files are exchanged too.
    pub rotates: bool,
    /// The files from which the own king is mirrored to the other half, a bit for each.
    pub mirror_files: u8,
    /// What squares are exclusive-ored with: 0 if planes begin with a1, 56 if with a8.
    pub turn: usize,
    /// The bucket of each square of the own king.
    pub king_buckets: [usize; 64],
    /// How many buckets there are for the opponent's queens: 1; 2, the inner buckets, for none and
    /// for any; or 5 or 6, the outer buckets, by where a single queen is.
    pub queen_buckets: usize,
    /// How many rows a bucket has.
    pub bucket_rows: usize,
    /// The first row of own pieces, pawn to king, and of the opponent's; -1 for pieces without
    /// rows.
    pub first_row: [[isize; 6]; 2],
    /// The first row of own and of the opponent's pieces that a weaker piece attacks, besides their
    /// other row; -1 where there are none.
    pub threatened: [isize; 2],
}

impl PieceSquare {
    /// Visits the active rows of the player who sees the board so.
    pub fn find(&self, board: &Board, mut found: impl FnMut(usize)) {
        let board = board.turned(if self.rotates && board.is_opponents {
            7
        } else {
            0
        });
        let board = board.mirrored(self.mirror_files);
        let king_buckets = self.king_buckets.iter().max().map_or(1, |last| last + 1);
        let (queens, king) = (self.queens(&board), self.king_buckets[board.king()]);
        let bucket = match self.queen_buckets {
            2 => 2 * king + queens,
            _ => queens * king_buckets + king,
        };
        let mut row = |first: isize, square: usize| {
            if let Ok(first) = usize::try_from(first) {
                found(bucket * self.bucket_rows + first + (square ^ self.turn));
            }
        };
        for square in 0..64 {
            if let Some((owner, piece)) = board.pieces[square] {
                row(self.first_row[owner][piece], square);
            }
        }
        if self.threatened == [-1; 2] {
            return;
        }
        let mut is_threatened = [false; 64];
        for from in 0..64 {
            board.attacked(from, |to, victim| {
                if let Some(attacker) = board.pieces[from] {
                    let is_weaker = victim.1 != 5 && strength(attacker) < strength(victim);
                    is_threatened[to] |= attacker.0 != victim.0 && is_weaker;
                }
            });
        }
        for square in (0..64).filter(|square| is_threatened[*square]) {
            if let Some((owner, _)) = board.pieces[square] {
                row(self.threatened[owner], square);
            }
        }
    }

    /// The bucket of the opponent's queens: 0 for none; 1 for any, or 1 to 4 for the quadrant of a
    /// single one.
    fn queens(&self, board: &Board) -> usize {
        let queens = (0..64).filter(|square| board.pieces[*square] == Some((1, 4)));
        let queens: Vec<usize> = queens.collect();
        match (self.queen_buckets, &queens[..]) {
            (1, _) | (_, []) => 0,
            (2, _) => 1,
            (_, [queen]) => 1 + 2 * (queen / 32) + queen % 8 / 4,
            (5, _) => 0,
            _ => 5,
        }
    }
}

/// Which pieces are weaker than others. Kings threaten nothing, as if they were queens.
fn strength((_, piece): (usize, usize)) -> usize {
    [0, 1, 1, 2, 3, 3][piece]
}
