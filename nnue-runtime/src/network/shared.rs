//! Networks whose weights lie in memory that processes share, or in a file that is mapped.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use core::mem;
use core::time::Duration;
use std::fs::File;
use std::io;
use std::path::Path;

use blake3::Hasher;
use nnue_format::{self as file, LoadError, Loaded};
use nnue_memory::{Key, Mapping, Segment, ShareError};

use super::source::{Room, Source};
use super::{Network, explain};
use crate::architecture::{Architecture, Embedded, EmbeddedNet};
use crate::laid_out::{
    LaidOut, MapError, WEIGHTS_OFFSET, content_hash, file_content_hash, layout_hash, weights_hash,
};
use crate::level::Level;
use crate::memory::{Holder, Map};
use crate::weights::Weights;

/// How long another process may take to load a net before this process loads it for itself.
const PATIENCE: Duration = Duration::from_secs(20);

impl<A: Architecture> Network<A> {
    /// Loads a net file from memory, as [`Self::from_bytes`] does, into memory that all processes
    /// of the user share: the first process of a net loads it, the others map the same pages. A
    /// process that comes while the net is being loaded waits, for at most 20 seconds.
    ///
    /// Weights are found by a hash of the file and of how this build lays them out, so what is
    /// found is what would have been loaded. The memory ends with the last process that uses it,
    /// however that ends.
    ///
    /// Where memory cannot be shared, weights are on the heap, and [`Self::not_shared`] says why.
    /// It can be shared on Linux, Windows, macOS and the BSDs; the crate `nnue-memory` tells how.
    ///
    /// Hashing takes some 0.7 ms for each megabyte of the file on a processor with instructions for
    /// it, 3 ms on others, and is shared by up to eight of them.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::from_bytes`].
    pub fn shared(bytes: &[u8]) -> Result<Network<A>, LoadError> {
        share(&Source::Bytes(bytes))
    }

    /// Loads a net file into memory that processes share, as [`Self::shared`] does. Where another
    /// process has loaded it, the file is only read to be hashed.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::open`].
    pub fn open_shared(path: impl AsRef<Path>) -> Result<Network<A>, LoadError> {
        share(&Source::File(path.as_ref()))
    }

    /// The network that was embedded while compiling, as [`Self::embedded`], in memory that
    /// processes share. Weights that are part of the program (`embed = "weights"`) stay there: the
    /// system shares the pages of a program anyway.
    #[must_use]
    pub fn embedded_shared() -> Network<A>
    where
        A: Embedded,
    {
        match A::NET {
            EmbeddedNet::Weights { .. } => Network::embedded(),
            EmbeddedNet::File(bytes) => Network::shared(bytes).unwrap_or_else(|error| {
                unreachable!("the embedded file was checked while compiling: {error}")
            }),
        }
    }

    /// Maps weights that `nnue convert --layout` has laid out. Nothing is read but a header, so
    /// that this takes less than a millisecond however large the weights are; their pages come from
    /// the disk, or from the system's cache, when they are first needed. All processes that map a
    /// file share its pages.
    ///
    /// A net file can be mapped as it is if it begins with the rows of the transformer and has them
    /// as memory does, as `quantised.bin` of bullet does for most networks: the rows are used in
    /// place, and what follows them, which is little, is loaded. A damaged net file of such a network
    /// is refused as [`Self::open`] refuses it. On other systems than Unix all net files are refused.
    ///
    /// The header has a hash of itself, and a hash of the way in which weights are laid out. The
    /// weights are not looked at: [`Self::map_checked`] compares them with their hash.
    ///
    /// # Safety
    ///
    /// Nobody may change the file or make it shorter while the network is there. Shorter files end
    /// the process with a signal when a lost page is read; changed ones give other evaluations, and
    /// to read them while they change is undefined behaviour. Programs that replace a file by
    /// renaming a new file do not change it, as `nnue convert` does. No system lets a program
    /// forbid changes to a file that others may write; the memory of [`Self::shared`] is sealed on
    /// Linux, and needs no such promise there.
    ///
    /// # Errors
    ///
    /// [`MapError`] says what is wrong with the file.
    pub unsafe fn map(path: impl AsRef<Path>) -> Result<Network<A>, MapError> {
        // SAFETY: the caller's promise.
        unsafe { map(path.as_ref(), false) }
    }

