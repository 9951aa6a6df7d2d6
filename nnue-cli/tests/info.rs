//! `nnue info`: what is said of net files.

use std::fs;

use nnue_runtime::{Architecture, Network};
use nnue_test_support::synthetic::synthetic_net;
use serde_json::{Value, json};

use crate::networks::{NET, random_net};
use crate::program::{output, refusal, run, scratch, stdout};

mod small128 {
    nnue_runtime::nnue_net!("../specs/small128.toml");
}
mod threatened_and_pairs {
    nnue_runtime::nnue_net!("../tests/specs/features/threatened_and_pairs.toml");
}
mod threats {
    nnue_runtime::nnue_net!("../tests/specs/features/threats.toml");
}
mod shifted {
    nnue_runtime::nnue_net!("../tests/specs/features/shifted.toml");
}
mod separate {
    nnue_runtime::nnue_net!("../tests/specs/perspectives/separate.toml");
}

fn json_of(arguments: &[&str]) -> Value {
    let arguments = [&["info", "--json"], arguments].concat();
    serde_json::from_str(&output(&arguments)).expect("it is JSON")
}

#[test]
fn a_known_net_needs_no_spec() {
    let text = output(&["info", NET]);
    for line in [
        "known specs that fit: small128",
        "size: 3519630 bytes",
        "version 0x7af32f20, network hash 0x1c103c92",
        "transformer.weights  i16   2883584     -595      913     0.876  4.7 %     0.00 %",
        "fc_2.weights         i8        256     -125      127     0.324  0.0 %     0.39 %",
        "accumulator within -5446 to 5610 for 32 features: margin 27157",
        "sums of `fc_2` within -97318 to 92080: margin 2147386330",
    ] {
        assert!(text.lines().any(|own| own == line), "no {line} in\n{text}");
    }
    assert!(text.starts_with(&format!("`{NET}` is a net of small128\n")));
    assert!(text.contains("\nno file tells: shifts, limits, "));
    assert!(!text.contains("warning"));

    let found = json_of(&[NET]);
    for (pointer, expected) in [
        ("/size", json!(3_519_630)),
        ("/fits", json!(["small128"])),
        ("/network/compressed", json!(false)),
        ("/network/header/version", json!(0x7AF3_2F20)),
        ("/network/tensors/8/name", json!("fc_2.weights")),
        ("/network/tensors/8/values", json!(256)),
        ("/network/tensors/8/minimum", json!(-125.0)),
        ("/network/tensors/8/saturated", json!(1.0 / 256.0)),
        ("/network/warnings", json!([])),
    ] {
        assert_eq!(found.pointer(pointer), Some(&expected), "{pointer}");
    }
}

/// The same bounds and warnings as those of the compiled network.
fn check_report<A: Architecture>(spec: &str, file: &[u8]) -> usize {
    let report = Network::<A>::from_bytes(file).expect("it fits").report();
    let path = scratch(&format!("report-{}.net", A::NAME), file);
    let found = json_of(&[&path, "--spec", spec]);
    let network = &found["network"];
    let bound = report.accumulator;
    assert_eq!(
        network["accumulator"],
        json!({
            "features": bound.features,
            "lowest": bound.lowest,
            "highest": bound.highest,
            "margin": bound.margin(),
        }),
        "{spec}"
    );
    let layers = report.layers.iter().map(|layer| {
        json!({
            "name": layer.layer,
            "lowest": layer.lowest,
            "highest": layer.highest,
            "margin": layer.margin(),
        })
    });
    assert_eq!(network["layers"], layers.collect::<Value>(), "{spec}");
    let warnings = report.warnings.iter().map(ToString::to_string);
    assert_eq!(network["warnings"], warnings.collect::<Value>(), "{spec}");
    report.warnings.len()
}

#[test]
fn bounds_and_warnings_are_those_of_compiled_networks() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../");
    let random = |spec: &str| {
        let path = format!("{folder}{spec}");
        let file = random_net(&path, 7);
        (path, file)
    };
    let small = format!("{folder}specs/small128.toml");
    check_report::<small128::Net>(&small, &fs::read(NET).expect("the net is there"));
    let (spec, file) = random("tests/specs/features/threatened_and_pairs.toml");
    let mut warnings = check_report::<threatened_and_pairs::Net>(&spec, &file);
    let (spec, file) = random("tests/specs/features/threats.toml");
    warnings += check_report::<threats::Net>(&spec, &file);
    let (spec, file) = random("tests/specs/features/shifted.toml");
    warnings += check_report::<shifted::Net>(&spec, &file);
    let (spec, file) = random("tests/specs/perspectives/separate.toml");
    check_report::<separate::Net>(&spec, &file);
    assert!(warnings > 0, "no network warns of anything");
}

