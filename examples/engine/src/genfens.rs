//! Openings for games: positions after random moves, which neither side has won.

use std::fs;
use std::str::SplitWhitespace;
use std::sync::Arc;

use cozy_chess::Board;
use fastrand::Rng;

use crate::evaluation::Judge;
use crate::search::{Control, Game, Searcher, search};
use crate::table::Table;
use crate::time::Limits;
use crate::uci::{board, number, say};

/// Openings are about even: what a search of so many nodes says is at most so many centipawns.
const NODES: u64 = 1_000;
const EVEN: i32 = 400;

/// The position after so many random moves; there are moves in it.
pub(crate) fn opening(random: &mut Rng, start: &Board, plies: usize) -> Board {
    loop {
        let mut game = Game::new(start.clone());
        for _ in 0..plies {
            let Some(mv) = random.choice(game.moves()) else {
                break;
            };
            game.play(mv);
        }
        // A start that has no moves gives no other position.
        if !game.moves().is_empty() || plies == 0 {
            return game.board;
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
    let (count, seed): (usize, u64) = (number(count)?, number(seed)?);
    let mut starts = vec![Board::default()];
    if book != "None" {
        let text = fs::read_to_string(book).map_err(|error| format!("`{book}`: {error}"))?;
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        starts = lines.map(epd).collect::<Result<_, _>>()?;
    }
    let mut random = Rng::with_seed(seed);
    let mut threads = [Searcher::new(judge, &Arc::new(Table::new(1)))];
    let mut printed = 0;
    while printed < count {
        let start = random
            .choice(&starts)
            .ok_or_else(|| format!("`{book}` is empty"))?;
        let plies = if book == "None" {
            random.usize(8..=9)
        } else {
            random.usize(2..=4)
        };
        let game = Game::new(opening(&mut random, start, plies));
        let control = Arc::new(Control::default());
        let found = search(
            &mut threads,
            &game,
            Limits::nodes(NODES),
            &control,
            &mut |_| {},
        );
        if found.score.abs() <= EVEN {
            say(format_args!("info string genfens {}", game.board));
            printed += 1;
        }
    }
    Ok(())
}

/// A line of a book: the four fields of a position, and operations or counters.
fn epd(line: &str) -> Result<Board, String> {
    board(line).or_else(|_| {
        let fields: Vec<&str> = line.split_whitespace().take(4).collect();
        board(&fields.join(" "))
    })
}
