//! Why a match cannot be played.

use std::io;
use std::path::PathBuf;

use nnue_format::foreign;

use crate::engine::Fault;

/// Why a match cannot be played, or not be kept.
#[derive(thiserror::Error)]
pub enum Error {
    /// An engine cannot be started or set up, so that no game can be played.
    #[error("{0}")]
    Engine(#[source] Fault),
    /// Random moves give too few openings.
    #[error(
        "{plies} random moves give only {found} different openings, and {needed} pairs need one \
         each"
    )]
    FewMoves {
        /// How many moves an opening has.
        plies: u8,
        /// How many openings were found.
        found: usize,
        /// How many are needed.
        needed: usize,
    },
    /// A list has too few openings.
    #[error("{list} has {found} different positions, and {needed} pairs need one each")]
    ShortList {
        /// What the list is called.
        list: String,
        /// How many different openings it has.
        found: usize,
        /// How many are needed.
        needed: usize,
    },
    /// The file of a state cannot be read or written.
    #[error("{0}")]
    File(#[from] nnue_files::Error),
    /// The system does not let a file be used as a state.
    #[error("cannot use `{}`: {error}", foreign(.path.display()))]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        error: io::Error,
    },
    /// What is at a path is no state of a match.
    #[error("`{}` is no state of a match{}", foreign(.path.display()), expectation(*.expected))]
    NoState {
        /// The path.
        path: PathBuf,
        /// What is expected there, if it is no file.
        expected: Option<&'static str>,
    },
    /// A line of a state is no pair of games.
    #[error("line {line} of `{}` is no pair: {}", foreign(.path.display()), foreign(.error))]
    NoPair {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        #[source]
        error: serde_json::Error,
    },
    /// A state has another form than this version reads.
    #[error(
        "`{}` has version {found} of its form, and this program reads {read}",
        foreign(.path.display())
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// The version of the state's form.
        found: u32,
        /// The version that this program reads.
        read: u32,
    },
    /// A state is that of another match.
    #[error(
        "`{}` is the state of another match: {}",
        foreign(.path.display()),
        .differences.join("; ")
    )]
    OtherMatch {
        /// The file.
        path: PathBuf,
        /// The settings in which the matches differ.
        differences: Vec<String>,
    },
    /// Another match has a state open.
    #[error("`{}` is in use by another match", foreign(.path.display()))]
    InUse {
        /// The file.
        path: PathBuf,
    },
}

nnue_format::debug_is_message!(Error);

/// The end of a message that tells what is expected, if anything is.
fn expectation(expected: Option<&str>) -> String {
    expected.map_or_else(String::new, |expected| format!(": expected {expected}"))
}
