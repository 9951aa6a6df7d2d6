//! The speed of NNUE networks.
//!
//! ```no_run
//! use nnue_compiler::analyse;
//! use nnue_measure::bench::{Packages, Program, Row, Spec, measure};
//! use nnue_nets::specs::{KnownSpec, SpecChoice};
//! use nnue_runtime::Level;
//! use nnue_trace::Trace;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let spec = Spec::read(&SpecChoice::Known(KnownSpec::named("small128")?))?;
//! let packages = Packages::new("target/measured".as_ref(), None)?;
//! // Compiles the network into a program of its own.
//! let turn = packages.turn(|folder| eprintln!("waiting for {}", folder.display()))?;
//! let program = turn.build(std::slice::from_ref(&spec))?.remove(0)?;
//! let (net, level) = ("nn-37f18f62d772.nnue", Level::detect());
//! let started = Program::start(&program, net.as_ref(), level)?;
//! let names = [spec.choice.to_string(), spec.network.name];
//! let row = Row::new(names, Some(net.into()), level, started.facts);
//! let evaluations: Vec<usize> =
//!     Trace::bundled()?.searches.iter().map(|search| search.evaluated.len()).collect();
//! for row in measure(&mut [(row, started)], &evaluations, 9, &mut || {}).rows {
//!     println!("{:.1} ns per evaluation along a search", row?.incremental);
//! }
//! # Ok(())
//! # }
//! ```
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

#![forbid(unsafe_code)]

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

pub use crate::error::{Error, ProgramError};