    /// Maps weights as [`Self::map`] does, and compares them with their hash first, which reads
    /// all of them: 0.3 to 0.7 ms for each megabyte of weights on a processor with AVX2, 0.9 ms
    /// with SSE4.1, and 1.4 ms or more without vectors, as on Arm.
    ///
    /// # Safety
    ///
    /// The promise of [`Self::map`].
    ///
    /// # Errors
    ///
    /// [`MapError`] says what is wrong with the file.
    pub unsafe fn map_checked(path: impl AsRef<Path>) -> Result<Network<A>, MapError> {
        // SAFETY: the caller's promise.
        unsafe { map(path.as_ref(), true) }
    }

    /// Why a network that was to be [shared](Self::shared) has its weights on the heap. `None` if
    /// it is shared, or was not to be.
    #[must_use]
    pub fn not_shared(&self) -> Option<&str> {
        self.not_shared.as_deref()
    }

    /// Writes the file that [`Self::map`] maps.
    ///
    /// # Errors
    ///
    /// The errors of the writer, and [`MapError::HeaderTooLong`].
    pub fn write_laid_out(&self, mut writer: impl io::Write) -> Result<(), MapError> {
        let (packed, weights) = self.weights.laid_out();
        let laid_out = LaidOut {
            level: self.level.name().to_string(),
            packed: packed.to_vec(),
            loaded: self.loaded.clone(),
            hash: Some(weights_hash(weights)),
        };
        laid_out.write(A::FILE, weights, &mut writer)
    }

    fn of_segment(segment: Segment, level: Level) -> Result<Network<A>, MapError> {
        let header = segment.map(0, WEIGHTS_OFFSET)?;
        let laid_out = read::<A>(segment.len(), &*header)?;
        let mapping = segment.map(WEIGHTS_OFFSET as u64, size_of::<A::Weights>())?;
        let mapped = Map {
            mapping,
            segment: Some(segment),
        };
        let LaidOut { packed, loaded, .. } = laid_out;
        of_map(mapped, Cow::Owned(packed), loaded, level)
    }
}

/// Maps a file, and compares its weights with their hash if `check` is true.
///
/// # Safety
///
/// The promise of [`Network::map`].
unsafe fn map<A: Architecture>(path: &Path, check: bool) -> Result<Network<A>, MapError> {
    let map = || {
        let file = File::open(path)?;
        let laid_out = match read::<A>(file.metadata()?.len(), &file) {
            Err(MapError::NotLaidOut { .. }) if A::FILE.begins_in_place() => {
                // SAFETY: the caller's promise.
                let network = unsafe { map_rows(&file) }?;
                return if check {
                    Err(MapError::NoHash)
                } else {
                    Ok(network)
                };
            }
            Err(MapError::NotLaidOut { found }) if !A::NEURONS.order.is_empty() => {
                return Err(MapError::Reordered { found });
            }
            laid_out => laid_out?,
        };
        let (start, len) = (WEIGHTS_OFFSET as u64, size_of::<A::Weights>());
        // SAFETY: the caller's promise.
        let mapping = unsafe { Mapping::of_file(&file, start, len) }?;
        if check {
            laid_out.check(&mapping)?;
        }
        let mapped = Map {
            mapping,
            segment: None,
        };
        let LaidOut { packed, loaded, .. } = laid_out;
        of_map(mapped, Cow::Owned(packed), loaded, Level::detect())
    };
    map().map_err(|error: MapError| explain::of_map(path, error.of_file(path)))
}

/// Maps the rows that a net file begins with, and loads what follows them.
///
/// # Safety
///
/// The promise of [`Network::map`].
unsafe fn map_rows<A: Architecture>(file: &File) -> Result<Network<A>, MapError> {
    let limit = A::FILE.max_len();
    let len = file.metadata()?.len();
    let Some(len) = usize::try_from(len).ok().filter(|_| len <= limit) else {
        return Err(LoadError::TooLong { limit }.into());
    };
    // SAFETY: the caller's promise.
    let bytes = unsafe { Mapping::of_file(file, 0, len) }?;
    let explained = |error| explain::of_bytes(A::FILE, &bytes, error);
    let mut parts = file::split(A::FILE, &bytes).map_err(explained)?;
    let rows = parts.take_in_place().unwrap_or(0);
    let (level, mut loaded) = (Level::detect(), None);
    let fill = &mut |memory: &mut [u8]| -> Result<(), LoadError> {
        loaded = Some(
            parts
                .clone()
                .load(level.packed(), memory)
                .map_err(explained)?,
        );
        Ok(())
    };
    // SAFETY: the caller's promise.
    let mapping = unsafe { Mapping::of_file_and_memory(file, rows, size_of::<A::Weights>(), fill) };
    let mapping = mapping.map_err(|error| match error {
        ShareError::System(error) => MapError::from(error),
        ShareError::Fill(error) => MapError::from(error),
    })?;
    let mapped = Map {
        mapping,
        segment: None,
    };
    let (packed, loaded) = (Cow::Borrowed(level.packed()), loaded.unwrap_or_default());
    of_map(mapped, packed, loaded, level)
}

