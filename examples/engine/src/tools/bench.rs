//! A fixed amount of work: its number of nodes tells builds apart, its speed machines.

use std::sync::Arc;

use crate::evaluation::Judge;
use crate::game::Game;
use crate::search::{Searcher, search};
use crate::table::Table;
use crate::time::Limits;

const POSITIONS: &str = include_str!("../../bench.epd");

/// The depth at which nobody waits long.
pub(crate) const DEPTH: i32 = 12;

/// Searches each of the positions with one thread that knows nothing, and says how many nodes that
/// took, and nodes a second.
pub(crate) fn bench(judge: &Judge, depth: i32) -> String {
    let mut limits = Limits::none();
    limits.depth = depth;
    let mut nodes = 0;
    for fen in POSITIONS.lines() {
        let game = Game::new(fen.parse().unwrap_or_default());
        let mut threads = [Searcher::new(judge, &Arc::new(Table::new(16)))];
        nodes += search(&mut threads, &game, limits, &Arc::default(), &mut |_| {}).nodes;
    }
    let speed = nodes as f64 / limits.started.elapsed().as_secs_f64();
    format!("{nodes} nodes {speed:.0} nps")
}
