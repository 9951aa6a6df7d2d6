//! Text to [`Spec`]: TOML's syntax, the keys, their types and names. Every mistake is reported.

mod features;
mod reference;
pub(crate) mod table;

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

use crate::diagnostics::{Diagnostics, SourceFile, Span, Spanned, list};
use crate::spec::{
    Divide, DivideOf, File, Layer, Op, OpName, Output, Reference, Select, Spec, Stacks, Transformer,
};
use table::{Table, Value, boolean, inline_table, integer, integers, named, section, string};

/// Reads a spec, or reports everything that keeps it from being one and returns `None`.
pub fn decode(file: &SourceFile, diagnostics: &mut Diagnostics) -> Option<Spec> {
    let (document, syntax_errors) = DeTable::parse_recoverable(&file.text);
    report_syntax_errors(file, &syntax_errors, diagnostics);
    // A half-read file lacks keys for reasons the user has just been told.
    if !syntax_errors.is_empty() {
        return None;
    }

    let start = Span {
        start: 0,
        end: file.text.lines().next().map_or(0, str::len),
    };
    let mut root = Table::new(document.get_ref(), start, "the spec");
    let name = root
        .required("name", "name = \"my-net\"", diagnostics)
        .and_then(|value| string("name", value, diagnostics));
    let features = root
        .required("features", "[[features]]", diagnostics)
        .and_then(|value| features::decode(value, diagnostics));
    let transformer = root
        .required("transformer", "[transformer]", diagnostics)
        .and_then(|value| section("transformer", value, diagnostics))
        .and_then(|table| transformer(table, diagnostics));
    let stacks = root.optional("stacks").map(|value| {
        section("stacks", value, diagnostics).and_then(|table| stacks(table, diagnostics))
    });
    let layers = root
        .required("layer", "[[layer]]", diagnostics)
        .and_then(|value| layers(value, diagnostics));
    let output = root
        .required("output", "[output]", diagnostics)
        .and_then(|value| section("output", value, diagnostics))
        .and_then(|table| output(table, diagnostics));
    let file = root
        .required("file", "[file]", diagnostics)
        .and_then(|value| section("file", value, diagnostics))
        .and_then(|table| net_file(table, diagnostics));
    root.finish(diagnostics);

    Some(Spec {
        name: name?,
        features: features?,
        transformer: transformer?,
        stacks: all_or_none(stacks)?,
        layers: layers?,
        output: output?,
        file: file?,
    })
}

/// Reports what is no TOML: the first error of each line, for the others follow from it.
fn report_syntax_errors(
    file: &SourceFile,
    errors: &[toml::de::Error],
    diagnostics: &mut Diagnostics,
) {
    let end = file.text.len();
    let mut lines = BTreeMap::new();
    for error in errors {
        let span = error.span().map_or(Span { start: end, end }, Span::from);
        let (line, _) = file.line_and_column(span.start);
        let first = lines.entry(line).or_insert((span, error));
        if span < first.0 {
            *first = (span, error);
        }
    }
    for (span, error) in lines.into_values() {
        let message = error.message().trim_end_matches("\nexpected nothing");
        let message = message.trim_end().trim_end_matches('.');
        diagnostics
            .error(span, message.replace('\n', ", "))
            .label("TOML syntax");
    }
}

/// The tables of `[[key]]`, which must be at least one.
fn tables<'t>(
    key: &str,
    value: &'t Value<'t>,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Table<'t>>> {
    let DeValue::Array(items) = value.get_ref() else {
        table::mismatch(key, value, "a list of tables", diagnostics)
            .help(format!("write `[[{key}]]`, with two brackets"));
        return None;
    };
    if items.is_empty() {
        diagnostics.error(
            value.span().into(),
            format!("`{key}` is empty, expected at least one"),
        );
        return None;
    }
    let tables: Vec<_> = items
        .iter()
        .enumerate()
        .map(|(index, item)| match item.get_ref() {
            DeValue::Table(entries) => Some(Table::new(
                entries,
                item.span().into(),
                format!("`[[{key}]]`"),
            )),
            _ => {
                table::mismatch(&format!("{key}[{index}]"), item, "a table", diagnostics);
                None
            }
        })
        .collect();
    tables.into_iter().collect()
}

