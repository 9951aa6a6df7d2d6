//! A checked network: a small typed graph in which every number is known and nothing can be wrong.
//!
//! It knows no instruction set: [`mod@crate::plan`] decides how the operations are carried out.

mod align;
pub mod file;
mod outputs;
pub(crate) mod tensor;

use crate::feature_set::FeatureSet;
pub use nnue_format::{Element, MAX_LAYERS};

pub use self::align::Align;
pub use self::file::{File, Role};
pub use self::tensor::{One, Slice, Source, Tensor};
pub use crate::operation::affine::{
    Affine, Divide, FEWEST_COLUMN_OUTPUTS, FEWEST_SPARSE_OUTPUTS, OUTPUT_RUN, Scale, Scales,
    Shards, Sparse, weights_one,
};
pub use crate::operation::neuron::Activation as TransformerActivation;
pub use crate::operation::pooling::Pooling;
pub use crate::operation::{Activation, CheckedOp as Op, Elementwise};
pub use crate::spec::{Gain, Order, ProductRounding, Rounding, SparseBy, Sums, WeightType};

/// The name of the transformer's output in references.
pub const TRANSFORMER: &str = "transformer";

/// The name in references of the sums of the transformer's neurons that are not pooled.
pub const UNPOOLED: &str = "unpooled";

/// The name in references of the PSQT sums that layers read.
pub const PSQT: &str = "psqt";

/// A checked network: everything but the values of its weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// The name of the network, at most 64 characters.
    pub name: String,
    /// The sets whose rows are summed into the accumulator, in the order of their rows.
    pub features: Vec<FeatureSet>,
    /// The sparse first layer.
    pub transformer: Transformer,
    /// The number of copies of the layers, and how a position's copy is chosen.
    pub stacks: Stacks,
    /// The layers of a stack; each reads only the transformer and layers before it.
    pub layers: Vec<Layer>,
    /// How the layers' outputs become a value in the engine's units.
    pub output: Output,
    /// How a net file stores the weights.
    pub file: File,
}

/// The first layer: it leads from active features to the inputs of the layers.
///
/// For each perspective, it computes `accumulator[j] = bias[j] + sum of the active features'
/// rows[j]` in `i16` with wrap-around, and then the activation and the pooling. The layers see
/// [`Transformer::output`].
#[derive(Clone, Debug, PartialEq)]
pub struct Transformer {
    /// The number of neurons of each perspective, at least 1.
    pub width: usize,
    /// The integer that stands for 1.0 in the accumulator.
    pub one: u32,
    /// PSQT values per feature. Where they are part of the output, there are 0, 1 or as many as
    /// stacks; where layers read them, as many as `psqt_sums` has.
    pub psqt: usize,
    /// The PSQT sums as a tensor, where layers read them and the output does not.
    pub psqt_sums: Option<Tensor>,
    /// The function that is applied to each accumulator value.
    pub activation: TransformerActivation,
    /// The activated values of one perspective's accumulator, one for each neuron. They are pooled
    /// next.
    pub activated: Tensor,
    /// How two of a perspective's activated values become one value.
    pub pooling: Pooling,
    /// The length of a block of pooled neurons. In each block, the first half is pooled with the
    /// second half, value by value. All pooled neurons are a single block where the spec says
    /// `halves`, and a block has two neurons where it says `neighbours`.
    pub block: usize,
    /// The perspectives that the layers see, and their order.
    pub perspectives: Perspectives,
    /// The pooled values of all perspectives. Layers read these.
    pub output: Tensor,
    /// The sums of each perspective's last neurons, where these are neither activated nor pooled.
    /// Layers read them as a tensor of its own.
    pub unpooled: Option<Tensor>,
    /// The number in the net file of the output that takes each place in memory; empty where
    /// outputs have the order of the file. Everything else in the network has that order.
    pub neuron_order: Vec<usize>,
}

/// The perspectives that the layers see, and how they are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Perspectives {
    /// The number of perspectives that the layers see, 1 or 2.
    pub count: usize,
    /// Which perspective comes first. If there is a single perspective, this is the player whose
    /// view it is.
    pub order: Order,
    /// Whether white and black have biases and rows of their own.
    pub separate: bool,
}

