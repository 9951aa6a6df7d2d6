//! Generated code has each weight where it belongs: small networks in every run. Those of the
//! differential tests and of the zoo are checked with the feature `self-check`, and all specs of the
//! repository with `specs`.

mod specs;

/// Compiles a spec and checks its code. Returns what was checked.
macro_rules! check {
    ($path:literal) => {{
        mod network {
            nnue_runtime::nnue_net!($path, check = "wiring");
        }
        nnue_wiring::check::<network::Net>().unwrap_or_else(|mismatch| panic!("{mismatch}"))
    }};
}

/// Weights of 32 bits, in rows and in columns. A check that finds nothing says what it has compared,
/// and what it has not.
#[test]
fn longs() {
    let checked = check!("../specs/layers/longs.toml");
    assert!(checked.weights > 0 && checked.comparisons > checked.weights / 1000);
    let files = checked
        .unproved
        .iter()
        .filter(|part| part.contains("net files"));
    assert_eq!(files.count(), 1, "{:?}", checked.unproved);
}

/// Sums of `f32`, which are multiplied by rows of weights.
#[test]
fn float_rows() {
    check!("../specs/layers/float_rows.toml");
}

/// Inputs that are skipped where they are zero.
#[test]
fn signed_inputs() {
    check!("../specs/layers/signed_inputs.toml");
}

/// Activations of `f32`, of all kinds of numbers and of none.
#[test]
fn dual() {
    check!("../specs/layers/dual.toml");
}

/// Products that are bytes and words, which layers of weights read.
#[test]
fn gated_bytes() {
    check!("../specs/layers/gated_bytes.toml");
}