fn transformer(mut table: Table<'_>, diagnostics: &mut Diagnostics) -> Option<Transformer> {
    let width = table
        .required("width", "width = 1024", diagnostics)
        .and_then(|value| integer("width", value, diagnostics));
    let one = table
        .required("one", "one = 127", diagnostics)
        .and_then(|value| integer("one", value, diagnostics));
    let psqt = table
        .optional("psqt")
        .map(|value| integer("psqt", value, diagnostics));
    let activation = table
        .required("activation", "activation = \"crelu\"", diagnostics)
        .and_then(|value| named("activation", value, diagnostics));
    let pooling = table
        .optional("pooling")
        .map(|value| named("pooling", value, diagnostics));
    let shift = table
        .optional("shift")
        .map(|value| integer("shift", value, diagnostics));
    let order = table
        .optional("order")
        .map(|value| named("order", value, diagnostics));
    table.finish(diagnostics);
    Some(Transformer {
        width: width?,
        one: one?,
        psqt: all_or_none(psqt)?,
        activation: activation?,
        pooling: all_or_none(pooling)?,
        shift: all_or_none(shift)?,
        order: all_or_none(order)?,
    })
}

/// An optional key that was either absent or decoded; `None` when it is there and wrong.
fn all_or_none<T>(key: Option<Option<T>>) -> Option<Option<T>> {
    match key {
        Some(Some(value)) => Some(Some(value)),
        Some(None) => None,
        None => Some(None),
    }
}

const SELECT_EXAMPLE: &str = "select = { pieces = \"(n - 1) / 4\" }";

fn stacks(mut stacks: Table<'_>, diagnostics: &mut Diagnostics) -> Option<Stacks> {
    let count = stacks
        .required("count", "count = 8", diagnostics)
        .and_then(|value| integer("count", value, diagnostics));
    let selection = match stacks.optional("select") {
        None => Some(Select::Only),
        Some(value) => inline_table("select", value, SELECT_EXAMPLE, diagnostics)
            .and_then(|table| select(table, diagnostics)),
    };
    let span = stacks.span;
    stacks.finish(diagnostics);
    let (count, select) = (count?, selection?);
    if select == Select::Only && count.value > 1 {
        diagnostics
            .error(span, format!("{} stacks need `select`", count.value))
            .help(format!(
                "write `{SELECT_EXAMPLE}`, `{{ table = [...] }}` or `{{ by = \"caller\" }}`"
            ));
        return None;
    }
    Some(Stacks { count, select })
}

fn select(mut table: Table<'_>, diagnostics: &mut Diagnostics) -> Option<Select> {
    let span = table.span;
    let pieces = table.optional("pieces");
    let by_table = table.optional("table");
    let by = table.optional("by");
    table.finish(diagnostics);
    match (pieces, by_table, by) {
        (Some(value), None, None) => string("pieces", value, diagnostics).map(Select::Pieces),
        (None, Some(value), None) => integers("table", value, diagnostics).map(Select::Table),
        (None, None, Some(value)) => {
            let by = string("by", value, diagnostics)?;
            if by.value != "caller" {
                table::unknown_name("by", &by, ["caller"].into_iter(), diagnostics);
                return None;
            }
            Some(Select::Caller)
        }
        _ => {
            diagnostics
                .error(
                    span,
                    "`select` needs exactly one of `pieces`, `table` or `by`",
                )
                .help(format!("write `{SELECT_EXAMPLE}`"));
            None
        }
    }
}

fn layers(value: &Value<'_>, diagnostics: &mut Diagnostics) -> Option<Vec<Layer>> {
    let tables = tables("layer", value, diagnostics)?;
    let decoded: Vec<_> = tables
        .into_iter()
        .map(|table| layer(table, diagnostics))
        .collect();
    decoded.into_iter().collect()
}

fn layer(mut table: Table<'_>, diagnostics: &mut Diagnostics) -> Option<Layer> {
    let span = table.span;
    let name = table
        .required("name", "name = \"fc_0\"", diagnostics)
        .and_then(|value| string("name", value, diagnostics));
    let input = table
        .optional("input")
        .map(|value| references("input", value, diagnostics));
    let op_name = table
        .required("op", "op = \"affine\"", diagnostics)
        .and_then(|value| named::<OpName>("op", value, diagnostics));
    let op = match op_name.map(|name| name.value) {
        Some(OpName::Affine) => affine(&mut table, diagnostics),
        Some(function) => activation(function, &mut table, diagnostics),
        // Which other keys there are depends on the op: without one, those of every op are right.
        None => {
            table.expect(&["outputs", "weights", "one", "sparse", "shift"]);
            None
        }
    };
    table.finish(diagnostics);
    Some(Layer {
        name: name?,
        input: all_or_none(input)?,
        op: op?,
        span,
    })
}

