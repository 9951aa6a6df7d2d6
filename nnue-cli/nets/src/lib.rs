//! Net files of any NNUE network: recognition of the network, contents, evaluations, and conversion
//! to other files of the same network.
//!
//! ```no_run
//! use std::path::Path;
//!
//! use nnue_nets::evaluation::{Evaluate, Interpreted};
//! use nnue_nets::info::Info;
//! use nnue_nets::net_file::NetFile;
//! use nnue_nets::positions::WrittenPosition;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let path = Path::new("nn-37f18f62d772.nnue");
//! let bytes = std::fs::read(path)?;
//! // Without a spec, the file tells which network it is of.
//! let file = NetFile::of_any(path, None, &bytes)?;
//! for tensor in Info::of_opened(path, &bytes, Some(&file))?.network.iter().flat_map(|net| &net.tensors) {
//!     println!("{}: {} to {}", tensor.name, tensor.minimum, tensor.maximum);
//! }
//! let start = WrittenPosition::parse("startpos")?;
//! println!("{:?}", Interpreted::of(&file)?.evaluate(&start.board).value());
//! # Ok(())
//! # }
//! ```
//!
//! | module | has |
//! |---|---|
//! | [`specs`] | the specs that are part of the compiler, and specs in files |
//! | [`net_file`] | a net file that fits a network, and the recognition of a file's network |
//! | [`told`] | specs that come with a net file |
//! | [`tensors`] | the tensors of a net file as plain numbers |
//! | [`info`] | facts about a net file: statistics, and bounds that its weights prove |
//! | [`difference`] | the differences between two net files |
//! | [`conversion`] | a net file in the form that another spec of its network has |
//! | [`positions`] | FEN and EPD, a single position or a list |
//! | [`evaluation`] | evaluations of positions, by compiled and interpreted networks |
//! | [`golden`], [`verification`] | the expected values of a network, and the comparison with them |
//! | [`parallel`] | work on all cores |
//!
//! All types for results derive serde's `Serialize`; the caller makes tables and colours.

#![forbid(unsafe_code)]

pub mod conversion;
pub mod difference;
mod error;
pub mod evaluation;
pub mod golden;
pub mod info;
pub mod net_file;
pub mod parallel;
pub mod positions;
pub mod specs;
pub mod tensors;
pub mod told;
pub mod verification;

pub use crate::error::Error;
