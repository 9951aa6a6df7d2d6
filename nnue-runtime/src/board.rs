//! A board for programs that have none of their own, such as tools and tests.

pub(crate) mod error;

use core::fmt;
use core::hash::{Hash, Hasher};
use core::str::FromStr;

use crate::chess::{Bitboard, Color, Piece, Role, Square};
use crate::delta::Delta;
use crate::fen::{self, FenError};
use crate::level::Level;
use crate::placement::Placement;
use crate::position::{Position, PositionWithClock};

pub use self::error::BoardError;

/// The pieces with their squares, the side to move, and the half-move clock.
///
/// A network sees no more than that, so a board has no castling rights and no history. Boards that
/// differ in nothing but the clock are equal: most networks do not see it, and `{}` leaves it out.
/// A board does not know the rules of chess: it neither generates moves nor checks that they are
/// legal. A square holds at most one piece. A board that was read from FEN has one king of each
/// colour. [`apply`](Board::apply) and [`without`](Board::without) may take a king away;
/// evaluations of such a board mean nothing.
///
/// ```
/// use nnue_runtime::{Board, Color, Delta, Piece, Role, Square};
///
/// let mut board = Board::start();
/// let pawn = Piece::new(Color::White, Role::Pawn);
/// board.apply(&Delta::quiet(pawn, Square::E2, Square::E4))?;
/// assert_eq!(board.piece_at(Square::E4), Some(pawn));
/// assert_eq!(board.to_string(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b");
/// # Ok::<(), nnue_runtime::BoardError>(())
/// ```
#[derive(Clone)]
pub struct Board {
    /// The piece on each square. It always agrees with `bitboards`.
    squares: [Option<Piece>; 64],
    /// The squares of each piece.
    bitboards: [Bitboard; 12],
    side_to_move: Color,
    halfmove_clock: u8,
}

impl Board {
    /// The position that a game begins with.
    pub fn start() -> Board {
        const FIRST_RANK: [Role; 8] = [
            Role::Rook,
            Role::Knight,
            Role::Bishop,
            Role::Queen,
            Role::King,
            Role::Bishop,
            Role::Knight,
            Role::Rook,
        ];
        let mut squares = [None; 64];
        for (file, role) in FIRST_RANK.into_iter().enumerate() {
            squares[file] = Some(Piece::new(Color::White, role));
            squares[8 + file] = Some(Piece::new(Color::White, Role::Pawn));
            squares[48 + file] = Some(Piece::new(Color::Black, Role::Pawn));
            squares[56 + file] = Some(Piece::new(Color::Black, role));
        }
        Board::from_squares(squares, Color::White, 0)
    }

    /// Reads a position in Forsyth-Edwards notation: two to six fields. Keeps the placement, the
    /// side to move and the half-move clock, which is 0 where the field is missing.
    ///
    /// Castling rights may be written as in FEN, Shredder-FEN or X-FEN. Positions that no game
    /// reaches are accepted as long as each player has one king, and no pawn stands on the first
    /// or last rank.
    ///
    /// # Errors
    ///
    /// [`FenError`] if a field has a text that FEN does not allow there. It names the place, the
    /// text and the allowed texts.
    pub fn from_fen(fen: &str) -> Result<Board, FenError> {
        let (squares, side_to_move, halfmove_clock) = fen::parse(fen)?;
        Ok(Board::from_squares(squares, side_to_move, halfmove_clock))
    }

    /// The board with the same pieces on the same squares as `position`, the same side to move and
    /// the same half-move clock.
    ///
    /// # Errors
    ///
    /// [`BoardError`] if `position` has two pieces on one square.
    pub fn of(position: &(impl Position + ?Sized)) -> Result<Board, BoardError> {
        let mut squares = [None; 64];
        for piece in Piece::ALL {
            for square in position.pieces(piece) {
                if let Some(found) = squares[square.index()].replace(piece) {
                    return Err(BoardError::Occupied {
                        piece,
                        square,
                        found,
                    });
                }
            }
        }
        let clock = position.halfmove_clock();
        Ok(Board::from_squares(squares, position.side_to_move(), clock))
    }