fn affine(table: &mut Table<'_>, diagnostics: &mut Diagnostics) -> Option<Op> {
    let outputs = table
        .required("outputs", "outputs = 16", diagnostics)
        .and_then(|value| integer("outputs", value, diagnostics));
    let weights = table
        .required("weights", "weights = \"i8\"", diagnostics)
        .and_then(|value| named("weights", value, diagnostics));
    let one = table
        .required("one", "one = 8128", diagnostics)
        .and_then(|value| integer("one", value, diagnostics));
    let sparse = match table.optional("sparse") {
        Some(value) => {
            boolean("sparse", value, diagnostics).map(|flag| flag.value.then_some(flag.span))
        }
        None => Some(None),
    };
    Some(Op::Affine {
        outputs: outputs?,
        weights: weights?,
        one: one?,
        sparse: sparse?,
    })
}

fn activation(
    function: OpName,
    table: &mut Table<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Op> {
    let shift = table
        .required("shift", "shift = 6", diagnostics)
        .and_then(|value| integer("shift", value, diagnostics));
    let one = table
        .optional("one")
        .map(|value| integer("one", value, diagnostics));
    Some(Op::Activation {
        function,
        shift: shift?,
        one: all_or_none(one)?,
    })
}

/// One reference or an array of them.
fn references(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<Vec<Spanned<Reference>>>> {
    let references: Vec<_> = match value.get_ref() {
        DeValue::Array(items) => items
            .iter()
            .enumerate()
            .map(|(index, item)| reference(&format!("{key}[{index}]"), item, diagnostics))
            .collect(),
        _ => vec![reference(key, value, diagnostics)],
    };
    if references.is_empty() {
        diagnostics.error(
            value.span().into(),
            format!("`{key}` is empty, expected at least one"),
        );
        return None;
    }
    let references = references.into_iter().collect::<Option<Vec<_>>>()?;
    Some(Spanned::new(references, value.span()))
}

fn reference(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<Reference>> {
    let Spanned { value: text, span } = string(key, value, diagnostics)?;
    match reference::parse(&text) {
        Ok(value) => Some(Spanned { value, span }),
        Err(problem) => {
            let examples = list(["fc_0", "fc_0[15]", "fc_0[..15]"]);
            diagnostics
                .error(span, format!("`{text}` {problem}"))
                .help(format!(
                    "a layer's output or a part of it is written {examples}"
                ));
            None
        }
    }
}

fn output(mut table: Table<'_>, diagnostics: &mut Diagnostics) -> Option<Output> {
    let sum = table
        .required("sum", "sum = [\"fc_2\"]", diagnostics)
        .and_then(|value| references("sum", value, diagnostics));
    let align = table
        .optional("align")
        .map(|value| named("align", value, diagnostics));
    let one = table
        .required("one", "one = 9600", diagnostics)
        .and_then(|value| integer("one", value, diagnostics));
    let divide = table
        .optional("divide")
        .map(|value| divide(value, diagnostics));
    table.finish(diagnostics);
    Some(Output {
        sum: sum?,
        align: all_or_none(align)?,
        one: one?,
        divide: all_or_none(divide)?,
    })
}

fn divide(value: &Value<'_>, diagnostics: &mut Diagnostics) -> Option<Divide> {
    let DeValue::Table(entries) = value.get_ref() else {
        let by = integer("divide", value, diagnostics)?;
        return Some(Divide {
            by,
            of: DivideOf::Sum,
        });
    };
    let mut table = Table::new(entries, value.span().into(), "`divide`");
    let by = table
        .required("by", "by = 16", diagnostics)
        .and_then(|value| integer("by", value, diagnostics));
    let of = match table.optional("of") {
        Some(value) => named("of", value, diagnostics).map(|of| of.value),
        None => Some(DivideOf::Sum),
    };
    table.finish(diagnostics);
    Some(Divide { by: by?, of: of? })
}

fn net_file(mut table: Table<'_>, diagnostics: &mut Diagnostics) -> Option<File> {
    let format = table
        .required("format", "format = \"stockfish\"", diagnostics)
        .and_then(|value| named("format", value, diagnostics));
    let version = table
        .required("version", "version = 0x7AF32F20", diagnostics)
        .and_then(|value| integer("version", value, diagnostics));
    let encoding = table
        .optional("encoding")
        .map(|value| named("encoding", value, diagnostics));
    let transformer_hash = table
        .optional("transformer_hash")
        .map(|value| integer("transformer_hash", value, diagnostics));
    let stack_hash = table
        .optional("stack_hash")
        .map(|value| integer("stack_hash", value, diagnostics));
    table.finish(diagnostics);
    Some(File {
        format: format?,
        version: version?,
        encoding: all_or_none(encoding)?,
        transformer_hash: all_or_none(transformer_hash)?,
        stack_hash: all_or_none(stack_hash)?,
    })
}