fn read<A: Architecture>(len: u64, reader: impl io::Read) -> Result<LaidOut, MapError> {
    LaidOut::read(A::FILE, size_of::<A::Weights>(), len, reader)
}

fn of_map<A: Architecture>(
    mapped: Map,
    packed: Cow<'static, [usize]>,
    loaded: Loaded,
    level: Level,
) -> Result<Network<A>, MapError> {
    let whole = Holder::of_map(Arc::new(mapped));
    let whole = whole
        .ok_or_else(|| io::Error::other("the map is too short, or begins at no multiple of 64"))?;
    let weights = Weights::new(whole, packed);
    Ok(Network::new(level, weights, loaded))
}

impl Source<'_> {
    /// The hash of all that decides the bytes of a segment: the file, and how it is laid out. The
    /// level does not belong to that: the header says which it was, and networks of another level
    /// copy the layers alone. `None` for files that have to be read as a whole to be judged.
    fn key<A: Architecture>(&self) -> Option<Key> {
        let content = match self {
            Source::Bytes(bytes) => content_hash(bytes),
            Source::File(path) => file_content_hash(A::FILE, path)?,
        };
        let mut hash = Hasher::new();
        hash.update(&layout_hash(A::FILE, size_of::<A::Weights>()));
        hash.update(&content);
        Some(hash.finalize().into())
    }
}

/// Room in a segment, whose memory is zeros at first.
struct SegmentRoom<'m> {
    memory: &'m mut [u8],
    is_used: bool,
}

impl Room for SegmentRoom<'_> {
    fn zeros(&mut self) -> &mut [u8] {
        if mem::replace(&mut self.is_used, true) {
            self.memory.fill(0);
        }
        self.memory
    }
}

fn share<A: Architecture>(source: &Source<'_>) -> Result<Network<A>, LoadError> {
    let reason = match try_to_share(source) {
        Ok(network) => return Ok(network),
        Err(NotShared::Load(error)) => return Err(error),
        Err(NotShared::Because(reason)) => reason,
    };
    let mut network = Network::of_source(source)?;
    network.not_shared = Some(reason);
    Ok(network)
}

/// Why there are no shared weights.
enum NotShared {
    /// The file cannot be loaded.
    Load(LoadError),
    /// The system has no memory to share, or the weights in it are not what they should be.
    Because(String),
}

fn try_to_share<A: Architecture>(source: &Source<'_>) -> Result<Network<A>, NotShared> {
    let because = |reason: &dyn ToString| NotShared::Because(reason.to_string());
    let level = Level::detect();
    let key = source.key::<A>();
    let key = key.ok_or_else(|| because(&"it is no file of the length of a net"))?;
    let len = WEIGHTS_OFFSET + size_of::<A::Weights>();
    let fill = &mut |memory: &mut [u8]| {
        fill::<A>(source, level, memory)?;
        // A file may have changed since it was hashed.
        match source {
            Source::File(_) if source.key::<A>() != Some(key) => {
                Err(because(&"the file has changed while it was loaded"))
            }
            _ => Ok(()),
        }
    };
    match nnue_memory::share(&key, len as u64, PATIENCE, fill) {
        Ok(segment) => Network::of_segment(segment, level).map_err(|error| because(&error)),
        Err(ShareError::Fill(reason)) => Err(reason),
        Err(ShareError::System(error)) => Err(because(&error)),
    }
}

/// Lays a net out in a segment.
fn fill<A: Architecture>(
    source: &Source<'_>,
    level: Level,
    memory: &mut [u8],
) -> Result<(), NotShared> {
    let (header, weights) = memory.split_at_mut(WEIGHTS_OFFSET);
    let room = &mut SegmentRoom {
        memory: weights,
        is_used: false,
    };
    let loaded = source.load::<A>(level, room).map_err(NotShared::Load)?;
    let laid_out = LaidOut {
        level: level.name().to_string(),
        packed: level.packed().to_vec(),
        loaded,
        // Nobody can have changed it: it is sealed, or in a folder of the user's own.
        hash: None,
    };
    let written = laid_out.header(A::FILE, weights.len());
    let written = written.map_err(|error| NotShared::Because(error.to_string()))?;
    header[..written.len()].copy_from_slice(&written);
    Ok(())
}
