//! Decodes `[file]`: the name of a format, and the keys that this format has.

use nnue_format::Encoding;
use toml::de::DeValue;

use super::form::Form;
use super::table::{
    Table, Value, array, boolean, inline_table, integer, integers_or_one, keys, mismatch, named,
    number, one_of, string,
};
use crate::diagnostics::{Diagnostics, Span, Spanned};
use crate::spec::documented::documented;
use crate::spec::{
    self, Axis, AxisPart, Bullet, Content, Entry, Field, FieldType, File, Format, Kept, Named,
    Part, Stockfish, TensorEntry, Tensors, Transposed,
};

documented! {
    /// The keys that decide what an entry is, if it is no tensor.
    struct BytesKeys {
        /// `bytes`: the number of bytes without a meaning.
        #[within(1..=1 << 30)]
        bytes: Option<Spanned<i64>>,
        /// `value`: the bytes that every file must have at this place, as hexadecimal digits.
        value: Option<Vec<u8>>,
    }
}

documented! {
    const FIELD {
        /// `field`: the name of a field of a header.
        field,
        /// `type`: the type of the value that must be there; without it, `value` has hexadecimal
        /// digits.
        kind,
        /// `bytes`: the number of bytes of any content.
        bytes,
        /// `value`: the value that must be there.
        value,
    }
}

documented! {
    const FORMAT {
        /// `format`: the format of net files, which decides the other keys.
        format,
    }
}

pub(super) fn decode(mut table: Table<'_>, diagnostics: &mut Diagnostics) -> Option<File> {
    table.described(FORMAT);
    let names = Format::NAMES.iter().map(|(name, _)| format!("\"{name}\""));
    let example = names.collect::<Vec<_>>().join(" | ");
    let format = table.required_with("format", &example, named, diagnostics);
    let span = format
        .as_ref()
        .map_or(Span::default(), |format| format.span);
    let file = table.choice(
        "format",
        format.map(|format| format.value),
        Format::NAMES.iter().copied(),
        |format, table, diagnostics| keys_of(format, table, span, diagnostics),
        diagnostics,
    );
    table.finish(diagnostics);
    file.flatten()
}

/// Decodes the keys of a format whose name stands at `span`.
fn keys_of(
    format: Format,
    table: &mut Table<'_>,
    span: Span,
    diagnostics: &mut Diagnostics,
) -> Option<File> {
    match format {
        Format::Stockfish => keys!(table, diagnostics, Stockfish {
            version: integer = "0x7AF32F20",
            encoding: stockfish_encoding,
            psqt: named,
            transformer_hash: integer,
            stack_hash: integer,
            before_stacks: entries_beside_tensors,
            ;
            span: Some(span),
        })
        .map(File::Stockfish),
        Format::Bullet => keys!(table, diagnostics, Bullet {
            kind: named,
            entries: bullet_entries,
            transposed: transposed,
            rounding: named,
            overflow: named,
            tail: named,
            ;
            span: Some(span),
        })
        .map(File::Bullet),
        Format::Tensors => keys!(table, diagnostics, Tensors {
            tensors: tensor_entries = "[\"transformer\", \"layers\"]",
            stack: lists_of_entries,
            rounding: named,
            overflow: named,
            tail: named,
            ;
            span: Some(span),
        })
        .map(File::Tensors),
    }
}

