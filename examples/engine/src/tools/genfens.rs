//! Openings for games: positions after random moves, in which neither side has won yet.

use std::fs;
use std::str::SplitWhitespace;
use std::sync::Arc;

use cozy_chess::Board;
use fastrand::Rng;

use crate::evaluation::Judge;
use crate::game::Game;
use crate::search::{Searcher, search};
use crate::table::Table;
use crate::time::Limits;
use crate::uci::{board, number, say};

/// Openings are about even: a search of so many nodes finds at most so many centipawns.
const NODES: u64 = 1_000;
const EVEN: i32 = 400;
/// So many openings may be uneven for each that is not.
const TRIES: usize = 1_000;

/// A game that begins after so many random moves, unless it is over by then.
pub(crate) fn opening(random: &mut Rng, start: &Board, plies: usize) -> Option<Game> {
    let mut game = Game::new(start.clone());
    for _ in 0..plies {
        game.play(random.choice(game.moves())?);
    }
    game.keys.clear();
    (!game.moves().is_empty()).then_some(game)
}

/// Prints openings, as OpenBench asks for them: `genfens N seed S book B`. The book is None or a
/// file of positions, a line each.
pub(crate) fn genfens(judge: &Judge, words: SplitWhitespace<'_>) -> Result<(), String> {
    let words: Vec<&str> = words.collect();
    let [count, "seed", seed, "book", book, ..] = words[..] else {
        return Err("expected `genfens N seed S book B`".to_owned());
    };
    let (count, seed): (usize, u64) = (number(count)?, number(seed)?);
    let (starts, plies) = match book {
        "None" => (vec![Board::default()], 8..=9),
        path => {
            let text = fs::read_to_string(path).map_err(|error| format!("`{path}`: {error}"))?;
            (text.lines().map(epd).collect::<Result<_, _>>()?, 2..=3)
        }
    };
    let mut random = Rng::with_seed(seed);
    let mut threads = [Searcher::new(judge, &Arc::new(Table::new(1)))];
    let mut limits = Limits::none();
    limits.nodes = NODES;
    let mut printed = 0;
    for _ in 0..count.saturating_mul(TRIES) {
        if printed == count {
            break;
        }
        let start = random
            .choice(&starts)
            .ok_or_else(|| format!("`{book}` is empty"))?;
        let plies = random.usize(plies.clone());
        let Some(game) = opening(&mut random, start, plies) else {
            continue;
        };
        let found = search(&mut threads, &game, limits, &Arc::default(), &mut |_| {});
        if found.score.abs() <= EVEN {
            say(&format!("info string genfens {}", game.board));
            printed += 1;
        }
    }
    match printed == count {
        true => Ok(()),
        false => Err(format!("found only {printed} even openings from `{book}`")),
    }
}

/// A line of a book: the fields of a position, and operations or counters.
fn epd(line: &str) -> Result<Board, String> {
    let fields: Vec<&str> = line.split_whitespace().take(4).collect();
    board(&fields.join(" "))
}
