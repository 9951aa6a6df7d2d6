//! `nnue diff`: two net files side by side.

use std::fs;

use nnue_compiler::network::file::Role;
use nnue_test_support::net_file::{net_file_of, random_net_file};
use serde_json::{Value, json};

use crate::networks::{NET, network_in};
use crate::program::{output, refusal, run, scratch};

/// Standard output of a comparison that finds differences.
fn differing(arguments: &[&str]) -> String {
    let run = run(&[&["diff"], arguments].concat());
    let stderr = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(1), "{stderr}");
    assert!(stderr.is_empty(), "{stderr}");
    String::from_utf8(run.stdout).expect("output is text")
}

/// small128 with another last byte: a weight of the last layer's last stack.
fn changed() -> Vec<u8> {
    let mut net = fs::read(NET).expect("the net is there");
    let last = net.last_mut().expect("it is not empty");
    *last = last.wrapping_add(3);
    net
}

#[test]
fn a_net_is_the_same_as_itself() {
    let text = output(&["diff", NET, NET]);
    assert!(text.ends_with("\nA and B are the same\n"), "{text}");
    let start =
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1                   251   251";
    assert!(text.lines().any(|line| line == start), "{text}");
}

#[test]
fn one_byte_is_found() {
    let net = scratch("diff-byte.nnue", &changed());
    let text = differing(&[NET, &net]);
    assert!(text.ends_with("\nA and B differ\n"), "{text}");
    let weights = "fc_2.weights             256          1                   3";
    assert!(text.lines().any(|line| line == weights), "{text}");
    let found: Value =
        serde_json::from_str(&differing(&[NET, &net, "--json"])).expect("it is JSON");
    assert_eq!(found["files"], json!([NET, net]));
    assert_eq!(found["networks"], json!(["small128", "small128"]));
    assert_eq!(found["differ"], json!(true));
    let tensors = found["tensors"].as_array().expect("a list");
    assert_eq!(tensors.len(), 9);
    for tensor in tensors {
        let (count, largest) = match tensor["name"].as_str() {
            Some("fc_2.weights") => (1, 3.0),
            _ => (0, 0.0),
        };
        assert_eq!(tensor["differing"], json!(count), "{tensor}");
        assert_eq!(tensor["largest"], json!(largest), "{tensor}");
    }
    // Only the last stack is another one: that of 29 to 32 pieces.
    let evaluations = found["evaluations"].as_array().expect("a list");
    assert_eq!(evaluations.len(), 6);
    assert_eq!(evaluations[3]["first"], json!([70]));
    assert_eq!(evaluations[3]["second"], json!([72]));
    for values in evaluations.iter().skip(4) {
        assert_eq!(values["first"], values["second"], "{values}");
    }
}

#[test]
fn positions_come_from_a_file() {
    let fens = scratch(
        "diff-fens.txt",
        b"# one FEN, one EPD\n\n4k3/8/8/8/8/8/4P3/4K3 b - - 0 1\n4k3/8/8/8/8/8/8/4K3 w - - bm Kd2;\n",
    );
    let found = output(&["diff", NET, NET, "--fens", &fens, "--json"]);
    let found: Value = serde_json::from_str(&found).expect("it is JSON");
    let evaluations = found["evaluations"].as_array().expect("a list");
    assert_eq!(evaluations.len(), 2);
    assert_eq!(evaluations[0]["fen"], "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1");
    assert_eq!(evaluations[1]["fen"], "4k3/8/8/8/8/8/8/4K3 w - -");
    let wrong = scratch(
        "diff-wrong.txt",
        b"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n8/8 w\n",
    );
    let message = refusal(1, &["diff", NET, NET, "--fens", &wrong]);
    let start = format!("error: line 2 of `{wrong}`: ");
    assert!(message.starts_with(&start), "{message}");
    let empty = scratch("diff-empty.txt", b"# nothing\n");
    assert_eq!(
        refusal(1, &["diff", NET, NET, "--fens", &empty]),
        format!("error: `{empty}` has no positions\n")
    );
}

