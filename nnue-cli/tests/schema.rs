//! `nnue schema`, and the line from which editors find it in what the command writes.

use std::fs;

use nnue_compiler::schema::URL;

use crate::golden;
use crate::program::output;

#[test]
fn the_schemas_are_those_of_the_repository() {
    let of_specs = fs::read_to_string(golden::path("../specs/spec.schema.json")).expect("is there");
    assert!(output(&["schema"]) == of_specs && output(&["schema", "spec"]) == of_specs);
    let of_runs = golden::path("../examples/loops/run.schema.json");
    golden::compare(&of_runs, &output(&["schema", "run"]))
        .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn specs_that_are_written_name_it() {
    let line = format!("#:schema {URL}\n");
    let known = output(&["spec", "../examples/nets/nn-37f18f62d772.nnue"]);
    assert!(
        known.starts_with(&line) && known.matches("#:schema").count() == 1,
        "{known}"
    );
    let whole = output(&["check", "../specs/bullet/input_buckets.toml"]);
    assert!(whole.contains(&format!("\n\n{line}")), "{whole}");
}
