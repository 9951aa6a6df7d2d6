//! `nnue quantise`: what it says is lost, and with which ones less would be.

use std::fs;
use std::path::Path;

use nnue_compiler::{file_layout, format};
use serde_json::{Value, json};

use crate::networks::{network, network_in};
use crate::program::{self, output, refusal, scratch, scratch_path, text};
use crate::quantised::{
    Ones, USUAL, change, changed, checkpoint, named, number, quantised, unchanged,
};

const FINE: Ones = Ones {
    transformer: 16384,
    weights: "i16",
    weights_one: 16384,
    shift: 14,
};
const COARSE: Ones = Ones {
    transformer: 32,
    weights: "i8",
    weights_one: 16,
    shift: 4,
};

const ACTIVATIONS: [&str; 4] = ["transformer", "fc_0", "ac_0", "fc_1"];

#[test]
fn little_is_lost_with_large_ones_and_much_with_small_ones() {
    let (fine, coarse) = (FINE.spec(), COARSE.spec());
    let file = checkpoint(&network(&fine), 0.7, unchanged);
    assert_eq!(file, checkpoint(&network(&coarse), 0.7, unchanged));
    let (fine, _) = quantised("loss-fine", &fine, &file, &[]);
    let (coarse, _) = quantised("loss-coarse", &coarse, &file, &[]);
    // Larger integers would make sums larger, which are not known to fit in 32 bits already.
    let parts = |report: &Value| -> Vec<String> {
        let proposals = report["proposals"].as_array().expect("a list").iter();
        proposals
            .map(|proposal| proposal["part"].to_string())
            .collect()
    };
    assert!(!parts(&fine).contains(&"\"fc_0\"".to_string()), "{fine}");
    assert!(parts(&coarse).contains(&"\"fc_0\"".to_string()), "{coarse}");
    let [fine, coarse] = [fine, coarse].map(|report| report["comparison"].clone());
    assert!(number(&fine["positions"]) > 100.0, "{fine}");
    for name in ACTIVATIONS {
        let [fine, coarse] = [&fine, &coarse].map(|report| {
            let activation = named(&report["activations"], name);
            number(&activation["divergence"])
        });
        assert!((0.0..1e-3).contains(&fine), "{name}: {fine}");
        assert!(
            coarse > 10.0 * fine && coarse > 1e-3,
            "{name}: {fine} {coarse}"
        );
    }
    let [fine, coarse] = [fine, coarse].map(|report| {
        let value = named(&report["outputs"], "value");
        assert_eq!(value["one"], json!(600.0));
        (
            number(&value["mean_difference"]),
            number(&value["largest_difference"]),
        )
    });
    // The value is cut off to a whole number.
    assert!(fine.0 < 0.7 && fine.1 < 1.2, "{fine:?}");
    assert!(coarse.0 > 2.0 * fine.0 && coarse.1 > coarse.0, "{coarse:?}");
}

#[test]
fn a_clipped_weight_shows_in_what_reads_it() {
    let ones = Ones {
        transformer: 255,
        weights: "i8",
        weights_one: 64,
        shift: 6,
    };
    let spec = ones.spec();
    // Neuron 3 of the first layer, which sees the first neuron of the side to move.
    let planted = |name: &str, index: usize, number: f64| match (name, index) {
        ("fc_0.weights", 96) => 6.0,
        ("transformer.biases", 0) => 0.15,
        _ => number,
    };
    let usual = |name: &str, index: usize, number: f64| match (name, index) {
        ("fc_0.weights", 96) => 1.9,
        _ => planted(name, index, number),
    };
    let network = network(&spec);
    let [(usual, _), (clipped, _)] = [
        quantised("loss-usual", &spec, &checkpoint(&network, 0.7, usual), &[]),
        quantised(
            "loss-clipped",
            &spec,
            &checkpoint(&network, 0.7, planted),
            &[],
        ),
    ];
    let divergence = |report: &Value, name: &str| {
        number(&named(&report["comparison"]["activations"], name)["divergence"])
    };
    assert_eq!(
        named(&usual["tensors"], "fc_0.weights")["clipped"],
        json!(0)
    );
    assert_eq!(
        named(&clipped["tensors"], "fc_0.weights")["clipped"],
        json!(1)
    );
    // What comes before the layer is as it was.
    assert_eq!(
        divergence(&usual, "transformer"),
        divergence(&clipped, "transformer")
    );
    let (before, after) = (divergence(&usual, "fc_0"), divergence(&clipped, "fc_0"));
    assert!(after > 2.0 * before, "{before} {after}");
    let largest = |report: &Value| {
        number(&named(&report["comparison"]["outputs"], "value")["largest_difference"])
    };
    assert!(largest(&clipped) > 1.5 * largest(&usual));
}

