//! The JSON Schema of specs, from which editors know keys, names and ranges.
//!
//! It follows from the decoders, which are explored (`decode/form.rs`), and from the documentation of
//! the fields that they read. It is a schema of draft 7, the newest that Taplo knows. Which keys a
//! table has may depend on one of them: `if`, `then` and `else` say so exactly, and `properties` has
//! the keys of all cases, because editors complete and explain only these.

mod json;
mod sections;

use crate::decode::completes;
use crate::decode::form::{Form, KeyForm, TableForm};
use crate::spec::documented::About;
use json::Json;
use sections::Section;

/// The place of the schema in the repository's main branch, which specs elsewhere name in their
/// first line.
pub const URL: &str = concat!(
    env!("CARGO_PKG_REPOSITORY"),
    "/raw/main/specs/spec.schema.json"
);

/// The text of a spec with a first line from which editors find its schema, whatever its folder.
#[must_use]
pub fn with_schema(spec: &str) -> String {
    format!("#:schema {URL}\n{}", without_schema(spec))
}

/// The text of a spec without such a line.
#[must_use]
pub fn without_schema(spec: &str) -> &str {
    match spec.split_once('\n') {
        Some((first, others)) if first.starts_with("#:schema ") => others,
        _ => spec,
    }
}

/// The JSON Schema of specs.
#[must_use]
pub fn schema() -> String {
    let mut members = vec![
        (
            "$schema",
            Json::text("http://json-schema.org/draft-07/schema#"),
        ),
        ("$id", Json::text(URL)),
        ("title", Json::text("Description of an NNUE network")),
    ];
    let forms = crate::decode::form();
    let root = Object::of(&forms);
    members.extend(root.members(&Section::top()));
    members.extend(root.whole());
    format!("{}\n", Json::object(members))
}

/// The tables of one place: several if a key decides which keys there are.
struct Object<'f> {
    /// The keys that the table has in any case.
    common: Vec<&'f KeyForm>,
    /// The further keys, by what decides.
    cases: Vec<(Case, Vec<&'f KeyForm>)>,
}

/// What decides which keys there are.
#[derive(Clone, PartialEq)]
enum Case {
    /// The key is there.
    Has(&'static str),
    /// The key has one of these values; the empty text stands for a list of them.
    Is(&'static str, Vec<&'static str>),
    /// Nothing of that.
    Otherwise,
}

impl<'f> Object<'f> {
    /// The tables among these forms.
    fn of(forms: &'f [Form]) -> Object<'f> {
        let tables: Vec<&TableForm> = forms
            .iter()
            .filter_map(|form| match form {
                Form::Table(table) => Some(table),
                _ => None,
            })
            .collect();
        if let [table] = tables.as_slice() {
            return Object {
                common: table.keys.iter().collect(),
                cases: cases_of(table),
            };
        }
        // The first table has none of the keys that decide, and each other table has the last of
        // those that it was asked for.
        let cases = tables.iter().enumerate().map(|(index, table)| {
            let case = match table.forks.last() {
                Some(key) if index > 0 => Case::Has(key),
                _ => Case::Otherwise,
            };
            (case, table.keys.iter().collect())
        });
        let mut cases: Vec<_> = cases.collect();
        // What holds otherwise comes last.
        cases.rotate_left(tables.len().min(1));
        Object {
            common: Vec::new(),
            cases,
        }
    }

    /// The members of its schema.
    fn members(&self, section: &Section) -> Members {
        let mut names: Vec<&str> = Vec::new();
        for key in self.all_keys() {
            if !names.contains(&key.name) {
                names.push(key.name);
            }
        }
        let properties = names
            .iter()
            .map(|name| (*name, self.property(name, section)));
        let mut members = vec![
            ("type", Json::text("object")),
            ("properties", Json::object(properties)),
            ("additionalProperties", Json::Word("false".into())),
        ];
        members.extend(required(&self.common, |key| !section.completes(key)));
        members.extend(self.chain(&self.cases, section));
        members
    }

    fn all_keys(&self) -> impl Iterator<Item = &'f KeyForm> {
        let of_cases = self.cases.iter().flat_map(|(_, keys)| keys);
        self.common.iter().chain(of_cases).copied()
    }

