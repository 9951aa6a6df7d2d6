//! The keys of an affine layer.

use toml::de::DeValue;

use super::shards::{self, ShardsKey};
use crate::check::value::ONES;
use crate::decode::table::{
    Table, Value, boolean, inline_table, integer, integers_or_one, keys, named, number,
};
use crate::diagnostics::{Diagnostics, Spanned};
use crate::spec::documented::documented;
use crate::spec::named::named;
use crate::spec::scaling::Rounding;

documented! {
    /// The keys of an affine layer, as the spec gives them.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Keys {
        /// `outputs`: the number of neurons.
        #[within(1..=4096)]
        pub outputs: Spanned<i64>,
        /// `weights`: the type of the weights.
        pub weights: Spanned<WeightType>,
        /// `biases`: the type of the biases.
        pub biases: Option<Spanned<BiasType>>,
        /// `one`: the integer that stands for 1.0 in the sums; a single number for all outputs, or a
        /// number for each output.
        #[within(ONES)]
        pub one: Option<Spanned<Vec<Spanned<i64>>>>,
        /// `weights_one`: the integer that stands for 1.0 in the weights, instead of `one`.
        #[within(ONES)]
        pub weights_one: Option<Spanned<i64>>,
        /// `sparse`: whether inputs that are zero are skipped, and how.
        #[default(false)]
        pub sparse: Option<Spanned<SparseBy>>,
        /// `density`: the share of inputs that are not zero.
        #[within(0..=1)]
        pub density: Option<Spanned<f64>>,
        /// `output_blocks`: the number of runs of 16 outputs that each input reaches.
        #[within(1..=256)]
        pub output_blocks: Option<Spanned<i64>>,
        /// `shards`: groups of outputs that each read a part of the inputs.
        pub shards: Option<Spanned<ShardsKey>>,
        /// `divide`: the divisor of the sum of products, before the bias is added.
        #[within(ONES)]
        #[default(1)]
        pub divide: Option<Spanned<i64>>,
        /// `rounding`: how the quotient of `divide` is rounded.
        #[default("truncate")]
        pub rounding: Option<Spanned<Rounding>>,
        /// `scale`: the factor that turns integer sums into floating point, where biases are `f32`.
        pub scale: Option<Spanned<f64>>,
        /// `sums`: how products of `f32` or `i32` are added.
        pub sums: Option<Spanned<Sums>>,
        /// `scales`: factors of the sums, which are a tensor of the net file.
        pub scales: Option<Spanned<ScalesKey>>,
        /// `shared = true`: all stacks have the same weights, which are in the file once.
        #[default(false)]
        pub shared: Option<Spanned<bool>>,
        /// `factorised = true`: the file has weights of each stack, and shared weights that are added
        /// to them.
        #[default(false)]
        pub factorised: Option<Spanned<bool>>,
    }
}

/// The factors of an affine layer's sums.
#[derive(Clone, Debug, PartialEq)]
pub enum ScalesKey {
    /// `scales = { shift = 8, inputs = true }`: integer factors, for binary layers.
    Integers {
        /// How many bits products with the factors are shifted to the right.
        shift: Spanned<i64>,
        /// Whether the mean magnitude of the inputs is a factor too.
        inputs: bool,
    },
    /// `scales = "f32"`: factors in floating point, which turn integer sums into `f32`.
    Floats(ScaleType),
}

documented! {
    /// The table `scales`.
    struct Factors {
        /// `shift`: how many bits products with the factors are shifted to the right.
        #[within(0..=31)]
        shift: Spanned<i64>,
        /// `inputs`: whether the mean magnitude of the inputs is a factor too.
        #[default(false)]
        inputs: Option<Spanned<bool>>,
    }
}

named! {
    /// The type of an affine layer's weights.
    WeightType {
        /// Signed integers of 8 bits.
        I8 = "i8",
        /// Signed integers of 16 bits.
        I16 = "i16",
        /// Signed integers of 32 bits.
        I32 = "i32",
        /// Floating point of 32 bits.
        F32 = "f32",
        /// -1 and 1, a bit for each weight.
        Binary = "binary",
    }
}

named! {
    /// The type of an affine layer's biases, which also decides the type of its outputs.
    BiasType {
        /// Signed integers of 32 bits.
        I32 = "i32",
        /// Floating point of 32 bits.
        F32 = "f32",
        /// The layer has no biases.
        None = "none",
    }
}

named! {
    /// How inputs that are zero are skipped.
    SparseBy {
        /// The plan chooses the fastest way.
        Auto = "auto",
        /// Blocks of four inputs, where all four are zero.
        Blocks = "blocks",
        /// Single inputs that are zero.
        Inputs = "inputs",
    }
}

named! {
    /// How products are added: for floating point, in which order; for weights of type `i32`, in
    /// how many bits.
    Sums {
        /// Each output starts at its bias and adds its products in the order of the inputs.
        Columns = "columns",
        /// Sixteen sums, each over every sixteenth input, are added as a tree; the bias comes last.
        Lanes = "lanes",
        /// The same, but of the last four sums neighbours are added.
        Pairs = "pairs",
        /// Each product is rounded. Neighbouring runs of eight products are added as a tree, then
        /// the eight sums as those of `Pairs`; the bias comes last.
        Products = "products",
        /// Sums of 32 bits, which wrap around.
        I32 = "i32",
        /// Sums of 64 bits, which only the output reads.
        I64 = "i64",
    }
}

impl Sums {
    /// Whether it is an order of additions of `f32`.
    pub(super) fn is_order(self) -> bool {
        !matches!(self, Sums::I32 | Sums::I64)
    }
}

named! {
    /// The type of factors that turn integer sums into floating point.
    ScaleType {
        /// Floating point of 32 bits.
        F32 = "f32",
    }
}

pub(in crate::operation) fn decode(
    table: &mut Table<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Keys> {
    keys!(table, diagnostics, Keys {
        outputs: integer = "16",
        weights: named = "\"i8\"",
        biases: named,
        one: integers_or_one,
        weights_one: integer,
        density: number,
        output_blocks: integer,
        shards: shards::decode,
        divide: integer,
        rounding: named,
        scale: number,
        sums: named,
        scales: scales,
        shared: boolean,
        factorised: boolean,
        ;
        sparse: table.optional_with("sparse", sparse, diagnostics).map(Option::flatten),
    })
}

/// Decodes `scales`: a type of floating point, or a table.
fn scales(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<ScalesKey>> {
    if let DeValue::String(_) = value.get_ref() {
        let floats = named::<ScaleType>(key, value, diagnostics)?;
        return Some(Spanned::new(ScalesKey::Floats(floats.value), floats.span));
    }
    let mut table = inline_table("scales", value, "scales = { shift = 8 }", diagnostics)?;
    let span = table.span;
    let factors = keys!(
        table,
        diagnostics,
        Factors {
            shift: integer = "8",
            inputs: boolean,
        }
    );
    table.finish(diagnostics);
    let Factors { shift, inputs } = factors?;
    let inputs = inputs.is_some_and(|inputs| inputs.value);
    Some(Spanned::new(ScalesKey::Integers { shift, inputs }, span))
}

/// Decodes `sparse`: `true`, `false`, or the name of a way to skip zeros. The inner `None` means
/// `false`.
fn sparse(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Option<Spanned<SparseBy>>> {
    if let DeValue::String(_) = value.get_ref() {
        return named(key, value, diagnostics).map(Some);
    }
    let flag = boolean(key, value, diagnostics)?;
    Some(flag.value.then(|| Spanned::new(SparseBy::Auto, flag.span)))
}
