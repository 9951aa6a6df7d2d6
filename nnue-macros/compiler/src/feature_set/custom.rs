//! The custom family: the engine tells which features are active.

use nnue_format::Element;

use super::{Family, FeatureSet};
use crate::check::value::{check_length, in_range};
use crate::decode::table::{Table, integer, keys, string};
use crate::diagnostics::{Diagnostics, Spanned};

/// The name of all sets of the family in a spec.
pub(super) const NAME: &str = "Custom";

/// The largest number of rows of a set, and the largest number of rows that are active at once. The
/// list of active rows is kept on the stack.
const MAX_ROWS: i64 = 1 << 24;
const MAX_ACTIVE: i64 = 4096;

/// The keys of a set whose active rows the engine tells.
#[derive(Clone, Debug, PartialEq)]
pub struct Keys {
    /// `rows`: the number of features.
    pub rows: Spanned<i64>,
    /// `active`: the largest number of features that can be active at once.
    pub active: Spanned<i64>,
    /// `name`: the name of the set in messages.
    pub name: Option<Spanned<String>>,
}

pub(super) fn decode(table: &mut Table<'_>, diagnostics: &mut Diagnostics) -> Option<Keys> {
    keys!(
        table,
        diagnostics,
        Keys {
            rows: integer = "147",
            active: integer = "49",
            name: string,
        }
    )
}

impl Keys {
    pub(super) fn check(&self, diagnostics: &mut Diagnostics) -> Option<FeatureSet> {
        let rows = in_range("rows", &self.rows, 1..=MAX_ROWS, diagnostics);
        let most = rows.map_or(MAX_ACTIVE, |rows| MAX_ACTIVE.min(i64::from(rows)));
        let active = in_range("active", &self.active, 1..=most, diagnostics);
        let name = match &self.name {
            Some(name) if name.value.trim().is_empty() => {
                let message = "`name` is empty, expected what the set is called";
                diagnostics.error(name.span, message);
                None
            }
            Some(name) => check_length(name, diagnostics).map(|()| name.value.as_str()),
            None => Some(NAME),
        };
        let (name, rows, max_active) = (name?.to_string(), rows? as usize, active? as usize);
        Some(FeatureSet {
            name: name.clone(),
            rows,
            max_active,
            list_len: max_active,
            family: Family::Custom(name),
            element: Element::I16,
            shift: 0,
            factors: None,
            hash: None,
        })
    }
}
