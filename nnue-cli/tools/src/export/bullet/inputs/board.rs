//! A board as programs for bullet see it. They contain the text of this file.

/// A chessboard as one of the players sees it, who plays up the board.
pub struct Board {
    /// From a1 to h8: whose piece stands there, 0 for an own one and 1 for the opponent's, and
    /// which, from 0 for a pawn to 5 for a king.
    pub pieces: [Option<(usize, usize)>; 64],
    /// Whether it is the view of the player who is not to move.
    pub is_opponents: bool,
}

#[rustfmt::skip]
const STRAIGHT_AND_DIAGONAL: [(i32, i32); 8] =
    [(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)];
#[rustfmt::skip]
const KNIGHT: [(i32, i32); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
const PAWN: [[(i32, i32); 2]; 2] = [[(-1, 1), (1, 1)], [(-1, -1), (1, -1)]];

impl Board {
    /// The same position as the opponent sees it: upside down, with own and opponent's pieces
    /// exchanged.
    pub fn of_opponent(&self) -> Board {
        let pieces = std::array::from_fn(|square| {
            self.pieces[square ^ 56].map(|(owner, piece)| (1 - owner, piece))
        });
        Board {
            pieces,
            is_opponents: !self.is_opponents,
        }
    }

    /// The board with each square exclusive-ored with `turn`.
    pub fn turned(&self, turn: usize) -> Board {
        Board {
            pieces: std::array::from_fn(|square| self.pieces[square ^ turn]),
            ..*self
        }
    }

    /// The board mirrored if the own king stands on one of these files, a bit for each.
    pub fn mirrored(&self, files: u8) -> Board {
        let is_mirrored = files >> (self.king() % 8) & 1 == 1;
        self.turned(if is_mirrored { 7 } else { 0 })
    }

    /// The square of the own king.
    pub fn king(&self) -> usize {
        let is_king = |piece: &Option<(usize, usize)>| *piece == Some((0, 5));
        self.pieces.iter().position(is_king).unwrap_or(0)
    }

    /// Visits the pieces that the one on `from` attacks: where they are, whose, and which.
    pub fn attacked(&self, from: usize, mut found: impl FnMut(usize, (usize, usize))) {
        let Some((owner, piece)) = self.pieces[from] else {
            return;
        };
        lines(owner, piece, from, |line| {
            let mut line = line.iter().map(|to| usize::from(*to));
            if let Some(to) = line.find(|to| self.pieces[*to].is_some()) {
                found(to, self.pieces[to].unwrap_or_default());
            }
        });
    }
}

/// Visits the squares to which a piece on `from` can go on an empty board, direction by direction,
/// the nearest square of each first. Pawns: only where they capture.
pub fn lines(owner: usize, piece: usize, from: usize, mut found: impl FnMut(&[u8])) {
    let steps = match piece {
        0 if !(8..56).contains(&from) => &[],
        0 => &PAWN[owner][..],
        1 => &KNIGHT[..],
        2 => &STRAIGHT_AND_DIAGONAL[4..],
        3 => &STRAIGHT_AND_DIAGONAL[..4],
        _ => &STRAIGHT_AND_DIAGONAL[..],
    };
    let most = if matches!(piece, 2..=4) { 7 } else { 1 };
    for (right, up) in steps {
        let (mut line, mut len) = ([0; 7], 0);
        let (mut file, mut rank) = (from as i32 % 8 + right, from as i32 / 8 + up);
        while len < most && (0..8).contains(&file) && (0..8).contains(&rank) {
            line[len] = (8 * rank + file) as u8;
            len += 1;
            (file, rank) = (file + right, rank + up);
        }
        found(&line[..len]);
    }
}