    /// The schema of a key in all cases.
    fn property(&self, name: &str, section: &Section) -> Json {
        let of = |keys: &[&'f KeyForm]| keys.iter().find(|key| key.name == name).copied();
        let mut found: Vec<(Section, &KeyForm)> = Vec::new();
        found.extend(of(&self.common).map(|key| (section.key(None, key.name), key)));
        for (case, keys) in &self.cases {
            found.extend(of(keys).map(|key| (section.key(Some(case), key.name), key)));
        }
        let mut alternatives = Vec::new();
        for (section, key) in &found {
            for alternative in alternatives_of(&key.forms, key.about, section) {
                add(alternative, &mut alternatives);
            }
        }
        // The values of a key that decides are those that decide.
        for case in self.cases.iter().map(|(case, _)| case) {
            if matches!(case, Case::Is(key, _) if *key == name) {
                let is_text =
                    |form: &Members| form.as_slice() == [("type", Json::text("string"))].as_slice();
                if let Some(text) = alternatives.iter_mut().find(|form| is_text(form)) {
                    let names = self.cases.iter().flat_map(|(case, _)| match case {
                        Case::Is(_, names) => names.as_slice(),
                        _ => &[],
                    });
                    *text = names_of(names.copied());
                }
            }
        }
        let mut members = vec![("description", Json::text(description(&found)))];
        let default = found[0].1.about.and_then(|about| about.default);
        let default =
            default.filter(|_| found.iter().all(|(_, key)| key.about == found[0].1.about));
        members.extend(default.map(|default| ("default", Json::Word(default.into()))));
        members.extend(any_of(alternatives));
        Json::object(members)
    }

    /// What is allowed in each case.
    fn chain(&self, cases: &[(Case, Vec<&KeyForm>)], section: &Section) -> Members {
        let [(case, keys), others @ ..] = cases else {
            return Vec::new();
        };
        let condition = match case {
            Case::Has(key) => has(key),
            Case::Is(key, names) => {
                let value = match names.as_slice() {
                    [""] => vec![("type", Json::text("array"))],
                    names => vec![("enum", Json::texts(names.iter().copied()))],
                };
                let properties = Json::object([(*key, Json::object(value))]);
                with_others([
                    ("properties", properties),
                    ("required", Json::texts([*key])),
                ])
            }
            Case::Otherwise => return self.allowed(case, keys, section),
        };
        let then = Json::object(self.allowed(case, keys, section));
        let mut members = vec![("if", condition), ("then", then)];
        let others = self.chain(others, section);
        if !others.is_empty() {
            let is_last = others[0].0 != "if";
            let others = match is_last {
                true => Json::object(others),
                false => with_others(others),
            };
            members.push(("else", others));
        }
        members
    }

    /// What is allowed in one case: its keys, and those of all cases.
    fn allowed(&self, case: &Case, keys: &[&KeyForm], section: &Section) -> Members {
        let whatever = || Json::Word("true".into());
        let common = self.common.iter().map(|key| (key.name, whatever()));
        let own = keys.iter().map(|key| {
            let others = self.all_keys().filter(|other| other.name == key.name);
            let mut others =
                others.map(|other| (&other.forms, other.about.map(|about| about.range)));
            let same = (&key.forms, key.about.map(|about| about.range));
            if others.all(|other| other == same) {
                return (key.name, whatever());
            }
            let section = section.key(Some(case), key.name);
            let alternatives = alternatives_of(&key.forms, key.about, &section);
            (key.name, Json::object(any_of(alternatives)))
        });
        let mut members = vec![
            ("properties", Json::object(common.chain(own))),
            ("additionalProperties", Json::Word("false".into())),
        ];
        members.extend(required(keys, |_| true));
        members
    }

    /// What a spec must have that is like no other.
    fn whole(&self) -> [(&'static str, Json); 2] {
        let mut properties = Vec::new();
        for key in &self.common {
            let (items, forms) = match key.forms.as_slice() {
                [Form::Array(forms)] => (true, forms.as_slice()),
                forms => (false, forms),
            };
            let table = Object::of(forms);
            let Some(required) = required(&table.common, |own| completes(key.name, own)) else {
                continue;
            };
            let required = with_others([required]);
            let schema = match items {
                true => Json::object([("items", required)]),
                false => required,
            };
            properties.push((key.name, schema));
        }
        let mut whole = vec![("properties", Json::object(properties))];
        whole.extend(required(&self.common, |key| completes("", key)));
        [("if", has("like")), ("else", with_others(whole))]
    }
}

/// The schema of tables that have a key.
fn has(key: &str) -> Json {
    with_others([("required", Json::texts([key]))])
}

/// A schema that says something of a table, but not which keys there are. Tombi wants to be told.
fn with_others(members: impl IntoIterator<Item = (&'static str, Json)>) -> Json {
    let others = [("additionalProperties", Json::Word("true".into()))];
    Json::object(members.into_iter().chain(others))
}

/// The keys that depend on a value, those of the same keys together.
fn cases_of(table: &TableForm) -> Vec<(Case, Vec<&KeyForm>)> {
    let mut cases: Vec<(Case, Vec<&KeyForm>)> = Vec::new();
    for choice in &table.choices {
        let keys: Vec<&KeyForm> = choice.keys.iter().collect();
        let is_list = |case: &Case| matches!(case, Case::Is(_, names) if names == &[""]);
        if choice.name.is_empty() {
            // Each function of a list may have other keys.
            match cases.iter_mut().find(|(case, _)| is_list(case)) {
                Some((_, list)) => {
                    for key in keys {
                        if !list.iter().any(|other| other.name == key.name) {
                            list.push(key);
                        }
                    }
                }
                None => cases.push((Case::Is(choice.key, vec![""]), keys)),
            }
            continue;
        }
        match cases
            .iter_mut()
            .find(|(case, same)| *same == keys && !is_list(case))
        {
            Some((Case::Is(_, names), _)) => names.push(choice.name),
            _ => cases.push((Case::Is(choice.key, vec![choice.name]), keys)),
        }
    }
    cases
}

/// The member that names the keys that must be there.
fn required(keys: &[&KeyForm], which: impl Fn(&str) -> bool) -> Option<(&'static str, Json)> {
    let keys = keys.iter().filter(|key| key.example.is_some());
    let names: Vec<&str> = keys
        .map(|key| key.name)
        .filter(|name| which(name))
        .collect();
    (!names.is_empty()).then(|| ("required", Json::texts(names)))
}

/// The members of a schema.
type Members = Vec<(&'static str, Json)>;

/// The members of a schema of several alternatives. Where these are different types, it is a single
/// schema of them all: tools then say exactly what is wrong.
fn any_of(mut alternatives: Vec<Members>) -> Members {
    if alternatives.len() == 1 {
        return alternatives.remove(0);
    }
    let types = alternatives.iter().map(|members| &members[0].1);
    let mut types: Vec<Json> = types.cloned().collect();
    let are_different = (1..types.len()).all(|index| !types[..index].contains(&types[index]));
    let enumerated = |members: &Members| members.iter().any(|(key, _)| *key == "enum");
    if are_different && !alternatives.iter().any(enumerated) {
        types.sort_by_key(Json::to_string);
        let others = alternatives
            .into_iter()
            .flat_map(|members| members.into_iter().skip(1));
        return [("type", Json::list(types))]
            .into_iter()
            .chain(others)
            .collect();
    }
    let alternatives = alternatives.into_iter().map(Json::object);
    vec![("anyOf", Json::list(alternatives))]
}

/// Adds an alternative to others. The range of a number becomes one that has both.
fn add(alternative: Members, alternatives: &mut Vec<Members>) {
    if alternatives.contains(&alternative) {
        return;
    }
    let number = |members: &Members| match members.as_slice() {
        [(_, kind), (_, Json::Number(least)), (_, Json::Number(most))] => {
            Some((kind.clone(), *least, *most))
        }
        _ => None,
    };
    let Some((kind, least, most)) = number(&alternative) else {
        return alternatives.push(alternative);
    };
    let known = alternatives.iter_mut().find_map(|members| {
        let (own, from, to) = number(members)?;
        (own == kind).then_some((members, from, to))
    });
    match known {
        Some((members, from, to)) => {
            members[1].1 = Json::Number(least.min(from));
            members[2].1 = Json::Number(most.max(to));
        }
        None => alternatives.push(alternative),
    }
}

/// The members of the schema of each form.
fn alternatives_of(forms: &[Form], about: Option<&About>, section: &Section) -> Vec<Members> {
    let range = about.and_then(|about| about.range);
    let number = |name: &str| {
        let mut members = vec![("type", Json::text(name))];
        if let Some((least, most)) = range {
            let bounds = [("minimum", least), ("maximum", most)];
            members.extend(bounds.map(|(name, bound)| (name, Json::Number(bound))));
        }
        members
    };
    let has_numbers = forms.contains(&Form::Number);
    let mut alternatives = Vec::new();
    for form in forms {
        alternatives.push(match form {
            Form::Text => vec![("type", Json::text("string"))],
            Form::Names(names) => names_of(names.iter().map(String::as_str)),
            // A number may also be an integer.
            Form::Integer if has_numbers => continue,
            Form::Integer => number("integer"),
            Form::Number => number("number"),
            Form::Boolean => vec![("type", Json::text("boolean"))],
            Form::Array(items) => {
                let items = any_of(alternatives_of(items, about, section));
                vec![
                    ("type", Json::text("array")),
                    ("items", Json::object(items)),
                ]
            }
            Form::Table(_) | Form::Unknown => continue,
        });
    }
    // Editors propose the names first.
    alternatives.sort_by_key(|members| members.iter().all(|(key, _)| *key != "enum"));
    if forms.iter().any(|form| matches!(form, Form::Table(_))) {
        alternatives.push(Object::of(forms).members(section));
    }
    alternatives
}

fn names_of<'n>(names: impl IntoIterator<Item = &'n str>) -> Members {
    vec![("type", Json::text("string")), ("enum", Json::texts(names))]
}

/// What is said of a key: a sentence and a link to its section; a line for each meaning that it has
/// in several cases.
fn description(found: &[(Section, &KeyForm)]) -> String {
    let mut meanings: Vec<(String, Vec<String>, &Section)> = Vec::new();
    for (section, key) in found {
        let sentence = key.about.map(About::sentence).unwrap_or_default();
        match meanings.iter_mut().find(|(other, ..)| *other == sentence) {
            Some((_, cases, _)) => cases.extend(section.cases()),
            None => meanings.push((sentence, section.cases().collect(), section)),
        }
    }
    if let [(sentence, _, section)] = meanings.as_slice() {
        return format!("{sentence}\n\n{}", section.link());
    }
    let lines = meanings.iter().map(|(sentence, cases, section)| {
        format!("- {}: {sentence} {}", cases.join(", "), section.link())
    });
    lines.collect::<Vec<_>>().join("\n")
}
