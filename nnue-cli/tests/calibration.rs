//! `nnue quantise --calibrate`: ranges, ones, and what they cost.

use std::fs;
use std::sync::LazyLock;

use crate::networks::network;
use crate::program::{output, refusal, scratch, scratch_folder, scratch_path, text};
use crate::quantised::{USUAL, changed, checkpoint, named, number, quantised, unchanged};
use nnue_compiler::description::Description;
use nnue_compiler::network::Network;
use nnue_compiler::{file_layout, format};
use nnue_interpreter::UnroundedNet;
use nnue_runtime::Board;
use nnue_trace::Trace;
use serde_json::{Value, json};

/// Positions of a search.
static POSITIONS: LazyLock<String> = LazyLock::new(|| {
    let trace = Trace::bundled().expect("it is right");
    let boards = trace.evaluated().step_by(trace.evaluations() / 60);
    let lines: String = boards.map(|board| format!("{board} - -\n")).collect();
    scratch("calibration.epd", lines.as_bytes())
});

/// The calibration of a checkpoint.
fn calibrated(name: &str, spec: &str, file: &[u8]) -> Value {
    let options = ["--calibrate", &POSITIONS, "--fens", &POSITIONS];
    quantised(name, spec, file, &options).0
}

/// The choice for a part, by the way its range was chosen.
fn choice<'r>(report: &'r Value, part: &str, per: &str, range: &str) -> &'r Value {
    let choices = report["calibration"]["choices"].as_array().expect("a list");
    let mut choices = choices.iter();
    let is_it = |choice: &&Value| {
        choice["part"] == part && choice["per"] == per && choice["range"] == range
    };
    choices
        .find(is_it)
        .unwrap_or_else(|| panic!("no {part} {per} {range} in {report}"))
}

/// The network of a file of `f32` that says itself how it becomes integers: another way to read a
/// checkpoint of a spec.
fn of_floats(spec: &str) -> Network {
    let plain = network(spec);
    let (layout, description) = (file_layout(&plain), Description::of(&plain));
    let entries = layout.tensors().map(|(_, tensor)| {
        let name = &*tensor.name;
        let known = description.tensors.iter().find(|own| own.name == name);
        let [one, 1] = known.and_then(|own| own.one).expect("1.0 is a number") else {
            panic!("1.0 is a fraction in `{name}`");
        };
        format!("{{ tensor = \"{name}\", type = \"f32\", one = {one}, overflow = \"clamp\" }}")
    });
    let entries = entries.collect::<Vec<_>>().join(", ");
    let (rest, _) = spec.split_once("tensors = [").expect("a list");
    network(&format!("{rest}tensors = [{entries}]\n"))
}

/// The path of a file that a run has written.
fn of_test(name: &str) -> String {
    text(&scratch_folder().join(name))
}

/// Applies the changes of a choice, makes the file, evaluates it with `nnue eval`, and compares
/// with the floating point of the spec as it was.
fn assert_costs(name: &str, spec: &str, file: &[u8], choice: &Value) {
    let other = changed(spec, choice);
    let (report, _) = quantised(name, &other, file, &["--fens", &POSITIONS]);
    let net = of_test(&format!("{name}.net"));
    let other = of_test(&format!("{name}.toml"));
    let raw = output(&[
        "eval", "--raw", "--net", &net, "--spec", &other, "--fens", &POSITIONS,
    ]);
    let found = raw.lines().skip(1).map(|row| -> f64 {
        let value = row.rsplit('\t').next().expect("a column");
        value.parse().expect("an integer")
    });
    let exact = UnroundedNet::from_bytes(&of_floats(spec), file).expect("it is a file of it");
    let positions = fs::read_to_string(&*POSITIONS).expect("it is there");
    let errors = positions.lines().zip(found).map(|(fen, found)| {
        let board = Board::from_fen(fen).expect("it is a position");
        (exact.trace(&board, 0).values[0] - found).abs()
    });
    let errors: Vec<f64> = errors.collect();
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    let largest = errors.iter().copied().fold(0.0, f64::max);
    for (key, expected) in [("mean_error", mean), ("largest_error", largest)] {
        let found = number(&choice[key]);
        assert!(
            (found - expected).abs() <= 1e-6 * expected,
            "{name}: {found} {expected}"
        );
    }
    let sum = |key: &str| -> f64 {
        let tensors = report["tensors"].as_array().expect("a list").iter();
        tensors.map(|tensor| number(&tensor[key])).sum()
    };
    let clipped = sum("clipped") / sum("values");
    assert!(
        (number(&choice["clipped"]) - clipped).abs() < 1e-12,
        "{name}"
    );
}

