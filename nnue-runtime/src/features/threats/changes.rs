//! Finds the attacks that moves make and end, from the placements before and after them.
//!
//! An attack goes from a piece in one of 16 directions, eight lines and the eight jumps of a
//! knight, to the nearest piece there. So a direction and the square of the victim stand for an
//! attack, and the attacks of all pieces in one direction are a set of squares. Such sets are found
//! for eight directions at once, by filling lines with bits: vectors of eight sets, which compilers
//! make of arrays.
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

/// The attacks that differ between two placements.
#[derive(Clone)]
pub(crate) struct ThreatChanges {
    pub(super) added: ThreatList,
    pub(super) removed: ThreatList,
}

impl ThreatChanges {
    pub(crate) const NONE: ThreatChanges = ThreatChanges {
        added: ThreatList::EMPTY,
        removed: ThreatList::EMPTY,
    };

    /// Replaces them by the attacks that differ between two placements, as far as sets of the
    /// network have rows for them.
    #[inline]
    pub(crate) fn find<A: Architecture>(
        &mut self,
        level: Level,
        before: &PieceCodes,
        after: &PieceCodes,
    ) {
        let scope = const { &Scope::of(A::FEATURES) };
        levels::find(level, scope, [before, after], self);
    }
}

/// The attacks that some set of a network has rows for.
pub(super) struct Scope {
    /// The victims of each attacker, pawn to king: a bit for each, pawn to king.
    victims: [u8; 6],
    /// Whether pawns attack pawns ahead of them.
    pushes: bool,
}

impl Scope {
    const fn of(sets: &[FeatureSet]) -> Scope {
        let mut scope = Scope {
            victims: [0; 6],
            pushes: false,
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
            if rules.targets[pair / 6][pair % 6] != ThreatRules::NO_TARGET {
                self.victims[pair / 6] |= 1 << (pair % 6);
            }
            pair += 1;
        }
        self.pushes |= rules.pushes;
        self
    }
}

/// Sets of squares, one for each of eight directions.
type Eight = [u64; 8];

/// How far each direction goes: north, east, northeast, northwest, and back.
const LINES: Eight = [8, 1, 9, 7, 56, 63, 55, 57];
/// The jumps of a knight, in no particular order.
const JUMPS: Eight = [17, 15, 10, 6, 47, 49, 54, 58];

/// The squares where a step in each direction can end, without leaving the board and entering on
/// the other side.
const LINE_ENDS: Eight = ends(LINES);
const JUMP_ENDS: Eight = ends(JUMPS);

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

#[inline(always)]
fn eight(of: impl FnMut(usize) -> u64) -> Eight {
    core::array::from_fn(of)
}

/// The squares one step on.
#[inline(always)]
fn step(squares: Eight, steps: Eight, ends: Eight) -> Eight {
    eight(|d| squares[d].rotate_left(steps[d] as u32) & ends[d])
}

/// The squares from which pieces, or what passes through empty squares, take the last step.
#[inline(always)]
fn fill(squares: Eight, empty: u64) -> Eight {
    let (mut squares, mut open) = (squares, eight(|d| empty & LINE_ENDS[d]));
    for length in [1, 2, 4] {
        let by = |d: usize| (length * LINES[d] as u32) % 64;
        squares = eight(|d| squares[d] | open[d] & squares[d].rotate_left(by(d)));
        open = eight(|d| open[d] & open[d].rotate_left(by(d)));
    }
    squares
}

/// The pieces of a placement, as sets of squares.
struct Pieces {
    /// The four bits of the codes.
    planes: [u64; 4],
    occupied: u64,
}

impl Pieces {
    #[inline(always)]
    fn of(planes: [u64; 4]) -> Pieces {
        Pieces {
            planes,
            occupied: planes[0] | planes[1] | planes[2] | planes[3],
        }
    }

    /// The squares of a piece, by its code.
    #[inline(always)]
    fn of_code(&self, code: u8) -> u64 {
        let plane = |bit: usize| match code >> bit & 1 {
            0 => !self.planes[bit],
            _ => self.planes[bit],
        };
        plane(0) & plane(1) & plane(2) & plane(3)
    }

