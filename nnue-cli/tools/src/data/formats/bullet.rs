//! Bulletformat: 32 bytes a position, in which white is always to move. A position with black to
//! move is turned around: its colours are exchanged, and with them the score and the result.

use bulletformat::{BulletFormat, ChessBoard};
use nnue_runtime::{Bitboard, Color, Piece, Position, Role, Square};

use super::chunk::Chunk;
use crate::data::error::BadRecord;
use crate::data::record::{GameResult, Record};

/// Bytes of a record.
const SIZE: usize = size_of::<ChessBoard>();

pub(super) fn whole(bytes: &[u8]) -> (usize, u64) {
    let records = bytes.len() / SIZE;
    (records * SIZE, records as u64)
}

pub(super) fn read(chunk: &Chunk<'_>, found: &mut dyn FnMut(Result<Record, BadRecord>)) {
    let (records, rest) = chunk.bytes.as_chunks::<SIZE>();
    let mut number = chunk.first;
    for bytes in records {
        found(record(&board(bytes)).map_err(|wrong| chunk.bad("record", number, wrong)));
        number += 1;
    }
    if !rest.is_empty() {
        let wrong = format!("found {} bytes, expected {SIZE}", rest.len());
        found(Err(chunk.bad("record", number, wrong)));
    }
}

/// Whether bytes begin with a record.
pub(super) fn begins(bytes: &[u8]) -> bool {
    bytes
        .first_chunk()
        .is_some_and(|bytes| record(&board(bytes)).is_ok())
}

fn board(bytes: &[u8; SIZE]) -> ChessBoard {
    let (mut occ, mut pcs) = ([0; 8], [0; 16]);
    occ.copy_from_slice(&bytes[..8]);
    pcs.copy_from_slice(&bytes[8..24]);
    ChessBoard {
        occ: u64::from_le_bytes(occ),
        pcs,
        score: i16::from_le_bytes([bytes[24], bytes[25]]),
        result: bytes[26],
        ksq: bytes[27],
        opp_ksq: bytes[28],
        extra: [bytes[29], bytes[30], bytes[31]],
    }
}

fn record(board: &ChessBoard) -> Result<Record, String> {
    super::game::check_count(board.occ)?;
    let mut bitboards = [Bitboard::EMPTY; 12];
    for (code, square) in *board {
        let (color, role) = (Color::ALL[usize::from(code >> 3)], code & 7);
        let role = Role::ALL.get(usize::from(role)).ok_or_else(|| {
            format!("found a piece of the kind {role}, allowed are 0 for a pawn to 5 for a king")
        })?;
        bitboards[Piece::new(color, *role).index()].insert(Square::wrapping(square));
    }
    let position = super::game::Placed {
        bitboards,
        side_to_move: Color::White,
    };
    super::game::check_kings_and_pawns(&position)?;
    Ok(Record {
        score: Some(board.score.into()),
        result: Some(match board.result {
            2 => GameResult::White,
            1 => GameResult::Draw,
            0 => GameResult::Black,
            found => return Err(format!("the result is {found}, allowed are 0, 1 and 2")),
        }),
        ..Record::new(&position)
    })
}

/// Writes a record.
///
/// # Errors
///
/// A message that names the value that bulletformat needs and the record lacks.
pub(super) fn write(record: &Record, bytes: &mut Vec<u8>) -> Result<(), String> {
    let (score, result) = match (record.score, record.points()) {
        (None, _) => return Err("found no score, which bulletformat needs".into()),
        (_, None) => return Err("found no result, which bulletformat needs".into()),
        (Some(score), Some(result)) => (score, result),
    };
    let limits = f32::from(i16::MIN)..=f32::from(i16::MAX);
    if !limits.contains(&score.round()) {
        return Err(format!(
            "the score is {score}, allowed in bulletformat are {} to {}",
            limits.start(),
            limits.end()
        ));
    }
    let position = record.position();
    let side_to_move = record.side_to_move();
    let of_color = |color| Role::ALL.map(|role| position.pieces(Piece::new(color, role)).0);
    let [own, other] = [side_to_move, !side_to_move].map(of_color);
    let all = |squares: [u64; 6]| squares.into_iter().fold(0, |all, of_role| all | of_role);
    let turned = |squares: u64| match side_to_move {
        Color::White => squares,
        Color::Black => squares.swap_bytes(),
    };
    let mut bitboards = [0; 8];
    bitboards[0] = turned(all(own));
    bitboards[1] = turned(all(other));
    for (role, squares) in bitboards[2..].iter_mut().enumerate() {
        *squares = turned(own[role] | other[role]);
    }
    // The board, the score and the result are from white's view now.
    let mut board = ChessBoard::from_raw(bitboards, 0, score.round() as i16, result)?;
    board.set_result(result);
    bytes.extend(board.occ.to_le_bytes());
    bytes.extend(board.pcs);
    bytes.extend(board.score.to_le_bytes());
    bytes.extend([board.result, board.ksq, board.opp_ksq]);
    bytes.extend(board.extra);
    Ok(())
}