#[test]
fn files_without_a_header_need_a_spec() {
    let spec = concat!(env!("CARGO_MANIFEST_DIR"), "/../specs/bullet/simple.toml");
    let net = scratch("info-simple.bin", &random_net(spec, 3));
    let found = run(&["info", &net]);
    let text = stdout(&found);
    // It may be a net, but nobody can say so.
    assert_eq!(found.status.code(), Some(1), "{text}");
    assert!(text.contains("` is of an unknown kind\n"), "{text}");
    assert!(text.contains("known specs that fit: none\n"), "{text}");
    assert!(text.ends_with("its spec: `--spec SPEC`\n"), "{text}");
    let found = run(&["info", &net, "--json"]);
    let found: Value = serde_json::from_str(stdout(&found)).expect("it is JSON");
    assert_eq!(found["network"], Value::Null);

    let text = output(&["info", &net, "--spec", spec]);
    assert!(text.contains("network: bullet simple\n"), "{text}");
    assert!(text.contains("\ntransformer.weights  i16 "), "{text}");

    let message = refusal(1, &["info", NET, "--spec", spec]);
    assert!(message.contains("is not a net file for"), "{message}");
}

/// A spec would not help: the advice is that for the file.
#[test]
fn what_is_no_net_is_refused_with_advice_that_fits() {
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3519630\n";
    for (name, bytes, advice) in [
        ("info-pointer.nnue", pointer.as_bytes(), "`git lfs pull`"),
        (
            "info-page.nnue",
            b"<!DOCTYPE html><title>404",
            "the download failed",
        ),
        ("info-none.nnue", b"", "fetch or copy the net once more"),
        (
            "info.pt",
            b"PK\x03\x04\x14\0",
            "the trainer has to write a net file",
        ),
        ("info-spec.nnue", b"name = \"Mine\"\n", "is no net but text"),
    ] {
        let net = scratch(name, bytes);
        let found = run(&["info", &net]);
        let text = stdout(&found);
        assert_eq!(found.status.code(), Some(1), "{text}");
        assert!(text.contains(advice) && !text.contains("--spec"), "{text}");
        let spec = refusal(1, &["spec", &net]);
        assert!(spec.contains(advice) && !spec.contains("--spec"), "{spec}");
        let told = refusal(1, &["eval", "--net", &net, "--spec", "small128"]);
        assert!(told.contains(advice) && !told.contains("--spec"), "{told}");
    }
}

#[test]
fn of_a_damaged_file_it_says_what_is_wrong() {
    let whole = fs::read(NET).expect("the net is there");
    let longer = [&whole[..], b"xy"].concat();
    for (name, bytes, reason) in [
        ("info-longer.nnue", &longer[..], "but the file has 3519632"),
        ("info-cut.nnue", &whole[..3_000_000], "the file ends in"),
        ("info-empty.nnue", b"", "is empty"),
    ] {
        let net = scratch(name, bytes);
        let found = run(&["info", &net]);
        let text = stdout(&found);
        assert_eq!(found.status.code(), Some(1), "{text}");
        let last = text.lines().last().unwrap_or_default();
        assert!(last.starts_with("it does not load: "), "{text}");
        assert!(last.contains(reason), "{text}");
        let found = run(&["info", &net, "--json"]);
        let found: Value = serde_json::from_str(stdout(&found)).expect("it is JSON");
        let refused = found["refused"].as_str().expect("a reason");
        assert!(refused.contains(reason), "{refused}");
        assert_eq!(found["network"], Value::Null);
    }
    assert_eq!(json_of(&[NET])["refused"], Value::Null);
}

#[test]
fn clamped_values_are_saturated_and_warned_of() {
    let spec = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../tests/specs/formats/clamped.toml"
    );
    let net = scratch("info-clamped.net", &random_net(spec, 3));
    let found = json_of(&[&net, "--spec", spec]);
    let warnings = found["network"]["warnings"].as_array().expect("a list");
    let clamped = warnings.iter().filter_map(Value::as_str);
    let clamped = clamped.filter(|warning| warning.contains("did not fit"));
    assert!(clamped.count() > 0, "{found}");
    let tensors = found["network"]["tensors"].as_array().expect("a list");
    let mut saturated = tensors
        .iter()
        .filter_map(|tensor| tensor["saturated"].as_f64());
    assert!(saturated.any(|share| share > 0.0), "{found}");
}

#[test]
fn networks_that_share_a_header_are_told_apart_by_their_weights() {
    let net = scratch("info-v4.nnue", &synthetic_net("v4"));
    let found = json_of(&[&net]);
    assert_eq!(found["identity"], json!("a net of SFNNv4"));
    assert_eq!(found["fits"][0], json!("sfnnv4"));
    assert_eq!(found["network"]["name"], json!("SFNNv4"));
    fs::remove_file(net).expect("the folder for tests is writable");
}

#[test]
fn files_that_are_packed_are_unpacked() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/further/files/packed");
    let (net, spec) = (format!("{folder}.net"), format!("{folder}.toml"));
    let found = json_of(&[&net, "--spec", &spec]);
    assert_eq!(found["network"]["compressed"], json!(true));
}

#[test]
fn what_cannot_be_read_is_named() {
    let message = refusal(1, &["info", "no/such.nnue"]);
    assert!(
        message.starts_with("error: cannot read `no/such.nnue`: "),
        "{message}"
    );
}