impl Perspectives {
    /// How many perspectives have to be kept up to date: both, unless only white's is ever read.
    pub fn kept(&self) -> usize {
        match (self.count, self.order) {
            (1, Order::WhiteFirst) => 1,
            _ => 2,
        }
    }

    /// The number of copies of the transformer's weights: 2 if white and black have weights of
    /// their own, else 1.
    pub fn copies(&self) -> usize {
        if self.separate { 2 } else { 1 }
    }

    /// The elements of a tensor that belong to perspective `index`, where each perspective
    /// contributes `half` elements: the index of the first element, and the distance from each
    /// element to the next.
    pub fn stride(&self, index: usize, half: usize) -> (usize, usize) {
        match self.order {
            Order::Interleaved => (index, self.count),
            Order::StmFirst | Order::WhiteFirst => (index * half, 1),
        }
    }
}

impl Transformer {
    /// PSQT values per feature that are part of the output: 0, 1, or as many as there are stacks.
    pub fn psqt_of_output(&self) -> usize {
        match self.psqt_sums {
            Some(_) => 0,
            None => self.psqt,
        }
    }

    /// The number of values that one perspective contributes to the transformer's output.
    pub fn half(&self) -> usize {
        match self.pooling {
            Pooling::None => self.width,
            _ => (self.width - self.unpooled_half()) / 2,
        }
    }

    /// The number of neurons at the end of each perspective that are not pooled.
    pub fn unpooled_half(&self) -> usize {
        let sums = self.unpooled.as_ref().map_or(0, |sums| sums.len);
        sums / self.perspectives.count
    }
}

/// The copies of the layers. A position uses one of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Stacks {
    /// The number of stacks, 1 to 65536; at most 256 where a table chooses the stack.
    pub count: usize,
    /// The stacks that positions with 0, 1, ... 32 pieces use; `None` where the caller chooses the
    /// stack.
    pub by_pieces: Option<[u8; 33]>,
}

/// One layer of a stack.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// The name of the layer in the spec: an identifier that no other layer has.
    pub name: String,
    /// The operation that computes the output from the inputs.
    pub op: Op,
    /// The values that the layer reads, concatenated. Activations and conversions read exactly one
    /// slice, and the summands of [`Sum`](crate::operation::sum::Sum) all have the output's length.
    pub inputs: Vec<Slice>,
    /// The values that the layer computes.
    pub output: Tensor,
    /// Whether all stacks have the same tensors. A net file then has them once.
    pub shared: bool,
    /// Whether a net file has weights and biases that all stacks share, besides those of each
    /// stack. They are added when the file is loaded.
    pub factorised: bool,
}

impl Layer {
    /// The number of values that the layer reads.
    pub fn input_len(&self) -> usize {
        self.inputs.iter().map(|slice| slice.len).sum()
    }

    /// The slices that the layer reads, each with the index of its first value among the layer's
    /// inputs.
    pub fn slices(&self) -> impl Iterator<Item = (usize, Slice)> {
        let mut next = 0;
        self.inputs.iter().map(move |slice| {
            let first = next;
            next += slice.len;
            (first, *slice)
        })
    }

    /// The number that stands for 1.0 in integer weights, as a numerator and a denominator. `None`
    /// where there is no such number, or where it is not the same for all outputs.
    pub fn weights_one(&self) -> Option<(u64, u64)> {
        let affine = self.affine()?;
        match affine.weights {
            WeightType::I8 | WeightType::I16 | WeightType::I32 if affine.to_float.is_none() => {
                let sums_one = self.output.one.shared()?;
                Some(weights_one(sums_one, affine.divide, affine.inputs_one))
            }
            _ => None,
        }
    }

