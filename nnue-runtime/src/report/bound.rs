//! How far the accumulator can go: for every neuron the largest and the smallest sum that active
//! features can make.

use alloc::vec::Vec;

use crate::architecture::{Architecture, sets};
use crate::chess::Color;
use crate::feature_set::FeatureSet;
use crate::features::Bounds;

/// Bounds that no accumulator value passes as long as each set has no more active features than it
/// says: for piece-square sets, a board of at most 32 pieces, each on a square of its own, both
/// kings among them or not.
///
/// The bounds are no forecast. Every piece may be of any kind, and attack the best victim in each
/// of its directions; the pairs of pawns may be any. The released net of SFNNv16 has the bounds
/// -64157 to 55080, while its values in the 1000 positions of its goldens are from -7291 to 7101.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccumulatorBound {
    /// How many features of all sets can be active at once.
    pub features: usize,
    /// No value is below this.
    pub lowest: i32,
    /// No value is above this.
    pub highest: i32,
}

impl AccumulatorBound {
    /// The distance of the bounds from the ends of 16 bits; negative if they are outside.
    #[must_use]
    pub fn margin(&self) -> i32 {
        (i32::from(i16::MAX) - self.highest).min(self.lowest - i32::from(i16::MIN))
    }
}

/// The bound of all perspectives that have weights of their own: for every neuron, the bias and
/// what each set can add.
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
    let sets = sets::<A>().map(|set| {
        let first = set.first_row[perspective.index()] as usize * width;
        (
            set,
            set.bounds_in_table(A::rows(weights, set.table), first, width),
        )
    });
    sum(biases, sets)
}

/// The bound of a perspective's weights, for tools that know the network only at run time: `rows`
/// are `[feature][neuron]`, the features of all sets one after the other.
///
/// # Panics
///
/// If there are fewer rows than the sets say.
#[must_use]
pub fn accumulator_bound(biases: &[i16], rows: &[i16], sets: &[FeatureSet]) -> AccumulatorBound {
    let width = biases.len();
    let mut first = 0;
    let sets = sets.iter().map(|set| {
        let bounds = set.bounds(&rows[first..], width);
        first += set.rows as usize * width;
        (set, bounds)
    });
    sum(biases, sets)
}

/// The bound of the sums of biases and of each set's summands.
fn sum<'a>(
    biases: &[i16],
    sets: impl Iterator<Item = (&'a FeatureSet, Bounds)>,
) -> AccumulatorBound {
    let mut lowest: Vec<i32> = biases.iter().map(|bias| i32::from(*bias)).collect();
    let mut highest = lowest.clone();
    let mut features = 0;
    for (set, bounds) in sets {
        for neuron in 0..biases.len() {
            lowest[neuron] = lowest[neuron].saturating_add(bounds.lowest[neuron]);
            highest[neuron] = highest[neuron].saturating_add(bounds.highest[neuron]);
        }
        features += set.max_active;
    }
    AccumulatorBound {
        features,
        lowest: lowest.into_iter().min().unwrap_or(0),
        highest: highest.into_iter().max().unwrap_or(0),
    }
}
