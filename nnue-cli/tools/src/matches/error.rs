//! Why a match cannot be played, or its state not be kept.

use std::io;
use std::path::PathBuf;

use nnue_compiler::format::foreign;

use crate::changes::first;

use crate::matches::engine::Fault;

/// Why a match cannot be played, or its state not be kept.
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
        /// How many openings are needed.
        needed: usize,
    },
    /// A list has too few openings.
    #[error("{list} has {found} different positions, and {needed} pairs need one each")]
    ShortList {
        /// The name of the list in messages.
        list: String,
        /// How many different openings the list has.
        found: usize,
        /// How many openings are needed.
        needed: usize,
    },
    /// The file of a state cannot be read or written.
    #[error("{0}")]
    File(#[from] crate::files::Error),
    /// The system does not let a file be used as a state.
    #[error("cannot use `{}`: {error}", foreign(.path.display()))]
    Unusable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        #[source]
        error: io::Error,
    },
    /// The path of a state leads to something else.
    #[error("`{}` is no state of a match{}", foreign(.path.display()), expectation(*.expected))]
    NoState {
        /// The path.
        path: PathBuf,
        /// The expected kind, if the path does not lead to a file.
        expected: Option<&'static str>,
    },
    /// A line of a state is no pair of games.
    #[error("line {line} of `{}` is no pair: {}", foreign(.path.display()), foreign(.error))]
    NoPair {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The mistake in the line.
        #[source]
        error: serde_json::Error,
    },
    /// A state has a form that this version cannot read.
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
    /// A state belongs to another match.
    #[error(
        "`{}` is the state of another match: {}",
        foreign(.path.display()),
        first(.differences)
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

nnue_compiler::format::debug_is_message!(Error);

/// The end of a message that names the expected values; empty without any.
fn expectation(expected: Option<&str>) -> String {
    expected.map_or_else(String::new, |expected| format!(": expected {expected}"))
}