    /// The name and the type of the layer's factors, if it has any. The net file has one factor for
    /// each output.
    pub fn factors(&self) -> Option<(&'static str, Element)> {
        match &self.op {
            Op::Affine(affine) if affine.scales.is_some() => Some(("alpha", Element::I16)),
            Op::Affine(affine) => match affine.to_float {
                Some(Scale::OfFile) => Some(("scales", Element::F32)),
                _ => None,
            },
            Op::Elementwise(function) => function.factors(),
        }
    }

    /// The operation, if the layer is affine.
    pub fn affine(&self) -> Option<&Affine> {
        match &self.op {
            Op::Affine(affine) => Some(affine),
            _ => None,
        }
    }
}

/// Inputs of a layer, at equal distances, that are outputs of the transformer or sums of its
/// neurons, all of the same perspective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransformerRun {
    /// The perspective that contributes the values, by its place in the transformer's output: 0 or
    /// 1.
    pub perspective: usize,
    /// The index of the first value among the layer's inputs.
    pub input: usize,
    /// The distance from each value to the next among the layer's inputs.
    pub step: usize,
    /// The index of the first value among those that the perspective contributes. The others follow
    /// it without a gap.
    pub output: usize,
    /// The number of values, at least 1.
    pub len: usize,
}

/// How the layers' outputs become a value in the engine's units.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// The heads of the evaluation: a single head, or win, draw and loss.
    pub heads: Vec<Head>,
    /// The integer that stands for 1.0 in every head's `positional`.
    pub one: u32,
    /// How `positional` and the PSQT part become a value in the engine's units.
    pub units: Units,
    /// The values that the network computes besides its evaluation.
    pub further: Vec<FurtherHead>,
}

/// A value that the network computes besides its evaluation. It has no PSQT part.
#[derive(Clone, Debug, PartialEq)]
pub struct FurtherHead {
    /// The name of the head in the spec: an identifier that no other head has.
    pub name: String,
    /// The terms of the value.
    pub head: Head,
    /// The integer that stands for 1.0 in the sum of the terms; 1 for `f32`.
    pub one: u32,
    /// How the sum of the terms becomes the value. For integers, the value is an `i32`. For `f32`,
    /// it is the sum times the factor, and stays `f32`.
    pub units: Units,
}

/// A sum of layers' outputs, which is one number.
///
/// For integers, `positional` is the sum of the terms in `i64`, aligned, and then converted to
/// `i32` with wrap-around. For `f32`, it is the sum of the terms from the first to the last, times
/// [`Units::Float`], converted as Rust's `as i32` does: truncated and saturated.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// The terms of the sum. There is at least one term.
    pub terms: Vec<Term>,
    /// The alignment of the sum of the terms to the head's `one`.
    pub align: Align,
}

/// One summand of a head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The index of the layer whose output has the term.
    pub layer: usize,
    /// The index of the value in the layer's output.
    pub index: usize,
    /// Whether the term is subtracted.
    pub negative: bool,
    /// The alignment of the term to the `one` of the sum.
    pub align: Align,
}

/// How `psqt` and `positional` become a value in the engine's units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Units {
    /// The value is the sum of `psqt` and `positional`, scaled before or after they are added. The
    /// addition is in `i32` and wraps around.
    Integer(Ratio),
    /// The value is the sum of the terms, scaled in 64 bits, because some terms have 64 bits. There
    /// is no PSQT part.
    Wide(Ratio),
    /// Both `positional` and the value are `(sum * factor) as i32`. There is no PSQT part.
    Float {
        /// The factor that takes the sum to the engine's units.
        factor: f32,
    },
}

/// A scaling of integers: `x * numerator / denominator` in `i64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    /// The factor, at least 1.
    pub numerator: i64,
    /// The divisor, at least 1.
    pub denominator: i64,
    /// How the quotient is rounded.
    pub rounding: Rounding,
    /// Whether `psqt` and `positional` are scaled before they are added. Otherwise their sum is
    /// scaled.
    pub each: bool,
}

