//! `nnue-rs` beside this project: the same net over the same search in one process, in turns, with
//! every value compared.
//!
//! # What is compared
//!
//! `nnue-rs` returns a single number for an evaluation: the value in the engine's units. In each of
//! its ways, this value must follow from our PSQT and positional sums by the rounding of `nnue-rs`
//! ([`nnue_rs::Peer::value_of`]). Our values, on each level and in each pass, must equal those of
//! our full refresh in all parts.
//!
//! There is a single known difference. For SFNNv6 the engine divides the sum of both parts by 16;
//! `nnue-rs` divides each part, as engines do since SFNNv9, and so its values differ by 1 in nearly
//! half of all positions. The program prints the number of these positions.
//!
//! # What is measured
//!
//! * Both crates run the same loops with the same clock, in turns for each search ([`race()`]).
//! * Along a search, our evaluator keeps its own placement of the pieces, which is part of its
//!   time. `nnue-rs` asks for the board of an engine; if it is updated lazily, it gets the boards
//!   of the trace, which cost it no time.
//! * Along a search, both crates read the trace, in an engine if the user asks for it. The time of
//!   this work alone is measured too, and subtracted in each round.
//! * Each crate has its own copy of the weights, and finds that of the other crate in the caches.
//! * `nnue-rs` detects AVX2 at run time, in each call of a kernel, and uses nothing newer. Built
//!   with `RUSTFLAGS=-Ctarget-cpu=native` there is nothing to detect, and its other code may use
//!   AVX2 as well: measure both builds.

pub mod nnue_rs;
mod race;
mod raced;

pub use self::race::{Conditions, Difference, LevelResults, Results, race};
pub use self::raced::Raced;
