//! Where weights are, and in which pages.

use core::fmt;

use crate::architecture::Architecture;
use crate::memory::Storage;
use crate::network::Network;

/// The memory that a network's weights take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Memory {
    /// Where the weights are.
    pub storage: Storage,
    /// How many bytes the weights have.
    pub bytes: usize,
    /// How many of the bytes lie in huge pages now. `None` where that is not known; it is known on
    /// Linux, with the feature `shared`.
    pub huge: Option<usize>,
}

impl Memory {
    pub(super) fn of<A: Architecture>(network: &Network<A>) -> Memory {
        let bytes = crate::memory::bytes(network.weights());
        #[cfg(feature = "shared")]
        let huge = nnue_memory::huge_bytes(bytes);
        #[cfg(not(feature = "shared"))]
        let huge = None;
        Memory {
            storage: network.storage(),
            bytes: bytes.len(),
            huge,
        }
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes {}", self.bytes, self.storage)?;
        match self.huge {
            Some(huge) => write!(f, ", {huge} of them in huge pages"),
            None => Ok(()),
        }
    }
}
