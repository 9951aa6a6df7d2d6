//! The changes that a move makes on the board, from which accumulators are updated.

mod changes;

use core::error::Error;
use core::fmt;

use crate::chess::{Bitboard, Color, Piece, Role, Square};
use crate::position::Position;

pub use self::changes::PieceChanges;
pub(crate) use self::changes::{CAPACITY, Changes};

/// The pieces that one move takes off the board, and those it then puts on it.
///
/// A delta has 16 bytes, is `Copy`, and allocates nothing. All removals come before all additions,
/// so a piece can be added where another is removed: captures and castling in Chess960 need that.
/// Removing a piece from a square and adding it there again changes nothing. Deltas that change the
/// same pieces are equal, in whatever order the pieces were given.
///
/// Constructors do not know the board. After a delta that does not fit the board, evaluations mean
/// nothing, but nothing worse happens. [`Board::apply`](crate::Board::apply) checks that a delta
/// fits.
///
/// ```
/// use nnue_runtime::{Color, Delta, Piece, Role, Square};
///
/// let knight = Piece::new(Color::White, Role::Knight);
/// let delta = Delta::quiet(knight, Square::G1, Square::F3);
/// assert!(delta.removed().eq([(knight, Square::G1)]));
/// assert!(delta.added().eq([(knight, Square::F3)]));
/// assert!(!delta.moves_king(Color::White));
/// ```
// In this order and as two words, callers in C write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Delta {
    removed: Changes,
    added: Changes,
}

impl Delta {
    /// A null move: nothing changes but the side to move.
    #[inline]
    pub const fn null() -> Delta {
        Delta {
            removed: Changes::NONE,
            added: Changes::NONE,
        }
    }

    /// A move of `piece` to an empty square that is neither castling nor a promotion.
    #[inline]
    pub fn quiet(piece: Piece, from: Square, to: Square) -> Delta {
        let mut delta = Delta::null();
        delta.relocate(piece, from, to);
        delta
    }

    /// A move of `piece` that captures and is not a promotion. `captured_on` is `to`, except en
    /// passant: then it is the square of the captured pawn, behind `to`.
    #[inline]
    pub fn capture(
        piece: Piece,
        from: Square,
        to: Square,
        captured: Piece,
        captured_on: Square,
    ) -> Delta {
        let mut delta = Delta::quiet(piece, from, to);
        delta.removed.push(captured, captured_on);
        delta
    }

    /// A promotion: a pawn of that colour becomes `promoted` on `to`. `captured` is the piece that
    /// it captures there, if any.
    #[inline]
    pub fn promotion(
        color: Color,
        from: Square,
        to: Square,
        promoted: Role,
        captured: Option<Piece>,
    ) -> Delta {
        let mut delta = Delta::null();
        delta.removed.push(Piece::new(color, Role::Pawn), from);
        delta.added.push(Piece::new(color, promoted), to);
        if let Some(captured) = captured {
            delta.removed.push(captured, to);
        }
        delta
    }

    /// Castling: both king and rook move. In Chess960 some of the four squares may be the same, as
    /// long as king and rook are never on one square at the same time. A piece that stays where it
    /// is does not appear in the delta.
    #[inline]
    pub fn castling(
        color: Color,
        king_from: Square,
        king_to: Square,
        rook_from: Square,
        rook_to: Square,
    ) -> Delta {
        let mut delta = Delta::null();
        delta.relocate(Piece::new(color, Role::King), king_from, king_to);
        delta.relocate(Piece::new(color, Role::Rook), rook_from, rook_to);
        delta
    }

    /// The delta that removes and adds these pieces. Entries that are in both lists are left out,
    /// as they change nothing.
    ///
    /// # Errors
    ///
    /// [`DeltaError`] if a list names a square twice, or has more than four pieces that are not in
    /// the other list.
    pub fn from_changes(
        removed: &[(Piece, Square)],
        added: &[(Piece, Square)],
    ) -> Result<Delta, DeltaError> {
        let left = |change, list: &[(Piece, Square)], other: &[(Piece, Square)]| {
            collect(change, list.iter().copied(), |entry| other.contains(entry))
        };
        Ok(Delta {
            removed: left(Change::Removed, removed, added)?,
            added: left(Change::Added, added, removed)?,
        })
    }

