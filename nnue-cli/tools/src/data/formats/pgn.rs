//! PGN: games with evaluations in comments.
//!
//! Two forms of evaluations are read. Programs like cutechess and fastchess write
//! `{+0.35/12 1.2s}`, and OpenBench `{+0.35 12/18 583 363004}`: the engine's score, from its own
//! view, of the position in which it made the move before. Lichess and ChessBase write
//! `{[%eval 0.35]}` and `{[%eval 35,18]}`: the score, from white's view, of the position after that
//! move. A mate in n moves counts as 32000 centipawns less n.

// No crate reads the games: `pgn-reader` is GPL-3.0, and `pgn_parser` (MIT) reads no variations or
// promotions.

mod evaluation;
mod moves;

use cozy_chess::{Board, Color};
use nnue_compiler::format::foreign;

use self::evaluation::Evaluation;
use super::chunk::Chunk;
use super::game;
use crate::data::error::BadRecord;
use crate::data::record::{GameResult, Record};
use crate::fen::{BYTE_ORDER_MARK, Fen};

pub use self::evaluation::EvalUnit;
pub(crate) use self::evaluation::{Units, unit_of, unknown_comment};

/// The names of chess and Chess960 in the tag `Variant`, in small letters and digits.
const CHESS: [&str; 15] = [
    "",
    "standard",
    "chess",
    "normal",
    "regular",
    "orthodox",
    "fromposition",
    "chess960",
    "fischerandom",
    "fischerrandom",
    "fischerrandomchess",
    "doublefischerandom",
    "doublefischerrandom",
    "dfrc",
    "wildfr",
];

pub(super) fn whole(bytes: &[u8]) -> (usize, u64) {
    let (mut len, mut lines) = (0, 0);
    while let Some((of_game, lines_of_game)) = first_game(&bytes[len..]) {
        len += of_game;
        lines += lines_of_game;
    }
    (len, lines)
}

/// The length of the first game and the number of its lines, if its end is known: the next game
/// begins with the first tag after the moves. Lines without a game before it are cut off like one.
fn first_game(bytes: &[u8]) -> Option<(usize, u64)> {
    let (mut len, mut lines, mut is_blank, mut in_moves) = (0, 0, true, false);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if !is_nothing(line) {
            let text = unmarked(line).trim_ascii();
            let is_tag = is_tag(text);
            if is_blank && lines > 0 || is_tag && in_moves {
                return Some((len, lines));
            }
            is_blank = false;
            in_moves |= !is_tag;
        }
        len += line.len();
        lines += 1;
    }
    (is_blank && bytes.ends_with(b"\n")).then_some((len, lines))
}

/// Whether a line is blank, or one that readers skip, as the standard says of lines with a `%` first.
fn is_nothing(line: &[u8]) -> bool {
    let line = unmarked(line);
    line.starts_with(b"%") || line.trim_ascii().is_empty()
}

/// A line without the mark of its encoding, which is before the first game, or before several if
/// files were put together.
fn unmarked(line: &[u8]) -> &[u8] {
    line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line)
}

/// Whether a line is a tag, `[Name "Value"]`. The commands in comments begin with `[%`.
pub(super) fn is_tag(line: &[u8]) -> bool {
    matches!(line, [b'[', letter, ..] if letter.is_ascii_alphabetic()) && line.ends_with(b"]")
}

pub(super) fn read(chunk: &Chunk<'_>, found: &mut dyn FnMut(Result<Record, BadRecord>)) {
    let (mut bytes, mut number) = (chunk.bytes, chunk.first);
    while !bytes.is_empty() {
        let (len, lines) = first_game(bytes).unwrap_or((bytes.len(), 0));
        let (text, rest) = bytes.split_at(len);
        if !text.split(|byte| *byte == b'\n').all(is_nothing) {
            match game(&String::from_utf8_lossy(text), chunk.units) {
                Ok(records) => records.into_iter().map(Ok).for_each(&mut *found),
                Err(wrong) => found(Err(chunk.bad("the game on line", number, wrong))),
            }
        }
        (bytes, number) = (rest, number + lines);
    }
}

/// The positions of a game in which a move was made.
fn game(text: &str, units: Units) -> Result<Vec<Record>, String> {
    let mut game = Game {
        units,
        fen: None,
        board: Board::default(),
        result: None,
        records: Vec::new(),
        next_score: None,
    };
    let mut rest = text;
    // Tags.
    loop {
        rest = rest.trim_start_matches(is_space);
        let line = rest.lines().next().unwrap_or_default();
        match is_tag(line.trim_end().as_bytes()) {
            true => game.tag(line)?,
            false if is_skipped(text, rest) => {}
            false => break,
        }
        rest = &rest[line.len()..];
    }
    game.begin()?;
    // Moves in variations were not played.
    let mut depth = 0usize;
    while let Some(first) = rest.trim_start_matches(is_space).chars().next() {
        rest = rest.trim_start_matches(is_space);
        let is_skipped = is_skipped(text, rest);
        let len = match first {
            _ if is_skipped => rest.find('\n').unwrap_or(rest.len()),
            '{' => {
                rest.find('}')
                    .ok_or("a comment does not end, expected `}`")?
                    + 1
            }
            ';' => rest.find('\n').unwrap_or(rest.len()),
            '(' | ')' => 1,
            // The first letter may be any: it belongs to the word.
            _ => word_len(rest),
        };
        let (token, behind) = rest.split_at(len);
        rest = behind;
        match first {
            _ if is_skipped => {}
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1).ok_or("found `)` without `(`")?,
            _ if depth > 0 => {}
            '{' => game.comment(&token[1..len - 1])?,
            ';' => game.comment(&token[1..])?,
            _ => game.word(token)?,
        }
    }
    if depth > 0 {
        return Err("a variation does not end, expected `)`".into());
    }
    for record in &mut game.records {
        record.result = game.result;
    }
    Ok(game.records)
}

