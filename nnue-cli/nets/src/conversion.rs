//! From a net file to another file of the same network: loaded by one layout, stored by another, or
//! as it lies in memory.

mod coalesced;
mod laid_out;
mod rewritten;

use std::fmt;

use nnue_compiler::format::laid_out::MapError;
use nnue_compiler::format::{LoadError, foreign};

pub use self::coalesced::is_factorised;
pub use self::laid_out::lay_out;
pub use self::rewritten::{convert, convert_to_nearest};

/// A net file in another form.
#[derive(Debug)]
pub struct Converted {
    /// The bytes of the new file.
    pub bytes: Vec<u8>,
    /// Contents of the file that was read for which the new file has no place.
    pub lost: Vec<&'static str>,
}

/// Why a net cannot become a file of another spec, or not be laid out.
#[derive(Debug)]
pub enum ConversionError {
    /// The other spec is factorised and the spec of the file is not.
    NotFactorised,
    /// The specs describe different networks.
    OtherNetwork {
        /// The first place at which their descriptions differ.
        place: String,
        /// What the first spec has there.
        first: String,
        /// What the second spec has there.
        second: String,
    },
    /// The specs describe the same network, and its weights are loaded to other places: a mistake
    /// of this crate.
    OtherMemory,
    /// A file of the other spec has no room for some sum of the first one's numbers.
    Sums(LoadError),
    /// A file of the other spec has no room for some number.
    Numbers(LoadError),
    /// A file of the other spec would hold other numbers in place of some of the file's numbers.
    Changed,
    /// The file has more besides its weights than a header has room for.
    Header(MapError),
}

impl fmt::Display for ConversionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConversionError::NotFactorised => f.write_str(
                "the second spec is factorised and the first is not: a file has only the sums, and \
                 nothing tells which part of a sum is a virtual row's or shared by all stacks",
            ),
            ConversionError::OtherNetwork {
                place,
                first,
                second,
            } => write!(
                f,
                "the specs do not describe the same network: `{place}` of `nnue describe` is {} in \
                 the first and {} in the second",
                foreign(first),
                foreign(second)
            ),
            ConversionError::OtherMemory => f.write_str(
                "the specs describe the same network, but its weights are loaded to other places; \
                 please report it",
            ),
            ConversionError::Sums(error) => {
                write!(f, "a file of the second spec cannot hold the sums: {error}")
            }
            ConversionError::Numbers(error) => {
                write!(
                    f,
                    "a file of the second spec cannot hold the values: {error}"
                )
            }
            ConversionError::Changed => f.write_str(
                "a file of the second spec cannot hold the values: some would come back as others",
            ),
            ConversionError::Header(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ConversionError {}
