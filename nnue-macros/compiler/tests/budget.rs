//! The amount of code that a network becomes. Code costs time in every build: rustc takes longer
//! for more tokens, and even longer for long straight-line code in one function.

use crate::specs;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::network::Layer;
use nnue_compiler::plan::Unroll;
use nnue_compiler::{Levels, Options, analyse, emit};
use proc_macro2::{TokenStream, TokenTree};

/// The largest number of tokens of a network with a sparse first layer, which is a loop; a quarter
/// more than the largest network needs. Raise it only for a reason that was measured: nanoseconds
/// of an evaluation against seconds of a build.
const SPARSE: usize = 50_000;

/// The largest number of tokens of a network whose first layer may be straight-line code.
const DENSE: usize = 125_000;

#[test]
fn networks_stay_within_the_token_budget() {
    for spec in specs::all() {
        let network = analyse(&spec).expect("the spec is right");
        let [auto, full] = [Unroll::Auto, Unroll::Full].map(|unroll| {
            let options = Options::new(unroll, Levels::Of("x86_64"));
            tokens(emit(&network, &options).expect("there is not too much of it"))
        });
        let is_sparse =
            |layer: &Layer| layer.affine().is_some_and(|affine| affine.sparse.is_some());
        let budget = if network.layers.iter().any(is_sparse) {
            SPARSE
        } else {
            DENSE
        };
        println!(
            "{}: {auto} tokens, {full} when everything is unrolled",
            spec.path
        );
        assert!(
            auto <= budget,
            "{}: {auto} tokens, the budget is {budget}",
            spec.path
        );
        assert!(
            full > auto,
            "{}: {full} tokens unrolled, {auto} planned",
            spec.path
        );
    }
}

/// The spec of a network with this number of layers with this number of outputs.
fn deep(layers: usize, outputs: usize) -> SourceFile {
    let layer = |index: usize| {
        format!(
            "[[layer]]\nname = \"fc_{index}\"\nop = \"affine\"\nweights = \"i8\"\noutputs = {outputs}\none = 8128\n\
             [[layer]]\nname = \"ac_{index}\"\nop = \"crelu\"\nshift = 6\n"
        )
    };
    let layers: String = (0..layers).map(layer).collect();
    let spec = format!(
        "name = \"deep\"\n[[features]]\nset = \"A\"\n\
         [transformer]\nwidth = 64\none = 127\nactivation = \"crelu\"\n{layers}\
         [[layer]]\nname = \"out\"\nop = \"affine\"\nweights = \"i8\"\noutputs = 1\none = 8128\n\
         [output]\nsum = [\"out\"]\none = 8128\n[file]\nformat = \"bullet\"\n"
    );
    SourceFile::new("deep.toml", spec)
}

/// Straight-line code that would take gigabytes is refused before any of it is written; the same
/// network compiles with loops.
#[test]
fn straight_line_code_has_a_budget_too() {
    let network = analyse(&deep(2, 1024)).unwrap_or_else(|errors| panic!("{errors}"));
    let emitted = |unroll| {
        let options = Options::new(unroll, Levels::All);
        emit(&network, &options).map(tokens)
    };
    let refusal = emitted(Unroll::Full).unwrap_err().to_string();
    assert!(
        refusal.starts_with("`unroll = \"full\"` makes of this network ")
            && refusal.contains("most of it for layer `fc_1`")
            && refusal.contains("allowed are 100 s: leave it out"),
        "{refusal}"
    );
    assert!(emitted(Unroll::Auto).is_ok());
}

/// A loop has a body of code for every output, so enough outputs are too much code even with loops:
/// every reader refuses the spec. Twice as many outputs of a layer take four times as long: rustc
/// took 142 s and 0.8 GB for ten layers of 1,024.
#[test]
fn loops_over_many_outputs_count_as_well() {
    for (layers, outputs) in [(10, 1024), (5, 1024), (2, 2048), (1, 4096), (31, 4096)] {
        let errors = analyse(&deep(layers, outputs)).unwrap_err();
        let [error] = errors.found.as_slice() else {
            panic!("{errors}");
        };
        assert!(
            error.message.starts_with("this network becomes ")
                && error.message.contains("most of it for layer `fc_")
                && error.message.ends_with("allowed are 100 s"),
            "{errors}"
        );
        assert!(errors.to_string().contains("name = \"fc_"), "{errors}");
    }
    for (layers, outputs) in [(3, 1024), (10, 512), (31, 256)] {
        assert!(
            analyse(&deep(layers, outputs)).is_ok(),
            "{layers} of {outputs}"
        );
    }
}

/// All specs of the project are within it, as loops.
#[test]
fn no_network_of_the_project_is_refused() {
    let folders = [
        "specs",
        "specs/bullet",
        "specs/engines",
        "specs/games",
        "nnue-cli/tools/field",
        "tests/specs/engines",
        "tests/specs/layers",
    ];
    for spec in folders.into_iter().flat_map(specs::of) {
        if let Err(errors) = analyse(&spec) {
            let is_refused = errors.to_string().contains("a Rust compiler needs");
            assert!(!is_refused, "{errors}");
        }
    }
}

/// The number of tokens, with each delimiter counted as a token.
fn tokens(stream: TokenStream) -> usize {
    let count = |tree| match tree {
        TokenTree::Group(group) => 2 + tokens(group.stream()),
        _ => 1,
    };
    stream.into_iter().map(count).sum()
}
