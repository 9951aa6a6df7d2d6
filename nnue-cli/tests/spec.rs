//! `nnue spec`: specs of net files.

use std::fs;

use nnue_compiler::schema::with_schema;
use nnue_test_support::{generations, synthetic};

use crate::networks::{NET, network_in};
use crate::program::{output, refusal, scratch, scratch_path, text};

#[test]
fn a_known_net_has_the_spec_of_the_folder() {
    let expected = concat!(env!("CARGO_MANIFEST_DIR"), "/../specs/small128.toml");
    let expected = with_schema(&fs::read_to_string(expected).expect("the spec is there"));
    assert_eq!(output(&["spec", NET]), expected);
    let path = text(&scratch_path("small128-of-net.toml"));
    assert_eq!(output(&["spec", NET, "--out", &path]), "");
    assert_eq!(fs::read_to_string(&path).expect("was written"), expected);
    // What a person may have changed is kept.
    let message = refusal(1, &["spec", NET, "--out", &path]);
    assert!(
        message.starts_with(&format!("error: `{path}` is there already")),
        "{message}"
    );
}

#[test]
fn a_net_of_another_size_gets_a_spec_that_it_fits() {
    let net = synthetic::net_of(&generations::HM256);
    let net = scratch("spec-hm256.nnue", &net);
    let path = text(&scratch_path("hm256-of-net.toml"));
    output(&["spec", &net, "--name", "Wider", "--out", &path]);
    let network = network_in(&path);
    assert_eq!((&*network.name, network.transformer.width), ("Wider", 256));
    let text = output(&["check", &path, "--net", &net]);
    assert!(text.contains("` is a net file for Wider; "), "{text}");
}

#[test]
fn other_files_have_no_spec() {
    let archive = scratch("spec-archive.nnue", b"\x1F\x8B\x08 and more");
    let message = refusal(1, &["spec", &archive]);
    assert!(message.contains("gzip"), "{message}");
    assert!(!message.contains("--spec"), "{message}");
    let unknown = scratch("spec-unknown.nnue", &[7; 100]);
    let message = refusal(1, &["spec", &unknown]);
    assert!(message.contains("nnue check SPEC --net FILE"), "{message}");
    let cut = fs::read(NET).expect("the net is there");
    let cut = scratch("spec-cut.nnue", &cut[..100_000]);
    let message = refusal(1, &["spec", &cut]);
    assert!(
        message.contains(
            "is not a net file for small128: the file ends in `transformer.weights`: found "
        ),
        "{message}"
    );
}
