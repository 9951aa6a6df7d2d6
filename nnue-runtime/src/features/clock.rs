//! The family of the half-move clock: a row for some numbers of half moves since the last capture
//! or move of a pawn. It is the one fact that networks see besides the board and the side to move.

use super::viewpoint::Viewpoint;
use crate::architecture::{Architecture, sets};
use crate::chess::Color;
use crate::feature_set::{Clock, Family, FeatureSet};
use crate::rows::RowLists;
use crate::rows::changes::RowChanges;

impl Clock {
    /// The first row that a perspective has from a viewpoint.
    #[inline]
    pub(super) fn first_row(&self, perspective: Color, from: Viewpoint) -> u32 {
        self.king_rows[perspective.index()][from.king.index()]
    }

    /// The row that a clock switches on.
    #[inline]
    pub(super) fn row(&self, perspective: Color, from: Viewpoint, clock: u8) -> Option<u32> {
        let step = clock.checked_sub(self.first)? / self.step;
        let last = self.steps - 1;
        Some(self.first_row(perspective, from) + u32::from(step.min(last)))
    }
}

/// The sets of the clock, and the row that each has active; none where no clock is told.
#[inline]
fn rows<A: Architecture>(
    perspective: Color,
    from: Viewpoint,
    clock: Option<u8>,
) -> impl Iterator<Item = (&'static FeatureSet, Option<u32>)> {
    sets::<A>().filter_map(move |set| match &set.family {
        Family::Clock(rule) => {
            let row = clock.and_then(|clock| rule.row(perspective, from, clock));
            Some((set, row.map(|row| set.first_row[perspective.index()] + row)))
        }
        _ => None,
    })
}

/// Lists the rows that a clock makes active, besides those that are listed.
#[inline]
pub(crate) fn list_active<A: Architecture>(
    perspective: Color,
    from: Viewpoint,
    clock: Option<u8>,
    list: &mut A::Rows,
) {
    for (set, row) in rows::<A>(perspective, from, clock) {
        if let Some(row) = row {
            list.push_if(true, set.table, row);
        }
    }
}

/// Lists the rows that lead from one clock to another, each with its viewpoint: none as long as the
/// clock stays in its step.
#[inline]
pub(crate) fn list_changes<A: Architecture>(
    weights: &A::Weights,
    perspective: Color,
    before: (Viewpoint, Option<u8>),
    after: (Viewpoint, Option<u8>),
    changes: &mut RowChanges<A>,
) {
    let before = rows::<A>(perspective, before.0, before.1);
    let after = rows::<A>(perspective, after.0, after.1);
    for ((set, before), (_, after)) in before.zip(after) {
        if before == after {
            continue;
        }
        if let Some(row) = before {
            changes.removed.push_if(true, set.table, row);
        }
        if let Some(row) = after {
            A::prefetch(weights, set.table, row);
            changes.added.push_if(true, set.table, row);
        }
    }
}
