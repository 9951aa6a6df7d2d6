//! `nnue convert` and `nnue quantise`: networks whose files have virtual rows, or weights that
//! stacks share, become the same networks without them.

use std::fs;

use nnue_compiler::{file_layout, format};
use nnue_interpreter::Net;
use nnue_runtime::Board;
use nnue_test_support::net_file::random_net_file;
use serde_json::{Value, json};

use crate::networks::{network, spec_text};
use crate::program::{output, refusal, scratch, scratch_path, text};

const FENS: [&str; 3] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
];

const PLAIN_FILE: &str = "[file]\nformat = \"tensors\"\ntensors = [\"transformer\", \"layers\"]\n";

/// The same network without summands, with this `[file]` or the one that it has.
fn plain(spec: &str, file: Option<&str>) -> String {
    let is_kept = |line: &&str| !line.starts_with("factorised") && !line.starts_with("rounding");
    let lines: Vec<&str> = spec.lines().filter(is_kept).collect();
    let plain = lines.join("\n") + "\n";
    match (file, plain.split_once("[file]")) {
        (Some(file), Some((head, _))) => format!("{head}{file}"),
        _ => plain,
    }
}

/// Specs, and those of the same networks without summands.
fn pairs() -> Vec<(&'static str, String, String)> {
    let of_stockfish = spec_text("tests/specs/features/factorised.toml");
    let of_floats = spec_text("tests/specs/features/float_sum.toml");
    let of_each = spec_text("tests/specs/features/float_each.toml");
    let of_stacks = spec_text("tests/specs/layers/factorised.toml");
    vec![
        (
            "stockfish",
            of_stockfish.clone(),
            plain(&of_stockfish, None),
        ),
        (
            "floats",
            of_floats.clone(),
            plain(&of_floats, Some(PLAIN_FILE)),
        ),
        ("each", of_each.clone(), plain(&of_each, Some(PLAIN_FILE))),
        (
            "stacks",
            of_stacks.clone(),
            plain(&of_stacks, Some(PLAIN_FILE)),
        ),
    ]
}

#[test]
fn sums_evaluate_to_what_their_summands_do() {
    for (name, from, to) in pairs() {
        let (factorised, coalesced) = (network(&from), network(&to));
        assert_eq!(coalesced.virtual_row_count(), 0);
        assert!(!coalesced.layers.iter().any(|layer| layer.factorised));
        let net = random_net_file(&factorised, 31);
        let file = scratch(&format!("factorised-{name}.net"), &net);
        let from = scratch(&format!("factorised-{name}-from.toml"), from.as_bytes());
        let to = scratch(&format!("factorised-{name}-to.toml"), to.as_bytes());
        let out = text(&scratch_path(&format!("factorised-{name}-to.net")));
        let said = output(&["convert", &file, &out, "--spec", &from, "--to", &to]);
        output(&["check", &to, "--net", &out]);
        let written = fs::read(&out).expect("was written");
        assert_eq!(said, format!("`{out}`: {} bytes\n", written.len()));
        let first = Net::from_bytes(&factorised, &net).expect("it is a net file");
        let second = Net::from_bytes(&coalesced, &written).expect("it is a net file");
        assert!(first.weights() == second.weights(), "{name}");
        let mut values = Vec::new();
        for fen in FENS {
            let board = Board::from_fen(fen).expect("it is a position");
            for stack in 0..factorised.stacks.count {
                let value = first.evaluate(&board, stack);
                assert_eq!(value, second.evaluate(&board, stack), "{name}: {fen}");
                values.push(value);
            }
        }
        assert!(values.iter().any(|value| *value != values[0]), "{name}");

        // Nothing tells the summands of a sum.
        let back = scratch_path(&format!("factorised-{name}-back.net"));
        let message = refusal(
            1,
            &["convert", &out, &text(&back), "--spec", &to, "--to", &from],
        );
        assert!(
            message.starts_with("error: the second spec is factorised and the first is not: a file has only the sums"),
            "{message}"
        );
        assert!(!back.exists());
    }
}

/// Rows of bytes do not hold what words did.
#[test]
fn sums_that_do_not_fit_are_refused() {
    let from = spec_text("tests/specs/features/factorised.toml");
    let to = plain(&from, None).replacen(
        "set = \"HalfKP\"\n",
        "set = \"HalfKP\"\nelement = \"i8\"\n",
        1,
    );
    let net = scratch(
        "factorised-bytes.net",
        &random_net_file(&network(&from), 32),
    );
    let from = scratch("factorised-bytes-from.toml", from.as_bytes());
    let to = scratch("factorised-bytes-to.toml", to.as_bytes());
    let out = scratch_path("factorised-bytes-to.net");
    let message = refusal(
        1,
        &["convert", &net, &text(&out), "--spec", &from, "--to", &to],
    );
    assert!(
        message.contains("`features/1/element` of `nnue describe`"),
        "{message}"
    );
    assert!(!out.exists());
}

