//! Lines that are said, and words that are read.

use std::io::{self, Write};

use cozy_chess::{Board, Color, get_king_moves};

/// Prints a line. If nobody reads, the input will end too.
pub(crate) fn say(line: &str) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// A number that has to be there.
pub(crate) fn number<T: std::str::FromStr>(word: &str) -> Result<T, String> {
    let error = |_| format!("expected a number, found `{word}`");
    word.parse().map_err(error)
}

/// The board of a FEN's fields. The last fields may be missing. Some programs count moves from 0,
/// and tell of squares on which no pawn can capture. In Chess960, `K` may be the right of the
/// outermost rook.
pub(crate) fn board<'a>(fields: impl Iterator<Item = &'a str>) -> Result<Board, String> {
    let mut fields: Vec<&str> = fields.collect();
    let rest = ["", "w", "-", "-", "0", "1"];
    fields.extend(rest.get(fields.len()..).unwrap_or_default());
    // Of texts, `0` is before `1`, and that before all other numbers.
    fields[5] = fields[5].max("1");
    let fen = fields.join(" ");
    let without = fen.replace(&format!(" {} ", fields[3]), " - ");
    let rights = by_files(fields[0], fields[2]);
    fields[2..4].copy_from_slice(&[&rights, "-"]);
    let read = fen.parse().or_else(|_| without.parse());
    let read = read.or_else(|error| Board::from_fen(&fields.join(" "), true).map_err(|_| error));
    let board: Board = read.map_err(|error| format!("`{fen}`: {error}"))?;
    let near = format!("`{fen}`: the kings are side by side");
    let is_apart = !get_king_moves(board.king(Color::White)).has(board.king(Color::Black));
    is_apart.then_some(board).ok_or(near)
}

/// Castling rights with the files of the outermost rooks in place of `K`, `Q`, `k` and `q`.
fn by_files(placement: &str, rights: &str) -> String {
    let file = |right: char| {
        let is_white = right.is_uppercase();
        let mut ranks = placement.split('/');
        let rank = if is_white {
            ranks.next_back()
        } else {
            ranks.next()
        }?;
        let rook = if is_white { 'R' } else { 'r' };
        let empty = |digit: char| digit.to_digit(10).map_or(1, |count| count as usize);
        let squares = rank.chars().flat_map(|piece| vec![piece; empty(piece)]);
        let mut rooks = squares
            .take(8)
            .enumerate()
            .filter(|(_, piece)| *piece == rook);
        let (file, _) = match right.to_ascii_lowercase() {
            'k' => rooks.last(),
            'q' => rooks.next(),
            _ => None,
        }?;
        let letter = char::from(b'a' + file as u8);
        Some(if is_white {
            letter.to_ascii_uppercase()
        } else {
            letter
        })
    };
    rights
        .chars()
        .map(|right| file(right).unwrap_or(right))
        .collect()
}
