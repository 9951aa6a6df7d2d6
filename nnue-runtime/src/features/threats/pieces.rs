//! The pieces of a placement by their attacks, as sets of squares.
//!
//! What a piece does is a bit for each [`Attacker`] and [`Attack`] in a table that is read by the
//! piece's code. So one look into the table for all squares, and one comparison for each bit, make
//! sets of squares of a placement. The bits also say what networks have rows for: an attack whose
//! pieces have no such bits is not found.

use nnue_format::{ThreatRules, Threats};

use crate::feature_set::{Family, FeatureSet};

/// The squares where pawns can stand: not those of the first rank or the last.
pub(super) const PAWN_RANKS: u64 = 0x00FF_FFFF_FFFF_FF00;

/// The kinds of pieces that attack others, as numbers of bits.
#[derive(Clone, Copy)]
pub(super) enum Attacker {
    /// A white pawn, whether or not it attacks anything.
    WhitePawn,
    /// A black pawn, whether or not it attacks anything.
    BlackPawn,
    /// A knight.
    Jumper,
    /// A piece that goes along ranks and files.
    Straight,
    /// A piece that goes along diagonals.
    Diagonal,
    /// A king.
    Stepper,
    /// Any piece.
    Any,
}

/// The attacks that make victims of pieces, as numbers of bits.
#[derive(Clone, Copy)]
pub(super) enum Attack {
    /// Attacks by pawns, along diagonals.
    Capture,
    /// Attacks by pawns on pieces in their way.
    Push,
    /// Attacks by knights.
    Jump,
    /// Attacks by bishops, rooks and queens.
    Slide,
    /// Attacks by kings.
    Step,
}

/// The attacks that some set of a network has rows for.
pub(in crate::features) struct Scope {
    /// For the code of a piece, a bit for each [`Attacker`] that it is.
    attackers: [u8; 16],
    /// For the code of a piece, a bit for each [`Attack`] that it suffers.
    victims: [u8; 16],
}

impl Scope {
    /// The attacks that some of these sets have rows for. Bishops, rooks and queens share a bit:
    /// each of them attacks whom any of them attacks, and which of those attacks have rows is found
    /// later.
    pub(in crate::features) const fn of(sets: &[FeatureSet]) -> Scope {
        let mut scope = Scope {
            attackers: [0; 16],
            victims: [0; 16],
        };
        let mut piece = 0;
        while piece < 12 {
            scope.attackers[1 + piece] = 1 << Attacker::Any as u8;
            piece += 1;
        }
        scope.attackers[code(0, 0)] |= 1 << Attacker::WhitePawn as u8;
        scope.attackers[code(1, 0)] |= 1 << Attacker::BlackPawn as u8;
        let mut index = 0;
        while index < sets.len() {
            if let Family::Threats(Threats { rules, .. }) = &sets[index].family {
                scope = scope.with(rules);
            }
            index += 1;
        }
        scope
    }

    const fn with(mut self, rules: &ThreatRules) -> Scope {
        let mut pair = 0;
        while pair < 36 {
            let (attacker, victim) = (pair / 6, pair % 6);
            if rules.targets[attacker][victim] != ThreatRules::NO_TARGET {
                let (does, suffers) = match attacker {
                    0 => (0, Attack::Capture),
                    1 => (1 << Attacker::Jumper as u8, Attack::Jump),
                    2 => (1 << Attacker::Diagonal as u8, Attack::Slide),
                    3 => (1 << Attacker::Straight as u8, Attack::Slide),
                    4 => (
                        1 << Attacker::Diagonal as u8 | 1 << Attacker::Straight as u8,
                        Attack::Slide,
                    ),
                    _ => (1 << Attacker::Stepper as u8, Attack::Step),
                };
                let mut color = 0;
                while color < 2 {
                    self.attackers[code(color, attacker)] |= does;
                    self.victims[code(color, victim)] |= 1 << suffers as u8;
                    color += 1;
                }
            }
            pair += 1;
        }
        if rules.pushes {
            self.victims[code(0, 0)] |= 1 << Attack::Push as u8;
            self.victims[code(1, 0)] |= 1 << Attack::Push as u8;
        }
        self
    }

    /// The tables of bits for attackers and for victims.
    #[inline(always)]
    pub(super) fn tables(&self) -> [&[u8; 16]; 2] {
        [&self.attackers, &self.victims]
    }
}

/// The code of a piece: roles are pawn, 0, to king, 5.
const fn code(color: usize, role: usize) -> usize {
    1 + 6 * color + role
}

/// The squares of a placement for each bit.
#[derive(Clone, Copy)]
pub(super) struct Pieces {
    attackers: [u64; 8],
    victims: [u64; 8],
}

impl Pieces {
    /// The pieces whose squares are given for each bit of the [tables](Scope::tables).
    #[inline(always)]
    pub(super) fn new([attackers, victims]: [[u64; 8]; 2]) -> Pieces {
        Pieces { attackers, victims }
    }

    #[inline(always)]
    pub(super) fn attackers(&self, attacker: Attacker) -> u64 {
        self.attackers[attacker as usize]
    }

    #[inline(always)]
    pub(super) fn victims(&self, attack: Attack) -> u64 {
        self.victims[attack as usize]
    }

    /// The squares of all pieces.
    #[inline(always)]
    pub(super) fn occupied(&self) -> u64 {
        self.attackers(Attacker::Any)
    }

    /// White's pawns and black's, as far as they stand where pawns can stand.
    #[inline(always)]
    pub(super) fn pawns(&self) -> [u64; 2] {
        [Attacker::WhitePawn, Attacker::BlackPawn].map(|pawn| self.attackers(pawn) & PAWN_RANKS)
    }
}
