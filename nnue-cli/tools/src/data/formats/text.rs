//! Text: a position a line, `FEN | score | result`.
//!
//! The score is in centipawns from the side to move's view. The result is that of the game for
//! white: 1.0, 0.5 or 0.0. Either may be `-` or left out. Blank lines and lines that begin with `#`
//! are skipped.

use std::io::Write;
use std::str;

use nnue_compiler::format::foreign;
use nnue_runtime::{Board, Color};

use super::chunk::Chunk;
use crate::data::error::BadRecord;
use crate::data::record::{GameResult, Record, Rest};

pub(super) fn whole(bytes: &[u8]) -> (usize, u64) {
    let end = bytes.iter().rposition(|byte| *byte == b'\n');
    let len = end.map_or(0, |end| end + 1);
    let lines = bytes[..len].iter().filter(|byte| **byte == b'\n');
    (len, lines.count() as u64)
}

pub(super) fn read(chunk: &Chunk<'_>, found: &mut dyn FnMut(Result<Record, BadRecord>)) {
    for (line, number) in chunk.bytes.split(|byte| *byte == b'\n').zip(chunk.first..) {
        let line = line.trim_ascii();
        // Some editors begin a file with a mark of its encoding.
        let line = match number {
            1 => line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line),
            _ => line,
        };
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        found(record(line).map_err(|wrong| chunk.bad("line", number, wrong)));
    }
}

/// Reads a line.
fn record(line: &[u8]) -> Result<Record, String> {
    let line = str::from_utf8(line).map_err(|error| {
        let offset = error.valid_up_to();
        format!("found bytes that are not UTF-8 at offset {offset}, expected text")
    })?;
    let mut fields = line.split('|').map(str::trim_ascii);
    let fen = fields.next().unwrap_or_default();
    let (score, result) = (fields.next(), fields.next());
    if fields.next().is_some() {
        let found = line.split('|').count();
        return Err(format!(
            "found {found} fields, allowed are 1 to 3: `FEN | score | result`"
        ));
    }
    let mut record = position(fen)?;
    record.score = given(score).map(self::score).transpose()?;
    record.result = given(result).map(self::result).transpose()?;
    Ok(record)
}

/// The text of a field, unless the field is missing or `-`.
fn given(field: Option<&str>) -> Option<&str> {
    field.filter(|text| *text != "-")
}

/// Reads a FEN, with its fields that no network reads.
fn position(fen: &str) -> Result<Record, String> {
    let board = Board::from_fen(fen).map_err(|error| error.to_string())?;
    let mut record = Record::new(&board);
    // The FEN was checked.
    let mut fields = fen.split_ascii_whitespace().skip(2);
    let mut rest = Rest::default();
    if let Some(castling) = fields.next().filter(|field| *field != "-") {
        for (right, letter) in rest.castling.iter_mut().zip(castling.bytes()) {
            *right = letter;
        }
    }
    rest.en_passant = fields.next().and_then(|square| square.parse().ok());
    rest.halfmove_clock = number(fields.next()).unwrap_or(0);
    rest.ply = number(fields.next()).map(|moves| {
        let blacks = u16::from(record.side_to_move() == Color::Black);
        moves
            .saturating_sub(1)
            .saturating_mul(2)
            .saturating_add(blacks)
    });
    record.rest = rest;
    Ok(record)
}

/// The number of a clock; numbers that are too large become the largest.
fn number(field: Option<&str>) -> Option<u16> {
    Some(field?.parse().unwrap_or(u16::MAX))
}

fn score(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(score) if score.is_finite() => Ok(score),
        _ => Err(format!(
            "the score is `{}`, expected centipawns for the side to move such as -35, or `-`",
            foreign(text)
        )),
    }
}

fn result(text: &str) -> Result<GameResult, String> {
    match text {
        "1.0" | "1" | "[1.0]" => Ok(GameResult::White),
        "0.5" | "1/2" | "[0.5]" => Ok(GameResult::Draw),
        "0.0" | "0" | "[0.0]" => Ok(GameResult::Black),
        _ => Err(format!(
            "the result is `{}`, allowed are 1.0, 0.5 and 0.0 for white, or `-`",
            foreign(text)
        )),
    }
}

/// Writes a line.
pub(super) fn write(record: &Record, bytes: &mut Vec<u8>) {
    // Writing to memory does not fail.
    let _ = match (record.score, record.result) {
        (None, None) => writeln!(bytes, "{record}"),
        (score, result) => {
            let score = score.map_or("-".into(), |score| score.to_string());
            let result = result.map_or("-", |result| match result {
                GameResult::White => "1.0",
                GameResult::Draw => "0.5",
                GameResult::Black => "0.0",
            });
            writeln!(bytes, "{record} | {score} | {result}")
        }
    };
}
