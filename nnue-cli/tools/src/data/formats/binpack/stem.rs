//! The first position of a chain, in 32 bytes: 24 for the position, then two each for the move, the
//! score, the result with the number of half moves, and the clock of the fifty-move rule. Numbers
//! are big-endian.
//!
//! A position is its occupied squares, then half a byte for the piece on each of them, the first in
//! the lower half. Four values say more than a piece: a pawn that can be captured en passant, rooks
//! that may castle, and the king of black when black is to move.

use cozy_chess::{Board, BoardBuilder, Color, File, Move, Piece, Rank, Square};

use super::bits::{to_signed, to_unsigned};
use super::moves;
use crate::data::formats::game;
use crate::data::record::{GameResult, Record};
use crate::fen::{self, Rest, castles_as_usual};

/// The bytes of a stem.
pub(super) const SIZE: usize = 32;

/// Two values for each kind of piece, white's and then black's, come before these.
const EN_PASSANT_PAWN: u8 = 12;
const WHITE_CASTLING_ROOK: u8 = 13;
const BLACK_CASTLING_ROOK: u8 = 14;
const BLACK_KING_TO_MOVE: u8 = 15;

/// The kinds of moves, in their upper two bits.
const PROMOTION: u16 = 1;
const CASTLING: u16 = 2;
const EN_PASSANT: u16 = 3;

/// The score that stands for none, as in Stockfish.
const NO_SCORE: i16 = 32002;

/// The bits of the number of half moves, before those of the result.
const PLY: u32 = 14;

/// The largest number of half moves.
pub(super) const MOST_PLIES: u16 = (1 << PLY) - 1;

/// The largest clock: programs keep it in a byte.
const MOST_CLOCK: u16 = u8::MAX as u16;

/// A position with its values in the format.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) board: Board,
    /// The move that was played, if it is known. Castling is the king's move to its own rook, in the
    /// format as in cozy-chess.
    pub(super) played: Option<Move>,
    /// The score from the side to move's view, or [`NO_SCORE`].
    pub(super) score: i16,
    pub(super) result: GameResult,
    /// Half moves since the start of the game.
    pub(super) ply: u16,
    /// Half moves since the last capture or pawn move. The clock of the board ends at 100.
    pub(super) clock: u16,
}

impl Entry {
    /// Reads a stem.
    pub(super) fn unpack(bytes: &[u8; SIZE]) -> Result<Entry, String> {
        let pair = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
        let board = unpack_board(bytes)?;
        let of_mover = to_signed(pair(28) >> PLY);
        Ok(Entry {
            played: unpack_move(pair(24)),
            score: to_signed(pair(26)),
            result: match (of_mover, board.side_to_move()) {
                (0, _) => GameResult::Draw,
                (1, Color::White) | (-1, Color::Black) => GameResult::White,
                (1, Color::Black) | (-1, Color::White) => GameResult::Black,
                _ => return Err(format!("the result is {of_mover}, allowed are -1, 0 and 1")),
            },
            ply: pair(28) & MOST_PLIES,
            clock: pair(30),
            board,
        })
    }

    /// Whether a stem has no room for the counters of the entry.
    pub(super) fn is_cut(&self) -> bool {
        self.ply > MOST_PLIES || self.clock > MOST_CLOCK
    }

    /// The bytes of a stem. Counters that are too large become the largest.
    pub(super) fn pack(&self) -> [u8; SIZE] {
        let mut bytes = [0; SIZE];
        bytes[..24].copy_from_slice(&pack_board(&self.board));
        let of_mover = match (self.result, self.board.side_to_move()) {
            (GameResult::Draw, _) => 0,
            (GameResult::White, Color::White) | (GameResult::Black, Color::Black) => 1,
            _ => -1,
        };
        let played = self
            .played
            .map_or(0, |played| pack_move(&self.board, played));
        let pairs = [
            played,
            to_unsigned(self.score),
            self.ply.min(MOST_PLIES) | to_unsigned(of_mover) << PLY,
            self.clock.min(MOST_CLOCK),
        ];
        for (place, pair) in bytes[24..].chunks_exact_mut(2).zip(pairs) {
            place.copy_from_slice(&pair.to_be_bytes());
        }
        bytes
    }

