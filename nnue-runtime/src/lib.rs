//! Evaluates NNUE networks: the base of the code that [`nnue_net!`] or nnue-build generates.
//!
#![cfg_attr(feature = "macros", doc = "```")]
#![cfg_attr(not(feature = "macros"), doc = "```ignore")]
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
//! * [`nnue_net!`] is the compiler: a spec in, the types `Network` and `Accumulator` of that
//!   network out.
//! * [`Network`] and [`Accumulator`] are generic over the [`Architecture`] that the macro
//!   generates. Everything that all networks share is ordinary code here.
//! * [`Evaluator`] follows a search: moves are pushed and popped, and computed only when an
//!   evaluation needs them.
//! * [`Level`] chooses among the instruction sets of the machine.
//! * The loader refuses a net file that does not fit with a [`LoadError`]; [`file`](mod@file) has the
//!   error's parts and, with the feature `explain`, tells which network a file holds.
//! * [`neurons`] puts the neurons of a network into an order in which layers have more zeros to
//!   skip.
//! * [`Position`], [`Delta`] and [`Board`] are the chess that networks see.

#![no_std]
// docs.rs, which compiles with nightly, shows which feature an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(
    not(feature = "macros"),
    allow(
        rustdoc::broken_intra_doc_links,
        reason = "documents link to the macro"
    )
)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod accumulator;
mod activation;
mod architecture;
mod board;
mod buffer;
mod chess;
#[cfg(feature = "cozy-chess")]
mod cozy;
mod delta;
mod evaluation;
mod evaluator;
mod feature_set;
mod features;
mod fen;
mod kernels;
#[cfg(feature = "shared")]
mod laid_out;
mod level;
pub mod line;
mod memory;
mod network;
pub mod neurons;
mod placement;
mod position;
mod probe;
mod proof;
mod report;
mod rows;
mod simd;
mod weights;

#[cfg(feature = "shared")]
pub use crate::laid_out::MapError;
pub use nnue_format::LoadError;
pub use nnue_format::levels::LevelKind;

pub use crate::accumulator::{Accumulator, AccumulatorRef};
pub use crate::architecture::{
    Architecture, Embedded, Evaluated, HeadValue, Order, Output, SelectedByPieces, Wdl,
};
pub use crate::board::{Board, BoardError};
pub use crate::chess::{Bitboard, Color, Piece, Role, Square, SquareError, Squares};
pub use crate::delta::{Change, Delta, DeltaError, PieceChanges};
#[doc(hidden)]
pub use crate::evaluator::Ply;
pub use crate::evaluator::{Counter, Evaluator, Statistics};
pub use crate::features::FeatureChanges;
pub use crate::fen::FenError;
pub use crate::level::{Level, LevelError};
pub use crate::memory::Storage;
pub use crate::network::Network;
#[cfg(feature = "shared")]
pub use crate::network::nodes::NodeCopies;
pub use crate::position::{Position, PositionWithClock};
pub use crate::report::{AccumulatorBound, Memory, Report, Warning};

