//! A network's weights: loading, writing and sharing them.

mod explain;
#[cfg(feature = "shared")]
pub(crate) mod nodes;
#[cfg(feature = "shared")]
mod shared;
mod source;
mod tensors;

use alloc::borrow::Cow;
#[cfg(feature = "shared")]
use alloc::string::String;
use alloc::vec::Vec;
use core::convert::Infallible;
use core::fmt;

use nnue_format::{self as file, LoadError, Loaded};

use crate::architecture::{Architecture, Embedded, EmbeddedNet};
use crate::level::Level;
use crate::memory::{Holder, Storage};
use crate::neurons::OrderError;
use crate::proof::{Proved, ProvedStacks};
use crate::weights::Weights;

use self::source::Source;

/// The weights of a network, laid out for one instruction set.
///
/// Weights are megabytes on the heap, in the program ([`Network::embedded`]) or in memory that
/// processes share, and never on the stack. Threads share a network by reference or `Arc`.
pub struct Network<A: Architecture> {
    level: Level,
    weights: Weights<A>,
    /// For each stack, the layers whose weights, in the order of the level, prove a faster kernel to
    /// be exact; none if no kernel asks for it.
    proved: ProvedStacks,
    loaded: Loaded,
    /// Why the weights are on the heap, if they were to be shared.
    #[cfg(feature = "shared")]
    not_shared: Option<String>,
}

impl<A: Architecture> Network<A> {
    /// Loads a net file.
    ///
    /// # Errors
    ///
    /// [`LoadError`] if the file cannot be read or is not this network's.
    #[cfg(feature = "std")]
    pub fn open(path: impl AsRef<std::path::Path>) -> Result<Network<A>, LoadError> {
        Network::of_source(&Source::File(path.as_ref()))
    }

    /// Loads a net file from a stream, which must end behind the net.
    ///
    /// # Errors
    ///
    /// [`LoadError`] if the stream cannot be read or does not hold this network's file. A file with
    /// a wrong header is refused after its first bytes.
    #[cfg(feature = "std")]
    pub fn read(reader: impl std::io::Read) -> Result<Network<A>, LoadError> {
        let bytes = file::read_all(A::FILE, reader)
            .map_err(|unread| explain::of_bytes(A::FILE, &unread.read, unread.error))?;
        Network::from_bytes(&bytes)
    }

