//! The speed of NNUE networks.
//!
//! ```no_run
//! use nnue_measure::bench::{Comparison, Packages};
//! use nnue_nets::specs::{KnownSpec, SpecChoice};
//! use nnue_runtime::Level;
//! use nnue_trace::Trace;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let comparison = Comparison {
//!     packages: &Packages::new("target/measured".as_ref(), None)?,
//!     trace: &Trace::bundled()?,
//!     trace_file: None,
//!     levels: &[Level::detect()],
//!     rounds: 9,
//!     table: None,
//!     density: None,
//!     goes_on: &|| true,
//! };
//! let spec = SpecChoice::Known(KnownSpec::named("small128")?);
//! let nets = ["nn-37f18f62d772.nnue".into()];
//! for row in comparison.run([&spec], &nets, &mut |_| {})?.rows {
//!     println!("{:.1} ns per evaluation along a search", row.incremental);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! | module | has |
//! |---|---|
//! | [`mod@bench`] | the times of any networks over a search, each in a program of its own |
//! | [`mod@reorder`] | the search for an order of neurons in which layers skip more |
//! | [`verification`] | whether compiled networks give the expected values |
//! | [`wiring`] | whether compiled code has each weight where it belongs |
//! | [`processor`] | the name of the processor |
//! | [`project`] | packages that need those of the project |

#![forbid(unsafe_code)]

pub mod bench;
mod child;
mod error;
pub mod processor;
pub mod project;
pub mod reorder;
pub mod verification;
pub mod wiring;

pub use crate::error::{Error, ProgramError};
