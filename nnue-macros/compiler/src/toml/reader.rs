//! Reads keys and values from what toml_parser found in a text.
//!
//! After an error the events need not make sense. They are read nevertheless, so that mistakes that
//! have nothing to do with the first one are reported too.

use std::borrow::Cow;

use toml_parser::Source;
use toml_parser::decoder::{IntegerRadix, ScalarKind};
use toml_parser::parser::{Event, EventKind};

use super::errors::{Errors, span};
use super::{DEEPEST, Entries, Form, TomlValue, Value, date};
use crate::diagnostics::{Span, Spanned};

/// The events that are not read yet.
pub(super) struct Reader<'t, 'e> {
    source: Source<'t>,
    events: &'e [Event],
    /// The number of dots in the keys of the values that are being read.
    dots: usize,
    pub(super) errors: Errors,
}

/// A key with dots: the tables that it leads through, and the key in the last of them.
pub(super) struct Path<'t> {
    pub(super) parents: Vec<Key<'t>>,
    pub(super) key: Key<'t>,
}

pub(super) type Key<'t> = Spanned<Cow<'t, str>>;

impl<'t, 'e> Reader<'t, 'e> {
    pub(super) fn new(source: Source<'t>, events: &'e [Event], errors: Errors) -> Self {
        Reader {
            source,
            events,
            dots: 0,
            errors,
        }
    }

    pub(super) fn next(&mut self) -> Option<&'e Event> {
        let (first, rest) = self.events.split_first()?;
        self.events = rest;
        Some(first)
    }

    pub(super) fn skip_whitespace(&mut self) {
        if self.kind(0) == Some(EventKind::Whitespace) {
            self.next();
        }
    }

    /// The kind of the event that comes after this number of others.
    fn kind(&self, others: usize) -> Option<EventKind> {
        self.events.get(others).map(Event::kind)
    }

    /// Reads the rest of a key that begins with this event. The result is `None` if it has too many
    /// dots.
    pub(super) fn path(&mut self, first: &Event) -> Option<Path<'t>> {
        let mut parents = Vec::new();
        let mut key = self.key(first);
        while self.dot_follows() {
            while let Some(event) = self.next() {
                if event.kind() == EventKind::SimpleKey {
                    parents.push(std::mem::replace(&mut key, self.key(event)));
                    break;
                }
            }
        }
        if self.dots + parents.len() >= DEEPEST {
            self.errors.report_at_end("recursion limit");
            return None;
        }
        Some(Path { parents, key })
    }

    fn dot_follows(&self) -> bool {
        let whitespace = usize::from(self.kind(0) == Some(EventKind::Whitespace));
        self.kind(whitespace) == Some(EventKind::KeySep)
    }

    fn key(&mut self, event: &Event) -> Key<'t> {
        let mut key = Cow::default();
        let raw = self.source.get(event).expect("events lie in the text");
        raw.decode_key(&mut key, &mut self.errors);
        Spanned::new(key, span(event.span()))
    }

    /// Reads the value of this key.
    pub(super) fn value(&mut self, path: &Path<'t>) -> Value<'t> {
        let event = self.next();
        let value = event.and_then(|event| self.value_of(path, event));
        // A missing value is an error that was reported. The key is there, and must not come again.
        value.unwrap_or_else(|| Spanned::new(TomlValue::Integer(Ok(0)), Span::default()))
    }

    /// Reads the value of this key that begins with this event, if one does.
    fn value_of(&mut self, path: &Path<'t>, event: &Event) -> Option<Value<'t>> {
        self.dots += path.parents.len();
        let value = self.value_at(event);
        self.dots -= path.parents.len();
        value
    }

    /// Reads the value that begins with this event, if one does.
    fn value_at(&mut self, event: &Event) -> Option<Value<'t>> {
        match event.kind() {
            EventKind::Scalar => Some(self.scalar(event)),
            EventKind::ArrayOpen => Some(self.array(event)),
            EventKind::InlineTableOpen => Some(self.inline_table(event)),
            _ => None,
        }
    }

    fn scalar(&mut self, event: &Event) -> Value<'t> {
        let place = span(event.span());
        let mut text = Cow::default();
        let raw = self.source.get(event).expect("events lie in the text");
        let value = match raw.decode_scalar(&mut text, &mut self.errors) {
            ScalarKind::String => TomlValue::String(text),
            ScalarKind::Boolean(value) => TomlValue::Boolean(value),
            ScalarKind::Float => TomlValue::Float(text.parse().unwrap_or(f64::NAN)),
            ScalarKind::Integer(radix) => TomlValue::Integer(integer(&text, radix)),
            ScalarKind::DateTime => {
                if let Err(problem) = date::check(&text) {
                    self.errors.report(place, problem);
                }
                TomlValue::Date
            }
        };
        Spanned::new(value, place)
    }

    fn array(&mut self, open: &Event) -> Value<'t> {
        let mut place = span(open.span());
        let mut items = Vec::new();
        while let Some(event) = self.next() {
            place.end = event.span().end();
            if let Some(value) = self.value_at(event) {
                items.push(value);
            } else if !matches!(
                event.kind(),
                EventKind::ValueSep
                    | EventKind::Whitespace
                    | EventKind::Comment
                    | EventKind::Newline
                    | EventKind::Error
            ) {
                break;
            }
        }
        Spanned::new(TomlValue::Array(items), place)
    }

    fn inline_table(&mut self, open: &Event) -> Value<'t> {
        let mut place = span(open.span());
        let mut table = Entries::of(Form::Inline);
        let mut path = None;
        let mut value = None;
        while let Some(event) = self.next() {
            place.end = event.span().end();
            match event.kind() {
                EventKind::SimpleKey => path = self.path(event).or(path),
                EventKind::Scalar | EventKind::ArrayOpen | EventKind::InlineTableOpen => {
                    value = match &path {
                        Some(path) => self.value_of(path, event),
                        None => self.value_at(event),
                    };
                }
                EventKind::ValueSep | EventKind::InlineTableClose => {
                    if let (Some(path), Some(value)) = (path.take(), value.take()) {
                        table.define(path, value, Form::DottedInline, &mut self.errors);
                    }
                    if event.kind() == EventKind::InlineTableClose {
                        break;
                    }
                }
                EventKind::KeyValSep
                | EventKind::Whitespace
                | EventKind::Comment
                | EventKind::Newline
                | EventKind::Error => {}
                _ => break,
            }
        }
        Spanned::new(TomlValue::Table(table), place)
    }
}

/// The value of an integer whose digits these are, or the digits with their prefix.
fn integer(digits: &str, radix: IntegerRadix) -> Result<i64, String> {
    let prefix = match radix {
        IntegerRadix::Dec => "",
        IntegerRadix::Hex => "0x",
        IntegerRadix::Oct => "0o",
        IntegerRadix::Bin => "0b",
    };
    i64::from_str_radix(digits, radix.value()).map_err(|_| format!("{prefix}{digits}"))
}
