//! How far the accumulator can go: for every neuron the largest and the smallest sum that active features can make.

use alloc::vec;
use alloc::vec::Vec;

use super::AccumulatorBound;
use crate::architecture::Architecture;
use crate::chess::Color;
use crate::features::{Custom, FeatureSet, PieceSquare};

/// Per neuron, what a set's rows add at least and at most.
struct Bounds {
    lowest: Vec<i32>,
    highest: Vec<i32>,
}

/// For every neuron the biases and what each set can add, of all perspectives that have weights of their own.
pub(super) fn of<A: Architecture>(weights: &A::Weights) -> AccumulatorBound {
    let mut bound = AccumulatorBound {
        features: 0,
        lowest: 0,
        highest: 0,
    };
    for (index, &perspective) in A::PERSPECTIVES.iter().enumerate() {
        let separate = A::FEATURES.iter().any(|set| {
            let [white, black] = set.first_row();
            white != black
        });
        if index > 0 && !separate {
            break;
        }
        let own = of_perspective::<A>(weights, perspective);
        bound = match index {
            0 => own,
            _ => AccumulatorBound {
                features: own.features,
                lowest: own.lowest.min(bound.lowest),
                highest: own.highest.max(bound.highest),
            },
        };
    }
    bound
}

fn of_perspective<A: Architecture>(weights: &A::Weights, perspective: Color) -> AccumulatorBound {
    let biases = A::values(A::biases(weights, perspective));
    let width = biases.len();
    let mut lowest: Vec<i32> = biases.iter().map(|bias| i32::from(*bias)).collect();
    let mut highest = lowest.clone();
    let mut features = 0;
    for set in A::FEATURES {
        let first = set.first_row()[perspective.index()] as usize;
        let rows = &A::rows(weights)[first * width..];
        let (bounds, max_active) = match set {
            FeatureSet::PieceSquare(set) => (piece_square(set, rows, width), set.max_active),
            FeatureSet::Custom(set) => (custom(set, rows, width), set.max_active),
        };
        for neuron in 0..width {
            lowest[neuron] += bounds.lowest[neuron];
            highest[neuron] += bounds.highest[neuron];
        }
        features += max_active;
    }
    AccumulatorBound {
        features,
        lowest: lowest.into_iter().min().unwrap_or(0),
        highest: highest.into_iter().max().unwrap_or(0),
    }
}

/// For every neuron and every square of the own king, the largest sum of at most `max_active` weights of which each
/// square gives one, and likewise the smallest. The set's rows are the first of `rows`.
fn piece_square(set: &PieceSquare, rows: &[i16], width: usize) -> Bounds {
    let mut offsets: Vec<u32> = set.king_offset.to_vec();
    offsets.sort_unstable();
    offsets.dedup();
    let mut planes = set.planes[Color::White.index()].to_vec();
    planes.retain(|plane| *plane != PieceSquare::NO_PLANE);
    planes.sort_unstable();
    planes.dedup();

    let (mut lowest, mut highest) = (vec![0; width], vec![0; width]);
    // Per neuron and square, the best of the pieces that can stand there, or none.
    let (mut low, mut high) = (vec![0i16; 64 * width], vec![0i16; 64 * width]);
    let mut column = [0i16; 64];
    for offset in offsets {
        low.fill(0);
        high.fill(0);
        for plane in &planes {
            for square in 0..64 {
                let first = (offset + plane) as usize * width + square * width;
                let row = &rows[first..first + width];
                let best = square * width..(square + 1) * width;
                for ((weight, low), high) in
                    row.iter().zip(&mut low[best.clone()]).zip(&mut high[best])
                {
                    *low = (*low).min(*weight);
                    *high = (*high).max(*weight);
                }
            }
        }
        for neuron in 0..width {
            let mut gather = |table: &[i16]| {
                for (square, value) in column.iter_mut().enumerate() {
                    *value = table[square * width + neuron];
                }
                extremes(&mut column, set.max_active)
            };
            lowest[neuron] = lowest[neuron].min(gather(&low).0);
            highest[neuron] = highest[neuron].max(gather(&high).1);
        }
    }
    Bounds { lowest, highest }
}

/// For every neuron, the largest sum of at most `max_active` weights, and the smallest. The set's rows are the first of
/// `rows`.
fn custom(set: &Custom, rows: &[i16], width: usize) -> Bounds {
    /// Neurons that are gathered in one pass over the rows: what lies in one cache line.
    const NEURONS: usize = 32;
    let rows = &rows[..set.rows as usize * width];
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
                column.push(*weight);
            }
        }
        for (neuron, column) in (start..end).zip(&mut columns) {
            (bounds.lowest[neuron], bounds.highest[neuron]) = extremes(column, set.max_active);
        }
    }
    bounds
}

/// The smallest and the largest sum of at most `count` of the values.
fn extremes(values: &mut [i16], count: usize) -> (i32, i32) {
    let (len, count) = (values.len(), count.min(values.len()));
    if count == 0 {
        return (0, 0);
    }
    values.select_nth_unstable(count - 1);
    let lowest = values[..count].iter().map(|value| i32::from(*value).min(0));
    let lowest = lowest.sum();
    values.select_nth_unstable(len - count);
    let highest = values[len - count..].iter();
    let highest = highest.map(|value| i32::from(*value).max(0)).sum();
    (lowest, highest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_take_the_best_and_no_more_than_allowed() {
        let values = [5, -7, 3, 0, -1, 8];
        let of = |count| extremes(&mut values.clone(), count);
        assert_eq!(of(0), (0, 0));
        assert_eq!(of(1), (-7, 8));
        assert_eq!(of(2), (-8, 13));
        // The third smallest is 0, the fourth largest too: features need not be active.
        assert_eq!(of(4), (-8, 16));
        assert_eq!(of(100), (-8, 16));
        assert_eq!(extremes(&mut [], 3), (0, 0));
    }

    #[test]
    fn a_custom_set_is_bounded_over_its_own_rows() {
        let set = Custom {
            first_row: [0; 2],
            rows: 3,
            max_active: 2,
        };
        // Rows of 40 neurons, so that the last pass is a short one; row 3 belongs to another set.
        let width = 40;
        let rows: Vec<i16> = (0..4 * width)
            .map(|index| match (index / width, index % width) {
                (0, 39) => 7,
                (1, 39) => -2,
                (2, 39) => 9,
                (2, _) => 1,
                (3, _) => 1000,
                _ => 0,
            })
            .collect();
        let bounds = custom(&set, &rows, width);
        assert_eq!((bounds.lowest[39], bounds.highest[39]), (-2, 16));
        assert_eq!((bounds.lowest[38], bounds.highest[38]), (0, 1));
    }
}
