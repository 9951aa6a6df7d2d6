//! The pieces that a weaker piece of the opponent attacks: pawns attack knights to queens, knights
//! and bishops attack rooks and queens, rooks attack queens. Kings do not count.

/// For the code of a piece, three bits: that of its colour, white or black, that of its role, pawn
/// to queen, and that of any piece.
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

#[cfg(test)]
mod tests {
    use super::super::changes::BoardChanges;
    use super::super::levels;
    use crate::board::Board;
    use crate::chess::Square;
    use crate::level::Level;
    use crate::placement::{PieceCodes, Placement};

    /// White's threatened pieces and black's, the same on every level.
    fn of(fen: &str) -> [u64; 2] {
        let board: Board = fen.parse().expect("a FEN");
        let placement = Placement::of(Level::detect(), &board);
        let placements = [&PieceCodes::EMPTY, placement.squares()];
        let mut found = Level::available().map(|level| {
            let mut changes = BoardChanges::NONE;
            levels::find_threatened(level, placements, &mut changes);
            let [before, after] = changes.threatened;
            assert_eq!(before, [0, 0], "of an empty board, at {level}");
            after
        });
        let first = found.next().expect("a level that runs everywhere");
        assert!(found.all(|other| other == first), "{fen}");
        first
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
