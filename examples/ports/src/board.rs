//! The pieces that a move takes from the board and puts on it, as the makers of moves in engines
//! know them.

use arrayvec::ArrayVec;
use cozy_chess::{Board, Color, File, Move, Piece, Square};

/// A piece with its colour, and its square.
pub type Placed = (Color, Piece, Square);

/// What a move changes.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// The pieces that leave the board.
    pub taken: ArrayVec<Placed, 2>,
    /// The pieces that are put on it afterwards.
    pub put: ArrayVec<Placed, 2>,
}

/// What a legal move changes on the board before it. No move is a null move.
///
/// # Panics
///
/// If no piece stands where the move begins.
#[must_use]
pub fn changes(board: &Board, mv: Option<Move>) -> Changes {
    let mut changes = Changes::default();
    let Some(mv) = mv else {
        return changes;
    };
    let color = board.side_to_move();
    let piece = board.piece_on(mv.from).expect("a move of a piece");
    changes.taken.push((color, piece, mv.from));
    if board.colors(color).has(mv.to) {
        // Castling: the king takes its own rook.
        let (king, rook) = if mv.from.file() < mv.to.file() {
            (File::G, File::F)
        } else {
            (File::C, File::D)
        };
        let rank = mv.from.rank();
        changes.taken.push((color, Piece::Rook, mv.to));
        changes
            .put
            .push((color, Piece::King, Square::new(king, rank)));
        changes
            .put
            .push((color, Piece::Rook, Square::new(rook, rank)));
        return changes;
    }
    if let Some(captured) = board.piece_on(mv.to) {
        changes.taken.push((!color, captured, mv.to));
    } else if piece == Piece::Pawn && mv.from.file() != mv.to.file() {
        let beside = Square::new(mv.to.file(), mv.from.rank());
        changes.taken.push((!color, Piece::Pawn, beside));
    }
    changes
        .put
        .push((color, mv.promotion.unwrap_or(piece), mv.to));
    changes
}

/// All pieces of a board.
pub fn pieces(board: &Board) -> impl Iterator<Item = Placed> + '_ {
    board.occupied().into_iter().filter_map(|square| {
        let color = board.color_on(square)?;
        Some((color, board.piece_on(square)?, square))
    })
}
