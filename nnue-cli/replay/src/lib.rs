//! A network over the trace of a search, measured in turns with others.
//!
//! `nnue bench` compiles each network into a program of its own, whose `main` is [`serve()`]. It
//! loads a net file, says what is to be known of it, and then evaluates one search after the other
//! as it is told, while the programs of other networks wait.

mod request;
mod serve;

pub use crate::request::{Facts, Pass, Request};
pub use crate::serve::{ByBucket, ByPieces, Evaluate, serve};
