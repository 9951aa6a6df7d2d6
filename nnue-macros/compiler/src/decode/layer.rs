//! Decodes `[[layer]]`: a name, the inputs, the operation, and the keys that this operation has.

use nnue_format::Element;
use toml::de::DeValue;

use super::references;
use super::table::{
    Table, Value, boolean, inline_table, integer, keys, named, number, one_of, one_or_more, string,
};
use crate::diagnostics::{Diagnostics, Spanned};
use crate::spec::{
    Affine, Alignment, BIAS_ELEMENTS, Elementwise, Layer, Named, Op, OpName, Scales, SparseBy,
};

/// What other libraries give their layers.
const ELSEWHERE: &[(&str, &str)] = &[
    (
        "activation",
        "an activation is a layer of its own, after this one: `op = \"crelu\"`",
    ),
    ("pooling", "it belongs to `[transformer]`"),
];

pub(super) fn decode(mut table: Table<'_>, diagnostics: &mut Diagnostics) -> Option<Layer> {
    let span = table.span;
    let name = table.required_with("name", "\"fc_0\"", string, diagnostics);
    let input = table.optional_with("input", references, diagnostics);
    let function = table.required_with("op", "\"affine\"", named, diagnostics);
    let op = match function {
        Some(function) => op(function.value, &mut table, diagnostics),
        // Which other keys there are depends on the op: without one, those of every op are right.
        None => {
            let mut unheard = Diagnostics::default();
            for (_, function) in OpName::NAMES {
                op(*function, &mut table, &mut unheard);
            }
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

fn op(function: OpName, table: &mut Table<'_>, diagnostics: &mut Diagnostics) -> Option<Op> {
    match function {
        OpName::Affine => affine(table, diagnostics).map(|affine| Op::Affine(Box::new(affine))),
        _ => elementwise(function, table, diagnostics).map(|keys| Op::Elementwise(Box::new(keys))),
    }
}

fn affine(table: &mut Table<'_>, diagnostics: &mut Diagnostics) -> Option<Affine> {
    keys!(table, diagnostics, Affine {
        outputs: integer = "16",
        weights: named = "\"i8\"",
        biases: bias_element,
        one: ones,
        density: number,
        output_blocks: integer,
        divide: integer,
        rounding: named,
        scale: number,
        sums: named,
        scales: scales,
        ;
        sparse: table.optional_with("sparse", sparse, diagnostics).map(Option::flatten),
    })
}

fn scales(_: &str, value: &Value<'_>, diagnostics: &mut Diagnostics) -> Option<Scales> {
    let mut table = inline_table("scales", value, "scales = { shift = 8 }", diagnostics)?;
    let shift = table.required_with("shift", "8", integer, diagnostics);
    let inputs = table.optional_with("inputs", boolean, diagnostics);
    let span = table.span;
    table.finish(diagnostics);
    Some(Scales {
        shift: shift?,
        inputs: inputs?.is_some_and(|inputs| inputs.value),
        span,
    })
}

fn bias_element(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<Element>> {
    one_of(BIAS_ELEMENTS, key, value, diagnostics)
}

/// One integer, or one per output.
fn ones(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<Vec<Spanned<i64>>>> {
    one_or_more(key, value, integer, diagnostics)
}

/// `true`, `false`, or the name of a way to skip zeros; the inner `None` means `false`.
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

fn elementwise(
    function: OpName,
    table: &mut Table<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Elementwise> {
    table.only = Some(function.keys());
    let shift = table.optional_with("shift", integer, diagnostics);
    let alignment = alignment(table, diagnostics);
    let limit = table.optional_with("limit", integer, diagnostics);
    let scale = table.optional_with("scale", number, diagnostics);
    Some(Elementwise {
        function,
        shift: shift?,
        alignment: alignment?,
        limit: limit?,
        scale: scale?,
    })
}

/// The keys that say how values of different ones are brought together.
pub(super) fn alignment(table: &mut Table<'_>, diagnostics: &mut Diagnostics) -> Option<Alignment> {
    keys!(
        table,
        diagnostics,
        Alignment {
            one: integer,
            align: named,
            bits: integer,
            error: number,
        }
    )
}
