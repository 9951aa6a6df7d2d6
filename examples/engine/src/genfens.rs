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

/// A position after so many random moves, in which the game goes on.
pub(crate) fn opening(random: &mut Rng, start: &Board, plies: usize) -> Game {
    loop {
        let mut game = Game::new(start.clone());
        for _ in 0..plies {
            random
                .choice(game.moves())
                .into_iter()
                .for_each(|mv| game.play(mv));
        }
        if !game.moves().is_empty() {
            return Game::new(game.board);
        }
    }
}

/// Prints openings, as OpenBench asks for them: `genfens N seed S book B`. The book is None or a
/// file of positions, a line each.
pub(crate) fn genfens(judge: &Judge, words: SplitWhitespace<'_>) -> Result<(), String> {
    let words: Vec<&str> = words.collect();
    let [count, "seed", seed, "book", book, ..] = words[..] else {
        return Err("expected `genfens N seed S book B`".to_owned());
    };
    let (mut starts, plies) = (
        vec![Board::default()],
        if book == "None" { 8..=9 } else { 2..=3 },
    );
    if book != "None" {
        let text = fs::read_to_string(book).map_err(|error| format!("`{book}`: {error}"))?;
        starts = text.lines().map(epd).collect::<Result<_, _>>()?;
        starts.retain(|board| board.generate_moves(|_| true));
    }
    let mut random = Rng::with_seed(number(seed)?);
    let mut threads = [Searcher::new(judge, &Arc::new(Table::new(1)))];
    let mut limits = Limits::none();
    limits.nodes = NODES;
    let mut missing: u64 = number(count)?;
    while missing > 0 {
        let start = random
            .choice(&starts)
            .ok_or_else(|| format!("`{book}` has no positions"))?;
        let plies = random.usize(plies.clone());
        let game = opening(&mut random, start, plies);
        let found = search(&mut threads, &game, limits, &Arc::default(), &mut |_| {});
        if found.score.abs() <= EVEN {
            say(&format!("info string genfens {}", game.board));
            missing -= 1;
        }
    }
    Ok(())
}

/// A line of a book: the fields of a position, and operations or counters.
fn epd(line: &str) -> Result<Board, String> {
    let fields: Vec<&str> = line.split_whitespace().take(4).collect();
    board(&fields.join(" "))
}
