//! Moves in a few bits: which of the mover's pieces moves, counted from a1, then where to.
//!
//! The squares that a piece may move to are counted from a1 too. They are the squares that it
//! attacks and the mover's own pieces are not on, whether or not its king would be in check. A pawn
//! that promotes counts each square four times, a king counts its castlings after the squares.

use cozy_chess::{
    BitBoard, Board, File, Move, Piece, Rank, Square, get_bishop_moves, get_king_moves,
    get_knight_moves, get_pawn_attacks, get_pawn_quiets, get_rook_moves,
};

use super::bits::{self, BitReader, BitWriter, width};
use crate::data::formats::game::PROMOTIONS;

/// The square behind a pawn that has just moved two squares, if a pawn can legally capture it
/// there. Only then does the format know of such a square, other than [`Board::en_passant`].
pub(super) fn en_passant(board: &Board) -> Option<Square> {
    let color = board.side_to_move();
    let to = Square::new(board.en_passant()?, Rank::Sixth.relative_to(color));
    let pawns = get_pawn_attacks(to, !color) & board.colored_pieces(color, Piece::Pawn);
    let captures = |from| {
        let promotion = None;
        board.is_legal(Move {
            from,
            to,
            promotion,
        })
    };
    pawns.into_iter().any(captures).then_some(to)
}

/// The squares that a piece of the mover can move to.
fn destinations(board: &Board, from: Square, piece: Piece) -> BitBoard {
    let color = board.side_to_move();
    let occupied = board.occupied();
    let attacked = match piece {
        Piece::Pawn => {
            let en_passant = en_passant(board).map_or(BitBoard::EMPTY, Square::bitboard);
            let captures = get_pawn_attacks(from, color) & (board.colors(!color) | en_passant);
            return captures | get_pawn_quiets(from, color, occupied);
        }
        Piece::Knight => get_knight_moves(from),
        Piece::Bishop => get_bishop_moves(from, occupied),
        Piece::Rook => get_rook_moves(from, occupied),
        Piece::Queen => get_bishop_moves(from, occupied) | get_rook_moves(from, occupied),
        Piece::King => get_king_moves(from),
    };
    attacked & !board.colors(color)
}

/// The squares of the rooks with which the mover may castle, the left one first.
fn castlings(board: &Board) -> impl Iterator<Item = Square> {
    let color = board.side_to_move();
    let rights = board.castle_rights(color);
    let file =
        |right: Option<File>| right.map(|file| Square::new(file, Rank::First.relative_to(color)));
    file(rights.long).into_iter().chain(file(rights.short))
}

/// The square of this number among others.
fn nth(squares: BitBoard, number: u32) -> Option<Square> {
    let mut bits = squares.0;
    for _ in 0..number {
        bits &= bits.wrapping_sub(1);
    }
    BitBoard(bits).next_square()
}

/// How many squares come before a square.
fn before(squares: BitBoard, square: Square) -> u32 {
    (squares.0 & (square.bitboard().0 - 1)).count_ones()
}

/// Whether pawns of the mover promote that move on from a square.
fn promotes(board: &Board, from: Square, piece: Piece) -> bool {
    piece == Piece::Pawn && from.rank() == Rank::Seventh.relative_to(board.side_to_move())
}

/// Reads a move, which need not be legal.
pub(super) fn unpack(board: &Board, bits: &mut BitReader<'_>) -> Result<Move, String> {
    let own = board.colors(board.side_to_move());
    let number = bits.number(width(own.len())).ok_or(bits::END)?;
    let from = nth(own, number).ok_or_else(|| {
        let pieces = own.len();
        format!("found piece {number} of {pieces}, counted from 0")
    })?;
    let piece = board.piece_on(from).ok_or("found no piece")?;
    let squares = destinations(board, from, piece);
    let promotes = promotes(board, from, piece);
    let of = match piece {
        Piece::King => squares.len() + castlings(board).count() as u32,
        _ if promotes => 4 * squares.len(),
        _ => squares.len(),
    };
    let number = bits.number(width(of)).ok_or(bits::END)?;
    let promotion = promotes.then(|| PROMOTIONS[number as usize % 4]);
    let index = if promotes { number / 4 } else { number };
    let to = match nth(squares, index) {
        // A king has few squares, so its castlings are the numbers after them.
        None if piece == Piece::King => castlings(board).nth((number - squares.len()) as usize),
        to => to,
    };
    let to = to.ok_or_else(|| {
        format!("found move {number} of {of} of the piece on {from}, counted from 0")
    })?;
    Ok(Move {
        from,
        to,
        promotion,
    })
}

/// Appends a legal move.
pub(super) fn pack(board: &Board, played: Move, bits: &mut BitWriter) {
    let own = board.colors(board.side_to_move());
    bits.number(before(own, played.from), width(own.len()));
    // The move is legal, so there is a piece.
    let piece = board.piece_on(played.from).unwrap_or(Piece::King);
    let squares = destinations(board, played.from, piece);
    let (mut number, mut of) = (before(squares, played.to), squares.len());
    if let Some(promotion) = played.promotion {
        let index = PROMOTIONS.iter().position(|piece| *piece == promotion);
        number = 4 * number + index.unwrap_or(0) as u32;
        of *= 4;
    }
    if piece == Piece::King {
        of += castlings(board).count() as u32;
        if let Some(index) = castlings(board).position(|rook| rook == played.to) {
            number = squares.len() + index as u32;
        }
    }
    bits.number(number, width(of));
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;

    /// The example of the format's description: the first of the games' moves takes five bits.
    #[test]
    fn the_move_of_the_description() {
        let mut bits = BitWriter::default();
        pack(
            &Board::default(),
            "e2e4".parse().expect("a move"),
            &mut bits,
        );
        assert_eq!(bits.bytes, [0b1100_1000]);
    }

    /// All legal moves of the positions of random games.
    #[test]
    fn all_legal_moves_come_out_as_they_went_in() {
        let mut random = Rng::with_seed(11);
        let mut moves = 0;
        for start in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/8/8/8/8/8/8/R3K2R b Kq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "8/8/8/K1pP3r/8/8/8/7k w - c6 0 2",
        ] {
            for _ in 0..20 {
                let mut board: Board = start.parse().expect("a position");
                for _ in 0..80 {
                    let mut legal = Vec::new();
                    board.generate_moves(|of_piece| {
                        legal.extend(of_piece);
                        false
                    });
                    let mut packed = BitWriter::default();
                    legal
                        .iter()
                        .for_each(|played| pack(&board, *played, &mut packed));
                    let mut bits = BitReader::new(&packed.bytes);
                    for played in &legal {
                        assert_eq!(unpack(&board, &mut bits), Ok(*played), "{board}");
                    }
                    assert_eq!(bits.bytes(), packed.bytes.len());
                    moves += legal.len();
                    let Some(played) = random.choice(&legal) else {
                        break;
                    };
                    board.play_unchecked(*played);
                }
            }
        }
        assert!(moves > 100_000, "{moves}");
    }

    /// A pawn that is pinned cannot capture, and neither can a bishop that stands beside.
    #[test]
    fn en_passant_counts_only_where_a_pawn_can_capture() {
        for (fen, square) in [
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", Some(Square::D6)),
            ("4k3/8/8/3p4/8/8/8/4K3 w - d6 0 1", None),
            ("8/8/8/K1pP3r/8/8/8/7k w - c6 0 2", None),
            ("4k3/8/8/2Bp4/8/8/8/4K3 w - d6 0 1", None),
        ] {
            assert_eq!(
                en_passant(&fen.parse().expect("a position")),
                square,
                "{fen}"
            );
        }
    }
}
