//! Which rows a position switches on, square by square.

use nnue_compiler::feature_set::{Family, PieceSquare};
use nnue_compiler::network::Network;
use nnue_runtime::{Color, Piece, Position, Role, Square};

/// The rows of all sets, those of each following those of the set before it.
pub(super) fn active_rows(
    network: &Network,
    position: &impl Position,
    perspective: Color,
) -> Vec<usize> {
    let mut active = Vec::new();
    let mut first = 0;
    for set in &network.features {
        let Family::PieceSquare(tables) = &set.family else {
            panic!(
                "the engine says which features of `{}` are active",
                set.name
            );
        };
        for piece in Piece::ALL {
            for square in position.pieces(piece) {
                let king = position.king(perspective);
                if let Some(row) = row(tables, perspective, king, piece, square) {
                    assert!(row < set.rows, "row {row} of {}", set.rows);
                    active.push(first + row);
                }
            }
        }
        first += set.rows;
    }
    active
}

/// The row of a piece on a square, seen by a perspective whose king is on `king`.
fn row(
    set: &PieceSquare,
    perspective: Color,
    king: Square,
    piece: Piece,
    square: Square,
) -> Option<usize> {
    if piece.role == Role::King && !set.kings {
        return None;
    }
    let flip = usize::from(set.flip[perspective.index()]);
    let seen_king = king.index() ^ flip;
    let mirror = match set.mirror_files & 1 << (seen_king % 8) {
        0 => 0,
        _ => 7,
    };
    let opponents = usize::from(piece.color != perspective);
    let plane = set.plane[6 * opponents + piece.role.index()] as usize;
    let bucket = set.king_offset[seen_king ^ mirror] as usize;
    Some(bucket + plane + (square.index() ^ flip ^ mirror))
}
