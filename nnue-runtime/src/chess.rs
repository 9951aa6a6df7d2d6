//! Colours, roles, pieces, squares and sets of squares: the parts of positions.
//!
//! These types know no rules of chess. Their indices are those of feature sets: white before black,
//! pawn to king, and a1 to h8 rank by rank.

use alloc::string::{String, ToString};
use core::error::Error;
use core::fmt;
use core::iter::FusedIterator;
use core::ops::{BitAnd, BitOr, BitOrAssign, BitXor, Not};
use core::str::FromStr;
use nnue_format::foreign;

/// One of the two players, and the perspective of that player: each half of an accumulator is seen
/// from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Color {
    /// The player who moves first.
    White,
    /// The opponent of white.
    Black,
}

impl Color {
    /// Both colours, white before black: the order of [`Color::index`].
    pub const ALL: [Color; 2] = [Color::White, Color::Black];

    /// The number of the colour: 0 for white, 1 for black.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl Color {
    /// The player to move after as many moves, where this one moves first.
    // Not with a branch, which processors would often predict wrongly.
    #[inline]
    pub(crate) fn after(self, moves: usize) -> Color {
        Color::ALL[self.index() ^ (moves & 1)]
    }
}

impl Not for Color {
    type Output = Color;

    #[inline]
    fn not(self) -> Color {
        match self {
            Color::White => Color::Black,
            Color::Black => Color::White,
        }
    }
}

impl fmt::Display for Color {
    /// Writes `white` or `black`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Color::White => "white",
            Color::Black => "black",
        })
    }
}

/// The kind of a piece, without its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names of the chessmen say everything")]
pub enum Role {
    Pawn,
    Knight,
    Bishop,
    Rook,
    Queen,
    King,
}

impl Role {
    /// All roles, pawn to king: the order of [`Role::index`].
    pub const ALL: [Role; 6] = [
        Role::Pawn,
        Role::Knight,
        Role::Bishop,
        Role::Rook,
        Role::Queen,
        Role::King,
    ];

    /// The number of the role: 0 for a pawn to 5 for a king.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// A piece: its kind and its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Piece {
    /// The player who owns the piece.
    pub color: Color,
    /// The kind of the piece.
    pub role: Role,
}

impl Piece {
    /// All pieces: white's, pawn to king, then black's. This is the order of [`Piece::index`].
    pub const ALL: [Piece; 12] = {
        let mut all = [Piece::new(Color::White, Role::Pawn); 12];
        let mut index = 0;
        while index < 12 {
            all[index] = Piece::new(Color::ALL[index / 6], Role::ALL[index % 6]);
            index += 1;
        }
        all
    };

    /// The piece of that colour and role.
    #[inline]
    pub const fn new(color: Color, role: Role) -> Piece {
        Piece { color, role }
    }

    /// The number of the piece, `6 * color + role`: 0 for white's pawn to 11 for black's king.
    #[inline]
    pub const fn index(self) -> usize {
        6 * self.color.index() + self.role.index()
    }

    /// The piece that FEN writes as `letter`: one of `PNBRQK` for white, `pnbrqk` for black.
    pub fn from_char(letter: char) -> Option<Piece> {
        Piece::ALL
            .into_iter()
            .find(|piece| piece.to_char() == letter)
    }

    /// The letter that FEN writes for this piece: upper case for white.
    #[inline]
    pub const fn to_char(self) -> char {
        b"PNBRQKpnbrqk"[self.index()] as char
    }
}

impl fmt::Display for Piece {
    /// Writes the letter that FEN uses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_char())
    }
}

/// The content of a square, in one byte: 0 for nothing, or one more than a piece's index.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct PieceCode(pub(crate) u8);

impl PieceCode {
    pub(crate) const NOTHING: PieceCode = PieceCode(0);

    #[inline]
    pub(crate) fn of(piece: Piece) -> PieceCode {
        PieceCode(1 + piece.index() as u8)
    }

    /// The code that the lowest four bits of a byte are.
    #[inline]
    pub(crate) fn wrapping(bits: u8) -> PieceCode {
        PieceCode(bits % 16)
    }

    #[inline]
    pub(crate) fn piece(self) -> Option<Piece> {
        Piece::ALL.get(usize::from(self.0).wrapping_sub(1)).copied()
    }

    /// The index of the code in a table of 16 entries.
    #[inline]
    pub(crate) fn index(self) -> usize {
        usize::from(self.0 % 16)
    }
}

