//! A network as plain data: what each layer reads, what it computes, and the names of its tensors
//! in the net file.
//!
//! The compiler writes it from the checked network, before anything is laid out or planned. So it
//! knows nothing of the places of weights in memory, and a mistake in the kernels is not in it too.

use nnue_format::Element;

/// What a network computes behind the accumulators, and the tensors of its transformer.
#[derive(Clone, Copy, Debug)]
pub struct Graph {
    /// The neurons of each perspective that are neither activated nor pooled.
    pub unpooled: usize,
    /// Whether the values of both perspectives alternate.
    pub interleaved: bool,
    /// The tensors of the transformer's biases: one, or white's and black's.
    pub biases: &'static [&'static str],
    /// The tensors of the transformer's rows and how many rows each has, in the order of the rows;
    /// where white and black have rows of their own, white's come first.
    pub rows: &'static [(&'static str, usize)],
    /// The same for PSQT values.
    pub psqt: &'static [(&'static str, usize)],
    /// How many PSQT values each row has.
    pub psqt_values: usize,
    /// Whether layers read the PSQT sums; otherwise they are part of the output.
    pub psqt_is_read: bool,
    /// The layers of a stack, in the order of computation.
    pub layers: &'static [Layer],
    /// The heads of the evaluation: one, or win, draw and loss.
    pub heads: &'static [Head],
    /// The further heads.
    pub further: &'static [Head],
}

/// Values that a layer reads: a source, the first value and how many values.
pub type Slice = (Source, usize, usize);

/// What computes values that layers read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The transformer: activated and pooled neurons.
    Transformer,
    /// The sums of the neurons that are not pooled.
    Unpooled,
    /// The PSQT sums.
    Psqt,
    /// The layer of this index.
    Layer(usize),
}

/// A layer of a stack.
#[derive(Clone, Copy, Debug)]
pub struct Layer {
    /// The name in the spec.
    pub name: &'static str,
    /// What the layer reads. The values follow one another; layers that take several terms or
    /// factors read one from each slice.
    pub inputs: &'static [Slice],
    /// How many values the layer computes.
    pub outputs: usize,
    /// The smallest and the largest value if biases are 0; without meaning for `f32`.
    pub range: (i64, i64),
    /// What the layer computes.
    pub op: Op,
}

/// The operation of a layer.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    /// A fully connected layer.
    Affine(Affine),
    /// Functions of single values, whose results follow one another: each with the name that it has
    /// in the runtime, and its numbers.
    Activations(&'static [(&'static str, &'static [u32])]),
    /// The sum of integers, each of which is aligned.
    Sum(&'static [Align]),
    /// The sum of `f32`, from the first term to the last.
    SumOfFloats,
    /// `a * b >> shift`.
    Product {
        /// The number of bits that are shifted out.
        shift: u32,
    },
    /// `a * b` of `f32`.
    ProductOfFloats,
    /// `x * (1 / sqrt(mean of x * x + epsilon)) * gain`.
    RmsNorm {
        /// The number that is added to the mean.
        epsilon: f32,
        /// How gains follow from the tensor `gamma`.
        gain: Gain,
    },
    /// `x * scale` in `f32`.
    Float {
        /// The factor.
        scale: f32,
    },
}

/// The gains of a normalisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gain {
    /// All gains are 1.
    One,
    /// The numbers of the file.
    Gamma,
    /// The numbers of the file, plus 1.
    OneMore,
}

/// A fully connected layer.
#[derive(Clone, Copy, Debug)]
pub struct Affine {
    /// The type of the weights; `u64` stands for signs.
    pub weights: Element,
    /// The type of the sums before anything else is done with them.
    pub sums: Sums,
    /// How many runs of 16 outputs an input reaches; 0 if it reaches all outputs.
    pub output_blocks: usize,
    /// How many inputs all outputs read, and how many shards the others are; `None` if each output
    /// reads all inputs.
    pub shards: Option<(usize, usize)>,
    /// Whether there are biases.
    pub biases: bool,
    /// What is done with the sums of products before the biases are added.
    pub end: End,
    /// What the sums are divided by before the biases are added, and whether the quotient is
    /// rounded down.
    pub divide: Option<(i32, bool)>,
}

/// How products are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sums {
    /// In 32 bits, modulo 2^32.
    I32,
    /// In 64 bits, modulo 2^64.
    I64,
    /// In `f32`, input after input, from the bias on.
    Columns,
    /// In `f32`, in sixteen sums that are added at the end.
    Lanes,
}

/// What becomes of sums of integers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    /// They stay as they are.
    Same,
    /// `fma(sum, scale, bias)` with one scale.
    Scale(f32),
    /// The same with a scale for each output, in the tensor `scales`.
    Scales,
    /// `sum * alpha * beta >> shift` with `alpha` of the file, and for `beta` the inputs' mean
    /// magnitude or 1.
    Alpha {
        /// The number of bits that are shifted out.
        shift: u32,
        /// Whether `beta` is the inputs' mean magnitude.
        inputs: bool,
    },
}

impl Affine {
    /// A layer with biases whose sums of 32 bits are its outputs.
    #[must_use]
    pub const fn new(weights: Element) -> Affine {
        Affine {
            weights,
            sums: Sums::I32,
            output_blocks: 0,
            shards: None,
            biases: true,
            end: End::Same,
            divide: None,
        }
    }
}

/// How a term is brought to another fixed point.
#[derive(Clone, Copy, Debug)]
pub enum Align {
    /// It is in that fixed point.
    None,
    /// `x * numerator / denominator` in 64 bits, towards zero; a fraction for all, or one for each
    /// value.
    Exact(&'static [(i64, i64)]),
    /// `x * multiplier >> shift` in 64 bits; a multiplier for all, or one for each value.
    Shift(&'static [i64], u32),
}

/// A head of the network.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    /// The name; empty for an only evaluation.
    pub name: &'static str,
    /// The terms of its sum.
    pub terms: &'static [Term],
    /// How the sum is aligned.
    pub align: Align,
    /// From the sum to the value.
    pub units: Units,
}

/// A term of a head: the layer, the index of the value, whether it is subtracted, and how it is
/// aligned.
pub type Term = (usize, usize, bool, Align);

/// From a sum to a value.
#[derive(Clone, Copy, Debug)]
pub enum Units {
    /// `x * numerator / denominator`.
    Integer(Ratio),
    /// The same of a sum of 64 bits.
    Wide(Ratio),
    /// The sum times a factor.
    Float(f32),
}

/// A scaling of integers, in 64 bits.
#[derive(Clone, Copy, Debug)]
pub struct Ratio {
    /// The factor.
    pub numerator: i64,
    /// The divisor.
    pub denominator: i64,
    /// Whether the quotient is rounded down; otherwise towards zero.
    pub floor: bool,
    /// Whether PSQT and layers are scaled before they are added.
    pub each: bool,
}

impl Graph {
    /// No network: it stands in for that of a spec with errors.
    pub const NONE: Graph = Graph {
        unpooled: 0,
        interleaved: false,
        biases: &[],
        rows: &[],
        psqt: &[],
        psqt_values: 0,
        psqt_is_read: false,
        layers: &[],
        heads: &[],
        further: &[],
    };
}
