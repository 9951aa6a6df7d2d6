//! `shards`: groups of outputs that each read a part of the inputs, and perhaps a part that all
//! read.

use super::{Keys, WeightType};
use crate::check::reader::Reader;
use crate::check::value::in_range;
use crate::decode::table::{Value, inline_table, integer};
use crate::diagnostics::{Diagnostics, Span, Spanned};
use crate::spec::documented::documented;

/// Inputs are divided at multiples of this number: the widest vector of bytes.
const UNIT: usize = 64;

documented! {
    /// The key `shards`, as the spec gives it.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ShardsKey {
        /// `count`: the number of shards.
        #[within(2..=4096)]
        pub count: Spanned<i64>,
        /// `common`: the number of inputs that all outputs read.
        #[within(0..=65536)]
        #[default(0)]
        pub common: Option<Spanned<i64>>,
    }
}

/// The inputs that each output of a layer reads: the first `common` ones, and one of `count` equal
/// parts of the others. Outputs are in as many equal groups. The first group reads the first part,
/// and so on. All other weights are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shards {
    /// The number of inputs that all outputs read.
    pub common: usize,
    /// The number of parts and of groups.
    pub count: usize,
}

impl Shards {
    /// The number of inputs of a part, for a layer with `inputs` inputs.
    pub fn shard(self, inputs: usize) -> usize {
        (inputs - self.common) / self.count
    }

    /// The number of the first input of the part that an output reads, for a layer of this shape.
    pub fn start(self, [outputs, inputs]: [usize; 2], output: usize) -> usize {
        self.common + output / (outputs / self.count) * self.shard(inputs)
    }

    /// Whether an output reads an input, for a layer of this shape.
    pub fn reads(self, shape: [usize; 2], output: usize, input: usize) -> bool {
        let start = self.start(shape, output);
        input < self.common || (start..start + self.shard(shape[1])).contains(&input)
    }
}

/// Decodes `shards`.
pub(super) fn decode(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<ShardsKey>> {
    let mut table = inline_table(key, value, "shards = { count = 8 }", diagnostics)?;
    table.described(ShardsKey::ABOUT);
    let count = table.required_with("count", "8", integer, diagnostics);
    let common = table.optional_with("common", integer, diagnostics);
    let span = table.span;
    table.finish(diagnostics);
    let key = ShardsKey {
        count: count?,
        common: common?,
    };
    Some(Spanned::new(key, span))
}

/// Checks `shards` of a layer with this number of outputs.
pub(super) fn check_shards(
    reader: &Reader<'_>,
    affine: &Keys,
    outputs: usize,
    diagnostics: &mut Diagnostics,
) -> Option<Option<Shards>> {
    let Some(key) = &affine.shards else {
        return Some(None);
    };
    let name = reader.layer.name;
    if affine.weights.value != WeightType::I8 {
        let message = format!(
            "`shards` is for `i8` weights, not for `{}`",
            affine.weights.value
        );
        diagnostics
            .error(key.span, message)
            .related(affine.weights.span, "the weights");
        return None;
    }
    let others = [
        ("sparse", affine.sparse.as_ref().map(|sparse| sparse.span)),
        ("factorised", affine.factorised.as_ref().map(|key| key.span)),
    ];
    for (other, span) in others {
        let Some(span) = span else { continue };
        diagnostics
            .error(span, format!("`{name}` has `shards` and `{other}`"))
            .related(key.span, "its shards")
            .help(format!(
                "remove `{other}`: each output reads few inputs as it is"
            ));
        return None;
    }
    let whole = reader.inputs.iter().all(|input| input.in_whole_vectors);
    if !reader.reads_whole_transformer() || !whole {
        let message = format!("`{name}` has `shards`, which do not fit what it reads");
        diagnostics.error(key.span, message).label(format!(
            "expected all of the transformer, bytes in multiples of {UNIT} from each perspective in turn"
        ));
        return None;
    }
    let inputs = reader.inputs[0].slice.len;
    let count = in_range(
        "count",
        &key.value.count,
        2..=outputs.max(2) as i64,
        diagnostics,
    )? as usize;
    let common = match &key.value.common {
        Some(common) => in_range("common", common, 0..=inputs as i64, diagnostics)? as usize,
        None => 0,
    };
    let at = |key: Option<&Spanned<i64>>, otherwise: Span| key.map_or(otherwise, |key| key.span);
    if !outputs.is_multiple_of(count) {
        let message = format!("`{name}` has {outputs} outputs, expected a multiple of {count}");
        diagnostics
            .error(affine.outputs.span, message)
            .related(key.value.count.span, "the number of shards");
        return None;
    }
    if !common.is_multiple_of(UNIT) {
        let message = format!("`common` is {common}, expected a multiple of {UNIT}");
        diagnostics.error(at(key.value.common.as_ref(), key.span), message);
        return None;
    }
    let others = inputs - common;
    if others == 0 || !others.is_multiple_of(count * UNIT) {
        let message =
            format!("{others} inputs are not in {count} shards of a multiple of {UNIT} each");
        diagnostics
            .error(key.value.count.span, message)
            .label(format!(
                "`{name}` reads {inputs} inputs, {common} of them in common"
            ));
        return None;
    }
    Some(Some(Shards { common, count }))
}