    /// Makes the entry of a record.
    ///
    /// # Errors
    ///
    /// A message that names the value that binpack needs and the record lacks.
    pub(super) fn of(record: &Record) -> Result<Entry, String> {
        let score = match record.score.map(f32::round) {
            None => NO_SCORE,
            Some(score) if score == f32::from(NO_SCORE) => {
                return Err(format!(
                    "the score is {score}, which stands for none in binpack"
                ));
            }
            Some(score) if (f32::from(i16::MIN)..=f32::from(i16::MAX)).contains(&score) => {
                score as i16
            }
            Some(score) => {
                return Err(format!(
                    "the score is {score}, allowed in binpack are {} to {}",
                    i16::MIN,
                    i16::MAX
                ));
            }
        };
        let result = record
            .result
            .ok_or("found no result, which binpack needs")?;
        let ply = record.rest.ply;
        let ply = ply.ok_or("found no number of moves, which binpack needs")?;
        Ok(Entry {
            board: board_of(record)?,
            played: record.played,
            score,
            result,
            ply,
            clock: record.rest.halfmove_clock,
        })
    }

    /// Checks the move that was played, if it is known.
    pub(super) fn check_move(&self, number: u32) -> Result<(), String> {
        match self.played {
            Some(played) if !self.board.is_legal(played) => Err(format!(
                "half move {number} is `{played}`, which is not legal in `{}`",
                self.board
            )),
            _ => Ok(()),
        }
    }

    /// Plays a legal move: the board, the number of half moves and the clock are those after it.
    pub(super) fn play(&mut self, played: Move) {
        self.board.play_unchecked(played);
        self.ply = self.ply.saturating_add(1);
        self.clock = match self.board.halfmove_clock() {
            0 => 0,
            _ => self.clock.saturating_add(1),
        };
    }

    /// Plays the move, which must be legal, and becomes the entry of the position behind it.
    pub(super) fn advance(&mut self, played: Move, score: i16) {
        if let Some(before) = self.played.replace(played) {
            self.play(before);
        }
        self.score = score;
    }

    /// The entry after its move, if the move is known. Its score is still that of the player who
    /// moved.
    pub(super) fn after_move(mut self) -> Option<Entry> {
        self.play(self.played?);
        Some(self)
    }

    pub(super) fn record(&self) -> Record {
        let tactical = |played| game::is_tactical(&self.board, played);
        Record {
            rest: self.rest(),
            score: (self.score != NO_SCORE).then(|| self.score.into()),
            result: Some(self.result),
            tactical: self.played.map(tactical),
            played: self.played,
            ..Record::new(&self.board)
        }
    }

    /// The fields of FEN after the side to move.
    fn rest(&self) -> Rest {
        let mut castling = [0; 4];
        let rights = Color::ALL.into_iter().flat_map(|color| {
            let rights = self.board.castle_rights(color);
            let letters = if color == Color::White { b"KQ" } else { b"kq" };
            [rights.short, rights.long]
                .into_iter()
                .zip(letters)
                .filter_map(|(right, letter)| right.map(|_| *letter))
        });
        for (place, letter) in castling.iter_mut().zip(rights) {
            *place = letter;
        }
        Rest {
            castling,
            en_passant: moves::en_passant(&self.board).map(Into::into),
            halfmove_clock: self.clock,
            ply: Some(self.ply),
        }
    }
}

/// The file of a rook that may castle from a square.
fn castling_file(square: Square, color: Color) -> Option<File> {
    let is_corner = matches!(square.file(), File::A | File::H);
    (is_corner && square.rank() == Rank::First.relative_to(color)).then(|| square.file())
}

