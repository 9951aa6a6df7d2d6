//! NNUE networks as pictures.
//!
//! ```
//! use nnue_compiler::analyse;
//! use nnue_compiler::diagnostics::SourceFile;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let spec = SourceFile::new("mine.toml", "name = 'Mine'\nlike = 'sfnnv9'");
//! let svg = nnue_picture::drawing::svg(&analyse(&spec)?);
//! assert!(svg.starts_with("<svg "));
//! # Ok(())
//! # }
//! ```
//!
//! | module | has |
//! |---|---|
//! | [`drawing`] | a network as SVG: a box for each operation, an arrow for each tensor that it reads |
//! | [`picture`] | the weights of a net as PNG: boards of neurons, histograms of tensors |
//! | [`page`] | all facts about a net, on an HTML page that needs no other files |
//! | [`page::loops`] | the results of a loop, on such a page |

#![forbid(unsafe_code)]

pub mod drawing;
mod error;
pub mod page;
pub mod picture;
mod xml;

pub use crate::error::Error;
