//! The family of the half-move clock, by the formula of the language reference:
//!
//! ```text
//! row = steps * bucket + min((clock - first) / step, steps - 1)
//! ```
//!
//! where `clock` is the number of half moves since the last capture or move of a pawn, and `bucket`
//! that of the own king's square as the perspective sees it. Below `first` no row is active.

use nnue_compiler::feature_set::clock::Parameters;
use nnue_compiler::feature_set::piece_square::Mirror;
use nnue_runtime::{Color, Position};

use super::orientation::orientation;

/// The row that a position makes active for a perspective, counted from the set's first row.
pub(super) fn active(
    parameters: &Parameters,
    position: &impl Position,
    perspective: Color,
) -> Vec<usize> {
    let clock = usize::from(position.halfmove_clock());
    let [first, step, steps] =
        [parameters.first, parameters.step, parameters.steps].map(usize::from);
    if clock < first {
        return Vec::new();
    }
    let king = position.king(perspective);
    // Where the board is mirrored, both halves have the same buckets.
    let turn = orientation(parameters.flip, Mirror::None, perspective, king);
    let bucket = usize::from(parameters.king_buckets[king.index() ^ turn]);
    let mut row = steps * bucket;
    // Step by step, to the last row.
    let mut rest = clock - first;
    while rest >= step && row % steps + 1 < steps {
        rest -= step;
        row += 1;
    }
    vec![row]
}
