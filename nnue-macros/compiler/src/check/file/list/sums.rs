//! Real and virtual rows of floating point, which are added before they are rounded.

use super::listing::Listed;
use crate::diagnostics::Diagnostics;
use crate::network::file::Role;

impl Listed {
    fn becomes(&self) -> String {
        match &self.quantise {
            Some(quantise) => format!(
                "`{}` is multiplied by {} and rounded with `{}`",
                self.known.name, quantise.factor, quantise.rounding
            ),
            None => format!("`{}` has integers", self.known.name),
        }
    }
}

/// Reports real and virtual rows that are added before their sum is rounded, but are not scaled and
/// rounded in the same way.
pub(super) fn check(listed: &[Listed], diagnostics: &mut Diagnostics) -> Option<()> {
    let rounded = listed.iter().filter(|listed| listed.known.sums.rounds_sums);
    let (virtuals, reals): (Vec<_>, Vec<_>) =
        rounded.partition(|listed| listed.known.sums.is_virtual);
    let pairs = virtuals
        .iter()
        .flat_map(|own| reals.iter().map(move |real| (own, real)));
    for (own, real) in pairs {
        let is_psqt = |listed: &Listed| matches!(listed.known.role, Role::Psqt(_));
        let how = |listed: &Listed| {
            let quantise = listed.quantise;
            quantise.map(|quantise| (quantise.factor, quantise.rounding))
        };
        if is_psqt(own) == is_psqt(real) && how(own) != how(real) {
            diagnostics
                .error(own.span, format!("{}, but {}", own.becomes(), real.becomes()))
                .related(real.span, "its rows and these are added before the sums are rounded")
                .help("give both the same `type`, `one` and `rounding`; or `[[features]]` its `rounding = \"each\"`");
            return None;
        }
    }
    Some(())
}
