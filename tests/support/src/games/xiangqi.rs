//! Xiangqi: a board, and the features of Pikafish's network of July 2026, which a second program
//! found from the engine's own rows.
//!
//! The files of the folder can be taken whole. An engine with a board of its own replaces
//! [`Board`], by its own pieces and squares.

mod attacks;
mod board;
mod features;
mod rows;

pub use attacks::TABLES;
pub use board::{Board, Kind, Piece, SQUARES, Square, Squares, each};
pub use features::{Changes, View, seen, stack};
pub use rows::{OF_A_BUCKET, PIECE_ROWS, ROWS, THREAT_ROWS, Threat};

use nnue_runtime::Color;

use super::Game;

impl Game for Board {
    type Move = (Square, Square);

    fn start() -> Board {
        let fen = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";
        Board::from_fen(fen).expect("the start")
    }

    fn moves(&self) -> Vec<(Square, Square)> {
        let [own, other] = [self.side_to_move(), !self.side_to_move()];
        let taken = self.places_of(other) & !self.places(other, Kind::King);
        let own = each(self.places_of(own));
        own.flat_map(|from| {
            let to = TABLES.attacked(self, from) & taken | TABLES.free(self, from);
            each(to).map(move |to| (from, to))
        })
        .collect()
    }

    fn play(&mut self, (from, to): (Square, Square)) {
        Board::play(self, from, to);
    }

    fn is_of_king(&self, (from, _): (Square, Square)) -> bool {
        self.on(from).is_some_and(|piece| piece.kind == Kind::King)
    }

    fn side_to_move(&self) -> Color {
        Board::side_to_move(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As every description of the game says.
    #[test]
    fn the_start_has_44_moves() {
        let mut board = Board::start();
        assert_eq!(board.moves().len(), 44);
        // A cannon takes a knight, and a rook the cannon.
        board.play(19, 82);
        assert!(board.moves().contains(&(81, 82)));
    }

    #[test]
    fn what_is_no_position_has_no_board() {
        for wrong in [
            "9/9/9/9/9/9/9/9/9/9",
            "9/9/9/9/9/9/9/9/9 w",
            "9/9/9/9/9/9/9/9/9/10 w",
            "9/9/9/9/9/9/9/9/9/8KK w",
            "9/9/9/9/9/9/9/9/9/8x w",
        ] {
            assert_eq!(Board::from_fen(wrong), None, "{wrong}");
        }
    }
}
