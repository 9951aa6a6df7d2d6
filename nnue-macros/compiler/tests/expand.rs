//! What `nnue_net!` generates, formatted for people: `tests/expand/*.rs`. The fixture `expanded` of
//! the tests compiles these very files, with every lint.

use crate::golden;
use crate::specs;
use nnue_compiler::plan::Unroll;
use nnue_compiler::{Levels, Options, analyse, emit};

/// The networks that have a golden, with the largest number of lines that a reader may have to go
/// through: the network with the widest products; bullet's first network, whose layer reads no
/// memory but accumulators; and the network whose file is compressed, which is small enough to be
/// shown without a loop.
const NETWORKS: [(&str, Unroll, usize); 3] = [
    ("sfnnv5", Unroll::Auto, 3200),
    ("simple", Unroll::Auto, 2500),
    ("small128", Unroll::Full, 4000),
];

/// The architecture whose goldens are whole: the fixture is compiled for it.
const WHOLE: &str = "x86_64";

/// Only the kernels of these architectures are compared; all other code is the same.
const OTHERS: [&str; 2] = ["aarch64", "wasm32"];

#[test]
fn the_generated_code_is_what_was_reviewed() {
    let mut differences = Vec::new();
    for (name, unroll, most_lines) in NETWORKS {
        let text = prettyplease::unparse(&generated(name, unroll, WHOLE));
        let lines = text.lines().count();
        assert!(
            lines <= most_lines,
            "{name} has {lines} lines, allowed are {most_lines}"
        );
        let path = golden::path(&format!("tests/expand/{name}.rs"));
        differences.extend(golden::compare(&path, &text).err());
    }
    assert!(differences.is_empty(), "\n{}", differences.join("\n\n"));
}

#[test]
fn the_kernels_of_other_architectures_are_what_was_reviewed() {
    let mut differences = Vec::new();
    for arch in OTHERS {
        let mut file = generated("sfnnv5", Unroll::Auto, arch);
        file.items
            .retain(|item| matches!(item, syn::Item::Mod(module) if module.ident != "scalar"));
        let text = prettyplease::unparse(&file);
        let path = golden::path(&format!("tests/expand/sfnnv5.{arch}.rs"));
        differences.extend(golden::compare(&path, &text).err());
    }
    assert!(differences.is_empty(), "\n{}", differences.join("\n\n"));
}

/// The generated code for an architecture.
fn generated(name: &str, unroll: Unroll, arch: &'static str) -> syn::File {
    let mut specs = specs::all().into_iter().chain(specs::of("specs/bullet"));
    let spec = specs.find(|spec| spec.path == name);
    let network = analyse(&spec.expect("the spec is there")).expect("the spec is right");
    let options = Options::new(unroll, Levels::Of(arch));
    let code = emit(&network, &options).expect("there is not too much of it");
    syn::parse2(code).expect("the generated code is Rust")
}
