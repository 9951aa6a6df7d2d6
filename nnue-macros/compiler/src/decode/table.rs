//! Reads a TOML table key by key and remembers which keys were asked for. Keys that nobody asked
//! for can then be reported together with those that are allowed.

use nnue_format::is_hidden;
use toml::de::{DeTable, DeValue};

use super::form::{Choice, Form, KeyForm, TableForm, forms_of};
use crate::diagnostics::{Diagnostic, Diagnostics, Span, Spanned, all, list, nearest};
use crate::spec::documented::About;
use crate::spec::formula;
use crate::spec::named::Named;

/// A value, and its place in the text.
pub(crate) type Value<'t> = toml::Spanned<DeValue<'t>>;

/// A table, and the keys of it that were asked for.
pub(crate) struct Table<'t> {
    entries: &'t DeTable<'t>,
    /// The place of the table's header, or of the table itself where it is written inline.
    pub(crate) span: Span,
    title: String,
    asked: Vec<&'static str>,
    elsewhere: &'static [(&'static str, &'static str)],
    /// What is said of the keys; a later list goes before an earlier one.
    about: Vec<&'static [About]>,
    /// The keys that were asked for, where a decoder is explored.
    form: TableForm,
}

impl<'t> Table<'t> {
    pub(crate) fn new(entries: &'t DeTable<'t>, span: Span, title: impl Into<String>) -> Table<'t> {
        Table {
            entries,
            span,
            title: title.into(),
            asked: Vec::new(),
            elsewhere: &[],
            about: Vec::new(),
            form: TableForm::default(),
        }
    }

    /// Says what the keys mean that are read from here on, until [`Table::undescribed`].
    pub(crate) fn described(&mut self, about: &'static [About]) {
        self.about.push(about);
    }

    pub(crate) fn undescribed(&mut self) {
        self.about.pop();
    }

    /// Notes the form of a key where a decoder is explored.
    fn explore<T>(
        &mut self,
        key: &'static str,
        example: Option<&str>,
        decode: &impl Fn(&str, &'t Value<'t>, &mut Diagnostics) -> Option<T>,
        diagnostics: &Diagnostics,
    ) {
        if !diagnostics.explores() {
            return;
        }
        let mut about = self.about.iter().rev().flat_map(|list| list.iter());
        self.form.keys.push(KeyForm {
            name: key,
            about: about.find(|about| about.key() == key),
            example: example.map(str::to_string),
            forms: forms_of(key, decode),
        });
    }

    /// The value of an optional key.
    fn optional(&mut self, key: &'static str) -> Option<&'t Value<'t>> {
        if !self.asked.contains(&key) {
            self.asked.push(key);
        }
        self.entries.get(key)
    }

    /// The value of an optional key, decoded by `decode`. The outer `None` means that the key is
    /// there and its value is wrong.
    pub(crate) fn optional_with<T>(
        &mut self,
        key: &'static str,
        decode: impl Fn(&str, &'t Value<'t>, &mut Diagnostics) -> Option<T>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Option<T>> {
        self.explore(key, None, &decode, diagnostics);
        match self.optional(key) {
            Some(value) => decode(key, value, diagnostics).map(Some),
            None => Some(None),
        }
    }

    /// Sets the help for keys that do not belong to this table but that users try: for each key,
    /// how to write what they mean.
    pub(crate) fn elsewhere(&mut self, keys: &'static [(&'static str, &'static str)]) {
        self.elsewhere = keys;
    }

    /// Whether the table has a key that decides which other keys there are. It is read like others.
    pub(crate) fn has(&mut self, key: &'static str, diagnostics: &Diagnostics) -> bool {
        if diagnostics.explores() {
            self.form.forks.push(key);
        }
        self.optional(key).is_some() || diagnostics.assumes(key)
    }

    /// Reads the keys that depend on the value of `key`. If that is unknown, the keys of all its
    /// values are accepted, and the inner result is `None`.
    pub(crate) fn choice<C, T>(
        &mut self,
        key: &'static str,
        chosen: Option<C>,
        all: impl Iterator<Item = (&'static str, C)>,
        decode: impl Fn(C, &mut Table<'t>, &mut Diagnostics) -> Option<T>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Option<T>> {
        if let Some(chosen) = chosen {
            return decode(chosen, self, diagnostics).map(Some);
        }
        let mut discarded = diagnostics.discarded();
        for (name, each) in all {
            let before = self.form.keys.len();
            decode(each, self, &mut discarded);
            let keys = self.form.keys.split_off(before);
            if diagnostics.explores() {
                self.form.choices.push(Choice { key, name, keys });
            }
        }
        Some(None)
    }

    /// The value of a key that must be there; `example` shows how it is written.
    fn required(
        &mut self,
        key: &'static str,
        example: &str,
        diagnostics: &mut Diagnostics,
    ) -> Option<&'t Value<'t>> {
        let value = self.optional(key);
        if value.is_none() {
            // An unknown key that is spelt almost like the required key is reported as a
            // misspelling of it.
            let misspelt = self.entries.keys().any(|found| {
                let found: &str = found.get_ref();
                !self.asked.contains(&found) && nearest(found, [key]).is_some()
            });
            if !misspelt {
                diagnostics
                    .error(self.span, format!("{} needs `{key}`", self.title))
                    .help(if example.starts_with('[') {
                        format!("write `{example}`")
                    } else {
                        format!("for example `{example}`")
                    });
            }
        }
        value
    }

    /// The value of a key that must be there, decoded by `decode`; `example` shows how the value is
    /// written.
    pub(crate) fn required_with<T>(
        &mut self,
        key: &'static str,
        example: &str,
        decode: impl Fn(&str, &'t Value<'t>, &mut Diagnostics) -> Option<T>,
        diagnostics: &mut Diagnostics,
    ) -> Option<T> {
        let example = format!("{key} = {example}");
        self.required_as(key, &example, decode, diagnostics)
    }

    /// The value of a key that must be there, decoded by `decode`; `example` shows how key and value
    /// are written, or the header of a table.
    pub(crate) fn required_as<T>(
        &mut self,
        key: &'static str,
        example: &str,
        decode: impl Fn(&str, &'t Value<'t>, &mut Diagnostics) -> Option<T>,
        diagnostics: &mut Diagnostics,
    ) -> Option<T> {
        self.explore(key, Some(example), &decode, diagnostics);
        decode(key, self.required(key, example, diagnostics)?, diagnostics)
    }

    /// Reports the keys that nobody asked for. It is called when all keys were asked for.
    pub(crate) fn finish(self, diagnostics: &mut Diagnostics) {
        if diagnostics.explores() {
            return diagnostics.found(Form::Table(self.form));
        }
        for key in self.entries.keys() {
            let name: &str = key.get_ref();
            if self.asked.contains(&name) {
                continue;
            }
            let message = format!("{} has no key `{name}`", self.title);
            let asked = self.asked.iter().copied();
            let error = diagnostics.unknown(key.span().into(), message, name, asked);
            let elsewhere = self.elsewhere.iter().find(|(key, _)| *key == name);
            if let (None, Some((_, help))) = (&error.help, elsewhere) {
                error.help(*help);
            }
        }
    }
}

/// Reads the keys of a table into a struct whose fields have the same names. Each key is given with
/// the function that decodes it, and a required key also with an example of its value. Other fields
/// follow as expressions. Everything is read before a missing or wrong value makes the result
/// `None`, so that every mistake is reported.
macro_rules! keys {
    ($table:expr, $diagnostics:expr, $name:ident {
        $($key:ident: $decode:path $(= $example:literal)?),* $(,)?
        $(; $($field:ident: $value:expr,)*)?
    }) => {{
        $table.described($name::ABOUT);
        $(let $key = keys!(@read $table, $diagnostics, $key, $decode $(, $example)?);)*
        $($(let $field = $value;)*)?
        $table.undescribed();
        // `?` must leave only this function: the table is still to be finished.
        let all = || Some($name { $($key: $key?,)* $($($field: $field?,)*)? });
        all()
    }};
    (@read $table:expr, $diagnostics:expr, $key:ident, $decode:path) => {
        $table.optional_with(stringify!($key), $decode, $diagnostics)
    };
    (@read $table:expr, $diagnostics:expr, $key:ident, $decode:path, $example:literal) => {
        $table.required_with(stringify!($key), $example, $decode, $diagnostics)
    };
}

pub(crate) use keys;

/// The name that messages have for the type of a value.
fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}

/// Reports a value that does not have the expected type.
pub(crate) fn mismatch<'d>(
    key: &str,
    value: &Value<'_>,
    expected: &str,
    diagnostics: &'d mut Diagnostics,
) -> &'d mut Diagnostic {
    let found = kind(value.get_ref());
    let message = format!("`{key}` is {found}, expected {expected}");
    diagnostics.error(value.span().into(), message)
}

