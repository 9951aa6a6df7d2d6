//! The speed of NNUE networks.
//!
//! | module | has |
//! |---|---|
//! | [`mod@bench`] | the times of any networks over a search, each in a program of its own |
//! | [`mod@reorder`] | the search for an order of neurons in which layers skip more |
//! | [`verification`] | whether compiled networks give the expected values |
//! | [`wiring`] | whether compiled code has each weight where it belongs |
//! | [`processor`] | the name of the processor |
//! | [`project`] | the place from which packages of the project come |
//! | [`workspace`] | the folders in which networks are compiled |

pub mod bench;
mod error;
pub mod processor;
pub mod project;
pub mod reorder;
pub mod verification;
pub mod wiring;
pub mod workspace;

pub use crate::measure::error::{Error, ProgramError};
