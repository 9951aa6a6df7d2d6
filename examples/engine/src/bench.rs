//! A fixed amount of work: its number of nodes tells builds apart, its speed machines.

use crate::evaluation::Judge;
use crate::game::Game;
use crate::search::Searcher;
use crate::table::Table;
use crate::time::{DEEPEST, Limits};
use crate::words::{number, say};

const POSITIONS: &str = include_str!("../bench.epd");

/// The depth at which nobody waits long.
const DEPTH: i32 = 12;

/// Searches each of the positions with one thread that knows nothing, and says how many nodes that
/// took, and nodes a second: `bench [DEPTH]`.
pub(crate) fn bench(judge: &Judge, words: &[&str]) -> Result<(), String> {
    let depth = words.first().map_or(Ok(DEPTH), |word| number(word))?;
    let mut limits = Limits::none();
    limits.depth = depth.clamp(1, DEEPEST);
    let mut nodes = 0;
    for fen in POSITIONS.lines() {
        let game = Game::new(fen.parse().unwrap_or_default());
        let mut searcher = Searcher::new(judge, &Table::new(16)?);
        nodes += searcher.search(&game, limits).nodes;
    }
    let speed = nodes as f64 / limits.started.elapsed().as_secs_f64();
    say(&format!("{nodes} nodes {speed:.0} nps"));
    Ok(())
}
