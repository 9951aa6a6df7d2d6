//! Specs that nobody would write: the compiler answers each with errors or with Rust, never with a
//! panic.
//!
//! `NNUE_MUTANTS` sets how many specs are made and tried. A long run takes minutes:
//!
//! ```text
//! NNUE_MUTANTS=500000 cargo test --release -p nnue-compiler --test compiler robust:: -- --nocapture
//! ```

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crate::examine::{examine, shortened};
use crate::mutator::Mutator;
use crate::specs;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::network::Network;
use nnue_compiler::plan::{TooMuchCode, Unroll};
use nnue_compiler::{Levels, Options, analyse, emit};
use proc_macro2::{TokenStream, TokenTree};

/// The number of specs that are made from good specs, unless `NNUE_MUTANTS` is set.
const MUTANTS: u64 = 5_000;

/// One in this number of mutants is compiled to the end, if its network differs from those before;
/// that takes a hundred times as long as checking it.
const MUTANTS_PER_COMPILED: u64 = 1000;

/// A time that no mutant takes, even on a busy machine: the compiler must refuse what would take
/// minutes or gigabytes.
const PATIENCE: Duration = Duration::from_secs(120);

#[test]
fn mutated_specs_give_errors_or_rust() {
    let mutants = match std::env::var("NNUE_MUTANTS") {
        Ok(number) => number.parse().expect("NNUE_MUTANTS is a number"),
        Err(_) => MUTANTS,
    };
    let mut specs: Vec<String> = specs::all().into_iter().map(|spec| spec.text).collect();
    specs.push(include_str!("../../../tests/specs/like.toml").to_string());
    let most_compiled = mutants.div_ceil(MUTANTS_PER_COMPILED) as usize;
    let mut networks: Vec<Network> = Vec::new();
    let mut accepted = 0;
    let mut longest = (Duration::ZERO, 0);
    for seed in 1..=mutants {
        let start = Instant::now();
        let mut mutator = Mutator::new(seed, &specs);
        let text = mutator.mutant();
        if let Some(network) = examine(&text) {
            accepted += 1;
            if networks.len() < most_compiled && !networks.contains(&network) {
                compile(&network, &text);
                networks.push(network);
            }
        }
        longest = longest.max((start.elapsed(), seed));
        assert!(longest.0 < PATIENCE, "seed {seed} takes {:?}", longest.0);
    }
    let compiled = networks.len();
    println!(
        "{mutants} mutants: {accepted} accepted, {compiled} compiled, the longest took {:?} (seed {})",
        longest.0, longest.1
    );
    // Otherwise the test would not reach what it is about.
    assert!(
        accepted > mutants / 20,
        "only {accepted} mutants are accepted"
    );
    assert!(accepted < mutants / 2, "{accepted} mutants are accepted");
    assert_eq!(compiled, most_compiled, "too few different networks");
}

#[test]
fn nesting_and_length_exhaust_neither_stack_nor_patience() {
    const MANY: usize = 100_000;
    let layers = "[[layer]]\nop = \"crelu\"\nname = \"ac\"\nshift = 6\n";
    let texts = [
        "name = ".to_string() + &"[".repeat(MANY),
        "name = ".to_string() + &"[".repeat(MANY) + &"]".repeat(MANY),
        "name = ".to_string() + &"{ a = ".repeat(MANY) + &"}".repeat(MANY),
        "a.".repeat(MANY) + "a = 1",
        "[".to_string() + &"a.".repeat(MANY) + "a]",
        "[[".to_string() + &"a.".repeat(MANY) + "a]]",
        "a.\n".repeat(MANY) + "a = 1",
        // Dots in each of the inline tables in each other.
        format!("{}a = {{ ", "a.".repeat(79)).repeat(79) + &"}".repeat(79),
        format!("{}a = {{ ", "a.".repeat(8)).repeat(79) + &"}".repeat(79),
        "name = \"".to_string() + &"n".repeat(MANY),
        "n".repeat(MANY) + " = 1",
        "=\n".repeat(MANY / 10),
        "\u{0}".repeat(MANY),
        "a = 1\n".repeat(MANY / 10),
        layers.repeat(MANY / 100),
    ];
    for text in texts {
        assert!(examine(&text).is_none());
    }
}

/// A text that is too long for a spec is refused without being read.
#[test]
fn specs_have_at_most_a_mebibyte() {
    let head = "[[head]]\nname = \"h\"\nsum = [\"fc_2\"]\n";
    let long = head.repeat((1 << 20) / head.len() + 1);
    let errors = analyse(&SourceFile::new("long.toml", &*long)).expect_err("it is too long");
    let said = errors.to_string();
    let message = format!(
        "error: the spec has {} bytes, allowed are at most 1048576",
        long.len()
    );
    assert!(said.starts_with(&message), "{said}");
    assert!(said.contains("found 1 error"), "{said}");
}

