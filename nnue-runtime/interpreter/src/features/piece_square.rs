//! The piece-square family, by the formula of the language reference, one piece at a time:
//!
//! ```text
//! row = bucket * (offset + 64 * planes) + offset + 64 * plane + (square ^ n)
//! ```
//!
//! with squares as the perspective sees them, counted from a1 = 0 to h8 = 63, and `n` = 56 where
//! each plane begins with a8.

pub(super) mod virtual_rows;

use nnue_compiler::feature_set::piece_square::{FirstSquare, Parameters, PieceOrder, Planes};
use nnue_runtime::{Color, Piece, Position, Role, Square};

use super::orientation;

/// The rows that a position switches on for a perspective, among those of the set.
pub(super) fn active(
    parameters: &Parameters,
    position: &impl Position,
    perspective: Color,
) -> Vec<usize> {
    let view = View::of(parameters, perspective, position.king(perspective));
    let mut active = Vec::new();
    for piece in Piece::ALL {
        if let Some(plane) = plane(parameters, piece.role, piece.color == perspective) {
            let squares = position.pieces(piece).into_iter();
            active.extend(squares.map(|square| view.row(plane, square)));
        }
    }
    active
}

/// How a perspective sees the board through a set.
struct View<'a> {
    parameters: &'a Parameters,
    /// The number that squares are exclusive-ored with.
    turn: usize,
    /// That of the own king.
    bucket: usize,
}

impl View<'_> {
    fn of(parameters: &Parameters, perspective: Color, own_king: Square) -> View<'_> {
        let Parameters { flip, mirror, .. } = *parameters;
        let turn = orientation(flip, mirror, perspective, own_king);
        View {
            parameters,
            turn,
            bucket: parameters.king_buckets[own_king.index() ^ turn].into(),
        }
    }

    /// The row of a piece's plane and a square, among those of the set.
    fn row(&self, plane: usize, square: Square) -> usize {
        row(
            self.parameters,
            self.bucket,
            plane,
            square.index() ^ self.turn,
        )
    }
}

fn row(parameters: &Parameters, bucket: usize, plane: usize, square: usize) -> usize {
    let (offset, planes) = (
        parameters.offset as usize,
        parameters.planes.count() as usize,
    );
    bucket * (offset + 64 * planes) + offset + 64 * plane + numbered(parameters, square)
}

/// The number of a square in a plane.
fn numbered(parameters: &Parameters, square: usize) -> usize {
    match parameters.first_square {
        FirstSquare::A1 => square,
        FirstSquare::A8 => square ^ 56,
    }
}

/// The plane of a piece; `None` for kings where they switch on nothing.
fn plane(parameters: &Parameters, role: Role, is_own: bool) -> Option<usize> {
    match (role, parameters.planes) {
        (Role::King, Planes::NoKings) => None,
        // Both kings share the plane of the player whose pieces come first.
        (Role::King, Planes::MergedKings) => {
            let own_first = parameters.piece_order != PieceOrder::OpponentFirst;
            Some(plane_of_its_own(parameters, role, own_first))
        }
        _ => Some(plane_of_its_own(parameters, role, is_own)),
    }
}

/// The plane of a piece if no two pieces shared one.
fn plane_of_its_own(parameters: &Parameters, role: Role, is_own: bool) -> usize {
    let roles = roles(parameters);
    let opponents = usize::from(!is_own);
    match parameters.piece_order {
        PieceOrder::ByColour => roles * opponents + role.index(),
        PieceOrder::Interleaved => 2 * role.index() + opponents,
        PieceOrder::OpponentFirst => roles * usize::from(is_own) + role.index(),
    }
}

/// How many kinds of a player's pieces have planes.
fn roles(parameters: &Parameters) -> usize {
    match parameters.planes {
        Planes::NoKings => 5,
        Planes::All | Planes::MergedKings => 6,
    }
}
