//! Makes feature sets of the `[[features]]` tables: a name stands for parameters, which other keys
//! override.

use super::{check_buckets, check_length, factors, in_range, in_range_or, value_or};
use crate::diagnostics::{Diagnostics, Spanned, all, list};
use crate::feature_set::{CUSTOM, Family, FeatureSet, KING_BUCKETS, NAMES, Parameters, SQUARES};
use crate::spec::{CustomKeys, FeatureKeys, Features, Mirror, PieceSquareKeys, Planes, RowType};

/// What bullet calls its inputs, and how a spec says it.
const BULLETS_NAMES: [(&str, &str); 3] = [
    ("Chess768", "`set = \"A\"`"),
    ("ChessBuckets", "`set = \"KingBuckets\"`"),
    (
        "ChessBucketsMirrored",
        "`set = \"KingBuckets\"` with `mirror = \"a-d\"`",
    ),
];

/// The largest number of rows before the planes of a bucket. `HalfKP` has one.
const MAX_OFFSET: i64 = 64;

/// The largest number of sets that are summed into one accumulator.
const MAX_SETS: usize = 16;

/// The largest numbers of rows of a custom set and of those that are active at once. A list of the
/// active ones is kept on the stack.
const MAX_ROWS: i64 = 1 << 24;
const MAX_ACTIVE: i64 = 4096;

pub(super) fn check(
    features: &[Features],
    diagnostics: &mut Diagnostics,
) -> Option<Vec<FeatureSet>> {
    if let Some(first_beyond) = features.get(MAX_SETS) {
        let found = features.len();
        let message = format!("there are {found} feature sets, allowed are {MAX_SETS}");
        diagnostics.error(first_beyond.span, message);
        return None;
    }
    let sets = all(features.iter().map(|features| match &features.keys {
        FeatureKeys::PieceSquare(keys) => check_piece_square(features, keys, diagnostics),
        FeatureKeys::Custom(keys) => {
            let element = value_or(&features.element, RowType::I16);
            check_custom(keys, diagnostics).map(|set| set.stored(element, None))
        }
    }))?;
    for (index, set) in sets.iter().enumerate() {
        if let Some(first) = sets[..index].iter().position(|first| is_same(first, set)) {
            report_same(set, &features[first].set, &features[index].set, diagnostics);
        }
    }
    Some(sets)
}

/// Whether two sets are the same. Piece-square sets are compared by their tables. What the rows of
/// a custom set mean only the engine knows, so custom sets are compared by their names.
fn is_same(first: &FeatureSet, later: &FeatureSet) -> bool {
    first.family == later.family && (first.family != Family::Custom || first.name == later.name)
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
    if set.family == Family::Custom {
        error.help("give each a `name` of its own");
    }
}

fn check_custom(keys: &CustomKeys, diagnostics: &mut Diagnostics) -> Option<FeatureSet> {
    let rows = in_range("rows", &keys.rows, 1..=MAX_ROWS, diagnostics);
    let most = rows.map_or(MAX_ACTIVE, |rows| MAX_ACTIVE.min(i64::from(rows)));
    let active = in_range("active", &keys.active, 1..=most, diagnostics);
    let name = match &keys.name {
        Some(name) if name.value.trim().is_empty() => {
            let message = "`name` is empty, expected what the set is called";
            diagnostics.error(name.span, message);
            None
        }
        Some(name) => check_length(name, diagnostics).map(|()| name.value.as_str()),
        None => Some(CUSTOM),
    };
    Some(FeatureSet::custom(name?, rows? as usize, active? as usize))
}

fn check_piece_square(
    features: &Features,
    keys: &PieceSquareKeys,
    diagnostics: &mut Diagnostics,
) -> Option<FeatureSet> {
    let name = &features.set;
    if !NAMES.contains(&name.value.as_str()) {
        let error = diagnostics.unknown_name("set", name, NAMES.iter().copied());
        if let Some((_, ours)) = BULLETS_NAMES.iter().find(|(its, _)| *its == name.value) {
            error.help(format!("bullet's `{}` is {ours}", name.value));
        }
        return None;
    }
    let defaults = Parameters::named(&name.value);
    if defaults.is_none() && keys.king_buckets.is_none() {
        diagnostics
            .error(features.span, format!("`{KING_BUCKETS}` needs `king_buckets`"))
            .help("write a number for each square of the own king, or for each of the half that `mirror` puts it on");
        return None;
    }
    let defaults = defaults.unwrap_or_else(Parameters::unbucketed);
    let planes = match &keys.planes {
        Some(planes) => check_planes(planes, diagnostics),
        None => Some(defaults.planes),
    };
    let offset = keys.offset.as_ref();
    let offset = in_range_or(
        "offset",
        offset,
        0..=MAX_OFFSET,
        defaults.offset,
        diagnostics,
    );
    let mirror = value_or(&keys.mirror, defaults.mirror);
    let king_buckets = match &keys.king_buckets {
        Some(table) => check_king_buckets(table, mirror, diagnostics),
        None => check_halves(&name.value, keys, &defaults, diagnostics),
    };
    let parameters = Parameters {
        planes: planes?,
        piece_order: value_or(&keys.piece_order, defaults.piece_order),
        flip: value_or(&keys.flip, defaults.flip),
        first_square: value_or(&keys.squares, defaults.first_square),
        mirror,
        king_buckets: king_buckets?,
        offset: offset?,
    };
    let factors = factors::check(keys, &parameters, diagnostics)?;
    let element = value_or(&features.element, RowType::I16);
    Some(FeatureSet::piece_square(&name.value, &parameters).stored(element, factors))
}

