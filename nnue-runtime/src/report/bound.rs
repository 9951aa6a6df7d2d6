//! How far the accumulator can go: for every neuron the largest and the smallest sum that active
//! features can make.

use alloc::vec::Vec;

use super::AccumulatorBound;
use crate::architecture::Architecture;
use crate::chess::Color;
use crate::features::sets;

/// Per neuron, what a set's rows add at least and at most.
pub(crate) struct Bounds {
    pub(crate) lowest: Vec<i32>,
    pub(crate) highest: Vec<i32>,
}

/// For every neuron the biases and what each set can add, of all perspectives that have weights of
/// their own.
pub(super) fn of<A: Architecture>(weights: &A::Weights) -> AccumulatorBound {
    let mut bound = AccumulatorBound {
        features: 0,
        lowest: 0,
        highest: 0,
    };
    for (index, &perspective) in A::PERSPECTIVES.iter().enumerate() {
        let separate = sets::<A>().any(|set| set.first_row[0] != set.first_row[1]);
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
    for set in sets::<A>() {
        let first = set.first_row[perspective.index()] as usize * width;
        let bounds = A::rows(weights, set.table).bounds(set, first, width);
        for neuron in 0..width {
            lowest[neuron] += bounds.lowest[neuron];
            highest[neuron] += bounds.highest[neuron];
        }
        features += set.max_active;
    }
    AccumulatorBound {
        features,
        lowest: lowest.into_iter().min().unwrap_or(0),
        highest: highest.into_iter().max().unwrap_or(0),
    }
}

/// The smallest and the largest sum of at most `count` of the values.
pub(crate) fn extremes(values: &mut [i16], count: usize) -> (i32, i32) {
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
}
