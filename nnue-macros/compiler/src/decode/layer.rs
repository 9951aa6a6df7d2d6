//! Decodes `[[layer]]`: a name, the inputs and the operation, which decodes its own keys.

use super::reference::references;
use super::table::{Table, Value, integer, keys, name, named, number, one_or_more};
use crate::diagnostics::{Diagnostics, Spanned};
use crate::spec::{Alignment, Layer, Named, Op, OpName};

/// Keys of layers in other libraries, each with the key of a spec for it.
const ELSEWHERE: &[(&str, &str)] = &[
    (
        "activation",
        "an activation is a layer of its own, after this one: `op = \"crelu\"`",
    ),
    ("pooling", "it belongs to `[transformer]`"),
];

/// The largest number of functions that a layer can have.
const MOST_FUNCTIONS: usize = 8;

pub(super) fn decode(mut table: Table<'_>, diagnostics: &mut Diagnostics) -> Option<Layer> {
    let span = table.span;
    table.described(Layer::ABOUT);
    let name = table.required_with("name", "\"fc_0\"", name, diagnostics);
    let input = table.optional_with("input", references, diagnostics);
    let functions = table.required_with("op", "\"affine\"", functions, diagnostics);
    let function = |value: OpName| vec![Spanned { value, span }];
    let names = OpName::NAMES.iter().map(|(name, op)| (*name, *op));
    let several = names.clone().filter(|(_, op)| op.is_activation());
    let several = several.map(|(_, op)| ("", op));
    let all = names.chain(several).map(|(name, op)| (name, function(op)));
    let op = table.choice("op", functions, all, Op::decode, diagnostics);
    table.elsewhere(ELSEWHERE);
    table.finish(diagnostics);
    Some(Layer {
        name: name?,
        input: input?,
        op: op??,
        span,
    })
}

/// Decodes `op`: a single function, or several activations of the same values.
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

/// Decodes the keys that say how values in which different integers stand for 1.0 are brought
/// together.
pub(crate) fn alignment(table: &mut Table<'_>, diagnostics: &mut Diagnostics) -> Option<Alignment> {
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