    /// The squares of the pieces of a role, of both colours.
    #[inline(always)]
    fn of_role(&self, role: u8) -> u64 {
        self.of_code(1 + role) | self.of_code(7 + role)
    }

    /// The attacked squares in each direction: lines, then jumps.
    #[inline(always)]
    fn attacked(&self, scope: &Scope) -> [Eight; 2] {
        let roles: [u64; 6] = core::array::from_fn(|role| self.of_role(role as u8));
        let victims = |attackers: &[usize]| {
            let victims = attackers
                .iter()
                .fold(0, |all, role| all | scope.victims[*role]);
            let roles = roles.iter().enumerate();
            let roles = roles.map(|(role, squares)| match victims >> role & 1 {
                0 => 0,
                _ => *squares,
            });
            roles.fold(0, |all, squares| all | squares)
        };
        let attackers = |role: usize| match scope.victims[role] {
            0 => 0,
            _ => roles[role],
        };
        let (diagonal, straight) = (attackers(2) | attackers(4), attackers(3) | attackers(4));
        let [north, east, northeast, northwest] = [straight, straight, diagonal, diagonal];
        let sliders = [
            north, east, northeast, northwest, north, east, northeast, northwest,
        ];
        let sliding = step(fill(sliders, !self.occupied), LINES, LINE_ENDS);
        let kings = step([attackers(5); 8], LINES, LINE_ENDS);
        let pawns = |code| match scope.victims[0] {
            0 => 0,
            // No pawn stands on the first rank or on the last.
            _ => self.of_code(code) & 0x00FF_FFFF_FFFF_FF00,
        };
        let (white, black) = (pawns(1), pawns(7));
        let capturing = [0, 0, white, white, 0, 0, black, black];
        let capturing = step(capturing, LINES, LINE_ENDS);
        let pushing = match scope.pushes {
            true => step([white, 0, 0, 0, black, 0, 0, 0], LINES, LINE_ENDS),
            false => [0; 8],
        };
        let by_sliders = victims(&[2, 3, 4]);
        let [by_kings, by_pawns] = [5, 0].map(|role| victims(&[role]));
        let lines = eight(|d| {
            sliding[d] & by_sliders
                | kings[d] & by_kings
                | capturing[d] & by_pawns
                | pushing[d] & roles[0]
        });
        let by_knights = victims(&[1]);
        let jumps = step([attackers(1); 8], JUMPS, JUMP_ENDS);
        [lines, eight(|d| jumps[d] & by_knights)]
    }
}

/// Finds the attacks that differ between two placements, given the bits of their codes.
#[inline(always)]
pub(super) fn find(
    scope: &Scope,
    placements: [&PieceCodes; 2],
    planes: [[u64; 4]; 2],
    changes: &mut ThreatChanges,
) {
    let (before, after) = (Pieces::of(planes[0]), Pieces::of(planes[1]));
    let changed = (0..4).fold(0, |all, bit| all | before.planes[bit] ^ after.planes[bit]);
    let empty = !(changed | before.occupied | after.occupied);
    // Where the attacks of lines and of jumps can differ.
    let along = step(fill([changed; 8], empty), LINES, LINE_ENDS);
    let across = step([changed; 8], JUMPS, JUMP_ENDS);
    let [codes_before, codes_after] = placements;
    let ThreatChanges { added, removed } = changes;
    for (codes, pieces, list) in [
        (codes_before, &before, removed),
        (codes_after, &after, added),
    ] {
        let [lines, jumps] = pieces.attacked(scope);
        let lines = eight(|d| lines[d] & (changed | along[d]));
        let jumps = eight(|d| jumps[d] & (changed | across[d]));
        list_attacks(codes, pieces.occupied, lines, jumps, list);
    }
}

/// Lists the attacks that sets of victims' squares stand for.
///
/// There is one loop over all of them, and its end is the only branch that depends on the position.
#[inline(always)]
fn list_attacks(
    codes: &PieceCodes,
    occupied: u64,
    lines: Eight,
    jumps: Eight,
    list: &mut ThreatList,
) {
    let mut victims = [0; 16];
    victims[..8].copy_from_slice(&lines);
    victims[8..].copy_from_slice(&jumps);
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
