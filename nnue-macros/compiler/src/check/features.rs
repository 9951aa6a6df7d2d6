//! Makes feature sets of the `[[features]]` tables.

use super::value::{in_range_or, value_or};
use crate::diagnostics::{Diagnostics, Spanned, all};
use crate::feature_set::piece_square::buckets::{place_materials, too_many};
use crate::feature_set::{FeatureSet, Keys, names};
use crate::spec::{Sharing, Spec};

/// Names that bullet and Stockfish have for their inputs, each with the keys of a spec for it.
const OTHERS_NAMES: [(&str, &str); 5] = [
    ("Chess768", "bullet's `Chess768` is `set = \"A\"`"),
    (
        "ChessBuckets",
        "bullet's `ChessBuckets` is `set = \"KingBuckets\"`",
    ),
    (
        "ChessBucketsMirrored",
        "bullet's `ChessBucketsMirrored` is `set = \"KingBuckets\"` with `mirror = \"a-d\"`",
    ),
    (
        "FullThreats",
        "Stockfish's `FullThreats` is `set = \"Threats\"` with its `targets`",
    ),
    (
        "PP_3Wide",
        "Stockfish's `PP_3Wide` is `set = \"PawnPairs\"`",
    ),
];

/// Words in the names that the inputs of the Gomoku engine Rapfi have; `Mix9` and its like are others.
/// They are no features, because they are computed before they are summed.
const CODEBOOKS: [&str; 4] = ["codebook", "gomoku", "lineshape", "rapfi"];

/// Why there are no such inputs, and what to write instead.
const NO_CODEBOOKS: &str = "Rapfi's codebooks have a vector for each shape of a line; those of a \
    square pass an activation and a convolution before they are summed, which no set computes: \
    `set = \"Custom\"` has features whose rows are summed as they are";

/// The largest number of sets that are summed into one accumulator.
const MAX_SETS: usize = 16;

/// The largest shift of rows, in bits: accumulators have 16 bits.
const MAX_SHIFT: i64 = 15;

pub(super) fn check(spec: &Spec, diagnostics: &mut Diagnostics) -> Option<Vec<FeatureSet>> {
    let features = spec.features.as_slice();
    if let Some(first_beyond) = features.get(MAX_SETS) {
        let found = features.len();
        let message = format!("there are {found} feature sets, allowed are at most {MAX_SETS}");
        diagnostics.error(first_beyond.span, message);
        return None;
    }
    let mut sets = all(features.iter().map(|features| {
        let Some(keys) = &features.keys else {
            report_unknown(&features.set, diagnostics);
            return None;
        };
        let set = keys.check(&features.set, features.span, diagnostics);
        let shift = features.shift.as_ref();
        let shift = in_range_or("shift", shift, 0..=MAX_SHIFT, 0, diagnostics)?;
        let set = set?;
        let element = value_or(&features.element, set.element);
        Some(set.with_rows(element, shift))
    }))?;
    for (index, set) in sets.iter().enumerate() {
        let mut above = sets[..index].iter();
        if let Some(first) = above.position(|first| first.is_same(set)) {
            report_same(set, &features[first].set, &features[index].set, diagnostics);
        }
    }
    if let Err((index, found)) = place_materials(&mut sets) {
        let error = diagnostics.error(features[index].set.span, too_many(found));
        error
            .label("with the sets above")
            .help("sets share what they tell apart where `pieces` and `from` are the same");
        return None;
    }
    check_views(spec, &sets, diagnostics)?;
    check_shifts(spec, &sets, diagnostics)?;
    Some(sets)
}

/// Reports a set whose views do not go together with another set.
fn check_views(spec: &Spec, sets: &[FeatureSet], diagnostics: &mut Diagnostics) -> Option<()> {
    let views = |index: usize| match &spec.features[index].keys {
        Some(Keys::Custom(keys)) => keys.views.as_ref(),
        _ => None,
    };
    let mut with_views = (0..sets.len()).filter(|index| sets[*index].views() > 1);
    let Some(first) = with_views.next() else {
        return Some(());
    };
    let (set, at) = (&sets[first], views(first)?);
    if let Some(other) = sets.iter().position(|set| !set.is_supplied()) {
        let message = format!(
            "`views` is {} for `{}`, allowed is 1 beside sets that follow the position",
            at.value, set.name
        );
        let other = &spec.features[other].set;
        let error = diagnostics.error(at.span, message);
        error.related(other.span, "this set follows the position");
        return None;
    }
    let Some(differs) = with_views.find(|index| sets[*index].views() != set.views()) else {
        return Some(());
    };
    let (other, found) = (&sets[differs], views(differs)?);
    let message = format!(
        "`views` is {} for `{}`, expected {} or 1: a perspective has one view of all sets",
        found.value, other.name, at.value
    );
    let error = diagnostics.error(found.span, message);
    error.related(at.span, format!("`{}` has other views", set.name));
    None
}

/// Reports sets with different shifts whose rows must lie in the same table.
fn check_shifts(spec: &Spec, sets: &[FeatureSet], diagnostics: &mut Diagnostics) -> Option<()> {
    let shift = |index: usize| spec.features[index].shift.as_ref();
    let differs = (1..sets.len()).find(|index| sets[*index].shift != sets[0].shift);
    let Some(differs) = differs else {
        return Some(());
    };
    let factorised = sets.iter().position(|set| set.factors.is_some());
    let separate = spec.transformer.weights.as_ref();
    let separate = separate.filter(|weights| weights.value == Sharing::Separate);
    let (span, reason) = match (factorised, separate) {
        (Some(index), _) => (
            spec.features[index].set.span,
            "virtual rows are added to those of this set before they are shifted",
        ),
        (None, Some(weights)) => (weights.span, "white's and black's rows lie in one table"),
        (None, None) => return Some(()),
    };
    let at = shift(differs).or(shift(0))?;
    let message = format!(
        "`shift` is {} for `{}` and {} for `{}`, expected one shift for all sets",
        sets[0].shift, sets[0].name, sets[differs].shift, sets[differs].name,
    );
    diagnostics.error(at.span, message).related(span, reason);
    None
}

fn report_unknown(set: &Spanned<String>, diagnostics: &mut Diagnostics) {
    let error = diagnostics.unknown_name("set", set, names());
    if let Some((_, help)) = OTHERS_NAMES.iter().find(|(name, _)| *name == set.value) {
        error.help(*help);
    } else if is_codebook(&set.value) {
        error.help(NO_CODEBOOKS);
    }
}

fn is_codebook(name: &str) -> bool {
    let name = name.to_lowercase();
    let is_mix = |rest: &str| {
        let digits = rest.starts_with(|letter: char| letter.is_ascii_digit());
        rest.is_empty() || digits || rest.starts_with("net")
    };
    CODEBOOKS.iter().any(|word| name.contains(word)) || name.strip_prefix("mix").is_some_and(is_mix)
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
    if set.is_supplied() {
        error.help("give each a `name` of its own");
    }
}
