//! The order in which a search tries moves: what was best before, captures that win material, moves
//! that refuted something elsewhere.

use arrayvec::ArrayVec;
use cozy_chess::{
    BitBoard, Board, File, Move, Piece, Square, get_bishop_moves, get_king_moves, get_knight_moves,
    get_pawn_attacks, get_rook_moves,
};

use crate::evaluation::worth;

/// No position has more moves.
pub(crate) const MOST_MOVES: usize = 218;
const FIRST: i32 = 1 << 30;
const GOOD_CAPTURE: i32 = 1 << 24;
const KILLER: i32 = 1 << 22;
const LIMIT: i32 = 1 << 14;

/// How well quiet moves did: by the squares of the move, and by the move that they answer.
pub(crate) struct History {
    moves: Vec<i16>,
    answers: Vec<i16>,
}

impl History {
    pub(crate) fn new() -> History {
        History {
            moves: vec![0; 2 * 64 * 64],
            answers: vec![0; 384 * 384],
        }
    }

    fn places(board: &Board, mv: Move, answered: Option<usize>) -> (usize, Option<usize>) {
        let squares = (board.side_to_move() as usize * 64 + mv.from as usize) * 64 + mv.to as usize;
        (
            squares,
            answered.map(|first| first * 384 + piece_to(board, mv)),
        )
    }

    pub(crate) fn of(&self, board: &Board, mv: Move, answered: Option<usize>) -> i32 {
        let (squares, answer) = History::places(board, mv, answered);
        i32::from(self.moves[squares]) + answer.map_or(0, |place| i32::from(self.answers[place]))
    }

    /// Moves the numbers of a move towards a limit, by less the closer they are to it.
    pub(crate) fn add(&mut self, board: &Board, mv: Move, answered: Option<usize>, bonus: i32) {
        let (squares, answer) = History::places(board, mv, answered);
        let add = |number: &mut i16| {
            *number += (bonus - i32::from(*number) * bonus.abs() / LIMIT) as i16;
        };
        add(&mut self.moves[squares]);
        if let Some(place) = answer {
            add(&mut self.answers[place]);
        }
    }
}

/// The number of a move's piece and destination.
pub(crate) fn piece_to(board: &Board, mv: Move) -> usize {
    board.piece_on(mv.from).map_or(0, |piece| piece as usize) * 64 + mv.to as usize
}

/// What a move takes.
pub(crate) fn captured(board: &Board, mv: Move) -> Option<Piece> {
    if board.colors(board.side_to_move()).has(mv.to) {
        return None; // castling
    }
    board.piece_on(mv.to).or_else(|| {
        let pawn = board.pieces(Piece::Pawn).has(mv.from);
        (pawn && mv.from.file() != mv.to.file()).then_some(Piece::Pawn)
    })
}

/// Neither a capture nor a promotion.
pub(crate) fn is_quiet(board: &Board, mv: Move) -> bool {
    mv.promotion.is_none() && captured(board, mv).is_none()
}

/// The moves of a position, the most promising first.
pub(crate) struct Moves {
    scored: ArrayVec<(Move, i32), MOST_MOVES>,
}

impl Moves {
    /// All legal moves.
    pub(crate) fn all(
        board: &Board,
        first: Option<Move>,
        killers: [Option<Move>; 2],
        history: &History,
        answered: Option<usize>,
    ) -> Moves {
        Moves::scored(board, BitBoard::FULL, |mv| {
            if Some(mv) == first {
                FIRST
            } else if !is_quiet(board, mv) {
                capture_score(board, mv)
            } else if killers.contains(&Some(mv)) {
                KILLER
            } else {
                history.of(board, mv, answered)
            }
        })
    }

    /// Captures and promotions that lose no material.
    pub(crate) fn captures(board: &Board, first: Option<Move>) -> Moves {
        let enemies = board.colors(!board.side_to_move());
        let last_ranks = BitBoard(0xff00_0000_0000_00ff);
        let en_passant = board.en_passant().map_or(BitBoard::EMPTY, File::bitboard);
        let mut moves = Moves::scored(board, enemies | last_ranks | en_passant, |mv| {
            if is_quiet(board, mv) {
                -FIRST
            } else if Some(mv) == first {
                FIRST
            } else {
                capture_score(board, mv)
            }
        });
        moves.scored.retain(|(_, score)| *score > 0);
        moves
    }

