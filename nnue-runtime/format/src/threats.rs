//! The tables of threat feature sets, which say which row an attack makes active.

/// The threats that are features, and the order of their rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreatRules {
    /// For each attacker, pawn to king, the number of each victim, pawn to king.
    /// [`NO_TARGET`](Self::NO_TARGET) stands for pieces that the attacker does not threaten. The
    /// other victims are numbered from 0 without gaps.
    pub targets: [[u8; 6]; 6],
    /// Whether a pawn also attacks the square ahead of it if a pawn stands there.
    pub pushes: bool,
    /// Whether, of two pieces of the same kind that attack each other, only the piece on the later
    /// square counts as attacker, as the perspective sees the board.
    pub mutual_once: bool,
    /// Whether own and opponent's pieces alternate, pawn by pawn and knight by knight. Otherwise
    /// all own pieces come first.
    pub interleaved: bool,
    /// Whether the rows of a square of the attacker follow each other, victim by victim. Otherwise
    /// the rows of a victim follow each other, square by square.
    pub by_square: bool,
}

impl ThreatRules {
    /// Stands in [`Self::targets`] for pieces that a piece cannot threaten.
    pub const NO_TARGET: u8 = u8::MAX;

    /// The number of victims that an attacker tells apart, without their colours.
    #[must_use]
    pub const fn victims(&self, attacker: usize) -> u32 {
        let (mut victims, mut role) = (0, 0);
        while role < 6 {
            let victim = self.targets[attacker][role];
            if victim != Self::NO_TARGET && victim as u32 >= victims {
                victims = victim as u32 + 1;
            }
            role += 1;
        }
        victims
    }
}

/// The formula of a set of threats, as tables.
///
/// A perspective sees pieces as its own, 1 to 6 for pawn to king, or as the opponent's, 7 to 12.
/// A piece that attacks another piece makes this row active:
///
/// ```text
/// pairs[attacker][victim] + squares[attacker][from]
///     + slots[attacker][victim] * (number of squares in attacks[attacker][from])
///     + (number of squares before `to` in attacks[attacker][from])
/// ```
///
/// It is a row of the perspective's rows of the set, with squares as the perspective sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threats {
    /// Bit `f` is set when a king on file `f` mirrors the board.
    pub mirror_files: u8,
    /// The threats that are features.
    pub rules: ThreatRules,
    /// The first row of each pair of pieces, with [`IF_LATER`](Self::IF_LATER) where the attack
    /// counts only from the later of two squares. [`NO_ROW`](Self::NO_ROW) stands for pairs without
    /// rows.
    pub pairs: [[u32; 16]; 16],
    /// The first row of each square of an attacker, among the rows of a pair.
    pub squares: [[u32; 64]; 16],
    /// The factor of the number of squares that an attacker reaches, for each victim.
    pub slots: [[u8; 16]; 16],
    /// The squares that an attacker reaches on an empty board, with a bit for each square.
    pub attacks: [[u64; 64]; 16],
    /// The number of rows.
    pub rows: u32,
}

impl Threats {
    /// Stands in [`Self::pairs`] for pairs without rows.
    pub const NO_ROW: u32 = 1 << 31;
    /// Marks in [`Self::pairs`] that the attacker must stand on a later square than the victim.
    pub const IF_LATER: u32 = 1 << 30;

    /// The tables for these rules. `mirror_files` has a bit for each file on which a king, seen
    /// from its own side, mirrors the board.
    #[must_use]
    pub const fn new(mirror_files: u8, rules: ThreatRules) -> Threats {
        let mut tables = Threats {
            mirror_files,
            rules,
            pairs: [[Self::NO_ROW; 16]; 16],
            squares: [[0; 64]; 16],
            slots: [[0; 16]; 16],
            attacks: [[0; 64]; 16],
            rows: 0,
        };
        let mut turn = 0;
        while turn < 12 {
            let (owner, role) = if rules.interleaved {
                (turn % 2, turn / 2)
            } else {
                (turn / 6, turn % 6)
            };
            tables = tables.with_attacker(owner, role);
            turn += 1;
        }
        tables
    }

    /// The first row of an attacker, and the row behind its last row. Own pieces have the owner 0.
    #[must_use]
    pub const fn rows_of(&self, owner: usize, role: usize) -> [u32; 2] {
        let (attacker, victims) = (1 + 6 * owner + role, 2 * self.rules.victims(role));
        let (mut first, mut reached, mut square) = (0, 0, 0);
        while square < 64 {
            reached += self.attacks[attacker][square].count_ones();
            square += 1;
        }
        let mut victim = 1;
        if self.rules.by_square {
            first = self.squares[attacker][0];
        } else {
            while victim <= 12 {
                let row = self.pairs[attacker][victim] & !Self::IF_LATER;
                if row != Self::NO_ROW && self.slot(role, victim) == 0 {
                    first = row;
                }
                victim += 1;
            }
        }
        [first, first + victims * reached]
    }

    /// The number of a victim among the victims of an attacker, which must have this victim.
    const fn slot(&self, attacker: usize, victim: usize) -> u32 {
        let (owner, role) = ((victim as u32 - 1) / 6, (victim - 1) % 6);
        let number = self.rules.targets[attacker][role] as u32;
        if self.rules.interleaved {
            2 * number + owner
        } else {
            owner * self.rules.victims(attacker) + number
        }
    }