/// Whether a letter is between words: white space, or a mark of the encoding.
fn is_space(letter: char) -> bool {
    letter.is_whitespace() || letter == '\u{feff}'
}

/// Whether the rest of a text begins with a line that readers skip.
fn is_skipped(text: &str, rest: &str) -> bool {
    let before = &text[..text.len() - rest.len()];
    rest.starts_with('%')
        && before
            .chars()
            .next_back()
            .is_none_or(|last| matches!(last, '\n' | '\u{feff}'))
}

/// The length of a word, whose first letter may be any.
fn word_len(text: &str) -> usize {
    let is_end = |letter: char| is_space(letter) || "{}();".contains(letter);
    let mut ends = text.char_indices().skip(1);
    let end = ends.find(|(_, letter)| is_end(*letter));
    let end = end.map_or(text.len(), |(offset, _)| offset);
    // In `a8(Q)` the piece is part of the word.
    match &text.as_bytes()[end..] {
        [b'(', piece, b')', ..] if b"QRBNqrbn".contains(piece) => end + 3,
        _ => end,
    }
}

/// A game while it is read.
struct Game<'t> {
    units: Units,
    fen: Option<&'t str>,
    board: Board,
    result: Option<GameResult>,
    records: Vec<Record>,
    /// The score of the position on the board, for the side to move, if a comment said it.
    next_score: Option<f32>,
}

impl<'t> Game<'t> {
    fn tag(&mut self, line: &'t str) -> Result<(), String> {
        let value = line.split('"').nth(1).unwrap_or_default();
        match line[1..].split_whitespace().next().unwrap_or_default() {
            "FEN" => self.fen = Some(value),
            "Result" => self.result = result(value),
            "Variant" => {
                let letters = value.chars().filter(char::is_ascii_alphanumeric);
                let letters: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
                if !CHESS.contains(&&*letters) {
                    return Err(format!(
                        "the variant of the game is `{}`, allowed are chess and Chess960",
                        foreign(value)
                    ));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Begins the game at its first position, when all tags were read: the message about a variant
    /// says more than that about its position.
    fn begin(&mut self) -> Result<(), String> {
        let Some(fen) = self.fen else { return Ok(()) };
        let read = Fen::parse(fen).map_err(|error| error.to_string());
        self.board = read.and_then(|read| read.game()).map_err(|why| {
            format!(
                "the tag FEN is `{}`, which is no position of a game: {why}",
                foreign(fen)
            )
        })?;
        Ok(())
    }

    /// A move, its number, a sign, or the result.
    fn word(&mut self, word: &str) -> Result<(), String> {
        let result = result(word);
        if result.is_some() || word == "*" {
            let known = self.result.or(result);
            if result.is_some() && result != known {
                return Err(format!(
                    "the moves end with `{word}`, and the tag Result says otherwise"
                ));
            }
            self.result = known;
            return Ok(());
        }
        // `12.`, `12...`, or `12.e4` without a space between.
        let number = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let san = match number.starts_with('.') {
            true => number.trim_start_matches('.'),
            false if number.is_empty() => "",
            false => word,
        };
        if san.is_empty() || san.starts_with('$') || moves::is_mark(san) {
            return Ok(());
        }
        let played = moves::read(&self.board, san)?;
        self.records.push(Record {
            score: self.next_score.take(),
            ..game::record(&self.board, played)
        });
        // The move is legal.
        self.board.play_unchecked(played);
        Ok(())
    }

    fn comment(&mut self, text: &str) -> Result<(), String> {
        match evaluation::of_comment(text, self.units)? {
            Some(Evaluation::After(score)) => {
                let for_white = self.board.side_to_move() == Color::White;
                self.next_score = Some(if for_white { score } else { -score });
            }
            Some(Evaluation::Before(score)) => {
                if let Some(record) = self.records.last_mut() {
                    record.score = Some(score);
                }
            }
            None => {}
        }
        Ok(())
    }
}

fn result(text: &str) -> Option<GameResult> {
    match text {
        "1-0" => Some(GameResult::White),
        "0-1" => Some(GameResult::Black),
        "1/2-1/2" | "1/2" => Some(GameResult::Draw),
        _ => None,
    }
}