    /// The delta of two lists as they lie in memory: up to four entries of 16 bits, the first
    /// lowest. An entry is the sum of the square, 256 times the piece's index plus 1, and 2^14 for
    /// white's king or 2^15 for black's. The C interface makes them; other numbers make evaluations
    /// meaningless, or panics.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub const fn from_packed(removed: u64, added: u64) -> Delta {
        Delta {
            removed: Changes::from_packed(removed),
            added: Changes::from_packed(added),
        }
    }

    /// The delta that leads from the pieces of `before` to those of `after`. Whose turn it is does
    /// not matter.
    ///
    /// # Errors
    ///
    /// [`DeltaError`] if more than four pieces are removed or added, or if `before` or `after`
    /// breaks the contract of [`Position`] and has two pieces on a square that changes.
    pub fn between(
        before: &(impl Position + ?Sized),
        after: &(impl Position + ?Sized),
    ) -> Result<Delta, DeltaError> {
        let never = |_: &(Piece, Square)| false;
        Ok(Delta {
            removed: collect(Change::Removed, only_in(before, after), never)?,
            added: collect(Change::Added, only_in(after, before), never)?,
        })
    }

    /// The pieces that leave the board, each with its square before the move: 0 to 4.
    #[inline]
    pub fn removed(&self) -> PieceChanges {
        self.removed.pieces()
    }

    /// The pieces that are put on the board after all removals, each with its square after the
    /// move: 0 to 4.
    #[inline]
    pub fn added(&self) -> PieceChanges {
        self.added.pieces()
    }

    /// Both lists of the delta: the pieces that it removes, and those that it adds.
    #[inline]
    pub(crate) fn changes(&self) -> [Changes; 2] {
        [self.removed, self.added]
    }

    /// Whether a king of that colour is removed or added. Then the accumulator of that perspective
    /// may have to be computed anew, as its feature sets may have other rows for each square of the
    /// king.
    #[inline]
    pub fn moves_king(&self, color: Color) -> bool {
        self.removed.has_king(color) || self.added.has_king(color)
    }

    /// Whether the delta takes one or two pieces off the board and puts a single piece on it, as
    /// all moves of chess but castling do.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.added.is_one() && self.removed.is_one_or_two()
    }

    /// Whether a king of either colour is removed or added.
    #[inline]
    pub(crate) fn moves_kings(&self) -> bool {
        self.removed.has_kings() || self.added.has_kings()
    }

    /// Whether a move that is [plain](Self::is_plain) takes off two pieces.
    #[inline]
    pub(crate) fn is_capture(&self) -> bool {
        !self.removed.is_one()
    }

    /// The squares of white's king and of black's after the move, given those before it.
    #[inline]
    pub(crate) fn kings_after(&self, [white, black]: [Square; 2]) -> [Square; 2] {
        [
            self.added.king(Color::White).unwrap_or(white),
            self.added.king(Color::Black).unwrap_or(black),
        ]
    }

    /// The change of this move and the next together, if both are [plain](Self::is_plain) and the
    /// next captures the piece that this one has moved.
    #[inline]
    pub(crate) fn with_recapture(&self, next: &Delta) -> Option<Delta> {
        let is_taken = self.is_plain() && next.is_plain() && self.added.is_second_of(next.removed);
        is_taken.then(|| Delta {
            removed: self.removed.with_first_of(next.removed),
            added: next.added,
        })
    }

    /// The half-move clock after the move: 0 if a pawn moves or there are fewer pieces than before,
    /// and else one more. A null move counts.
    #[inline]
    pub(crate) fn clock_after(&self, clock: u8) -> u8 {
        let starts_anew = self.removed.len() > self.added.len() || self.removed.has_pawn();
        if starts_anew {
            0
        } else {
            clock.saturating_add(1)
        }
    }

    /// Whether the delta changes nothing.
    #[inline]
    pub(crate) fn is_null(&self) -> bool {
        self.removed.is_empty() && self.added.is_empty()
    }

    /// Moves a piece, unless it stays where it is.
    #[inline]
    fn relocate(&mut self, piece: Piece, from: Square, to: Square) {
        if from != to {
            self.removed.push(piece, from);
            self.added.push(piece, to);
        }
    }
}

