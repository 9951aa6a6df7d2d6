//! Evaluates NNUE networks: what the code that [`nnue_net!`] generates stands on.
//!
//! ```
//! mod small128 {
//!     nnue_runtime::nnue_net!("../specs/small128.toml");
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use nnue_runtime::{Board, Delta, Piece, Color, Role, Square};
//!
//! let net = small128::Network::open("../examples/nets/nn-37f18f62d772.nnue")?;
//! let mut board = Board::start();
//! let mut accumulator = small128::Accumulator::new(&net, &board);
//! assert_eq!(net.evaluate(&accumulator, &board).value, 251);
//!
//! // A move removes and adds pieces; the accumulator follows without starting anew.
//! let pawn = Piece::new(Color::White, Role::Pawn);
//! let delta = Delta::quiet(pawn, Square::F2, Square::F4);
//! board.apply(&delta)?;
//! let before = accumulator.clone();
//! accumulator.update(&net, &before, &delta, &board);
//! assert_eq!(net.evaluate(&accumulator, &board).value, 404);
//! # Ok(())
//! # }
//! ```
//!
//! * [`nnue_net!`] is the compiler: a spec in, the types `Network` and `Accumulator` of one network out.
//! * [`Network`] and [`Accumulator`] are generic over the [`Architecture`] that the macro generates. Everything that
//!   all networks share is ordinary code here.
//! * [`Evaluator`] follows a search: moves are pushed and popped, and only what is evaluated is computed.
//! * [`simd`] has the primitives of each instruction set, [`Level`] chooses among them at run time.
//! * [`file`](mod@file) reads and writes net files; whatever does not fit is refused.
//! * [`neurons`] puts the neurons of a network into an order in which layers have more zeros to skip.
//! * [`Position`], [`Delta`] and [`Board`] are the chess that networks see.

#![no_std]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod accumulator;
pub mod activation;
mod architecture;
mod board;
pub mod buffer;
mod chess;
#[cfg(feature = "cozy-chess")]
mod cozy;
mod delta;
mod evaluator;
pub mod features;
mod fen;
pub mod kernels;
pub mod level;
pub mod memory;
mod network;
pub mod neurons;
mod position;
pub mod proof;
mod report;
mod rows;
pub mod simd;

#[doc(inline)]
pub use nnue_format as file;
pub use nnue_format::LoadError;

pub use crate::accumulator::Accumulator;
pub use crate::architecture::{
    Architecture, Embedded, Order, Output, Proved, SelectedByPieces, Wdl,
};
pub use crate::board::{Board, BoardError};
pub use crate::chess::{Bitboard, Color, Piece, Role, Square, SquareError, Squares};
pub use crate::delta::{Change, Delta, DeltaError};
pub use crate::evaluator::{Counter, CustomEvaluator, Evaluator, Statistics};
pub use crate::features::FeatureChanges;
pub use crate::fen::FenError;
pub use crate::level::{Level, LevelError};
pub use crate::network::Network;
pub use crate::position::Position;
pub use crate::report::{AccumulatorBound, Report, Warning};

/// Compiles a spec to the types and kernels of its network.
///
/// ```
/// mod sfnnv5 {
///     nnue_runtime::nnue_net!("../specs/sfnnv5.toml");
/// }
/// ```
///
/// The path is relative to the package's `Cargo.toml`. The crate is compiled anew when the file changes. What is
/// wrong with the spec is a compile error that shows the line of the spec.
///
/// Generated are `Network`, `Accumulator`, `Evaluator`, `Output`, `Net` (which tells the types of one network from those of another)
/// and the constants `NAME`, `WIDTH`, `FEATURES` and `BUCKETS`: put each network into a module of its own.
///
/// | argument | meaning |
/// |---|---|
/// | `"path"` | the spec |
/// | `inline = "..."` | the spec itself, instead of a path |
/// | `weights = "path"` | a net file, checked against the spec while compiling and embedded: `Network::embedded()` |
/// | `unroll = "full"` | write out every layer as straight-line code; `"auto"`, the default, leaves loops where they are as fast |
/// | `crate = ::path` | where the runtime is, if not where the macro came from |
#[macro_export]
macro_rules! nnue_net {
    ($($arguments:tt)*) => {
        $crate::__private::nnue_net! { [$crate] $($arguments)* }
    };
}

/// What generated code needs and users do not.
#[doc(hidden)]
pub mod __private {
    pub use core;
    pub use nnue_levels::levels;
    pub use nnue_macros::nnue_net;
}
