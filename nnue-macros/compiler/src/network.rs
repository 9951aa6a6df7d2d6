//! A checked network: a small typed graph in which every number is known and nothing can be wrong.
//!
//! It knows no instruction set: [`mod@crate::plan`] decides how the operations are carried out.

use crate::feature_set::FeatureSet;
use crate::file::File;
pub use crate::spec::{DivideOf, Encoding, Pooling, WeightType};

/// A whole network.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// What it is called.
    pub name: String,
    /// The sets whose rows are summed into the accumulator, in the order of their rows.
    pub features: Vec<FeatureSet>,
    /// The sparse first layer.
    pub transformer: Transformer,
    /// The copies of the layers and which one a position uses.
    pub stacks: Stacks,
    /// The layers of a stack; each reads only the transformer and layers before it.
    pub layers: Vec<Layer>,
    /// From the layers' outputs to the engine's units.
    pub output: Output,
    /// How a net file stores the weights.
    pub file: File,
}

/// From active features to the layers' inputs.
///
/// Per perspective: `accumulator[j] = bias[j] + sum of the active features' rows[j]` in `i16`; then clipped
/// to `0..=one`, pooled, and written as `u8`, the side to move's values first.
#[derive(Clone, Debug, PartialEq)]
pub struct Transformer {
    /// Neurons per perspective.
    pub width: usize,
    /// The integer that stands for 1.0 in the clipped accumulator, and its largest value.
    pub one: u32,
    /// PSQT values per feature: 0, 1, or one per stack.
    pub psqt: usize,
    /// How the halves of a perspective's values are brought together.
    pub pooling: Pooling,
    /// How far a product of two clipped values is shifted right; 0 without products.
    pub shift: u32,
    /// What the layers see: both perspectives' values, `u8`.
    pub output: Tensor,
}

impl Transformer {
    /// Values that one perspective contributes to the output.
    pub fn half(&self) -> usize {
        self.output.len / 2
    }
}

/// A vector of integers that layers hand on.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// How many values.
    pub len: usize,
    /// Of which type.
    pub element: Element,
    /// The integer that stands for 1.0.
    pub one: u32,
    /// The smallest and largest value that can occur, biases left aside.
    pub range: (i64, i64),
}

/// The type of a tensor's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// Activations.
    U8,
    /// Sums.
    I32,
}

impl std::fmt::Display for Element {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Element::U8 => "u8",
            Element::I32 => "i32",
        })
    }
}

/// The copies of the layers.
#[derive(Clone, Debug, PartialEq)]
pub struct Stacks {
    /// How many.
    pub count: usize,
    /// Which one a position with 0, 1, ... 32 pieces uses; `None` when the caller says.
    pub by_pieces: Option<[u8; 33]>,
}

/// One layer of a stack.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Its name in the spec, unique, an identifier.
    pub name: String,
    /// What it does.
    pub op: Op,
    /// What it reads, one after the other. An activation reads exactly one slice.
    pub inputs: Vec<Slice>,
    /// What it computes.
    pub output: Tensor,
}

impl Layer {
    /// Values that it reads.
    pub fn input_len(&self) -> usize {
        self.inputs.iter().map(|slice| slice.len).sum()
    }
}

/// A run of values of one tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Whose values.
    pub source: Source,
    /// The first.
    pub start: usize,
    /// How many.
    pub len: usize,
}

/// Who computed a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The transformer.
    Transformer,
    /// The layer of this index.
    Layer(usize),
}

/// What a layer does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// `y[o] = bias[o] + sum of weight[o][i] * x[i]`, in `i32` with wrap-around.
    Affine {
        /// Their type.
        weights: WeightType,
        /// Whether blocks of four zero inputs are skipped.
        sparse: bool,
    },
    /// `clamp(x >> shift, 0, one)`, the shift rounding down.
    Crelu {
        /// How far.
        shift: u32,
    },
    /// `min(x * x >> shift, one)`, the product exact.
    SqrCrelu {
        /// How far.
        shift: u32,
    },
}

/// From the layers' outputs to the engine's units.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// `positional` is their sum, in `i64`, converted to `i32` at the end.
    pub terms: Vec<Term>,
    /// What the sum of the terms is multiplied by, truncating: numerator, denominator.
    pub scale: (i64, i64),
    /// The integer that stands for 1.0 in `positional`.
    pub one: u32,
    /// From there to the engine's units.
    pub divide: i32,
    /// What is divided.
    pub divide_of: DivideOf,
}

/// One summand of the positional value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// The layer whose output it is.
    pub layer: usize,
    /// Which element.
    pub index: usize,
    /// Whether it is subtracted.
    pub negative: bool,
    /// `x * numerator / denominator`, truncating, brings it to the sum's one.
    pub scale: (i64, i64),
}

impl Network {
    /// The tensor that a slice is a part of.
    pub fn tensor(&self, source: Source) -> &Tensor {
        match source {
            Source::Transformer => &self.transformer.output,
            Source::Layer(index) => &self.layers[index].output,
        }
    }

    /// Rows of the transformer: one per feature of every set.
    pub fn feature_count(&self) -> usize {
        self.features.iter().map(|set| set.rows).sum()
    }

    /// A slice as the spec would write it.
    pub fn describe(&self, slice: Slice) -> String {
        let name = match slice.source {
            Source::Transformer => "transformer",
            Source::Layer(index) => &self.layers[index].name,
        };
        match (slice.start, slice.len) {
            (0, len) if len == self.tensor(slice.source).len => name.to_string(),
            (start, 1) => format!("{name}[{start}]"),
            (0, len) => format!("{name}[..{len}]"),
            (start, len) => format!("{name}[{start}..{}]", start + len),
        }
    }
}