fn stockfish_encoding(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<Encoding>> {
    one_of(Stockfish::ENCODINGS, key, value, diagnostics)
}

const KEPT_EXAMPLE: &str = "{ kept = \"progress.weights\", type = \"i32\", shape = [81, 1548] }";

/// Decodes entries that are no tensors of the network.
fn entries_beside_tensors(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<Vec<Entry>>> {
    array(key, value, entry_beside_tensors, diagnostics)
}

fn entry_beside_tensors(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Entry> {
    let mut table = inline_table(key, value, KEPT_EXAMPLE, diagnostics)?;
    if table.has("field", diagnostics) {
        return field(table, None, diagnostics);
    }
    kept(table, None, diagnostics)
}

fn bullet_entries(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<Vec<Entry>>> {
    array(key, value, bullet_entry, diagnostics)
}

fn tensor_entries(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<Vec<Entry>>> {
    array(key, value, tensor_entry, diagnostics)
}

/// Decodes a list of entries, or a list of such lists.
fn lists_of_entries(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Vec<Entry>>> {
    let first = match value.get_ref() {
        DeValue::Array(items) => items.first().map(|first| first.get_ref()),
        _ => None,
    };
    if let Some(DeValue::Array(_)) = first {
        let lists = array(key, value, tensor_entries, diagnostics)?.value;
        return Some(lists.into_iter().map(|list| list.value).collect());
    }
    Some(vec![tensor_entries(key, value, diagnostics)?.value])
}

/// Decodes an entry of bullet's list: an id, or a table.
fn bullet_entry(key: &str, value: &Value<'_>, diagnostics: &mut Diagnostics) -> Option<Entry> {
    if let DeValue::String(_) = value.get_ref() {
        let id = Some(string(key, value, diagnostics)?);
        return Some(named_entry(
            value,
            TensorEntry {
                id,
                ..TensorEntry::default()
            },
        ));
    }
    let mut table = inline_table(key, value, "{ id = \"l0w\" }", diagnostics)?;
    if table.has("field", diagnostics) {
        return field(table, None, diagnostics);
    }
    table.described(TensorEntry::ABOUT);
    let id = table.optional_with("id", string, diagnostics);
    let transposed = table.optional_with("transposed", boolean, diagnostics);
    let entry = TensorEntry {
        id: id?,
        transposed: transposed?,
        ..TensorEntry::default()
    };
    finish_entry(table, entry, None, "id", diagnostics)
}

/// The entry that a name alone stands for.
fn named_entry(value: &Value<'_>, entry: TensorEntry) -> Entry {
    Entry {
        span: value.span().into(),
        align: None,
        content: Content::Tensor(Box::new(entry)),
    }
}

/// Decodes an entry of a list of tensors: a name, or a table.
fn tensor_entry(key: &str, value: &Value<'_>, diagnostics: &mut Diagnostics) -> Option<Entry> {
    if let DeValue::String(_) = value.get_ref() {
        let tensor = Some(string(key, value, diagnostics)?);
        return Some(named_entry(
            value,
            TensorEntry {
                tensor,
                ..TensorEntry::default()
            },
        ));
    }
    let example = "{ tensor = \"transformer.weights\" }";
    let mut table = inline_table(key, value, example, diagnostics)?;
    table.described(Entry::ABOUT);
    if table.has("field", diagnostics) {
        let align = table.optional_with("align", integer, diagnostics);
        return field(table, align?, diagnostics);
    }
    if table.has("kept", diagnostics) {
        let align = table.optional_with("align", integer, diagnostics);
        return kept(table, align?, diagnostics);
    }
    table.described(TensorEntry::ABOUT);
    let axes = table.optional_with("axes", axes, diagnostics);
    let align = table.optional_with("align", integer, diagnostics);
    let pad = table.optional_with("pad", integer, diagnostics);
    let encoding = table.optional_with("encoding", named, diagnostics);
    let entry = TensorEntry {
        axes: axes?,
        encoding: encoding?,
        pad: pad?,
        ..TensorEntry::default()
    };
    finish_entry(table, entry, align?, "tensor", diagnostics)
}

fn axes(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<Vec<Spanned<AxisPart>>>> {
    array(key, value, axis, diagnostics)
}

/// Decodes an axis: a name, alone or with the length of blocks, as in `input`, `input / 4`, `input
/// % 4`.
fn axis(key: &str, value: &Value<'_>, diagnostics: &mut Diagnostics) -> Option<Spanned<AxisPart>> {
    let parts = match value.get_ref() {
        DeValue::String(text) => text.split_once(['/', '%']),
        _ => None,
    };
    diagnostics.found(Form::Text);
    let Some((name, len)) = parts else {
        let whole: Spanned<Axis> = named(key, value, diagnostics)?;
        return Some(Spanned {
            value: whole.value.into(),
            span: whole.span,
        });
    };
    let text = string(key, value, diagnostics)?;
    let mut axes = Axis::NAMES.iter();
    let axis = axes.find(|(known, _)| *known == name.trim());
    let (Some((_, axis)), Ok(len)) = (axis, len.trim().parse()) else {
        let message = format!("`{key}` is not an axis or a part of one");
        diagnostics.error(text.span, message).help(
            "write an axis as in `input`; or `input / 4` for its blocks of four and `input % 4` for the places in a block",
        );
        return None;
    };
    let part = if text.value.contains('/') {
        Part::Blocks(len)
    } else {
        Part::Places(len)
    };
    Some(Spanned {
        value: AxisPart { axis: *axis, part },
        span: text.span,
    })
}

/// Decodes the keys that both kinds of entries have. An entry that is a tensor has the key `name`.
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
    let times = table.optional_with("times", integer, diagnostics);
    let rounding = table.optional_with("rounding", named, diagnostics);
    let overflow = table.optional_with("overflow", named, diagnostics);
    let bytes = keys!(
        table,
        diagnostics,
        BytesKeys {
            bytes: integer,
            value: hexadecimal,
        }
    );
    table.finish(diagnostics);
    entry.tensor = tensor?;
    entry.element = element?;
    entry.one = one?;
    entry.times = times?;
    entry.rounding = rounding?;
    entry.overflow = overflow?;
    let is_tensor = entry != TensorEntry::default();
    let BytesKeys { bytes, value } = bytes?;
    let content = match (is_tensor, bytes, value) {
        (true, None, None) => Content::Tensor(Box::new(entry)),
        (false, Some(content), None) => Content::Skipped(Field {
            name: None,
            content,
        }),
        (false, None, Some(bytes)) => Content::Bytes(Field {
            name: None,
            content: spec::Value::Bytes(bytes),
        }),
        _ => {
            let message = format!("an entry needs exactly one of `{name}`, `bytes` or `value`");
            diagnostics.error(span, message)
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

/// Decodes a field of a header.
fn field(
    mut table: Table<'_>,
    align: Option<Spanned<i64>>,
    diagnostics: &mut Diagnostics,
) -> Option<Entry> {
    let span = table.span;
    table.described(FIELD);
    let name = table.required_with("field", "\"version\"", super::table::name, diagnostics);
    let kind: Option<Option<Spanned<FieldType>>> = table.optional_with("type", named, diagnostics);
    let len = table.optional_with("bytes", integer, diagnostics);
    let value = table.optional_with("value", text_or_number, diagnostics);
    table.finish(diagnostics);
    let (name, kind) = (Some(name?), kind?);
    let content = match (len?, value?) {
        (Some(len), None) if kind.is_none() => Content::Skipped(Field { name, content: len }),
        (None, Some(value)) => Content::Bytes(Field {
            name,
            content: self::value(kind, value, diagnostics)?,
        }),
        _ => {
            diagnostics
                .error(span, "a field needs either `value`, of a `type`, or `bytes`")
                .help(
                    "write `{ field = \"version\", type = \"u16\", value = 1 }` for what must be there, \
                     or `{ field = \"name\", bytes = 48 }` where any content is right",
                );
            return None;
        }
    };
    Some(Entry {
        span,
        align,
        content,
    })
}

/// Decodes numbers that the network does not use.
fn kept(
    mut table: Table<'_>,
    align: Option<Spanned<i64>>,
    diagnostics: &mut Diagnostics,
) -> Option<Entry> {
    let span = table.span;
    table.described(Kept::ABOUT);
    let name = table.required_as("kept", KEPT_EXAMPLE, super::table::name, diagnostics);
    let element = table.required_with("type", "\"i32\"", named, diagnostics);
    let shape = table.required_with("shape", "[81, 1548]", integers_or_one, diagnostics);
    table.finish(diagnostics);
    Some(Entry {
        span,
        align,
        content: Content::Kept(Kept {
            name: name?,
            element: element?,
            shape: shape?,
        }),
    })
}

/// A value that [`value`] decodes when the type is known.
fn text_or_number<'t>(
    key: &str,
    found: &'t Value<'t>,
    diagnostics: &mut Diagnostics,
) -> Option<&'t Value<'t>> {
    let is_right = match found.get_ref() {
        DeValue::Integer(_) => integer(key, found, diagnostics).is_some(),
        _ => string(key, found, diagnostics).is_some(),
    };
    is_right.then_some(found)
}

/// Decodes the value that a field of this type must hold. A field without a type holds bytes.
fn value(
    kind: Option<Spanned<FieldType>>,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<spec::Value> {
    Some(match kind.map(|kind| kind.value) {
        None if matches!(value.get_ref(), DeValue::Integer(_)) => {
            mismatch("value", value, "hexadecimal digits", diagnostics)
                .help("a number needs a type: `type = \"u16\"`");
            return None;
        }
        None => spec::Value::Bytes(hexadecimal("value", value, diagnostics)?),
        Some(FieldType::Text) => spec::Value::Text(string("value", value, diagnostics)?),
        Some(kind) => spec::Value::Number(kind, integer("value", value, diagnostics)?),
    })
}

/// Decodes `transposed`: `true`, `false`, or a list of ids.
fn transposed(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<Transposed>> {
    let transposed = match value.get_ref() {
        DeValue::Boolean(_) => Transposed::All(boolean(key, value, diagnostics)?.value),
        DeValue::Array(_) => Transposed::Ids(array(key, value, string, diagnostics)?.value),
        _ => {
            mismatch(key, value, "`true` or a list of ids", diagnostics)
                .help("for example `transposed = [\"l1w\"]`");
            return None;
        }
    };
    Some(Spanned::new(transposed, value.span()))
}

/// Decodes bytes: pairs of hexadecimal digits, with spaces wherever they help.
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
            let message = format!("`{key}` is not a list of bytes in hexadecimal digits");
            diagnostics
                .error(text.span, message)
                .help("write two digits for each byte: `\"4E 4E 55 45\"`");
            None
        }
    }
}