    fn scored(board: &Board, to: BitBoard, score: impl Fn(Move) -> i32) -> Moves {
        let mut scored = ArrayVec::new();
        board.generate_moves(|mut moves| {
            moves.to &= to;
            scored.extend(moves.into_iter().map(|mv| (mv, score(mv))));
            false
        });
        Moves { scored }
    }
}

impl Iterator for Moves {
    type Item = Move;

    fn next(&mut self) -> Option<Move> {
        let (best, _) = self
            .scored
            .iter()
            .enumerate()
            .max_by_key(|(_, (_, score))| *score)?;
        Some(self.scored.swap_remove(best).0)
    }
}

/// Positive for captures and promotions that lose no material; the most valuable piece first, taken
/// by the least valuable.
fn capture_score(board: &Board, mv: Move) -> i32 {
    let value = |piece: Option<Piece>| piece.map_or(0, worth);
    let gain = value(captured(board, mv)) + value(mv.promotion);
    let score = gain * 16 - value(board.piece_on(mv.from)) / 16;
    match wins(board, mv, 0) && mv.promotion.is_none_or(|piece| piece == Piece::Queen) {
        true => GOOD_CAPTURE + score,
        false => score - GOOD_CAPTURE,
    }
}

/// Whether a move wins at least so many centipawns if both sides go on taking on its square, each
/// with its least valuable piece, for as long as it pays.
pub(crate) fn wins(board: &Board, mv: Move, threshold: i32) -> bool {
    let us = board.side_to_move();
    let target = mv.to;
    let Some(piece) = board
        .piece_on(mv.from)
        .filter(|_| !board.colors(us).has(target))
    else {
        return threshold <= 0; // castling
    };
    let victim = captured(board, mv);
    let mut balance = victim.map_or(0, worth) - threshold;
    if let Some(promotion) = mv.promotion {
        balance += worth(promotion) - worth(Piece::Pawn);
    }
    if balance < 0 {
        return false;
    }
    balance -= worth(mv.promotion.unwrap_or(piece));
    if balance >= 0 {
        return true;
    }

    let mut occupied = (board.occupied() | target.bitboard()) ^ mv.from.bitboard();
    if victim.is_some() && board.piece_on(target).is_none() {
        occupied ^= Square::new(target.file(), mv.from.rank()).bitboard(); // en passant
    }
    let mut side = us;
    loop {
        side = !side;
        let attackers = attackers(board, target, occupied);
        let own = attackers & board.colors(side);
        let least = Piece::ALL
            .into_iter()
            .find(|&piece| !own.is_disjoint(board.pieces(piece)));
        let Some(piece) = least else {
            break;
        };
        if piece == Piece::King && !attackers.is_disjoint(board.colors(!side)) {
            break; // the king would take a piece that is protected
        }
        balance = -balance - 1 - worth(piece);
        if balance >= 0 {
            side = !side; // the other side cannot win back enough
            break;
        }
        let from = (own & board.pieces(piece)).next_square();
        occupied ^= from.map_or(BitBoard::EMPTY, Square::bitboard);
    }
    side != us
}

/// The pieces of both sides that attack a square.
fn attackers(board: &Board, square: Square, occupied: BitBoard) -> BitBoard {
    let of = |piece| board.pieces(piece);
    let queens = of(Piece::Queen);
    let pawns = cozy_chess::Color::ALL
        .map(|color| get_pawn_attacks(square, !color) & board.colored_pieces(color, Piece::Pawn));
    let all = (get_knight_moves(square) & of(Piece::Knight))
        | (get_king_moves(square) & of(Piece::King))
        | (get_bishop_moves(square, occupied) & (of(Piece::Bishop) | queens))
        | (get_rook_moves(square, occupied) & (of(Piece::Rook) | queens))
        | pawns[0]
        | pawns[1];
    all & occupied
}
