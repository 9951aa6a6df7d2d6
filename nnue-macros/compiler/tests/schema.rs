//! The JSON Schema of specs: `specs/spec.schema.json` is what the decoders make, and says something of
//! each key.

use std::fs;

use nnue_compiler::schema::schema;

use crate::golden;

#[test]
fn the_repository_has_the_schema() {
    let path = golden::path("../../specs/spec.schema.json");
    golden::compare(&path, &schema()).unwrap_or_else(|difference| panic!("{difference}"));
}

/// A key that is decoded has a sentence in the documentation of the field that it is read into, and
/// a section of the reference.
#[test]
fn each_key_is_explained() {
    let schema = schema();
    let mut descriptions = schema.split("\"description\": \"").skip(1);
    assert!(descriptions.clone().count() > 100);
    let nothing = descriptions.find(|rest| {
        let description = rest.split("\",\n").next().unwrap_or(rest);
        description.starts_with("\\n")
            || description.contains("`:  [")
            || !description.contains("[Reference](https://")
    });
    assert_eq!(nothing.and_then(|rest| rest.lines().next()), None);
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
