//! The custom family: the engine supplies which features are active, and which become or cease to
//! be.

use crate::architecture::{Architecture, sets};
use crate::chess::Color;
use crate::rows::RowLists;
use crate::rows::changes::RowChanges;

/// How a move changes which features of custom sets are active, for one perspective.
///
/// Each list may have as many features as can be active at once. What is beyond that, and numbers
/// that no feature has, are left out; sums are then meaningless, and nothing worse happens.
#[derive(Clone, Copy, Debug, Default)]
pub struct FeatureChanges<'a> {
    /// Features that were not active before.
    pub added: &'a [u32],
    /// Features that are not active any more.
    pub removed: &'a [u32],
}

impl<'a> FeatureChanges<'a> {
    /// No changes, for white and for black: those of a null move.
    pub const NONE: [FeatureChanges<'static>; 2] = [FeatureChanges {
        added: &[],
        removed: &[],
    }; 2];

    /// The changes that lead from no features to those that are active.
    #[inline]
    pub(crate) fn to(active: &'a [u32]) -> FeatureChanges<'a> {
        FeatureChanges {
            added: active,
            removed: &[],
        }
    }

    /// Lists the rows of features that are active in a view, besides those that are listed.
    pub(crate) fn list_active<A: Architecture>(
        active: &[u32],
        perspective: Color,
        view: u32,
        rows: &mut A::Rows,
    ) {
        let row = |feature: &u32| row::<A>(perspective, view, *feature);
        for (table, row) in active.iter().filter_map(row) {
            rows.push_if(true, table, row);
        }
    }

    /// Lists the features' rows in a view besides those that are listed. What one move adds and another
    /// removes cancels, so that never more rows of a set are listed than can be active at once.
    #[inline]
    pub(crate) fn list<A: Architecture>(
        self,
        weights: &A::Weights,
        perspective: Color,
        view: u32,
        changes: &mut RowChanges<A>,
    ) {
        let RowChanges { added, removed } = changes;
        let list = |features: &[u32], onto: &mut A::Rows, opposite: &mut A::Rows| {
            for &feature in features {
                if let Some((table, row)) = row::<A>(perspective, view, feature)
                    && !opposite.cancel(table, row)
                {
                    A::prefetch(weights, table, row);
                    onto.push_if(true, table, row);
                }
            }
        };
        list(self.removed, removed, added);
        list(self.added, added, removed);
    }
}

/// The table and the row of a feature that the engine supplies, in a view of its perspective; `None`
/// for numbers that no feature has. Numbers beyond the last view stand for the last.
#[inline]
pub(crate) fn row<A: Architecture>(
    perspective: Color,
    view: u32,
    mut feature: u32,
) -> Option<(usize, u32)> {
    for set in sets::<A>().filter(|set| set.is_supplied()) {
        let features = set.features();
        if feature < features {
            let first_row = set.first_row[perspective.index()] + set.first_row_in(view);
            return Some((set.table, first_row + feature));
        }
        feature -= features;
    }
    None
}

/// How many features the engine can tell.
pub(crate) fn feature_count<A: Architecture>() -> usize {
    let supplied = sets::<A>().filter(|set| set.is_supplied());
    supplied.map(|set| set.features() as usize).sum()
}
