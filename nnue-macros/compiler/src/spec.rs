//! The content of a spec, each value with its place in the text. Only the types of the values are
//! checked here; [`crate::check()`] does the rest.

pub(crate) mod documented;
mod features;
mod file;
pub(crate) mod formula;
pub(crate) mod named;
pub(crate) mod scaling;

use crate::check::stacks::STACKS;
use crate::diagnostics::{Span, Spanned};

pub use nnue_format::{Axis, AxisPart, Part};

pub use crate::operation::affine::{
    BiasType, Keys as Affine, ScaleType, ScalesKey as Scales, SparseBy, Sums, WeightType,
};
pub use crate::operation::neuron::Name as TransformerActivation;
pub use crate::operation::pooling::{Name as Pooling, ProductRounding};
pub use crate::operation::rms_norm::Gain;
pub use crate::operation::{Op, OpName};
use documented::documented;
pub use features::{Features, ROW_ELEMENTS};
pub use file::{
    Bullet, BulletKind, Content, Entry, Field, FieldType, File, Format, Kept, PsqtPlace, Stockfish,
    TailName, TensorEntry, Tensors, Transposed, Value,
};
pub use named::Named;
pub(crate) use named::named;
pub use scaling::{Align, Alignment, DivideOf, OutputDivide, Rounding, Scaling};

documented! {
    /// A network as its TOML file describes it. Each field is a table of the file.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Spec {
        /// `name`: the network's name in messages and documentation.
        pub name: Spanned<String>,
        /// `[[features]]`: the sets whose rows are all summed into the same accumulator.
        pub features: Vec<Features>,
        /// `[transformer]`: the sparse first layer.
        pub transformer: Transformer,
        /// `[stacks]`: how many copies of the layers there are and which copy is used; when absent,
        /// there is a single copy.
        pub stacks: Option<Stacks>,
        /// `[[layer]]`: the layers of one stack.
        pub layers: Vec<Layer>,
        /// `[output]`: how the layers' outputs become a value in the engine's units.
        pub output: Output,
        /// `[[head]]`: the values that the network computes besides its evaluation.
        pub heads: Vec<Head>,
        /// `[file]`: how a net file stores the weights.
        pub file: File,
    }
}

documented! {
    /// The keys of the `[transformer]` table.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Transformer {
        /// `width`: the number of neurons of each perspective.
        #[within(1..=16384)]
        pub width: Spanned<i64>,
        /// `one`: the integer that stands for 1.0 in the accumulator.
        #[within(1..=32767)]
        pub one: Spanned<i64>,
        /// `psqt`: the PSQT values of each feature.
        #[within(0..=256)]
        #[default(0)]
        pub psqt: Option<PsqtKey>,
        /// `activation`: the function of each accumulator value.
        pub activation: Spanned<TransformerActivation>,
        /// `shift`: how many bits the activation shifts to the right.
        #[within(0..=15)]
        #[default(0)]
        pub shift: Option<Spanned<i64>>,
        /// `rounding`: how that shift rounds, of a `screlu`.
        #[default("floor")]
        pub rounding: Option<Spanned<ProductRounding>>,
        /// `limit`: the largest value of a `crelu` or `relu`.
        #[within(1..=32767)]
        pub limit: Option<Spanned<i64>>,
        /// `clips_one = true`: the largest value is below 1.0 on purpose.
        pub clips_one: Option<Spanned<bool>>,
        /// `pooling`: how two of a perspective's values become one value.
        #[default("none")]
        pub pooling: Option<Spanned<Pooling>>,
        /// `product_shift`: how many bits a product is shifted to the right.
        #[within(0..=15)]
        pub product_shift: Option<Spanned<i64>>,
        /// `product_rounding`: how the shift of a product rounds.
        #[default("floor")]
        pub product_rounding: Option<Spanned<ProductRounding>>,
        /// `pairs`: which two values are pooled.
        #[default("halves")]
        pub pairs: Option<PairsKey>,
        /// `unpooled`: how many of a perspective's neurons are not pooled.
        #[within(1..=16382)]
        pub unpooled: Option<Spanned<i64>>,
        /// `perspectives`: how many players' views of the position the layers see, 1 or 2.
        #[within(1..=2)]
        #[default(2)]
        pub perspectives: Option<Spanned<i64>>,
        /// `order`: which perspective comes first in the output.
        #[default("stm-first")]
        pub order: Option<Spanned<Order>>,
        /// `neuron_order`: the output that takes each place in memory, by its number in the net file.
        #[within(0..=32767)]
        pub neuron_order: Option<Spanned<Vec<Spanned<i64>>>>,
        /// `weights`: whether both perspectives have the same weights.
        #[default("shared")]
        pub weights: Option<Spanned<Sharing>>,
    }
}

