//! Makes feature sets of the `[[features]]` tables.

use super::value_or;
use crate::diagnostics::{Diagnostics, Spanned, all};
use crate::feature_set::{FeatureSet, names};
use crate::spec::Features;

/// What bullet calls its inputs, and how a spec says it.
const BULLETS_NAMES: [(&str, &str); 3] = [
    ("Chess768", "`set = \"A\"`"),
    ("ChessBuckets", "`set = \"KingBuckets\"`"),
    (
        "ChessBucketsMirrored",
        "`set = \"KingBuckets\"` with `mirror = \"a-d\"`",
    ),
];

/// The largest number of sets that are summed into one accumulator.
const MAX_SETS: usize = 16;

pub(super) fn check(
    features: &[Features],
    diagnostics: &mut Diagnostics,
) -> Option<Vec<FeatureSet>> {
    if let Some(first_beyond) = features.get(MAX_SETS) {
        let found = features.len();
        let message = format!("there are {found} feature sets, allowed are at most {MAX_SETS}");
        diagnostics.error(first_beyond.span, message);
        return None;
    }
    let sets = all(features.iter().map(|features| {
        let Some(keys) = &features.keys else {
            report_unknown(&features.set, diagnostics);
            return None;
        };
        let set = keys.check(&features.set, features.span, diagnostics)?;
        let element = value_or(&features.element, set.element);
        Some(set.with_element(element))
    }))?;
    for (index, set) in sets.iter().enumerate() {
        let mut above = sets[..index].iter();
        if let Some(first) = above.position(|first| first.family == set.family) {
            report_same(set, &features[first].set, &features[index].set, diagnostics);
        }
    }
    Some(sets)
}

fn report_unknown(set: &Spanned<String>, diagnostics: &mut Diagnostics) {
    let error = diagnostics.unknown_name("set", set, names());
    if let Some((_, ours)) = BULLETS_NAMES.iter().find(|(its, _)| *its == set.value) {
        error.help(format!("bullet's `{}` is {ours}", set.value));
    }
}

fn report_same(
    set: &FeatureSet,
    first: &Spanned<String>,
    later: &Spanned<String>,
    diagnostics: &mut Diagnostics,
) {
    let message = if first.value == later.value {
        format!("feature set `{}` is listed twice", set.name)
    } else {
        format!(
            "`{}` and `{}` are the same features",
            first.value, later.value
        )
    };
    let error = diagnostics
        .error(later.span, message)
        .related(first.span, "first here");
    if set.is_told() {
        error.help("give each a `name` of its own");
    }
}