    /// Appends the rows of an attacker.
    const fn with_attacker(mut self, owner: usize, role: usize) -> Threats {
        let attacker = 1 + 6 * owner + role;
        let victims = 2 * self.rules.victims(role);
        let (mut reached, mut square) = (0, 0);
        while square < 64 {
            let attacks = attacks(owner, role, square, self.rules.pushes);
            self.attacks[attacker][square] = attacks;
            self.squares[attacker][square] = if self.rules.by_square {
                self.rows + victims * reached
            } else {
                reached
            };
            reached += attacks.count_ones();
            square += 1;
        }
        let mut victim = 1;
        while victim <= 12 {
            let victims_role = (victim - 1) % 6;
            if self.rules.targets[role][victims_role] != ThreatRules::NO_TARGET {
                let slot = self.slot(role, victim);
                if self.rules.by_square {
                    self.slots[attacker][victim] = slot as u8;
                    self.pairs[attacker][victim] = 0;
                } else {
                    self.pairs[attacker][victim] = self.rows + slot * reached;
                }
                // Pawns of one side do not attack each other.
                let mutual = role == victims_role && (role != 0 || owner != (victim - 1) / 6);
                if self.rules.mutual_once && mutual {
                    self.pairs[attacker][victim] |= Self::IF_LATER;
                }
            }
            victim += 1;
        }
        self.rows += victims * reached;
        self
    }
}

/// The squares that a piece reaches on an empty board. Pawns stand on the second to the seventh
/// rank; own pawns move up.
const fn attacks(owner: usize, role: usize, square: usize, pushes: bool) -> u64 {
    const STRAIGHT: [[i8; 2]; 4] = [[0, 1], [1, 0], [0, -1], [-1, 0]];
    const DIAGONAL: [[i8; 2]; 4] = [[1, 1], [1, -1], [-1, -1], [-1, 1]];
    const KNIGHT: [[i8; 2]; 8] = [
        [1, 2],
        [2, 1],
        [2, -1],
        [1, -2],
        [-1, -2],
        [-2, -1],
        [-2, 1],
        [-1, 2],
    ];
    let ahead: i8 = if owner == 0 { 1 } else { -1 };
    match role {
        0 if square / 8 == 0 || square / 8 == 7 => 0,
        0 => {
            let captures = [[-1, ahead], [1, ahead]];
            let push = if pushes {
                reach(square, &[[0, ahead]], 1)
            } else {
                0
            };
            reach(square, &captures, 1) | push
        }
        1 => reach(square, &KNIGHT, 1),
        2 => reach(square, &DIAGONAL, 7),
        3 => reach(square, &STRAIGHT, 7),
        4 => reach(square, &STRAIGHT, 7) | reach(square, &DIAGONAL, 7),
        _ => reach(square, &STRAIGHT, 1) | reach(square, &DIAGONAL, 1),
    }
}

/// The squares that are at most `most` steps away.
const fn reach(square: usize, steps: &[[i8; 2]], most: usize) -> u64 {
    let (mut squares, mut direction) = (0, 0);
    while direction < steps.len() {
        let [right, up] = steps[direction];
        let (mut file, mut rank) = ((square % 8) as i8 + right, (square / 8) as i8 + up);
        let mut step = 0;
        while step < most && file >= 0 && file < 8 && rank >= 0 && rank < 8 {
            squares |= 1 << (8 * rank + file);
            (file, rank) = (file + right, rank + up);
            step += 1;
        }
        direction += 1;
    }
    squares
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::ThreatTargets;

    #[test]
    fn rows_are_counted_as_by_the_sets_authors() {
        let tables = Threats::new(0, ThreatTargets::Sfnnv10.rules());
        let first = |owner| [0, 1, 2, 3, 4, 5].map(|role| tables.rows_of(owner, role)[0]);
        assert_eq!(first(0), [0, 504, 4536, 10136, 19096, 36568]);
        assert_eq!(first(1), [39928, 40432, 44464, 50064, 59024, 76496]);
        assert_eq!(tables.rows_of(1, 5)[1], 79856);
        assert_eq!(tables.rows, 79856);
        let tables = Threats::new(0, ThreatTargets::Sfnnv16.rules());
        let first = |owner| [0, 1, 2, 3, 4].map(|role| tables.rows_of(owner, role)[0]);
        assert_eq!(first(0), [0, 336, 3696, 8176, 15344]);
        assert_eq!(first(1), [29904, 30240, 33600, 38080, 45248]);
    }

    /// Every row belongs to one threat on an empty board, in either order.
    #[test]
    fn no_two_threats_share_a_row() {
        for (interleaved, by_square) in [(false, false), (true, true), (true, false), (false, true)]
        {
            let tables = Threats::new(
                0,
                ThreatRules {
                    interleaved,
                    by_square,
                    ..ThreatTargets::Sfnnv10.rules()
                },
            );
            let mut seen = vec![false; tables.rows as usize];
            for attacker in 1..=12 {
                for victim in 1..=12 {
                    let pair = tables.pairs[attacker][victim] & !Threats::IF_LATER;
                    if pair == Threats::NO_ROW {
                        continue;
                    }
                    for from in 0..64 {
                        let reached = tables.attacks[attacker][from].count_ones();
                        for rank in 0..reached {
                            let slot = u32::from(tables.slots[attacker][victim]);
                            let row = pair + tables.squares[attacker][from] + slot * reached + rank;
                            assert!(!core::mem::replace(&mut seen[row as usize], true));
                        }
                    }
                }
            }
            assert!(seen.into_iter().all(|seen| seen));
            let last = tables.rows_of(1, 5);
            assert_eq!(last[1], tables.rows);
        }
    }
}
