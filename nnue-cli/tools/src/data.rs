//! Positions to train a network on: files of them in, batches of active rows out.
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

pub use crate::data::batches::{Batches, Counts, Options, SharedCounts};
pub use crate::data::convert::{Written, convert};
pub use crate::data::error::{BadRecord, DataError};
pub(crate) use crate::data::feature_sets::feature_sets;
pub use crate::data::filter::{Filter, Unmet};
pub(crate) use crate::data::formats::other_list;
pub use crate::data::formats::{EvalUnit, Format};
pub use crate::data::hold_out::{BLOCK, MARGIN, Share, Split};
pub use crate::data::input::Input;
pub use crate::data::record::{GameResult, Record, Unpacked};
pub use crate::data::rows::{ActiveRows, Batch, RowMaker, UnsupportedNetwork};
pub use crate::data::sampling::Sampling;
pub use crate::data::stream::write_stream;
pub use crate::data::summary::{Scores, Summary, summarise};
pub use crate::fen::Rest;