/// Few weights of a layer are ten times as large as all others, and one of its neurons is always 1.
fn outliers(name: &str, index: usize, number: f64) -> f64 {
    match name {
        "fc_0.weights" if index % 61 == 7 => 10.0 * number,
        "fc_0.biases" if index == 3 => 100.0,
        _ => number,
    }
}

#[test]
fn costs_are_those_of_the_changed_specs() {
    let spec = USUAL.spec();
    let file = checkpoint(&network(&spec), 0.3, outliers);
    let report = calibrated("calibration-costs", &spec, &file);
    let positions = fs::read_to_string(&*POSITIONS).expect("it is there");
    assert_eq!(
        report["calibration"]["positions"],
        positions.lines().count()
    );
    let choices = report["calibration"]["choices"].as_array().expect("a list");
    assert_eq!(choices[0]["part"], "the spec");
    assert_eq!(choices[0]["changes"], json!([]));
    let mut different: Vec<&Value> = Vec::new();
    for choice in choices {
        if !different
            .iter()
            .any(|known| known["changes"] == choice["changes"])
        {
            different.push(choice);
        }
    }
    assert!(different.len() > 5, "{report}");
    for (index, choice) in different.into_iter().enumerate() {
        assert_costs(&format!("calibration-costs-{index}"), &spec, &file, choice);
    }
    // The best is what it says, and no worse than the spec.
    let best = report["calibration"]["best"].as_u64().expect("an index");
    let errors = choices.iter().map(|choice| number(&choice["mean_error"]));
    let least = errors.fold(f64::INFINITY, f64::min);
    assert_eq!(number(&choices[best as usize]["mean_error"]), least);
}

#[test]
fn nothing_is_clipped_within_minimum_and_maximum() {
    let spec = USUAL.spec();
    let network = network(&spec);
    let file = checkpoint(&network, 0.3, outliers);
    let report = calibrated("calibration-ranges", &spec, &file);
    // The largest weight, from the file itself: padding is not read.
    let mut largest = 0.0f64;
    let mut start = 0;
    for (_, tensor) in file_layout(&network).tensors() {
        for (index, bytes) in file[4 * start..][..4 * tensor.stored.values]
            .chunks(4)
            .enumerate()
        {
            let weight = f32::from_le_bytes(bytes.try_into().expect("four"));
            let row = tensor.stored.strides[1].max(1);
            if *tensor.name == *"fc_0.weights" && index % row < tensor.shape[2] {
                largest = largest.max(weight.abs().into());
            }
        }
        start += tensor.stored.values;
    }
    let least = choice(&report, "fc_0", "tensor", "min-max");
    assert_eq!(number(&least["thresholds"][0]), largest);
    assert_eq!(number(&least["clipped"]), 0.0);
    // A power of two times the spec's, as its activation shifts.
    let one = number(&least["ones"][0]);
    assert!(one / 127.0 * largest <= 127.0 && 2.0 * one / 127.0 * largest > 127.0);
    // One weight out of 61 is an outlier.
    let most = choice(&report, "fc_0", "tensor", "99 %");
    let threshold = number(&most["thresholds"][0]);
    assert!(threshold > 0.3 && threshold < largest, "{threshold}");
    let nearly = choice(&report, "fc_0", "tensor", "99.99 %");
    assert!(number(&nearly["thresholds"][0]) >= threshold);

    let values = &report["calibration"]["ranges"];
    let names: Vec<&Value> = values
        .as_array()
        .expect("a list")
        .iter()
        .map(|own| &own["name"])
        .collect();
    assert_eq!(names, ["transformer", "fc_0", "ac_0", "fc_1"]);
    let neurons = named(values, "ac_0");
    assert_eq!(neurons["lowest"], json!(0.0));
    assert_eq!(neurons["highest"], json!(1.0));
    assert!(
        (0.125..0.5).contains(&number(&neurons["saturated"])),
        "{neurons}"
    );
    assert_eq!(named(values, "fc_0")["saturated"], json!(0.0));
}