/// Why a list of changes cannot be a [`Delta`].
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeltaError {
    /// A list has more pieces than a delta holds.
    TooMany {
        /// The list that is too long.
        change: Change,
        /// How many pieces it has.
        found: usize,
    },
    /// Two pieces are removed from one square, or added to one.
    SameSquare {
        /// The list that has both pieces.
        change: Change,
        /// Where both pieces are.
        square: Square,
    },
}

/// One of the two lists of a [`Delta`], in its errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The pieces that are removed.
    Removed,
    /// The pieces that are added.
    Added,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Change::Removed => "removed",
            Change::Added => "added",
        })
    }
}

impl fmt::Display for DeltaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeltaError::TooMany { change, found } => {
                write!(
                    f,
                    "found {found} {change} pieces, expected at most {CAPACITY}"
                )
            }
            DeltaError::SameSquare { change, square } => {
                write!(
                    f,
                    "found two {change} pieces on {square}, expected at most one"
                )
            }
        }
    }
}

nnue_format::debug_is_message!(DeltaError);

impl Error for DeltaError {}

/// Lists the entries of `all` without those for which `cancels` is true. It is an error if more are
/// left than a list can hold, or if `all` repeats a square.
fn collect(
    change: Change,
    all: impl Iterator<Item = (Piece, Square)>,
    cancels: impl Fn(&(Piece, Square)) -> bool,
) -> Result<Changes, DeltaError> {
    let mut changes = Changes::NONE;
    let mut squares = Bitboard::EMPTY;
    let mut found = 0;
    for (piece, square) in all {
        if squares.contains(square) {
            return Err(DeltaError::SameSquare { change, square });
        }
        squares.insert(square);
        if !cancels(&(piece, square)) {
            found += 1;
            if found <= CAPACITY {
                changes.push(piece, square);
            }
        }
    }
    if found > CAPACITY {
        return Err(DeltaError::TooMany { change, found });
    }
    Ok(changes)
}

