//! The piece-square family, by the formula of the language reference, one piece at a time:
//!
//! ```text
//! row    = bucket * (offset + 64 * planes) + offset + 64 * plane + (square ^ n)
//! bucket = (first * buckets of the second + second) * buckets of the third + third ...
//! ```
//!
//! where the own king's bucket is one of the buckets, and with squares as the perspective sees
//! them, counted from a1 = 0 to h8 = 63, and `n` = 56 where each plane begins with a8.

pub(super) mod virtual_rows;

use nnue_compiler::feature_set::piece_square::{
    BucketsBy, FirstSquare, Material, MaterialValue, Parameters, PieceOrder, Planes,
};
use nnue_runtime::{Color, Piece, Position, Role, Square};

use super::orientation::orientation;

/// The rows that a position makes active for a perspective, counted from the set's first row.
pub(super) fn active(
    parameters: &Parameters,
    position: &impl Position,
    perspective: Color,
) -> Vec<usize> {
    let view = View::of(parameters, position, perspective);
    let mut active = Vec::new();
    for piece in Piece::ALL {
        if let Some(plane) = plane(parameters, piece, perspective) {
            let squares = position.pieces(piece).into_iter();
            active.extend(squares.map(|square| view.row(plane, square)));
        }
    }
    if parameters.planes == Planes::WithThreatened {
        for (piece, square) in threatened(position) {
            // Threatened pieces are the seventh kind of a player's pieces.
            let plane = plane_of_its_own(parameters, 6, piece.color, perspective);
            active.push(view.row(plane, square));
        }
    }
    active
}

/// A perspective's view of the board for a set.
struct View<'a> {
    parameters: &'a Parameters,
    /// The number with which squares are exclusive-ored.
    turn: usize,
    bucket: usize,
}

impl View<'_> {
    fn of<'a>(
        parameters: &'a Parameters,
        position: &impl Position,
        perspective: Color,
    ) -> View<'a> {
        let Parameters { flip, mirror, .. } = *parameters;
        let own_king = position.king(perspective);
        let turn = orientation(flip, mirror, perspective, own_king);
        let king_buckets = parameters.king_buckets.map(usize::from);
        let own_kings = king_buckets.into_iter().max().map_or(1, |last| last + 1);
        let mut bucket = 0;
        for by in &parameters.buckets_by {
            let (number, chosen) = match by {
                BucketsBy::King => (own_kings, king_buckets[own_king.index() ^ turn]),
                BucketsBy::Material(material) => {
                    let chosen = chosen(material, position, perspective, turn);
                    (buckets(material), chosen)
                }
            };
            bucket = bucket * number + chosen;
        }
        View {
            parameters,
            turn,
            bucket,
        }
    }

    /// The row of a piece's plane and a square, counted from the set's first row.
    fn row(&self, plane: usize, square: Square) -> usize {
        row(
            self.parameters,
            self.bucket,
            plane,
            square.index() ^ self.turn,
        )
    }
}

/// The number of buckets for some pieces.
fn buckets(material: &Material) -> usize {
    match &material.value {
        MaterialValue::Count(from) => from.len() + 1,
        MaterialValue::Quadrant { several } => 5 + usize::from(*several),
    }
}

/// The bucket that some pieces of a position choose.
fn chosen(material: &Material, position: &impl Position, perspective: Color, turn: usize) -> usize {
    let mut squares = Vec::new();
    for piece in Piece::ALL {
        let first = if piece.color == perspective { 0 } else { 6 };
        if material.kinds >> (first + piece.role.index()) & 1 == 1 {
            squares.extend(position.pieces(piece));
        }
    }
    match (&material.value, &squares[..]) {
        (MaterialValue::Count(from), _) => {
            let reached = from
                .iter()
                .filter(|from| squares.len() >= usize::from(**from));
            reached.count()
        }
        (MaterialValue::Quadrant { .. }, []) => 0,
        (MaterialValue::Quadrant { .. }, [only]) => {
            let seen = only.index() ^ turn;
            let (is_right, is_far) = (seen % 8 >= 4, seen / 8 >= 4);
            match (is_far, is_right) {
                (false, false) => 1,
                (false, true) => 2,
                (true, false) => 3,
                (true, true) => 4,
            }
        }
        (MaterialValue::Quadrant { several: false }, _) => 0,
        (MaterialValue::Quadrant { several: true }, _) => 5,
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
        // The squares follow the ranks, from the h-file to the a-file.
        FirstSquare::H1 => square / 8 * 8 + 7 - square % 8,
        FirstSquare::H8 => 63 - square,
    }
}

/// The plane of a piece for a perspective; `None` for kings where kings have no rows.
fn plane(parameters: &Parameters, piece: Piece, perspective: Color) -> Option<usize> {
    match (piece.role, parameters.planes) {
        (Role::King, Planes::NoKings) => None,
        // Both kings share the plane of the player whose pieces come first.
        (Role::King, Planes::MergedKings) => {
            let kings = Color::ALL.map(|color| Piece::new(color, Role::King));
            let planes = kings.map(|king| {
                plane_of_its_own(parameters, king.role.index(), king.color, perspective)
            });
            planes.into_iter().min()
        }
        _ => {
            let (role, color) = (piece.role.index(), piece.color);
            Some(plane_of_its_own(parameters, role, color, perspective))
        }
    }
}

/// The plane of a kind of a player's pieces for a perspective if no two kinds shared a plane.
fn plane_of_its_own(
    parameters: &Parameters,
    role: usize,
    color: Color,
    perspective: Color,
) -> usize {
    let roles = roles(parameters);
    let is_own = color == perspective;
    match parameters.piece_order {
        PieceOrder::ByColour => roles * usize::from(!is_own) + role,
        PieceOrder::Interleaved => 2 * role + usize::from(!is_own),
        PieceOrder::OpponentFirst => roles * usize::from(is_own) + role,
        PieceOrder::WhiteFirst => roles * usize::from(color == Color::Black) + role,
    }
}

/// The number of kinds of a player's pieces that have planes.
fn roles(parameters: &Parameters) -> usize {
    match parameters.planes {
        Planes::NoKings => 5,
        Planes::All | Planes::MergedKings => 6,
        Planes::WithThreatened => 7,
    }
}

/// The pieces that a weaker piece of the opponent attacks, each piece once. Kings do not count.
fn threatened(position: &impl Position) -> Vec<(Piece, Square)> {
    let strength = |piece: Piece| match piece.role {
        Role::Pawn => Some(1),
        Role::Knight | Role::Bishop => Some(2),
        Role::Rook => Some(3),
        Role::Queen => Some(4),
        Role::King => None,
    };
    let mut found = Vec::new();
    for (attacker, victim, square) in super::threats::attacks(position) {
        let is_weaker = match (strength(attacker), strength(victim)) {
            (Some(attackers), Some(victims)) => attackers < victims,
            _ => false,
        };
        if is_weaker && attacker.color != victim.color && !found.contains(&(victim, square)) {
            found.push((victim, square));
        }
    }
    found
}
