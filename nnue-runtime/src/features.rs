//! Which rows of the transformer a position switches on.

use crate::architecture::Architecture;
use crate::chess::{Bitboard, Color, Piece, Role, Square};
use crate::delta::Delta;
use crate::position::Position;

pub use nnue_format::PieceSquare;

/// A feature set: a run of the transformer's rows, and who says which of them are active.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "only ever a constant of generated code"
)]
pub enum FeatureSet {
    /// The position: a row for each piece on the board.
    PieceSquare(PieceSquare),
    /// The engine.
    Custom(Custom),
}

impl FeatureSet {
    /// Where white's and black's rows of the set begin.
    pub(crate) fn first_row(&self) -> [u32; 2] {
        match self {
            FeatureSet::PieceSquare(set) => set.first_row,
            FeatureSet::Custom(set) => set.first_row,
        }
    }
}

/// A feature set whose active rows the engine tells.
///
/// Features have numbers from 0. If a network has several custom sets, the second's continue where the first's end, and
/// so on.
#[derive(Clone, Copy, Debug)]
pub struct Custom {
    /// Where white's and black's rows of the set begin: at the same one, unless each has weights of its own.
    pub first_row: [u32; 2],
    /// How many rows it has, one per feature.
    pub rows: u32,
    /// How many features can be active at once.
    pub max_active: usize,
}

/// How a move changes which features of custom sets are active, for one perspective.
///
/// Each list may have as many features as can be active at once. What is beyond that, and numbers that no feature has,
/// are left out; sums are then meaningless, and nothing worse happens.
#[derive(Clone, Copy, Debug, Default)]
pub struct FeatureChanges<'a> {
    /// Features that were not active before.
    pub added: &'a [u32],
    /// Features that are not active any more.
    pub removed: &'a [u32],
}

/// How a perspective looks at the board: it changes only when its own king moves, and not always then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct View {
    /// What squares are exclusive-ored with.
    orientation: u8,
    /// The first row of the king's rows.
    offset: u32,
    /// The first row of each piece within them.
    planes: &'static [u32; 16],
}

impl View {
    /// The row that a piece on a square switches on; `None` for pieces without rows.
    #[inline]
    pub(crate) fn row(&self, piece: Piece, square: Square) -> Option<u32> {
        let (row, exists) = self.row_of(PieceCode::of(piece), square);
        exists.then_some(row)
    }

    /// [`Self::row`] without a branch: a row, which means nothing unless it exists.
    #[inline]
    pub(crate) fn row_of(&self, piece: PieceCode, square: Square) -> (u32, bool) {
        let plane = self.planes[usize::from(piece.0 % 16)];
        let square = square.index() as u32 ^ u32::from(self.orientation);
        (self.offset + plane + square, plane != PieceSquare::NO_PLANE)
    }
}

/// What stands on a square, in a byte: 0 for nothing, or one more than a piece's index.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct PieceCode(pub(crate) u8);

impl PieceCode {
    pub(crate) const NOTHING: PieceCode = PieceCode(0);

    #[inline]
    pub(crate) fn of(piece: Piece) -> PieceCode {
        PieceCode(1 + piece.index() as u8)
    }

    #[inline]
    pub(crate) fn piece(self) -> Option<Piece> {
        Piece::ALL.get(usize::from(self.0).wrapping_sub(1)).copied()
    }
}

