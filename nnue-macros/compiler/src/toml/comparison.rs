//! The tree and the errors are those of the crate toml: for every spec, for texts that are made of
//! specs, and for texts that are about TOML's rules.
//!
//! `NNUE_MUTANTS` sets how many texts of each kind are made.

mod corners;
#[path = "../../tests/mutator.rs"]
mod mutator;

use std::fs;
use std::ops::Range;
use std::path::Path;

use ::toml::Spanned as TomlSpanned;
use ::toml::de::{DeTable, DeValue};
use fastrand::Rng;

use super::{Entries, TomlValue, Value, read};
use corners::{ACCEPTED, LINES, REFUSED, TOKENS, WRONGLY_ACCEPTED};
use mutator::Mutator;

/// The number of texts of each kind, unless `NNUE_MUTANTS` is set.
const MUTANTS: u64 = 10_000;

fn mutants() -> std::ops::RangeInclusive<u64> {
    let number = std::env::var("NNUE_MUTANTS");
    1..=number.map_or(MUTANTS, |number| number.parse().expect("it is a number"))
}

/// The texts of every spec below the folders that hold some.
fn specs() -> Vec<String> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut texts = Vec::new();
    for folder in ["specs", "tests/specs", "nnue-macros/compiler/tests"] {
        add_specs(&project.join(folder), &mut texts);
    }
    assert!(texts.len() > 200, "only {} specs", texts.len());
    texts
}

fn add_specs(folder: &Path, texts: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("there are specs") {
        let path = entry.expect("specs can be listed").path();
        if path.is_dir() {
            add_specs(&path, texts);
        } else if path.extension().is_some_and(|kind| kind == "toml") {
            texts.push(fs::read_to_string(path).expect("specs can be read"));
        }
    }
}

/// Confirms that both read the same, and returns whether they accept the text.
fn compare(text: &str) -> bool {
    let (table, errors) = read(text);
    let (expected, expected_errors) = DeTable::parse_recoverable(text);
    let errors: Vec<(&str, Range<usize>)> = errors
        .iter()
        .map(|error| (error.value.as_str(), error.span.start..error.span.end))
        .collect();
    let end = text.len()..text.len();
    let expected_errors: Vec<(&str, Range<usize>)> = expected_errors
        .iter()
        .map(|error| (error.message(), error.span().unwrap_or(end.clone())))
        .collect();
    assert_eq!(errors, expected_errors, "{text}");
    if errors.is_empty() {
        same_tables(&table, expected.get_ref(), text);
    }
    errors.is_empty()
}

fn same_tables(found: &Entries<'_>, expected: &DeTable<'_>, text: &str) {
    assert_eq!(found.by_key.len(), expected.len(), "{text}");
    for (key, value) in expected {
        let name: &str = key.get_ref();
        let entry = found.by_key.get(name);
        let entry = entry.unwrap_or_else(|| panic!("no `{name}`:\n{text}"));
        assert_eq!(entry.key, key.span().into(), "`{name}`:\n{text}");
        same_values(&entry.value, value, text);
    }
}

fn same_values(found: &Value<'_>, expected: &TomlSpanned<DeValue<'_>>, text: &str) {
    assert_eq!(found.span, expected.span().into(), "{text}");
    match (&found.value, expected.get_ref()) {
        (TomlValue::String(found), DeValue::String(expected)) => assert_eq!(found, expected),
        (TomlValue::Integer(found), DeValue::Integer(expected)) => {
            let number = i64::from_str_radix(expected.as_str(), expected.radix());
            assert_eq!(*found, number.map_err(|_| expected.to_string()), "{text}");
        }
        (TomlValue::Float(found), DeValue::Float(expected)) => {
            let number: f64 = expected.as_str().parse().expect("floats are numbers");
            assert_eq!(found.to_bits(), number.to_bits(), "{text}");
        }
        (TomlValue::Boolean(found), DeValue::Boolean(expected)) => assert_eq!(found, expected),
        (TomlValue::Date, DeValue::Datetime(_)) => {}
        (TomlValue::Array(found), DeValue::Array(expected)) => {
            assert_eq!(found.len(), expected.len(), "{text}");
            for (found, expected) in found.iter().zip(expected) {
                same_values(found, expected, text);
            }
        }
        (TomlValue::Table(found), DeValue::Table(expected)) => same_tables(found, expected, text),
        (found, expected) => panic!("{found:?} is not {expected:?}:\n{text}"),
    }
}

