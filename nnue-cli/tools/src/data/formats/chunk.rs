//! A part of a file, as the reader of a format gets it.

use nnue_compiler::format::foreign;

use super::pgn::Units;
use crate::data::error::BadRecord;

/// Some bytes of a file that hold a whole number of records.
#[derive(Clone, Copy)]
pub(crate) struct Chunk<'a> {
    /// The name of the file, for messages.
    pub(crate) name: &'a str,
    /// The number of the first line, record or game, from 1.
    pub(crate) first: u64,
    pub(crate) bytes: &'a [u8],
    /// The known unit of evaluations in PGN.
    pub(crate) units: Units,
}

impl Chunk<'_> {
    /// A record that cannot be used.
    pub(super) fn bad(&self, what: &str, number: u64, wrong: impl Into<String>) -> BadRecord {
        BadRecord {
            place: format!("{what} {number} of `{}`", foreign(self.name)),
            wrong: wrong.into(),
        }
    }
}
