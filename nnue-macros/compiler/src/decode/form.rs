//! Which values a decoder accepts: what JSON Schemas of specs are made of.
//!
//! A decoder is explored: it is run on a value of each type, with diagnostics that note what the
//! functions of [`table`](super::table) were asked for. So there is no list of keys besides the
//! decoders.

use std::sync::LazyLock;

use toml::de::DeTable;

use super::table::Value;
use crate::diagnostics::Diagnostics;
use crate::spec::documented::About;

/// The form of a value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Form {
    /// Any text.
    Text,
    /// One of these texts.
    Names(Vec<String>),
    /// An integer.
    Integer,
    /// An integer or a float.
    Number,
    /// `true` or `false`.
    Boolean,
    /// An array whose items have one of these forms.
    Array(Vec<Form>),
    /// A table.
    Table(TableForm),
    /// A value that a decoder accepts without asking a function of `table`: a mistake in the
    /// decoder, which a test finds.
    Unknown,
}

/// The keys of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TableForm {
    /// The keys that the table always has.
    pub(crate) keys: Vec<KeyForm>,
    /// The keys that depend on the value of another.
    pub(crate) choices: Vec<Choice>,
    /// Keys on whose presence it depends which other keys there are.
    pub(crate) forks: Vec<&'static str>,
}

/// A key of a table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KeyForm {
    pub(crate) name: &'static str,
    /// What the struct says that the key is read into. A test asks that it says something.
    pub(crate) about: Option<&'static About>,
    /// How a key is written that must be there.
    pub(crate) example: Option<String>,
    /// The values that it can have.
    pub(crate) forms: Vec<Form>,
}

/// The keys that go with one value of a key.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Choice {
    pub(crate) key: &'static str,
    /// The value; empty for a list of values.
    pub(crate) name: &'static str,
    pub(crate) keys: Vec<KeyForm>,
}

/// A value of each type that decoders tell apart.
static VALUES: LazyLock<DeTable<'static>> = LazyLock::new(|| {
    let text = "a = \"\"\nb = 0\nc = 0.0\nd = false\ne = []\nf = [[]]\ng = {}\nh = 2000-01-01";
    DeTable::parse_recoverable(text).0.into_inner()
});

/// The forms of the values that `decode` accepts for `key`.
pub(crate) fn forms_of<'t, T>(
    key: &str,
    decode: &impl Fn(&str, &'t Value<'t>, &mut Diagnostics) -> Option<T>,
) -> Vec<Form> {
    let mut forms = Vec::new();
    for value in VALUES.values() {
        let mut assumed = vec![None];
        let mut index = 0;
        while let Some(key_of_table) = assumed.get(index) {
            let mut diagnostics = Diagnostics::exploring(*key_of_table);
            let accepted = decode(key, value, &mut diagnostics).is_some();
            let found = diagnostics.explored();
            if found.is_empty() && accepted {
                forms.push(Form::Unknown);
            }
            for form in found {
                if let Form::Table(table) = &form {
                    let forks = table.forks.iter().map(|fork| Some(*fork));
                    let new: Vec<_> = forks.filter(|fork| !assumed.contains(fork)).collect();
                    assumed.extend(new);
                }
                if !forms.contains(&form) {
                    forms.push(form);
                }
            }
            index += 1;
        }
    }
    forms
}
