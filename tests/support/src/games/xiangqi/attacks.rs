//! Which squares pieces attack, and which attacks a change of the board can touch.

use std::sync::LazyLock;

use nnue_runtime::Color;

use super::board::{Board, Kind, Piece, SQUARES, Square, Squares, each, just};

/// East, west, north, south: the first of each two leads to larger numbers of squares.
const STRAIGHT: [(isize, isize); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const DIAGONAL: [(isize, isize); 4] = [(1, 1), (-1, 1), (1, -1), (-1, -1)];

/// The rank of a square as a player counts it from its own side.
#[must_use]
pub(super) fn rank_of(square: Square, player: Color) -> usize {
    match player {
        Color::White => square / 9,
        Color::Black => 9 - square / 9,
    }
}

/// Where a piece may stand.
#[must_use]
pub(super) fn home(piece: Piece) -> Squares {
    let may_stand = |square: &Square| {
        let (file, rank) = (square % 9, rank_of(*square, piece.color));
        let in_palace = (3..=5).contains(&file) && rank <= 2;
        match piece.kind {
            Kind::Rook | Kind::Cannon | Kind::Knight => true,
            Kind::Pawn => rank >= 5 || rank >= 3 && file % 2 == 0,
            Kind::Advisor => in_palace && (file + rank) % 2 == 1,
            Kind::Bishop => match rank {
                0 | 4 => file == 2 || file == 6,
                2 => file % 4 == 0,
                _ => false,
            },
            Kind::King => in_palace,
        }
    };
    (0..SQUARES)
        .filter(may_stand)
        .fold(0, |all, square| all | just(square))
}

/// The square some files and ranks further, if it is on the board.
fn step(from: Square, (files, ranks): (isize, isize)) -> Option<Square> {
    let (file, rank) = (
        (from % 9).checked_add_signed(files)?,
        (from / 9).checked_add_signed(ranks)?,
    );
    (file < 9 && rank < 10).then_some(9 * rank + file)
}

/// The squares of these steps that are on the board.
fn steps(from: Square, ways: &[(isize, isize)]) -> Squares {
    let on_board = ways.iter().filter_map(|way| step(from, *way));
    on_board.fold(0, |all, square| all | just(square))
}

/// A square that must be free, and the squares that a piece attacks over it.
type Hop = (Squares, Squares);

/// The squares that a piece attacks over squares that are free.
fn over(hops: &[Hop; 4], occupied: Squares) -> Squares {
    let free = hops.iter().filter(|hop| hop.0 & occupied == 0);
    free.fold(0, |all, hop| all | hop.1)
}

/// What follows from the rules of the game alone.
pub struct Tables {
    /// The squares from here on in each of the straight directions.
    rays: [[Squares; SQUARES]; 4],
    knight: [[Hop; 4]; SQUARES],
    bishop: [[Hop; 4]; SQUARES],
    /// The squares that a piece attacks from a square on some board.
    reach: [[Squares; SQUARES]; Piece::COUNT],
    /// The squares from which a piece attacks others when something changes on a square.
    touched_by: [[Squares; SQUARES]; Piece::COUNT],
}

/// The tables.
pub static TABLES: LazyLock<Tables> = LazyLock::new(Tables::new);

impl Tables {
    fn new() -> Tables {
        let mut tables = Tables {
            rays: [[0; SQUARES]; 4],
            knight: [[(0, 0); 4]; SQUARES],
            bishop: [[(0, 0); 4]; SQUARES],
            reach: [[0; SQUARES]; Piece::COUNT],
            touched_by: [[0; SQUARES]; Piece::COUNT],
        };
        for from in 0..SQUARES {
            for (way, (files, ranks)) in STRAIGHT.into_iter().enumerate() {
                let line = (1..10).map(|n| (n * files, n * ranks));
                tables.rays[way][from] = steps(from, &line.collect::<Vec<_>>());
                let ends = match files {
                    0 => [(1, 2 * ranks), (-1, 2 * ranks)],
                    _ => [(2 * files, 1), (2 * files, -1)],
                };
                tables.knight[from][way] = (steps(from, &[(files, ranks)]), steps(from, &ends));
            }
            for (way, (files, ranks)) in DIAGONAL.into_iter().enumerate() {
                let ends = [(2 * files, 2 * ranks)];
                tables.bishop[from][way] = (steps(from, &[(files, ranks)]), steps(from, &ends));
            }
        }
        for piece in Piece::all() {
            let home = home(piece);
            for from in each(home) {
                let lines = tables.rays.iter().fold(0, |all, rays| all | rays[from]);
                let hops = match piece.kind {
                    Kind::Knight => tables.knight[from],
                    Kind::Bishop => tables.bishop[from],
                    _ => [(0, 0); 4],
                };
                let reach = home
                    & match piece.kind {
                        Kind::Rook => lines,
                        Kind::Cannon => lines & !steps(from, &STRAIGHT),
                        Kind::Knight | Kind::Bishop => hops.iter().fold(0, |all, hop| all | hop.1),
                        Kind::Advisor => steps(from, &DIAGONAL),
                        Kind::King => steps(from, &STRAIGHT),
                        Kind::Pawn => {
                            let ahead = if piece.color == Color::White { 1 } else { -1 };
                            let crossed = rank_of(from, piece.color) >= 5;
                            let ways = [(0, ahead), (1, 0), (-1, 0)];
                            steps(from, &ways[..if crossed { 3 } else { 1 }])
                        }
                    };
                tables.reach[piece.number()][from] = reach;
                let between = match piece.kind {
                    Kind::Cannon => lines,
                    _ => hops.iter().fold(0, |all, hop| all | hop.0),
                };
                for square in each(reach | between) {
                    tables.touched_by[piece.number()][square] |= just(from);
                }
            }
        }
        tables
    }

    /// The squares that a piece attacks from a square on some board.
    #[must_use]
    pub fn reach(&self, piece: Piece, from: Square) -> Squares {
        self.reach[piece.number()][from]
    }

    /// Where pieces of either player stand that the piece on a square attacks; nowhere if the
    /// square is free.
    #[must_use]
    pub fn attacked(&self, board: &Board, from: Square) -> Squares {
        let Some(piece) = board.on(from) else {
            return 0;
        };
        let (reach, occupied) = (self.reach(piece, from), board.occupied());
        match piece.kind {
            Kind::Rook => self
                .lines(from, occupied)
                .fold(0, |all, [first, _]| all | first),
            Kind::Cannon => self
                .lines(from, occupied)
                .fold(0, |all, [_, second]| all | second),
            Kind::Knight => over(&self.knight[from], occupied) & reach & occupied,
            Kind::Bishop => over(&self.bishop[from], occupied) & reach & occupied,
            Kind::Advisor | Kind::King | Kind::Pawn => reach & occupied,
        }
    }

    /// The free squares to which the piece on a square moves.
    #[must_use]
    pub fn free(&self, board: &Board, from: Square) -> Squares {
        let Some(piece) = board.on(from) else {
            return 0;
        };
        let (reach, occupied) = (self.reach(piece, from), board.occupied());
        let to = match piece.kind {
            Kind::Rook | Kind::Cannon => {
                let firsts = self.lines(from, occupied).map(|[first, _]| first);
                let lines = self.rays.iter().zip(firsts);
                lines.fold(0, |all, (rays, first)| {
                    let behind = each(first).map(|square| rays[square]);
                    all | rays[from] & !behind.fold(0, |all, squares| all | squares)
                })
            }
            Kind::Knight => over(&self.knight[from], occupied) & reach,
            Kind::Bishop => over(&self.bishop[from], occupied) & reach,
            Kind::Advisor | Kind::King | Kind::Pawn => reach,
        };
        to & !occupied
    }

    /// On each of the straight lines from a square, the nearest piece and the one behind it.
    fn lines(&self, from: Square, occupied: Squares) -> impl Iterator<Item = [Squares; 2]> {
        self.rays.iter().enumerate().map(move |(way, rays)| {
            let nearest = |pieces: Squares| match pieces {
                0 => 0,
                _ if way % 2 == 0 => pieces & pieces.wrapping_neg(),
                _ => just(pieces.ilog2() as Square),
            };
            let pieces = rays[from] & occupied;
            let first = nearest(pieces);
            [first, nearest(pieces & !first)]
        })
    }

    /// Where the pieces stand whose attacks depend on what stands on these squares.
    #[must_use]
    pub fn touched(&self, board: &Board, changed: Squares) -> Squares {
        let mut touched = 0;
        for piece in Piece::all() {
            let by = each(changed).fold(0, |all, square| {
                all | self.touched_by[piece.number()][square]
            });
            touched |= by & board.places(piece.color, piece.kind);
        }
        touched
    }
}
