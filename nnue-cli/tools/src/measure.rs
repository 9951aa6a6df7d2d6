//! The speed of NNUE networks.
//!
//! | module | has |
//! |---|---|
//! | [`mod@bench`] | the times of any networks over a search, each in a program of its own |
//! | [`verification`] | whether compiled networks give the expected values |
//! | [`wiring`] | whether compiled code has each weight where it belongs |
//! | [`processor`] | the name of the processor |
//! | [`project`] | packages that need those of the project |
//!
//! With the feature `compiled`, which compiles Stockfish's networks into the program:
//!
//! | module | has |
//! |---|---|
//! | `compiled` | these networks, found by their specs |
//! | `replay` | the speed of such a network over a search: times, counts and checks; `replay::beside` races nnue-rs, with the feature `beside` |
//! | `reorder` | the search for an order of neurons in which layers skip more |

pub mod bench;
mod child;
#[cfg(feature = "compiled")]
pub mod compiled;
mod error;
pub mod processor;
pub mod project;
#[cfg(feature = "compiled")]
pub mod reorder;
#[cfg(feature = "compiled")]
pub mod replay;
pub mod verification;
pub mod wiring;

pub use crate::measure::error::{Error, ProgramError};
