//! Networks as libraries of C: programs in C++ that are linked with them evaluate as Rust does, and
//! sanitizers find nothing.
//!
//! What the functions refuse, and what the header declares, is tested in `nnue-runtime/capi/tests`.

mod compiler;
mod lines;
mod page;

use std::path::{Path, PathBuf};
use std::process::Command;

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_test_support::fixtures::run;
use nnue_tools::export::library::{Kinds, Library, NEEDED, Weights, libraries};
use nnue_tools::measure::project::Project;

/// A folder for what tests make.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c").join(name);
    std::fs::create_dir_all(&folder).expect("the folder for tests is writable");
    folder
}

/// Builds the libraries of a spec and writes them and the header into a folder.
fn build(spec: &str, name: &str, weights: Option<Weights>, out: &Path) {
    let path = project().join(spec);
    let text = std::fs::read_to_string(path).expect("the spec is there");
    let network = analyse(&SourceFile::new(spec, text.clone())).expect("it has no errors");
    let library = Library::new(&text, &network, name, weights).expect("it can be a library");
    let needed = Project::new(Some(&project()), &NEEDED).expect("the project is there");
    let workspace = libraries(&scratch("cache"), needed).expect("the folder is writable");
    let built = library.build(&workspace, Kinds::Both, out, |_| {});
    built.expect("it compiles");
}

/// The folder of the project.
fn project() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    folder.canonicalize().expect("the project has a folder")
}

/// The output of a program that reads a text, which is kept in a folder of the test's own.
fn answer(program: &mut Command, input: &str, folder: &Path) -> String {
    let file = folder.join("lines.txt");
    std::fs::write(&file, input).expect("the folder is writable");
    run(program.stdin(std::fs::File::open(file).expect("it was written")))
}
