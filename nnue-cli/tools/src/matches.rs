//! Matches of two engines that speak UCI: which of them is stronger, and by how much.
//!
//! Each opening is played twice, with colours swapped, and these two games are a [`Pair`]. Pairs
//! are counted in the order of their openings. So a match has the same result each time, if nodes
//! are fixed and the engines search with a single thread and forget everything at `ucinewgame`.
//!
//! | module | has |
//! |---|---|
//! | `player` | the players: engines, with the way to start them and to set their options |
//! | `files` | the programs of the players, and hashes of the files that they read |
//! | `engine` | the client of UCI |
//! | `book` | openings |
//! | `game`, `adjudication` | a game: the rules of chess, the clocks, and rules that end it early |
//! | `pgn` | a game as text |
//! | `results`, `statistics`, `estimate` | the sums of games, and the conclusions from them: Elo and SPRT |
//! | `tournament` | all pairs, several at a time |
//! | `state` | the file of finished pairs, from which an interrupted match continues |
//! | `report` | the result as data |
//!
//! Boards are those of `cozy-chess`.

mod adjudication;
mod book;
mod engine;
mod error;
mod estimate;
mod files;
mod game;
mod pgn;
mod player;
mod report;
mod results;
mod state;
mod statistics;
mod tournament;

pub use crate::matches::adjudication::{DrawRule, WinRule};
pub use crate::matches::book::{BadOpening, ListedBook, RandomBook};
pub use crate::matches::engine::{Engine, Fault, Score, Thought};
pub use crate::matches::error::Error;
pub use crate::matches::estimate::Estimate;
pub use crate::matches::files::{Fingerprints, find_program};
pub use crate::matches::game::{Limit, Reason, Rules, Usage};
pub use crate::matches::player::{Player, Side};
pub use crate::matches::report::{Report, Test, standing};
pub use crate::matches::results::{Pair, Played, Results};
pub use crate::matches::state::{Settings, State};
pub use crate::matches::statistics::{Model, Pentanomial, Sprt, Verdict, elo, normalised_elo};
pub use crate::matches::tournament::{Event, Match};
