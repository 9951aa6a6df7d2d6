//! The board: nine files and ten ranks. Red moves first and is called white.

use nnue_runtime::Color;

/// A square: `9 * rank + file`, from a0 = 0 to i9 = 89.
pub type Square = usize;

/// A set of squares: bit `n` stands for square `n`.
pub type Squares = u128;

/// The number of squares.
pub const SQUARES: usize = 90;

/// The squares of a set, ascending.
pub fn each(mut set: Squares) -> impl Iterator<Item = Square> {
    std::iter::from_fn(move || {
        let square = (set != 0).then(|| set.trailing_zeros() as Square);
        set &= set.wrapping_sub(1);
        square
    })
}

/// The set of a single square.
#[must_use]
pub(super) fn just(square: Square) -> Squares {
    1 << square
}

/// The kinds of pieces, in the order of the network's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Moves along files and ranks.
    Rook,
    /// Moves a step diagonally in the palace.
    Advisor,
    /// Moves as a rook, and takes what stands behind exactly one piece.
    Cannon,
    /// Moves a step ahead, and to the side beyond the river.
    Pawn,
    /// Moves a step straight, which must be free, and a step diagonally.
    Knight,
    /// Moves two steps diagonally, over a free square, on its side of the river.
    Bishop,
    /// Moves a step in the palace.
    King,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 7] = [
        Kind::Rook,
        Kind::Advisor,
        Kind::Cannon,
        Kind::Pawn,
        Kind::Knight,
        Kind::Bishop,
        Kind::King,
    ];
}

/// A piece of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its owner.
    pub color: Color,
    /// Its kind.
    pub kind: Kind,
}

impl Piece {
    /// How many there are.
    pub const COUNT: usize = 14;

    /// The letters of the pieces: capitals are white's.
    pub const LETTERS: &str = "RACPNBKracpnbk";

    /// All pieces, in the order of their numbers.
    pub fn all() -> impl Iterator<Item = Piece> {
        let of = |color| Kind::ALL.map(|kind| Piece { color, kind });
        Color::ALL.into_iter().flat_map(of)
    }

    /// White's pieces have 0 to 6, in the order of their kinds, black's 7 to 13.
    #[must_use]
    pub fn number(self) -> usize {
        Kind::ALL.len() * self.color.index() + self.kind as usize
    }

    /// The piece as a player sees it, who calls the own pieces white.
    #[must_use]
    pub fn seen_by(self, player: Color) -> Piece {
        let color = if self.color == player {
            Color::White
        } else {
            Color::Black
        };
        Piece { color, ..self }
    }
}

/// A position.
#[derive(Clone, Debug, PartialEq)]
pub struct Board {
    on: [Option<Piece>; SQUARES],
    places: [Squares; Piece::COUNT],
    occupied: Squares,
    side_to_move: Color,
}

impl Board {
    /// The position of a FEN, whose letters are [`Piece::LETTERS`]; `None` if it is none.
    #[must_use]
    pub fn from_fen(fen: &str) -> Option<Board> {
        let mut parts = fen.split_whitespace();
        let (ranks, side) = (parts.next()?, parts.next()?);
        let mut board = Board {
            on: [None; SQUARES],
            places: [0; Piece::COUNT],
            occupied: 0,
            side_to_move: match side {
                "w" => Color::White,
                "b" => Color::Black,
                _ => return None,
            },
        };
        let mut count = 0;
        for (rank, pieces) in (0..10).rev().zip(ranks.split('/')) {
            let mut file = 0;
            for letter in pieces.chars() {
                if let Some(free) = letter.to_digit(10) {
                    file += free as usize;
                } else {
                    let piece = Piece::all().nth(Piece::LETTERS.find(letter)?);
                    board.put((file < 9).then_some(9 * rank + file)?, piece);
                    file += 1;
                }
            }
            count += usize::from(file == 9);
        }
        (count == 10).then_some(board)
    }

    /// Moves what stands on a square, which takes what stands on the other.
    pub fn play(&mut self, from: Square, to: Square) {
        self.put(to, self.on[from]);
        self.put(from, None);
        self.side_to_move = !self.side_to_move;
    }

    fn put(&mut self, square: Square, piece: Option<Piece>) {
        if let Some(taken) = std::mem::replace(&mut self.on[square], piece) {
            self.places[taken.number()] &= !just(square);
        }
        self.occupied &= !just(square);
        if let Some(piece) = piece {
            self.places[piece.number()] |= just(square);
            self.occupied |= just(square);
        }
    }

    /// What stands on a square.
    #[must_use]
    pub fn on(&self, square: Square) -> Option<Piece> {
        self.on[square]
    }

    /// Where pieces of a kind and a player stand.
    #[must_use]
    pub fn places(&self, color: Color, kind: Kind) -> Squares {
        self.places[Piece { color, kind }.number()]
    }

    /// Where the pieces of a player stand.
    #[must_use]
    pub fn places_of(&self, color: Color) -> Squares {
        let kinds = Kind::ALL.into_iter();
        kinds.fold(0, |all, kind| all | self.places(color, kind))
    }

    /// Where pieces stand.
    #[must_use]
    pub fn occupied(&self) -> Squares {
        self.occupied
    }

    /// The squares on which another board has something else.
    #[must_use]
    pub fn differences(&self, other: &Board) -> Squares {
        let both = self.places.into_iter().zip(other.places);
        both.fold(0, |all, (own, others)| all | (own ^ others))
    }

    /// The player whose move it is.
    #[must_use]
    pub fn side_to_move(&self) -> Color {
        self.side_to_move
    }
}