/// One of the 64 squares: a1 is 0, b1 is 1, h8 is 63.
///
/// The constants `Square::A1` to `Square::H8` name them all.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// All squares, a1 to h8 rank by rank: the order of [`Square::index`].
    pub const ALL: [Square; 64] = {
        let mut all = [Square(0); 64];
        let mut index = 0;
        while index < 64 {
            all[index as usize] = Square(index);
            index += 1;
        }
        all
    };

    /// The square of that index, `None` from 64 on.
    #[inline]
    pub const fn new(index: u8) -> Option<Square> {
        if index < 64 {
            Some(Square(index))
        } else {
            None
        }
    }

    /// The square whose index is `index` modulo 64.
    ///
    /// For adapters of boards that number squares in the same way: they know that the index is
    /// below 64, and the check of [`Square::new`] would cost a branch.
    #[inline]
    pub const fn wrapping(index: u8) -> Square {
        Square(index % 64)
    }

    /// The square where a file (0 is the a-file) meets a rank (0 is the first rank), `None` if
    /// either is above 7.
    #[inline]
    pub const fn from_file_rank(file: u8, rank: u8) -> Option<Square> {
        if file < 8 && rank < 8 {
            Some(Square(8 * rank + file))
        } else {
            None
        }
    }

    /// The number of the square's file: 0 for the a-file to 7 for the h-file.
    #[inline]
    pub const fn file(self) -> u8 {
        self.0 % 8
    }

    /// The number of the square's rank: 0 for the first (white's pieces at the start) to 7 for the
    /// eighth.
    #[inline]
    pub const fn rank(self) -> u8 {
        self.0 / 8
    }

    /// The number of the square: 0 for a1, 1 for b1, to 63 for h8.
    #[inline]
    pub const fn index(self) -> usize {
        // The remainder changes nothing, but lets the optimiser see the range: tables of 64 need no
        // bounds check.
        (self.0 % 64) as usize
    }
}

/// Defines the constants `Square::A1` to `Square::H8` from their names in order.
macro_rules! square_constants {
    ($($name:ident)*) => {
        /// Numbers the names for the constants of [`Square`].
        enum Order { $($name),* }

        impl Square {
            $(
                #[doc = concat!("The square ", stringify!($name), ".")]
                pub const $name: Square = Square(Order::$name as u8);
            )*
        }
    };
}

square_constants! {
    A1 B1 C1 D1 E1 F1 G1 H1
    A2 B2 C2 D2 E2 F2 G2 H2
    A3 B3 C3 D3 E3 F3 G3 H3
    A4 B4 C4 D4 E4 F4 G4 H4
    A5 B5 C5 D5 E5 F5 G5 H5
    A6 B6 C6 D6 E6 F6 G6 H6
    A7 B7 C7 D7 E7 F7 G7 H7
    A8 B8 C8 D8 E8 F8 G8 H8
}

impl fmt::Display for Square {
    /// Writes the square's name: `e4`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.file()), self.rank() + 1)
    }
}

impl fmt::Debug for Square {
    /// Writes the square's name: numbers would make failed tests unreadable.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Square {
    type Err = SquareError;

    /// Reads a square's name: a file from `a` to `h`, then a rank from `1` to `8`.
    fn from_str(name: &str) -> Result<Square, SquareError> {
        match *name.as_bytes() {
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => {
                Ok(Square(8 * (rank - b'1') + (file - b'a')))
            }
            _ => Err(SquareError {
                found: name.to_string(),
            }),
        }
    }
}

/// A text is not the name of a square.
#[derive(Clone, PartialEq, Eq)]
pub struct SquareError {
    /// The text, in full.
    pub found: String,
}

impl fmt::Display for SquareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "found `{}`, expected a square from `a1` to `h8`",
            foreign(&self.found)
        )
    }
}

nnue_format::debug_is_message!(SquareError);

impl Error for SquareError {}

/// A set of squares: bit `i` stands for the square of index `i`.
///
/// Iterating it gives its squares from a1 to h8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bitboard(pub u64);

impl Bitboard {
    /// The set without any squares.
    pub const EMPTY: Bitboard = Bitboard(0);

    /// Whether the square is in the set.
    #[inline]
    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// How many squares are in the set, 0 to 64.
    #[inline]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether no square is in the set.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The square of the lowest index; `None` if the set is empty.
    #[inline]
    pub const fn first(self) -> Option<Square> {
        if self.is_empty() {
            None
        } else {
            Some(Square(self.0.trailing_zeros() as u8))
        }
    }

    /// Puts the square into the set. It may be there already.
    #[inline]
    pub const fn insert(&mut self, square: Square) {
        self.0 |= 1 << square.index();
    }

    /// Takes the square out of the set, if it is there.
    #[inline]
    pub const fn remove(&mut self, square: Square) {
        self.0 &= !(1 << square.index());
    }
}

impl From<Square> for Bitboard {
    #[inline]
    fn from(square: Square) -> Bitboard {
        Bitboard(1 << square.index())
    }
}

/// Implements operators of sets by those of their bits.
macro_rules! set_operators {
    ($($operator:ident $function:ident $symbol:tt),+) => { $(
        impl $operator for Bitboard {
            type Output = Bitboard;

            #[inline]
            fn $function(self, other: Bitboard) -> Bitboard {
                Bitboard(self.0 $symbol other.0)
            }
        }
    )+ };
}
set_operators!(BitAnd bitand &, BitOr bitor |, BitXor bitxor ^);

