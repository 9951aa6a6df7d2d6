//! The pieces that a weaker piece of the opponent attacks.

use super::changes::{JUMP_ENDS, JUMPS, LINE_ENDS, LINES, Pieces};

/// The first of the directions in which white's pawns capture, and in which black's do; the other
/// one follows it.
const CAPTURES: [usize; 2] = [2, 6];

const STRAIGHT: [usize; 4] = [0, 1, 4, 5];
const DIAGONAL: [usize; 4] = [2, 3, 6, 7];

/// White's pieces and black's that a weaker one of the opponent attacks: pawns attack knights to
/// queens, knights and bishops attack rooks and queens, rooks attack queens. Kings do not count.
#[inline(always)]
pub(super) fn threatened(pieces: &Pieces) -> [u64; 2] {
    let [white, black] = pieces.colors();
    let by_white = by_weaker(pieces, white, CAPTURES[0]);
    let by_black = by_weaker(pieces, black, CAPTURES[1]);
    [white & by_black, black & by_white]
}

/// The pieces that weaker ones of a player attack, whoever they belong to.
#[inline(always)]
fn by_weaker(pieces: &Pieces, players: u64, captures: usize) -> u64 {
    let [knights, bishops, rooks, queens] = pieces.knights_to_queens();
    let open = !pieces.occupied;
    let pawns = (pieces.pawns[0] | pieces.pawns[1]) & players;
    let by_pawns = step(pawns, captures) | step(pawns, captures + 1);
    let (mut by_minors, mut by_rooks) = (0, 0);
    for jump in 0..8 {
        by_minors |= (knights & players).rotate_left(JUMPS[jump] as u32) & JUMP_ENDS[jump];
    }
    for direction in DIAGONAL {
        by_minors |= reached(bishops & players, open, direction);
    }
    for direction in STRAIGHT {
        by_rooks |= reached(rooks & players, open, direction);
    }
    by_pawns & (knights | bishops | rooks | queens)
        | by_minors & (rooks | queens)
        | by_rooks & queens
}

/// The squares one step on, without leaving the board.
#[inline(always)]
fn step(squares: u64, direction: usize) -> u64 {
    squares.rotate_left(LINES[direction] as u32) & LINE_ENDS[direction]
}

/// The squares that are reached from some squares, through open ones and one step further.
#[inline(always)]
fn reached(squares: u64, open: u64, direction: usize) -> u64 {
    let (mut squares, mut open) = (squares, open & LINE_ENDS[direction]);
    for steps in [1, 2, 4] {
        let distance = steps * LINES[direction] as u32 % 64;
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
        threatened(&Pieces::of(scalar::bit_planes(placement.squares().bytes())))
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
