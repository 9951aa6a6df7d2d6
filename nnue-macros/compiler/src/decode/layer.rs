//! Decodes `[[layer]]`: a name, the inputs, the operation, and the keys that this operation has.

use toml::de::DeValue;

use super::references;
use super::table::{
    Table, Value, boolean, inline_table, integer, keys, name, named, number, one_or_more,
};
use crate::diagnostics::{Diagnostics, Spanned};
use crate::spec::{
    Affine, Alignment, Elementwise, Layer, Named, Op, OpName, ScaleType, Scales, SparseBy,
};

/// What other libraries give their layers.
const ELSEWHERE: &[(&str, &str)] = &[
    (
        "activation",
        "an activation is a layer of its own, after this one: `op = \"crelu\"`",
    ),
    ("pooling", "it belongs to `[transformer]`"),
];

/// Functions that a layer has at most.
const MOST_FUNCTIONS: usize = 8;

pub(super) fn decode(mut table: Table<'_>, diagnostics: &mut Diagnostics) -> Option<Layer> {
    let span = table.span;
    let name = table.required_with("name", "\"fc_0\"", name, diagnostics);
    let input = table.optional_with("input", references, diagnostics);
    let functions = table.required_with("op", "\"affine\"", functions, diagnostics);
    let op = match functions {
        Some(functions) => op(functions, &mut table, diagnostics),
        // Which other keys there are depends on the op: without one, those of every op are right.
        None => {
            let mut unheard = Diagnostics::default();
            for (_, function) in OpName::NAMES {
                let function = Spanned {
                    value: *function,
                    span,
                };
                op(vec![function], &mut table, &mut unheard);
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

/// One function, or several activations of the same values.
fn functions(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Spanned<OpName>>> {
    let functions = one_or_more(key, value, named::<OpName>, diagnostics)?;
    let count = functions.value.len();
    if !(1..=MOST_FUNCTIONS).contains(&count) {
        let message = format!("`{key}` lists {count} functions, allowed are 1 to {MOST_FUNCTIONS}");
        diagnostics.error(functions.span, message);
        return None;
    }
    let other = functions.value.iter();
    if let (Some(other), 2..) = (
        other.clone().find(|name| !name.value.is_activation()),
        count,
    ) {
        let message = format!("`{}` cannot be one of several functions", other.value);
        diagnostics
            .error(other.span, message)
            .help("only activations can be listed together: give it a layer of its own");
        return None;
    }
    Some(functions.value)
}

fn op(
    functions: Vec<Spanned<OpName>>,
    table: &mut Table<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Op> {
    match functions[0].value {
        OpName::Affine => affine(table, diagnostics).map(|affine| Op::Affine(Box::new(affine))),
        _ => elementwise(functions, table, diagnostics).map(|keys| Op::Elementwise(Box::new(keys))),
    }
}

fn affine(table: &mut Table<'_>, diagnostics: &mut Diagnostics) -> Option<Affine> {
    keys!(table, diagnostics, Affine {
        outputs: integer = "16",
        weights: named = "\"i8\"",
        biases: named,
        one: integers,
        weights_one: integer,
        density: number,
        output_blocks: integer,
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

/// A type of floating point, or a table.
fn scales(key: &str, value: &Value<'_>, diagnostics: &mut Diagnostics) -> Option<Spanned<Scales>> {
    if let DeValue::String(_) = value.get_ref() {
        let floats = named::<ScaleType>(key, value, diagnostics)?;
        return Some(Spanned::new(Scales::Floats(floats.value), floats.span));
    }
    let mut table = inline_table("scales", value, "scales = { shift = 8 }", diagnostics)?;
    let shift = table.required_with("shift", "8", integer, diagnostics);
    let inputs = table.optional_with("inputs", boolean, diagnostics);
    let span = table.span;
    table.finish(diagnostics);
    let scales = Scales::Integers {
        shift: shift?,
        inputs: inputs?.is_some_and(|inputs| inputs.value),
    };
    Some(Spanned::new(scales, span))
}

/// One integer, or one for each output or function.
fn integers(
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
    functions: Vec<Spanned<OpName>>,
    table: &mut Table<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Elementwise> {
    let common = |key: &&&str| {
        let mut functions = functions.iter();
        functions.all(|function| function.value.keys().contains(*key))
    };
    table.only = Some(
        functions[0]
            .value
            .keys()
            .iter()
            .filter(common)
            .copied()
            .collect(),
    );
    keys!(table, diagnostics, Elementwise {
        shift: integers,
        limit: integers,
        clips_one: boolean,
        scale: number,
        epsilon: number,
        gain: named,
        shared: boolean,
        ;
        functions: Some(functions),
        alignment: alignment(table, diagnostics),
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
