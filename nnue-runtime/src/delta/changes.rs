//! The pieces that a move takes off the board, or those that it puts there, packed in one word.

use core::fmt;
use core::hash::{Hash, Hasher};
use core::iter::FusedIterator;

use crate::chess::{Color, Piece, PieceCode, Role, Square};

/// How many pieces a list can have. A move of chess or Chess960 needs at most two; the rest is room
/// for related games and for tools that edit boards.
pub(crate) const CAPACITY: usize = 4;

/// A list of up to [`CAPACITY`] pieces with their squares.
///
/// Lists are compared and hashed as sets: the order in which pieces were appended says nothing.
// An entry has 16 bits: the square, the piece's code, and a bit for the king of each colour. No
// code is zero, so neither is an entry, and the entries from the lowest bits on say how many there
// are. Engines make and copy millions of lists a second; in one word they stay in registers.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Changes(u64);

/// The number of bits of an entry.
const ENTRY: u32 = u64::BITS / CAPACITY as u32;

/// Where the bits of a piece's code begin in an entry: behind those of the square.
const CODE: u32 = 8;

/// The bit of the first entry that is set for white's king. The next bit is that for black's.
const KING: u32 = 14;

/// A bit in each entry.
const IN_EACH: u64 = u64::MAX / 0xFFFF;

impl Changes {
    pub(super) const NONE: Changes = Changes(0);

    /// The list whose word this is.
    #[inline]
    pub(super) const fn from_packed(entries: u64) -> Changes {
        Changes(entries)
    }

    /// Appends a piece. There always is room: a constructor of a move appends two at most, and
    /// other callers count.
    #[inline]
    pub(super) fn push(&mut self, piece: Piece, square: Square) {
        let king = match piece.role {
            Role::King => 1 << KING << piece.color.index(),
            _ => 0,
        };
        let code = (PieceCode::of(piece).index() as u64) << CODE;
        let entry = square.index() as u64 | code | king;
        self.0 |= entry << (ENTRY * self.len() as u32 % u64::BITS);
    }

    /// Whether the list is empty.
    #[inline]
    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many pieces the list has.
    #[inline]
    pub(crate) fn len(self) -> usize {
        (u64::BITS - self.0.leading_zeros()).div_ceil(ENTRY) as usize
    }

    /// Whether the list has exactly one piece.
    #[inline]
    pub(super) fn is_one(self) -> bool {
        self.0 != 0 && self.0 >> ENTRY == 0
    }

    /// Whether the list has one or two pieces.
    #[inline]
    pub(super) fn is_one_or_two(self) -> bool {
        self.0 != 0 && self.0 >> (2 * ENTRY) == 0
    }

    /// Whether the only piece of the list is the second of another, on the same square.
    #[inline]
    pub(super) fn is_second_of(self, other: Changes) -> bool {
        self.0 == other.0 >> ENTRY & u64::from(u16::MAX)
    }

    /// The list with the first piece of another at its end. There is room for it.
    #[inline]
    pub(super) fn with_first_of(self, other: Changes) -> Changes {
        let entry = other.0 & u64::from(u16::MAX);
        Changes(self.0 | entry << (ENTRY * self.len() as u32 % u64::BITS))
    }

    /// Whether a king of that colour is in the list.
    #[inline]
    pub(super) fn has_king(self, color: Color) -> bool {
        self.0 & (IN_EACH << KING << color.index()) != 0
    }

    /// Whether a pawn of either colour is in the list.
    #[inline]
    pub(super) fn has_pawn(self) -> bool {
        let pawn = |color| PieceCode::of(Piece::new(color, Role::Pawn));
        let pawns = Color::ALL.map(pawn);
        self.codes().any(|(code, _)| pawns.contains(&code))
    }

    /// The square of the king of that colour in the list, if it is there.
    #[inline]
    pub(crate) fn king(self, color: Color) -> Option<Square> {
        let kings = self.0 & (IN_EACH << KING << color.index());
        let last = kings.checked_ilog2()? / ENTRY;
        Some(Square::wrapping((self.0 >> (ENTRY * last)) as u8))
    }

    /// Whether a king of either colour is in the list.
    #[inline]
    pub(crate) fn has_kings(self) -> bool {
        self.0 & (IN_EACH * (0b11 << KING)) != 0
    }

    /// The first and the second piece's code, each with its square; [`PieceCode::NOTHING`] on a1
    /// for a missing piece.
    #[inline]
    pub(crate) fn first_two(self) -> [(PieceCode, Square); 2] {
        [0, ENTRY].map(|shift| code(self.0 >> shift))
    }

