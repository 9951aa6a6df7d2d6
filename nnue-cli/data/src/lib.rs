//! Positions to train a network on: files of them in, batches of active rows out.
//!
//! ```no_run
//! use nnue_compiler::diagnostics::SourceFile;
//! use nnue_data::{Input, Options, RowMaker, SharedCounts, write_stream};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let spec = SourceFile::new("small128.toml", std::fs::read_to_string("specs/small128.toml")?);
//! let maker = RowMaker::new(&nnue_compiler::analyse(&spec)?)?;
//! let inputs = vec![Input::open("games.txt.gz".as_ref(), None)?];
//! let mut out = std::io::stdout().lock();
//! write_stream(inputs, &Options::default(), &maker, &SharedCounts::default(), &mut out, None)?;
//! # Ok(())
//! # }
//! ```
//!
//! A position goes through these modules, in this order:
//!
//! | module | does |
//! |---|---|
//! | `passes`, `input` | open the files and cut them into chunks that can be read apart from each other |
//! | `formats` | say where a file can be cut, and read the records of a chunk |
//! | `record` | is a position with its score and its result, in few bytes |
//! | `filter`, `hold_out`, `sampling` | choose among records |
//! | `shuffle`, `batches` | put them into batches, in a random order or in their own |
//! | `feature_sets`, `rows` | find the active rows of a batch |
//! | `stream` | writes batches for a trainer |
//!
//! `convert` writes records in another format, and `summary` counts positions.
//!
//! Several threads read chunks, and several threads find rows. `ordered` brings their results into
//! the order of a single thread, so that the same seed gives the same stream with any number of
//! threads.

#![forbid(unsafe_code)]

mod batches;
mod convert;
mod error;
mod feature_sets;
mod filter;
mod formats;
mod hold_out;
mod input;
mod ordered;
mod passes;
mod record;
mod rows;
mod sampling;
mod shuffle;
mod stream;
mod summary;

pub use crate::batches::{Batches, Counts, Options, SharedCounts};
pub use crate::convert::convert;
pub use crate::error::{BadRecord, DataError};
#[doc(hidden)]
pub use crate::feature_sets::feature_sets;
pub use crate::filter::{Filter, Unmet};
pub use crate::formats::{Format, WrittenFormat};
pub use crate::hold_out::{BLOCK, MARGIN, Share, Split};
pub use crate::input::Input;
pub use crate::record::{GameResult, Record, Rest, Unpacked};
pub use crate::rows::{ActiveRows, Batch, RowMaker, UnsupportedNetwork};
pub use crate::sampling::Sampling;
pub use crate::stream::{MAGIC, VERSION, write_stream};
pub use crate::summary::{Scores, Summary, summarise};
