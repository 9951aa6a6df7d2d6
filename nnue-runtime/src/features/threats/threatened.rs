//! The pieces that a weaker piece of the opponent attacks.

use super::directions::{CAPTURES, DIAGONAL, Eight, JUMPS, LINES, STRAIGHT};

/// For the code of a piece, a bit for its colour, one for its role, and one for any piece.
pub(super) const PLACES: [u8; 16] = {
    let mut places = [0; 16];
    let mut piece = 0;
    while piece < 12 {
        let (color, role) = (piece / 6, piece % 6);
        places[1 + piece] = 1 << color | 1 << 7;
        if role < 5 {
            places[1 + piece] |= 1 << (2 + role);
        }
        piece += 1;
    }
    places
};

/// White's pieces and black's that a weaker one of the opponent attacks: pawns attack knights to
/// queens, knights and bishops attack rooks and queens, rooks attack queens. Kings do not count.
/// The squares are those for each bit of [`PLACES`].
#[inline(always)]
pub(super) fn threatened(places: [u64; 8]) -> [u64; 2] {
    let [white, black, ..] = places;
    let by_white = by_weaker(places, white, &CAPTURES[0]);
    let by_black = by_weaker(places, black, &CAPTURES[1]);
    [white & by_black, black & by_white]
}

/// The pieces that weaker ones of a player attack, whoever they belong to.
#[inline(always)]
fn by_weaker(places: [u64; 8], players: u64, captures: &Eight) -> u64 {
    // No pawn stands on the first rank or on the last.
    const RANKS: u64 = 0x00FF_FFFF_FFFF_FF00;
    let [_, _, pawns, knights, bishops, rooks, queens, all] = places;
    let (mut by_pawns, mut by_minors, mut by_rooks) = (0, 0, 0);
    for direction in 0..8 {
        by_pawns |= step(pawns & players & RANKS & captures[direction], direction);
        let sliders = bishops & DIAGONAL[direction] | rooks & STRAIGHT[direction];
        let reached = reached(sliders & players, !all, direction);
        by_minors |= reached & DIAGONAL[direction];
        by_rooks |= reached & STRAIGHT[direction];
        let jumps = (knights & players).rotate_left(JUMPS.distances[direction] as u32);
        by_minors |= jumps & JUMPS.ends[direction];
    }
    by_pawns & (knights | bishops | rooks | queens)
        | by_minors & (rooks | queens)
        | by_rooks & queens
}

/// The squares one step on, without leaving the board.
#[inline(always)]
fn step(squares: u64, direction: usize) -> u64 {
    let next = squares.rotate_left(LINES.step.distances[direction] as u32);
    next & LINES.step.ends[direction]
}

/// The squares that are reached from some squares, through open ones and one step further.
#[inline(always)]
fn reached(squares: u64, open: u64, direction: usize) -> u64 {
    let (mut squares, mut open) = (squares, open & LINES.step.ends[direction]);
    for distances in &LINES.distances {
        let distance = distances[direction] as u32;
        squares |= open & squares.rotate_left(distance);
        open &= open.rotate_left(distance);
    }
    step(squares, direction)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::chess::Square;
    use crate::placement::Placement;
    use crate::simd::scalar;

    fn of(fen: &str) -> [u64; 2] {
        let board: Board = fen.parse().expect("a FEN");
        let placement = Placement::of(&board);
        threatened(scalar::bit_planes(placement.squares().bytes(), &PLACES))
    }

    fn squares<const N: usize>(squares: [Square; N]) -> u64 {
        squares
            .iter()
            .fold(0, |set, square| set | 1 << square.index())
    }

    /// Each attacks the pieces that are stronger than it, and its equals are safe from it.
    #[test]
    fn only_weaker_pieces_threaten() {
        let pawns = of("4k3/8/8/1n1r1p2/2P1P1P1/8/8/4K3 w");
        assert_eq!(pawns, [0, squares([Square::B5, Square::D5])]);
        let minors = of("4k3/8/2b1r3/1q3n2/3N4/4R3/8/4K3 w");
        assert_eq!(
            minors,
            [squares([Square::E3]), squares([Square::B5, Square::E6])]
        );
        let rooks = of("q3k3/8/8/8/R2b3q/8/8/Q3K2r w");
        assert_eq!(rooks, [squares([Square::A1]), squares([Square::A8])]);
        assert_eq!(of("4k3/8/8/3q4/8/8/8/3Q1K2 w"), [0, 0]);
    }

    #[test]
    fn others_stand_in_the_way() {
        assert_eq!(of("q3k3/8/p7/8/R7/8/8/4K3 w"), [0, 0]);
        assert_eq!(of("4k2q/8/8/8/8/8/1B6/4K3 w"), [0, squares([Square::H8])]);
        assert_eq!(of("4k2q/8/8/8/3P4/8/1B6/4K3 w"), [0, 0]);
    }

    /// On the edges nothing is attacked on the other side of the board.
    #[test]
    fn the_board_has_edges() {
        assert_eq!(of("r3k2r/8/8/8/8/P6P/8/4K3 w"), [0, 0]);
        assert_eq!(of("4k3/q7/8/7P/P6q/8/8/4K3 w"), [0, 0]);
        assert_eq!(of("4k3/1q5N/q7/8/8/8/8/4K3 w"), [0, 0]);
        assert_eq!(of("4k3/8/8/8/q7/8/7B/4K3 w"), [0, 0]);
    }

    #[test]
    fn kings_neither_threaten_nor_are_threatened() {
        assert_eq!(of("4k3/3r4/8/8/8/8/3qK3/8 w"), [0, 0]);
        assert_eq!(of("4k3/3P4/8/8/8/8/8/4K3 b"), [0, 0]);
    }
}
