//! What `nnue_net!` generates, formatted for people: `tests/expand/*.rs`. To keep them readable they show the part that
//! all instruction sets share and two of the five modules of kernels, the simplest and the fastest.

mod golden;
mod specs;

use nnue_compiler::plan::Unroll;
use nnue_compiler::{Options, analyse, emit};
use quote::quote;

/// Networks that have a golden: the one with the widest products, and the one whose file is compressed.
const NETWORKS: [&str; 2] = ["sfnnv5", "small128"];

/// Modules of kernels that goldens show.
const KERNELS: [&str; 2] = ["scalar", "avx512icl"];

#[test]
fn the_generated_code_is_what_was_reviewed() {
    let mut differences = Vec::new();
    for name in NETWORKS {
        let specs = specs::all();
        let spec = specs.iter().find(|spec| spec.path == name);
        let network = analyse(spec.expect("the spec is there")).expect("the spec is right");
        let options = Options {
            runtime: quote!(::nnue_runtime),
            unroll: Unroll::Auto,
            embedded: None,
        };
        let mut file: syn::File =
            syn::parse2(emit(&network, &options).expect("there is not too much of it"))
                .expect("the generated code is Rust");
        file.items.retain(|item| match item {
            syn::Item::Mod(module) => KERNELS.iter().any(|kernels| module.ident == kernels),
            _ => true,
        });
        let path = golden::path(&format!("tests/expand/{name}.rs"));
        differences.extend(golden::compare(&path, &prettyplease::unparse(&file)).err());
    }
    assert!(differences.is_empty(), "\n{}", differences.join("\n\n"));
}