/// Long names, and long lists of what is wrong, on one line or on many.
#[test]
fn many_errors_and_long_names_take_neither_minutes_nor_gigabytes() {
    const MANY: usize = 50_000;
    let good = specs::all()
        .into_iter()
        .find(|spec| spec.path == "small128")
        .expect("the spec is there")
        .text;
    let keys = |key: &dyn Fn(usize) -> String| (0..MANY).map(key).collect::<String>();
    let name = "n".repeat(100_000);
    let replaced = |from: &str, to: &str| {
        assert!(good.contains(from));
        good.replace(from, to)
    };
    let list = |entry: &str| format!("[{}]", entry.repeat(MANY));
    let formula = "{ pieces = \"(n - 1) / 4\" }";
    let texts = [
        keys(&|index| format!("key_{index} = {index}\n")) + &good,
        good.clone() + &keys(&|index| format!("key_{index} = {index}\n")),
        keys(&|index| format!("= {index}\n")),
        replaced(formula, &format!("{{ table = {} }}", list("\"x\", "))),
        replaced(formula, &format!("{{ table = {} }}", list("99, "))),
        replaced("[\"ac_sqr_0\", \"ac_0\"]", &list("\"ac_0\", ")),
        replaced("[\"fc_2\", \"fc_0[15]\"]", &list("\"fc_2\", ")),
        replaced("fc_0", &name),
        replaced("small128", &name),
        replaced("width", &name),
        replaced("\"affine\"", &format!("\"{name}\"")),
        replaced("\"fc_0[..15]\"", &format!("\"{name}\"")),
    ];
    for text in texts {
        let start = Instant::now();
        assert!(examine(&text).is_none(), "accepted:\n{}", shortened(&text));
        assert!(
            start.elapsed() < PATIENCE,
            "{:?} for\n{}",
            start.elapsed(),
            shortened(&text)
        );
    }
}

#[test]
fn formulas_of_any_depth_are_refused_or_evaluated() {
    let small = specs::all()
        .into_iter()
        .find(|spec| spec.path == "small128");
    let text = small.expect("the spec is there").text;
    let formula = "(n - 1) / 4";
    assert!(text.contains(formula));
    for depth in [10, 100, 1000, 100_000] {
        let nested = format!("{}n{}", "(".repeat(depth), " - 1) / 4".repeat(depth));
        let long = format!("(n - 1{}) / 4", " * 1".repeat(depth));
        for formula_of_depth in [nested, long] {
            examine(&text.replace(formula, &formula_of_depth));
        }
    }
}

/// Kernels use names of their own; those made from layers' names can neither shadow them nor be
/// keywords.
#[test]
fn generated_names_keep_layers_apart_from_everything_else() {
    let small = specs::all()
        .into_iter()
        .find(|spec| spec.path == "small128");
    let text = small.expect("the spec is there").text;
    let renamed = text.replace("fc_", "zebra_fc_").replace("ac_", "zebra_ac_");
    let network = examine(&renamed).expect("names do not matter");
    let mut names = Vec::new();
    let code = code(&network, Unroll::Auto).expect("there is not too much of it");
    identifiers(code, &mut names);
    assert!(names.iter().any(|name| name == "zebra_fc_1_out"));
    for name in names {
        let is_variable = name.ends_with("_out") || name.ends_with("_input");
        let is_field = name.ends_with("_biases") || name.ends_with("_weights");
        if name.starts_with("zebra") {
            assert!(is_variable || is_field, "`{name}`");
        } else {
            assert!(!is_variable, "a layer's `{name}` would be another");
        }
    }
}

fn identifiers(code: TokenStream, found: &mut Vec<String>) {
    for tree in code {
        match tree {
            TokenTree::Group(group) => identifiers(group.stream(), found),
            TokenTree::Ident(identifier) => found.push(identifier.to_string()),
            _ => {}
        }
    }
}

fn code(network: &Network, unroll: Unroll) -> Result<TokenStream, TooMuchCode> {
    let options = Options::new(unroll, Levels::All);
    emit(network, &options)
}

fn compile(network: &Network, text: &str) {
    for unroll in [Unroll::Auto, Unroll::Full] {
        // Straight-line code of the widest networks takes seconds to print.
        if unroll == Unroll::Full && network.transformer.width > 256 {
            continue;
        }
        let tokens = catch_unwind(AssertUnwindSafe(|| code(network, unroll)))
            .unwrap_or_else(|_| panic!("a panic while writing the code of\n{text}"));
        match tokens.map(syn::parse2::<syn::File>) {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => panic!("the code is no Rust: {error}, for\n{text}"),
            Err(problem) => assert_eq!(unroll, Unroll::Full, "{problem}, for\n{text}"),
        }
    }
}
