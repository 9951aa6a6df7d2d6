//! `nnue adopt`: what is said of a file without a header, and what is written for it.

use std::fs;

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::network::file::Role;
use nnue_test_support::net_file::net_file_of;
use serde_json::Value;

use crate::program::{output, refusal, run, scratch, scratch_path, stdout, text};

const SMALL128: &str = "../examples/nets/nn-37f18f62d772.nnue";

/// A file of bullet's simple example with few neurons: each counts material, with a little of the
/// square, and rows of pawns that cannot be are zero.
fn simple(name: &str) -> String {
    let spec = fs::read_to_string("../specs/bullet/simple.toml").expect("the spec is there");
    let spec = spec.replace("width = 128", "width = 16");
    let network = analyse(&SourceFile::new("simple", spec)).expect("it is right");
    let file = net_file_of(&network, "", |weight| {
        let sign = if weight.column % 2 == 0 { 1.0 } else { -1.0 };
        match weight.role {
            Role::Weights(_) => {
                let (piece, square) = (weight.row / 64, weight.row % 64);
                let value = [1.0, 3.0, 3.0, 5.0, 9.0, 0.0][piece % 6];
                let side = if piece < 6 { 1.0 } else { -1.0 };
                let bend = ((square % 8 + weight.column * (piece + 1)) as f64 / 3.0).sin();
                (sign * side * value * 2.0 + 3.0 * bend).round()
            }
            Role::Biases(_) => 110.0,
            // The opponent's neurons count the other way.
            Role::LayerWeights(_) => sign * if weight.column < 16 { 20.0 } else { -20.0 },
            _ => 0.0,
        }
    });
    scratch(name, &file)
}

#[test]
fn a_file_without_a_header_gets_its_spec_and_a_module() {
    let net = simple("adopt-simple.bin");
    let folder = text(&scratch_path("adopt-out"));
    let said = output(&["adopt", &net, "--name", "Mine", "--out", &folder]);
    for words in [
        "bullet, one layer",
        "Ask the net's author for:\n",
        "* the scale of the evaluation, `scale`: ",
        "positions a second",
        "net.toml`",
    ] {
        assert!(said.contains(words), "no {words} in\n{said}");
    }
    let path = format!("{folder}/net.toml");
    let spec = fs::read_to_string(&path).expect("was written");
    assert!(
        spec.contains("# guess: the scale of the evaluation\nscale = 400\n"),
        "{spec}"
    );
    let checked = output(&["check", &path, "--net", &net]);
    assert!(checked.contains("is a net file for Mine"), "{checked}");
    let module = fs::read_to_string(format!("{folder}/net.rs")).expect("was written");
    assert!(
        module.contains("nnue_runtime::nnue_net!(\"net.toml\");"),
        "{module}"
    );
    assert!(
        module.contains("Network::open(\"adopt-simple.bin\")"),
        "{module}"
    );
}

#[test]
fn json_has_the_evidence_and_the_questions() {
    let net = simple("adopt-json.bin");
    let found: Value = serde_json::from_str(&output(&["adopt", &net, "--json"])).expect("JSON");
    let first = &found["guesses"][0];
    assert_eq!(first["family"], "bullet, one layer, as Patricia");
    assert!(
        first["evidence"]["material"].as_f64() > Some(0.9),
        "{first}"
    );
    assert!(
        first["spec"]
            .as_str()
            .is_some_and(|spec| spec.contains("width = 16"))
    );
    let questions = found["questions"].as_array().expect("a list");
    assert!(questions.iter().any(|question| question["key"] == "scale"));
    assert_eq!(found["recognised"], Value::Null);
}

#[test]
fn nothing_is_guessed_where_a_header_tells_the_network() {
    let said = output(&["adopt", SMALL128]);
    assert!(said.contains("nothing has to be guessed"), "{said}");
}

#[test]
fn files_that_no_network_has_are_said_to_be_so() {
    let other = scratch("adopt-other.bin", &[7; 1001]);
    let said = run(&["adopt", &other]);
    assert_eq!(said.status.code(), Some(1));
    assert!(stdout(&said).contains("no network of the field has files of 1001 bytes"));
    refusal(1, &["adopt", "no/such.bin"]);
}
