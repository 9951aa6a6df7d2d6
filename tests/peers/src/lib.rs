//! Other NNUE crates and this one, side by side: the same nets over the same search, every value compared.
//!
//! # What is compared
//!
//! `nnue-rs` shows one number of an evaluation: the value in the engine's units. Each of its values, in each of its ways,
//! must be the one that follows from our PSQT and positional sums by its own rounding ([`nnue_rs::Peer::value_of`]);
//! ours, on each level and in each pass, must be equal to our full refresh in all parts.
//!
//! One difference is known. For SFNNv6 the engine divides the sum of both parts by 16; `nnue-rs` divides each by itself, as
//! engines do since SFNNv9, and so differs by one in nearly half of all positions. How many those are is printed.
//!
//! # What is measured
//!
//! * The same loops with the same clock, in turns, in every round ([`race`]).
//! * Along a search, ours keeps its own placement of the pieces, and that is measured with it. `nnue-rs` asks for the board
//!   of an engine; updated lazily, it is given those of the trace, whose upkeep costs it nothing.
//! * Reading the trace is in the times of both along a search, and shown by itself: ratios are of what was measured.
//! * `nnue-rs` detects AVX2 at run time, in each call of a kernel, and uses nothing newer. Built with
//!   `RUSTFLAGS=-Ctarget-cpu=native` there is nothing to detect, and its other code may use AVX2 as well: measure both
//!   builds.

pub mod nnue_rs;
pub mod race;
pub mod table;