pub(crate) fn report_empty(key: &str, value: &Value<'_>, diagnostics: &mut Diagnostics) {
    let message = format!("`{key}` is empty, expected at least one");
    diagnostics.error(value.span().into(), message);
}

pub(crate) fn string(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<String>> {
    match value.get_ref() {
        DeValue::String(text) => {
            diagnostics.found(Form::Text);
            Some(Spanned::new(text.to_string(), value.span()))
        }
        _ => {
            mismatch(key, value, "a string", diagnostics);
            None
        }
    }
}

/// Decodes a name. It is shown wherever the network is, so it has no hidden characters.
pub(crate) fn name(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<String>> {
    let name = string(key, value, diagnostics)?;
    let Err(message) = check_seen(key, &name.value) else {
        return Some(name);
    };
    diagnostics
        .error(name.span, message)
        .label("controls, marks of direction and characters without width are hidden")
        .help("remove it");
    None
}

/// Refuses the hidden characters that [`name`] reports.
pub(crate) fn check_seen(key: &str, name: &str) -> Result<(), String> {
    match name.chars().find(|letter| is_hidden(*letter)) {
        Some(hidden) => Err(format!(
            "`{key}` has the hidden character U+{:04X}, allowed are characters that are seen",
            u32::from(hidden)
        )),
        None => Ok(()),
    }
}

pub(crate) fn integer(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<i64>> {
    let DeValue::Integer(integer) = value.get_ref() else {
        mismatch(key, value, "an integer", diagnostics);
        return None;
    };
    diagnostics.found(Form::Integer);
    match i64::from_str_radix(integer.as_str(), integer.radix()) {
        Ok(number) => Some(Spanned::new(number, value.span())),
        Err(_) => {
            let message = format!("`{key}` is {integer}, which does not fit in 64 bits");
            diagnostics.error(value.span().into(), message);
            None
        }
    }
}

/// Decodes a number: an integer, a float, or a formula of numbers in quotes, for numbers that
/// neither can spell.
pub(crate) fn number(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<f64>> {
    let found = match value.get_ref() {
        DeValue::Integer(_) => integer(key, value, diagnostics)?.value as f64,
        DeValue::Float(number) => {
            diagnostics.found(Form::Number);
            number.as_str().parse().unwrap_or(f64::NAN)
        }
        DeValue::String(text) => match formula::number(text) {
            _ if diagnostics.explores() => {
                diagnostics.found(Form::Text);
                return None;
            }
            Ok(number) => number,
            Err(problem) => {
                diagnostics
                    .error(value.span().into(), format!("the formula {problem}"))
                    .help("write numbers, `+`, `-`, `*`, `/` and parentheses: `\"512 / (255 * 255 * 64)\"`");
                return None;
            }
        },
        _ => {
            mismatch(key, value, "a number", diagnostics);
            return None;
        }
    };
    if !found.is_finite() {
        let message = format!("`{key}` is {found}, expected a finite number");
        diagnostics.error(value.span().into(), message);
        return None;
    }
    Some(Spanned::new(found, value.span()))
}

pub(crate) fn boolean(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<bool>> {
    match value.get_ref() {
        DeValue::Boolean(flag) => {
            diagnostics.found(Form::Boolean);
            Some(Spanned::new(*flag, value.span()))
        }
        _ => {
            mismatch(key, value, "`true` or `false`", diagnostics);
            None
        }
    }
}

/// Decodes a name that `T` accepts.
pub(crate) fn named<T: Named>(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<T>> {
    one_of(T::NAMES, key, value, diagnostics)
}

/// Decodes a name of the list, as the value that it stands for.
pub(crate) fn one_of<T: Copy>(
    names: &[(&str, T)],
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<T>> {
    let allowed = names.iter().map(|(name, _)| *name);
    if !matches!(value.get_ref(), DeValue::String(_)) {
        mismatch(key, value, "a string", diagnostics).label(format!("allowed: {}", list(allowed)));
        return None;
    }
    if diagnostics.explores() {
        diagnostics.found(Form::Names(allowed.map(str::to_string).collect()));
        return None;
    }
    let text = string(key, value, diagnostics)?;
    if let Some((_, named)) = names.iter().find(|(name, _)| *name == text.value) {
        return Some(Spanned {
            value: *named,
            span: text.span,
        });
    }
    diagnostics.unknown_name(key, &text, allowed);
    None
}

/// Decodes an array whose items `decode` reads. All of them are read, so that every mistake is
/// reported.
pub(crate) fn array<'t, T>(
    key: &str,
    value: &'t Value<'t>,
    decode: impl Fn(&str, &'t Value<'t>, &mut Diagnostics) -> Option<T>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<Vec<T>>> {
    let DeValue::Array(items) = value.get_ref() else {
        mismatch(key, value, "an array", diagnostics);
        return None;
    };
    if diagnostics.explores() {
        diagnostics.found(Form::Array(forms_of(key, &decode)));
        return None;
    }
    let items = items.iter().enumerate();
    let items = items.map(|(index, item)| decode(&format!("{key}[{index}]"), item, diagnostics));
    Some(Spanned::new(all(items)?, value.span()))
}

/// Decodes an array whose items `decode` reads, or a single item without an array.
pub(crate) fn one_or_more<'t, T>(
    key: &str,
    value: &'t Value<'t>,
    decode: impl Fn(&str, &'t Value<'t>, &mut Diagnostics) -> Option<T>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<Vec<T>>> {
    match value.get_ref() {
        DeValue::Array(_) => array(key, value, decode, diagnostics),
        _ => Some(Spanned::new(
            vec![decode(key, value, diagnostics)?],
            value.span(),
        )),
    }
}

/// Decodes a list of names that `T` accepts.
pub(crate) fn names<T: Named>(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<Vec<Spanned<T>>>> {
    array(key, value, named, diagnostics)
}

/// Decodes a list of integers.
pub(crate) fn integers(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<Vec<Spanned<i64>>>> {
    array(key, value, integer, diagnostics)
}

/// Decodes a single integer or a list of integers.
pub(crate) fn integers_or_one(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<Vec<Spanned<i64>>>> {
    one_or_more(key, value, integer, diagnostics)
}

/// The table in braces of `key = { ... }`; `example` shows how it is written.
pub(crate) fn inline_table<'t>(
    key: &str,
    value: &'t Value<'t>,
    example: &str,
    diagnostics: &mut Diagnostics,
) -> Option<Table<'t>> {
    match value.get_ref() {
        DeValue::Table(entries) => {
            Some(Table::new(entries, value.span().into(), format!("`{key}`")))
        }
        _ => {
            mismatch(key, value, "a table", diagnostics).help(format!("for example `{example}`"));
            None
        }
    }
}
