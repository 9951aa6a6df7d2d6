//! The rows of the transformer that are active.
//!
//! The rows of all sets follow each other in the order of the spec. Here is the formula of the
//! language reference, computed for one piece at a time:
//!
//! ```text
//! row = bucket * (offset + 64 * planes) + offset + 64 * plane + (square ^ n)
//! ```
//!
//! with squares as the perspective sees them, counted from a1 = 0 to h8 = 63, and `n` = 56 where
//! each plane begins with a8.

pub(crate) mod virtual_rows;

use core::fmt;

use nnue_compiler::feature_set::{Family, Parameters};
use nnue_compiler::network::Network;
use nnue_compiler::spec::{FirstSquare, Flip, Mirror, PieceOrder, Planes};
use nnue_runtime::{Color, Piece, Position, Role, Square};

/// The rows that are active for white, and those that are active for black.
pub type ActiveRows = [Vec<usize>; 2];

/// A feature that no custom set of the network has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownFeature {
    /// The number that the caller gave, from 0.
    pub found: u32,
    /// How many features the network's custom sets have in all.
    pub features: usize,
}

impl fmt::Display for UnknownFeature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnknownFeature { found, features } = self;
        match features {
            0 => write!(
                f,
                "found feature {found}, but the network has no custom sets"
            ),
            _ => write!(
                f,
                "there is no feature {found}, allowed are 0 to {}",
                features - 1
            ),
        }
    }
}

impl std::error::Error for UnknownFeature {}

/// The rows that a position switches on for a perspective: those of the piece-square sets.
pub(crate) fn of_position(
    network: &Network,
    position: &impl Position,
    perspective: Color,
) -> Vec<usize> {
    let mut active = Vec::new();
    let mut first = 0;
    for set in &network.features {
        if let Family::PieceSquare(parameters) = &set.family {
            let view = View::of(parameters, perspective, position.king(perspective));
            for piece in Piece::ALL {
                let is_own = piece.color == perspective;
                let Some(plane) = plane(parameters, piece.role, is_own) else {
                    continue;
                };
                for square in position.pieces(piece) {
                    active.push(first + view.row(plane, square));
                }
            }
        }
        first += set.rows;
    }
    active
}

/// The row of a custom feature. Features are numbered through all custom sets of a network.
pub(crate) fn of_custom(network: &Network, feature: u32) -> Result<usize, UnknownFeature> {
    // The numbers of features and rows before the set.
    let (mut features, mut rows) = (0, 0);
    for set in &network.features {
        if set.family == Family::Custom {
            let number = feature as usize - features;
            if number < set.rows {
                return Ok(rows + number);
            }
            features += set.rows;
        }
        rows += set.rows;
    }
    Err(UnknownFeature {
        found: feature,
        features,
    })
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
        let flip = match (perspective, parameters.flip) {
            (Color::White, _) | (_, Flip::None) => 0,
            (Color::Black, Flip::Vertical) => 56,
            (Color::Black, Flip::Rotate) => 63,
        };
        let king = own_king.index() ^ flip;
        // The king is put on the half that the set names, with all other pieces.
        let turn = match can_be_own_king(parameters, king) {
            true => flip,
            false => flip ^ 7,
        };
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

/// Whether the own king can stand on a square, once the board is mirrored if need be.
fn can_be_own_king(parameters: &Parameters, square: usize) -> bool {
    let is_left = square % 8 < 4;
    match parameters.mirror {
        Mirror::None => true,
        Mirror::AToD => is_left,
        Mirror::EToH => !is_left,
    }
}

/// The plane of a piece; `None` for kings where they switch on nothing.
fn plane(parameters: &Parameters, role: Role, is_own: bool) -> Option<usize> {
    match (role, parameters.planes) {
        (Role::King, Planes::NoKings) => None,
        // Both kings share the own king's.
        (Role::King, Planes::MergedKings) => Some(plane_of_its_own(parameters, role, true)),
        _ => Some(plane_of_its_own(parameters, role, is_own)),
    }
}

/// The plane of a piece if no two pieces shared one.
fn plane_of_its_own(parameters: &Parameters, role: Role, is_own: bool) -> usize {
    let roles = match parameters.planes {
        Planes::NoKings => 5,
        Planes::All | Planes::MergedKings => 6,
    };
    let opponents = usize::from(!is_own);
    match parameters.piece_order {
        PieceOrder::ByColour => roles * opponents + role.index(),
        PieceOrder::Interleaved => 2 * role.index() + opponents,
    }
}