/// The positions are those of the file, and what is printed is what JSON has.
#[test]
fn positions_are_the_users() {
    let spec = COARSE.spec();
    let file = checkpoint(&network(&spec), 0.7, unchanged);
    let fens = "# one in check\n4k3/8/8/8/8/8/4q3/4K3 w - - 0 1\n\n8/8/4k3/3p4/3P4/4K3/8/8 w - - bm Kf4;\n";
    let fens = scratch("loss-fens.txt", fens.as_bytes());
    let (found, _) = quantised("loss-positions", &spec, &file, &["--fens", &fens]);
    assert_eq!(found["comparison"]["positions"], json!(2));
    assert_eq!(found["not_compared"], Value::Null);

    let spec = scratch("loss-shown.toml", spec.as_bytes());
    let file = scratch("loss-shown.bin", &file);
    let out = text(&scratch_path("loss-shown.net"));
    let arguments = ["quantise", &file, &out, "--spec", &spec, "--fens", &fens];
    let shown = output(&arguments);
    assert!(
        shown.contains(&format!("\nover 2 positions of `{fens}`:\n")),
        "{shown}"
    );
    for name in ACTIVATIONS {
        let activation = named(&found["comparison"]["activations"], name);
        let line = shown
            .lines()
            .find(|line| line.starts_with(&format!("{name} ")));
        let columns: Vec<&str> = line.expect("it is shown").split_whitespace().collect();
        assert_eq!(columns[1], activation["neurons"].to_string());
        assert_eq!(columns[4], activation["bins"].to_string());
        let divergence = format!("{:.3e}", number(&activation["divergence"]));
        assert_eq!(columns[6], divergence);
    }
    let value = named(&found["comparison"]["outputs"], "value");
    let mean = format!(
        "value, in which 1.0 is 600: differs by {:.3} in the mean",
        number(&value["mean_difference"])
    );
    assert!(shown.contains(&mean), "{shown}");

    let wrong = scratch(
        "loss-wrong.txt",
        b"4k3/8/8/8/8/8/4q3/4K3 w - - 0 1\nnothing\n",
    );
    let message = refusal(
        1,
        &["quantise", &file, &out, "--spec", &spec, "--fens", &wrong],
    );
    assert!(message.contains("line 2 of"), "{message}");
}

#[test]
fn features_that_the_engine_tells_have_no_positions() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../specs/games/ataxx.toml");
    let spec = fs::read_to_string(path).expect("the spec is there");
    let file = checkpoint(&network(&spec), 0.7, unchanged);
    let (found, _) = quantised("loss-ataxx", &spec, &file, &[]);
    assert_eq!(found["comparison"], Value::Null);
    let reason = found["not_compared"].as_str().expect("a reason");
    assert!(
        reason.starts_with("the engine tells which features of `"),
        "{reason}"
    );
}

/// Proposals are right specs, and lose as little as they say.
fn assert_keeps_its_word(name: &str, spec: &str, file: &[u8], part: &str) -> Value {
    let (before, _) = quantised(name, spec, file, &[]);
    let proposal = named(&before["proposals"], part).clone();
    let other = changed(spec, &proposal);
    assert_ne!(other, spec);
    let path = scratch(&format!("{name}-better.toml"), other.as_bytes());
    output(&["check", &path]);
    let (after, _) = quantised(&format!("{name}-better"), &other, file, &[]);
    for (index, effect) in proposal["tensors"]
        .as_array()
        .expect("a list")
        .iter()
        .enumerate()
    {
        let tensor = effect["name"].as_str().expect("text");
        let [before, after] = [&before, &after].map(|report| named(&report["tensors"], tensor));
        for (at, report) in [before, after].into_iter().enumerate() {
            assert!((number(&report["one"]) / number(&effect["one"][at]) - 1.0).abs() < 1e-12);
            assert_eq!(report["clipped"], effect["clipped"][at], "{tensor}");
            // The mean of errors is less than the root of the mean of their squares.
            let (mean, root) = (number(&report["mean_error"]), number(&effect["error"][at]));
            assert!(
                mean <= root && root < number(&report["largest_error"]) + 1e-12,
                "{tensor}"
            );
        }
        if index == 0 {
            assert_eq!(after["clipped"], json!(0));
            let [before, after] = [before, after].map(|report| number(&report["mean_error"]));
            assert!(after < before, "{name} {part}: {before} {after}");
        }
    }
    proposal
}