fn unpack_board(bytes: &[u8; SIZE]) -> Result<Board, String> {
    let (occupied, codes) = bytes[..24].split_at(8);
    let occupied = occupied
        .iter()
        .fold(0, |all, byte| all << 8 | u64::from(*byte));
    let mut builder = BoardBuilder::empty();
    for (square, code) in game::occupants(occupied, codes)? {
        let (piece, color) = match code {
            EN_PASSANT_PAWN => {
                let (color, behind) = match square.rank() {
                    Rank::Fourth => (Color::White, Rank::Third),
                    Rank::Fifth => (Color::Black, Rank::Sixth),
                    _ => {
                        return Err(format!(
                            "found a pawn that has just moved two squares to {square}"
                        ));
                    }
                };
                builder.en_passant = Some(Square::new(square.file(), behind));
                (Piece::Pawn, color)
            }
            WHITE_CASTLING_ROOK | BLACK_CASTLING_ROOK => {
                let color = Color::ALL[usize::from(code - WHITE_CASTLING_ROOK)];
                let file = castling_file(square, color).ok_or_else(|| {
                    format!("found a rook on {square} that may castle, allowed are corners")
                })?;
                let rights = builder.castle_rights_mut(color);
                match file {
                    File::A => rights.long = Some(file),
                    _ => rights.short = Some(file),
                }
                (Piece::Rook, color)
            }
            BLACK_KING_TO_MOVE => {
                builder.side_to_move = Color::Black;
                (Piece::King, Color::Black)
            }
            code => (
                Piece::ALL[usize::from(code / 2)],
                Color::ALL[usize::from(code % 2)],
            ),
        };
        *builder.square_mut(square) = Some((piece, color));
    }
    of_standard_chess(builder.build().map_err(game::of_cozy))
}

/// The board, which must be one of standard chess.
fn of_standard_chess(board: Result<Board, String>) -> Result<Board, String> {
    let board = board.map_err(|why| format!("no game reaches the position: {why}"))?;
    if castles_as_usual(&board) {
        Ok(board)
    } else {
        Err(format!(
            "found castling rights in `{board:#}`, allowed are those of a king on the e-file with rooks in the corners"
        ))
    }
}

fn pack_board(board: &Board) -> [u8; 24] {
    let mut bytes = [0; 24];
    let occupied = board.occupied();
    bytes[..8].copy_from_slice(&occupied.0.to_be_bytes());
    let pawn = moves::en_passant(board).map(|behind| {
        let rank = Rank::Fourth.relative_to(!board.side_to_move());
        Square::new(behind.file(), rank)
    });
    for color in Color::ALL {
        let rights = board.castle_rights(color);
        let rights = [rights.short, rights.long];
        for (index, square) in occupied.into_iter().enumerate() {
            if !board.colors(color).has(square) {
                continue;
            }
            let may_castle = || {
                let file = castling_file(square, color);
                file.is_some() && rights.contains(&file)
            };
            // The square is occupied.
            let piece = board.piece_on(square).unwrap_or(Piece::King);
            let code = match (piece, color) {
                (Piece::Pawn, _) if pawn == Some(square) => EN_PASSANT_PAWN,
                (Piece::Rook, _) if may_castle() => WHITE_CASTLING_ROOK + color as u8,
                (Piece::King, Color::Black) if board.side_to_move() == Color::Black => {
                    BLACK_KING_TO_MOVE
                }
                (piece, color) => 2 * piece as u8 + color as u8,
            };
            bytes[8 + index / 2] |= code << (4 * (index % 2));
        }
    }
    bytes
}

/// A move, or `None` for the bits of none.
fn unpack_move(bits: u16) -> Option<Move> {
    let square = |shift: u32| Square::index(usize::from(bits >> shift & 63));
    let (from, to) = (square(8), square(2));
    let promotion = (bits >> 14 == PROMOTION).then(|| game::PROMOTIONS[usize::from(bits & 3)]);
    (bits != 0).then_some(Move {
        from,
        to,
        promotion,
    })
}

fn pack_move(board: &Board, played: Move) -> u16 {
    let promotion = game::PROMOTIONS
        .iter()
        .position(|piece| Some(*piece) == played.promotion);
    let is_pawns = board.piece_on(played.from) == Some(Piece::Pawn);
    let kind = if promotion.is_some() {
        PROMOTION
    } else if board.colors(board.side_to_move()).has(played.to) {
        CASTLING
    } else if is_pawns && moves::en_passant(board) == Some(played.to) {
        EN_PASSANT
    } else {
        0
    };
    let promotion = promotion.unwrap_or(0) as u16;
    kind << 14 | (played.from as u16) << 8 | (played.to as u16) << 2 | promotion
}

/// The board of a record.
fn board_of(record: &Record) -> Result<Board, String> {
    of_standard_chess(fen::game(&record.position(), &record.rest))
}
