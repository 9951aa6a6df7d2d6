//! The JSON Schema of specs: `specs/spec.schema.json` is what the decoders make, says something of
//! each key, allows every spec, and refuses only what the compiler refuses.

mod validator;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use nnue_compiler::diagnostics::{Diagnostics, SourceFile};
use nnue_compiler::schema::schema;
use nnue_compiler::{analyse, decode};
use serde_json::Value;

use crate::diagnostics::{bad_specs, spec_of};
use crate::golden;
use validator::{allows, json_of};

#[test]
fn the_repository_has_the_schema() {
    let path = golden::path("../../specs/spec.schema.json");
    golden::compare(&path, &schema()).unwrap_or_else(|difference| panic!("{difference}"));
}

/// A key that is decoded has a sentence in the documentation of the field that it is read into, and
/// a section of the reference.
#[test]
fn each_key_is_explained() {
    let mut keys = 0;
    each_property(&parsed(), "the spec", &mut |place, schema| {
        keys += 1;
        let said = schema["description"].as_str().unwrap_or_default();
        let sentences: Vec<&str> = match said.strip_prefix("- ") {
            Some(list) => list
                .split("\n- ")
                .filter_map(|line| line.split(": ").nth(1))
                .collect(),
            None => vec![said],
        };
        let starts = |sentence: &&str| sentence.starts_with(char::is_uppercase);
        assert!(
            sentences.iter().all(starts),
            "{place} has no documentation: {said:?}"
        );
        assert!(
            said.contains("[Reference](https://"),
            "{place} is not in the reference"
        );
        let has_form = ["type", "anyOf"]
            .iter()
            .any(|key| schema.get(key).is_some());
        assert!(has_form, "{place} is read in an unknown way");
        assert_ne!(
            schema.get("anyOf"),
            Some(&Value::Array(vec![])),
            "{place} has no values"
        );
    });
    assert!(keys > 100, "{keys}");
}

/// The links lead to sections that are there.
#[test]
fn the_sections_are_those_of_the_reference() {
    let page = fs::read_to_string(golden::path("../../docs/spec-language.md")).unwrap();
    let headings = page.lines().filter(|line| line.starts_with("##"));
    let headings: String = headings
        .map(|line| format!("{}\n", line.trim_start_matches(['#', ' '])))
        .collect();
    let path = golden::path("src/schema/sections.txt");
    golden::compare(&path, &headings).unwrap_or_else(|difference| panic!("{difference}"));
}

#[test]
fn all_specs_are_allowed() {
    let schema = parsed();
    let specs = specs();
    assert!(specs.len() > 200, "{}", specs.len());
    for (path, text) in specs {
        let spec = json_of(&text).unwrap_or_else(|| panic!("{} is no TOML", path.display()));
        assert!(allows(&schema, &spec), "{}", path.display());
    }
}

/// Wrong specs whose mistake the decoders find and the schema does not know, by a word of the error.
const UNKNOWN: &[&str] = &[
    // What texts say: formulas, references, axes, bytes, hidden characters.
    "formula",
    "index",
    "closing",
    "names no layer",
    "is not a layer's name",
    "is not an axis",
    "hexadecimal",
    "hidden character",
    // Which keys go together.
    "exactly one of",
    "beside `win`",
    "only allowed together",
    "either `value`",
    "stacks need `select`",
    "`[output]` needs `loss`",
    // What known networks and lists of functions have.
    "has no layer",
    "is changed twice",
    "several functions",
    "has no key `limit`",
    "has no key `outputs`",
    "the spec needs `output`",
    "`[[layer]]` needs `op`",
    // Numbers and lengths.
    "finite",
    "64 bits",
    "is empty",
    "functions, allowed",
];

/// What the decoders refuse, the schema refuses too: unknown keys, wrong types and names, keys that
/// are missing.
#[test]
fn the_schema_knows_what_decoders_refuse() {
    let schema = parsed();
    let (mut known, mut unknown, mut refused) = (0, Vec::new(), String::new());
    for path in bad_specs() {
        let text = spec_of(&fs::read_to_string(&path).unwrap());
        let mut found = Diagnostics::default();
        decode(&SourceFile::new("spec.toml", text.as_str()), &mut found);
        let spec = json_of(&text);
        if spec.as_ref().is_none_or(|spec| !allows(&schema, spec)) {
            let name = path
                .strip_prefix(golden::path("tests/diagnostics"))
                .unwrap();
            refused += &format!("{}\n", name.display());
        }
        let Some(spec) = spec.filter(|_| !found.is_empty()) else {
            continue;
        };
        let errors = analyse(&SourceFile::new("spec.toml", text)).unwrap_err();
        let messages = errors.found.iter().map(|error| error.message.as_str());
        let is_known = |message: &str| !UNKNOWN.iter().any(|word| message.contains(word));
        match allows(&schema, &spec) {
            false => known += 1,
            true if messages.clone().any(is_known) => {
                unknown.push((path, messages.map(String::from).collect::<Vec<_>>()));
            }
            true => {}
        }
    }
    assert!(unknown.is_empty(), "{unknown:#?}");
    assert!(known > 80, "{known}");
    // Tools for editors are compared with this list.
    let list = golden::path("tests/schema/refused.txt");
    golden::compare(&list, &refused).unwrap_or_else(|difference| panic!("{difference}"));
}

