//! The compiler accepts every spec in `specs/` and its folders, and `docs/networks.md` names all
//! specs of networks that exist.

use std::fs;
use std::path::{Path, PathBuf};

use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::{analyse, known_specs};

use crate::golden;

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs")
}

/// The paths of all specs in a folder and in the folders in it, sorted.
pub(crate) fn specs_in(folder: &Path) -> Vec<PathBuf> {
    let mut specs = Vec::new();
    for entry in fs::read_dir(folder).expect("specs can be listed") {
        let path = entry.expect("specs can be listed").path();
        if path.is_dir() {
            specs.extend(specs_in(&path));
        } else if path.extension().is_some_and(|kind| kind == "toml") {
            specs.push(path);
        }
    }
    specs.sort();
    specs
}

#[test]
fn every_spec_is_accepted() {
    let specs = specs_in(&folder());
    let mut refused = Vec::new();
    for path in &specs {
        let text = fs::read_to_string(path).expect("specs can be read");
        let name = path.display().to_string();
        if let Err(errors) = analyse(&SourceFile::new(name, text)) {
            refused.push(errors.to_string());
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    assert!(specs.len() > 60, "{} specs found", specs.len());
}

/// Numbers of a spec that nobody can look up are worth little.
#[test]
fn specs_of_engines_name_their_source() {
    for path in specs_in(&folder().join("engines")) {
        let text = fs::read_to_string(&path).expect("specs can be read");
        let comment = text.lines().take_while(|line| line.starts_with('#'));
        let comment: Vec<&str> = comment
            .map(|line| line.trim_start_matches(['#', ' ']))
            .collect();
        let comment = comment.join(" ");
        for part in ["Source: github.com/", "commit "] {
            assert!(comment.contains(part), "{}: no `{part}`", path.display());
        }
    }
}

#[test]
fn the_page_of_known_networks_names_every_network() {
    let page = fs::read_to_string(folder().join("../docs/networks.md")).expect("there is a page");
    for path in specs_in(&folder()) {
        let spec = path
            .strip_prefix(folder())
            .expect("specs are in the folder");
        // These networks exist only in tests and measurements.
        if spec.starts_with("seed") || spec.starts_with("vocabulary") {
            continue;
        }
        let spec = spec.display().to_string().replace('\\', "/");
        let link = format!("](../specs/{spec})");
        assert!(page.contains(&link), "docs/networks.md has no `{link}`");
    }
}

/// They are files, not links, which an engine that is unpacked from an archive might not have.
#[test]
fn the_compiler_has_copies_of_the_specs_that_other_specs_name() {
    let mut number = 0;
    for (name, _) in known_specs() {
        let copy = golden::path(&format!("known/{name}.toml"));
        let kind = fs::symlink_metadata(&copy).expect("there is a copy");
        assert!(kind.is_file(), "{} is no file", copy.display());
        let spec = fs::read_to_string(folder().join(format!("{name}.toml")));
        let spec = spec.expect("specs can be read");
        golden::compare(&copy, &spec).unwrap_or_else(|difference| panic!("{difference}"));
        number += 1;
    }
    let copies = fs::read_dir(golden::path("known")).expect("copies can be listed");
    assert_eq!(copies.count(), number);
}
