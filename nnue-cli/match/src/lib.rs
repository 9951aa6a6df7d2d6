//! Matches of two engines that speak UCI: which of them is stronger, and by how much.
//!
//! ```no_run
//! use std::collections::BTreeMap;
//! use std::sync::atomic::AtomicBool;
//! use std::time::Duration;
//!
//! use nnue_match::{Error, Event, Limit, Match, Player, RandomBook, Report, Rules};
//!
//! # fn main() -> Result<(), Error> {
//! let players = ["new", "old"].map(|name| Player {
//!     name: name.into(),
//!     program: format!("engines/{name}").into(),
//!     arguments: Vec::new(),
//!     options: vec![("Hash".into(), "16".into())],
//! });
//! let rules = Rules {
//!     limit: Limit::Nodes(5000),
//!     chess960: false,
//!     draw: None,
//!     win: None,
//!     margin: Duration::from_millis(50),
//!     patience: Duration::from_secs(60),
//! };
//! let book = RandomBook { seed: 1, plies: 8, chess960: false, imbalance: 1 };
//! let openings = book.openings(200)?;
//! let stop = AtomicBool::new(false);
//! let tournament = Match {
//!     players: &players,
//!     rules: &rules,
//!     openings: &openings,
//!     concurrency: 2,
//!     sprt: None,
//!     stop: &stop,
//! };
//! let results = tournament.play(BTreeMap::new(), &mut |event| {
//!     if let Event::Forfeit(description) = event {
//!         eprintln!("{description}");
//!     }
//!     Ok::<(), Error>(())
//! })?;
//! let report = Report::new(&results, &players, 400, None);
//! println!("{} games: Elo of the new engine {}", report.games, report.elo_text());
//! # Ok(())
//! # }
//! ```
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

#![forbid(unsafe_code)]

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

pub use crate::adjudication::{DrawRule, WinRule};
pub use crate::book::{BadOpening, ListedBook, RandomBook};
pub use crate::engine::{Engine, Fault, Score, Thought};
pub use crate::error::Error;
pub use crate::estimate::Estimate;
pub use crate::files::{Fingerprints, find_program};
pub use crate::game::{Limit, Reason, Rules, Usage};
pub use crate::player::{Player, Side};
pub use crate::report::{Report, Test, standing};
pub use crate::results::{Pair, Played, Results};
pub use crate::state::{Settings, State};
pub use crate::statistics::{Model, Pentanomial, Sprt, Verdict, elo, normalised_elo};
pub use crate::tournament::{Event, Match};
