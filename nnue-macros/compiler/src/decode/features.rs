//! Decodes `[[features]]`: the name of a set, and the keys that all sets of its family have.

use nnue_format::Element;

use super::table::{Table, Value, integer, keys, one_of, string};
use crate::diagnostics::{Diagnostics, Spanned};
use crate::feature_set::{Keys, names};
use crate::spec::{Features, ROW_ELEMENTS};

pub(super) fn decode(mut table: Table<'_>, diagnostics: &mut Diagnostics) -> Option<Features> {
    let span = table.span;
    table.described(Features::ABOUT);
    let name = table.required_with("set", "\"HalfKAv2_hm\"", string, diagnostics);
    let is_known = |set: &&Spanned<String>| names().any(|known| known == set.value);
    let features = keys!(table, diagnostics, Features {
        element: row_element,
        shift: integer,
        ;
        keys: table.choice(
            "set",
            name.as_ref().filter(is_known).map(|name| name.value.as_str()),
            names().map(|name| (name, name)),
            Keys::decode,
            diagnostics,
        ),
        set: name,
        span: Some(span),
    });
    table.finish(diagnostics);
    features
}

fn row_element(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<Element>> {
    one_of(ROW_ELEMENTS, key, value, diagnostics)
}
