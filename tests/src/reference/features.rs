//! Which rows a position switches on, square by square.

use nnue_compiler::feature_set::{Family, PieceSquare};
use nnue_compiler::network::Network;
use nnue_runtime::{Color, Piece, Position, Role, Square};

use super::factors::{self, Seen};

/// The rows of all sets, those of each following those of the set before it; virtual rows follow all others.
pub(super) fn active_rows(
    network: &Network,
    position: &impl Position,
    perspective: Color,
) -> Vec<usize> {
    let mut active = Vec::new();
    let mut first = 0;
    let mut first_virtual = network.feature_count();
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
                let Some(seen) = see(tables, perspective, king, piece, square) else {
                    continue;
                };
                let row = row(tables, &seen);
                assert!(row < set.rows, "row {row} of {}", set.rows);
                active.push(first + row);
                if let Some(factors) = &set.factors {
                    let rows = factors::virtual_rows(tables, factors, &seen);
                    active.extend(rows.into_iter().map(|row| first_virtual + row));
                }
            }
        }
        first += set.rows;
        first_virtual += set.virtual_rows();
    }
    active
}

/// A piece on a square, seen by a perspective whose king is on `king`; `None` if the set does not.
fn see(
    set: &PieceSquare,
    perspective: Color,
    king: Square,
    piece: Piece,
    square: Square,
) -> Option<Seen> {
    if piece.role == Role::King && !set.kings {
        return None;
    }
    let flip = usize::from(set.flip[perspective.index()]);
    let flipped_king = king.index() ^ flip;
    let mirror = match set.mirror_files & 1 << (flipped_king % 8) {
        0 => 0,
        _ => 7,
    };
    Some(Seen {
        perspective,
        piece,
        square: square.index() ^ flip ^ mirror,
        king: flipped_king ^ mirror,
    })
}

fn row(set: &PieceSquare, seen: &Seen) -> usize {
    let opponents = usize::from(seen.piece.color != seen.perspective);
    let plane = set.plane[6 * opponents + seen.piece.role.index()] as usize;
    set.king_offset[seen.king] as usize + plane + seen.square
}