/// The pieces of `first` that do not stand on the same square in `second`.
fn only_in(
    first: &(impl Position + ?Sized),
    second: &(impl Position + ?Sized),
) -> impl Iterator<Item = (Piece, Square)> {
    Piece::ALL.into_iter().flat_map(move |piece| {
        let squares = first.pieces(piece) & !second.pieces(piece);
        squares.into_iter().map(move |square| (piece, square))
    })
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec::Vec;

    use core::hash::{Hash, Hasher};

    use super::*;
    use crate::board::Board;

    const PAWN: Piece = Piece::new(Color::White, Role::Pawn);
    const KING: Piece = Piece::new(Color::White, Role::King);
    const ROOK: Piece = Piece::new(Color::White, Role::Rook);
    const BLACK_PAWN: Piece = Piece::new(Color::Black, Role::Pawn);
    const BLACK_ROOK: Piece = Piece::new(Color::Black, Role::Rook);

    fn board(fen: &str) -> Board {
        fen.parse().unwrap()
    }

    #[test]
    fn a_null_move_changes_nothing() {
        let delta = Delta::null();
        assert!(delta.removed().len() == 0 && delta.added().len() == 0);
        assert!(!delta.moves_king(Color::White) && !delta.moves_king(Color::Black));
        assert_eq!(Delta::quiet(ROOK, Square::A1, Square::A1), delta);
    }

    #[test]
    fn captures_remove_the_captured_piece_where_it_stands() {
        let capture = Delta::capture(ROOK, Square::A1, Square::A7, BLACK_PAWN, Square::A7);
        assert!(
            capture
                .removed()
                .eq([(ROOK, Square::A1), (BLACK_PAWN, Square::A7)])
        );
        assert!(capture.added().eq([(ROOK, Square::A7)]));
        let en_passant = Delta::capture(PAWN, Square::E5, Square::D6, BLACK_PAWN, Square::D5);
        assert!(
            en_passant
                .removed()
                .eq([(PAWN, Square::E5), (BLACK_PAWN, Square::D5)])
        );
        assert!(en_passant.added().eq([(PAWN, Square::D6)]));
    }

    #[test]
    fn promotions_exchange_the_pawn() {
        let quiet = Delta::promotion(Color::Black, Square::C2, Square::C1, Role::Rook, None);
        assert!(quiet.removed().eq([(BLACK_PAWN, Square::C2)]));
        assert!(quiet.added().eq([(BLACK_ROOK, Square::C1)]));
        let capture =
            Delta::promotion(Color::Black, Square::C2, Square::D1, Role::Rook, Some(ROOK));
        assert!(
            capture
                .removed()
                .eq([(BLACK_PAWN, Square::C2), (ROOK, Square::D1)])
        );
        assert!(capture.added().eq([(BLACK_ROOK, Square::D1)]));
    }

    #[test]
    fn castling_drops_what_stays_in_place() {
        let king_stays =
            Delta::castling(Color::White, Square::G1, Square::G1, Square::H1, Square::F1);
        assert_eq!(king_stays, Delta::quiet(ROOK, Square::H1, Square::F1));
        assert!(!king_stays.moves_king(Color::White));
        let rook_stays =
            Delta::castling(Color::White, Square::B1, Square::C1, Square::D1, Square::D1);
        assert_eq!(rook_stays, Delta::quiet(KING, Square::B1, Square::C1));
        assert!(rook_stays.moves_king(Color::White) && !rook_stays.moves_king(Color::Black));
    }

    #[test]
    fn castling_is_right_wherever_the_pieces_stand() {
        for (before, squares, after) in [
            (
                "4k3/8/8/8/8/8/8/4K2R w",
                [Square::E1, Square::G1, Square::H1, Square::F1],
                "4k3/8/8/8/8/8/8/5RK1 b",
            ),
            (
                "4k3/8/8/8/8/8/8/5KR1 w",
                [Square::F1, Square::G1, Square::G1, Square::F1],
                "4k3/8/8/8/8/8/8/5RK1 b",
            ),
            (
                "4k3/8/8/8/8/8/8/5K1R w",
                [Square::F1, Square::G1, Square::H1, Square::F1],
                "4k3/8/8/8/8/8/8/5RK1 b",
            ),
            (
                "4k3/8/8/8/8/8/8/6KR w",
                [Square::G1, Square::G1, Square::H1, Square::F1],
                "4k3/8/8/8/8/8/8/5RK1 b",
            ),
            (
                "4k3/8/8/8/8/8/8/1RK5 w",
                [Square::C1, Square::C1, Square::B1, Square::D1],
                "4k3/8/8/8/8/8/8/2KR4 b",
            ),
            (
                "4k3/8/8/8/8/8/8/2RK4 w",
                [Square::D1, Square::C1, Square::C1, Square::D1],
                "4k3/8/8/8/8/8/8/2KR4 b",
            ),
        ] {
            let [king_from, king_to, rook_from, rook_to] = squares;
            let delta = Delta::castling(Color::White, king_from, king_to, rook_from, rook_to);
            let mut played = board(before);
            assert_eq!(played.apply(&delta), Ok(()), "{before}");
            assert_eq!(played, board(after), "{before}");
        }
    }

    #[test]
    fn changes_that_undo_each_other_cancel() {
        let stays = (ROOK, Square::D4);
        let delta = Delta::from_changes(
            &[stays, (PAWN, Square::A2), (BLACK_PAWN, Square::A4)],
            &[(PAWN, Square::A4), stays],
        );
        let capture = Delta::capture(PAWN, Square::A2, Square::A4, BLACK_PAWN, Square::A4);
        assert_eq!(delta, Ok(capture));
        assert_eq!(Delta::from_changes(&[stays], &[stays]), Ok(Delta::null()));
    }

    #[test]
    fn lists_hold_four_entries() {
        let pawns: [_; 5] = core::array::from_fn(|file| (PAWN, Square::ALL[8 + file]));
        let four = Delta::from_changes(&pawns[..4], &[]).unwrap();
        assert!(four.removed().eq(pawns[..4].iter().copied()));
        let five = Delta::from_changes(&[], &pawns).unwrap_err();
        let change = Change::Added;
        assert_eq!(five, DeltaError::TooMany { change, found: 5 });
        assert_eq!(five.to_string(), "found 5 added pieces, expected at most 4");
        // Five entries are four if one of them cancels.
        assert_eq!(Delta::from_changes(&pawns, &pawns[4..]), Ok(four));
    }

    #[test]
    fn a_list_names_a_square_once() {
        let error =
            Delta::from_changes(&[(PAWN, Square::E4), (ROOK, Square::E4)], &[]).unwrap_err();
        let (change, square) = (Change::Removed, Square::E4);
        assert_eq!(error, DeltaError::SameSquare { change, square });
        assert_eq!(
            error.to_string(),
            "found two removed pieces on e4, expected at most one"
        );
        // Cancelling must not hide it.
        let pawn = (PAWN, Square::E4);
        assert!(Delta::from_changes(&[pawn, pawn], &[pawn]).is_err());
    }

    #[test]
    fn between_finds_what_a_move_changed() {
        let before = board("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1");
        let after = board("4k3/8/3P4/8/8/8/8/4K3 b");
        let delta = Delta::between(&before, &after).unwrap();
        assert!(
            delta
                .removed()
                .eq([(PAWN, Square::E5), (BLACK_PAWN, Square::D5)])
        );
        assert!(delta.added().eq([(PAWN, Square::D6)]));
        assert_eq!(Delta::between(&after, &after), Ok(Delta::null()));
    }

    /// The first thing that authors test of their own deltas.
    #[test]
    fn equality_does_not_depend_on_the_order_of_pieces() {
        let before = board("4k3/8/8/3r4/4P3/8/8/4K3 w");
        let after = board("4k3/8/8/3P4/8/8/8/4K3 b");
        let found = Delta::between(&before, &after).unwrap();
        let rook_first = [(BLACK_ROOK, Square::D5), (PAWN, Square::E4)];
        let pawn_first = [rook_first[1], rook_first[0]];
        let added = [(PAWN, Square::D5)];
        for removed in [rook_first, pawn_first] {
            let told = Delta::from_changes(&removed, &added).unwrap();
            assert_eq!(told, found);
            assert_eq!(hash(&told), hash(&found));
        }
        let capture = Delta::capture(PAWN, Square::E4, Square::D5, BLACK_ROOK, Square::D5);
        assert_eq!(capture, found);

        // Other pieces, or the same on other squares, are other changes.
        let swapped = [(BLACK_ROOK, Square::E4), (PAWN, Square::D5)];
        assert_ne!(
            Delta::from_changes(&swapped, &[]),
            Delta::from_changes(&rook_first, &[])
        );
        assert_ne!(Delta::from_changes(&rook_first[..1], &added), Ok(found));
        // Absent entries are not those of a pawn on a1.
        let pawn_on_a1 = Delta::from_changes(&[(PAWN, Square::A1)], &[]);
        assert_ne!(pawn_on_a1, Ok(Delta::null()));
    }

    /// The number that a hasher gets for a delta.
    fn hash(delta: &Delta) -> Vec<u8> {
        struct HashedBytes(Vec<u8>);

        impl Hasher for HashedBytes {
            fn write(&mut self, bytes: &[u8]) {
                self.0.extend_from_slice(bytes);
            }

            fn finish(&self) -> u64 {
                0
            }
        }

        let mut told = HashedBytes(Vec::new());
        delta.hash(&mut told);
        told.0
    }

    #[test]
    fn between_refuses_what_is_too_far_apart() {
        let bare_kings = board("4k3/8/8/8/8/8/8/4K3 w");
        let change = Change::Removed;
        assert_eq!(
            Delta::between(&Board::start(), &bare_kings),
            Err(DeltaError::TooMany { change, found: 30 })
        );
    }
}
