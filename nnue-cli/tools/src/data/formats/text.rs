//! Text: a position a line, `FEN | score | result`.
//!
//! The score is in centipawns from the side to move's view. The result is that of the game for
//! white: 1.0, 0.5 or 0.0. Either may be `-` or left out. Blank lines and lines that begin with `#`
//! are skipped.
//!
//! Programs that count pawns write `0.35`, which would be nothing in centipawns. So a score with
//! other digits than 0 behind its point is read only where the user says what scores count.

use std::io::Write;
use std::str;

use nnue_compiler::format::foreign;
use nnue_runtime::Position;

use super::EvalUnit;
use super::chunk::Chunk;
use super::game::check_count;
use crate::data::error::BadRecord;
use crate::data::record::{GameResult, Record};
use crate::fen::{BYTE_ORDER_MARK, Fen};

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
            1 => line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line),
            _ => line,
        };
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let unit = chunk.units.given;
        found(record(line, unit).map_err(|wrong| chunk.bad("line", number, wrong)));
    }
}

/// Reads a line.
fn record(line: &[u8], unit: Option<EvalUnit>) -> Result<Record, String> {
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
    let fen = Fen::parse(fen).map_err(|error| error.to_string())?;
    check_count(fen.board.occupied().0)?;
    let mut record = Record {
        rest: fen.rest,
        ..Record::new(&fen.board)
    };
    let score = given(score).map(|score| self::score(score, unit));
    record.score = score.transpose()?;
    record.result = given(result).map(self::result).transpose()?;
    Ok(record)
}

/// The text of a field, unless the field is missing or `-`.
fn given(field: Option<&str>) -> Option<&str> {
    field.filter(|text| *text != "-")
}

fn score(text: &str, unit: Option<EvalUnit>) -> Result<f32, String> {
    match (text.parse::<f32>(), unit) {
        (Ok(score), None) if score.fract() != 0.0 && score.is_finite() => Err(format!(
            "found the score `{}` with a decimal point: `--eval-unit` says whether it counts pawns or centipawns",
            foreign(text)
        )),
        (Ok(score), Some(EvalUnit::Pawns)) if score.is_finite() => Ok((100.0 * score).round()),
        (Ok(score), _) if score.is_finite() => Ok(score),
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