/// Compiles a spec to the types and kernels of its network.
///
/// ```
/// mod sfnnv5 {
///     nnue_runtime::nnue_net!("../specs/sfnnv5.toml");
/// }
/// ```
///
/// The path is relative to the package's `Cargo.toml`. The crate is compiled anew when the file
/// changes. A mistake in the spec is a compile error that shows its line.
///
/// Generated are `Network`, `Accumulator`, `Evaluator`, `Output`, `Net` (which tells the types of
/// one network from those of another, and whose documentation shows what the network computes and
/// what its net file holds) and the constants `NAME`, `WIDTH`, `FEATURES` and `BUCKETS`: put each
/// network into a module of its own. A network with further heads also has a type `Outputs`.
///
/// | argument | meaning |
/// |---|---|
/// | `"path"` | the spec |
/// | `inline = "..."` | the spec itself, instead of a path |
/// | `neuron_order = "path"` | a file with the order in which neurons lie in memory, as `nnue reorder --order` writes it; a spec can have it as a key of the same name instead |
/// | `weights = "path"` | a net file, checked against the spec while compiling and embedded: `Network::embedded()` |
/// | `weights = env!("EVALFILE")` | the same, its path in a variable of the environment: [below](#the-net-file-in-a-variable) |
/// | `weights = option_env!("EVALFILE").unwrap_or("path")` | the same, with a path for builds without the variable |
/// | `embed = "..."` | which part of the net file is embedded. `"file"`, the default: the file as it is, which is decoded when the network is made. `"weights"`: the weights as they lie in memory, which are used where they are, so that starting takes next to no time and no memory; they make the program as large as they are, and compiling take 0.12 s more for each megabyte |
/// | `unroll = "full"` | write out every layer as straight-line code; `"auto"`, the default, leaves loops where they are as fast |
/// | `check = "wiring"` | the code can also be checked by the crate [nnue-wiring](https://docs.rs/nnue-wiring), which an engine does not need: for tests |
/// | `crate = ::path` | where the runtime is, if not where the macro came from |
///
/// # The net file in a variable
///
/// OpenBench and most Makefiles of engines name the net in the variable `EVALFILE`. It needs no
/// `build.rs`:
///
/// ```
/// mod net {
///     nnue_runtime::nnue_net!(
///         "../specs/small128.toml",
///         weights = option_env!("EVALFILE").unwrap_or("../examples/nets/nn-37f18f62d772.nnue"),
///     );
/// }
/// # assert_eq!(net::Network::embedded().description(), b"Network trained with the https://github.com/official-stockfish/nnue-pytorch trainer.");
/// ```
///
/// Cargo compiles the crate anew when the variable changes, and when the file changes. A path that
/// is not absolute is relative to the package's `Cargo.toml`, as it is without a variable. A
/// variable that is set and empty counts as one that is not set, for a Makefile sets it so where its
/// user names no net. These two forms are all that the macro reads: rustc does not tell macros the
/// values of other expressions.
///
/// # Methods of your own
///
/// `Evaluator` and the module's other types are types of this crate, to which another crate cannot
/// add methods. A struct around them can have any, and `Deref` gives it those of the evaluator too:
///
/// ```
/// mod small128 {
///     nnue_runtime::nnue_net!("../specs/small128.toml");
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::ops::{Deref, DerefMut};
/// use std::sync::Arc;
///
/// use nnue_runtime::{Board, Position};
///
/// type Evaluator = small128::Evaluator<Arc<small128::Network>>;
///
/// /// The evaluation of an engine.
/// struct Eval(Evaluator);
///
/// impl Eval {
///     fn new(net: Arc<small128::Network>, position: &impl Position) -> Eval {
///         Eval(Evaluator::new(net, position))
///     }
///
///     /// The value for the side to move, in hundredths of a pawn.
///     fn centipawns(&mut self) -> i32 {
///         self.evaluate().value * 100 / 208
///     }
/// }
///
/// impl Deref for Eval {
///     type Target = Evaluator;
///
///     fn deref(&self) -> &Evaluator {
///         &self.0
///     }
/// }
///
/// impl DerefMut for Eval {
///     fn deref_mut(&mut self) -> &mut Evaluator {
///         &mut self.0
///     }
/// }
///
/// let net = small128::Network::open("../examples/nets/nn-37f18f62d772.nnue")?;
/// let mut eval = Eval::new(Arc::new(net), &Board::start());
/// assert_eq!(eval.centipawns(), 251 * 100 / 208);
/// eval.push_null();
/// assert_eq!(eval.ply(), 1);
/// # Ok(())
/// # }
/// ```
///
/// It costs nothing: in a release build for x86-64, `centipawns` and a function that does the same
/// with the evaluator itself were the same instructions. A trait of your own that you implement for
/// `Evaluator` does as well, where callers may have to import it.
///
/// # In an editor
///
/// Hovering over `Network` shows the network's layers, over `Evaluator` and `WIDTH` its shape.
/// After an edit of the spec, rust-analyzer shows the old network until something is typed in the
/// macro's module, such as a space. [nnue-build](https://docs.rs/nnue-build) does the same as the
/// macro in a build script, with which the new network is there at the next save:
/// [the macro or a build script](https://github.com/nnue-compiler/nnue-compiler/blob/main/docs/build-scripts.md#in-an-editor).
#[cfg(feature = "macros")]
#[macro_export]
macro_rules! nnue_net {
    ($($arguments:tt)*) => {
        $crate::__private::nnue_net! { [$crate] $($arguments)* }
    };
}