impl Network {
    /// The tensor that `source` computes.
    pub fn tensor(&self, source: Source) -> &Tensor {
        match source {
            Source::Transformer => &self.transformer.output,
            Source::Unpooled => match &self.transformer.unpooled {
                Some(sums) => sums,
                None => unreachable!("layers read only what there is"),
            },
            Source::Psqt => match &self.transformer.psqt_sums {
                Some(sums) => sums,
                None => unreachable!("layers read only what there is"),
            },
            Source::Layer(index) => &self.layers[index].output,
        }
    }

    /// The integer that stands for 1.0 in PSQT values.
    pub fn psqt_one(&self) -> u32 {
        let sums = self.transformer.psqt_sums.as_ref();
        let own = sums.and_then(|sums| sums.one.shared());
        own.unwrap_or(self.output.one)
    }

    /// The smallest and the largest value that the layer's inputs can have. The range includes 0.
    pub fn input_range(&self, layer: &Layer) -> (i64, i64) {
        let ranges = layer
            .inputs
            .iter()
            .map(|slice| self.tensor(slice.source).range);
        ranges.fold((0, 0), |all, range| {
            (all.0.min(range.0), all.1.max(range.1))
        })
    }

    /// The inputs of a layer that `slice` takes from the transformer's output or from its sums that
    /// are not pooled, as one run for each perspective that contributes any of them. `first_input`
    /// is the index of the slice's first value among the layer's inputs.
    pub fn transformer_runs(&self, first_input: usize, slice: Slice) -> Vec<TransformerRun> {
        let transformer = &self.transformer;
        let (perspectives, half) = match slice.source {
            Source::Transformer => (transformer.perspectives.count, transformer.half()),
            Source::Unpooled => (transformer.perspectives.count, transformer.unpooled_half()),
            Source::Psqt | Source::Layer(_) => (0, 0),
        };
        let runs = (0..perspectives).map(|perspective| {
            let (first, step) = transformer.perspectives.stride(perspective, half);
            // How many values the perspective contributes before this element of the transformer's
            // output.
            let before = |end: usize| end.saturating_sub(first).div_ceil(step).min(half);
            let (start, end) = (before(slice.start), before(slice.start + slice.len));
            TransformerRun {
                perspective,
                input: first_input + (first + start * step).saturating_sub(slice.start),
                step,
                output: start,
                len: end - start,
            }
        });
        runs.filter(|run| run.len > 0).collect()
    }

    /// The number of features of all sets together.
    pub fn feature_count(&self) -> usize {
        self.features.iter().map(|set| set.rows).sum()
    }

    /// The number of viewpoints of a perspective: the squares of its own king, for each number that
    /// the bits of all materials can write.
    pub fn viewpoints(&self) -> usize {
        let bits = self.features.iter().map(FeatureSet::material_bits);
        64 << bits.max().unwrap_or(0)
    }

    /// The number of virtual rows of all sets together.
    pub fn virtual_row_count(&self) -> usize {
        self.features.iter().map(FeatureSet::virtual_rows).sum()
    }

    /// The number of rows of the transformer's weights in memory: first a row for each feature,
    /// then the virtual rows. Where white and black have rows of their own, both parts have white's
    /// rows before black's.
    pub fn row_count(&self) -> usize {
        let copies = self.transformer.perspectives.copies();
        copies * (self.feature_count() + self.virtual_row_count())
    }

    /// The index in memory of the first virtual row of a copy of the transformer's weights.
    pub fn first_virtual_row(&self, copy: usize) -> usize {
        let copies = self.transformer.perspectives.copies();
        copies * self.feature_count() + copy * self.virtual_row_count()
    }

    /// Whether a tensor only has summands of another tensor's values, which are added when a file is
    /// loaded: virtual rows, or what all stacks share.
    pub fn is_summand(&self, role: Role) -> bool {
        match role {
            Role::Weights(first) | Role::Psqt(first) => first >= self.first_virtual_row(0),
            role => role.is_shared_summand(),
        }
    }

    /// A slice as the spec would write it.
    pub fn describe(&self, slice: Slice) -> String {
        let name = match slice.source {
            Source::Transformer => TRANSFORMER,
            Source::Unpooled => UNPOOLED,
            Source::Psqt => PSQT,
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
