//! `nnue replay --beside` as its users meet it, in builds that have it.

mod program;

use std::process::Output;

use nnue_runtime::Level;
use nnue_test_support::synthetic::synthetic_net;
use serde_json::{Value, json};

use crate::program::{assert_refused, nnue, printed, scratch};

const TRACE: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1; = e2e4 e8d7 = - 0 = ~ - e1d1 =\n";

fn run(arguments: &[&str]) -> Output {
    let mut command = nnue(&[&["replay", "--beside"], arguments].concat());
    command.output().expect("the program starts")
}

#[test]
fn a_table_has_each_way_and_each_level() {
    let trace = scratch("beside.txt", TRACE.as_bytes());
    let output = run(&["--rounds=3", "--threads=2", &trace]);
    let lines: Vec<&str> = printed(&output).lines().collect();
    assert!(lines[0].starts_with("small128 · nn-37f18f62d772.nnue, built in · "));
    let processor = lines.iter().position(|line| line.contains(", built for "));
    let table = &lines[processor.expect("the processor") + 2..];
    let best = Level::detect();
    let mut levels = vec!["avx2", best.name()];
    levels.dedup();
    levels.retain(|name| Level::by_name(name).is_ok());
    let mut words = vec!["ns", "per", "evaluation"];
    for level in &levels {
        words.extend(["nnue-rs", level, "ratio"]);
    }
    let head: Vec<&str> = table[0].split_whitespace().collect();
    assert_eq!(head, words);
    for (rows, way) in table[1..13].chunks(3).zip([
        "along the search, each move",
        "along the search, lazily",
        "full refresh",
        "forward pass alone",
    ]) {
        assert!(
            rows[0].starts_with(&format!("{way}, median ")),
            "{}",
            rows[0]
        );
        assert!(rows[1].starts_with("  lower quartile "), "{}", rows[1]);
        assert!(rows[2].starts_with("  upper quartile "), "{}", rows[2]);
        assert!(rows.iter().all(|row| row.ends_with(" x")));
    }
    assert!(table[13].starts_with("reading alone, median, subtracted "));
    assert_eq!(table[14..], ["", "All 4 values are equal."]);
}

#[test]
fn both_may_be_in_an_engine() {
    let trace = scratch("beside-engine.txt", TRACE.as_bytes());
    let output = run(&["--rounds=1", "--engine=64K", "--threads=2", &trace]);
    let table = printed(&output);
    assert!(
        table.contains(", 1 round, an engine with a hash table of 64 KB\n"),
        "{table}"
    );
    assert!(
        table.contains("\nengine alone, median, subtracted "),
        "{table}"
    );
    assert!(table.ends_with("\nAll 4 values are equal.\n"), "{table}");
}

#[test]
fn ratios_are_those_of_the_times() {
    let trace = scratch("beside-ratios.txt", TRACE.as_bytes());
    let net = scratch("beside-v1.nnue", &synthetic_net("v1"));
    let output = run(&["--net", &net, "--rounds=1", "--level=scalar", &trace]);
    let table = printed(&output);
    assert!(table.starts_with("SFNNv1 · beside-v1.nnue · "), "{table}");
    let mut rows = table.lines();
    let row = rows.find(|line| line.starts_with("forward pass alone"));
    let words: Vec<&str> = row.expect("a row").split_whitespace().collect();
    let number = |word: &str| -> f64 { word.parse().expect("a number") };
    let [.., theirs, ours, ratio, "x"] = words[..] else {
        panic!("{words:?}");
    };
    let (theirs, ours, ratio) = (number(theirs), number(ours), number(ratio));
    // Times are rounded to a tenth, ratios to a hundredth.
    let error = ratio * (0.05 / theirs + 0.05 / ours) + 0.006;
    assert!((theirs / ours - ratio).abs() < error, "{words:?}");
}

#[test]
fn what_nnue_rs_rounds_otherwise_is_said() {
    let trace = scratch("beside-rounding.txt", TRACE.as_bytes());
    let net = scratch("beside-v6.nnue", &synthetic_net("v6"));
    let output = run(&["--net", &net, "--rounds=1", &trace]);
    let last = printed(&output).lines().last().expect("a line");
    let start = "All 4 values are equal as nnue-rs rounds them: ";
    assert!(
        last.starts_with(start) && last.ends_with(" are not the engine's."),
        "{last}"
    );
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let trace = scratch("beside-refused.txt", TRACE.as_bytes());
    let net = scratch("beside-v5.nnue", &synthetic_net("v5"));
    let output = run(&["--net", &net, &trace]);
    assert_eq!(output.status.code(), Some(1));
    let message = program::stderr(&output);
    assert!(message.starts_with("error: nnue-rs: "), "{message}");
    assert_refused(&run(&["--net=no/such.nnue"]), 1, &["no/such.nnue"]);
    for (arguments, word) in [
        (["--threads", "0"], "1..=256"),
        (["--engine=lots", &trace], "'lots' for '--engine[=<SIZE>]'"),
    ] {
        assert_refused(&run(&arguments), 2, &[word, "--help"]);
    }
}

#[test]
fn json_has_the_ways_of_each_level() {
    let trace = scratch("beside-json.txt", TRACE.as_bytes());
    let output = run(&[
        "--rounds=1",
        "--threads=2",
        "--level=scalar",
        "--json",
        &trace,
    ]);
    let value: Value = serde_json::from_str(printed(&output)).expect("JSON");
    assert_eq!(
        (&value["threads"], &value["evaluations"]),
        (&json!(2), &json!(4))
    );
    assert_eq!(value["rounded_otherwise"], 0);
    let levels = value["levels"].as_array().expect("a list");
    assert_eq!((levels.len(), &levels[0]["level"]), (1, &json!("scalar")));
    let ways = levels[0]["ways"].as_array().expect("a list");
    let names: Vec<&str> = ways.iter().filter_map(|way| way["way"].as_str()).collect();
    assert_eq!(
        names,
        [
            "along the search, each move",
            "along the search, lazily",
            "full refresh",
            "forward pass alone"
        ]
    );
    for way in ways {
        let median = |whose: &str| way[whose]["median"].as_f64().expect("a number");
        let ratio = way["ratio"].as_f64().expect("a number");
        assert!((ratio - median("nnue_rs") / median("ours")).abs() < 1e-9 * ratio.abs());
    }
}
