//! What moves change besides the pieces on single squares: attacks between pieces, and pawns.
//!
//! An attack goes from a piece in one of 16 [directions](super::directions) to the nearest piece
//! there. So a direction and the square of the victim stand for an attack, and the attacks of all
//! pieces in one direction are a set of squares. Such sets are found for eight directions at once,
//! by [filling](super::levels) lines with bits.
//!
//! An attack differs before and after if its victim's square has changed, or if the nearest square
//! back in its direction that has changed or holds a piece has changed. That is one more fill, and
//! it leaves nothing that was there before and after.

use super::levels;
use super::pieces::Scope;
use crate::architecture::Architecture;
use crate::features::{Family, FeatureSet};
use crate::level::Level;
use crate::placement::PieceCodes;

/// The most attacks at once: eight by a piece on each square.
const MOST: usize = 64 * 8;

/// The most attacks that are listed at once: one in each of eight directions.
const AT_ONCE: usize = 8;

/// A list of attacks: the square of the attacker and that of the victim, from a1 to h8.
#[derive(Clone)]
pub(crate) struct Attacks {
    /// Those that are listed at once are written as a whole and counted afterwards, so there is
    /// room for more than the most.
    squares: [[u8; 2]; MOST + AT_ONCE],
    len: usize,
}

impl Attacks {
    const NONE: Attacks = Attacks {
        squares: [[0; 2]; MOST + AT_ONCE],
        len: 0,
    };

    #[inline]
    pub(in crate::features) fn as_slice(&self) -> &[[u8; 2]] {
        &self.squares[..self.len.min(MOST)]
    }

    #[inline]
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    /// The memory behind the list, for those that are listed next.
    #[inline(always)]
    pub(super) fn room(&mut self) -> &mut [[u8; 2]; AT_ONCE] {
        let (_, room) = self.squares.split_at_mut(self.len.min(MOST));
        room.first_chunk_mut()
            .expect("no list is longer than the most")
    }

    /// Appends so many attacks that were written to [`room`](Self::room).
    #[inline(always)]
    pub(super) fn grow(&mut self, written: usize) {
        self.len += written;
    }
}

/// What differs between two placements.
#[derive(Clone)]
pub(crate) struct BoardChanges {
    /// The attacks that there are only after the moves.
    pub(in crate::features) added: Attacks,
    /// The attacks that there were only before them.
    pub(super) removed: Attacks,
    /// White's pawns and black's, before and after.
    pub(in crate::features) pawns: [[u64; 2]; 2],
    /// White's pieces and black's that are [threatened](super::threatened), before and after.
    pub(in crate::features) threatened: [[u64; 2]; 2],
}

impl BoardChanges {
    pub(crate) const NONE: BoardChanges = BoardChanges {
        added: Attacks::NONE,
        removed: Attacks::NONE,
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

    /// Replaces them by all that there is in a placement, which is what differs from an empty board.
    #[inline]
    pub(crate) fn find_all<A: Architecture>(&mut self, level: Level, pieces: &PieceCodes) {
        let scope = const { &Scope::of(A::FEATURES) };
        self.find_all_of(level, A::FEATURES, scope, pieces);
    }

    /// The same for sets that are known only at run time.
    #[inline]
    pub(in crate::features) fn find_all_of(
        &mut self,
        level: Level,
        sets: &[FeatureSet],
        scope: &Scope,
        pieces: &PieceCodes,
    ) {
        if have_pairs(sets) {
            levels::find_all(level, scope, pieces, self);
        }
        if have_threatened(sets) {
            levels::find_threatened(level, [&PieceCodes::EMPTY, pieces], self);
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
