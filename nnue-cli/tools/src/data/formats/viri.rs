//! Viriformat: a game is a position of 32 bytes, then two bytes for each move and two for its
//! score, then four zeros.
//!
//! The crate `viriformat` reads files without errors; it panics for others, and checks moves only
//! in debug builds. So this module reads the bytes by that crate's specification, and the tests let
//! the crate write their files. Scores and results are from white's view.

use cozy_chess::{BoardBuilder, Move, Piece, Square};

use super::chunk::Chunk;
use super::game;
use crate::data::error::BadRecord;
use crate::data::record::{GameResult, Record};

/// The bytes of a game's first position.
const HEADER: usize = 32;

/// The bytes after the last move of a game.
const END: [u8; 4] = [0; 4];

/// The code of a rook that may castle.
const UNMOVED_ROOK: u8 = 6;

pub(super) fn whole(bytes: &[u8]) -> (usize, u64) {
    let (mut len, mut games) = (0, 0);
    while let Some(next) = game_len(&bytes[len..]) {
        len += next;
        games += 1;
    }
    (len, games)
}

/// The length of the first game in bytes, if the game is complete.
fn game_len(bytes: &[u8]) -> Option<usize> {
    let (moves, _) = bytes.get(HEADER..)?.as_chunks::<4>();
    let len = moves.iter().position(|pair| *pair == END)?;
    Some(HEADER + 4 * (len + 1))
}

pub(super) fn read(chunk: &Chunk<'_>, found: &mut dyn FnMut(Result<Record, BadRecord>)) {
    let mut bytes = chunk.bytes;
    let mut number = chunk.first;
    while !bytes.is_empty() {
        let Some(len) = game_len(bytes) else {
            let wrong = "the file ends within the game, expected four zeros at its end";
            found(Err(chunk.bad("game", number, wrong)));
            return;
        };
        let (first, rest) = bytes.split_at(len);
        match game(first) {
            Ok(records) => records.into_iter().map(Ok).for_each(&mut *found),
            Err(wrong) => found(Err(chunk.bad("game", number, wrong))),
        }
        (bytes, number) = (rest, number + 1);
    }
}

/// The positions of a game in which a move was made.
fn game(bytes: &[u8]) -> Result<Vec<Record>, String> {
    let (header, moves) = bytes.split_at(HEADER);
    let mut board = board(header)?;
    let result = match header[30] {
        2 => GameResult::White,
        1 => GameResult::Draw,
        0 => GameResult::Black,
        found => return Err(format!("the result is {found}, allowed are 0, 1 and 2")),
    };
    let (moves, _) = moves.as_chunks::<4>();
    let moves = moves.iter().take_while(|pair| **pair != END);
    let mut records = Vec::new();
    for (index, [first, second, score @ ..]) in moves.enumerate() {
        let played = played(u16::from_le_bytes([*first, *second]));
        let mut record = game::record(&board, played);
        let score = f32::from(i16::from_le_bytes(*score));
        let is_white = board.side_to_move() == cozy_chess::Color::White;
        record.score = Some(if is_white { score } else { -score });
        record.result = Some(result);
        records.push(record);
        board.try_play(played).map_err(|_| {
            format!(
                "half move {} is `{played}`, which is not legal in `{board}`",
                index + 1
            )
        })?;
    }
    Ok(records)
}

/// A move. Castling is the king's move to its own rook, as in cozy-chess.
fn played(bits: u16) -> Move {
    let square = |shift: u32| Square::index(usize::from(bits >> shift & 63));
    let promotion = (bits >> 14 == 3).then(|| game::PROMOTIONS[usize::from(bits >> 12 & 3)]);
    Move {
        from: square(0),
        to: square(6),
        promotion,
    }
}

/// The first position of a game.
fn board(header: &[u8]) -> Result<cozy_chess::Board, String> {
    let occupied = u64::from_le_bytes(header[..8].try_into().map_err(|_| "no header")?);
    let mut builder = BoardBuilder::empty();
    let mut has_king = [false; 2];
    for (square, code) in game::occupants(occupied, &header[8..24])? {
        let color = cozy_chess::Color::ALL[usize::from(code >> 3)];
        let piece = match code & 7 {
            UNMOVED_ROOK => {
                let rights = builder.castle_rights_mut(color);
                // Squares go from left to right, so the rook before the king is on the queen's
                // side.
                match has_king[color as usize] {
                    true => rights.short = Some(square.file()),
                    false => rights.long = Some(square.file()),
                }
                Piece::Rook
            }
            code => *Piece::ALL.get(usize::from(code)).ok_or_else(|| {
                format!("found a piece of the kind {code}, allowed are 0 for a pawn to 6 for an unmoved rook")
            })?,
        };
        has_king[color as usize] |= piece == Piece::King;
        *builder.square_mut(square) = Some((piece, color));
    }
    builder.side_to_move = cozy_chess::Color::ALL[usize::from(header[24] >> 7)];
    builder.en_passant = match header[24] & 0x7F {
        64 => None,
        square => Some(Square::try_index(square.into()).ok_or_else(|| {
            format!("the en passant square is {square}, allowed are 0 to 63, and 64 for none")
        })?),
    };
    // The clocks may be zero, so they do not say how many moves were made.
    builder.halfmove_clock = header[25].min(100);
    builder.fullmove_number = u16::from_le_bytes([header[26], header[27]]).max(1);
    builder.build().map_err(|error| {
        let why = game::of_cozy(error);
        format!("no game reaches the first position: {why}")
    })
}
