//! Factorised sets: trainers learn what features have in common with features that are only
//! virtual. Each real row is the sum of its own and of the virtual rows that stand for a part of
//! what it means.
//!
//! The runtime knows which virtual rows belong to which real ones. This module knows how many rows
//! there are.

use super::{Parameters, SQUARES};
use crate::spec::{FactorRounding, VirtualSet};

/// The virtual rows of a set, as a file has them.
#[derive(Clone, Debug, PartialEq)]
pub struct Factors {
    /// The virtual sets in the order of their rows, each with how many it has.
    pub sets: Vec<(VirtualSet, usize)>,
    /// How sums of floating point become integers. Sums of integers are exact.
    pub rounding: FactorRounding,
}

impl Factors {
    /// The number of rows of all virtual sets together.
    pub fn rows(&self) -> usize {
        self.sets.iter().map(|(_, rows)| rows).sum()
    }
}

/// Files and ranks of one square relative to another: from -7 to 7.
const RELATIVE: usize = 15;

impl VirtualSet {
    /// How many virtual features there are for a set with these parameters.
    pub fn rows(self, parameters: &Parameters) -> usize {
        match self {
            VirtualSet::A => 12 * SQUARES,
            VirtualSet::P => 10 * SQUARES,
            VirtualSet::K => parameters.buckets(),
            VirtualSet::HalfRelativeKP => 10 * RELATIVE * RELATIVE,
        }
    }
}