fn check_planes(planes: &Spanned<i64>, diagnostics: &mut Diagnostics) -> Option<Planes> {
    let found = Planes::ALL
        .into_iter()
        .find(|known| i64::from(known.count()) == planes.value);
    if found.is_none() {
        let message = format!("`planes` is {}, allowed are 10, 11 or 12", planes.value);
        diagnostics
            .error(planes.span, message)
            .help("12 for all pieces, 11 where both kings share a plane, 10 without kings");
    }
    found
}

/// The bucket of every square, from a table of all squares or of half of them.
fn check_king_buckets(
    table: &Spanned<Vec<Spanned<i64>>>,
    mirror: Mirror,
    diagnostics: &mut Diagnostics,
) -> Option<[u8; SQUARES]> {
    let entries = &table.value;
    let expected = match mirror {
        Mirror::None => "64",
        _ => "32 or 64",
    };
    let halved = entries.len() == SQUARES / 2;
    if entries.len() != SQUARES && (!halved || mirror == Mirror::None) {
        let error = diagnostics.error(
            table.span,
            format!(
                "`king_buckets` has {} entries, expected {expected}",
                entries.len()
            ),
        );
        if halved {
            error
                .label("half a board, and nothing puts the king on a half")
                .help("say which half: `mirror = \"a-d\"` or `mirror = \"e-h\"`");
        } else {
            error.label(match mirror {
                Mirror::None => "one for each square: a1, b1, ... h1, a2, ... h8",
                Mirror::AToD => "one for each square of the half: a1, b1, c1, d1, a2, ... d8",
                Mirror::EToH => "one for each square of the half: e1, f1, g1, h1, e2, ... h8",
            });
        }
        return None;
    }
    let buckets = check_buckets("king_buckets", entries, SQUARES as i64 - 1, diagnostics)?;
    check_all_used(table, &buckets, diagnostics)?;
    let entry_of = |square: usize| {
        let (file, rank) = (square % 8, square / 8);
        let left = file.min(7 - file);
        match (halved, mirror) {
            (false, _) => square,
            (true, Mirror::EToH) => 4 * rank + 3 - left,
            (true, _) => 4 * rank + left,
        }
    };
    let unequal = |square: &usize| buckets[entry_of(*square)] != buckets[entry_of(square ^ 7)];
    if mirror != Mirror::None
        && let Some(square) = (0..SQUARES).find(unequal)
    {
        diagnostics
            .error(
                entries[square ^ 7].span,
                format!(
                    "`king_buckets` has {} for {} and {} for {}, expected the same",
                    buckets[square],
                    square_name(square),
                    buckets[square ^ 7],
                    square_name(square ^ 7),
                ),
            )
            .related(entries[square].span, "the other half")
            .help(format!(
                "with `mirror = \"{mirror}\"` the king is always on one half: 32 entries are enough"
            ));
        return None;
    }
    Some(std::array::from_fn(|square| buckets[entry_of(square)]))
}

/// Reports gaps in the numbers of the buckets: the rows of a bucket that no square has could never
/// be active.
fn check_all_used(
    table: &Spanned<Vec<Spanned<i64>>>,
    buckets: &[u8],
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    let last = buckets.iter().max()?;
    let unused: Vec<String> = (0..*last)
        .filter(|bucket| !buckets.contains(bucket))
        .map(|bucket| bucket.to_string())
        .collect();
    if unused.is_empty() {
        return Some(());
    }
    diagnostics
        .error(
            table.span,
            format!(
                "`king_buckets` has a bucket {last} and none numbered {}",
                list(&unused)
            ),
        )
        .help("number them from 0 without gaps");
    None
}

/// The named set's own buckets, if they are the same on both halves where boards are mirrored.
fn check_halves(
    name: &str,
    keys: &PieceSquareKeys,
    defaults: &Parameters,
    diagnostics: &mut Diagnostics,
) -> Option<[u8; SQUARES]> {
    let buckets = defaults.king_buckets;
    let symmetric = (0..SQUARES).all(|square| buckets[square] == buckets[square ^ 7]);
    if let Some(mirror) = &keys.mirror
        && mirror.value != Mirror::None
        && !symmetric
    {
        diagnostics
            .error(
                mirror.span,
                format!(
                    "`{name}` has a bucket for each square, and half of them would never be used"
                ),
            )
            .help("give `king_buckets` of 32 numbers");
        return None;
    }
    Some(buckets)
}

/// The name of a square, such as `e4`.
fn square_name(square: usize) -> String {
    let file = char::from(b'a' + (square % 8) as u8);
    format!("{file}{}", square / 8 + 1)
}