/// The key `psqt`: `psqt = 8` or `psqt = { values = 3, one = 16384 }`.
#[derive(Clone, Debug, PartialEq)]
pub enum PsqtKey {
    /// The number of PSQT values of each feature. A position uses one of them, which is added to
    /// the output.
    OfOutput(Spanned<i64>),
    /// PSQT values whose sums are inputs of layers.
    OfLayers {
        /// `values`: the number of PSQT values of each feature.
        values: Spanned<i64>,
        /// `one`: the integer that stands for 1.0 in PSQT values.
        one: Spanned<i64>,
    },
}

/// The key `pairs`: `pairs = "neighbours"` or `pairs = { block = 64 }`.
#[derive(Clone, Debug, PartialEq)]
pub enum PairsKey {
    /// A rule that has a name.
    Named(Spanned<Pairs>),
    /// The length of a block. In each block, value `j` of the first half is pooled with value `j`
    /// of the second half.
    Blocks(Spanned<i64>),
}

impl PairsKey {
    /// The place of the value in the spec.
    pub fn span(&self) -> Span {
        match self {
            PairsKey::Named(pairs) => pairs.span,
            PairsKey::Blocks(block) => block.span,
        }
    }
}

named! {
    /// Which two values are pooled.
    Pairs {
        /// Value `j` of the first half, and value `j` of the second half.
        Halves = "halves",
        /// Value `2 j` and value `2 j + 1`.
        Neighbours = "neighbours",
    }
}

named! {
    /// Which perspective's values come first in the transformer's output.
    Order {
        /// All values of the side to move, then all values of the opponent.
        StmFirst = "stm-first",
        /// All values of white, then all values of black.
        WhiteFirst = "white-first",
        /// The first value of the side to move, the first value of the opponent, the second value
        /// of the side to move, and so on.
        Interleaved = "interleaved",
    }
}

named! {
    /// Whether the perspectives of white and black have the same weights.
    Sharing {
        /// Both perspectives use the same biases and rows.
        Shared = "shared",
        /// White has biases and rows of its own, and so has black.
        Separate = "separate",
    }
}

documented! {
    /// The keys of the `[stacks]` table.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Stacks {
        /// `count`: copies of the layers, each with its own weights.
        #[within(STACKS)]
        pub count: Spanned<i64>,
        /// `select`: which copy a position uses.
        pub select: Select,
    }
}

/// How the stack of a position is chosen: the key `select` in `[stacks]`.
#[derive(Clone, Debug, PartialEq)]
pub enum Select {
    /// There is only one stack, and the spec has no `select`.
    Only,
    /// `pieces = "(n - 1) / 4"`: a formula over the number of pieces on the board.
    Pieces(Spanned<String>),
    /// `table = [...]`: the stacks of positions with 0, 1, ... 32 pieces.
    Table(Spanned<Vec<Spanned<i64>>>),
    /// `by = "caller"`: the engine passes the number of the stack.
    Caller,
}

documented! {
    /// The keys of one `[[layer]]` table.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Layer {
        /// `name`: an identifier that no other layer has.
        pub name: Spanned<String>,
        /// `input`: the values that the layer reads; when absent, the output of the layer above.
        pub input: Option<Spanned<Vec<Spanned<Reference>>>>,
        /// `op`: the operation, which decides the other keys.
        pub op: Op,
        /// The place of the table's header.
        pub span: Span,
    }
}

/// A reference to a layer's output or to a part of it: `fc_0`, `fc_0[15]`, `fc_0[..15]`,
/// `-fc_0[31]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// The layer's name, or `transformer`.
    pub name: String,
    /// The index of the first element, and the index behind the last element. `None` stands for the
    /// start or the end of the tensor.
    pub range: (Option<usize>, Option<usize>),
    /// Whether the value is subtracted, which only the output's sums allow.
    pub negative: bool,
}

documented! {
    /// The keys of the `[output]` table.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Output {
        /// `sum`: the terms of the positional value; or `win`, `draw` and `loss`.
        pub heads: Vec<Spanned<Vec<Spanned<Reference>>>>,
        /// `unread`: parts of layers or of the transformer's output that are left unread on purpose.
        pub unread: Option<Spanned<Vec<Spanned<Reference>>>>,
        /// How the sum of the terms becomes a value in the engine's units.
        pub scaling: Scaling,
    }
}

documented! {
    /// The keys of one `[[head]]` table.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Head {
        /// The header of the table.
        pub span: Span,
        /// `name`: the name of the head's value among the network's outputs.
        pub name: Spanned<String>,
        /// `sum`: the terms of the head's value.
        pub sum: Spanned<Vec<Spanned<Reference>>>,
        /// How the sum of the terms becomes a value in the engine's units.
        pub scaling: Scaling,
    }
}
