//! The input of the emitters.

use proc_macro2::TokenStream;

use crate::layout::Layout;
use crate::network::Network;
use crate::options::{Embedded, Levels};
use crate::plan::Plans;

/// The input of all emitters.
pub(crate) struct Program<'a> {
    pub(crate) network: &'a Network,
    pub(crate) layout: &'a Layout<'a>,
    pub(crate) plans: &'a Plans<'a>,
    /// The path of the runtime crate.
    pub(crate) runtime: &'a TokenStream,
    /// The weights that become part of the program; `None` for a [`Network`] that is loaded from a
    /// file.
    pub(crate) embedded: Option<&'a Embedded>,
    /// The levels whose kernels are written.
    pub(crate) levels: Levels,
    /// The text of the spec, where the code shows the values of each layer to a probe.
    pub(crate) checked: Option<&'a str>,
}