    /// The piece on that square.
    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        self.squares[square.index()]
    }

    /// Makes a move: removes and adds the delta's pieces, and gives the turn to the other player.
    /// [`Delta::null`] does only the latter. The half-move clock is 0 after captures and moves of
    /// pawns, and else goes on by one. After a change that is not a move, correct the side to move
    /// by [`set_side_to_move`](Board::set_side_to_move), and the clock by
    /// [`set_halfmove_clock`](Board::set_halfmove_clock).
    ///
    /// # Errors
    ///
    /// [`BoardError`] if a piece to remove is not there, or a square to add to is occupied. The
    /// board is then left as it was.
    pub fn apply(&mut self, delta: &Delta) -> Result<(), BoardError> {
        Placement::of(Level::BASELINE, self).check(delta)?;
        for (_, square) in delta.removed() {
            self.take(square);
        }
        for (piece, square) in delta.added() {
            self.put(piece, square);
        }
        self.side_to_move = !self.side_to_move;
        self.halfmove_clock = delta.clock_after(self.halfmove_clock);
        Ok(())
    }

    /// The same board with that square empty. Tools use it to ask what a piece is worth.
    #[must_use = "this returns a new board and leaves the old one as it was"]
    pub fn without(&self, square: Square) -> Board {
        let mut board = self.clone();
        board.take(square);
        board
    }

    /// Gives the turn to that player.
    #[inline]
    pub fn set_side_to_move(&mut self, color: Color) {
        self.side_to_move = color;
    }

    /// Says how many half moves were made since the last capture or move of a pawn.
    #[inline]
    pub fn set_halfmove_clock(&mut self, clock: u8) {
        self.halfmove_clock = clock;
    }

    /// The board with these pieces.
    pub(crate) fn from_squares(
        squares: [Option<Piece>; 64],
        side_to_move: Color,
        halfmove_clock: u8,
    ) -> Board {
        let mut bitboards = [Bitboard::EMPTY; 12];
        for (piece, square) in squares.into_iter().zip(Square::ALL) {
            if let Some(piece) = piece {
                bitboards[piece.index()].insert(square);
            }
        }
        Board {
            squares,
            bitboards,
            side_to_move,
            halfmove_clock,
        }
    }

    /// Puts a piece on an empty square.
    fn put(&mut self, piece: Piece, square: Square) {
        self.squares[square.index()] = Some(piece);
        self.bitboards[piece.index()].insert(square);
    }

    /// Empties a square, and returns its piece.
    fn take(&mut self, square: Square) -> Option<Piece> {
        let piece = self.squares[square.index()].take()?;
        self.bitboards[piece.index()].remove(square);
        Some(piece)
    }
}

impl Position for Board {
    #[inline]
    fn side_to_move(&self) -> Color {
        self.side_to_move
    }

    #[inline]
    fn pieces(&self, piece: Piece) -> Bitboard {
        self.bitboards[piece.index()]
    }

    #[inline]
    fn halfmove_clock(&self) -> u8 {
        self.halfmove_clock
    }
}

impl PositionWithClock for Board {}

impl PartialEq for Board {
    fn eq(&self, other: &Board) -> bool {
        (&self.squares, self.side_to_move) == (&other.squares, other.side_to_move)
    }
}

impl Eq for Board {}

impl Hash for Board {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.squares, self.side_to_move).hash(state);
    }
}

impl FromStr for Board {
    type Err = FenError;

    /// Reads the text of [`Board::from_fen`].
    fn from_str(fen: &str) -> Result<Board, FenError> {
        Board::from_fen(fen)
    }
}

impl fmt::Display for Board {
    /// Writes the first two fields of FEN: placement and side to move.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fen::write(f, &self.squares, self.side_to_move)
    }
}

impl fmt::Debug for Board {
    /// Writes the FEN, as `Display` does: lists of 64 squares would make failed tests unreadable.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board({self})")
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::ToString;

    use super::*;

    const PAWN: Piece = Piece::new(Color::White, Role::Pawn);
    const ROOK: Piece = Piece::new(Color::White, Role::Rook);
    const BLACK_PAWN: Piece = Piece::new(Color::Black, Role::Pawn);

    fn board(fen: &str) -> Board {
        fen.parse().unwrap()
    }

    /// Asserts that squares and bitboards of the board tell the same.
    #[track_caller]
    fn assert_consistent(board: &Board) {
        assert_eq!(
            *board,
            Board::from_squares(board.squares, board.side_to_move, 0)
        );
    }

    #[test]
    fn the_start_is_that_of_fen() {
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w";
        assert_eq!(Board::start(), board(&format!("{fen} KQkq - 0 1")));
        assert_eq!(Board::start().to_string(), fen);
        assert_eq!(format!("{:?}", Board::start()), format!("Board({fen})"));
    }

    #[test]
    fn it_is_a_position() {
        let board = board("4k3/8/8/8/1p6/8/PP6/R3K3 b - - 0 1");
        assert_eq!(board.side_to_move(), Color::Black);
        assert_eq!(
            board.pieces(PAWN),
            Bitboard::from(Square::A2) | Square::B2.into()
        );
        assert_eq!(board.king(Color::White), Square::E1);
        assert_eq!(board.king(Color::Black), Square::E8);
        assert_eq!(board.occupied().len(), 6);
        assert_eq!(board.piece_at(Square::B4), Some(BLACK_PAWN));
        assert_eq!(board.piece_at(Square::B3), None);
    }