/// The part of a net file that users meet: why a file is refused, and its tensors. With the feature
/// `explain`, which network a file holds too.
///
/// ```
/// mod small128 {
///     nnue_runtime::nnue_net!("../specs/small128.toml");
/// }
///
/// let refused = small128::Network::from_bytes(b"\x7FELF").unwrap_err();
/// let message = "file version at offset 0 is 0x464c457f, expected 0x7af32f20 for small128";
/// let more = match cfg!(feature = "explain") {
///     true => ": this is an ELF executable",
///     false => " (`nnue info FILE --spec SPEC` explains it)",
/// };
/// assert_eq!(refused.to_string(), format!("{message}{more}"));
/// ```
pub mod file {
    #[cfg(feature = "explain")]
    pub use nnue_compiler::explain::{
        Candidates, Cause, Change, Difference, Explanation, Family, Features, Identity, Wiring,
        identify, identify_file,
    };
    pub use nnue_format::{
        Element, FieldForm, Limits, LoadError, TensorView, ValueFault, WrongBytes, WrongWord,
    };
}

/// Items that generated code needs and users do not.
#[doc(hidden)]
pub mod __private {
    pub use core;
    pub use nnue_format as file;
    #[cfg(feature = "shared")]
    pub use nnue_memory::numa::Topology;

    #[cfg(feature = "shared")]
    pub mod laid_out {
        pub use crate::laid_out::*;
    }

    /// Exists only where embedded files that are compressed with zstd can be unpacked.
    #[cfg(feature = "zstd")]
    pub const ZSTD: () = ();
    pub use nnue_format::levels;
    #[cfg(all(feature = "macros", target_arch = "aarch64"))]
    pub use nnue_macros::nnue_net_aarch64 as nnue_net;
    #[cfg(all(
        feature = "macros",
        not(any(
            target_arch = "aarch64",
            target_arch = "wasm32",
            target_arch = "x86_64"
        ))
    ))]
    pub use nnue_macros::nnue_net_portable as nnue_net;
    #[cfg(all(feature = "macros", target_arch = "wasm32"))]
    pub use nnue_macros::nnue_net_wasm32 as nnue_net;
    #[cfg(all(feature = "macros", target_arch = "x86_64"))]
    pub use nnue_macros::nnue_net_x86_64 as nnue_net;

    pub use crate::architecture::{EmbeddedNet, Output, Wdl};
    pub use crate::level::dispatch::{has_all, never};
    pub use crate::proof::Proved;
    pub use crate::{__dispatch as dispatch, __plain as plain};

    pub mod activation {
        pub use crate::activation::*;
    }
    pub mod buffer {
        pub use crate::buffer::*;
    }
    pub mod features {
        pub use nnue_format::{Material, MaterialValue, PieceSquare, ThreatRules, Threats};

        pub use crate::feature_set::{Clock, Family, FeatureSet, PawnPairs};
        pub use crate::features::{Entries, EntryNumbers, RowFinder};
        pub use crate::rows::{MovedRows, RowLists, Rows, TableRows};
    }
    pub mod kernels {
        pub use crate::__dispatch as dispatch;
        pub use crate::kernels::*;
    }
    pub mod memory {
        pub use crate::memory::*;
        pub use crate::{__assert_layout as assert_layout, __plain as plain};
    }
    pub mod probe {
        pub use crate::probe::*;
    }
    pub mod proof {
        pub use crate::proof::*;
    }
    /// Bounds of accumulators, for tools that know networks only at run time.
    pub mod report {
        pub use crate::report::accumulator_bound;
    }
    pub mod simd {
        pub use crate::simd::*;
    }
}

/// The code of README.md, which doctests compile.
#[cfg(all(doctest, feature = "macros", feature = "std"))]
#[doc = include_str!("../README.md")]
struct Readme;
