//! Puts keys and values into tables, and reports what is defined twice or extended where that is
//! not allowed.

use std::collections::btree_map;

use toml_parser::parser::{Event, EventKind};

use super::errors::{Errors, span};
use super::reader::{Key, Path, Reader};
use super::{Entries, Entry, Form, TomlValue, Value};
use crate::diagnostics::{Span, Spanned};

/// The tables of a text that were read so far.
#[derive(Default)]
struct Document<'t> {
    root: Entries<'t>,
    /// The table under the last header, which is not part of `root` yet.
    table: Entries<'t>,
    /// The last header. There is none above the first keys of a text.
    header: Option<Header<'t>>,
}

struct Header<'t> {
    /// `None` if the key has too many dots.
    path: Option<Path<'t>>,
    /// The place of the header with its brackets.
    span: Span,
    /// Whether there are two brackets.
    is_list: bool,
}

/// Reads all tables of a text.
pub(super) fn read<'t>(reader: &mut Reader<'t, '_>) -> Entries<'t> {
    let mut document = Document::default();
    while let Some(event) = reader.next() {
        match event.kind() {
            EventKind::StdTableOpen | EventKind::ArrayTableOpen => {
                document.finish(&mut reader.errors);
                let header = header(event, reader);
                document.start(header, &mut reader.errors);
            }
            EventKind::SimpleKey => {
                let Some(path) = reader.path(event) else {
                    break;
                };
                reader.skip_whitespace();
                // Without `=`, an error was reported. The rest of the text would only be guessed.
                if reader.next().map(Event::kind) != Some(EventKind::KeyValSep) {
                    break;
                }
                reader.skip_whitespace();
                let value = reader.value(&path);
                let errors = &mut reader.errors;
                document.table.define(path, value, Form::Dotted, errors);
            }
            _ => {}
        }
    }
    document.finish(&mut reader.errors);
    document.root
}

/// Reads the rest of a header that begins with this event.
fn header<'t>(open: &Event, reader: &mut Reader<'t, '_>) -> Header<'t> {
    let mut header = Header {
        path: None,
        span: span(open.span()),
        is_list: open.kind() == EventKind::ArrayTableOpen,
    };
    while let Some(event) = reader.next() {
        match event.kind() {
            EventKind::SimpleKey => header.path = reader.path(event),
            EventKind::StdTableClose | EventKind::ArrayTableClose => {
                header.span.end = event.span().end();
                break;
            }
            _ => {}
        }
    }
    header
}

impl<'t> Document<'t> {
    /// Begins the table under a header. It is looked up here, so that an error about it comes
    /// before the errors about its keys.
    fn start(&mut self, header: Header<'t>, errors: &mut Errors) {
        if let (false, Some(path)) = (header.is_list, &header.path)
            && let Some(parent) = self.root.descend(&path.parents, Form::Implied, errors)
            && let Some(old) = parent.by_key.remove(&path.key.value)
        {
            let old = old.value.value;
            if !matches!(&old, TomlValue::Table(table) if table.form == Form::Implied) {
                errors.report(path.key.span, "duplicate key");
            }
            if let TomlValue::Table(table) = old {
                self.table = table;
            }
        }
        self.table.form = match self.table.form {
            // This was an error; so is a later header of a table within it.
            Form::Inline | Form::DottedInline => Form::Inline,
            Form::Header | Form::Implied | Form::Dotted => Form::Header,
        };
        self.header = Some(header);
    }

    /// Puts the table under the last header into the root.
    fn finish(&mut self, errors: &mut Errors) {
        let table = std::mem::take(&mut self.table);
        let Some(header) = self.header.take() else {
            self.root = table;
            return;
        };
        let Some(Path { parents, key }) = header.path else {
            return;
        };
        let Some(parent) = self.root.descend(&parents, Form::Implied, errors) else {
            return;
        };
        let table = Spanned::new(TomlValue::Table(table), header.span);
        match parent.by_key.entry(key.value) {
            btree_map::Entry::Vacant(vacant) => {
                let value = if header.is_list {
                    TomlValue::Array(vec![table])
                } else {
                    table.value
                };
                vacant.insert(Entry {
                    key: key.span,
                    value: Spanned::new(value, header.span),
                });
            }
            btree_map::Entry::Occupied(mut old) => {
                if let TomlValue::Array(items) = &mut old.get_mut().value.value
                    && last_table(items).is_some()
                {
                    items.push(table);
                } else {
                    errors.report(key.span, "duplicate key");
                }
            }
        }
    }
}

impl<'t> Entries<'t> {
    pub(super) fn of(form: Form) -> Entries<'t> {
        Entries {
            by_key: Default::default(),
            form,
        }
    }

    /// Adds a key with its value. Tables that a dotted key leads through are of this form.
    pub(super) fn define(
        &mut self,
        path: Path<'t>,
        value: Value<'t>,
        form: Form,
        errors: &mut Errors,
    ) {
        let Path { parents, key } = path;
        let Some(table) = self.descend(&parents, form, errors) else {
            return;
        };
        // A table under a header takes dotted keys only below that header.
        let is_elsewhere = !parents.is_empty() && table.form == Form::Header;
        match table.by_key.entry(key.value) {
            btree_map::Entry::Vacant(vacant) if !is_elsewhere => {
                let key = key.span;
                vacant.insert(Entry { key, value });
            }
            _ => errors.report(key.span, "duplicate key"),
        }
    }

    /// The table to which these keys lead. Those on the way that do not exist are made, in this
    /// form: what leads to them is a header, a dotted key, or a dotted key in braces. The result is
    /// `None` if an error was reported.
    fn descend(
        &mut self,
        parents: &[Key<'t>],
        form: Form,
        errors: &mut Errors,
    ) -> Option<&mut Entries<'t>> {
        let mut table = self;
        for key in parents {
            let entry = table.by_key.entry(key.value.clone());
            let entry = entry.or_insert_with(|| Entry {
                key: key.span,
                value: Spanned::new(TomlValue::Table(Entries::of(form)), key.span),
            });
            let kind = match &mut entry.value.value {
                TomlValue::Table(found) => {
                    match (form, found.form) {
                        (Form::DottedInline, Form::Inline) | (Form::Dotted, Form::Header) => {
                            errors.report(key.span, "duplicate key");
                            return None;
                        }
                        (Form::Implied | Form::Dotted, Form::Inline | Form::DottedInline) => {
                            errors.report(key.span, cannot_extend("inline table"));
                            return None;
                        }
                        (Form::Dotted, Form::Implied) => found.form = Form::Dotted,
                        _ => {}
                    }
                    table = found;
                    continue;
                }
                TomlValue::Array(items) => {
                    if let Some(last) = last_table(items) {
                        table = last;
                        continue;
                    }
                    "array"
                }
                TomlValue::String(_) => "string",
                TomlValue::Integer(_) => "integer",
                TomlValue::Float(_) => "float",
                TomlValue::Boolean(_) => "boolean",
                TomlValue::Date => "datetime",
            };
            errors.report(key.span, cannot_extend(kind));
            return None;
        }
        Some(table)
    }
}

fn cannot_extend(kind: &str) -> String {
    format!("cannot extend value of type {kind} with a dotted key")
}

/// The last table of a list of tables under headers. An array in brackets has none: its tables are
/// in braces.
fn last_table<'a, 't>(items: &'a mut [Value<'t>]) -> Option<&'a mut Entries<'t>> {
    match &mut items.last_mut()?.value {
        TomlValue::Table(table) if table.form == Form::Header => Some(table),
        _ => None,
    }
}