/// Numbers at the edges of the schema's ranges, in the places of a spec's numbers: the compiler
/// refuses what the schema refuses.
#[test]
fn ranges_are_those_of_the_compiler() {
    let schema = parsed();
    let mut edges = BTreeSet::new();
    each_property(&schema, "", &mut |_, schema| numbers_of(schema, &mut edges));
    let mut tried = BTreeSet::new();
    let mut refused = 0;
    for (path, text) in specs() {
        let mut table = String::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let place = start;
            start += line.len();
            if line.starts_with('[') {
                table = line.trim().to_string();
            }
            let Some((key, value)) = line.split_once(" = ") else {
                continue;
            };
            if key == "op" || key == "set" {
                table += value.trim();
            }
            let number = value.split('#').next().unwrap_or("").trim();
            if number.parse::<i64>().is_err() || !tried.insert(format!("{table}.{key}")) {
                continue;
            }
            let at = place + line.find(" = ").unwrap() + 3;
            for edge in &edges {
                let changed = [&text[..at], &edge.to_string(), &text[at + number.len()..]].concat();
                if !allows(&schema, &json_of(&changed).unwrap()) {
                    refused += 1;
                    let found = analyse(&SourceFile::new("spec.toml", changed));
                    let path = path.display();
                    assert!(found.is_err(), "{path}: {table} {key} = {edge} is right");
                }
            }
        }
    }
    assert!(
        tried.len() > 60 && refused > 500,
        "{} {refused}",
        tried.len()
    );
}

/// A key that is absent and a key with its default make the same network.
#[test]
fn defaults_are_those_of_the_compiler() {
    let schema = parsed();
    // A division by 1 is a division, with the same quotients.
    let by_one = "divide: Some(Divide { by: 1, rounding: Truncate })";
    let network = |text: &str| {
        let network = analyse(&SourceFile::new("spec.toml", text)).ok()?;
        Some(format!("{network:?}").replace(by_one, "divide: None"))
    };
    let mut wanted = BTreeSet::new();
    for (table, about) in schema["properties"].as_object().unwrap() {
        let about = about.get("items").unwrap_or(about);
        for (key, about) in about["properties"].as_object().into_iter().flatten() {
            // Heads have the keys of the output.
            let default = about.get("default").filter(|_| table != "head");
            let default = default.map(ToString::to_string);
            wanted.extend(default.map(|default| (table.clone(), key.clone(), default)));
        }
    }
    assert!(wanted.len() > 20, "{wanted:?}");
    let mut differences = Vec::new();
    for (path, text) in specs() {
        if wanted.is_empty() {
            break;
        }
        // What a known spec says of an absent key is no default of the language.
        let Some(network_of_spec) = network(&text).filter(|_| !text.contains("\nlike = ")) else {
            continue;
        };
        wanted.retain(|(table, key, default)| {
            let headers = [format!("[{table}]\n"), format!("[[{table}]]\n")];
            let places = headers.iter().flat_map(|header| {
                let places = text.match_indices(header.as_str());
                places.map(|(place, header)| place + header.len())
            });
            for place in places {
                let (before, behind) = text.split_at(place);
                let changed = network(&format!("{before}{key} = {default}\n{behind}"));
                if let Some(changed) = changed {
                    if changed != network_of_spec {
                        differences.push(format!("{}: {table}.{key}", path.display()));
                    }
                    return false;
                }
            }
            true
        });
    }
    assert!(differences.is_empty(), "{differences:?}");
    assert!(wanted.is_empty(), "no spec can have {wanted:?}");
}

fn parsed() -> Value {
    serde_json::from_str(&schema()).unwrap()
}

/// All specs of the repository that are right, each with its path.
fn specs() -> Vec<(PathBuf, String)> {
    fn add(folder: &Path, specs: &mut Vec<(PathBuf, String)>) {
        let mut paths: Vec<PathBuf> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                add(&path, specs);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "toml")
            {
                let text = fs::read_to_string(&path).unwrap();
                specs.push((path, text));
            }
        }
    }
    let mut specs = Vec::new();
    for folder in [
        "specs",
        "tests/specs",
        "tests/zoo/specs",
        "trainer/tests/specs",
    ] {
        add(&golden::path("../..").join(folder), &mut specs);
    }
    specs
}

/// Calls `each` with every key of a schema.
fn each_property(schema: &Value, place: &str, each: &mut dyn FnMut(&str, &Value)) {
    for (key, property) in schema["properties"].as_object().into_iter().flatten() {
        let place = format!("`{key}` of {place}");
        each(&place, property);
        each_property(property, &place, each);
    }
    for inner in ["items", "anyOf"] {
        match schema.get(inner) {
            Some(Value::Array(schemas)) => {
                schemas
                    .iter()
                    .for_each(|schema| each_property(schema, place, each));
            }
            Some(schema) => each_property(schema, place, each),
            None => {}
        }
    }
}

/// Adds the numbers at the edges of a schema's range, and those beside them.
fn numbers_of(schema: &Value, edges: &mut BTreeSet<i64>) {
    for bound in ["minimum", "maximum"] {
        let bound = schema.get(bound).and_then(Value::as_i64);
        edges.extend(
            bound
                .into_iter()
                .flat_map(|bound| [bound - 1, bound, bound + 1]),
        );
    }
    for inner in schema
        .get("anyOf")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        numbers_of(inner, edges);
    }
}