/// Three outputs that may each have their own one.
const CHANNELS: &str = "name = \"Three\"\n\
    [[features]]\nset = \"A\"\n\
    [transformer]\nwidth = 16\none = 127\nactivation = \"crelu\"\n\
    [[layer]]\nname = \"fc_0\"\nop = \"affine\"\noutputs = 3\nweights = \"i8\"\none = 8128\n\
    [output]\nwin = \"fc_0[0]\"\ndraw = \"fc_0[1]\"\nloss = \"fc_0[2]\"\none = 8128\nscale = 600\n\
    [file]\nformat = \"tensors\"\ntensors = [\"transformer\", \"layers\"]\n";

#[test]
fn each_output_may_have_the_one_of_its_own_weights() {
    // Weights of the second output are a tenth, those of the third a hundredth of the first one's;
    // a row of the file has 32 columns.
    let small = |name: &str, index: usize, number: f64| match name {
        "fc_0.weights" => number / 10f64.powi(index as i32 / 32),
        _ => number,
    };
    let file = checkpoint(&network(CHANNELS), 1.9, small);
    let report = calibrated("calibration-channels", CHANNELS, &file);
    let channels = choice(&report, "fc_0", "channel", "min-max");
    let numbers = |key: &str| -> Vec<f64> {
        channels[key]
            .as_array()
            .expect("a list")
            .iter()
            .map(number)
            .collect()
    };
    let (thresholds, ones) = (numbers("thresholds"), numbers("ones"));
    assert_eq!((thresholds.len(), ones.len()), (3, 3));
    for (threshold, one) in thresholds.iter().zip(&ones) {
        // 1.0 is 127 in the inputs, and the largest integer is 127.
        assert_eq!(*one, (127.0 * 127.0 / threshold).floor());
    }
    assert!(
        ones[1] > 5.0 * ones[0] && ones[2] > 5.0 * ones[1],
        "{ones:?}"
    );
    let tensor = choice(&report, "fc_0", "tensor", "min-max");
    let [by_tensor, by_channel] = [tensor, channels].map(|choice| number(&choice["mean_error"]));
    assert!(by_channel < by_tensor, "{by_tensor} {by_channel}");
    let changes = json!([
        { "table": "[[layer]] fc_0", "key": "one", "from": "8128",
          "to": format!("[{}, {}, {}]", ones[0], ones[1], ones[2]) },
        { "table": "[output]", "key": "align", "from": null, "to": "\"exact\"" },
    ]);
    assert_eq!(channels["changes"], changes);

    // The changed spec is right, and its file has the integers that these ones make.
    let spec = changed(CHANNELS, channels);
    let (again, bytes) = quantised(
        "calibration-channels-again",
        &spec,
        &file,
        &["--fens", &POSITIONS],
    );
    let weights = named(&again["tensors"], "fc_0.weights");
    assert_eq!(weights["clipped"], json!(0));
    let spec = network(&spec);
    let layout = file_layout(&spec);
    let parts = format::split(&layout, &bytes).expect("it is a net file");
    let all = parts.numbers().expect("its numbers are right");
    let weights = all
        .iter()
        .find(|numbers| &*numbers.tensor.name == "fc_0.weights");
    let weights = weights.expect("the file has it");
    for output in 0..3 {
        let largest = weights.row(0, output).map(f64::abs).fold(0.0, f64::max);
        assert!((126.0..=127.0).contains(&largest), "{output}: {largest}");
    }
    // The smallest weights gain most. Each difference of win, draw and loss counts the same.
    let loss = [&report, &again].map(|report| {
        let loss = named(&report["comparison"]["outputs"], "loss");
        number(&loss["mean_difference"])
    });
    assert!(loss[1] < 0.7 * loss[0], "{loss:?}");
    let outputs = ["win", "draw", "loss"].map(|name| named(&again["comparison"]["outputs"], name));
    let mean = outputs
        .map(|output| number(&output["mean_difference"]))
        .iter()
        .sum::<f64>()
        / 3.0;
    assert!(
        (mean - by_channel).abs() <= 1e-3 * mean,
        "{mean} {by_channel}"
    );
}