#[test]
fn what_is_no_number_is_supplied_too() {
    let mut bytes = fs::read(NET).expect("the net is there");
    // A letter of the description.
    bytes[13] ^= 1;
    let other = scratch("diff-description.nnue", &bytes);
    let found = output(&["diff", NET, &other]);
    let verdict = "\nA and B have the same numbers, in files that differ elsewhere\n";
    assert!(found.ends_with(verdict), "{found}");
    let found = output(&["diff", NET, &other, "--json"]);
    let found: Value = serde_json::from_str(&found).expect("it is JSON");
    assert_eq!(
        (&found["differ"], &found["same_bytes"]),
        (&json!(false), &json!(false))
    );
    let found = output(&["diff", NET, NET, "--json"]);
    let found: Value = serde_json::from_str(&found).expect("it is JSON");
    assert_eq!(found["same_bytes"], true);
}

/// A network has one spec for each form of its files.
#[test]
fn a_converted_file_has_a_spec_of_its_own() {
    let spec = fs::read_to_string("../specs/small128.toml").expect("the spec is there");
    let raw = spec.replace("encoding = \"leb128\"", "encoding = \"raw\"");
    assert_ne!(raw, spec);
    let (packed, raw) = (
        scratch("diff-leb128.toml", spec.as_bytes()),
        scratch("diff-raw.toml", raw.as_bytes()),
    );
    let converted = scratch("diff-raw.nnue", b"");
    output(&["convert", NET, &converted, "--spec", &packed, "--to", &raw]);
    let one = ["diff", NET, &converted, "--spec", &packed];
    let message = refusal(1, &one);
    assert!(message.contains("`--spec-b SPEC`"), "{message}");
    let found = output(&[&one[..], &["--spec-b", &raw]].concat());
    let verdict = "\nA and B have the same numbers, in files that differ elsewhere\n";
    assert!(found.ends_with(verdict), "{found}");
    let only_b = output(&["diff", NET, &converted, "--spec-b", &raw]);
    assert_eq!(only_b, found);
    let none = output(&["diff", NET, &converted]);
    assert_eq!(none, found);
    let message = refusal(1, &["diff", NET, &converted, "--spec", &raw]);
    assert!(message.contains("`--spec-b SPEC`"), "{message}");
    // A difference is found through both forms.
    let changed = scratch("diff-changed-leb128.nnue", &changed());
    differing(&[&changed, &converted, "--spec", &packed, "--spec-b", &raw]);
}

#[test]
fn files_without_a_header_need_a_spec() {
    let spec = concat!(env!("CARGO_MANIFEST_DIR"), "/../specs/bullet/simple.toml");
    let network = network_in(spec);
    let first = scratch("diff-first.bin", &random_net_file(&network, 1));
    let second = net_file_of(&network, "", |weight| match weight.role {
        Role::Weights(_) => ((weight.row * 7 + weight.column) % 50) as f64,
        _ => 5.0,
    });
    let second = scratch("diff-second.bin", &second);
    let message = refusal(1, &["diff", &first, &second]);
    assert!(message.contains("name it with `--spec SPEC`"), "{message}");
    let text = differing(&[&first, &second, "--spec", spec]);
    assert!(text.contains("\ntransformer.biases "), "{text}");
    assert!(text.ends_with("\nA and B differ\n"), "{text}");
    let text = output(&["diff", &first, &first, "--spec", spec]);
    assert!(text.ends_with("\nA and B are the same\n"), "{text}");
}

#[test]
fn features_of_custom_sets_come_from_a_file() {
    let spec = "../specs/games/ataxx.toml";
    let nets = [1, 2].map(|seed| {
        let net = random_net_file(&network_in(spec), seed);
        scratch(&format!("diff-ataxx-{seed}.net"), &net)
    });
    let [first, second] = nets.each_ref().map(String::as_str);
    let files = [first, second, "--spec", spec];
    assert!(differing(&files).contains("no evaluations: only the engine knows the features"));
    let line = "b ; white: 1 50 98 ; black: 2 60";
    let list = scratch("diff-ataxx.list", line.as_bytes());
    let found = differing(&[&files[..], &["--fens", &list, "--json"]].concat());
    let found: Value = serde_json::from_str(&found).expect("it is JSON");
    let [first, second] = nets.map(|net| {
        let value = output(&["eval", line, "--net", &net, "--spec", spec, "--json"]);
        let value: Value = serde_json::from_str(&value).expect("it is JSON");
        value["value"].clone()
    });
    assert_ne!(first, second);
    assert_eq!(
        found["evaluations"],
        json!([{ "fen": line, "first": [first], "second": [second] }])
    );
}
