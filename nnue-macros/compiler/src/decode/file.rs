//! `[file]`: a format, and the keys that it has.

use toml::de::DeValue;

use super::table::{
    Table, Value, array, boolean, inline_table, integer, mismatch, named, number, string,
};
use crate::diagnostics::{Diagnostics, Span, Spanned};
use crate::spec::{
    Axis, Bullet, Content, Entry, File, Format, Stockfish, TensorEntry, Tensors, Transposed,
};

/// The keys of all formats.
const KEYS: &[&str] = &[
    "version",
    "encoding",
    "transformer_hash",
    "stack_hash",
    "kind",
    "entries",
    "transposed",
    "tensors",
    "rounding",
    "tail",
];

pub(super) fn decode(mut table: Table<'_>, diagnostics: &mut Diagnostics) -> Option<File> {
    const EXAMPLE: &str = "format = \"stockfish\" | \"bullet\" | \"tensors\"";
    let format = table
        .required("format", EXAMPLE, diagnostics)
        .and_then(|value| named::<Format>("format", value, diagnostics));
    let file = match format {
        Some(format) => match format.value {
            Format::Stockfish => stockfish(&mut table, format.span, diagnostics),
            Format::Bullet => bullet(&mut table, format.span, diagnostics),
            Format::Tensors => tensors(&mut table, format.span, diagnostics),
        },
        // Which other keys there are depends on the format: without one, those of every format are right.
        None => {
            table.expect(KEYS);
            None
        }
    };
    table.finish(diagnostics);
    file
}

fn stockfish(table: &mut Table<'_>, span: Span, diagnostics: &mut Diagnostics) -> Option<File> {
    let version = table
        .required("version", "version = 0x7AF32F20", diagnostics)
        .and_then(|value| integer("version", value, diagnostics));
    let encoding = table.optional_with("encoding", named, diagnostics);
    let transformer_hash = table.optional_with("transformer_hash", integer, diagnostics);
    let stack_hash = table.optional_with("stack_hash", integer, diagnostics);
    Some(File::Stockfish(Stockfish {
        span,
        version: version?,
        encoding: encoding?,
        transformer_hash: transformer_hash?,
        stack_hash: stack_hash?,
    }))
}

fn bullet(table: &mut Table<'_>, span: Span, diagnostics: &mut Diagnostics) -> Option<File> {
    let kind = table.optional_with("kind", named, diagnostics);
    let entries = table.optional_with("entries", bullet_entries, diagnostics);
    let transposed = table.optional_with("transposed", transposed, diagnostics);
    let rounding = table.optional_with("rounding", named, diagnostics);
    let tail = table.optional_with("tail", named, diagnostics);
    Some(File::Bullet(Bullet {
        span,
        kind: kind?,
        entries: entries?,
        transposed: transposed?,
        rounding: rounding?,
        tail: tail?,
    }))
}

fn tensors(table: &mut Table<'_>, span: Span, diagnostics: &mut Diagnostics) -> Option<File> {
    const EXAMPLE: &str = "tensors = [{ tensor = \"transformer.weights\" }, ...]";
    let entries = table
        .required("tensors", EXAMPLE, diagnostics)
        .and_then(|value| listed("tensors", value, tensor_entry, diagnostics));
    let rounding = table.optional_with("rounding", named, diagnostics);
    let tail = table.optional_with("tail", named, diagnostics);
    Some(File::Tensors(Tensors {
        span,
        entries: entries?,
        rounding: rounding?,
        tail: tail?,
    }))
}

