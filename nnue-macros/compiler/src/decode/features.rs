//! `[[features]]`: the name of a set, and the parameters that sets of its family have.

use super::table::{Table, Value, integer, integers, named, string};
use super::{all_or_none, tables};
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
    "mirror",
    "king_buckets",
    "offset",
    "rows",
    "active",
    "name",
];

fn features(mut table: Table<'_>, diagnostics: &mut Diagnostics) -> Option<Features> {
    let span = table.span;
    let set = table
        .required("set", "set = \"HalfKAv2_hm\"", diagnostics)
        .and_then(|value| string("set", value, diagnostics));
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
        keys: keys?,
        span,
    })
}

fn piece_square(table: &mut Table<'_>, diagnostics: &mut Diagnostics) -> Option<PieceSquareKeys> {
    let planes = table
        .optional("planes")
        .map(|value| integer("planes", value, diagnostics));
    let piece_order = table
        .optional("piece_order")
        .map(|value| named("piece_order", value, diagnostics));
    let flip = table
        .optional("flip")
        .map(|value| named("flip", value, diagnostics));
    let mirror = table
        .optional("mirror")
        .map(|value| named("mirror", value, diagnostics));
    let king_buckets = table
        .optional("king_buckets")
        .map(|value| integers("king_buckets", value, diagnostics));
    let offset = table
        .optional("offset")
        .map(|value| integer("offset", value, diagnostics));
    Some(PieceSquareKeys {
        planes: all_or_none(planes)?,
        piece_order: all_or_none(piece_order)?,
        flip: all_or_none(flip)?,
        mirror: all_or_none(mirror)?,
        king_buckets: all_or_none(king_buckets)?,
        offset: all_or_none(offset)?,
    })
}

fn custom(table: &mut Table<'_>, diagnostics: &mut Diagnostics) -> Option<CustomKeys> {
    let rows = table
        .required("rows", "rows = 147", diagnostics)
        .and_then(|value| integer("rows", value, diagnostics));
    let active = table
        .required("active", "active = 49", diagnostics)
        .and_then(|value| integer("active", value, diagnostics));
    let name = table
        .optional("name")
        .map(|value| string("name", value, diagnostics));
    Some(CustomKeys {
        rows: rows?,
        active: active?,
        name: all_or_none(name)?,
    })
}