#[test]
fn specs_are_read_alike() {
    let specs = specs();
    let accepted = specs.iter().filter(|text| compare(text)).count();
    assert!(accepted > 200, "only {accepted} specs are accepted");
    // Every beginning of a text is a text that lacks something.
    for text in specs.iter().filter(|text| text.len() < 2000).step_by(50) {
        for (end, _) in text.char_indices() {
            compare(&text[..end]);
        }
    }
}

#[test]
fn mutated_specs_are_read_alike() {
    let specs = specs();
    for seed in mutants() {
        compare(&Mutator::new(seed, &specs).mutant());
    }
}

#[test]
fn corner_cases_are_read_alike() {
    let refused: Vec<_> = ACCEPTED.iter().filter(|text| !compare(text)).collect();
    assert!(refused.is_empty(), "refused: {refused:#?}");
    let accepted: Vec<_> = REFUSED.iter().filter(|text| compare(text)).collect();
    assert!(accepted.is_empty(), "accepted: {accepted:#?}");
    assert!(WRONGLY_ACCEPTED.iter().all(|text| compare(text)));
    for text in LINES.iter().chain(ACCEPTED).chain(REFUSED) {
        for (end, _) in text.char_indices() {
            compare(&text[..end]);
            compare(&text[end..]);
        }
    }
}

/// Tables and keys that have little to do with each other show what may follow what.
#[test]
fn mixed_lines_are_read_alike() {
    let mut accepted = 0;
    for seed in mutants() {
        let mut random = Rng::with_seed(seed);
        let lines: Vec<&str> = (0..random.usize(2..9))
            .map(|_| LINES[random.usize(..LINES.len())])
            .collect();
        accepted += u64::from(compare(&lines.join("\n")));
    }
    let all = *mutants().end();
    assert!(accepted > all / 50, "{accepted} of {all} are accepted");
}

#[test]
fn mixed_tokens_are_read_alike() {
    for seed in mutants() {
        let mut random = Rng::with_seed(seed);
        let text: String = (0..random.usize(1..24))
            .map(|_| TOKENS[random.usize(..TOKENS.len())])
            .collect();
        compare(&text);
    }
}

#[test]
fn nesting_has_a_limit() {
    for (depth, is_accepted) in [(80, true), (81, false), (100_000, false)] {
        let nested =
            |open: &str, close: &str| format!("a = {}1{}", open.repeat(depth), close.repeat(depth));
        let path = format!("{}a", "a.".repeat(depth));
        let texts = [
            nested("[", "]"),
            nested("{ a = ", " }"),
            // The first kind of bracket takes half of the depth.
            nested("[{ a = ", " }]")
                .replacen("[{ a = ", "", depth / 2)
                .replacen(" }]", "", depth / 2),
        ];
        for text in texts {
            assert_eq!(compare(&text), is_accepted, "depth {depth}");
        }
        // The last key of a path is not counted.
        for text in [
            format!("{path} = 1"),
            format!("[{path}]"),
            format!("[[{path}]]"),
        ] {
            assert_eq!(compare(&text), depth < 80, "depth {depth}");
        }
        compare(&format!("a = {}", "[".repeat(depth)));
        compare(&format!("a = {}", "{ a = ".repeat(depth)));
    }
}

/// The crate toml takes dotted keys in each of the inline tables, and so makes trees of 6,400 tables
/// in each other. To drop such a tree takes megabytes of stack.
#[test]
fn trees_are_not_deeper_than_the_stack() {
    let nested = |open: &str| format!("{}b = 1{}", open.repeat(79), " }".repeat(79));
    let path = "a.".repeat(79);
    let deepest = format!("{path}a = {{ {} }}", nested("a = { "));
    assert!(compare(&deepest));
    assert!(compare(&format!("[{path}a]\n{deepest}")));
    for deeper in [
        format!("{path}a = {{ {} }}", nested("a.a = { ")),
        nested(&format!("{path}a = {{ ")),
    ] {
        let (_, errors) = read(&deeper);
        assert!(errors.iter().all(|error| error.value == "recursion limit"));
        assert!(!errors.is_empty());
    }
}
