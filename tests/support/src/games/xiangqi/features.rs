//! The features of a network of Pikafish's shape.
//!
//! Known are the numbers: 6 squares of the own king, the board mirrored, times 4 kinds of attacking
//! pieces times 689 = 16,536 rows for pieces, and 45,547 rows for threats; 16 stacks follow from
//! the attacking pieces of both players. Our own are:
//!
//! * the order of the 689 rows, the squares that each kind of pieces can reach;
//! * the 4 kinds of attacking pieces: whether a player has rooks, and whether it has cannons or
//!   knights;
//! * mirroring where both kings stand on the middle file, which Pikafish decides by the pieces on
//!   both wings: here the board stays as it is;
//! * which threats there are. Kings neither threaten nor are threatened, and cannons threaten no
//!   cannons, advisors and bishops: that makes 45,470 rows, and the last 77 are never active.

use std::sync::OnceLock;

use nnue_runtime::Color;

use super::board::{Kind, Piece, Square, Xiangqi, reaches};
use crate::games::Active;

/// The rows of pieces.
pub const PIECE_ROWS: u32 = 6 * 4 * OF_A_BUCKET;
/// The rows of threats, which come first.
pub const THREAT_ROWS: u32 = 45_547;

/// The rows of a bucket: for every piece, the squares that it can reach.
const OF_A_BUCKET: u32 = 689;

/// How a player sees the board: from its own side, and mirrored so that its king is not on the
/// right. If it is in the middle, the opponent's king decides.
#[derive(Clone, Copy)]
struct View {
    color: Color,
    mirrored: bool,
}

impl View {
    fn of(position: &Xiangqi, color: Color) -> View {
        let files = [color, !color].map(|player| position.king(player).0);
        let mirrored = match files {
            [4, opponents] => opponents > 4,
            [own, _] => own > 4,
        };
        View { color, mirrored }
    }

    fn square(self, (file, rank): Square) -> Square {
        let file = if self.mirrored { 8 - file } else { file };
        match self.color {
            Color::White => (file, rank),
            Color::Black => (file, 9 - rank),
        }
    }

    /// A piece as the player sees it: the own ones are white's.
    fn piece(self, piece: Piece) -> Piece {
        let color = if piece.color == self.color {
            Color::White
        } else {
            Color::Black
        };
        Piece { color, ..piece }
    }
}

fn squares() -> impl Iterator<Item = Square> {
    (0..10).flat_map(|rank| (0..9).map(move |file| (file, rank)))
}

/// Whether a piece, as a player sees it, can stand on a square: the own king is never on the right.
fn stands(piece: Piece, square: Square) -> bool {
    let is_own_king = piece.kind == Kind::King && piece.color == Color::White;
    reaches(piece.kind, piece.color, square) && !(is_own_king && square.0 > 4)
}

/// Numbers from 0 for those of all values that have one.
fn numbers(all: impl Iterator<Item = bool>) -> Vec<Option<u32>> {
    let mut next = 0..;
    all.map(|has_number| if has_number { next.next() } else { None })
        .collect()
}

fn index(piece: Piece) -> usize {
    piece.kind as usize * 2 + piece.color.index()
}

fn all_pieces() -> impl Iterator<Item = Piece> + Clone {
    let kinds = Kind::ALL.into_iter();
    kinds.flat_map(|kind| Color::ALL.map(|color| Piece { color, kind }))
}

fn place((file, rank): Square) -> usize {
    usize::from(rank.unsigned_abs()) * 9 + usize::from(file.unsigned_abs())
}

/// The numbers of pieces on squares.
fn of_pieces() -> &'static [Option<u32>] {
    static NUMBERS: OnceLock<Vec<Option<u32>>> = OnceLock::new();
    NUMBERS.get_or_init(|| {
        let all = all_pieces().flat_map(|piece| squares().map(move |square| (piece, square)));
        numbers(all.map(|(piece, square)| stands(piece, square)))
    })
}

/// Whether a piece on an otherwise suitable board could threaten another, wherever others stand.
fn could_threaten((attacker, from): (Piece, Square), (victim, to): (Piece, Square)) -> bool {
    let (files, ranks) = (from.0.abs_diff(to.0), from.1.abs_diff(to.1));
    let straight = (files == 0) != (ranks == 0);
    let excluded = [attacker, victim]
        .iter()
        .any(|piece| piece.kind == Kind::King)
        || attacker.kind == Kind::Cannon
            && matches!(victim.kind, Kind::Cannon | Kind::Advisor | Kind::Bishop);
    let in_reach = match attacker.kind {
        Kind::Rook => straight,
        Kind::Cannon => straight && files + ranks > 1,
        Kind::Knight => files.min(ranks) == 1 && files.max(ranks) == 2,
        Kind::Advisor => (files, ranks) == (1, 1),
        Kind::Bishop => (files, ranks) == (2, 2),
        Kind::King => false,
        Kind::Pawn => {
            let (ahead, river) = match attacker.color {
                Color::White => (to.1 - from.1, from.1 >= 5),
                Color::Black => (from.1 - to.1, from.1 <= 4),
            };
            (files, ahead) == (0, 1) || river && (files, ahead) == (1, 0)
        }
    };
    !excluded
        && in_reach
        && stands(attacker, from)
        && stands(victim, to)
        && reaches(attacker.kind, attacker.color, to)
}

