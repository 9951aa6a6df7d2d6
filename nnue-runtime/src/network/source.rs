//! Where nets come from, and how they are loaded: to the heap, or to memory that is given.

#[cfg(feature = "std")]
use std::path::Path;

use nnue_format::{self as file, LoadError, Loaded};

use super::explain;
use crate::architecture::Architecture;
use crate::level::Level;
use crate::memory::{self, Holder, Plain};

/// A net file that is to be loaded.
pub(super) enum Source<'s> {
    /// The bytes of a file, compressed or not.
    Bytes(&'s [u8]),
    /// The path of a file on the disk.
    #[cfg(feature = "std")]
    File(&'s Path),
}

/// Memory for the weights of a net. A wrong file costs none: it is asked for once everything in the
/// file is right but single values.
pub(super) trait Room {
    /// All of the memory, as zeros. The content of an earlier call is lost.
    fn zeros(&mut self) -> &mut [u8];
}

/// Room on the heap: the weights, once they are there.
impl<T: Plain> Room for Option<Holder<T>> {
    fn zeros(&mut self) -> &mut [u8] {
        // Two networks at once might be more than there is memory for.
        *self = None;
        memory::bytes_mut(self.insert(Holder::zeroed()).to_mut())
    }
}

impl Source<'_> {
    /// Loads the net at a level. A large file is read while its weights are filled.
    ///
    /// # Errors
    ///
    /// [`LoadError`] if the file cannot be read or is not this network's.
    pub(super) fn load<A: Architecture>(
        &self,
        level: Level,
        room: &mut dyn Room,
    ) -> Result<Loaded, LoadError> {
        match self {
            Source::Bytes(bytes) => load_bytes::<A>(bytes, level, room),
            #[cfg(feature = "std")]
            Source::File(path) => {
                if let Some(stream) = file::stream(A::FILE, path)
                    && let Some(loaded) = stream.load(level.packed(), room.zeros())
                {
                    return Ok(loaded);
                }
                let bytes = file::open(A::FILE, path)
                    .map_err(|unread| explain::of_path(A::FILE, path, unread))?;
                load_bytes::<A>(&bytes, level, room)
            }
        }
    }
}

fn load_bytes<A: Architecture>(
    bytes: &[u8],
    level: Level,
    room: &mut dyn Room,
) -> Result<Loaded, LoadError> {
    let mut load = || {
        let bytes = file::unpack(A::FILE, bytes)?;
        let parts = file::split(A::FILE, &bytes)?;
        parts.load(level.packed(), room.zeros())
    };
    load().map_err(|error| explain::of_bytes(A::FILE, bytes, error))
}
