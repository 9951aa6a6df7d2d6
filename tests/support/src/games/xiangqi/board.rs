//! The board: nine files and ten ranks. Red moves first and is called white.

use nnue_runtime::Color;

use crate::games::Game;

/// The kinds of pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Moves along files and ranks.
    Rook,
    /// Moves as a rook, and takes what stands behind exactly one piece.
    Cannon,
    /// Moves a step straight, which must be free, and a step diagonally.
    Knight,
    /// Moves a step ahead, and to the side beyond the river.
    Pawn,
    /// Moves a step diagonally in the palace.
    Advisor,
    /// Moves two steps diagonally, over a free square, on its side of the river.
    Bishop,
    /// Moves a step in the palace.
    King,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 7] = [
        Kind::Rook,
        Kind::Cannon,
        Kind::Knight,
        Kind::Pawn,
        Kind::Advisor,
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

/// A square: file 0 to 8 and rank 0 to 9, from red's side.
pub(super) type Square = (i8, i8);

/// The steps along files and ranks.
const STRAIGHT: [Square; 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
/// The diagonal steps.
const DIAGONAL: [Square; 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

fn is_on_board((file, rank): Square) -> bool {
    (0..9).contains(&file) && (0..10).contains(&rank)
}

/// The rank of a square as a player counts it from its own side.
fn rank_of((_, rank): Square, color: Color) -> i8 {
    match color {
        Color::White => rank,
        Color::Black => 9 - rank,
    }
}

fn is_in_palace(square: Square, color: Color) -> bool {
    (3..=5).contains(&square.0) && rank_of(square, color) <= 2
}

/// Whether a piece of this kind can ever stand on a square.
pub(super) fn reaches(kind: Kind, color: Color, square: Square) -> bool {
    let (file, rank) = (square.0, rank_of(square, color));
    match kind {
        Kind::Rook | Kind::Cannon | Kind::Knight => true,
        Kind::Pawn => rank >= 5 || rank >= 3 && file % 2 == 0,
        Kind::Advisor => is_in_palace(square, color) && (file + rank) % 2 == 1,
        Kind::Bishop => match rank {
            0 | 4 => file == 2 || file == 6,
            2 => file % 4 == 0,
            _ => false,
        },
        Kind::King => is_in_palace(square, color),
    }
}

/// A position.
#[derive(Clone, Debug, PartialEq)]
pub struct Xiangqi {
    squares: [Option<Piece>; 90],
    side_to_move: Color,
}

impl Xiangqi {
    /// What stands on a square.
    pub(super) fn at(&self, (file, rank): Square) -> Option<Piece> {
        self.squares[usize::from(rank.unsigned_abs()) * 9 + usize::from(file.unsigned_abs())]
    }

    /// All pieces with their squares.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (Square, Piece)> {
        let squares = (0..10).flat_map(|rank| (0..9).map(move |file| (file, rank)));
        squares.filter_map(|square| Some((square, self.at(square)?)))
    }

    /// The square of a player's king.
    ///
    /// # Panics
    ///
    /// If the player has none.
    pub(super) fn king(&self, color: Color) -> Square {
        let king = Piece {
            color,
            kind: Kind::King,
        };
        let mut pieces = self.pieces();
        let found = pieces.find(|(_, piece)| *piece == king);
        found.expect("both kings").0
    }

    fn put(&mut self, (file, rank): Square, piece: Option<Piece>) {
        let square = usize::from(rank.unsigned_abs()) * 9 + usize::from(file.unsigned_abs());
        self.squares[square] = piece;
    }

    /// The squares that a line of steps passes, up to the edge of the board.
    fn line(from: Square, step: Square) -> impl Iterator<Item = Square> {
        let squares = (1..10).map(move |n| (from.0 + n * step.0, from.1 + n * step.1));
        squares.take_while(|square| is_on_board(*square))
    }

    /// The nearest piece on a line, and the one behind it.
    fn screens(&self, from: Square, step: Square) -> [Option<Square>; 2] {
        let mut occupied = Xiangqi::line(from, step).filter(|square| self.at(*square).is_some());
        [occupied.next(), occupied.next()]
    }

    /// The squares that a piece attacks: those on which it would take a piece. Of cannons and rooks
    /// these are only squares with pieces.
    pub(super) fn attacks(&self, from: Square, piece: Piece) -> Vec<Square> {
        let Piece { color, kind } = piece;
        let step = |(file, rank): Square| (from.0 + file, from.1 + rank);
        let all: Vec<Square> = match kind {
            Kind::Rook | Kind::Cannon => {
                let behind = usize::from(kind == Kind::Cannon);
                let lines = STRAIGHT.into_iter();
                return lines
                    .filter_map(|way| self.screens(from, way)[behind])
                    .collect();
            }
            Kind::Knight => {
                let free = |leg: &Square| is_on_board(step(*leg)) && self.at(step(*leg)).is_none();
                let legs = STRAIGHT.into_iter().filter(free);
                legs.flat_map(|(file, rank)| {
                    [-1, 1].map(|aside| match file {
                        0 => step((aside, 2 * rank)),
                        _ => step((2 * file, aside)),
                    })
                })
                .collect()
            }
            Kind::Bishop => {
                let free = |eye: &Square| is_on_board(step(*eye)) && self.at(step(*eye)).is_none();
                let eyes = DIAGONAL.into_iter().filter(free);
                eyes.map(|(file, rank)| step((2 * file, 2 * rank)))
                    .collect()
            }
            Kind::Advisor => DIAGONAL.map(step).to_vec(),
            Kind::King => STRAIGHT.map(step).to_vec(),
            Kind::Pawn => {
                let ahead = if color == Color::White { 1 } else { -1 };
                let mut steps = vec![step((0, ahead))];
                if rank_of(from, color) >= 5 {
                    steps.extend([step((1, 0)), step((-1, 0))]);
                }
                steps
            }
        };
        let there = |to: &Square| is_on_board(*to) && reaches(kind, color, *to);
        all.into_iter().filter(there).collect()
    }
}

impl Game for Xiangqi {
    type Move = (Square, Square);

    fn start() -> Xiangqi {
        let mut position = Xiangqi {
            squares: [None; 90],
            side_to_move: Color::White,
        };
        let home = [
            Kind::Rook,
            Kind::Knight,
            Kind::Bishop,
            Kind::Advisor,
            Kind::King,
            Kind::Advisor,
            Kind::Bishop,
            Kind::Knight,
            Kind::Rook,
        ];
        for color in Color::ALL {
            let rank = |rank: i8| rank_of((0, rank), color);
            for (file, kind) in (0..).zip(home) {
                position.put((file, rank(0)), Some(Piece { color, kind }));
            }
            for (kind, at, files) in [
                (Kind::Cannon, 2, vec![1, 7]),
                (Kind::Pawn, 3, vec![0, 2, 4, 6, 8]),
            ] {
                for file in files {
                    position.put((file, rank(at)), Some(Piece { color, kind }));
                }
            }
        }
        position
    }

    fn moves(&self) -> Vec<(Square, Square)> {
        let own = self
            .pieces()
            .filter(|(_, own)| own.color == self.side_to_move);
        own.flat_map(|(from, piece)| {
            let mut targets = self.attacks(from, piece);
            if matches!(piece.kind, Kind::Rook | Kind::Cannon) {
                for way in STRAIGHT {
                    let free = Xiangqi::line(from, way);
                    targets.extend(free.take_while(|square| self.at(*square).is_none()));
                }
            }
            targets.retain(|to| {
                let other = self.at(*to);
                other.is_none_or(|other| other.color != piece.color && other.kind != Kind::King)
            });
            targets.into_iter().map(move |to| (from, to))
        })
        .collect()
    }

    fn play(&mut self, (from, to): (Square, Square)) {
        self.put(to, self.at(from));
        self.put(from, None);
        self.side_to_move = !self.side_to_move;
    }

    fn is_of_king(&self, (from, _): (Square, Square)) -> bool {
        self.at(from).is_some_and(|piece| piece.kind == Kind::King)
    }

    fn side_to_move(&self) -> Color {
        self.side_to_move
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The start has 44 moves, as every description of the game says.
    #[test]
    fn the_start_has_44_moves() {
        let start = Xiangqi::start();
        assert_eq!(start.moves().len(), 44);
        assert_eq!(start.pieces().count(), 32);
        for (square, piece) in start.pieces() {
            assert!(
                reaches(piece.kind, piece.color, square),
                "{piece:?} {square:?}"
            );
        }
    }

    #[test]
    fn cannons_take_over_one_piece_and_knights_are_blocked() {
        let start = Xiangqi::start();
        let cannon = Piece {
            color: Color::White,
            kind: Kind::Cannon,
        };
        let mut attacked = start.attacks((1, 2), cannon);
        attacked.sort_unstable();
        // Over the other cannon nothing, over the knight's file the knight of the opponent.
        assert_eq!(attacked, [(1, 9)]);
        let knight = Piece {
            color: Color::White,
            kind: Kind::Knight,
        };
        let mut attacked = start.attacks((1, 0), knight);
        attacked.sort_unstable();
        assert_eq!(attacked, [(0, 2), (2, 2)]);
    }
}
