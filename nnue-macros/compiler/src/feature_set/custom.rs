//! The custom family: the engine tells which features are active.

use nnue_format::Element;

use super::{Family, FeatureSet};
use crate::check::value::{check_length, in_range, in_range_or};
use crate::decode::table::{Table, integer, keys, string};
use crate::diagnostics::{Diagnostics, Spanned};

/// The name of all sets of the family in a spec.
pub(super) const NAME: &str = "Custom";

/// The largest number of rows of a set, and the largest number of rows that are active at once. The
/// list of active rows is kept on the stack.
const MAX_ROWS: i64 = 1 << 24;
const MAX_ACTIVE: i64 = 4096;

/// The largest number of views: enough for the squares of both kings together. An evaluator keeps
/// an accumulator for each.
const MAX_VIEWS: i64 = 8192;

/// The description of a set. Only the engine knows the meaning of its features.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// The name of the set: sets with the same name are the same.
    pub name: String,
    /// The number of views. Each has as many rows, one for each feature, and follows the view
    /// before.
    pub views: usize,
}

/// The keys of a set whose active rows the engine tells.
#[derive(Clone, Debug, PartialEq)]
pub struct Keys {
    /// `rows`: the number of features, for all views together.
    pub rows: Spanned<i64>,
    /// `active`: the largest number of features that can be active at once.
    pub active: Spanned<i64>,
    /// `views`: the number of views.
    pub views: Option<Spanned<i64>>,
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
            views: integer,
            name: string,
        }
    )
}

impl Keys {
    pub(super) fn check(&self, diagnostics: &mut Diagnostics) -> Option<FeatureSet> {
        let rows = in_range("rows", &self.rows, 1..=MAX_ROWS, diagnostics);
        let views = self.check_views(rows, diagnostics);
        let features = rows.map(|rows| rows / views.unwrap_or(1));
        let most = features.map_or(MAX_ACTIVE, |features| MAX_ACTIVE.min(i64::from(features)));
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
        let (name, views) = (name?.to_string(), views? as usize);
        let (rows, max_active) = (rows? as usize, active? as usize);
        Some(FeatureSet {
            name: name.clone(),
            rows,
            max_active,
            list_len: max_active,
            family: Family::Custom(Parameters { name, views }),
            element: Element::I16,
            shift: 0,
            factors: None,
            hash: None,
        })
    }
    /// The number of views of a set with this number of rows, if that is known.
    fn check_views(&self, rows: Option<u32>, diagnostics: &mut Diagnostics) -> Option<u32> {
        let most = rows.map_or(MAX_VIEWS, |rows| MAX_VIEWS.min(i64::from(rows)));
        let views = in_range_or("views", self.views.as_ref(), 1..=most, 1, diagnostics)?;
        match (rows, &self.views) {
            (Some(rows), Some(found)) if !rows.is_multiple_of(views) => {
                let message = format!("`views` is {views}, expected a divisor of `rows`");
                let error = diagnostics.error(found.span, message);
                error.related(
                    self.rows.span,
                    format!("each view has a part of {rows} rows"),
                );
                None
            }
            _ => Some(views),
        }
    }
}
