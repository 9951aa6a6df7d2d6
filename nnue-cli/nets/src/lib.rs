//! Net files of any NNUE network: which network a file is of, what is in it, what it says of
//! positions, and the same network as another file.
//!
//! ```no_run
//! use std::path::Path;
//!
//! use nnue_nets::evaluation::{Evaluate, Interpreted};
//! use nnue_nets::info::Info;
//! use nnue_nets::net_file::NetFile;
//! use nnue_nets::positions::Given;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let path = Path::new("nn-37f18f62d772.nnue");
//! let bytes = std::fs::read(path)?;
//! // Without a spec, the file tells which network it is of.
//! let file = NetFile::of_any(path, None, &bytes)?;
//! for tensor in Info::of_opened(path, &bytes, Some(&file))?.network.iter().flat_map(|net| &net.tensors) {
//!     println!("{}: {} to {}", tensor.name, tensor.minimum, tensor.maximum);
//! }
//! let start = Given::parse("startpos")?;
//! println!("{:?}", Interpreted::of(&file)?.evaluate(&start.board).value());
//! # Ok(())
//! # }
//! ```
//!
//! | module | has |
//! |---|---|
//! | [`specs`] | the specs that are part of the compiler, and those of files |
//! | [`net_file`] | a net file that fits a network, and how a file's network is recognised |
//! | [`tensors`] | the tensors of a net file as plain numbers |
//! | [`info`] | what a net file is: statistics, and bounds that its weights prove |
//! | [`difference`] | what tells two net files apart |
//! | [`conversion`] | a net file in the form that another spec of its network has |
//! | [`positions`] | FEN and EPD, one position or a list |
//! | [`evaluation`] | what a network says of a position, whether it is compiled or interpreted |
//! | [`golden`], [`verification`] | what a network should say, and whether it does |
//! | [`parallel`] | work on all cores |
//!
//! Everything that is shown derives serde's `Serialize`; tables and colours are the caller's.

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
pub mod verification;

pub use crate::error::Error;
