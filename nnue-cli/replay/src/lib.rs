//! Evaluations with a network over the trace of a search, measured in turns with other networks.
//!
//! [`Contender`]s evaluate with a network, in each of the ways of [`Pass`]. `nnue bench` compiles
//! each network into a program of its own, whose `main` is [`serve()`]. The program loads a net
//! file, writes facts about the network, and then evaluates a search for each request, while the
//! programs of other networks wait. `nnue verify` starts the same programs to evaluate positions, and
//! with `--wiring` others, whose `main` is [`check_wiring`].

mod answer;
mod contenders;
mod engine;
mod pass;
mod request;
mod serve;
mod wiring;

pub use crate::answer::{Answer, Values};
pub use crate::contenders::{Along, ByPieces, Evaluate, FirstBucket, Prepared, Refreshed};
pub use crate::engine::{Engine, Following};
pub use crate::pass::{Contender, Pass, Work, time_each, time_prepared};
pub use crate::request::{Facts, Request};
pub use crate::serve::{Task, serve};
pub use crate::wiring::{Wiring, check_wiring};