fn bullet_entries(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<Vec<Entry>>> {
    listed(key, value, bullet_entry, diagnostics)
}

/// A list, each item decoded by `decode`.
fn listed<'t>(
    key: &str,
    value: &'t Value<'t>,
    decode: impl Fn(&str, &'t Value<'t>, &mut Diagnostics) -> Option<Entry>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<Vec<Entry>>> {
    let items: Vec<_> = array(key, value, diagnostics)?
        .into_iter()
        .enumerate()
        .map(|(index, item)| decode(&format!("{key}[{index}]"), item, diagnostics))
        .collect();
    let entries = items.into_iter().collect::<Option<Vec<_>>>()?;
    Some(Spanned::new(entries, value.span()))
}

/// An id, or a table.
fn bullet_entry(key: &str, value: &Value<'_>, diagnostics: &mut Diagnostics) -> Option<Entry> {
    let mut entry = TensorEntry::default();
    if let DeValue::String(_) = value.get_ref() {
        entry.id = Some(string(key, value, diagnostics)?);
        return Some(Entry {
            span: value.span().into(),
            align: None,
            content: Content::Tensor(Box::new(entry)),
        });
    }
    let mut table = inline_table(key, value, "{ id = \"l0w\" }", diagnostics)?;
    let id = table.optional_with("id", string, diagnostics);
    let transposed = table.optional_with("transposed", boolean, diagnostics);
    entry.id = id?;
    entry.transposed = transposed?;
    finish_entry(table, entry, None, "id", diagnostics)
}

fn tensor_entry(key: &str, value: &Value<'_>, diagnostics: &mut Diagnostics) -> Option<Entry> {
    let example = "{ tensor = \"transformer.weights\" }";
    let mut table = inline_table(key, value, example, diagnostics)?;
    let axes = table.optional_with("axes", axes, diagnostics);
    let align = table.optional_with("align", integer, diagnostics);
    let pad = table.optional_with("pad", integer, diagnostics);
    let entry = TensorEntry {
        axes: axes?,
        pad: pad?,
        ..TensorEntry::default()
    };
    finish_entry(table, entry, align?, "tensor", diagnostics)
}

/// The keys that both kinds of entries have. One that is a tensor has the key `name`.
fn finish_entry(
    mut table: Table<'_>,
    mut entry: TensorEntry,
    align: Option<Spanned<i64>>,
    name: &str,
    diagnostics: &mut Diagnostics,
) -> Option<Entry> {
    let span = table.span;
    let tensor = table.optional_with("tensor", string, diagnostics);
    let element = table.optional_with("type", named, diagnostics);
    let one = table.optional_with("one", number, diagnostics);
    let rounding = table.optional_with("rounding", named, diagnostics);
    let skipped = table.optional_with("bytes", integer, diagnostics);
    let bytes = table.optional_with("value", hexadecimal, diagnostics);
    table.finish(diagnostics);
    entry.tensor = tensor?;
    entry.element = element?;
    entry.one = one?;
    entry.rounding = rounding?;
    let is_tensor = entry != TensorEntry::default();
    let content = match (is_tensor, skipped?, bytes?) {
        (true, None, None) => Content::Tensor(Box::new(entry)),
        (false, Some(len), None) => Content::Skipped(len),
        (false, None, Some(bytes)) => Content::Bytes(bytes),
        _ => {
            diagnostics
                .error(
                    span,
                    format!("an entry needs exactly one of `{name}`, `bytes` or `value`"),
                )
                .help(format!(
                    "write `{{ {name} = ... }}`, `{{ bytes = 64 }}` to skip some, or `{{ value = \"4E 4E\" }}` for what must be there"
                ));
            return None;
        }
    };
    Some(Entry {
        span,
        align,
        content,
    })
}

fn axes(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<Vec<Spanned<Axis>>>> {
    let axes: Vec<_> = array(key, value, diagnostics)?
        .into_iter()
        .enumerate()
        .map(|(index, axis)| named(&format!("{key}[{index}]"), axis, diagnostics))
        .collect();
    let axes = axes.into_iter().collect::<Option<Vec<_>>>()?;
    Some(Spanned::new(axes, value.span()))
}

/// `true`, or a list of ids.
fn transposed(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<Transposed>> {
    let transposed = match value.get_ref() {
        DeValue::Boolean(all) => Transposed::All(*all),
        DeValue::Array(_) => {
            let ids: Vec<_> = array(key, value, diagnostics)?
                .into_iter()
                .enumerate()
                .map(|(index, id)| string(&format!("{key}[{index}]"), id, diagnostics))
                .collect();
            Transposed::Ids(ids.into_iter().collect::<Option<Vec<_>>>()?)
        }
        _ => {
            mismatch(key, value, "`true` or a list of ids", diagnostics)
                .help("write `transposed = [\"l1w\"]`");
            return None;
        }
    };
    Some(Spanned::new(transposed, value.span()))
}

/// Bytes, as pairs of hexadecimal digits with spaces wherever they help.
fn hexadecimal(key: &str, value: &Value<'_>, diagnostics: &mut Diagnostics) -> Option<Vec<u8>> {
    let text = string(key, value, diagnostics)?;
    let digits: Option<Vec<u8>> = text
        .value
        .chars()
        .filter(|c| *c != ' ')
        .map(|c| c.to_digit(16).map(|digit| digit as u8))
        .collect();
    match digits {
        Some(digits) if digits.len() >= 2 && digits.len().is_multiple_of(2) => {
            let pairs = digits.chunks(2);
            Some(pairs.map(|pair| pair[0] << 4 | pair[1]).collect())
        }
        _ => {
            diagnostics
                .error(
                    text.span,
                    format!("`{key}` is not bytes in hexadecimal digits"),
                )
                .help("write two digits for each byte: `\"4E 4E 55 45\"`");
            None
        }
    }
}
