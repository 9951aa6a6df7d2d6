//! `nnue quantise`: integers of floating point, and what is lost.

use std::fs;

use crate::networks::{network, network_in};
use crate::program::{output, refusal, scratch, scratch_path, text};
use nnue_compiler::description::Description;
use nnue_compiler::network::Network;
use nnue_compiler::{file_layout, format};
use nnue_test_support::net_file::random_net_file;
use serde_json::{Value, json};

fn spec(path: &str) -> (String, Network) {
    let path = format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"));
    let network = network_in(&path);
    (path, network)
}

/// The tensors of a file in its order, each number divided by its one, as `f32` with padding.
/// `change` may make another number of the one of a tensor's index in the file.
fn floats(network: &Network, file: &[u8], change: impl Fn(&str, usize, f64) -> f64) -> Vec<u8> {
    let layout = file_layout(network);
    let description = Description::of(network);
    let parts = format::split(&layout, file).expect("it is a net file");
    let mut floats = Vec::new();
    for numbers in parts.numbers().expect("its numbers are right") {
        let name = &*numbers.tensor.name;
        let known = description.tensors.iter().find(|own| own.name == name);
        let known = known.expect("the description has all tensors");
        // Of tensors that have several, the network says them.
        let one = |output: usize| known.one.unwrap_or_else(|| channel(network, name, output));
        let (shape, stored) = (numbers.tensor.shape, &numbers.tensor.stored);
        let mut own = vec![0.0; stored.values];
        for row in 0..shape[1] {
            for (column, number) in numbers.row(0, row).enumerate() {
                let index = row * stored.strides[1] + column * stored.strides[2];
                let output = if name.ends_with("biases") {
                    column
                } else {
                    row
                };
                let [numerator, denominator] = one(output);
                own[index] = number * denominator as f64 / numerator as f64;
            }
        }
        let own = own.into_iter().enumerate();
        floats.extend(own.flat_map(|(index, number)| {
            let number = change(name, index, number) as f32;
            number.to_le_bytes()
        }));
    }
    floats
}

/// What 1.0 is in the numbers of a layer's output.
fn channel(network: &Network, tensor: &str, output: usize) -> [u64; 2] {
    let (layer, numbers) = tensor.split_once('.').expect("a layer's tensor");
    let layer = network.layers.iter().find(|own| own.name == layer);
    let layer = layer.expect("the network has it");
    let inputs_one = layer.affine().expect("it has weights").inputs_one;
    match numbers {
        "biases" => [layer.output.one.at(output).into(), 1],
        _ => [layer.output.one.at(output).into(), inputs_one.into()],
    }
}

#[test]
fn floating_point_of_integers_becomes_the_same_net() {
    for (name, path) in [
        ("small128", "specs/small128.toml"),
        ("simple", "specs/bullet/simple.toml"),
        // A layer has a one for each output.
        ("channels", "specs/vocabulary/residual.toml"),
    ] {
        let (path, network) = spec(path);
        let net = random_net_file(&network, 11);
        let file = floats(&network, &net, |_, _, number| number);
        let file = scratch(&format!("quantise-{name}.bin"), &file);
        let out = text(&scratch_path(&format!("quantise-{name}.net")));
        let found = output(&["quantise", &file, &out, "--spec", &path, "--json"]);
        assert!(fs::read(&out).expect("was written") == net, "{name}");
        let found: Value = serde_json::from_str(&found).expect("it is JSON");
        let tensors = found["tensors"].as_array().expect("a list");
        assert_eq!(tensors.len(), Description::of(&network).tensors.len());
        for tensor in tensors {
            assert_eq!(tensor["clipped"], json!(0), "{tensor}");
            // Quotients are rounded to 24 bits.
            let largest = tensor["largest_error"].as_f64().expect("a number");
            assert!(largest < 1e-4, "{tensor}");
        }
    }
}

