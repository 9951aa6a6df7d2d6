//! Writes the keys and values of a spec, with a header for each table.

use std::fmt::Write;

use toml::de::{DeTable, DeValue};

use super::table::Value;
use crate::feature_set::piece_square::{KING_TABLES, SQUARES};
use crate::schema::with_schema;
use crate::write_spec::toml_string;

/// The tables of a spec, in the order in which they are written.
const TABLES: [&str; 7] = [
    "features",
    "transformer",
    "stacks",
    "layer",
    "output",
    "head",
    "file",
];

/// The keys that come first in their tables.
const FIRST: [&str; 5] = ["name", "set", "mirror", "op", "format"];

/// The most characters in a line of a list.
const LINE: usize = 96;

/// The text of a spec: its name, then its tables.
pub(super) fn text(spec: &DeTable<'_>) -> String {
    let mut text = String::new();
    let is_table = |key: &str| TABLES.contains(&key);
    for (key, value) in spec.iter().filter(|(key, _)| !is_table(key.get_ref())) {
        assign(key.get_ref(), value, &mut text);
    }
    for key in TABLES {
        match spec.get(key).map(|value| value.get_ref()) {
            Some(DeValue::Table(table)) => write_table(&format!("[{key}]"), table, &mut text),
            Some(DeValue::Array(tables)) => {
                let tables = tables.iter().filter_map(|table| table.get_ref().as_table());
                tables.for_each(|table| write_table(&format!("[[{key}]]"), table, &mut text));
            }
            _ => {}
        }
    }
    with_schema(&text)
}

fn write_table(header: &str, table: &DeTable<'_>, text: &mut String) {
    let _ = writeln!(text, "\n{header}");
    let rank = |key: &str| FIRST.iter().position(|first| *first == key);
    let mut entries: Vec<_> = table.iter().collect();
    // What a spec says itself stands before what completes it, each in its own order.
    entries.sort_by_key(|(key, value)| {
        let rank = rank(key.get_ref()).unwrap_or(FIRST.len());
        (rank, value.span().start)
    });
    for (key, value) in entries {
        assign(key.get_ref(), value, text);
    }
}

fn assign(key: &str, value: &Value<'_>, text: &mut String) {
    let items = match value.get_ref() {
        DeValue::Array(items) => items.iter().map(|item| inline(item.get_ref())).collect(),
        DeValue::String(name) if key == "king_buckets" => numbers_of(name),
        _ => Vec::new(),
    };
    let is_board = key == "king_buckets" && !items.is_empty();
    let short = match is_board {
        true => String::new(),
        false => inline(value.get_ref()),
    };
    if !is_board && (items.is_empty() || key.len() + short.len() <= LINE) {
        let _ = writeln!(text, "{key} = {short}");
        return;
    }
    let files = if items.len() == SQUARES { 8 } else { 4 };
    let mut line = String::new();
    let mut lines = vec![format!("{key} = [")];
    for (index, item) in items.iter().enumerate() {
        let is_full = match is_board {
            true => index.is_multiple_of(files),
            false => line.len() + item.len() > LINE,
        };
        if is_full && !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        let space = if line.is_empty() { "    " } else { " " };
        line += &match is_board {
            true => format!("{space}{item:>2},"),
            false => format!("{space}{item},"),
        };
    }
    lines.extend([line, "]\n".into()]);
    *text += &lines.join("\n");
}

/// The buckets of a table with this name.
fn numbers_of(name: &str) -> Vec<String> {
    let table = KING_TABLES.iter().find(|table| table.name == name);
    let squares = table.into_iter().flat_map(|table| table.squares());
    squares.map(|bucket| bucket.to_string()).collect()
}

/// A value in a single line.
fn inline(value: &DeValue<'_>) -> String {
    let list = |items: Vec<String>| items.join(", ");
    match value {
        DeValue::String(text) => toml_string(text),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(date) => date.to_string(),
        DeValue::Array(items) => {
            let items = items.iter().map(|item| inline(item.get_ref()));
            format!("[{}]", list(items.collect()))
        }
        DeValue::Table(table) => {
            let entries = table
                .iter()
                .map(|(key, value)| format!("{} = {}", key.get_ref(), inline(value.get_ref())));
            format!("{{ {} }}", list(entries.collect()))
        }
    }
}
