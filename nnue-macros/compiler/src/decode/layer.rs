//! `[[layer]]`: a name, what it reads, and what its op needs.

use toml::de::DeValue;

use super::references;
use super::table::{Table, Value, boolean, inline_table, integer, named, number, string};
use crate::diagnostics::{Diagnostics, Spanned};
use crate::spec::{Affine, Alignment, Layer, Op, OpName, Scales, SparseBy};

/// The keys of all ops.
const KEYS: &[&str] = &[
    "outputs",
    "weights",
    "biases",
    "one",
    "sparse",
    "density",
    "output_blocks",
    "divide",
    "rounding",
    "scale",
    "sums",
    "scales",
    "shift",
    "limit",
    "align",
    "bits",
    "error",
];

/// What other libraries give their layers.
const ELSEWHERE: &[(&str, &str)] = &[
    (
        "activation",
        "an activation is a layer of its own, behind this one: `op = \"crelu\"`",
    ),
    ("pooling", "it belongs to `[transformer]`"),
];

pub(super) fn decode(mut table: Table<'_>, diagnostics: &mut Diagnostics) -> Option<Layer> {
    let span = table.span;
    let name = table
        .required("name", "name = \"fc_0\"", diagnostics)
        .and_then(|value| string("name", value, diagnostics));
    let input = table.optional_with("input", references, diagnostics);
    let op_name = table
        .required("op", "op = \"affine\"", diagnostics)
        .and_then(|value| named::<OpName>("op", value, diagnostics));
    let op = match op_name.map(|name| name.value) {
        Some(OpName::Affine) => {
            affine(&mut table, diagnostics).map(|affine| Op::Affine(Box::new(affine)))
        }
        Some(OpName::Sum) => alignment(&mut table, diagnostics).map(Op::Sum),
        Some(OpName::Float) => {
            let scale = table.optional_with("scale", number, diagnostics);
            scale.map(|scale| Op::Float { scale })
        }
        Some(function) => activation(function, &mut table, diagnostics),
        // Which other keys there are depends on the op: without one, those of every op are right.
        None => {
            table.expect(KEYS);
            None
        }
    };
    table.elsewhere(ELSEWHERE);
    table.finish(diagnostics);
    Some(Layer {
        name: name?,
        input: input?,
        op: op?,
        span,
    })
}

fn affine(table: &mut Table<'_>, diagnostics: &mut Diagnostics) -> Option<Affine> {
    let outputs = table
        .required("outputs", "outputs = 16", diagnostics)
        .and_then(|value| integer("outputs", value, diagnostics));
    let weights = table
        .required("weights", "weights = \"i8\"", diagnostics)
        .and_then(|value| named("weights", value, diagnostics));
    let biases = table.optional_with("biases", named, diagnostics);
    let one = table.optional_with("one", ones, diagnostics);
    let sparse = table.optional_with("sparse", sparse, diagnostics);
    let density = table.optional_with("density", number, diagnostics);
    let output_blocks = table.optional_with("output_blocks", integer, diagnostics);
    let divide = table.optional_with("divide", integer, diagnostics);
    let rounding = table.optional_with("rounding", named, diagnostics);
    let scale = table.optional_with("scale", number, diagnostics);
    let sums = table.optional_with("sums", named, diagnostics);
    let scales = table.optional_with("scales", scales, diagnostics);
    Some(Affine {
        outputs: outputs?,
        weights: weights?,
        biases: biases?,
        one: one?,
        sparse: sparse?.flatten(),
        density: density?,
        output_blocks: output_blocks?,
        divide: divide?,
        rounding: rounding?,
        scale: scale?,
        sums: sums?,
        scales: scales?,
    })
}

fn scales(_: &str, value: &Value<'_>, diagnostics: &mut Diagnostics) -> Option<Scales> {
    let mut table = inline_table("scales", value, "scales = { shift = 8 }", diagnostics)?;
    let shift = table
        .required("shift", "shift = 8", diagnostics)
        .and_then(|value| integer("shift", value, diagnostics));
    let inputs = table.optional_with("inputs", boolean, diagnostics);
    let span = table.span;
    table.finish(diagnostics);
    Some(Scales {
        shift: shift?,
        inputs: inputs?.is_some_and(|inputs| inputs.value),
        span,
    })
}

/// One integer, or one per output.
fn ones(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<Vec<Spanned<i64>>>> {
    let ones: Vec<_> = match value.get_ref() {
        DeValue::Array(items) => items
            .iter()
            .enumerate()
            .map(|(index, item)| integer(&format!("{key}[{index}]"), item, diagnostics))
            .collect(),
        _ => vec![integer(key, value, diagnostics)],
    };
    let ones = ones.into_iter().collect::<Option<Vec<_>>>()?;
    Some(Spanned::new(ones, value.span()))
}

/// `true`, `false`, or the name of a way; `None` inside for `false`.
fn sparse(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Option<Spanned<SparseBy>>> {
    if let DeValue::String(_) = value.get_ref() {
        return named(key, value, diagnostics).map(Some);
    }
    let flag = boolean(key, value, diagnostics)?;
    Some(flag.value.then_some(Spanned {
        value: SparseBy::Auto,
        span: flag.span,
    }))
}

fn activation(
    function: OpName,
    table: &mut Table<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Op> {
    let shift = table.optional_with("shift", integer, diagnostics);
    let one = table.optional_with("one", integer, diagnostics);
    let limit = match function {
        OpName::Crelu | OpName::SqrCrelu | OpName::Relu => {
            table.optional_with("limit", integer, diagnostics)
        }
        _ => Some(None),
    };
    Some(Op::Activation {
        function,
        shift: shift?,
        one: one?,
        limit: limit?,
    })
}

/// The keys that say how values of different ones are brought together.
pub(super) fn alignment(table: &mut Table<'_>, diagnostics: &mut Diagnostics) -> Option<Alignment> {
    let one = table.optional_with("one", integer, diagnostics);
    let align = table.optional_with("align", named, diagnostics);
    let bits = table.optional_with("bits", integer, diagnostics);
    let error = table.optional_with("error", number, diagnostics);
    Some(Alignment {
        one: one?,
        align: align?,
        bits: bits?,
        error: error?,
    })
}