    #[test]
    fn apply_makes_moves_and_passes_the_turn() {
        let mut game = board("r3k3/1P6/8/8/8/8/8/4K3 w");
        let rook = Piece::from_char('r');
        let promotion = Delta::promotion(Color::White, Square::B7, Square::A8, Role::Queen, rook);
        assert_eq!(game.apply(&promotion), Ok(()));
        assert_eq!(game, board("Q3k3/8/8/8/8/8/8/4K3 b"));
        assert_consistent(&game);
        assert_eq!(game.apply(&Delta::null()), Ok(()));
        assert_eq!(game, board("Q3k3/8/8/8/8/8/8/4K3 w"));
    }

    #[test]
    fn apply_leaves_the_board_alone_when_it_fails() {
        let fen = "4k3/8/8/8/8/8/PP6/R3K3 w";
        for (delta, error, message) in [
            (
                Delta::quiet(ROOK, Square::H1, Square::H2),
                BoardError::Missing {
                    piece: ROOK,
                    square: Square::H1,
                    found: None,
                },
                "found no piece on h1, expected `R` to remove",
            ),
            (
                Delta::capture(PAWN, Square::A2, Square::B3, BLACK_PAWN, Square::B2),
                BoardError::Missing {
                    piece: BLACK_PAWN,
                    square: Square::B2,
                    found: Some(PAWN),
                },
                "found `P` on b2, expected `p` to remove",
            ),
            (
                Delta::quiet(ROOK, Square::A1, Square::A2),
                BoardError::Occupied {
                    piece: ROOK,
                    square: Square::A2,
                    found: PAWN,
                },
                "found `P` on a2, expected an empty square for `R`",
            ),
        ] {
            let mut board = board(fen);
            assert_eq!(board.apply(&delta).as_ref(), Err(&error));
            assert_eq!(error.to_string(), message);
            assert_eq!(board.to_string(), fen);
            assert_consistent(&board);
        }
    }

    #[test]
    fn without_empties_a_square() {
        let board = Board::start();
        let odds = board.without(Square::D8);
        assert_eq!(
            odds.to_string(),
            "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w"
        );
        assert_consistent(&odds);
        assert_eq!(board.without(Square::E4), board);
    }

    #[test]
    fn the_turn_can_be_given() {
        let mut board = Board::start();
        board.set_side_to_move(Color::Black);
        assert_eq!(board.side_to_move(), Color::Black);
        assert_ne!(board, Board::start());
    }

    #[test]
    fn the_clock_counts_moves_since_captures_and_moves_of_pawns() {
        let mut game = board("r3k3/1P6/8/8/8/8/8/R3K3 w - - 98 120");
        let clock = |game: &mut Board, delta: Delta| {
            game.apply(&delta).unwrap();
            game.halfmove_clock()
        };
        let king = Piece::new(Color::Black, Role::King);
        let castling =
            Delta::castling(Color::White, Square::E1, Square::C1, Square::A1, Square::D1);
        assert_eq!(clock(&mut game, castling), 99);
        assert_eq!(
            clock(&mut game, Delta::quiet(king, Square::E8, Square::E7)),
            100
        );
        assert_eq!(clock(&mut game, Delta::null()), 101);
        let rook = Piece::from_char('r');
        let promotion = Delta::promotion(Color::White, Square::B7, Square::B8, Role::Rook, None);
        assert_eq!(clock(&mut game.clone(), promotion), 0);
        let capture = Delta::capture(king, Square::E7, Square::A8, rook.unwrap(), Square::A8);
        assert_eq!(clock(&mut game, capture), 0);
        game.set_halfmove_clock(255);
        assert_eq!(clock(&mut game, Delta::null()), 255);
        assert_eq!(Board::of(&game).unwrap().halfmove_clock(), 255);
    }

    /// White pawns on these squares, white rooks on those.
    struct PawnsAndRooks(Bitboard, Bitboard);

    impl Position for PawnsAndRooks {
        fn side_to_move(&self) -> Color {
            Color::Black
        }

        fn pieces(&self, piece: Piece) -> Bitboard {
            match piece {
                PAWN => self.0,
                ROOK => self.1,
                _ => Bitboard::EMPTY,
            }
        }
    }

    #[test]
    fn boards_are_made_of_other_positions() {
        assert_eq!(Board::of(&Board::start()), Ok(Board::start()));
        let position = PawnsAndRooks(Square::A2.into(), Square::C1.into());
        let board = Board::of(&position).unwrap();
        assert_eq!(board.to_string(), "8/8/8/8/8/8/P7/2R5 b");
        assert_consistent(&board);
    }

    #[test]
    fn broken_positions_are_no_boards() {
        let overlap = PawnsAndRooks(Square::A2.into(), Square::A2.into());
        assert_eq!(
            Board::of(&overlap),
            Err(BoardError::Occupied {
                piece: ROOK,
                square: Square::A2,
                found: PAWN,
            })
        );
        let full = PawnsAndRooks(Bitboard::EMPTY, !Bitboard::EMPTY);
        assert_eq!(Board::of(&full).unwrap().occupied().len(), 64);
    }
}
