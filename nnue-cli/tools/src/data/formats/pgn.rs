//! PGN: games with evaluations in comments.
//!
//! Two forms of evaluations are read. Programs like cutechess and fastchess write
//! `{+0.35/12 1.2s}`: the engine's score, from its own view, of the position in which it made the
//! move before. Lichess writes `{[%eval 0.35]}`: the score, from white's view, of the position
//! after that move. A mate in n moves counts as 32000 centipawns less n.

// No crate reads the games: `pgn-reader` is GPL-3.0, and `pgn_parser` (MIT) reads no variations or
// promotions.

use cozy_chess::util::parse_san_move;
use cozy_chess::{Board, Color};
use nnue_compiler::format::foreign;

use super::chunk::Chunk;
use super::game;
use crate::data::error::BadRecord;
use crate::data::record::{GameResult, Record};

/// The score of a mate on the board, in centipawns.
const MATE: f32 = 32000.0;

pub(super) fn whole(bytes: &[u8]) -> (usize, u64) {
    let (mut len, mut lines) = (0, 0);
    while let Some((of_game, lines_of_game)) = first_game(&bytes[len..]) {
        len += of_game;
        lines += lines_of_game;
    }
    (len, lines)
}

/// The length of the first game and the number of its lines, if its end is known: the next game
/// begins with the first tag after the moves. Blank lines before a game are cut off like a game.
fn first_game(bytes: &[u8]) -> Option<(usize, u64)> {
    let (mut len, mut lines, mut is_blank, mut in_moves) = (0, 0, true, false);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let text = line.trim_ascii();
        if !text.is_empty() {
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

/// Whether a line is a tag, `[Name "Value"]`. The commands in comments begin with `[%`.
fn is_tag(line: &[u8]) -> bool {
    matches!(line, [b'[', letter, ..] if letter.is_ascii_alphabetic()) && line.ends_with(b"]")
}

pub(super) fn read(chunk: &Chunk<'_>, found: &mut dyn FnMut(Result<Record, BadRecord>)) {
    let (mut bytes, mut number) = (chunk.bytes, chunk.first);
    while !bytes.is_empty() {
        let (len, lines) = first_game(bytes).unwrap_or((bytes.len(), 0));
        let (text, rest) = bytes.split_at(len);
        // Blank lines are no game.
        if !text.trim_ascii().is_empty() {
            match game(&String::from_utf8_lossy(text)) {
                Ok(records) => records.into_iter().map(Ok).for_each(&mut *found),
                Err(wrong) => found(Err(chunk.bad("the game on line", number, wrong))),
            }
        }
        (bytes, number) = (rest, number + lines);
    }
}

/// The positions of a game in which a move was made.
fn game(text: &str) -> Result<Vec<Record>, String> {
    let mut game = Game {
        board: Board::default(),
        result: None,
        records: Vec::new(),
        next_score: None,
    };
    let mut rest = text;
    // Tags.
    loop {
        rest = rest.trim_start();
        let line = rest.lines().next().unwrap_or_default();
        if !is_tag(line.trim_end().as_bytes()) {
            break;
        }
        game.tag(line)?;
        rest = &rest[line.len()..];
    }
    // Moves in variations were not played.
    let mut depth = 0usize;
    while let Some(first) = rest.trim_start().chars().next() {
        rest = rest.trim_start();
        let len = match first {
            '{' => {
                rest.find('}')
                    .ok_or("a comment does not end, expected `}`")?
                    + 1
            }
            ';' => rest.find('\n').unwrap_or(rest.len()),
            '(' | ')' => 1,
            // The first letter may be any: it belongs to the word.
            _ => rest
                .char_indices()
                .skip(1)
                .find(|(_, letter)| letter.is_whitespace() || "{}();".contains(*letter))
                .map_or(rest.len(), |(offset, _)| offset),
        };
        let (token, behind) = rest.split_at(len);
        rest = behind;
        match first {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1).ok_or("found `)` without `(`")?,
            _ if depth > 0 => {}
            '{' | ';' => game.comment(&token[1..]),
            _ => game.word(token)?,
        }
    }
    for record in &mut game.records {
        record.result = game.result;
    }
    Ok(game.records)
}

/// A game while it is read.
struct Game {
    board: Board,
    result: Option<GameResult>,
    records: Vec<Record>,
    /// The score of the position on the board, for the side to move, if a comment said it.
    next_score: Option<f32>,
}

impl Game {
    fn tag(&mut self, line: &str) -> Result<(), String> {
        let value = line.split('"').nth(1).unwrap_or_default();
        match line[1..].split_whitespace().next().unwrap_or_default() {
            "FEN" => {
                let board = Board::from_fen(value, false).or_else(|_| Board::from_fen(value, true));
                self.board = board.map_err(|error| {
                    let why = game::of_cozy(error);
                    format!(
                        "the tag FEN is `{}`, which is no position of a game: {why}",
                        foreign(value)
                    )
                })?;
            }
            "Result" => self.result = result(value),
            _ => {}
        }
        Ok(())
    }

    /// A move, its number, a sign, or the result.
    fn word(&mut self, word: &str) -> Result<(), String> {
        if let "1-0" | "0-1" | "1/2-1/2" | "*" = word {
            self.result = self.result.or(result(word));
            return Ok(());
        }
        // `12.`, `12...`, or `12.e4` without a space between.
        let number = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let san = match number.starts_with('.') {
            true => number.trim_start_matches('.'),
            false if number.is_empty() => "",
            false => word,
        };
        if san.is_empty() || san.starts_with('$') {
            return Ok(());
        }
        let letters = san.trim_end_matches(['!', '?']).replace('0', "O");
        let played = parse_san_move(&self.board, &letters).map_err(|_| {
            format!(
                "found `{}`, expected a legal move in `{}`",
                foreign(san),
                self.board
            )
        })?;
        self.records.push(Record {
            score: self.next_score.take(),
            ..game::record(&self.board, played)
        });
        // The move is legal.
        self.board.play_unchecked(played);
        Ok(())
    }

    fn comment(&mut self, text: &str) {
        if let Some((_, eval)) = text.split_once("[%eval ") {
            let eval = eval.split([']', ',']).next().unwrap_or_default();
            let score = score(eval.trim(), '#');
            let for_white = self.board.side_to_move() == Color::White;
            self.next_score = score.map(|score| if for_white { score } else { -score });
        } else if let Some(record) = self.records.last_mut() {
            // `+0.35/12`: the depth tells a score from other numbers.
            let word = text
                .split(|letter: char| letter.is_whitespace() || letter == ',')
                .find(|word| !word.is_empty());
            let eval = word.and_then(|word| word.split_once('/'));
            if let Some((eval, depth)) = eval
                && depth.starts_with(|letter: char| letter.is_ascii_digit())
            {
                record.score = score(eval, 'M').or(record.score);
            }
        }
    }
}

/// The centipawns of a score in pawns, or of a mate such as `-M5` or `#-5`.
fn score(text: &str, mate: char) -> Option<f32> {
    match text.split_once(mate) {
        Some((before, after)) => {
            let is_lost = before.starts_with('-') || after.starts_with('-');
            let moves: u16 = after.trim_start_matches(['-', '+']).parse().ok()?;
            let score = MATE - f32::from(moves);
            Some(if is_lost { -score } else { score })
        }
        None => {
            let pawns: f32 = text.parse().ok().filter(|pawns: &f32| pawns.is_finite())?;
            Some((100.0 * pawns).round())
        }
    }
}

fn result(text: &str) -> Option<GameResult> {
    match text {
        "1-0" => Some(GameResult::White),
        "0-1" => Some(GameResult::Black),
        "1/2-1/2" => Some(GameResult::Draw),
        _ => None,
    }
}