#[test]
fn small_weights_deserve_larger_ones_and_shifts_follow() {
    let spec = USUAL.spec();
    // 0.24 * 512 is 123.
    let file = checkpoint(&network(&spec), 0.24, unchanged);
    let proposal = assert_keeps_its_word("ones-larger", &spec, &file, "fc_0");
    let expected = [
        change("[[layer]] fc_0", "one", Some("8128"), "65024"),
        change("[[layer]] ac_0", "shift", Some("6"), "9"),
    ];
    assert_eq!(proposal["changes"], json!(expected));
    // Nothing ties the last layer to powers of two, if the output brings it to its one.
    let proposal = assert_keeps_its_word("ones-last", &spec, &file, "fc_1");
    let changes = proposal["changes"].as_array().expect("a list");
    assert_eq!(changes[1], change("[output]", "align", None, "\"exact\""));
    let to: f64 = changes[0]["to"]
        .as_str()
        .expect("text")
        .parse()
        .expect("a number");
    assert!(
        (to / 8128.0).log2().fract() != 0.0 && to > 60_000.0,
        "{changes:?}"
    );
}

#[test]
fn large_weights_deserve_smaller_ones() {
    let spec = USUAL.spec();
    // Beyond 127 / 64.
    let file = checkpoint(&network(&spec), 3.0, unchanged);
    let proposal = assert_keeps_its_word("ones-smaller", &spec, &file, "fc_0");
    let expected = [
        change("[[layer]] fc_0", "one", Some("8128"), "4064"),
        change("[[layer]] ac_0", "shift", Some("6"), "5"),
    ];
    assert_eq!(proposal["changes"], json!(expected));
    assert!(number(&proposal["tensors"][0]["clipped"][0]) > 0.0);
}

/// The transformer's one changes, and with `weights_one` what depends on it follows.
#[test]
fn the_transformer_may_have_another_one() {
    let spec = "name = \"Simple\"\n\
        [[features]]\nset = \"A\"\n\
        [transformer]\nwidth = 16\none = 100\nactivation = \"crelu\"\nlimit = 100\n\
        [[layer]]\nname = \"l1\"\nop = \"affine\"\noutputs = 1\nweights = \"i16\"\nweights_one = 64\n\
        [output]\nsum = \"l1\"\none = 6400\nalign = \"exact\"\nscale = 400\n\
        [file]\nformat = \"tensors\"\ntensors = [\"transformer\", \"layers\"]\n";
    let file = checkpoint(&network(spec), 0.7, unchanged);
    let proposal = assert_keeps_its_word("ones-transformer", spec, &file, "transformer");
    let keys: Vec<&Value> = proposal["changes"]
        .as_array()
        .expect("a list")
        .iter()
        .collect();
    assert_eq!(
        (&keys[0]["key"], &keys[1]["key"]),
        (&json!("one"), &json!("limit"))
    );
    // Clipping stays at 1.0.
    assert_eq!(keys[0]["to"], keys[1]["to"]);
    // 16 bits hold more than 100 times as much.
    let one = &proposal["tensors"][0]["one"];
    assert!(number(&one[1]) > 10_000.0, "{proposal}");
    // The layer's weights have a one of their own.
    let proposal = assert_keeps_its_word("ones-weights", spec, &file, "l1");
    assert_eq!(proposal["changes"][0]["key"], json!("weights_one"));
}

/// What a trainer has of both specs is the same; the second says what the integers are.
#[test]
fn both_specs_are_changed_in_the_same_way() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../specs/bullet/simple.toml");
    let integers = fs::read_to_string(path).expect("the spec is there");
    let (head, _) = integers.split_once("[file]").expect("it has a file");
    let raw = format!("{head}[file]\nformat = \"bullet\"\nkind = \"raw\"\n");
    let file = checkpoint(&network(&raw), 0.7, unchanged);
    let to = scratch("ones-to.toml", integers.as_bytes());
    let (report, _) = quantised("ones-raw", &raw, &file, &["--to", &to]);
    let proposal = named(&report["proposals"], "l1");
    for (name, spec) in [("from", &raw), ("to", &integers)] {
        let changed = changed(spec, proposal);
        assert_ne!(&changed, spec);
        let path = scratch(&format!("ones-{name}-changed.toml"), changed.as_bytes());
        output(&["check", &path]);
    }
}

