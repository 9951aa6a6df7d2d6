//! Which rows of the transformer a position switches on.

use crate::chess::{Bitboard, Color, Piece, Role, Square};
use crate::delta::Delta;
use crate::position::Position;

/// A feature set of the piece-square family, its formula's tables written out.
///
/// Seen by a perspective, a piece switches on the row
///
/// ```text
/// king_offset[king ^ o] + plane[piece] + (square ^ o)
/// o = flip[perspective] ^ (7 if the king's file is in mirror_files else 0)
/// ```
///
/// where `king` is the perspective's own king, and `piece` is told apart as own or opponent's.
#[derive(Clone, Copy, Debug)]
pub struct PieceSquare {
    /// What white's and black's squares are exclusive-ored with.
    pub flip: [u8; 2],
    /// Bit `f` is set when a king on file `f` mirrors the board.
    pub mirror_files: u8,
    /// The first row for each square of the oriented own king.
    pub king_offset: [u32; 64],
    /// The first row of a piece within the king's rows: own pawn to king, then the opponent's.
    pub plane: [u32; 12],
    /// Whether kings switch on rows too. Otherwise their planes mean nothing.
    pub kings: bool,
    /// How many features can be active at once on a legal board.
    pub max_active: usize,
}

/// How a perspective looks at the board: it changes only when its own king moves, and not always then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct View {
    perspective: Color,
    /// What squares are exclusive-ored with.
    orientation: u8,
    /// The first row of the king's rows.
    offset: u32,
}

impl PieceSquare {
    /// How `perspective` looks at the board when its king is on `king`.
    #[inline]
    pub(crate) fn view(&self, perspective: Color, king: Square) -> View {
        let mirrored = self.mirror_files >> king.file() & 1 != 0;
        let orientation = self.flip[perspective.index()] ^ if mirrored { 7 } else { 0 };
        let offset = self.king_offset[(king.index() ^ usize::from(orientation)) % 64];
        View {
            perspective,
            orientation,
            offset,
        }
    }

    /// The row that a piece on a square switches on; `None` for kings of sets without them.
    #[inline]
    pub(crate) fn row(&self, view: View, piece: Piece, square: Square) -> Option<u32> {
        if !self.kings && piece.role == Role::King {
            return None;
        }
        let owner = usize::from(piece.color != view.perspective);
        let plane = self.plane[6 * owner + piece.role.index()];
        let square = square.index() as u32 ^ u32::from(view.orientation);
        Some(view.offset + plane + square)
    }

    /// Whether a move makes the perspective see other rows: then no update leads across it.
    #[inline]
    pub(crate) fn view_changes(&self, perspective: Color, delta: &Delta) -> bool {
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

/// A list of rows with room for a piece on every square of the board.
#[derive(Clone)]
pub(crate) struct Rows {
    rows: [u32; Rows::CAPACITY],
    len: usize,
}

impl Rows {
    /// One piece for each square.
    pub(crate) const CAPACITY: usize = 64;
    /// As many as a delta has pieces, twice: removals can become additions of others.
    const OF_A_MOVE: usize = 8;

    #[inline]
    pub(crate) fn new() -> Rows {
        Rows {
            rows: [0; Rows::CAPACITY],
            len: 0,
        }
    }

    /// Adds a row. There is room for every position whose bitboards are disjoint; rows of others beyond the
    /// capacity are dropped.
    #[inline]
    pub(crate) fn push(&mut self, row: u32) {
        if let Some(free) = self.rows.get_mut(self.len) {
            *free = row;
            self.len += 1;
        }
    }

    /// Whether there may be no room for the rows of another move.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.len > Rows::CAPACITY - Rows::OF_A_MOVE
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Takes a row out again, if it is there.
    #[inline]
    pub(crate) fn cancel(&mut self, row: u32) -> bool {
        let Some(found) = self.as_slice().iter().position(|listed| *listed == row) else {
            return false;
        };
        self.len -= 1;
        self.rows[found] = self.rows[self.len];
        true
    }

    #[inline]
    pub(crate) fn as_slice(&self) -> &[u32] {
        &self.rows[..self.len.min(Rows::CAPACITY)]
    }
}
