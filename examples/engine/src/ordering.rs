//! The order in which a search tries moves: what was best before, captures, moves that refuted
//! something elsewhere.

use arrayvec::ArrayVec;
use cozy_chess::{
    Board, Move, Piece, get_bishop_moves, get_king_moves, get_knight_moves, get_pawn_attacks,
    get_rook_moves,
};

use crate::evaluation::worth;
use crate::game::{MOST_MOVES, legal_moves};

const FIRST: i32 = 1 << 30;
const CAPTURE: i32 = 1 << 24;
const KILLER: i32 = 1 << 22;

/// How many moves a history tells apart: by side, and by the squares that they lead from and to.
pub(crate) const PLACES: usize = 2 * 64 * 64;

/// The place of a move in a history.
pub(crate) fn place(board: &Board, mv: Move) -> usize {
    (board.side_to_move() as usize * 64 + mv.from as usize) * 64 + mv.to as usize
}

/// Moves a number of a history towards 2¹⁴, or -2¹⁴, by less the closer it is.
pub(crate) fn reward(number: &mut i32, bonus: i32) {
    *number += bonus - *number * bonus.abs() / (1 << 14);
}

/// What a move takes.
fn captured(board: &Board, mv: Move) -> Option<Piece> {
    let is_castling = board.colors(board.side_to_move()).has(mv.to);
    let is_diagonal = mv.from.file() != mv.to.file();
    match board.piece_on(mv.to) {
        None if is_diagonal && board.pieces(Piece::Pawn).has(mv.from) => Some(Piece::Pawn),
        taken => taken.filter(|_| !is_castling),
    }
}

/// Neither a capture nor a promotion.
pub fn is_quiet(board: &Board, mv: Move) -> bool {
    mv.promotion.is_none() && captured(board, mv).is_none()
}

/// A list of moves, from which the most promising is taken first.
pub(crate) struct Moves(ArrayVec<(Move, i32), MOST_MOVES>);

impl Moves {
    /// All legal moves; where the position is to be settled, the captures and promotions that lose
    /// no material.
    pub(crate) fn new(
        board: &Board,
        first: Option<Move>,
        killers: [Option<Move>; 2],
        history: &[i32],
        settles: bool,
    ) -> Moves {
        let score = |mv| match () {
            () if Some(mv) == first => FIRST,
            () if !is_quiet(board, mv) => capture_score(board, mv),
            () if killers.contains(&Some(mv)) => KILLER,
            () => history[place(board, mv)],
        };
        let moves = legal_moves(board).into_iter().map(|mv| (mv, score(mv)));
        let is_wanted = |&(_, score): &(Move, i32)| !settles || score > KILLER;
        Moves(moves.filter(is_wanted).collect())
    }
}

impl Iterator for Moves {
    type Item = Move;

    fn next(&mut self) -> Option<Move> {
        let moves = self.0.iter().enumerate();
        let (place, _) = moves.max_by_key(|(_, (_, score))| *score)?;
        Some(self.0.swap_remove(place).0)
    }
}

/// The most valuable piece first, taken by the least valuable; below zero if the piece that takes
/// is worth more than what it takes, and can be taken.
fn capture_score(board: &Board, mv: Move) -> i32 {
    let value = |piece: Option<Piece>| piece.map_or(0, worth);
    let (gain, risk) = (value(captured(board, mv)), value(board.piece_on(mv.from)));
    let is_bad = match mv.promotion {
        Some(piece) => piece != Piece::Queen,
        None => risk > gain && is_attacked(board, mv),
    };
    let score = 16 * (gain + value(mv.promotion)) - risk / 16;
    score + if is_bad { -CAPTURE } else { CAPTURE }
}

/// Whether the opponent can take on the square to which a move leads.
fn is_attacked(board: &Board, mv: Move) -> bool {
    let (side, to) = (board.side_to_move(), mv.to);
    let occupied = board.occupied() ^ mv.from.bitboard();
    let of = |pieces: [Piece; 2]| board.pieces(pieces[0]) | board.pieces(pieces[1]);
    let attackers = (get_pawn_attacks(to, side) & board.pieces(Piece::Pawn))
        | (get_knight_moves(to) & board.pieces(Piece::Knight))
        | (get_king_moves(to) & board.pieces(Piece::King))
        | (get_bishop_moves(to, occupied) & of([Piece::Bishop, Piece::Queen]))
        | (get_rook_moves(to, occupied) & of([Piece::Rook, Piece::Queen]));
    !attackers.is_disjoint(board.colors(!side))
}