/// How perspectives look at the board, by the tables of a piece-square set.
pub(crate) trait Views {
    /// How `perspective` looks at the board when its king is on `king`.
    fn view(&'static self, perspective: Color, king: Square) -> View;

    /// Whether a move makes the perspective see other rows: then no update leads across it.
    fn view_changes(&'static self, perspective: Color, delta: &Delta) -> bool;
}

impl Views for PieceSquare {
    #[inline]
    fn view(&'static self, perspective: Color, king: Square) -> View {
        let p = perspective.index();
        let flipped = king.index() as u8 ^ self.flip[p];
        let mirrored = self.mirror_files >> (flipped % 8) & 1 != 0;
        let orientation = self.flip[p] ^ if mirrored { 7 } else { 0 };
        let offset = self.king_offset[(king.index() ^ usize::from(orientation)) % 64];
        View {
            orientation,
            offset: self.first_row[p] + offset,
            planes: &self.planes[p],
        }
    }

    #[inline]
    fn view_changes(&'static self, perspective: Color, delta: &Delta) -> bool {
        if !delta.moves_king(perspective) {
            return false;
        }
        let king = Piece::new(perspective, Role::King);
        let square = |changes: &[(Piece, Square)]| {
            let found = changes.iter().find(|(piece, _)| *piece == king);
            found.map(|(_, square)| *square)
        };
        match (square(delta.removed()), square(delta.added())) {
            (Some(from), Some(to)) => self.view(perspective, from) != self.view(perspective, to),
            // A king that comes or goes is no move of a game: starting anew is always right.
            _ => true,
        }
    }
}

/// Visits every piece on the board once, in the order of the squares.
///
/// What stands on a square is put together from one bit of each of four sets. A loop over the squares mispredicts its
/// end once; a loop for each piece would do so a dozen times, which costs as much as adding several rows.
#[inline]
pub(crate) fn for_each_piece(position: &impl Position, mut visit: impl FnMut(Piece, Square)) {
    let mut role_bits = [Bitboard::EMPTY; 3];
    let (mut black, mut occupied) = (Bitboard::EMPTY, Bitboard::EMPTY);
    for role in Role::ALL {
        let black_ones = position.pieces(Piece::new(Color::Black, role));
        let both = position.pieces(Piece::new(Color::White, role)) | black_ones;
        for (bit, set) in role_bits.iter_mut().enumerate() {
            if role.index() >> bit & 1 != 0 {
                *set |= both;
            }
        }
        black |= black_ones;
        occupied |= both;
    }
    for square in occupied {
        let bit = |set: Bitboard| set.0 >> square.index() & 1;
        let role = bit(role_bits[0]) | bit(role_bits[1]) << 1 | bit(role_bits[2]) << 2;
        // Overlapping sets, which positions must not have, can make up a role that does not exist.
        let role = Role::ALL[(role as usize).min(Role::ALL.len() - 1)];
        visit(Piece::new(Color::ALL[bit(black) as usize], role), square);
    }
}

/// The sets whose active rows follow from the position.
#[inline]
pub(crate) fn piece_squares<A: Architecture>() -> impl Iterator<Item = &'static PieceSquare> + Clone
{
    // By index: compilers unroll a loop whose number of turns is a constant, and then know the tables.
    (0..A::FEATURES.len()).filter_map(|index| match &A::FEATURES[index] {
        FeatureSet::PieceSquare(set) => Some(set),
        FeatureSet::Custom(_) => None,
    })
}

/// The sets whose active rows the engine tells.
#[inline]
pub(crate) fn customs<A: Architecture>() -> impl Iterator<Item = &'static Custom> + Clone {
    A::FEATURES.iter().filter_map(|set| match set {
        FeatureSet::PieceSquare(_) => None,
        FeatureSet::Custom(set) => Some(set),
    })
}

/// Whether the position says which rows of some set are active.
pub(crate) const fn has_piece_square(sets: &[FeatureSet]) -> bool {
    let mut index = 0;
    while index < sets.len() {
        if matches!(sets[index], FeatureSet::PieceSquare(_)) {
            return true;
        }
        index += 1;
    }
    false
}

/// Whether the engine says which rows of some set are active.
pub(crate) const fn has_custom(sets: &[FeatureSet]) -> bool {
    let mut index = 0;
    while index < sets.len() {
        if matches!(sets[index], FeatureSet::Custom(_)) {
            return true;
        }
        index += 1;
    }
    false
}

/// The row of a custom set's feature; `None` for numbers that no feature has.
#[inline]
pub(crate) fn custom_row<A: Architecture>(perspective: Color, feature: u32) -> Option<u32> {
    let mut feature = feature;
    for set in customs::<A>() {
        if feature < set.rows {
            return Some(set.first_row[perspective.index()] + feature);
        }
        feature -= set.rows;
    }
    None
}
