//! NNUE networks for other programs.
//!
//! ```
//! use nnue_compiler::analyse;
//! use nnue_compiler::diagnostics::SourceFile;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let spec = SourceFile::new("mine.toml", "name = 'Mine'\nlike = 'sfnnv9'\ntransformer.width = 1536");
//! match nnue_export::bullet::program(&analyse(&spec)?) {
//!     Ok(program) => print!("{}", program.text),
//!     Err(reasons) => reasons.iter().for_each(|reason| eprintln!("{reason}")),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! | module | has |
//! |---|---|
//! | [`onnx`] | a network with its weights as an ONNX model |
//! | [`bullet`] | a program that trains a network with bullet |
//! | [`library`] | a library for C and C++, and its header |

#![forbid(unsafe_code)]

pub mod bullet;
pub mod library;
pub mod onnx;
