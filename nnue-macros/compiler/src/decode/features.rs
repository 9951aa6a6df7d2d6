//! `[[features]]`: the name of a set, and the parameters that sets of its family have.

use super::table::{Table, Value, integer, integers, named, names, string};
use super::tables;
use crate::diagnostics::Diagnostics;
use crate::feature_set::CUSTOM;
use crate::spec::{CustomKeys, FeatureKeys, Features, PieceSquareKeys};

pub(super) fn decode(value: &Value<'_>, diagnostics: &mut Diagnostics) -> Option<Vec<Features>> {
    let tables = tables("features", value, diagnostics)?;
    let decoded: Vec<_> = tables
        .into_iter()
        .map(|table| features(table, diagnostics))
        .collect();
    decoded.into_iter().collect()
}

/// The keys of all families.
const KEYS: &[&str] = &[
    "planes",
    "piece_order",
    "flip",
    "squares",
    "mirror",
    "king_buckets",
    "offset",
    "factorised",
    "rounding",
    "rows",
    "active",
    "name",
];

fn features(mut table: Table<'_>, diagnostics: &mut Diagnostics) -> Option<Features> {
    let span = table.span;
    let set = table
        .required("set", "set = \"HalfKAv2_hm\"", diagnostics)
        .and_then(|value| string("set", value, diagnostics));
    let element = table.optional_with("element", named, diagnostics);
    let keys = match set.as_ref().map(|set| set.value.as_str()) {
        Some(CUSTOM) => custom(&mut table, diagnostics).map(FeatureKeys::Custom),
        Some(_) => piece_square(&mut table, diagnostics).map(FeatureKeys::PieceSquare),
        // Which other keys there are depends on the set.
        None => {
            table.expect(KEYS);
            None
        }
    };
    table.finish(diagnostics);
    Some(Features {
        set: set?,
        element: element?,
        keys: keys?,
        span,
    })
}

fn piece_square(table: &mut Table<'_>, diagnostics: &mut Diagnostics) -> Option<PieceSquareKeys> {
    let planes = table.optional_with("planes", integer, diagnostics);
    let piece_order = table.optional_with("piece_order", named, diagnostics);
    let flip = table.optional_with("flip", named, diagnostics);
    let squares = table.optional_with("squares", named, diagnostics);
    let mirror = table.optional_with("mirror", named, diagnostics);
    let king_buckets = table.optional_with("king_buckets", integers, diagnostics);
    let offset = table.optional_with("offset", integer, diagnostics);
    let factorised = table.optional_with("factorised", names, diagnostics);
    let rounding = table.optional_with("rounding", named, diagnostics);
    Some(PieceSquareKeys {
        planes: planes?,
        piece_order: piece_order?,
        flip: flip?,
        squares: squares?,
        mirror: mirror?,
        king_buckets: king_buckets?,
        offset: offset?,
        factorised: factorised?,
        rounding: rounding?,
    })
}

fn custom(table: &mut Table<'_>, diagnostics: &mut Diagnostics) -> Option<CustomKeys> {
    let rows = table
        .required("rows", "rows = 147", diagnostics)
        .and_then(|value| integer("rows", value, diagnostics));
    let active = table
        .required("active", "active = 49", diagnostics)
        .and_then(|value| integer("active", value, diagnostics));
    let name = table.optional_with("name", string, diagnostics);
    Some(CustomKeys {
        rows: rows?,
        active: active?,
        name: name?,
    })
}
