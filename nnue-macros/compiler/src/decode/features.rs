//! Decodes `[[features]]`: the name of a set, and the keys that all sets of its family have.

use nnue_format::Element;

use super::table::{Table, Value, integer, keys, one_of, string};
use crate::diagnostics::{Diagnostics, Spanned};
use crate::feature_set::{Keys, names};
use crate::spec::{Features, ROW_ELEMENTS};

pub(super) fn decode(mut table: Table<'_>, diagnostics: &mut Diagnostics) -> Option<Features> {
    let span = table.span;
    let name = table.required_with("set", "\"HalfKAv2_hm\"", string, diagnostics);
    let is_known = |set: &&Spanned<String>| names().any(|known| known == set.value);
    let features = keys!(table, diagnostics, Features {
        element: row_element,
        shift: integer,
        ;
        keys: match name.as_ref().filter(is_known) {
            Some(set) => Keys::decode(&set.value, &mut table, diagnostics).map(Some),
            // The set decides which other keys there are. If it is not known, the keys of every
            // family are accepted.
            None => {
                let mut discarded = Diagnostics::default();
                names().for_each(|set| drop(Keys::decode(set, &mut table, &mut discarded)));
                Some(None)
            }
        },
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