#[test]
fn terms_may_be_brought_to_a_one_with_fewer_bits() {
    // 9600 / 8128 is no fraction of a power of two.
    let spec = USUAL.spec().replace(
        "sum = \"fc_1\"\none = 8128\n",
        "sum = \"fc_1\"\none = 9600\nalign = \"exact\"\n",
    );
    let file = checkpoint(&network(&spec), 0.3, unchanged);
    let report = calibrated("calibration-align", &spec, &file);
    for (bits, range) in [(8, "shift, 8 bits"), (16, "shift, 16 bits")] {
        let choice = choice(&report, "[output]", "", range);
        let changes = choice["changes"].as_array().expect("a list");
        let [.., align, own] = &changes[..] else {
            panic!("{choice}");
        };
        assert_eq!([&align["key"], &align["to"]], ["align", "\"shift\""]);
        assert_eq!([&own["key"], &own["to"]], ["bits", &*bits.to_string()]);
        assert_costs(&format!("calibration-align-{bits}"), &spec, &file, choice);
    }
}

#[test]
fn the_table_has_a_row_for_each_choice() {
    let spec = scratch("calibration-table.toml", USUAL.spec().as_bytes());
    let file = checkpoint(&network(&USUAL.spec()), 0.3, unchanged);
    let file = scratch("calibration-table.bin", &file);
    let out = text(&scratch_path("calibration-table.net"));
    let arguments = [
        "quantise",
        &file,
        &out,
        "--spec",
        &spec,
        "--calibrate",
        &POSITIONS,
    ];
    let shown = output(&arguments);
    let (_, table) = shown.split_once("what ones cost").expect("a table");
    let rows = |part: &str| table.lines().filter(|line| line.starts_with(part)).count();
    assert_eq!(
        [
            rows("the spec "),
            rows("fc_0 "),
            rows("fc_1 "),
            rows("all parts ")
        ],
        [1, 5, 5, 6],
        "{table}"
    );
    assert!(table.contains("the least mean error, by "), "{table}");
}

#[test]
fn what_has_no_positions_is_refused() {
    let spec = "../specs/games/ataxx.toml";
    let source = fs::read_to_string(spec).expect("the spec is there");
    let file = scratch(
        "calibration-told.bin",
        &checkpoint(&network(&source), 0.3, unchanged),
    );
    let arguments = [
        "quantise",
        &file,
        "no/such",
        "--spec",
        spec,
        "--calibrate",
        &POSITIONS,
    ];
    let message = refusal(1, &arguments);
    assert!(message.contains("ranges cannot be calibrated"), "{message}");
    let nothing = scratch("calibration-nothing.epd", b"# nothing\n");
    let arguments = [
        "quantise",
        &file,
        "no/such",
        "--spec",
        spec,
        "--calibrate",
        &nothing,
    ];
    assert!(refusal(1, &arguments).contains("has no positions"));
}
