//! How far the active rows of a feature set can take the sums of the neurons.

use alloc::vec;
use alloc::vec::Vec;

/// The most pieces that a board has.
pub(super) const PIECES: usize = 32;

/// The least and the most that a set's rows add to each neuron.
#[derive(Default)]
pub(crate) struct Bounds {
    pub(crate) lowest: Vec<i32>,
    pub(crate) highest: Vec<i32>,
}

impl Bounds {
    /// Appends the bounds of further neurons.
    pub(crate) fn extend(&mut self, others: Bounds) {
        self.lowest.extend(others.lowest);
        self.highest.extend(others.highest);
    }

    /// The bounds of sums that keep to the one bounds or to the others.
    pub(super) fn or(mut self, others: Bounds) -> Bounds {
        for (own, other) in self.lowest.iter_mut().zip(others.lowest) {
            *own = (*own).min(other);
        }
        for (own, other) in self.highest.iter_mut().zip(others.highest) {
            *own = (*own).max(other);
        }
        self
    }

    /// The bounds of sums of values that are each shifted to the left. A bound that 32 bits do not
    /// hold becomes the nearest that they do.
    pub(super) fn shifted_left(mut self, shift: u32) -> Bounds {
        for bound in self.lowest.iter_mut().chain(&mut self.highest) {
            *bound = bound.saturating_mul(1 << shift);
        }
        self
    }
}

/// The smallest and the largest sum of at most `count` of the values.
pub(crate) fn extremes<T: Copy + Ord + Into<i32>>(values: &mut [T], count: usize) -> (i32, i32) {
    let (len, count) = (values.len(), count.min(values.len()));
    if count == 0 {
        return (0, 0);
    }
    values.select_nth_unstable(count - 1);
    let lowest = values[..count].iter().map(|value| (*value).into().min(0));
    let lowest = lowest.sum();
    values.select_nth_unstable(len - count);
    let highest = values[len - count..].iter();
    let highest = highest.map(|value| (*value).into().max(0)).sum();
    (lowest, highest)
}

/// For every neuron, the largest sum of at most `max_active` rows, whichever they are, and the
/// smallest.
pub(super) fn of_any<W: Copy + Into<i16>>(max_active: usize, rows: &[W], width: usize) -> Bounds {
    /// Neurons that are gathered in one pass over the rows: those of a cache line.
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
    use crate::feature_set::{Family, FeatureSet};

    #[test]
    fn extremes_take_the_best_and_no_more_than_allowed() {
        let values = [5i16, -7, 3, 0, -1, 8];
        let of = |count| extremes(&mut values.clone(), count);
        assert_eq!(of(0), (0, 0));
        assert_eq!(of(1), (-7, 8));
        assert_eq!(of(2), (-8, 13));
        // The third smallest is 0, the fourth largest too: features need not be active.
        assert_eq!(of(4), (-8, 16));
        assert_eq!(of(100), (-8, 16));
        assert_eq!(extremes::<i16>(&mut [], 3), (0, 0));
    }

    #[test]
    fn shifted_bounds_end_where_32_bits_do() {
        let bounds = Bounds {
            lowest: vec![-3, -100_000],
            highest: vec![5, 65_536],
        };
        let shifted = bounds.shifted_left(15);
        assert_eq!(shifted.lowest, [-3 << 15, i32::MIN]);
        assert_eq!(shifted.highest, [5 << 15, i32::MAX]);
    }

    /// Two views of two features: any two features would go further.
    #[test]
    fn features_of_one_view_are_summed() {
        let set = FeatureSet {
            table: 0,
            first_row: [0, 0],
            rows: 4,
            shift: 0,
            max_active: 2,
            family: Family::Custom {
                views: 2,
                blocks: 2,
            },
        };
        let bounds = set.bounds(&[5i16, 1, 3, -2, -7, 4, 6, 0], 2);
        assert_eq!((bounds.lowest[0], bounds.highest[0]), (-7, 8));
        assert_eq!((bounds.lowest[1], bounds.highest[1]), (-2, 4));
    }

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
        for bounds in [of_any(2, &rows, width), of_any(2, &bytes, width)] {
            assert_eq!((bounds.lowest[39], bounds.highest[39]), (-2, 16));
            assert_eq!((bounds.lowest[38], bounds.highest[38]), (0, 1));
        }
    }
}
