//! `affine`, a fully connected layer: what is multiplied, in which types, and what becomes of the
//! sums. Its kinds differ in their keys.

mod check;
mod keys;
mod scales;
mod sparse;

use crate::spec::Rounding;

pub use keys::{BiasType, Keys, ScaleType, ScalesKey, SparseBy, Sums, WeightType};

pub(super) use keys::decode;

/// The word of a spec.
pub(super) const NAME: &str = "affine";

/// Where a spec does not say in which order products of `f32` are added, layers with this many
/// outputs or more add them by [`Sums::Columns`], and smaller ones by [`Sums::Lanes`].
pub const FEWEST_COLUMN_OUTPUTS: usize = 8;

/// Only layers with this many outputs or more can be sparse: smaller ones are computed one output
/// at a time, and listing the inputs that are not zero costs more than it saves.
pub const FEWEST_SPARSE_OUTPUTS: usize = 8;

/// Outputs of one run in a layer with [`Affine::output_blocks`].
pub const OUTPUT_RUN: usize = 16;

/// `y[o] = bias[o] + sum of weight[o][i] * x[i]`.
///
/// Integer sums are computed in `i32` with wrap-around, or in `i64` if [`Affine::sums`] says so,
/// and their order does not matter. The sum is divided before the bias is added.
#[derive(Clone, Debug, PartialEq)]
pub struct Affine {
    /// The type of the weights. [`WeightType::Binary`] means -1 and 1, and takes inputs by their
    /// sign as well:
    /// -1 for negative ones, 1 for the others.
    pub weights: WeightType,
    /// Which zeros are skipped: what changes no result, only the speed.
    pub sparse: Option<Sparse>,
    /// Each input reaches only so many runs of [`OUTPUT_RUN`] outputs. The weights say which ones
    /// when they are loaded.
    pub output_blocks: Option<usize>,
    /// What the sum of products is divided by before the bias is added.
    pub divide: Option<Divide>,
    /// Whether there are biases; otherwise they are 0.
    pub biases: bool,
    /// `i32` sums become `f32`: `y[o] = fma(sum as f32, scale, bias[o])`, with an `f32` bias.
    pub to_float: Option<Scale>,
    /// What 1.0 is in the inputs; in the first of them where only signs count.
    pub inputs_one: u32,
    /// In which order products of `f32` are added; of integers, in how many bits.
    pub sums: Sums,
    /// The factors of binary sums.
    pub scales: Option<Scales>,
}

/// What integer sums are multiplied by to become floating point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// The same number for all outputs.
    Shared(f32),
    /// A number of the net file for each output.
    OfFile,
}

/// Factors that give binary sums back the size of real ones.
///
/// `y[o] = bias[o] + (sum * alpha[o] * beta >> shift)` in `i64`, wrapping, then in `i32`: `alpha`
/// is a tensor of `i16` in the net file, the size of an output's weights; `beta` is the size of the
/// inputs, the sum of their magnitudes divided by how many there are, rounded down, or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scales {
    /// Bits that are shifted out to the right.
    pub shift: u32,
    /// Whether the size of the inputs is a factor.
    pub inputs: bool,
}

/// Below this share of inputs that are not zero, skipping single ones pays; above it, too few of
/// them are alone.
const FEW_INPUTS: f64 = 0.06;

impl Affine {
    /// Whether sums start at the biases. Otherwise the sum of products is divided, scaled or
    /// converted first, and the bias is added to the result.
    pub fn starts_at_biases(&self) -> bool {
        self.divide.is_none() && self.to_float.is_none() && self.scales.is_none()
    }

    /// Which zeros are skipped, the choice made where the spec leaves it; `bytes` says whether
    /// inputs and weights are.
    ///
    /// Blocks of four cost a quarter of the steps and need no widening, but one value in four is
    /// enough to make a block not zero.
    pub fn sparse_by(&self, bytes: bool) -> Option<SparseBy> {
        let sparse = self.sparse?;
        Some(match sparse.by {
            SparseBy::Auto => {
                let few = sparse.density.is_some_and(|density| density < FEW_INPUTS);
                if !bytes || few || self.output_blocks.is_some() {
                    SparseBy::Inputs
                } else {
                    SparseBy::Blocks
                }
            }
            by => by,
        })
    }
}

/// What 1.0 is in the weights of an affine layer, as a numerator and a denominator: the one of the
/// sums before they are divided, and that of the inputs.
pub fn weights_one(sums_one: u32, divide: Option<Divide>, inputs_one: u32) -> (u64, u64) {
    let by = divide.map_or(1, |divide| divide.by.unsigned_abs());
    (u64::from(sums_one) * u64::from(by), u64::from(inputs_one))
}

/// A division of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Divide {
    /// The divisor, at least 1.
    pub by: i32,
    /// How the quotient is rounded.
    pub rounding: Rounding,
}

impl Divide {
    /// What the division makes of a sum.
    fn quotient(self, sum: i64) -> i64 {
        match self.rounding {
            Rounding::Truncate => sum / i64::from(self.by),
            Rounding::Floor => sum.div_euclid(self.by.into()),
        }
    }
}

/// Which zero inputs of an affine layer are skipped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sparse {
    /// As the spec says; the plan picks for [`SparseBy::Auto`].
    pub by: SparseBy,
    /// The share of inputs that are not zero, as the spec expects it.
    pub density: Option<f64>,
}
