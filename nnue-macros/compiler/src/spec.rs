//! What a spec says, each value with its place in the text. Nothing here is checked beyond its type:
//! that is [`crate::check()`]'s work.

mod features;
mod file;
pub(crate) mod formula;

use crate::diagnostics::{Span, Spanned};

pub use features::{
    CustomKeys, FactorRounding, FeatureKeys, Features, FirstSquare, Flip, Mirror, PieceOrder,
    PieceSquareKeys, Planes, RowType, VirtualSet,
};
pub use file::{
    Axis, Bullet, BulletKind, Content, Entry, File, Format, Stockfish, TailName, TensorEntry,
    Tensors, Transposed,
};

/// A network as its TOML file describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// `name`: what the network is called in messages and documentation.
    pub name: Spanned<String>,
    /// `[[features]]`: the sets whose rows are summed into one accumulator.
    pub features: Vec<Features>,
    /// `[transformer]`: the sparse first layer.
    pub transformer: Transformer,
    /// `[stacks]`: how many copies of the layers there are and which one is used; one copy when absent.
    pub stacks: Option<Stacks>,
    /// `[[layer]]`: the layers of one stack.
    pub layers: Vec<Layer>,
    /// `[output]`: from the layers' outputs to the engine's units.
    pub output: Output,
    /// `[file]`: how a net file stores the weights.
    pub file: File,
}

/// The `[transformer]` table.
#[derive(Clone, Debug, PartialEq)]
pub struct Transformer {
    /// `width`: neurons per perspective.
    pub width: Spanned<i64>,
    /// `one`: the integer that stands for 1.0 in the accumulator.
    pub one: Spanned<i64>,
    /// `psqt`: PSQT outputs per feature.
    pub psqt: Option<Spanned<i64>>,
    /// `activation`: what is done to each accumulator value.
    pub activation: Spanned<TransformerActivation>,
    /// `shift`: how far the activation shifts to the right.
    pub shift: Option<Spanned<i64>>,
    /// `limit`: the largest value of a `relu`.
    pub limit: Option<Spanned<i64>>,
    /// `pooling`: how pairs of a perspective's values are brought together.
    pub pooling: Option<Spanned<Pooling>>,
    /// `product_shift`: how far a product is shifted right.
    pub product_shift: Option<Spanned<i64>>,
    /// `pairs`: which values are brought together.
    pub pairs: Option<Spanned<Pairs>>,
    /// `perspectives`: how many players' views are summed up.
    pub perspectives: Option<Spanned<i64>>,
    /// `order`: whose values come first.
    pub order: Option<Spanned<Order>>,
    /// `weights`: whether both perspectives have the same.
    pub weights: Option<Spanned<Sharing>>,
}

/// The names that a key accepts, with the value that each stands for.
pub trait Named: Copy + 'static {
    /// Every name, in the order in which messages list them.
    const NAMES: &'static [(&'static str, Self)];
}

/// Declares an enum together with the names that stand for its variants in a spec.
macro_rules! named {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl Named for $name {
            const NAMES: &'static [(&'static str, $name)] = &[$(($text, $name::$variant),)*];
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self { $($name::$variant => $text,)* })
            }
        }
    };
}

pub(crate) use named;

named! {
    /// What the transformer does to each accumulator value.
    TransformerActivation {
        /// Nothing.
        None = "none",
        /// `clamp(x, 0, one)`.
        Crelu = "crelu",
        /// `clamp(x, 0, one)` squared, `>> shift`.
        Screlu = "screlu",
        /// `clamp(x >> shift, 0, limit)`.
        Relu = "relu",
        /// A sigmoid made of two parabolas.
        Quantmoid4 = "quantmoid4",
    }
}

named! {
    /// How two of a perspective's values are brought together.
    Pooling {
        /// They are not: every value goes on.
        None = "none",
        /// `a * b >> product_shift`.
        Product = "product",
        /// `(a + b + 1) >> 1`.
        Average = "average",
        /// `max(a, b)`.
        Max = "max",
    }
}

named! {
    /// Which values pooling brings together.
    Pairs {
        /// The `j`-th of the first half and the `j`-th of the second.
        Halves = "halves",
        /// The `2 j`-th and the one after it.
        Neighbours = "neighbours",
    }
}

named! {
    /// Whose values come first in the transformer's output.
    Order {
        /// The side to move's, then the opponent's.
        StmFirst = "stm-first",
        /// White's, then black's.
        WhiteFirst = "white-first",
        /// The side to move's first, the opponent's first, the side to move's second, ...
        Interleaved = "interleaved",
    }
}

