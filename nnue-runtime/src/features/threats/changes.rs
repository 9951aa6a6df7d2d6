//! What moves change besides the pieces on single squares: attacks between pieces, and pawns.
//!
//! An attack goes from a piece in one of 16 directions, eight lines and the eight jumps of a
//! knight, to the nearest piece there. So a direction and the square of the victim stand for an
//! attack, and the attacks of all pieces in one direction are a set of squares. Such sets are found
//! for eight directions at once, by [filling](super::levels) lines with bits.
//!
//! An attack differs before and after if its victim's square has changed, or if the nearest square
//! back in its direction that has changed or holds a piece has changed. That is one more fill, and
//! it leaves nothing that was there before and after.

use nnue_format::{ThreatRules, Threats};

use super::levels;
use crate::architecture::Architecture;
use crate::features::{Family, FeatureSet};
use crate::level::Level;
use crate::placement::PieceCodes;

/// An attack: the code of each piece, and its square from a1 to h8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Threat {
    pub(super) attacker: u8,
    pub(super) from: u8,
    pub(super) victim: u8,
    pub(super) to: u8,
}

/// The most attacks at once: eight by a piece on each square.
const MOST: usize = 64 * 8;

/// A list of attacks.
#[derive(Clone)]
pub(crate) struct ThreatList {
    threats: [Threat; MOST],
    len: usize,
}

impl ThreatList {
    const EMPTY: ThreatList = ThreatList {
        threats: [Threat {
            attacker: 0,
            from: 0,
            victim: 0,
            to: 0,
        }; MOST],
        len: 0,
    };

    #[inline]
    pub(super) fn as_slice(&self) -> &[Threat] {
        &self.threats[..self.len.min(MOST)]
    }

    #[inline]
    fn push(&mut self, threat: Threat) {
        if let Some(free) = self.threats.get_mut(self.len) {
            *free = threat;
            self.len += 1;
        }
    }
}

/// What differs between two placements.
#[derive(Clone)]
pub(crate) struct BoardChanges {
    /// The attacks that there are only after the moves.
    pub(super) added: ThreatList,
    /// The attacks that there were only before them.
    pub(super) removed: ThreatList,
    /// White's pawns and black's, before and after.
    pub(in crate::features) pawns: [[u64; 2]; 2],
    /// White's pieces and black's that are [threatened](super::threatened), before and after.
    pub(in crate::features) threatened: [[u64; 2]; 2],
}

impl BoardChanges {
    pub(crate) const NONE: BoardChanges = BoardChanges {
        added: ThreatList::EMPTY,
        removed: ThreatList::EMPTY,
        pawns: [[0; 2]; 2],
        threatened: [[0; 2]; 2],
    };

    /// Replaces them by what differs between two placements: attacks as far as sets of the network
    /// have rows for them.
    #[inline]
    pub(crate) fn find<A: Architecture>(
        &mut self,
        level: Level,
        before: &PieceCodes,
        after: &PieceCodes,
    ) {
        if const { have_pairs(A::FEATURES) } {
            let scope = const { &Scope::of(A::FEATURES) };
            levels::find(level, scope, [before, after], self);
        }
        if const { have_threatened(A::FEATURES) } {
            levels::find_threatened(level, [before, after], self);
        }
    }
}

/// Whether some set has rows for pairs of pieces.
const fn have_pairs(sets: &[FeatureSet]) -> bool {
    match sets {
        [first, others @ ..] => {
            matches!(first.family, Family::Threats(_) | Family::PawnPairs(_)) || have_pairs(others)
        }
        [] => false,
    }
}

/// Whether some set has rows for threatened pieces.
const fn have_threatened(sets: &[FeatureSet]) -> bool {
    match sets {
        [first, others @ ..] => {
            let has = match &first.family {
                Family::PieceSquare(tables) => tables.has_threatened(),
                Family::Threats(_) | Family::PawnPairs(_) | Family::Custom => false,
            };
            has || have_threatened(others)
        }
        [] => false,
    }
}

/// The attacks that some set of a network has rows for, as masks: all bits or none. Roles are pawn,
/// 0, to king, 5.
pub(super) struct Scope {
    /// Whether a role attacks anything.
    attackers: [u64; 6],
    /// Whom each role attacks. Bishops, rooks and queens have what any of them does.
    victims: [[u64; 6]; 6],
    /// Whether pawns attack pawns ahead of them.
    pub(super) pushes: u64,
}

impl Scope {
    const fn of(sets: &[FeatureSet]) -> Scope {
        let mut scope = Scope {
            attackers: [0; 6],
            victims: [[0; 6]; 6],
            pushes: 0,
        };
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
                self.attackers[attacker] = u64::MAX;
                let sliders = attacker >= 2 && attacker <= 4;
                let mut other = 0;
                while other < 6 {
                    if other == attacker || sliders && other >= 2 && other <= 4 {
                        self.victims[other][victim] = u64::MAX;
                    }
                    other += 1;
                }
            }
            pair += 1;
        }
        if rules.pushes {
            self.pushes = u64::MAX;
        }
        self
    }
}

/// Sets of squares, one for each of eight directions.
pub(super) type Eight = [u64; 8];

/// How far each direction goes: north, east, northeast, northwest, and back.
pub(super) const LINES: Eight = [8, 1, 9, 7, 56, 63, 55, 57];
/// The jumps of a knight, in no particular order.
pub(super) const JUMPS: Eight = [17, 15, 10, 6, 47, 49, 54, 58];