fn threat_index((attacker, from): (Piece, Square), (victim, to): (Piece, Square)) -> usize {
    ((index(attacker) * 90 + place(from)) * 14 + index(victim)) * 90 + place(to)
}

/// The numbers of threats.
fn of_threats() -> &'static [Option<u32>] {
    static NUMBERS: OnceLock<Vec<Option<u32>>> = OnceLock::new();
    NUMBERS.get_or_init(|| {
        let placed = all_pieces().flat_map(|piece| squares().map(move |square| (piece, square)));
        let placed: Vec<_> = placed.collect();
        let pairs = placed.iter();
        let pairs = pairs.flat_map(|attacker| placed.iter().map(|victim| (*attacker, *victim)));
        numbers(pairs.map(|(attacker, victim)| could_threaten(attacker, victim)))
    })
}

/// Which attacking pieces a player has: 2 for rooks, 1 for cannons or knights.
fn attacking(position: &Xiangqi, color: Color) -> u32 {
    let has = |kinds: &[Kind]| {
        let mut pieces = position.pieces();
        u32::from(pieces.any(|(_, own)| own.color == color && kinds.contains(&own.kind)))
    };
    2 * has(&[Kind::Rook]) + has(&[Kind::Cannon, Kind::Knight])
}

/// The stack of a position: the attacking pieces of the player to move, then the opponent's.
#[must_use]
pub fn stack(position: &Xiangqi, side_to_move: Color) -> usize {
    let [own, opponents] = [side_to_move, !side_to_move].map(|color| attacking(position, color));
    (4 * own + opponents) as usize
}

/// The active features: threats from 0, and pieces from [`THREAT_ROWS`] on.
#[must_use]
pub fn features(position: &Xiangqi) -> Active {
    Color::ALL.map(|color| {
        let view = View::of(position, color);
        let (king_file, king_rank) = view.square(position.king(color));
        let king =
            2 * u32::from(king_rank.unsigned_abs()) + u32::from(king_file.unsigned_abs()) - 3;
        let bucket = 4 * king + attacking(position, color);
        let mut active = Vec::new();
        for (from, piece) in position.pieces() {
            let seen = (view.piece(piece), view.square(from));
            let number = of_pieces()[index(seen.0) * 90 + place(seen.1)];
            let number = number.expect("pieces stand where they can");
            active.push(THREAT_ROWS + bucket * OF_A_BUCKET + number);
            for to in position.attacks(from, piece) {
                let Some(victim) = position.at(to) else {
                    continue;
                };
                let victim = (view.piece(victim), view.square(to));
                active.extend(of_threats()[threat_index(seen, victim)]);
            }
        }
        active
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{Game, missing};

    #[test]
    fn there_are_as_many_rows_as_the_engine_has() {
        let count = |numbers: &[Option<u32>]| numbers.iter().flatten().count();
        assert_eq!(count(of_pieces()), OF_A_BUCKET as usize);
        assert_eq!(PIECE_ROWS, 16_536);
        assert_eq!(count(of_threats()), 45_470);
        assert_eq!(PIECE_ROWS + THREAT_ROWS, 62_083);
    }

    #[test]
    fn the_start_looks_the_same_to_both() {
        let [red, black] = features(&Xiangqi::start());
        assert_eq!(missing(&red, &black), [0u32; 0], "{red:?} {black:?}");
        let pieces = red.iter().filter(|feature| **feature >= THREAT_ROWS);
        assert_eq!(pieces.count(), 32);
        assert_eq!(stack(&Xiangqi::start(), Color::White), 15);
    }

    /// Red's rook takes all rooks, knights and cannons of the opponent.
    #[test]
    fn the_stack_has_the_pieces_of_the_side_to_move_first() {
        let mut position = Xiangqi::start();
        for chosen in [
            ((0, 0), (0, 9)),
            ((0, 9), (1, 9)),
            ((1, 9), (1, 7)),
            ((1, 7), (7, 7)),
            ((7, 7), (7, 9)),
            ((7, 9), (8, 9)),
        ] {
            position.play(chosen);
        }
        assert_eq!(stack(&position, Color::White), 3 * 4);
        assert_eq!(stack(&position, Color::Black), 3);
    }

    /// A position and its mirror image are the same features where a king is not in the middle.
    #[test]
    fn mirrored_positions_have_the_same_features() {
        let mut left = Xiangqi::start();
        let mut right = Xiangqi::start();
        for (from, to) in [
            ((4, 0), (4, 1)),
            ((4, 9), (4, 8)),
            ((4, 1), (3, 1)),
            ((4, 8), (3, 8)),
            ((1, 2), (1, 9)),
        ] {
            let mirror = |(file, rank): Square| (8 - file, rank);
            left.play((from, to));
            right.play((mirror(from), mirror(to)));
        }
        for (left, right) in features(&left).iter().zip(&features(&right)) {
            assert_eq!(missing(left, right), [0u32; 0]);
            assert_eq!(left.len(), right.len());
        }
    }
}
