//! Facts about a network that can be proved from its weights.

mod bound;
mod memory;

pub use self::bound::{AccumulatorBound, accumulator_bound};
pub use self::memory::Memory;

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use nnue_format::Place;

use crate::architecture::Architecture;
use crate::network::Network;
use crate::proof::LayerProof;

/// Bounds that a network's weights prove, and warnings about them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// How far the accumulator can go.
    pub accumulator: AccumulatorBound,
    /// How far the sums of the affine layers of integers can go.
    pub layers: Vec<LayerProof>,
    /// Where the weights are, and in which pages.
    pub memory: Memory,
    /// Bytes of the file other than zero that no evaluation reads.
    pub ignored_bytes: usize,
    /// Warnings for the user of the network; a sound network has none.
    pub warnings: Vec<Warning>,
}

/// Something about a network that does not keep it from being used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// The accumulator cannot be proved to stay within 16 bits, which does not mean that some
    /// position takes it out of them. It wraps around where it is, as in engines.
    AccumulatorMayOverflow(AccumulatorBound),
    /// The sums of this layer cannot be proved to stay within 32 bits. They wrap around where they
    /// do not, on every level alike.
    SumsMayOverflow(&'static str),
    /// The file has bytes other than zero where no weight is. They are kept, and change no
    /// evaluation.
    IgnoredBytes(usize),
    /// The weights of a tensor look as if the file had them in another order: transposed, or not
    /// transposed.
    LooksTransposed(Place),
    /// Some values of a tensor, as many as the number says, did not fit its type and became the
    /// nearest that do, as the spec asks for.
    Clamped(Place, usize),
    /// The file has the header and the size of this network's files, but the weights of another
    /// network, which is named here, as in `a net of SFNNv4`. Only the feature `explain` notices it.
    LooksLike(String),
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::AccumulatorMayOverflow(bound) => write!(
                f,
                "accumulator values are not proved to fit in 16 bits, {} to {}: \
                 the bound is {} to {}, by the largest weights of {} features, \
                 which games need not have together",
                i16::MIN,
                i16::MAX,
                bound.lowest,
                bound.highest,
                bound.features,
            ),
            Warning::SumsMayOverflow(layer) => {
                write!(f, "sums of `{layer}` are not known to fit in 32 bits")
            }
            Warning::IgnoredBytes(count) => {
                write!(
                    f,
                    "{count} bytes of the file's padding are not zero; they are ignored"
                )
            }
            Warning::LooksTransposed(place) => write!(
                f,
                "`{place}` looks transposed: read in the other order, weights of an input or output resemble one another more"
            ),
            Warning::Clamped(place, count) => write!(
                f,
                "{count} values of `{place}` did not fit and became the nearest that do"
            ),
            Warning::LooksLike(network) => write!(
                f,
                "this is {network}, by its weights: header and size do not tell it from a net of this spec"
            ),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bound = &self.accumulator;
        write!(
            f,
            "accumulator within {} to {} for {} features: margin {}",
            bound.lowest,
            bound.highest,
            bound.features,
            bound.margin()
        )?;
        for layer in &self.layers {
            write!(f, "\n{layer}")?;
        }
        write!(f, "\nweights: {}", self.memory)?;
        for warning in &self.warnings {
            write!(f, "\nwarning: {warning}")?;
        }
        Ok(())
    }
}

impl<A: Architecture> Network<A> {
    /// Bounds that these weights prove, and warnings about them. Computing them takes milliseconds;
    /// with the feature `explain`, as long as [`Self::to_bytes`].
    #[must_use]
    pub fn report(&self) -> Report {
        let loaded = self.loaded();
        let accumulator = bound::of::<A>(self.weights());
        let layers = A::proofs(self.stacks()).into_layers();
        let mut warnings = Vec::new();
        if accumulator.margin() < 0 {
            warnings.push(Warning::AccumulatorMayOverflow(accumulator));
        }
        for layer in layers.iter().filter(|layer| layer.margin() < 0) {
            warnings.push(Warning::SumsMayOverflow(layer.layer));
        }
        if !loaded.ignored.is_empty() {
            warnings.push(Warning::IgnoredBytes(loaded.ignored.len()));
        }
        let (packed, weights) = self.laid_out();
        let transposed = nnue_format::transposed(A::FILE, packed, weights);
        warnings.extend(transposed.into_iter().map(Warning::LooksTransposed));
        let clamped = loaded.clamped.iter().cloned();
        warnings.extend(clamped.map(|(place, count)| Warning::Clamped(place, count)));
        #[cfg(feature = "explain")]
        warnings.extend(self.looks_like());
        Report {
            accumulator,
            layers,
            memory: Memory::of(self),
            ignored_bytes: loaded.ignored.len(),
            warnings,
        }
    }

    /// The warning of weights that are another network's, which the net file tells.
    #[cfg(feature = "explain")]
    fn looks_like(&self) -> Option<Warning> {
        let identity = nnue_compiler::explain::looks_like(A::FILE, &self.to_bytes())?;
        Some(Warning::LooksLike(alloc::format!("{identity}")))
    }
}
