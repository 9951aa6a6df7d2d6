//! Why a net, a spec or a list of positions cannot be used.

use std::io;
use std::path::PathBuf;

use nnue_compiler::diagnostics::Errors;
use nnue_compiler::explain::Identity;
use nnue_compiler::format::{LoadError, foreign};

use crate::nets::conversion::ConversionError;

/// Why a net, a spec or a list of positions cannot be used.
#[derive(thiserror::Error)]
pub enum Error {
    /// A file cannot be read.
    #[error("{0}")]
    File(#[from] crate::files::Error),
    /// A net file does not exist.
    #[error("{0}")]
    MissingNet(#[source] crate::files::Error),
    /// A file that should be text is not UTF-8.
    #[error(
        "`{}` is not UTF-8 text: the byte at offset {offset} is invalid",
        foreign(.path.display())
    )]
    NoText {
        /// The file.
        path: PathBuf,
        /// The offset of the first byte that is wrong.
        offset: usize,
    },
    /// A spec is wrong.
    #[error("{0}")]
    Spec(#[from] Errors),
    /// A file is no net by any spec.
    #[error("`{}` is {}", foreign(.path.display()), no_net(.identity.as_ref()))]
    NoNet {
        /// The file.
        path: PathBuf,
        /// The format that the file has instead; `None` if it is empty.
        identity: Option<Identity>,
    },
    /// A file is no net of the network.
    #[error(
        "`{}` is not a net file for {}: {problem}",
        foreign(.path.display()),
        foreign(.network)
    )]
    OtherNet {
        /// The file.
        path: PathBuf,
        /// The name of the network.
        network: String,
        /// Why the file does not fit the network.
        #[source]
        problem: Box<LoadError>,
    },
    /// Nothing in a file tells to which network it belongs.
    #[error(
        "`{}` is {identity}: only nets that are built like Stockfish's tell their shape; \
         for others, write a spec as `specs/README.md` describes",
        foreign(.path.display())
    )]
    Unrecognised {
        /// The file.
        path: PathBuf,
        /// The known facts about the file.
        identity: Identity,
    },
    /// A spec is too long to stand behind a net.
    #[error(
        "the spec has {len} bytes, expected at most {} behind a net",
        nnue_compiler::format::attached::LONGEST
    )]
    LongSpec {
        /// How many bytes the spec has.
        len: usize,
    },
    /// Weights cannot be loaded.
    #[error("{0}")]
    Load(#[from] LoadError),
    /// A net cannot become another file.
    #[error("{0}")]
    Conversion(#[from] ConversionError),
    /// A list can be read no further.
    #[error("cannot read {list}: {error}")]
    UnreadableList {
        /// The origin of the list.
        list: String,
        /// The error of the system.
        #[source]
        error: io::Error,
    },
    /// A line of a list is wrong.
    #[error("line {number} of {list}: {wrong}")]
    Line {
        /// The origin of the list.
        list: String,
        /// The number of the line, from 1.
        number: u64,
        /// The mistake in the line.
        wrong: String,
    },
    /// A list has too many lines to be kept.
    #[error("{list} has more than {most} {what}, the most")]
    TooMany {
        /// The origin of the list.
        list: String,
        /// The name for the lines of the list, in the plural.
        what: &'static str,
        /// The most lines that a list can have.
        most: usize,
    },
    /// A list has only comments and blank lines.
    #[error("{list} has no {what}")]
    EmptyList {
        /// The origin of the list.
        list: String,
        /// The name for the lines that are expected, in the plural.
        what: &'static str,
    },
    /// The engine tells which features are active, and a position alone does not.
    #[error(
        "`{network}` has the custom feature set `{set}`: the engine tells which of its features \
         are active, and a position alone does not"
    )]
    ToldFeatures {
        /// The name of the network.
        network: String,
        /// The name of its custom feature set.
        set: String,
    },
    /// The engine chooses the bucket, and a position alone does not.
    #[error(
        "`{network}` leaves the choice of the bucket to the engine, and golden vectors have the \
         values of one bucket"
    )]
    ChosenBucket {
        /// The name of the network.
        network: String,
    },
}

nnue_compiler::format::debug_is_message!(Error);

/// The message for a file that is no net.
fn no_net(identity: Option<&Identity>) -> String {
    match identity {
        None => "empty: fetch or copy the net once more".into(),
        Some(identity) => format!("no net but {identity}"),
    }
}