    /// The pieces with their squares.
    #[inline]
    pub(crate) fn pieces(self) -> PieceChanges {
        PieceChanges(self.codes())
    }

    /// The codes of the pieces with their squares.
    #[inline]
    pub(crate) fn codes(self) -> Codes {
        Codes(self.0)
    }

    /// The entries in ascending order: the same for all lists with these entries. Lists are sorted
    /// when they are compared, not when they are made: searches make deltas and hardly ever compare
    /// them.
    fn set(self) -> [u16; CAPACITY] {
        let mut entries = core::array::from_fn(|index| (self.0 >> (ENTRY * index as u32)) as u16);
        entries.sort_unstable();
        entries
    }
}

impl PartialEq for Changes {
    fn eq(&self, other: &Changes) -> bool {
        self.set() == other.set()
    }
}

impl Eq for Changes {}

impl Hash for Changes {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.set().hash(state);
    }
}

impl fmt::Debug for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.pieces()).finish()
    }
}

/// The piece's code and the square of the entry in the lowest bits.
#[inline]
fn code(entries: u64) -> (PieceCode, Square) {
    let piece = PieceCode::wrapping((entries >> CODE) as u8);
    (piece, Square::wrapping(entries as u8))
}

/// The codes of pieces, each with its square.
#[derive(Clone)]
pub(crate) struct Codes(u64);

impl Iterator for Codes {
    type Item = (PieceCode, Square);

    #[inline]
    fn next(&mut self) -> Option<(PieceCode, Square)> {
        let entries = self.0;
        if entries == 0 {
            return None;
        }
        self.0 >>= ENTRY;
        Some(code(entries))
    }
}

/// The pieces that a [`Delta`](crate::Delta) takes off the board, or those that it puts there, each
/// with its square: 0 to 4.
#[derive(Clone)]
pub struct PieceChanges(Codes);

impl Iterator for PieceChanges {
    type Item = (Piece, Square);

    #[inline]
    fn next(&mut self) -> Option<(Piece, Square)> {
        let (code, square) = self.0.next()?;
        Some((code.piece()?, square))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = Changes(self.0.0).len();
        (len, Some(len))
    }
}

impl ExactSizeIterator for PieceChanges {}

impl FusedIterator for PieceChanges {}

impl fmt::Debug for PieceChanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn every_piece_on_every_square_is_told_again() {
        for piece in Piece::ALL {
            for square in Square::ALL {
                let mut changes = Changes::NONE;
                for len in 1..=CAPACITY {
                    changes.push(piece, square);
                    assert_eq!(changes.len(), len);
                    assert_eq!(changes.pieces().len(), len);
                    assert_eq!(changes.is_one(), len == 1);
                    assert_eq!(changes.is_one_or_two(), len <= 2);
                    let told: Vec<_> = changes.pieces().collect();
                    assert_eq!(told, [(piece, square); CAPACITY][..len]);
                }
                let is_king = piece.role == Role::King;
                assert_eq!(changes.has_kings(), is_king);
                for color in Color::ALL {
                    assert_eq!(changes.has_king(color), is_king && piece.color == color);
                }
            }
        }
    }

    /// The header of nnue-capi makes entries by this formula.
    #[test]
    fn entries_are_those_of_the_c_interface() {
        for piece in Piece::ALL {
            for square in Square::ALL {
                let mut changes = Changes::NONE;
                changes.push(piece, square);
                let number = piece.index() as u64;
                let kings = u64::from(number == 5) << 14 | u64::from(number == 11) << 15;
                let entry = square.index() as u64 | (number + 1) << 8 | kings;
                assert_eq!(changes.0, entry);
                changes.push(piece, square);
                assert_eq!(changes.0, Changes::from_packed(entry | entry << 16).0);
            }
        }
    }

    #[test]
    fn kings_are_found_wherever_they_are_in_the_list() {
        let rook = Piece::new(Color::Black, Role::Rook);
        for place in 0..CAPACITY {
            for color in Color::ALL {
                let mut changes = Changes::NONE;
                for index in 0..CAPACITY {
                    let king = Piece::new(color, Role::King);
                    let piece = if index == place { king } else { rook };
                    changes.push(piece, Square::H8);
                }
                assert!(changes.has_king(color) && !changes.has_king(!color));
            }
        }
    }
}