named! {
    /// Whether white's and black's perspective have the same weights.
    Sharing {
        /// One set of biases and rows.
        Shared = "shared",
        /// White has some and black others.
        Separate = "separate",
    }
}

named! {
    /// The type of an affine layer's weights.
    WeightType {
        /// Signed bytes.
        I8 = "i8",
        /// 16-bit integers.
        I16 = "i16",
        /// Floating point.
        F32 = "f32",
        /// -1 and 1, a bit each.
        Binary = "binary",
    }
}

named! {
    /// The type of an affine layer's biases, which is that of its outputs.
    BiasType {
        /// Integers.
        I32 = "i32",
        /// Floating point.
        F32 = "f32",
    }
}

named! {
    /// Which zero inputs are skipped.
    SparseBy {
        /// What the plan finds best.
        Auto = "auto",
        /// Blocks of four.
        Blocks = "blocks",
        /// Single ones.
        Inputs = "inputs",
    }
}

named! {
    /// In which order products of floating point are added.
    SumOrder {
        /// Each output starts at its bias, and inputs follow one another.
        Columns = "columns",
        /// Sixteen sums over every sixteenth input, brought together as a tree; the bias comes last.
        Lanes = "lanes",
    }
}

named! {
    /// What a division does with the remainder.
    Rounding {
        /// Rounds towards zero.
        Truncate = "truncate",
        /// Rounds down.
        Floor = "floor",
    }
}

named! {
    /// What a layer does.
    OpName {
        /// `y[o] = bias[o] + sum of weight[o][i] * x[i]`.
        Affine = "affine",
        /// `clamp(x >> shift, 0, limit)`, where `limit` is `one` unless the spec gives it.
        Crelu = "crelu",
        /// `min(x * x >> shift, limit)`, likewise.
        SqrCrelu = "sqr_crelu",
        /// `clamp(x, 0, x's one)` squared, `>> shift`.
        Screlu = "screlu",
        /// `clamp(x >> shift, 0, limit)`.
        Relu = "relu",
        /// A sigmoid made of two parabolas.
        Quantmoid4 = "quantmoid4",
        /// `1 / (1 + exp(-x))`.
        Sigmoid = "sigmoid",
        /// `(x * clamp(x + 3, 0, 6)) * (1 / 6)`.
        HardSwish = "hard_swish",
        /// `y[i] = a[i] + b[i] + ...`
        Sum = "sum",
        /// Integers to floating point.
        Float = "float",
    }
}

named! {
    /// How terms of different ones are brought together.
    Align {
        /// `x * one / x's one` in 64 bits, rounded towards zero.
        Exact = "exact",
        /// `x * multiplier >> shift`, where the multiplier has few bits.
        Shift = "shift",
    }
}

named! {
    /// What the output's division is applied to.
    DivideOf {
        /// `(psqt + positional) / by`.
        Sum = "sum",
        /// `psqt / by + positional / by`.
        Each = "each",
    }
}

/// The `[stacks]` table.
#[derive(Clone, Debug, PartialEq)]
pub struct Stacks {
    /// `count`: copies of the layers, each with its own weights.
    pub count: Spanned<i64>,
    /// `select`: which copy a position uses.
    pub select: Select,
}

/// `select` in `[stacks]`.
#[derive(Clone, Debug, PartialEq)]
pub enum Select {
    /// There is one stack, and nothing to select.
    Only,
    /// `pieces = "(n - 1) / 4"`: a formula over the number of pieces on the board.
    Pieces(Spanned<String>),
    /// `table = [...]`: the stack for 0, 1, ... 32 pieces.
    Table(Spanned<Vec<Spanned<i64>>>),
    /// `by = "caller"`: the engine says which.
    Caller,
}

/// One `[[layer]]` table.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// `name`: unique, an identifier.
    pub name: Spanned<String>,
    /// `input`: what the layer reads; the layer above when absent.
    pub input: Option<Spanned<Vec<Spanned<Reference>>>>,
    /// `op` and its own keys.
    pub op: Op,
    /// The table's header.
    pub span: Span,
}

/// A layer's output or a part of it: `fc_0`, `fc_0[15]`, `fc_0[..15]`, `-fc_0[31]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// The layer's name, or `transformer`.
    pub name: String,
    /// First element, and one past the last; the ends of the tensor where absent.
    pub range: (Option<usize>, Option<usize>),
    /// Whether it is subtracted; only sums allow that.
    pub negative: bool,
}

