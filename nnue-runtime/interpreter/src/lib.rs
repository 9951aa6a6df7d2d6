//! Evaluates any NNUE network from its description, at run time.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let path = "../../examples/nets/nn-37f18f62d772.nnue";
//! let net = nnue_interpreter::Net::recognise(path)?; // by its header
//! let start = net.evaluate_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")?;
//! println!("{start}"); // 251, in the engine's units, for the side to move
//! # assert_eq!(start.to_string(), "251");
//! # Ok(())
//! # }
//! ```
//!
//! * Nets that are built like Stockfish's need nothing else. For others, [`Net::recognise`] reads the
//!   spec in `net.toml` beside `net.nnue`, or behind the net, and [`Net::with_spec`] any spec. For a
//!   net without a header, `nnue adopt` finds the spec.
//! * [`Net::evaluate`] takes a board of [`nnue_runtime`] or of the program, and the bucket.
//!   [`Net::custom_rows`] and [`Net::accumulate`] are for features that the engine supplies.
//! * [`Net::trace`] has every number on the way, to find a difference:
//!
//! ```
//! use nnue_interpreter::Net;
//! use nnue_runtime::{Board, Color};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (path, spec) = ("../../examples/nets/nn-37f18f62d772.nnue", "../../specs/small128.toml");
//! let net = Net::with_spec(path, spec)?;
//! let accumulators = net.accumulate(&net.active_rows(&Board::start()));
//! let trace = net.trace(&accumulators, Color::White, 7);
//! assert_eq!(trace.transformer.len(), 128);
//! for (layer, values) in net.network().layers.iter().zip(&trace.layers) {
//!     println!("{}: {values:?}", layer.name);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Speed
//!
//! Each evaluation computes everything anew, value by value: along a line it takes as long as for any
//! position. A search needs [`nnue_net!`](nnue_runtime::nnue_net), which compiles the network.
//!
//! | nanoseconds per evaluation | small128 | SFNNv5 |
//! |---|---|---|
//! | this crate, from a FEN | 7,000 | 23,000 |
//! | this crate, from boards along a line | 6,000 | 22,000 |
//! | compiled, a refresh for each board | 170 | 1,300 |
//! | compiled, along a search, with its moves | 170 | 850 |
//!
//! These are the shortest of 40 rounds on an Intel server core (family 6, model 207, `avx512icl`)
//! beside much other work; `cargo bench -p nnue-benches --bench evaluate` measures the same. Loading
//! takes 40 ms and 0.2 s of the processor's time.
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
mod open;
mod output;
mod transformer;
mod unrounded;
mod weights;

pub use crate::evaluation::{Evaluation, Trace};
pub use crate::features::{ActiveRows, UnknownFeature, active_rows, custom_rows};
pub use crate::net::Net;
pub use crate::number::NumberPlace;
pub use crate::open::{EvaluateError, OpenError};
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
