//! How a perspective turns the board, so that its own king is where a set wants it.

use nnue_compiler::feature_set::piece_square::{Flip, Mirror};
use nnue_runtime::{Color, Square};

/// The number with which squares are exclusive-ored, as a perspective with its own king on this
/// square sees the board.
pub(super) fn orientation(
    flip: Flip,
    mirror: Mirror,
    perspective: Color,
    own_king: Square,
) -> usize {
    let flip = match (perspective, flip) {
        (Color::White, _) | (_, Flip::None) => 0,
        (Color::Black, Flip::Vertical) => 56,
        (Color::Black, Flip::Rotate) => 63,
    };
    // The king is moved to the half of the board that the set names, and all other pieces with it.
    if mirrored(mirror, own_king.index() ^ flip) {
        flip ^ 7
    } else {
        flip
    }
}

/// Whether the board is mirrored for the own king. `king` is its square before the board is
/// mirrored.
pub(super) fn mirrored(mirror: Mirror, king: usize) -> bool {
    let is_left = king % 8 < 4;
    match mirror {
        Mirror::None => false,
        Mirror::AToD => !is_left,
        Mirror::EToH => is_left,
    }
}
