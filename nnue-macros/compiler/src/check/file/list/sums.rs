//! Checks of values that are added before they are rounded: real and virtual rows in floating
//! point, and the summands of a layer's weights.

use nnue_format::Quantise;

use crate::check::file::tensors::KnownTensor;
use crate::diagnostics::{Diagnostics, Span};
use crate::network::file::Role;

/// A tensor that an entry of the file names.
pub(super) struct ListedTensor {
    pub(super) known: KnownTensor,
    /// The place of the entry in the spec.
    pub(super) span: Span,
    /// How the values become integers; `None` if the file has integers.
    pub(super) quantise: Option<Quantise>,
}

impl ListedTensor {
    fn conversion(&self) -> String {
        match &self.quantise {
            Some(quantise) => format!(
                "`{}` is multiplied by {} and rounded with `{}`",
                self.known.name, quantise.factor, quantise.rounding
            ),
            None => format!("`{}` has integers", self.known.name),
        }
    }
}

/// Reports real and virtual values that are added before their sum is rounded, but that are not
/// scaled and rounded in the same way.
pub(super) fn check(listed: &[ListedTensor], diagnostics: &mut Diagnostics) -> Option<()> {
    let rounded = listed.iter().filter(|listed| listed.known.sums.rounds_sums);
    let (virtuals, reals): (Vec<_>, Vec<_>) =
        rounded.partition(|listed| listed.known.sums.is_virtual);
    let pairs = virtuals
        .iter()
        .flat_map(|own| reals.iter().map(move |real| (own, real)));
    for (own, real) in pairs {
        let how = |listed: &ListedTensor| {
            let quantise = listed.quantise;
            quantise.map(|quantise| (quantise.factor, quantise.rounding))
        };
        if are_summands(own.known.role, real.known.role) && how(own) != how(real) {
            let or_each = match real.known.role.layer() {
                Some(_) => "",
                None => "; or `[[features]]` its `rounding = \"each\"`",
            };
            diagnostics
                .error(
                    own.span,
                    format!("{}, but {}", own.conversion(), real.conversion()),
                )
                .related(
                    real.span,
                    "its values and these are added before the sums are rounded",
                )
                .help(format!(
                    "give both the same `type`, `one` and `rounding`{or_each}"
                ));
            return None;
        }
    }
    Some(())
}

/// Whether values of a virtual tensor are added to values of a real tensor.
fn are_summands(own: Role, real: Role) -> bool {
    match (own, real) {
        (Role::Weights(_), Role::Weights(_)) | (Role::Psqt(_), Role::Psqt(_)) => true,
        (Role::SharedWeights(own), Role::LayerWeights(real))
        | (Role::SharedBiases(own), Role::LayerBiases(real)) => own == real,
        _ => false,
    }
}
