//! The choices of the compiler's caller: the weights and the levels of a program.

use std::fmt;

use nnue_format::LoadError;
use nnue_format::levels::{ISAS, Isa};
use proc_macro2::TokenStream;
use quote::quote;

use crate::layout::{self, Layout};
use crate::network::Network;
use crate::plan::Unroll;

/// The order of packed columns in embedded weights, which is that of the file. A portable program
/// does not know the level at which it will run. Every level except the portable level copies the
/// weights whose order differs.
pub(crate) const PACKED: &[usize] = &[0];

/// The options of the compiler, which its caller chooses.
#[derive(Clone, Debug)]
pub struct Options {
    /// How generated code names the runtime crate: `::nnue_runtime`, or `$crate` in its own macro.
    pub runtime: TokenStream,
    /// How many layers are written out as straight-line code.
    pub unroll: Unroll,
    /// The weights that become part of the program; `None` for a network that is loaded from a
    /// file.
    pub embedded: Option<Embedded>,
    /// The levels whose kernels are written.
    pub levels: Levels,
    /// The text of the spec, for code that is compiled to be checked. The code then shows the values
    /// of each layer to a probe, which the crate nnue-wiring needs, and no engine.
    pub checked: Option<String>,
}

impl Options {
    /// Options for a network that is loaded from a file, in a program that knows the runtime crate
    /// as `::nnue_runtime`.
    #[must_use]
    pub fn new(unroll: Unroll, levels: Levels) -> Options {
        Options {
            runtime: quote!(::nnue_runtime),
            unroll,
            embedded: None,
            levels,
            checked: None,
        }
    }
}

/// The weights that a network carries.
#[derive(Clone, Debug)]
pub enum Embedded {
    /// The weights as a net file: tokens that stand for a reference to its bytes.
    File(TokenStream),
    /// The weights as they lie in memory.
    Weights(EmbeddedWeights),
}

/// Weights as they lie in memory, with their columns in the order of the file.
#[derive(Clone, Debug)]
pub struct EmbeddedWeights {
    pub(crate) bytes: Vec<u8>,
    /// The content of the file besides the weights, encoded by [`nnue_format::Loaded::encode`].
    pub(crate) kept: Vec<u8>,
}

impl Embedded {
    /// Reads a net file and lays its weights out in memory.
    ///
    /// # Errors
    ///
    /// [`LoadError`] if the file is not a file of this network.
    pub fn weights(network: &Network, file: &[u8]) -> Result<Embedded, LoadError> {
        let layout = Layout::of(network);
        let mut bytes = vec![0; layout.weights.size];
        let layout = layout::file(&layout);
        let file = nnue_format::unpack(&layout, file)?;
        let loaded = nnue_format::split(&layout, &file)?.load(PACKED, &mut bytes)?;
        let kept = loaded.encode(&layout);
        Ok(Embedded::Weights(EmbeddedWeights { bytes, kept }))
    }
}

/// The levels whose kernels are written. Kernels for other architectures than the target's would
/// only cost time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Levels {
    /// The levels of all architectures.
    #[default]
    All,
    /// The levels of one architecture, which is named as in `cfg(target_arch)`, and the portable
    /// level.
    Of(&'static str),
    /// The portable level alone, which every architecture has.
    Portable,
}

impl Levels {
    /// The levels of the architecture with this name, as in `cfg(target_arch)`: the portable level
    /// alone for those that have no others.
    #[must_use]
    pub fn of_arch(name: &str) -> Levels {
        let mut architectures = ISAS.iter().filter_map(|isa| isa.target_arch);
        let found = architectures.find(|architecture| *architecture == name);
        found.map_or(Levels::Portable, Levels::Of)
    }

    pub(crate) fn contains(self, isa: &Isa) -> bool {
        match self {
            Levels::All => true,
            Levels::Of(arch) => isa.is_portable() || isa.target_arch == Some(arch),
            Levels::Portable => isa.is_portable(),
        }
    }
}

/// The target of the levels, as in "kernels for x86_64".
impl fmt::Display for Levels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Levels::All => "all architectures",
            Levels::Of(arch) => arch,
            Levels::Portable => "every architecture",
        })
    }
}
