//! Openings for games: positions after random moves, in which neither side has won yet.

use cozy_chess::Board;
use fastrand::Rng;

use crate::evaluation::Judge;
use crate::game::opening;
use crate::search::Searcher;
use crate::table::Table;
use crate::time::Limits;
use crate::words::{board, number, say};

/// Openings are about even: a search of [`NODES`] nodes finds at most [`EVEN`] centipawns.
const NODES: u64 = 1_000;
const EVEN: i32 = 400;
/// At most this number of openings in a row may be uneven.
const TRIES: usize = 1_000;

/// Prints openings, as OpenBench asks for them: `genfens N seed S book B`. The book is None or a
/// file of positions, a line each.
pub(crate) fn genfens(judge: &Judge, words: &[&str]) -> Result<(), String> {
    let [count, "seed", seed, "book", book, ..] = words else {
        return Err("expected `genfens N seed S book B`".to_owned());
    };
    let mut random = Rng::with_seed(number(seed)?);
    let (starts, plies) = match *book {
        "None" => (vec![Board::default()], 8..=9),
        path => (read(path)?, 2..=3),
    };
    let mut searcher = Searcher::new(judge, &Table::new(1)?);
    let mut limits = Limits::none();
    limits.nodes = NODES;
    for _ in 0..number(count)? {
        let game = (0..TRIES).find_map(|_| {
            let start = random.choice(&starts)?;
            let plies = random.usize(plies.clone());
            let game = opening(&mut random, start, plies)?;
            let is_even = searcher.search(&game, limits).score.abs() <= EVEN;
            is_even.then_some(game)
        });
        let game = game.ok_or_else(|| format!("found no even opening from `{book}`"))?;
        say(&format!("info string genfens {}", game.board));
    }
    Ok(())
}

/// The positions of a book, of whose lines the fields after the fourth are counters or operations.
fn read(path: &str) -> Result<Vec<Board>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("`{path}`: {error}"))?;
    let position = |line: &str| board(line.split_whitespace().take(4));
    text.lines().map(position).collect()
}