/// A checkpoint of the spec's own form: the same integers as those of the loader.
#[test]
fn checkpoints_of_floating_point_become_plain_files() {
    for (name, from, to) in pairs() {
        if !["floats", "each", "stacks"].contains(&name) {
            continue;
        }
        let factorised = network(&from);
        let net = random_net_file(&factorised, 33);
        let file = scratch(&format!("quantise-{name}.net"), &net);
        let from = scratch(&format!("quantise-{name}-from.toml"), from.as_bytes());
        let to_path = scratch(&format!("quantise-{name}-to.toml"), to.as_bytes());
        let out = text(&scratch_path(&format!("quantise-{name}-to.net")));
        let message = refusal(1, &["quantise", &file, &out, "--spec", &from]);
        assert!(
            message.contains("give the spec of the file of integers with `--to`"),
            "{message}"
        );
        let arguments = [
            "quantise", &file, &out, "--spec", &from, "--to", &to_path, "--json",
        ];
        let report: Value = serde_json::from_str(&output(&arguments)).expect("it is JSON");
        let tensors = report["tensors"].as_array().expect("a list");
        assert!(!tensors.is_empty());
        for tensor in tensors {
            let tensor = tensor["name"].as_str().expect("text");
            assert!(
                !tensor.contains("virtual") && !tensor.contains("shared"),
                "{tensor}"
            );
        }
        let first = Net::from_bytes(&factorised, &net).expect("it is a net file");
        let written = fs::read(&out).expect("was written");
        let second = Net::from_bytes(&network(&to), &written).expect("it is a net file");
        assert!(first.weights() == second.weights(), "{name}");
    }
}

const FACTORISED: &str = "\
name = \"Factorised\"
[[features]]
set = \"KingBuckets\"
mirror = \"a-d\"
king_buckets = [
    0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
]
factorised = [\"A\"]
[transformer]
width = 16
one = 127
activation = \"crelu\"
[[layer]]
name = \"l1\"
op = \"affine\"
outputs = 1
weights = \"i8\"
one = 8128
[output]
sum = \"l1\"
one = 8128
scale = 400
[file]
format = \"tensors\"
tensors = [\"transformer.weights\", \"transformer.virtual_weights\", \"transformer.biases\", \"layers\"]
";

/// 0.3 and 0.3 of an integer are 0.6, which is rounded to 1, although each of them would be 0.
#[test]
fn virtual_rows_are_added_before_sums_are_rounded() {
    let to = plain(FACTORISED, Some(PLAIN_FILE));
    let mut floats = Vec::new();
    let factorised = network(FACTORISED);
    for (_, tensor) in file_layout(&factorised).tensors() {
        let number: f32 = match &*tensor.name {
            "transformer.weights" | "transformer.virtual_weights" => 0.3 / 127.0,
            "l1.weights" => 0.5,
            _ => 0.0,
        };
        (0..tensor.stored.values).for_each(|_| floats.extend_from_slice(&number.to_le_bytes()));
    }
    let file = scratch("virtual.bin", &floats);
    let from = scratch("virtual-from.toml", FACTORISED.as_bytes());
    let to_path = scratch("virtual-to.toml", to.as_bytes());
    let out = text(&scratch_path("virtual.net"));
    let arguments = [
        "quantise", &file, &out, "--spec", &from, "--to", &to_path, "--json",
    ];
    let report: Value = serde_json::from_str(&output(&arguments)).expect("it is JSON");
    let coalesced = network(&to);
    let written = fs::read(&out).expect("was written");
    let layout = file_layout(&coalesced);
    let parts = format::split(&layout, &written).expect("it is a net file");
    let numbers = parts.numbers().expect("its numbers are right");
    let weights = numbers
        .iter()
        .find(|numbers| numbers.tensor.name == "transformer.weights");
    let weights = weights.expect("the file has them");
    assert_eq!(weights.tensor.shape[1..], [2 * 768, 16]);
    for row in 0..2 * 768 {
        assert!(weights.row(0, row).all(|weight| weight == 1.0), "row {row}");
    }
    let report = &report["tensors"][0];
    assert_eq!(
        (&report["name"], &report["values"]),
        (&json!("transformer.weights"), &json!(2 * 768 * 16))
    );
    let error = report["largest_error"].as_f64().expect("a number");
    assert!((error * 127.0 - 0.4).abs() < 1e-5, "{error}");
}
