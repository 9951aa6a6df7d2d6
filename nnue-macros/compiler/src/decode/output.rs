//! Decodes `[output]`, which has one sum or three, and `[[head]]`, which has one; both with the
//! keys that lead to the engine's units.

use toml::de::DeValue;

use super::layer::alignment;
use super::reference::references;
use super::table::{Table, Value, integer, keys, name, named, number};
use crate::diagnostics::{Diagnostics, Spanned};
use crate::spec::documented::documented;
use crate::spec::{DivideOf, Head, Output, OutputDivide, Reference, Scaling};

documented! {
    const TERMS {
        /// `sum`: the terms of the positional value: elements of layers, each with an optional `-`.
        sum,
        /// `win`: the terms of the value for a win; with `draw` and `loss`, instead of `sum`.
        win,
        /// `draw`: the terms of the value for a draw.
        draw,
        /// `loss`: the terms of the value for a loss.
        loss,
    }
}

type References = Spanned<Vec<Spanned<Reference>>>;

pub(super) fn decode(mut table: Table<'_>, diagnostics: &mut Diagnostics) -> Option<Output> {
    let sums = heads(&mut table, diagnostics);
    let output = keys!(table, diagnostics, Output {
        unread: references,
        ;
        scaling: scaling(&mut table, divide, diagnostics),
        heads: sums,
    });
    table.finish(diagnostics);
    output
}

pub(super) fn decode_head(mut table: Table<'_>, diagnostics: &mut Diagnostics) -> Option<Head> {
    let head = keys!(table, diagnostics, Head {
        name: name = "\"uncertainty\"",
        sum: references = "\"fc_2[1]\"",
        ;
        span: Some(table.span),
        scaling: scaling(&mut table, divide_sum, diagnostics),
    });
    table.finish(diagnostics);
    head
}

fn scaling(
    table: &mut Table<'_>,
    divide: fn(&str, &Value<'_>, &mut Diagnostics) -> Option<OutputDivide>,
    diagnostics: &mut Diagnostics,
) -> Option<Scaling> {
    keys!(table, diagnostics, Scaling {
        ;
        alignment: alignment(table, diagnostics),
        multiply: table.optional_with("multiply", integer, diagnostics),
        divide: table.optional_with("divide", divide, diagnostics),
        scale: table.optional_with("scale", number, diagnostics),
        rounding: table.optional_with("rounding", named, diagnostics),
    })
}

/// Decodes `sum`, or all of `win`, `draw` and `loss`.
fn heads(table: &mut Table<'_>, diagnostics: &mut Diagnostics) -> Option<Vec<References>> {
    table.described(TERMS);
    let outcomes = ["win", "draw", "loss"];
    let found = outcomes.map(|key| table.optional_with(key, references, diagnostics));
    if found.iter().all(|head| matches!(head, Some(None))) && !diagnostics.explores() {
        let sum = table.required_with("sum", "[\"fc_2\"]", references, diagnostics);
        table.undescribed();
        return Some(vec![sum?]);
    }
    let sum = table.optional_with("sum", references, diagnostics);
    table.undescribed();
    if let Some(sum) = sum? {
        let message = "found `sum` beside `win`, `draw` and `loss`, expected one output or three";
        diagnostics
            .error(sum.span, message)
            .help("remove `sum`, or all of the others");
    }
    let mut heads = Vec::new();
    for (key, head) in outcomes.iter().zip(found) {
        match head? {
            Some(head) => heads.push(head),
            None => {
                diagnostics
                    .error(table.span, format!("`[output]` needs `{key}`"))
                    .help("`win`, `draw` and `loss` are only allowed together");
            }
        }
    }
    Some(heads)
}

fn divide(key: &str, value: &Value<'_>, diagnostics: &mut Diagnostics) -> Option<OutputDivide> {
    let DeValue::Table(entries) = value.get_ref() else {
        return divide_sum(key, value, diagnostics);
    };
    let mut table = Table::new(entries, value.span().into(), "`divide`");
    table.described(OutputDivide::ABOUT);
    let by = table.required_with("by", "16", integer, diagnostics);
    let of = table.optional_with("of", named, diagnostics);
    table.finish(diagnostics);
    Some(OutputDivide {
        by: by?,
        of: of?.map_or(DivideOf::Sum, |of| of.value),
    })
}

/// Decodes `divide` where there is no PSQT part: a number.
fn divide_sum(key: &str, value: &Value<'_>, diagnostics: &mut Diagnostics) -> Option<OutputDivide> {
    integer(key, value, diagnostics).map(|by| OutputDivide {
        by,
        of: DivideOf::Sum,
    })
}
