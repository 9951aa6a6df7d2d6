//! `nnue-rs` beside this project: the same net over the same search in one process, in turns, with
//! every value compared.
//!
//! # What is compared
//!
//! `nnue-rs` shows one number of an evaluation: the value in the engine's units. Each of its
//! values, in each of its ways, must be the one that follows from our PSQT and positional sums by
//! its own rounding ([`nnue_rs::Peer::value_of`]); each of our values, on each level and in each
//! pass, must equal our full refresh in all its parts.
//!
//! One difference is known. For SFNNv6 the engine divides the sum of both parts by 16; `nnue-rs`
//! divides each part, as engines do since SFNNv9, and so differs by one in nearly half of all
//! positions. The program prints how many.
//!
//! # What is measured
//!
//! * The same loops with the same clock, in turns for each search ([`race()`]).
//! * Along a search, our evaluator keeps its own placement of the pieces, which is part of its
//!   time. `nnue-rs` asks for the board of an engine; when it is updated lazily, it gets the boards
//!   of the trace, which cost it no time.
//! * Along a search, both read the trace, in an engine where that is asked for. What that takes
//!   alone is measured too, and subtracted in each round.
//! * Each has its own copy of the weights, so that each finds the other's in the caches.
//! * `nnue-rs` detects AVX2 at run time, in each call of a kernel, and uses nothing newer. Built
//!   with `RUSTFLAGS=-Ctarget-cpu=native` there is nothing to detect, and its other code may use
//!   AVX2 as well: measure both builds.

pub mod nnue_rs;
mod race;
mod raced;

pub use self::race::{Conditions, Difference, LevelResults, Results, race};
pub use self::raced::Raced;
