//! Decodes `[[features]]`: the name of a set, and the keys that sets of its family have.

use super::table::{Table, integer, integers, keys, named, names, string};
use crate::diagnostics::Diagnostics;
use crate::feature_set::CUSTOM;
use crate::spec::{CustomKeys, FeatureKeys, Features, PieceSquareKeys};

pub(super) fn decode(mut table: Table<'_>, diagnostics: &mut Diagnostics) -> Option<Features> {
    let span = table.span;
    let name = table.required_with("set", "\"HalfKAv2_hm\"", string, diagnostics);
    let features = keys!(table, diagnostics, Features {
        element: named,
        ;
        keys: match name.as_ref().map(|name| name.value.as_str()) {
            Some(CUSTOM) => custom(&mut table, diagnostics).map(FeatureKeys::Custom),
            Some(_) => piece_square(&mut table, diagnostics).map(FeatureKeys::PieceSquare),
            // Which other keys there are depends on the set: without one, those of every family are
            // right.
            None => {
                let mut unheard = Diagnostics::default();
                piece_square(&mut table, &mut unheard);
                custom(&mut table, &mut unheard);
                None
            }
        },
        set: name,
        span: Some(span),
    });
    table.finish(diagnostics);
    features
}

fn piece_square(table: &mut Table<'_>, diagnostics: &mut Diagnostics) -> Option<PieceSquareKeys> {
    keys!(
        table,
        diagnostics,
        PieceSquareKeys {
            planes: integer,
            piece_order: named,
            flip: named,
            squares: named,
            mirror: named,
            king_buckets: integers,
            offset: integer,
            factorised: names,
            rounding: named,
        }
    )
}

fn custom(table: &mut Table<'_>, diagnostics: &mut Diagnostics) -> Option<CustomKeys> {
    keys!(
        table,
        diagnostics,
        CustomKeys {
            rows: integer = "147",
            active: integer = "49",
            name: string,
        }
    )
}