/// `op` and the keys that go with it.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// A fully connected layer.
    Affine(Box<Affine>),
    /// A function of each value.
    Activation(Activation),
    /// A sum of layers, value by value; of one layer, its alignment.
    Sum(Alignment),
    /// Integers to floating point.
    Float {
        /// `scale`: the factor; 1 / one when absent.
        scale: Option<Spanned<f64>>,
    },
}

/// An activation, and its keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Activation {
    /// The value of `op`.
    pub function: OpName,
    /// `shift`: the bits that are shifted out to the right; integers need it.
    pub shift: Option<Spanned<i64>>,
    /// `one`: the integer that stands for 1.0 in the result.
    pub one: Option<Spanned<i64>>,
    /// `limit`: the largest value, `one` unless the function is `relu`.
    pub limit: Option<Spanned<i64>>,
}

/// The keys of an affine layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Affine {
    /// `outputs`: how many neurons.
    pub outputs: Spanned<i64>,
    /// `weights`: their type.
    pub weights: Spanned<WeightType>,
    /// `biases`: their type.
    pub biases: Option<Spanned<BiasType>>,
    /// `one`: the integer that stands for 1.0 in the sums; of all or of each.
    pub one: Option<Spanned<Vec<Spanned<i64>>>>,
    /// `sparse = true` or how, where the spec says it: zero inputs are skipped.
    pub sparse: Option<Spanned<SparseBy>>,
    /// `density`: the share of inputs that are not zero.
    pub density: Option<Spanned<f64>>,
    /// `output_blocks`: runs of 16 outputs that an input reaches.
    pub output_blocks: Option<Spanned<i64>>,
    /// `divide`: what the sum of products is divided by before the bias is added.
    pub divide: Option<Spanned<i64>>,
    /// `rounding` of that division.
    pub rounding: Option<Spanned<Rounding>>,
    /// `scale`: what integer sums are multiplied by where biases are `f32`.
    pub scale: Option<Spanned<f64>>,
    /// `sums`: in which order products of `f32` are added.
    pub sums: Option<Spanned<SumOrder>>,
    /// `scales`: the factors of a binary layer's sums.
    pub scales: Option<Scales>,
}

/// `scales = { shift = 8, inputs = true }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Scales {
    /// How far products with the factors are shifted right.
    pub shift: Spanned<i64>,
    /// Whether the inputs' mean magnitude is a factor too.
    pub inputs: bool,
    /// Where the spec says so.
    pub span: Span,
}

/// How values of different ones are brought together.
#[derive(Clone, Debug, PartialEq)]
pub struct Alignment {
    /// `one`: the integer that stands for 1.0 in the result.
    pub one: Option<Spanned<i64>>,
    /// `align`: the method.
    pub align: Option<Spanned<Align>>,
    /// `bits`: of the multiplier.
    pub bits: Option<Spanned<i64>>,
    /// `error`: the largest relative error of the factor that is accepted.
    pub error: Option<Spanned<f64>>,
}

impl Alignment {
    /// The keys that the spec gives, each with its place.
    pub(crate) fn keys(&self) -> impl Iterator<Item = (&'static str, Span)> {
        let one = self.one.as_ref().map(|key| ("one", key.span));
        let align = self.align.as_ref().map(|key| ("align", key.span));
        let bits = self.bits.as_ref().map(|key| ("bits", key.span));
        let error = self.error.as_ref().map(|key| ("error", key.span));
        [one, align, bits, error].into_iter().flatten()
    }
}

/// The `[output]` table.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// `sum`: the terms of the positional value; or `win`, `draw` and `loss`.
    pub heads: Vec<Spanned<Vec<Spanned<Reference>>>>,
    /// `unread`: parts of layers, or of the transformer's output, that nothing reads on purpose.
    pub unread: Option<Spanned<Vec<Spanned<Reference>>>>,
    /// How terms of different ones are brought to `one`.
    pub alignment: Alignment,
    /// `divide`: from the sum's units to the engine's.
    pub divide: Option<OutputDivide>,
    /// `scale`: what 1.0 is in the engine's units.
    pub scale: Option<Spanned<f64>>,
    /// `rounding` of the division.
    pub rounding: Option<Spanned<Rounding>>,
}

/// `divide = 16` or `divide = { by = 16, of = "each" }`.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputDivide {
    /// The divisor.
    pub by: Spanned<i64>,
    /// What is divided.
    pub of: DivideOf,
}