/// A file that says what stands for 1.0 in its biases would have other biases in another network.
#[test]
fn ones_of_the_file_keep_the_networks() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../specs/bullet/simple.toml");
    let integers = fs::read_to_string(path).expect("the spec is there");
    let (head, _) = integers.split_once("[file]").expect("it has a file");
    let raw = format!(
        "{head}[file]\nformat = \"bullet\"\nkind = \"raw\"\n\
         entries = [\"l0w\", \"l0b\", \"l1w\", {{ id = \"l1b\", one = 16320 }}]\n"
    );
    let file = checkpoint(&network(&raw), 0.7, unchanged);
    let to = scratch("ones-own-to.toml", integers.as_bytes());
    let (report, _) = quantised("ones-own", &raw, &file, &["--to", &to]);
    let proposals = report["proposals"].as_array().expect("a list");
    assert!(
        proposals.iter().all(|proposal| proposal["part"] != "l1"),
        "{report}"
    );
}

/// Specs with words of all kinds: their floating point becomes a file of theirs, or it is said why
/// not.
#[test]
fn every_kind_of_network_can_be_compared() {
    let fens = "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b - - 0 1\n";
    let fens = scratch("words-fens.txt", fens.as_bytes());
    let (mut compared, mut refused) = (0, 0);
    for names in [
        "layers: average binary_parts factorised further_heads_of_three gates integers_become_f32",
        "layers: longs many_stacks psqt_of_layers rms_norm_gains scales unpooled",
        "perspectives: interleaved_sums one_separate",
    ] {
        let (folder, names) = names.split_once(": ").expect("a folder and names");
        let folder = format!("{}/../tests/specs/{folder}", env!("CARGO_MANIFEST_DIR"));
        for name in names.split(' ') {
            let path = Path::new(&folder).join(format!("{name}.toml"));
            let network = network_in(&path);
            let file = checkpoint(&network, 0.7, unchanged);
            let file = scratch("words.bin", &file);
            let (spec, out) = (text(&path), text(&scratch_path("words.net")));
            let arguments = [
                "quantise", &file, &out, "--spec", &spec, "--json", "--fens", &fens,
            ];
            let done = program::run(&arguments);
            if !done.status.success() {
                let message = program::stderr(&done);
                let is_explained = ["no number stands for 1.0 in `", "with `--to`", "runs of 16"]
                    .into_iter()
                    .any(|words| message.contains(words));
                assert!(is_explained, "{spec}: {message}");
                refused += 1;
                continue;
            }
            output(&["check", &spec, "--net", &out]);
            let report: Value = serde_json::from_str(program::printed(&done)).expect("it is JSON");
            if report["comparison"].is_null() {
                continue;
            }
            compared += 1;
            let comparison = &report["comparison"];
            let activations = comparison["activations"].as_array().expect("a list");
            assert!(activations.len() > network.layers.len(), "{spec}");
            for activation in activations {
                assert!(
                    number(&activation["divergence"]) >= 0.0,
                    "{spec}: {activation}"
                );
            }
            let outputs = comparison["outputs"].as_array().expect("a list");
            let heads = &network.output.further;
            assert_eq!(
                outputs.len(),
                network.output.heads.len() + heads.len(),
                "{spec}"
            );
            for (output, head) in outputs.iter().rev().zip(heads.iter().rev()) {
                assert_eq!(output["name"], json!(head.name));
            }
            if network.output.heads.len() == 3 {
                let names = outputs.iter().take(3).map(|output| &output["name"]);
                assert_eq!(names.collect::<Vec<_>>(), ["win", "draw", "loss"]);
            }
        }
    }
    assert!(compared >= 9 && refused > 0, "{compared} {refused}");
}

/// Weights on the grid of their integers lose nothing, so that nothing is better.
#[test]
fn exact_weights_need_no_other_ones() {
    let spec = USUAL.spec();
    let file = checkpoint(&network(&spec), 0.7, |name, _, number| match name {
        "transformer.weights" | "transformer.biases" => (number * 127.0).round() / 127.0,
        _ => (number * 64.0).round() / 64.0,
    });
    let (report, net) = quantised("ones-exact", &spec, &file, &[]);
    assert_eq!(report["proposals"], json!([]));
    let spec = network(&spec);
    assert!(format::check(&file_layout(&spec), &net).is_ok());
}
