//! Evaluates any NNUE network from its description, at run time.
//!
//! ```
//! use nnue_compiler::diagnostics::SourceFile;
//! use nnue_interpreter::{Evaluation, Net};
//! use nnue_runtime::{Board, Color};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let path = "../../specs/small128.toml";
//! let spec = SourceFile::new(path, std::fs::read_to_string(path)?);
//! let network = nnue_compiler::analyse(&spec)?;
//! let net = Net::open(&network, "../../examples/nets/nn-37f18f62d772.nnue")?;
//!
//! let board = Board::start();
//! let Evaluation::Value(output) = net.evaluate(&board, net.bucket(32).unwrap_or(0)) else {
//!     return Err("the net says how likely a win is, expected one value".into());
//! };
//! assert_eq!(output.value, 251); // in the engine's units, for the side to move
//!
//! // Every number on the way, to find a difference.
//! let accumulators = net.accumulate(&net.active_rows(&board));
//! let trace = net.trace(&accumulators, Color::White, 7);
//! assert_eq!(trace.transformer.len(), 128);
//! for (layer, values) in network.layers.iter().zip(&trace.layers) {
//!     println!("{}: {values:?}", layer.name);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! [`nnue_net!`](nnue_runtime::nnue_net) compiles a network into a program, which then evaluates it
//! as fast as the machine can. This crate needs no compilation: a program can open a network whose
//! spec it has never seen, evaluate positions, and look at every tensor in between. It is slow:
//! each evaluation computes everything anew, value by value.
//!
//! # A definition of the language
//!
//! This crate is written to be read: it says what a spec means, in plain loops over plain tables,
//! one value after the other. It shares nothing with generated code and its primitives, and the
//! tests hold generated code to it, bit by bit, on every instruction set. Read it in this order:
//!
//! | module | says |
//! |---|---|
//! | `features` | which rows of the transformer a position switches on |
//! | `transformer` | how rows become an accumulator, and accumulators the layers' input |
//! | `layers` | what each layer computes |
//! | `output` | how the last layers become an evaluation |
//! | `fixed_point` | how divisions round, and how values of different `one`s are brought together |
//! | `weights`, `file` | which weights there are, and how a net file's numbers become them |
//! | `unrounded` | the same network without rounding, which shows what rounding costs |
//!
//! The [language reference] says what every formula is for. The types are in
//! [`nnue_compiler::network`].
//!
//! # Numbers
//!
//! * Accumulators are `i16` and wrap around. PSQT sums are `i32` and wrap around.
//! * Integers between layers are kept as `i64` here, whatever their type in the network. Sums that
//!   the network keeps in 32 bits wrap around, which is the same as computing them in 64 and cutting
//!   them to the lower 32.
//! * Shifts to the right round down. Divisions round as their spec says: towards zero, or down.
//! * Floating point is `f32`, in the order of additions that the spec says, so that the results are
//!   the same bits everywhere. "fma" is a product and a sum that are rounded together, once.
//!
//! [language reference]: https://github.com/nnue-compiler/nnue-compiler/blob/main/docs/spec-language.md

#![forbid(unsafe_code)]

#[doc(hidden)]
pub mod dummy;
mod evaluation;
mod features;
mod file;
mod fixed_point;
mod layers;
mod net;
mod number;
mod output;
mod transformer;
mod unrounded;
mod weights;

pub use crate::evaluation::{Evaluation, Trace};
pub use crate::features::{ActiveRows, UnknownFeature, active_rows};
pub use crate::net::Net;
pub use crate::number::NumberPlace;
pub use crate::transformer::{Accumulator, Accumulators};
pub use crate::unrounded::{
    UnroundedError, UnroundedLayer, UnroundedNet, UnroundedTrace, UnroundedWeights,
};
pub use crate::weights::{LayerWeights, Shape, TransformerWeights, Values, Weights, WrongWeights};
pub use nnue_format::LoadError;

/// The parts of an evaluation, for the check of generated code, which gives each layer its inputs.
#[doc(hidden)]
pub mod parts {
    pub use crate::layers::{Tensors, compute};
    pub use crate::output::{evaluate, further};
    pub use crate::transformer::{activate, of_perspectives, pairs, pool_pair, together};
}

/// The code of README.md, which doctests compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
