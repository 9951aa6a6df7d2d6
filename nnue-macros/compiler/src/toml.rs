//! The TOML of specs: a tree of tables and values, each with its place in the text.
//!
//! The crate toml_parser splits a text into keys and values and confirms that each is spelt right;
//! the files below this one put them into tables and confirm that nothing is defined twice. The
//! crate toml does the same, but every user of the macro would compile it and two crates that it
//! needs. A test compares both.

mod date;
mod document;
mod errors;
mod reader;

#[cfg(test)]
mod comparison;

use std::borrow::Cow;
use std::collections::BTreeMap;

use toml_parser::Source;
use toml_parser::parser::{RecursionGuard, ValidateWhitespace, parse_document};

use crate::diagnostics::{Span, Spanned};
use errors::Errors;
use reader::Reader;

/// The deepest nesting of arrays and inline tables, and the most dots in a key together with the
/// keys around it. Values are read and dropped by recursion, so there must be a limit.
const DEEPEST: usize = 80;

/// A value, and its place in the text.
pub(crate) type Value<'t> = Spanned<TomlValue<'t>>;

#[derive(Clone, Debug)]
pub(crate) enum TomlValue<'t> {
    String(Cow<'t, str>),
    /// An integer, or the digits of one that does not fit in 64 bits.
    Integer(Result<i64, String>),
    Float(f64),
    Boolean(bool),
    /// A date, a time, or both. No key of a spec has one, so what it says is not kept.
    Date,
    Array(Vec<Value<'t>>),
    Table(Entries<'t>),
}

/// The keys of a table and their values, in the order of the keys' names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entries<'t> {
    by_key: BTreeMap<Cow<'t, str>, Entry<'t>>,
    form: Form,
}

/// What a table holds under a key.
#[derive(Clone, Debug)]
pub(crate) struct Entry<'t> {
    /// The place of the key.
    pub(crate) key: Span,
    pub(crate) value: Value<'t>,
}

/// How a table is written. This decides what the rest of the text may add to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Form {
    /// Under a header of its own. The whole text is such a table too.
    #[default]
    Header,
    /// In the headers of other tables, as `a` in `[a.b]`.
    Implied,
    /// In dotted keys, as `a` in `a.b = 1`.
    Dotted,
    /// In braces.
    Inline,
    /// In dotted keys in braces.
    DottedInline,
}

impl<'t> Entries<'t> {
    pub(crate) fn get(&self, key: &str) -> Option<&Value<'t>> {
        self.by_key.get(key).map(|entry| &entry.value)
    }

    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Value<'t>> {
        self.by_key.get_mut(key).map(|entry| &mut entry.value)
    }

    pub(crate) fn contains_key(&self, key: &str) -> bool {
        self.by_key.contains_key(key)
    }

    /// The keys with their places.
    pub(crate) fn keys(&self) -> impl Iterator<Item = (&str, Span)> {
        let entries = self.by_key.iter();
        entries.map(|(key, entry)| (key.as_ref(), entry.key))
    }

    pub(crate) fn insert(&mut self, key: Cow<'t, str>, entry: Entry<'t>) {
        self.by_key.insert(key, entry);
    }

    pub(crate) fn remove(&mut self, key: &str) {
        self.by_key.remove(key);
    }
}

impl<'t> IntoIterator for Entries<'t> {
    type Item = (Cow<'t, str>, Entry<'t>);
    type IntoIter = std::collections::btree_map::IntoIter<Cow<'t, str>, Entry<'t>>;

    fn into_iter(self) -> Self::IntoIter {
        self.by_key.into_iter()
    }
}

/// Reads a text. The second result is what is wrong with it, in no order; the table is complete
/// only if nothing is wrong.
pub(crate) fn read(text: &str) -> (Entries<'_>, Vec<Spanned<String>>) {
    let source = Source::new(text);
    let tokens = source.lex().into_vec();
    let mut events = Vec::with_capacity(tokens.len());
    let mut errors = Errors::new(text);
    let mut receiver = ValidateWhitespace::new(&mut events, source);
    let mut receiver = RecursionGuard::new(&mut receiver, DEEPEST as u32);
    parse_document(&tokens, &mut receiver, &mut errors);
    let mut reader = Reader::new(source, &events, errors);
    let root = document::read(&mut reader);
    (root, reader.errors.found)
}
