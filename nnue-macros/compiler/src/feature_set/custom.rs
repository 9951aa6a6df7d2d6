//! The custom family: the engine tells which features are active.

use nnue_format::Element;

use super::{Family, FeatureSet};
use crate::check::value::{check_length, in_range, in_range_or};
use crate::decode::table::{Table, integer, keys, string};
use crate::diagnostics::{Diagnostics, Spanned};
use crate::spec::documented::documented;

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
    /// The number of views.
    pub views: usize,
    /// The number of blocks of rows, which divides that of views. Each block has a row for each
    /// feature, and as many views in a row show it.
    pub blocks: usize,
}

documented! {
    /// The keys of a set whose active rows the engine tells.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Keys {
        /// `rows`: the number of rows, in all blocks together.
        #[within(1..=MAX_ROWS)]
        pub rows: Spanned<i64>,
        /// `active`: the largest number of features that can be active at once.
        #[within(1..=MAX_ACTIVE)]
        pub active: Spanned<i64>,
        /// `views`: the number of views.
        #[within(1..=MAX_VIEWS)]
        #[default(1)]
        pub views: Option<Spanned<i64>>,
        /// `blocks`: the number of blocks of rows.
        #[within(1..=MAX_VIEWS)]
        pub blocks: Option<Spanned<i64>>,
        /// `name`: the name of the set in messages.
        #[default("Custom")]
        pub name: Option<Spanned<String>>,
    }
}

pub(super) fn decode(table: &mut Table<'_>, diagnostics: &mut Diagnostics) -> Option<Keys> {
    keys!(
        table,
        diagnostics,
        Keys {
            rows: integer = "147",
            active: integer = "49",
            views: integer,
            blocks: integer,
            name: string,
        }
    )
}

impl Keys {
    pub(super) fn check(&self, diagnostics: &mut Diagnostics) -> Option<FeatureSet> {
        let rows = in_range("rows", &self.rows, 1..=MAX_ROWS, diagnostics);
        let views = self.check_views(rows, diagnostics);
        let features = rows.map(|rows| rows / views.map_or(1, |[_, blocks]| blocks));
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
        let (name, [views, blocks]) = (name?.to_string(), views?.map(|count| count as usize));
        let (rows, max_active) = (rows? as usize, active? as usize);
        Some(FeatureSet {
            name: name.clone(),
            rows,
            max_active,
            list_len: max_active,
            family: Family::Custom(Parameters {
                name,
                views,
                blocks,
            }),
            element: Element::I16,
            shift: 0,
            factors: None,
            hash: None,
        })
    }

    /// The numbers of views and of blocks of a set with this number of rows, if that is known.
    fn check_views(&self, rows: Option<u32>, diagnostics: &mut Diagnostics) -> Option<[u32; 2]> {
        let most = match (rows, &self.blocks) {
            (Some(rows), None) => MAX_VIEWS.min(i64::from(rows)),
            _ => MAX_VIEWS,
        };
        let views = in_range_or("views", self.views.as_ref(), 1..=most, 1, diagnostics)?;
        let (part, found) = match &self.blocks {
            Some(blocks) => ("block", Some(blocks)),
            None => ("view", self.views.as_ref()),
        };
        let key = format!("{part}s");
        let blocks = in_range_or(&key, found, 1..=i64::from(views), views, diagnostics)?;
        let wholes = [
            ("rows", rows.map(|_| &self.rows)),
            ("views", self.views.as_ref()),
        ];
        for (whole, count) in wholes {
            let (Some(found), Some(count)) = (found, count) else {
                continue;
            };
            if count.value % i64::from(blocks) != 0 {
                let message = format!("`{key}` is {blocks}, expected a divisor of `{whole}`");
                let label = format!("each {part} has a part of {} {whole}", count.value);
                let error = diagnostics.error(found.span, message);
                error.related(count.span, label);
                return None;
            }
        }
        Some([views, blocks])
    }
}