    /// Loads a net file from memory. It may be compressed with zstd, if the feature `zstd` is
    /// enabled: as a whole, or from the end of its header on.
    ///
    /// # Errors
    ///
    /// [`LoadError`] if the bytes are not this network's file, whole and with nothing after it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network<A>, LoadError> {
        Network::of_source(&Source::Bytes(bytes))
    }

    /// The network of a net file, with weights on the heap.
    fn of_source(source: &Source<'_>) -> Result<Network<A>, LoadError> {
        let (level, mut whole) = (Level::detect(), None);
        let loaded = source.load::<A>(level, &mut whole)?;
        let whole = whole.unwrap_or_else(Holder::zeroed);
        let weights = Weights::new(whole, Cow::Borrowed(level.packed()));
        Ok(Network::new(level, weights, loaded))
    }

    /// The network at a level, whatever the level of the weights was.
    fn new(level: Level, weights: Weights<A>, loaded: Loaded) -> Network<A> {
        let weights = weights.with_packed(level.packed());
        Network {
            level,
            proved: proved::<A>(&weights),
            weights,
            loaded,
            #[cfg(feature = "shared")]
            not_shared: None,
        }
    }

    /// Writes the net file, not compressed. Where the file has integers, its bytes are those that
    /// were loaded.
    ///
    /// Where the file has `f32` that became integers when they were loaded, alone or in sums with
    /// virtual rows, other numbers are written that become the same integers. There is one
    /// exception, which no trained net comes near: if virtual PSQT values exceed 2^24 in the units
    /// of memory, `f32` may have no number whose sum with them is the same.
    ///
    /// # Errors
    ///
    /// The errors of the writer.
    #[cfg(feature = "std")]
    pub fn write(&self, mut writer: impl std::io::Write) -> std::io::Result<()> {
        self.store(&mut |bytes| writer.write_all(bytes))
    }

    /// The net file, as [`Self::write`] writes it.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut file = Vec::new();
        let Ok(()) = self.store::<Infallible>(&mut |bytes| {
            file.extend_from_slice(bytes);
            Ok(())
        });
        file
    }

    fn store<E>(&self, sink: &mut dyn FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let (packed, bytes) = self.weights.laid_out();
        file::store(A::FILE, packed, bytes, &self.loaded, sink)
    }

    /// The instruction set that evaluations use. It is [`Level::detect`]'s until
    /// [`Self::with_level`] changes it.
    #[inline]
    #[must_use]
    pub fn level(&self) -> Level {
        self.level
    }

    /// The same network for another instruction set. Evaluations and accumulators stay the same.
    #[must_use]
    pub fn with_level(mut self, level: Level) -> Network<A> {
        self.weights = self.weights.with_packed(level.packed());
        self.level = level;
        self
    }

    /// The same network with the transformer's [outputs](crate::neurons) in another order:
    /// `order[place]` is the number of the output that takes the place. Evaluations stay the same,
    /// accumulators and the net file do not. Bytes of the file that loading skips are not
    /// reordered, even if they are a copy of a tensor.
    ///
    /// This needs memory for a second network, and for a while as much again as the tensor that is
    /// being reordered.
    ///
    /// # Errors
    ///
    /// [`OrderError`] if `order` is not a permutation of a perspective's outputs, or if it
    /// exchanges two outputs and some layer reads only one of them.
    pub fn reordered(&self, order: &[usize]) -> Result<Network<A>, OrderError> {
        A::NEURONS.check(order)?;
        let order = A::NEURONS.order_of_file(order);
        let weights = self.weights.changed(|packed, weights| {
            let moves = |tensor| A::NEURONS.moves(tensor, &order);
            file::reorder(A::FILE, packed, weights, moves);
        });
        Ok(Network::new(self.level, weights, self.loaded.clone()))
    }

    /// The network that was embedded while compiling. Each call decodes the whole file, and unpacks
    /// it if it is compressed with zstd, so keep the result. With `embed = "weights"` nothing is
    /// decoded: weights are read where the program has them, except those of layers that the level
    /// wants in another order.
    // The bound is that of the method and not of a block: only then does rustc say of a network
    // without a file what `Embedded` says of it.
    #[must_use]
    pub fn embedded() -> Network<A>
    where
        A: Embedded,
    {
        match A::NET {
            EmbeddedNet::File(bytes) => Network::from_bytes(bytes).unwrap_or_else(|error| {
                unreachable!("the embedded file was checked while compiling: {error}")
            }),
            EmbeddedNet::Weights {
                weights,
                packed,
                kept,
            } => {
                let weights = Weights::new(Holder::of_static(weights), Cow::Borrowed(packed));
                let Some(loaded) = Loaded::decode(A::FILE, kept) else {
                    unreachable!("the same version of the same code has written it");
                };
                Network::new(Level::detect(), weights, loaded)
            }
        }
    }

    /// The description in the net file. Usually it is text, but any bytes are allowed.
    #[must_use]
    pub fn description(&self) -> &[u8] {
        &self.loaded.description
    }

    /// A copy whose weights are on the heap, wherever these are.
    #[cfg(feature = "shared")]
    fn on_the_heap(&self) -> Network<A> {
        let weights = self.weights.changed(|_, _| {});
        Network::new(self.level, weights, self.loaded.clone())
    }

    /// Where the weights live.
    #[must_use]
    pub fn storage(&self) -> Storage {
        self.weights.storage()
    }

    #[inline]
    pub(crate) fn weights(&self) -> &A::Weights {
        self.weights.whole()
    }

    #[inline]
    pub(crate) fn stacks(&self) -> &A::Stacks {
        self.weights.stacks()
    }

    /// The content of the net file besides its weights.
    pub(crate) fn loaded(&self) -> &Loaded {
        &self.loaded
    }

    /// The order of packed columns in all weights, and the bytes of the weights.
    pub(crate) fn laid_out(&self) -> (&[usize], &[u8]) {
        self.weights.laid_out()
    }

    /// The proofs from the weights of a bucket's stack.
    #[inline]
    pub(crate) fn proved(&self, bucket: usize) -> Proved {
        self.proved.bucket(bucket)
    }
}

/// The proofs from the weights that kernels ask for.
fn proved<A: Architecture>(weights: &Weights<A>) -> ProvedStacks {
    if A::NEEDS_PROOFS {
        ProvedStacks::of(&A::proofs(weights.stacks()).into_proved())
    } else {
        ProvedStacks::default()
    }
}

impl<A: Architecture> Clone for Network<A> {
    fn clone(&self) -> Network<A> {
        Network {
            level: self.level,
            weights: self.weights.clone(),
            proved: self.proved,
            loaded: self.loaded.clone(),
            #[cfg(feature = "shared")]
            not_shared: self.not_shared.clone(),
        }
    }
}

impl<A: Architecture> fmt::Debug for Network<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network")
            .field("net", &A::NAME)
            .field("level", &self.level)
            .field(
                "description",
                &alloc::string::String::from_utf8_lossy(&self.loaded.description),
            )
            .finish_non_exhaustive()
    }
}