impl BitOrAssign for Bitboard {
    #[inline]
    fn bitor_assign(&mut self, other: Bitboard) {
        self.0 |= other.0;
    }
}

impl Not for Bitboard {
    type Output = Bitboard;

    #[inline]
    fn not(self) -> Bitboard {
        Bitboard(!self.0)
    }
}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    #[inline]
    fn into_iter(self) -> Squares {
        Squares(self)
    }
}

/// The squares of a [`Bitboard`], from a1 to h8.
#[derive(Clone, Debug)]
pub struct Squares(Bitboard);

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        let square = self.0.first()?;
        // Clearing the lowest bit this way is one instruction, and does not wait for the square's
        // number.
        self.0.0 &= self.0.0.wrapping_sub(1);
        Some(square)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.len(), Some(self.0.len()))
    }
}

impl ExactSizeIterator for Squares {}

impl FusedIterator for Squares {}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn indices_follow_all() {
        for (index, color) in Color::ALL.into_iter().enumerate() {
            assert_eq!(color.index(), index);
            assert_eq!((!color).index(), 1 - index);
        }
        for (index, role) in Role::ALL.into_iter().enumerate() {
            assert_eq!(role.index(), index);
        }
        for (index, piece) in Piece::ALL.into_iter().enumerate() {
            assert_eq!(piece.index(), index);
        }
        for (index, square) in Square::ALL.into_iter().enumerate() {
            assert_eq!(square.index(), index);
        }
    }

    #[test]
    fn pieces_are_written_as_in_fen() {
        let letters: String = Piece::ALL.into_iter().map(Piece::to_char).collect();
        assert_eq!(letters, "PNBRQKpnbrqk");
        for piece in Piece::ALL {
            assert_eq!(Piece::from_char(piece.to_char()), Some(piece));
            assert_eq!(piece.to_string(), piece.to_char().to_string());
        }
        let black_knight = Piece::new(Color::Black, Role::Knight);
        assert_eq!(Piece::from_char('n'), Some(black_knight));
        for letter in ['x', '1', ' ', 'é'] {
            assert_eq!(Piece::from_char(letter), None);
        }
    }

    #[test]
    fn squares_are_numbered_rank_by_rank() {
        assert_eq!(Square::A1.index(), 0);
        assert_eq!(Square::B1.index(), 1);
        assert_eq!(Square::A2.index(), 8);
        assert_eq!(Square::E4.index(), 28);
        assert_eq!(Square::H8.index(), 63);
        assert_eq!((Square::C7.file(), Square::C7.rank()), (2, 6));
        for square in Square::ALL {
            let index = square.index() as u8;
            assert_eq!(Square::new(index), Some(square));
            assert_eq!(Square::wrapping(index + 64), square);
            assert_eq!(
                Square::from_file_rank(square.file(), square.rank()),
                Some(square)
            );
        }
    }

    #[test]
    fn there_are_no_other_squares() {
        assert_eq!(Square::new(64), None);
        assert_eq!(Square::new(255), None);
        assert_eq!(Square::from_file_rank(8, 0), None);
        assert_eq!(Square::from_file_rank(0, 8), None);
        assert_eq!(Square::from_file_rank(255, 255), None);
    }

    #[test]
    fn square_names_round_trip() {
        assert_eq!(Square::E4.to_string(), "e4");
        for square in Square::ALL {
            assert_eq!(square.to_string().parse(), Ok(square));
        }
        for name in ["", "e", "e9", "e0", "i1", "E4", "e44", " e4", "é"] {
            let found = name.to_string();
            assert_eq!(name.parse::<Square>(), Err(SquareError { found }));
        }
        assert_eq!(
            "e9".parse::<Square>().unwrap_err().to_string(),
            "found `e9`, expected a square from `a1` to `h8`"
        );
    }

    #[test]
    fn bitboards_are_sets() {
        let mut set = Bitboard::EMPTY;
        assert!(set.is_empty());
        assert_eq!(set.first(), None);
        for square in [Square::H8, Square::A1, Square::E4, Square::E4] {
            set.insert(square);
        }
        assert_eq!(set.len(), 3);
        assert_eq!(set.into_iter().len(), 3);
        assert_eq!(set.first(), Some(Square::A1));
        assert_eq!(
            set.into_iter().collect::<Vec<_>>(),
            [Square::A1, Square::E4, Square::H8]
        );
        assert!(set.contains(Square::E4) && !set.contains(Square::E5));
        set.remove(Square::A1);
        set.remove(Square::B1);
        assert_eq!(set, Bitboard::from(Square::E4) | Bitboard::from(Square::H8));
        assert_eq!(set & !set, Bitboard::EMPTY);
        assert_eq!(set ^ Bitboard::from(Square::H8), Square::E4.into());
        assert_eq!((!Bitboard::EMPTY).into_iter().count(), 64);
        set |= Square::A1.into();
        assert_eq!(set.first(), Some(Square::A1));
    }
}
