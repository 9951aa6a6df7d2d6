//! The changes of moves on the board: squares, and facts that follow from the whole board.

use super::threats::changes::BoardChanges;
use super::threats::levels;
use super::threats::pieces::Scope;
use crate::architecture::Architecture;
use crate::chess::Bitboard;
use crate::feature_set::{Family, FeatureSet, read_all_squares};
use crate::level::Level;
use crate::network::Network;
use crate::placement::PieceCodes;

/// The content of squares before moves were made, and after them: of the squares that changed, and
/// of all others too where some set reads them.
#[derive(Clone, Copy)]
pub(crate) struct Step<'a> {
    pub(crate) before: &'a PieceCodes,
    pub(crate) after: &'a PieceCodes,
    /// All squares on which they differ, and maybe others.
    pub(crate) changed: Bitboard,
    /// The other differences, if some set reads all squares.
    pub(crate) board: &'a BoardChanges,
}

impl<'a> Step<'a> {
    /// The step between any two placements. Differences besides single squares are kept in `board`,
    /// if some set reads all squares.
    #[inline]
    pub(crate) fn between<A: Architecture>(
        net: &Network<A>,
        before: &'a PieceCodes,
        after: &'a PieceCodes,
        board: &'a mut BoardChanges,
    ) -> Step<'a> {
        if const { read_all_squares(A::FEATURES) } {
            board.find::<A>(net.level(), before, after);
        }
        Step {
            before,
            after,
            changed: after.differences(before),
            board,
        }
    }
}

impl BoardChanges {
    /// Replaces the changes by those between two placements: attacks as far as sets of the network
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

    /// Replaces the changes by the whole placement: by its difference from an empty board.
    #[inline]
    pub(crate) fn find_all<A: Architecture>(&mut self, level: Level, pieces: &PieceCodes) {
        let scope = const { &Scope::of(A::FEATURES) };
        self.find_all_of(level, A::FEATURES, scope, pieces);
    }

    /// [`Self::find_all`] for sets that are known only at run time.
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
                Family::Threats(_)
                | Family::PawnPairs(_)
                | Family::Clock(_)
                | Family::Custom { .. } => false,
            };
            has || have_threatened(others)
        }
        [] => false,
    }
}