/// The squares where a step in each direction can end, without leaving the board and entering on
/// the other side.
pub(super) const LINE_ENDS: Eight = ends(LINES);
pub(super) const JUMP_ENDS: Eight = ends(JUMPS);

const fn ends(steps: Eight) -> Eight {
    let mut ends = [0; 8];
    let mut direction = 0;
    while direction < 8 {
        let mut from = 0;
        while from < 64 {
            let to = (from + steps[direction] as usize) % 64;
            let files = (from % 8).abs_diff(to % 8);
            let ranks = (from / 8).abs_diff(to / 8);
            if files <= 2 && ranks <= 2 {
                ends[direction] |= 1 << to;
            }
            from += 1;
        }
        direction += 1;
    }
    ends
}

/// The squares from which an attack in a direction can reach a square: on the whole line, or the
/// only one of a jump. Lines come first.
const SOURCES: [[u64; 64]; 16] = {
    let mut sources = [[0; 64]; 16];
    let mut to = 0;
    while to < 64 {
        let mut direction = 0;
        while direction < 8 {
            let mut square: u64 = 1 << to;
            while square & LINE_ENDS[direction] != 0 {
                square = square.rotate_right(LINES[direction] as u32);
                sources[direction][to] |= square;
            }
            let square: u64 = 1 << to;
            if square & JUMP_ENDS[direction] != 0 {
                sources[8 + direction][to] = square.rotate_right(JUMPS[direction] as u32);
            }
            direction += 1;
        }
        to += 1;
    }
    sources
};

/// The pieces of a placement, as sets of squares.
#[derive(Clone, Copy)]
pub(super) struct Pieces {
    /// The four bits of the codes.
    planes: [u64; 4],
    pub(super) occupied: u64,
    /// Pawns to kings, of both colours.
    roles: [u64; 6],
    /// White's pawns and black's, as far as they stand where pawns can stand.
    pub(super) pawns: [u64; 2],
}

impl Pieces {
    #[inline(always)]
    pub(super) fn of(planes: [u64; 4]) -> Pieces {
        // No pawn stands on the first rank or on the last.
        const RANKS: u64 = 0x00FF_FFFF_FFFF_FF00;
        let [a, b, c, d] = planes;
        // By their codes: 1 to 6 are white's pawn to king, 7 to 12 are black's.
        let (white, black) = (a & !b & !c & !d, a & b & c & !d);
        let roles = [
            white | black,
            !a & (b & !c & !d | !b & !c & d),
            a & (b & !c & !d | !b & !c & d),
            !a & (!b & c & !d | b & !c & d),
            a & (!b & c & !d | b & !c & d),
            !a & (b & c & !d | !b & c & d),
        ];
        Pieces {
            planes,
            occupied: a | b | c | d,
            roles,
            pawns: [white & RANKS, black & RANKS],
        }
    }

    /// The squares on which two placements differ.
    #[inline(always)]
    pub(super) fn differences(&self, other: &Pieces) -> u64 {
        let ([a, b, c, d], [e, f, g, h]) = (self.planes, other.planes);
        a ^ e | b ^ f | c ^ g | d ^ h
    }

    /// The pieces of a role, if they attack anything.
    #[inline(always)]
    pub(super) fn attackers(&self, scope: &Scope, role: usize) -> u64 {
        self.roles[role] & scope.attackers[role]
    }

    /// The pieces that those of a role attack; of bishops, rooks and queens together.
    #[inline(always)]
    pub(super) fn victims(&self, scope: &Scope, attackers: usize) -> u64 {
        let mut victims = 0;
        for role in 0..6 {
            victims |= self.roles[role] & scope.victims[attackers][role];
        }
        victims
    }

    /// White's pieces and black's.
    #[inline(always)]
    pub(super) fn colors(&self) -> [u64; 2] {
        let [a, b, c, d] = self.planes;
        let black = d | a & b & c;
        [self.occupied & !black, black]
    }

    /// The pieces of both colours, by their roles.
    #[inline(always)]
    pub(super) fn knights_to_queens(&self) -> [u64; 4] {
        let [_, knights, bishops, rooks, queens, _] = self.roles;
        [knights, bishops, rooks, queens]
    }

    /// All pawns.
    #[inline(always)]
    pub(super) fn all_pawns(&self) -> u64 {
        self.roles[0]
    }
}

/// Lists the attacks that sets of victims' squares stand for.
///
/// There is one loop over all of them, and its end is the only branch that depends on the position.
#[inline(always)]
pub(super) fn list_attacks(
    codes: &PieceCodes,
    occupied: u64,
    mut victims: [u64; 16],
    list: &mut ThreatList,
) {
    let mut directions = (0..16).fold(0, |all, d| all | u32::from(victims[d] != 0) << d);
    list.len = 0;
    while directions != 0 {
        let direction = directions.trailing_zeros() as usize % 16;
        let squares = victims[direction];
        let rest = squares & squares.wrapping_sub(1);
        victims[direction] = rest;
        directions &= !(u32::from(rest == 0) << direction);
        let to = squares.trailing_zeros() as usize % 64;
        let sources = SOURCES[direction][to] & occupied;
        // The first four lines go up, so that the nearest square back has the highest number.
        let [lowest, highest] = [
            sources.trailing_zeros(),
            sources.leading_zeros().wrapping_sub(63).wrapping_neg(),
        ];
        let from = if direction < 4 { highest } else { lowest } as usize % 64;
        list.push(Threat {
            attacker: codes.bytes()[from],
            from: from as u8,
            victim: codes.bytes()[to],
            to: to as u8,
        });
    }
}
