//! The custom family: the engine tells which features are active, and which become or cease to be.

use alloc::vec;
use alloc::vec::Vec;

use super::bounds::{Bounds, extremes};
use super::sets;
use crate::architecture::Architecture;
use crate::chess::Color;
use crate::rows::{RowChanges, RowLists};

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

    /// Lists the features' rows besides those that are listed. What one move adds and another
    /// removes cancels, so that never more rows of a set are listed than can be active at once.
    #[inline]
    pub(crate) fn list<A: Architecture>(
        self,
        weights: &A::Weights,
        perspective: Color,
        changes: &mut RowChanges<A>,
    ) {
        let RowChanges { added, removed } = changes;
        let list = |features: &[u32], onto: &mut A::Rows, opposite: &mut A::Rows| {
            for &feature in features {
                if let Some((table, row)) = row::<A>(perspective, feature)
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

/// The table and the row of a feature that the engine tells; `None` for numbers that no feature
/// has.
#[inline]
fn row<A: Architecture>(perspective: Color, mut feature: u32) -> Option<(usize, u32)> {
    for set in sets::<A>().filter(|set| set.is_told()) {
        if feature < set.rows {
            return Some((set.table, set.first_row[perspective.index()] + feature));
        }
        feature -= set.rows;
    }
    None
}

/// For every neuron, the largest sum of at most `max_active` weights, and the smallest.
pub(super) fn bounds<W: Copy + Into<i16>>(max_active: usize, rows: &[W], width: usize) -> Bounds {
    /// Neurons that are gathered in one pass over the rows: what lies in one cache line.
    const NEURONS: usize = 32;
    let mut bounds = Bounds {
        lowest: vec![0; width],
        highest: vec![0; width],
    };
    let mut columns: [Vec<i16>; NEURONS] = Default::default();
    for start in (0..width).step_by(NEURONS) {
        let end = width.min(start + NEURONS);
        columns.iter_mut().for_each(Vec::clear);
        for row in rows.chunks_exact(width) {
            for (column, weight) in columns.iter_mut().zip(&row[start..end]) {
                column.push((*weight).into());
            }
        }
        for (neuron, column) in (start..end).zip(&mut columns) {
            (bounds.lowest[neuron], bounds.highest[neuron]) = extremes(column, max_active);
        }
    }
    bounds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_features_of_each_neuron_are_summed() {
        // Rows of 40 neurons, so that the last pass is a short one.
        let width = 40;
        let rows: Vec<i16> = (0..3 * width)
            .map(|index| match (index / width, index % width) {
                (0, 39) => 7,
                (1, 39) => -2,
                (2, 39) => 9,
                (2, _) => 1,
                _ => 0,
            })
            .collect();
        let bytes: Vec<i8> = rows.iter().map(|weight| *weight as i8).collect();
        for bounds in [bounds(2, &rows, width), bounds(2, &bytes, width)] {
            assert_eq!((bounds.lowest[39], bounds.highest[39]), (-2, 16));
            assert_eq!((bounds.lowest[38], bounds.highest[38]), (0, 1));
        }
    }
}
