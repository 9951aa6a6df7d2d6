//! What a spec says, each value with its place in the text. Nothing here is checked beyond its type:
//! that is [`crate::check()`]'s work.

mod features;

use crate::diagnostics::{Span, Spanned};

pub use features::{Features, Flip, Mirror, PieceOrder, Planes};

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
    /// `one`: the integer that stands for 1.0 in the clipped accumulator.
    pub one: Spanned<i64>,
    /// `psqt`: PSQT outputs per feature.
    pub psqt: Option<Spanned<i64>>,
    /// `activation`: what is done to each accumulator value.
    pub activation: Spanned<TransformerActivation>,
    /// `pooling`: how the halves of a perspective's values are brought together.
    pub pooling: Option<Spanned<Pooling>>,
    /// `shift`: how far a product is shifted right.
    pub shift: Option<Spanned<i64>>,
    /// `order`: whose values come first.
    pub order: Option<Spanned<Order>>,
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
        /// `clamp(x, 0, one)`.
        Crelu = "crelu",
    }
}

named! {
    /// How the two halves of a perspective's values are brought together.
    Pooling {
        /// They are not: every value goes on.
        None = "none",
        /// `a[j] * a[j + width / 2] >> shift`.
        Product = "product",
    }
}

named! {
    /// Whose values come first in the transformer's output.
    Order {
        /// The side to move's, then the opponent's.
        StmFirst = "stm-first",
    }
}

named! {
    /// The element type of an affine layer's weights.
    WeightType {
        /// Signed bytes.
        I8 = "i8",
    }
}

named! {
    /// What a layer does.
    OpName {
        /// `y[o] = bias[o] + sum of weight[o][i] * x[i]`.
        Affine = "affine",
        /// `clamp(x >> shift, 0, one)`.
        Crelu = "crelu",
        /// `min(x * x >> shift, one)`.
        SqrCrelu = "sqr_crelu",
    }
}

named! {
    /// How terms of different ones are brought to the output's.
    Align {
        /// `x * one / x's one` in 64 bits, rounded towards zero.
        Exact = "exact",
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

named! {
    /// A file format.
    Format {
        /// Stockfish's `.nnue`.
        Stockfish = "stockfish",
    }
}

named! {
    /// How a net file stores the transformer's tensors.
    Encoding {
        /// Little-endian integers.
        Raw = "raw",
        /// Blocks of signed LEB128.
        Leb128 = "leb128",
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
    Affine {
        /// `outputs`: how many neurons.
        outputs: Spanned<i64>,
        /// `weights`: their type.
        weights: Spanned<WeightType>,
        /// `one`: the integer that stands for 1.0 in the sums.
        one: Spanned<i64>,
        /// `sparse = true`, where the spec says it: blocks of zero inputs are skipped.
        sparse: Option<Span>,
    },
    /// An elementwise function of an affine layer's sums.
    Activation {
        /// Which.
        function: OpName,
        /// `shift`: how far to the right.
        shift: Spanned<i64>,
        /// `one`: the integer that stands for 1.0 in the result, and the largest value.
        one: Option<Spanned<i64>>,
    },
}

/// The `[output]` table.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// `sum`: the terms of the positional value.
    pub sum: Spanned<Vec<Spanned<Reference>>>,
    /// `align`: how terms of different ones are brought together.
    pub align: Option<Spanned<Align>>,
    /// `one`: the integer that stands for 1.0 in the sum.
    pub one: Spanned<i64>,
    /// `divide`: from the sum's units to the engine's.
    pub divide: Option<Divide>,
}

/// `divide = 16` or `divide = { by = 16, of = "each" }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Divide {
    /// The divisor.
    pub by: Spanned<i64>,
    /// What is divided.
    pub of: DivideOf,
}

/// The `[file]` table.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// `format`: whose.
    pub format: Spanned<Format>,
    /// `version`: the first word of the file.
    pub version: Spanned<i64>,
    /// `encoding` of the transformer's tensors.
    pub encoding: Option<Spanned<Encoding>>,
    /// `transformer_hash`, where the file's is not the one that follows from the layers.
    pub transformer_hash: Option<Spanned<i64>>,
    /// `stack_hash`, likewise.
    pub stack_hash: Option<Spanned<i64>>,
}
