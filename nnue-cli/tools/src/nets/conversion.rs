//! Conversion of a net file to another file of the same network: stored by another spec, as the
//! weights lie in memory, or with neurons in another order.

mod coalesced;
mod laid_out;
mod reordered;
mod rewritten;

use nnue_compiler::format::{LoadError, foreign};
use nnue_runtime::MapError;

pub use self::coalesced::is_factorised;
pub use self::laid_out::lay_out;
pub use self::reordered::reorder_outputs;
pub use self::rewritten::{convert, convert_to_nearest};

/// A net file in another form.
#[derive(Debug)]
pub struct Converted {
    /// The bytes of the new file.
    pub bytes: Vec<u8>,
    /// Contents of the file that was read for which the new file has no place.
    pub lost: Vec<&'static str>,
}

/// Why a net cannot become a file of another spec, or a file of laid-out weights.
#[derive(Debug, thiserror::Error)]
pub enum ConversionError {
    /// The other spec is factorised, and the spec of the file is not.
    #[error(
        "the second spec is factorised and the first is not: a file has only the sums, and nothing \
         tells which part of a sum is a virtual row's or shared by all stacks"
    )]
    NotFactorised,
    /// The specs describe different networks.
    #[error(
        "the specs do not describe the same network: `{place}` of `nnue describe` is {} in the \
         first and {} in the second",
        foreign(.first),
        foreign(.second)
    )]
    OtherNetwork {
        /// The first place at which the descriptions of the networks differ.
        place: String,
        /// The value of the first spec at this place.
        first: String,
        /// The value of the second spec at this place.
        second: String,
    },
    /// The specs describe the same network, and its weights are loaded to other places: a mistake
    /// of this crate.
    #[error(
        "the specs describe the same network, but its weights are loaded to other places; please \
         report it"
    )]
    OtherMemory,
    /// Files of the other spec have numbers that the network does not use and this file does not
    /// have.
    #[error(
        "the new file needs `{name}`, which the network does not use and the given file does not \
         have: nothing tells its values"
    )]
    NotKept {
        /// The name of the numbers.
        name: String,
    },
    /// A file of the other spec has no room for a sum of the file's numbers.
    #[error("a file of the second spec cannot hold the sums: {0}")]
    Sums(LoadError),
    /// A file of the other spec has no room for a number.
    #[error("a file of the second spec cannot hold the values: {0}")]
    Numbers(LoadError),
    /// A file of the other spec would change some of the file's numbers.
    #[error("a file of the second spec cannot hold the values: some would come back as others")]
    Changed,
    /// The transformer's outputs cannot be put into an order, for the reason that the text says.
    #[error("{0}")]
    Order(String),
    /// The file has more content besides its weights than a header has room for.
    #[error("{0}")]
    Header(MapError),
}
