//! The family of pawn pairs, by the formula of the language reference:
//!
//! ```text
//! row    = high * (high - 1) / 2 + low
//! number = 48 * (0 for an own pawn, 1 for the opponent's) + square - 8
//! ```
//!
//! where `high` and `low` are the larger and the smaller number of two pawns that are at most
//! `file_distance` files apart, with squares as the perspective sees them.

use nnue_compiler::feature_set::pawn_pairs::Parameters;
use nnue_compiler::feature_set::piece_square::Flip;
use nnue_runtime::{Color, Piece, Position, Role};

use super::orientation::orientation;

/// The rows that a position makes active for a perspective, counted from the set's first row.
pub(super) fn active(
    parameters: &Parameters,
    position: &impl Position,
    perspective: Color,
) -> Vec<usize> {
    let king = position.king(perspective);
    let turn = orientation(Flip::Vertical, parameters.mirror, perspective, king);
    let mut numbers = Vec::new();
    for (owner, color) in [perspective, !perspective].into_iter().enumerate() {
        for square in position.pieces(Piece::new(color, Role::Pawn)) {
            // No pawn stands on the first rank or on the last rank.
            if (8..56).contains(&square.index()) {
                numbers.push(48 * owner + (square.index() ^ turn) - 8);
            }
        }
    }
    let mut rows = Vec::new();
    for &high in &numbers {
        for &low in numbers.iter().filter(|low| **low < high) {
            let files = (high % 8).abs_diff(low % 8);
            if files <= usize::from(parameters.file_distance) {
                rows.push(high * (high - 1) / 2 + low);
            }
        }
    }
    rows
}
