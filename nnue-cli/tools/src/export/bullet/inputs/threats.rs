//! A row for each piece that attacks another one, in programs for bullet. They contain the text of
//! this file.

use super::board::{Board, lines};

/// Which attacks have rows, and in which order.
#[derive(Debug)]
pub struct Rules {
    /// The files from which the own king is mirrored to the other half, a bit for each.
    pub mirror_files: u8,
    /// For each attacker, pawn to king, the number of each victim, pawn to king; -1 for none.
    pub targets: [[isize; 6]; 6],
    /// Whether a pawn also threatens a pawn straight ahead of it.
    pub pushes: bool,
    /// Whether of two pieces of a kind that attack each other only the one on the later square has
    /// a row.
    pub mutual_once: bool,
    /// Whether own and opponent's pieces alternate; otherwise all own ones come first.
    pub interleaved: bool,
    /// Whether the rows of an attacker's square stand together; otherwise those of a victim do.
    pub by_square: bool,
}

/// Rows for each piece that attacks another one.
pub struct Threats {
    rules: Rules,
    /// For own pieces and for the opponent's, pawn to king.
    attackers: [[Attacker; 6]; 2],
}

/// The rows of an attacker.
struct Attacker {
    first_row: usize,
    /// How many victims of each colour it tells apart.
    victims: usize,
    /// The squares that it reaches from each square of an empty board, a bit for each.
    reached: [u64; 64],
    /// How many squares it reaches from all squares before a square.
    before: [usize; 65],
}

impl Threats {
    /// The tables that follow from the rules.
    pub fn new(rules: Rules) -> Threats {
        let attacker = |owner, piece| {
            let reached = std::array::from_fn(|from| reached(&rules, owner, piece, from));
            let mut before = [0; 65];
            for from in 0..64 {
                before[from + 1] = before[from] + reached[from].count_ones() as usize;
            }
            let victims = rules.targets[piece].into_iter().max().unwrap_or(-1) + 1;
            Attacker {
                first_row: 0,
                victims: victims as usize,
                reached,
                before,
            }
        };
        let mut attackers = [0, 1].map(|owner| std::array::from_fn(|piece| attacker(owner, piece)));
        let mut first_row = 0;
        for index in 0..12 {
            let (owner, piece) = if rules.interleaved {
                (index % 2, index / 2)
            } else {
                (index / 6, index % 6)
            };
            let attacker: &mut Attacker = &mut attackers[owner][piece];
            attacker.first_row = first_row;
            first_row += 2 * attacker.victims * attacker.before[64];
        }
        Threats { rules, attackers }
    }

    /// Visits the active rows of the player who sees the board so.
    pub fn find(&self, board: &Board, mut found: impl FnMut(usize)) {
        let board = board.mirrored(self.rules.mirror_files);
        for from in 0..64 {
            let Some(attacker) = board.pieces[from] else {
                continue;
            };
            let mut threat = |to: usize, victim: (usize, usize)| {
                if let Some(row) = self.row(attacker, from, victim, to) {
                    found(row);
                }
            };
            board.attacked(from, &mut threat);
            if self.rules.pushes && attacker.1 == 0 && (8..56).contains(&from) {
                let ahead = if attacker.0 == 0 { from + 8 } else { from - 8 };
                if let Some((owner, 0)) = board.pieces[ahead] {
                    threat(ahead, (owner, 0));
                }
            }
        }
    }

    /// The row of an attack; `None` if it has none.
    fn row(
        &self,
        (owner, piece): (usize, usize),
        from: usize,
        (victims_owner, victim): (usize, usize),
        to: usize,
    ) -> Option<usize> {
        let Rules {
            mutual_once,
            interleaved,
            by_square,
            ..
        } = self.rules;
        let number = usize::try_from(self.rules.targets[piece][victim]).ok()?;
        let is_mutual = piece == victim && (piece != 0 || owner != victims_owner);
        if mutual_once && is_mutual && from < to {
            return None;
        }
        let Attacker {
            first_row,
            victims,
            reached,
            before,
        } = &self.attackers[owner][piece];
        let slot = if interleaved {
            2 * number + victims_owner
        } else {
            victims_owner * victims + number
        };
        let rank = (reached[from] & ((1 << to) - 1)).count_ones() as usize;
        Some(
            first_row
                + rank
                + if by_square {
                    2 * victims * before[from] + slot * reached[from].count_ones() as usize
                } else {
                    slot * before[64] + before[from]
                },
        )
    }
}

/// The squares that a piece reaches on an empty board, a bit for each.
fn reached(rules: &Rules, owner: usize, piece: usize, from: usize) -> u64 {
    let mut squares = 0;
    lines(owner, piece, from, |line| {
        line.iter().for_each(|to| squares |= 1 << to)
    });
    if rules.pushes && piece == 0 && (8..56).contains(&from) {
        squares |= if owner == 0 {
            1 << (from + 8)
        } else {
            1 << (from - 8)
        };
    }
    squares
}
