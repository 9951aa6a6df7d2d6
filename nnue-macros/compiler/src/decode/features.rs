//! `[[features]]`: the name of a set, and the parameters that sets of its family have.

use super::table::{Table, Value, integer, integers, named, string};
use super::{all_or_none, tables};
use crate::diagnostics::Diagnostics;
use crate::spec::Features;

pub(super) fn decode(value: &Value<'_>, diagnostics: &mut Diagnostics) -> Option<Vec<Features>> {
    let tables = tables("features", value, diagnostics)?;
    let decoded: Vec<_> = tables
        .into_iter()
        .map(|table| features(table, diagnostics))
        .collect();
    decoded.into_iter().collect()
}

fn features(mut table: Table<'_>, diagnostics: &mut Diagnostics) -> Option<Features> {
    let span = table.span;
    let set = table
        .required("set", "set = \"HalfKAv2_hm\"", diagnostics)
        .and_then(|value| string("set", value, diagnostics));
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
    table.finish(diagnostics);
    Some(Features {
        set: set?,
        planes: all_or_none(planes)?,
        piece_order: all_or_none(piece_order)?,
        flip: all_or_none(flip)?,
        mirror: all_or_none(mirror)?,
        king_buckets: all_or_none(king_buckets)?,
        offset: all_or_none(offset)?,
        span,
    })
}
