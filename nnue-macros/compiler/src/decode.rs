//! Text to [`Spec`]: TOML's syntax, the keys, their types and names. Every mistake is reported.

mod features;
mod file;
mod layer;
mod output;
mod reference;
pub(crate) mod table;

use toml::de::{DeTable, DeValue};

use crate::diagnostics::{Diagnostics, SourceFile, Span, Spanned, list};
use crate::spec::{Layer, Reference, Select, Spec, Stacks, Transformer};
use table::{Table, Value, inline_table, integer, integers, named, section, string};

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
        .and_then(|table| output::decode(table, diagnostics));
    let net_file = root
        .required("file", "[file]", diagnostics)
        .and_then(|value| section("file", value, diagnostics))
        .and_then(|table| file::decode(table, diagnostics));
    root.finish(diagnostics);

    Some(Spec {
        name: name?,
        features: features?,
        transformer: transformer?,
        stacks: all_or_none(stacks)?,
        layers: layers?,
        output: output?,
        file: net_file?,
    })
}

/// Reports what is no TOML: the first error of each line, for the others follow from it.
fn report_syntax_errors(
    file: &SourceFile,
    errors: &[toml::de::Error],
    diagnostics: &mut Diagnostics,
) {
    let end = file.text.len();
    let place = |error: &toml::de::Error| error.span().map_or(Span { start: end, end }, Span::from);
    let mut errors: Vec<_> = errors.iter().map(|error| (place(error), error)).collect();
    errors.sort_by_key(|(span, _)| *span);
    let is_on_one_line = |first: Span, second: Span| {
        let between = file.text.get(first.start..second.start);
        between.is_some_and(|text| !text.contains('\n'))
    };
    errors.dedup_by(|later, first| is_on_one_line(first.0, later.0));
    for (span, error) in errors {
        let message = error.message().trim_end_matches("\nexpected nothing");
        let message = message.trim_end().trim_end_matches('.');
        let error = diagnostics
            .error(span, message.replace('\n', ", "))
            .label("TOML syntax");
        if message == "duplicate key" && file.text[..span.start].ends_with("[[") {
            let key = &file.text[span.start..span.end];
            error.help(format!(
                "`[{key}]` above is one table, not a list of tables: write `[[{key}]]` there too"
            ));
        }
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
    let psqt = table.optional_with("psqt", integer, diagnostics);
    let activation = table
        .required("activation", "activation = \"crelu\"", diagnostics)
        .and_then(|value| named("activation", value, diagnostics));
    let shift = table.optional_with("shift", integer, diagnostics);
    let limit = table.optional_with("limit", integer, diagnostics);
    let pooling = table.optional_with("pooling", named, diagnostics);
    let product_shift = table.optional_with("product_shift", integer, diagnostics);
    let pairs = table.optional_with("pairs", named, diagnostics);
    let perspectives = table.optional_with("perspectives", integer, diagnostics);
    let order = table.optional_with("order", named, diagnostics);
    let weights = table.optional_with("weights", named, diagnostics);
    table.finish(diagnostics);
    Some(Transformer {
        width: width?,
        one: one?,
        psqt: psqt?,
        activation: activation?,
        shift: shift?,
        limit: limit?,
        pooling: pooling?,
        product_shift: product_shift?,
        pairs: pairs?,
        perspectives: perspectives?,
        order: order?,
        weights: weights?,
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
                diagnostics.unknown_name("by", &by, ["caller"].into_iter());
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
        .map(|table| layer::decode(table, diagnostics))
        .collect();
    decoded.into_iter().collect()
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
