//! Matches of two engines or two nets: `nnue match`.
//!
//! `tournament` has the pairs of games and who plays them when, `game` one game, `engine` the
//! protocol in which an engine is spoken to, and `statistics` what the results mean.

pub(crate) mod adjudication;
pub(crate) mod book;
mod engine;
pub(crate) mod game;
mod pgn;
pub(crate) mod player;
pub(crate) mod report;
mod results;
pub(crate) mod state;
pub(crate) mod statistics;
pub(crate) mod tournament;
