//! `affine`, a fully connected layer: the types of its weights and sums, and what is done with the
//! sums. All kinds of affine layers are this operation, with different keys.

mod check;
mod keys;
mod scales;
mod shards;
mod sparse;

use nnue_format::Element;

use crate::spec::scaling::Rounding;

pub use keys::{BiasType, Keys, ScaleType, ScalesKey, SparseBy, Sums, WeightType};
pub use shards::{Shards, ShardsKey};

pub(super) use keys::decode;

/// The word of the operation in a spec.
pub(super) const NAME: &str = "affine";

/// Where a spec does not say in which order products of `f32` are added, layers with this many
/// outputs or more add them by [`Sums::Columns`], and layers with fewer outputs by [`Sums::Lanes`].
pub const FEWEST_COLUMN_OUTPUTS: usize = 8;

/// Only layers with this many outputs or more can be sparse: layers with fewer outputs are computed
/// one output at a time, and there a list of the inputs that are not zero costs more than it saves.
pub const FEWEST_SPARSE_OUTPUTS: usize = 8;

/// The number of outputs of a run in a layer with [`Affine::output_blocks`].
pub const OUTPUT_RUN: usize = 16;

/// A fully connected layer: `y[o] = bias[o] + sum of weight[o][i] * x[i]`.
///
/// Integer sums are computed in `i32` with wrap-around, or in `i64` if [`Affine::sums`] says so,
/// and their order does not matter. The sum is divided before the bias is added.
#[derive(Clone, Debug, PartialEq)]
pub struct Affine {
    /// The type of the weights. [`WeightType::Binary`] means -1 and 1, and then inputs count by
    /// their sign too: -1 for a negative input, 1 for any other.
    pub weights: WeightType,
    /// The type that the weights have in the spec and by default in files, where they are read as
    /// `i32` because the inputs have 32 bits.
    pub stored: Option<Element>,
    /// How inputs that are zero are skipped; `None` if they are not skipped. The choice changes no
    /// result, only the speed.
    pub sparse: Option<Sparse>,
    /// The number of runs of [`OUTPUT_RUN`] outputs that each input reaches; `None` if it reaches
    /// all outputs. Which runs these are follows from the weights when they are loaded.
    pub output_blocks: Option<usize>,
    /// The inputs that each output reads; `None` if it reads all of them.
    pub shards: Option<Shards>,
    /// The division of the sum of products before the bias is added, if there is any.
    pub divide: Option<Divide>,
    /// Whether there are biases; otherwise they are 0.
    pub biases: bool,
    /// The factor that turns `i32` sums into `f32`, for layers with `f32` outputs: `y[o] = fma(sum
    /// as f32, scale, bias[o])`, with an `f32` bias.
    pub to_float: Option<Scale>,
    /// The integer that stands for 1.0 in the inputs. Binary layers may read different integers;
    /// then it is that of the first input.
    pub inputs_one: u32,
    /// The order in which products of `f32` are added; for integers, the number of bits of the
    /// sums.
    pub sums: Sums,
    /// The factors of binary sums, if there are any.
    pub scales: Option<Scales>,
}

/// The factor that makes floating point of integer sums.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// The same factor for all outputs.
    Shared(f32),
    /// A factor for each output, which is in the net file.
    OfFile,
}

/// Factors that give binary sums the size of sums with real weights and inputs.
///
/// `y[o] = bias[o] + (sum * alpha[o] * beta >> shift)` in `i64` with wrap-around, and then in
/// `i32`. `alpha` is a tensor of `i16` in the net file, the size of an output's weights. `beta` is
/// the size of the inputs, which is the sum of their magnitudes divided by their number, rounded
/// down; or it is 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scales {
    /// The number of bits that are shifted out to the right.
    pub shift: u32,
    /// Whether the size of the inputs is a factor; otherwise `beta` is 1.
    pub inputs: bool,
}

/// The share of inputs that are not zero below which single inputs are skipped instead of blocks.
/// Above it, too few inputs that are not zero are alone in their block.
const FEW_INPUTS: f64 = 0.06;

impl Affine {
    /// Whether sums start at the biases. Otherwise the sum of products is first divided, scaled or
    /// converted, and the bias is added to the result.
    pub fn starts_at_biases(&self) -> bool {
        self.divide.is_none() && self.to_float.is_none() && self.scales.is_none()
    }

    /// How zeros are skipped, with the choice made where the spec leaves it open. `bytes` says
    /// whether inputs and weights are bytes.
    ///
    /// Blocks of four cost a quarter of the steps and need no widening, but a block is skipped only
    /// if all four inputs are zero.
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

/// The number that stands for 1.0 in the weights of an affine layer, as a numerator and a
/// denominator: the `one` of the sums before they are divided, and the `one` of the inputs.
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
    /// The quotient of a sum and the divisor.
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
    /// How zero inputs are skipped, as the spec says; the plan chooses for [`SparseBy::Auto`].
    pub by: SparseBy,
    /// The share of inputs that are not zero, as the spec expects it.
    pub density: Option<f64>,
}