#[test]
fn clipped_numbers_are_counted() {
    let (path, network) = spec("specs/small128.toml");
    let net = random_net_file(&network, 12);
    // 127 / 64 is the largest weight: two of the first row are far beyond, and one is in padding.
    let file = floats(&network, &net, |name, index, number| match (name, index) {
        ("fc_0.weights", 3) => 5.0,
        ("fc_0.weights", 4) => -5.0,
        ("fc_0.weights", 5) => 0.3,
        _ => number,
    });
    let file = scratch("quantise-clipped.bin", &file);
    let out = text(&scratch_path("quantise-clipped.net"));
    let found = output(&["quantise", &file, &out, "--spec", &path, "--json"]);
    let found: Value = serde_json::from_str(&found).expect("it is JSON");
    let tensors = found["tensors"].as_array().expect("a list");
    let weights = tensors
        .iter()
        .find(|tensor| tensor["name"] == "fc_0.weights");
    let weights = weights.expect("it is reported");
    // Once in each of eight stacks.
    assert_eq!(weights["clipped"], json!(16));
    assert_eq!(weights["one"], json!(64.0));
    assert_eq!(weights["largest_error"], json!(5.0 - 127.0 / 64.0));
    let others = tensors
        .iter()
        .filter(|tensor| tensor["name"] != "fc_0.weights");
    assert!(others.clone().count() > 5);
    for tensor in others {
        assert_eq!(tensor["clipped"], json!(0));
    }
    let layout = file_layout(&network);
    let written = fs::read(&out).expect("was written");
    let parts = format::split(&layout, &written).expect("it is a net file");
    let numbers = parts.numbers().expect("nothing is wrong with its numbers");
    let weights = numbers
        .iter()
        .find(|numbers| numbers.tensor.name == "fc_0.weights");
    let row: Vec<f64> = weights.expect("the file has it").row(0, 0).collect();
    assert_eq!(row[3..6], [127.0, -128.0, 19.0]);

    let shown = output(&["quantise", &file, &out, "--spec", &path]);
    let line = shown.lines().find(|line| line.starts_with("fc_0.weights "));
    let columns: Vec<&str> = line.expect("it is shown").split_whitespace().collect();
    assert_eq!(columns[1..5], ["16384", "64.00", "16", "3.016e0"]);
}

#[test]
fn a_checkpoint_of_the_spec_needs_the_spec_of_the_integers() {
    let (integers, _) = spec("specs/bullet/simple.toml");
    let raw = fs::read_to_string(&integers).expect("the spec is there");
    let (head, _) = raw.split_once("[file]").expect("it has a file");
    let raw = format!("{head}[file]\nformat = \"bullet\"\nkind = \"raw\"\n");
    let checkpoint = random_net_file(&network(&raw), 13);
    let checkpoint = scratch("quantise-raw.bin", &checkpoint);
    let raw = scratch("quantise-raw.toml", raw.as_bytes());
    let (out, expected) = (
        text(&scratch_path("quantise-raw.net")),
        text(&scratch_path("quantise-converted.net")),
    );
    let message = refusal(1, &["quantise", &checkpoint, &out, "--spec", &raw]);
    assert!(message.contains("with `--to`"), "{message}");
    output(&[
        "quantise",
        &checkpoint,
        &out,
        "--spec",
        &raw,
        "--to",
        &integers,
    ]);
    output(&[
        "convert",
        &checkpoint,
        &expected,
        "--spec",
        &raw,
        "--to",
        &integers,
    ]);
    let [out, expected] = [out, expected].map(|path| fs::read(path).expect("was written"));
    assert!(out == expected);
}

#[test]
fn what_cannot_be_quantised_is_refused() {
    let (path, network) = spec("specs/bullet/simple.toml");
    let net = random_net_file(&network, 14);
    let out = scratch_path("quantise-refused.net");
    let out_text = text(&out);
    let refused = |file: &[u8], spec: &str| {
        let file = scratch("quantise-refused.bin", file);
        refusal(1, &["quantise", &file, &out_text, "--spec", spec])
    };
    let nan = floats(&network, &net, |name, index, number| match (name, index) {
        ("transformer.biases", 2) => f64::NAN,
        _ => number,
    });
    let message = refused(&nan, &path);
    assert!(
        message.contains("transformer.biases") && message.contains("NaN"),
        "{message}"
    );
    let message = refused(&nan[4..], &path);
    assert!(message.contains("bytes"), "{message}");
    let (factorised, _) = spec("tests/specs/features/factorised.toml");
    let message = refused(&nan, &factorised);
    assert!(
        message.contains("the spec's file has virtual rows"),
        "{message}"
    );
    assert!(message.contains("with `--to`"), "{message}");
    assert!(!out.exists());
}
