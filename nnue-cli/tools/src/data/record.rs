//! A position with its score and its result, in few bytes, because millions of records wait to be
//! shuffled.

use std::fmt;

use cozy_chess::Move;
use nnue_runtime::{Bitboard, Board, Color, Piece, Position, Role};

use crate::fen::Rest;

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameResult {
    /// White won.
    White,
    /// The game was drawn.
    Draw,
    /// Black won.
    Black,
}

impl GameResult {
    /// The points of a player: 1 for a win of that player, 0.5 for a draw, 0 for a loss.
    #[must_use]
    pub fn points(self, player: Color) -> f32 {
        match (self, player) {
            (GameResult::Draw, _) => 0.5,
            (GameResult::White, Color::White) | (GameResult::Black, Color::Black) => 1.0,
            _ => 0.0,
        }
    }
}

/// A position, and its values in a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record {
    /// The squares with pieces.
    pub(crate) occupied: u64,
    /// The pieces on the occupied squares from a1 to h8, by [`Piece::index`]. A byte has two of
    /// them, the first in its lower half.
    pub(crate) pieces: [u8; 16],
    pub(crate) side_to_move: Color,
    /// The fields of FEN after the side to move.
    pub rest: Rest,
    /// The score in centipawns from the side to move's view, if the file has it.
    pub score: Option<f32>,
    /// How the game ended, if the file has it.
    pub result: Option<GameResult>,
    /// Whether the move that was played captures a piece or promotes a pawn, if the file has it.
    pub tactical: Option<bool>,
    /// The move that was played, if the file has it. Castling is the king's move to its own rook.
    pub(crate) played: Option<Move>,
}

impl Record {
    /// A record of a position about which nothing else is known. If there are more than 32 pieces,
    /// for which records have no room, the last pieces are left out.
    #[must_use]
    pub fn new(position: &impl Position) -> Record {
        let mut squares = [0; 64];
        for (code, piece) in (0..).zip(Piece::ALL) {
            for square in position.pieces(piece) {
                squares[square.index()] = code;
            }
        }
        let (mut occupied, mut pieces) = (0, [0; 16]);
        for (index, square) in position.occupied().into_iter().take(32).enumerate() {
            pieces[index / 2] |= squares[square.index()] << (4 * (index % 2));
            occupied |= Bitboard::from(square).0;
        }
        Record {
            occupied,
            pieces,
            side_to_move: position.side_to_move(),
            rest: Rest::default(),
            score: None,
            result: None,
            tactical: None,
            played: None,
        }
    }

    /// The position of the record.
    #[must_use]
    pub fn position(&self) -> Unpacked {
        let mut bitboards = [Bitboard::EMPTY; 12];
        for (index, square) in Bitboard(self.occupied).into_iter().enumerate() {
            let code = self.pieces[index / 2] >> (4 * (index % 2)) & 0xF;
            bitboards[usize::from(code)].insert(square);
        }
        Unpacked {
            bitboards,
            occupied: Bitboard(self.occupied),
            side_to_move: self.side_to_move,
            halfmove_clock: u8::try_from(self.rest.halfmove_clock).unwrap_or(u8::MAX),
        }
    }

    /// The number of pieces, kings and pawns included.
    #[must_use]
    pub fn pieces(&self) -> usize {
        self.occupied.count_ones() as usize
    }

    /// The side to move.
    #[must_use]
    pub fn side_to_move(&self) -> Color {
        self.side_to_move
    }

    /// Whether the side to move is in check.
    #[must_use]
    pub fn is_check(&self) -> bool {
        let position = self.position();
        let king = position.king(self.side_to_move).into();
        let blockers = cozy_chess::BitBoard(self.occupied);
        let others = |role| position.pieces(Piece::new(!self.side_to_move, role)).0;
        let queens = others(Role::Queen);
        // A piece of a kind attacks the king if the king, moved like this kind, would capture it.
        let own = self.side_to_move.into();
        cozy_chess::get_pawn_attacks(king, own).0 & others(Role::Pawn) != 0
            || cozy_chess::get_knight_moves(king).0 & others(Role::Knight) != 0
            || cozy_chess::get_king_moves(king).0 & others(Role::King) != 0
            || cozy_chess::get_bishop_moves(king, blockers).0 & (others(Role::Bishop) | queens) != 0
            || cozy_chess::get_rook_moves(king, blockers).0 & (others(Role::Rook) | queens) != 0
    }

    /// The result from the side to move's view: 1, 0.5 or 0, if the file has it.
    #[must_use]
    pub fn points(&self) -> Option<f32> {
        Some(self.result?.points(self.side_to_move))
    }
}

/// The record as FEN. Where the ply is not known, the clocks are left out.
impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let board = Board::of(&self.position()).map_err(|_| fmt::Error)?;
        write!(f, "{board}{}", self.rest)
    }
}

/// The position of a [`Record`], unpacked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unpacked {
    bitboards: [Bitboard; 12],
    occupied: Bitboard,
    side_to_move: Color,
    halfmove_clock: u8,
}

impl Position for Unpacked {
    #[inline]
    fn side_to_move(&self) -> Color {
        self.side_to_move
    }

    #[inline]
    fn pieces(&self, piece: Piece) -> Bitboard {
        self.bitboards[piece.index()]
    }

    #[inline]
    fn occupied(&self) -> Bitboard {
        self.occupied
    }

    #[inline]
    fn halfmove_clock(&self) -> u8 {
        self.halfmove_clock
    }
}
